//! The smaller and the larger of two floats.
//!
//! `-0.0 < +0.0`, as in the PTX instructions (PTX ISA, `max`). `.NaN`, which propagates NaN, and 16-bit floats need
//! sm_80. `f64` has no `.NaN`.

use super::register;
use crate::cuda::func::INLINE;
use crate::cuda::types::scalar;
use reduce_ir::Scalar;
use reduce_ir::ops::Bin;

pub(super) fn bin(op: Bin, ty: Scalar, name: &str) -> String {
    let prefers_numbers = matches!(op, Bin::MinNum | Bin::MaxNum);
    let is_min = matches!(op, Bin::Min | Bin::MinNum);
    let (c, word) = (scalar(ty), if is_min { "min" } else { "max" });
    let rule = if prefers_numbers { "a number rather than NaN" } else { "NaN if either is NaN" };
    let body = if ty == Scalar::F64 {
        double(is_min)
    } else {
        let portable = if ty.is_half() { half(ty, is_min, prefers_numbers) } else { single(word) };
        let (register, nan) = (register(ty), if prefers_numbers { "" } else { ".NaN" });
        format!(
            "\
#if __CUDA_ARCH__ >= 800
    {c} r;
    asm(\"{word}{nan}.{ty} %0, %1, %2;\" : \"={register}\"(r) : \"{register}\"(a), \"{register}\"(b));
    return r;
#else
{portable}
#endif
"
        )
    };
    format!("// {word}, {rule}\n{INLINE} {c} {name}({c} a, {c} b)\n{{\n{body}}}\n")
}

/// Between equal operands, the bits choose the right zero. `fmax` would take nearly twice the instructions, and ptxas
/// branches around it if NaN is tested first (docs/decisions.md).
fn double(is_min: bool) -> String {
    let (sign, bits) = if is_min { ('<', '|') } else { ('>', '&') };
    format!(
        "    \
const double tie = __longlong_as_double(__double_as_longlong(a) {bits} __double_as_longlong(b));
    return a == b ? tie : a {sign} b || a != a ? a : b;
"
    )
}

/// Tests NaN first, because the function of C++ prefers the number to NaN.
fn single(word: &str) -> String {
    format!("    return a != a ? a : b != b ? b : f{word}f(a, b);")
}

/// Computes in `f32`, which is exact. Apart from that, it is like `f64`.
fn half(ty: Scalar, is_min: bool, prefers_numbers: bool) -> String {
    let (sign, bits) = if is_min { ('<', '|') } else { ('>', '&') };
    let [of_x, of_y] = if prefers_numbers { ['b', 'a'] } else { ['a', 'b'] };
    format!(
        "    \
const float x = {ty}_to_f32(a), y = {ty}_to_f32(b);
    return x != x ? {of_x} : y != y ? {of_y} : x == y ? a {bits} b : x {sign} y ? a : b;"
    )
}
