//! NaN: the test for it, and the one NaN that represents all.

use super::returning;
use crate::cuda::types::{literal, scalar};
use reduce_ir::ops::Un;
use reduce_ir::{Scalar, constants};

pub(super) fn un(op: Un, ty: Scalar, name: &str) -> String {
    let params = format!("{} a", scalar(ty));
    if op == Un::IsNan {
        return returning("bool", name, &params, &is_nan(ty));
    }
    if op == Un::ToBits {
        let bits = if ty == Scalar::F32 { "__float_as_uint" } else { "__double_as_longlong" };
        return returning(scalar(ty.bits_type()), name, &params, &format!("{bits}(canonical_{ty}(a))"));
    }
    let nan = constants::constant(ty, "NAN").map(literal).unwrap_or_default();
    let is_nan = if ty.is_half() { format!("is_nan_{ty}(a)") } else { is_nan(ty) };
    let value = format!("{is_nan} ? {nan} : a");
    format!("// the canonical NaN of results\n{}", returning(scalar(ty), name, &params, &value))
}

/// Returns the function for the bits of an `f64`. The intrinsic returns signed bits.
pub(super) fn raw_bits(name: &str) -> String {
    let value = returning("unsigned long long", name, "double a", "__double_as_longlong(a)");
    format!("// the bits of a value that is not NaN, or whose NaN bits do not matter\n{value}")
}

fn is_nan(ty: Scalar) -> String {
    let infinity = constants::greatest(ty).hex();
    if ty.is_half() { format!("(a & 0x7fff) > 0x{infinity}") } else { "a != a".to_owned() }
}
