//! Integer arithmetic that wraps, where C++ leaves an overflow undefined: through the unsigned type.

use super::returning;
use crate::cuda::types::{bits, scalar};
use reduce_dsl::Scalar;
use reduce_dsl::ops::{Bin, Un};

pub(super) fn un(op: Un, ty: Scalar, name: &str) -> String {
    let c = scalar(ty);
    let negated = format!("({c})(0 - ({})a)", unsigned(ty));
    let value = if op == Un::Abs { format!("a < 0 ? {negated} : a") } else { negated };
    returning(c, name, &format!("{c} a"), &value)
}

pub(super) fn bin(op: Bin, ty: Scalar, name: &str) -> String {
    let (c, unsigned) = (scalar(ty), unsigned(ty));
    if op == Bin::Shl {
        let value = format!("({c})(({unsigned})a << (b & {}))", bits(ty) - 1);
        return returning(c, name, &format!("{c} a, unsigned int b"), &value);
    }
    let value = format!("({c})(({unsigned})a {op} ({unsigned})b)");
    returning(c, name, &format!("{c} a, {c} b"), &value)
}

/// The type to compute in.
fn unsigned(ty: Scalar) -> &'static str {
    scalar(if ty.size() == 8 { Scalar::U64 } else { Scalar::U32 })
}
