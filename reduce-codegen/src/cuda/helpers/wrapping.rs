//! Integer arithmetic that wraps, where C++ leaves an overflow undefined: through the unsigned type.

use super::{INLINE, returning};
use crate::cuda::types::{bits, scalar};
use reduce_dsl::Scalar;
use reduce_dsl::ops::{Bin, Un};

pub(super) fn un(op: Un, ty: Scalar, name: &str) -> String {
    let c = scalar(ty);
    if ty.size() < 4 {
        return narrow(op, ty, name);
    }
    let negated = format!("({c})(0 - ({})a)", unsigned(ty));
    let value = if op == Un::Abs { format!("a < 0 ? {negated} : a") } else { negated };
    returning(c, name, &format!("{c} a"), &value)
}

/// Of 8 and 16 bits: NVRTC makes `neg.s16` of `0 - a`, and ptxas (13.0) takes its result as if it had not wrapped where
/// it is widened: -(-32768) becomes 32768. Of `sub.u16` it does not.
fn narrow(op: Un, ty: Scalar, name: &str) -> String {
    let c = scalar(ty);
    let value = if op == Un::Abs { format!("a < 0 ? ({c})r : a") } else { format!("({c})r") };
    format!(
        "\
{INLINE} {c} {name}({c} a)
{{
    short r;  // not `0 - a`, of which ptxas 13.0 does not wrap -32768
    asm(\"sub.u16 %0, 0, %1;\" : \"=h\"(r) : \"h\"((short)a));
    return {value};
}}
"
    )
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
