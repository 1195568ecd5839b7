//! Conversions that are undefined in C++, or whose type C++ does not have.

use super::{register, returning};
use crate::cuda::func::INLINE;
use crate::cuda::types::{bits, literal, scalar};
use reduce_ir::{Scalar, constants};

pub(super) fn cast(from: Scalar, to: Scalar, name: &str) -> String {
    let params = format!("{} a", scalar(from));
    if from == Scalar::Bf16 {
        return returning("float", name, &params, "__uint_as_float((unsigned int)a << 16)");
    }
    // Instructions return 32 bits or more.
    let wide = if to.size() < 4 { Scalar::I32 } else { to };
    let (comment, instruction, value) = if from.is_half() {
        ("", format!("cvt.{to}.{from}"), "r".to_owned())
    } else {
        let sign = if wide.is_unsigned() { 'u' } else { 's' };
        (SATURATING, format!("cvt.rzi.{sign}{}.{from}", bits(wide)), format!("a != a ? 0 : {}", clamped(to)))
    };
    format!(
        "\
{comment}{INLINE} {} {name}({params})
{{
    {} r;
    asm(\"{instruction} %0, %1;\" : \"={}\"(r) : \"{}\"(a));
    return {value};
}}
",
        scalar(to),
        scalar(wide),
        register(wide),
        register(from),
    )
}

/// PTX returns the nearest value of the type (PTX ISA, `cvt`). In C++, the result for a value outside the type is
/// undefined. PTX converts NaN differently for different types.
const SATURATING: &str = "// towards zero, saturating; 0 for NaN\n";

/// Returns `r`, clamped if its type is smaller than the register.
fn clamped(to: Scalar) -> String {
    let [least, greatest] = [constants::least(to), constants::greatest(to)].map(literal);
    if to.size() < 4 { format!("({})min(max(r, {least}), {greatest})", scalar(to)) } else { "r".to_owned() }
}
