//! Numbers as users write them: small ones, ends of the range, constants by name, other bases.

use crate::choices::Choices;
use reduce_ir::Scalar;

const FLOATS: [&str; 10] = ["0.0", "1.0", "2.5", "0.1", "1e-3", "3.0e5", "0.5", "7.0", "1e-40", "123456.75"];
const INTEGERS: [&str; 8] = ["0", "1", "2", "3", "7", "0x1f", "0b101", "100"];
const OF_FLOATS: [&str; 7] = ["MAX", "MIN", "INFINITY", "NEG_INFINITY", "MIN_POSITIVE", "EPSILON", "NAN"];
const OF_INTEGERS: [&str; 2] = ["MAX", "MIN"];
const MATHEMATICAL: [&str; 3] = ["PI", "E", "SQRT_2"];

/// Returns a literal with its type: `2.5f32`, `u8::MAX`, `true`.
pub(super) fn typed(choices: &mut Choices<'_>, ty: Scalar) -> String {
    if ty == Scalar::Bool {
        return choices.pick(&["true", "false"]).to_owned();
    }
    if choices.once_in(6) {
        let names: &[&str] = if ty.is_float() { &OF_FLOATS } else { &OF_INTEGERS };
        return format!("{ty}::{}", choices.pick(names));
    }
    if ty.is_float() && choices.once_in(12) {
        return format!("core::{ty}::consts::{}", choices.pick(&MATHEMATICAL));
    }
    format!("{}{ty}", number(choices, ty))
}

/// Returns a literal whose type is inferred.
pub(super) fn bare(choices: &mut Choices<'_>, ty: Scalar) -> String {
    if ty == Scalar::Bool { typed(choices, ty) } else { number(choices, ty) }
}

/// Returns digits in the range of the type, without a suffix.
fn number(choices: &mut Choices<'_>, ty: Scalar) -> String {
    if ty.is_float() {
        return choices.pick(&FLOATS).to_owned();
    }
    if choices.once_in(5) {
        let most = if ty.is_signed() { 8 * ty.size() - 1 } else { 8 * ty.size() };
        let bits = choices.below(most) + 1;
        return format!("{}", u64::MAX >> (64 - bits));
    }
    choices.pick(&INTEGERS).to_owned()
}

/// Returns a divisor that is neither 0 nor −1.
pub(super) fn divisor(choices: &mut Choices<'_>) -> String {
    choices.pick(&["1", "2", "3", "7", "10", "16", "100"]).to_owned()
}
