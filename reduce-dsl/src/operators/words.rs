//! What the words of rows stand for, by the types of elements and accumulator.

use reduce_ir::Scalar;
use reduce_ir::constants::{constant, greatest, least, negative_zero, one, scales, zero};
use reduce_ir::func::literal;

/// Values of a type, by the words for them.
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

/// The element `x` as the sum of a rounded accumulator and a rest, so that even in `f64` no digit of an integer of 64 bits is lost.
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
    // The rounded sum of both, and what rounding took from it (Dekker's fast sum).
    let split = upper.map(|upper| {
        (format!("({upper} + {lower})"), format!("({lower} - (({upper} + {lower}) - {upper}))"))
    });
    let whole = || (format!("(x as {} as {acc})", element.widened()), format!("({})", literal(zero(acc))));
    let (high, low) = split.unwrap_or_else(whole);
    [("X_HIGH".to_owned(), high), ("X_LOW".to_owned(), low)]
}

/// Have accumulators no more range than elements?
pub(super) fn has_range_of(acc: Scalar, element: Scalar) -> bool {
    element.is_float() && element != Scalar::F16 && (acc == Scalar::F32) == (element != Scalar::F64)
}
