//! The meaning of the words of rows, by the types of elements and accumulator.

use reduce_ir::Scalar;
use reduce_ir::constants::{constant, greatest, least, negative_zero, one, scales, zero};
use reduce_ir::func::literal;

/// Returns the words for values of a type, and their text.
pub(super) fn values(word: &str, ty: Scalar) -> Vec<(String, String)> {
    let nan = constant(ty, "NAN").unwrap_or(zero(ty));
    let values = [
        ("ZERO", zero(ty)),
        ("NEG_ZERO", negative_zero(ty)),
        ("ONE", one(ty)),
        ("LEAST", least(ty)),
        ("GREATEST", greatest(ty)),
        ("NAN", nan),
    ];
    let values = values.into_iter().chain(scales(ty));
    values.map(|(name, value)| (format!("{word}_{name}"), format!("({})", literal(value)))).collect()
}

/// Splits the element `x` into a value rounded to `acc` and a remainder, so that no digit of a 64-bit integer
/// is lost even in `f64`.
pub(super) fn halves(element: Scalar, acc: Scalar) -> [(String, String); 2] {
    let upper = |ty: &str| format!("((x >> 32) as {ty} as {acc} * (4294967296.0 as {acc}))");
    let lower = format!("(x as u32 as {acc})");
    let upper = if element == Scalar::I64 {
        Some(upper("i32"))
    } else if element == Scalar::U64 {
        Some(upper("u32"))
    } else {
        None
    };
    // The rounded sum of both, and its rounding error (Dekker's fast sum).
    let split = upper.map(|upper| {
        (format!("({upper} + {lower})"), format!("({lower} - (({upper} + {lower}) - {upper}))"))
    });
    let whole = || (format!("(x as {} as {acc})", element.widened()), format!("({})", literal(zero(acc))));
    let (high, low) = split.unwrap_or_else(whole);
    [("X_HIGH".to_owned(), high), ("X_LOW".to_owned(), low)]
}

/// Returns whether the accumulator has no more range than the elements.
pub(super) fn has_range_of(acc: Scalar, element: Scalar) -> bool {
    element.is_float() && element != Scalar::F16 && (acc == Scalar::F32) == (element != Scalar::F64)
}
