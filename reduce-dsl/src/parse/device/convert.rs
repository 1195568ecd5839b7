//! Advice for values of the wrong type.

use reduce_ir::Scalar;

/// Returns the advice for a value of type `found` where `wanted` is expected.
pub(crate) fn converted(found: &str, wanted: &str) -> String {
    let scalar =
        |name: &str| Scalar::from_name(name).is_some() || name.starts_with("an ") || name == "a float";
    match Scalar::from_name(wanted) {
        Some(Scalar::Bool) if scalar(found) => "compare it with a value".to_owned(),
        Some(ty) if found == "bool" && ty.is_float() => "write `if … { 1.0 } else { 0.0 }`".to_owned(),
        Some(ty) if scalar(found) => format!("convert it with `as {ty}`"),
        Some(ty) if found.starts_with("`[") => format!("take one of its elements, which is {ty}"),
        Some(ty) if found.starts_with('`') => format!("take one of its fields, which is {ty}"),
        None if wanted.starts_with("`(") => format!("write a tuple, {wanted}"),
        None if wanted.starts_with("`[") => format!("write an array, {wanted}"),
        None if wanted.starts_with('`') => format!("write the struct {wanted} with its fields"),
        _ => format!("write a value that is {wanted}"),
    }
}
