//! The formulas of constants: rule 8 of the verifier.

use super::super::LoweredKernel;

/// Returns the value of a product or quotient of constants and numbers; `None` for an empty text or a division by 0.
pub(super) fn formula(text: &str, kernel: &LoweredKernel) -> Option<u64> {
    let mut words = text.split(' ');
    let number = |word: &str| -> u64 { word.parse().unwrap_or_else(|_| kernel.constant(word).into()) };
    let mut value = number(words.next().filter(|word| !word.is_empty())?);
    while let (Some(operator), Some(word)) = (words.next(), words.next()) {
        let number = number(word);
        value = if operator == "*" { value * number } else { value.checked_div(number)? };
    }
    Some(value)
}
