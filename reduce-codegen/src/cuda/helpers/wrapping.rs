//! Integer arithmetic that wraps, through the unsigned type, because signed overflow is undefined in C++.

use super::{INLINE, returning};
use crate::cuda::types::{bits, scalar};
use reduce_ir::Scalar;
use reduce_ir::ops::{Bin, Un};

pub(super) fn un(op: Un, ty: Scalar, name: &str) -> String {
    let c = scalar(ty);
    if ty.size() < 4 {
        return narrow(op, ty, name);
    }
    if op == Un::Abs {
        return magnitude(ty, name);
    }
    returning(c, name, &format!("{c} a"), &format!("({c})(0 - ({})a)", unsigned(ty)))
}

/// Returns the absolute value of 32 and 64 bits. NVRTC turns plain C++ into `abs`, and ptxas (13.0) then assumes that the result is never
/// negative. But the least integer has no positive counterpart: its absolute value wraps to itself.
fn magnitude(ty: Scalar, name: &str) -> String {
    let (c, bits) = (scalar(ty), bits(ty));
    let register = if bits == 64 { "l" } else { "r" };
    format!(
        "\
{INLINE} {c} {name}({c} a)
{{
    {c} r;  // of the equivalent C++, ptxas 13.0 assumes that it is never negative
    asm(\"sub.u{bits} %0, 0, %1;\" : \"={register}\"(r) : \"{register}\"(a));
    return a < 0 ? r : a;
}}
"
    )
}

/// Returns the function for 8 and 16 bits. NVRTC makes `neg.s16` of `0 - a`, `a * -1` and the like. If the result is
/// widened, ptxas (13.0) assumes that it did not wrap: -(-32768) becomes 32768. Unsigned instructions do not have this
/// bug.
fn narrow(op: Un, ty: Scalar, name: &str) -> String {
    let c = scalar(ty);
    let value = if op == Un::Abs { format!("a < 0 ? ({c})r : a") } else { format!("({c})r") };
    assembly(ty, name, &format!("{c} a"), "sub.u16 %0, 0, %1;", &["a"], &value)
}

fn narrow_bin(op: Bin, ty: Scalar, name: &str) -> String {
    let c = scalar(ty);
    let instruction = if op == Bin::Mul { "mul.lo.u16 %0, %1, %2;" } else { "sub.u16 %0, %1, %2;" };
    assembly(ty, name, &format!("{c} a, {c} b"), instruction, &["a", "b"], &format!("({c})r"))
}

fn assembly(
    ty: Scalar,
    name: &str,
    params: &str,
    instruction: &str,
    operands: &[&str],
    value: &str,
) -> String {
    let c = scalar(ty);
    let operands: Vec<_> = operands.iter().map(|it| format!("\"h\"((short){it})")).collect();
    format!(
        "\
{INLINE} {c} {name}({params})
{{
    short r;  // ptxas 13.0 does not always wrap the equivalent C++
    asm(\"{instruction}\" : \"=h\"(r) : {});
    return {value};
}}
",
        operands.join(", ")
    )
}

pub(super) fn bin(op: Bin, ty: Scalar, name: &str) -> String {
    let (c, unsigned) = (scalar(ty), unsigned(ty));
    if ty.is_signed() && ty.size() < 4 && matches!(op, Bin::Sub | Bin::Mul) {
        return narrow_bin(op, ty, name);
    }
    if op == Bin::Shl {
        let value = format!("({c})(({unsigned})a << (b & {}))", bits(ty) - 1);
        return returning(c, name, &format!("{c} a, unsigned int b"), &value);
    }
    let value = format!("({c})(({unsigned})a {op} ({unsigned})b)");
    returning(c, name, &format!("{c} a, {c} b"), &value)
}

/// Returns the type in which to compute.
fn unsigned(ty: Scalar) -> &'static str {
    scalar(if ty.size() == 8 { Scalar::U64 } else { Scalar::U32 })
}
