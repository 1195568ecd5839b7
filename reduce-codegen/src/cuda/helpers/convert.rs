//! Conversions that C++ leaves undefined, or has no type for.

use super::{register, returning};
use crate::cuda::func::INLINE;
use crate::cuda::types::{bits, literal, scalar};
use reduce_ir::{Scalar, constants};

pub(super) fn cast(from: Scalar, to: Scalar, name: &str) -> String {
    let params = format!("{} a", scalar(from));
    if from == Scalar::Bf16 {
        return returning("float", name, &params, "__uint_as_float((unsigned int)a << 16)");
    }
    // Instructions give 32 bits or more.
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

/// PTX gives the nearest value of the type (PTX ISA, `cvt`), while C++ leaves it undefined what a value beyond it
/// becomes. What PTX makes of NaN depends on the types.
const SATURATING: &str = "// towards zero, and to the nearest value there is; 0 for NaN\n";

/// `r`, in a type that may be smaller.
fn clamped(to: Scalar) -> String {
    let [least, greatest] = [constants::least(to), constants::greatest(to)].map(literal);
    if to.size() < 4 { format!("({})min(max(r, {least}), {greatest})", scalar(to)) } else { "r".to_owned() }
}
