//! Tests that cannot run on this machine print their name and the reason, on a line that is visible although they pass.

use std::fmt::Display;
use std::io::Write;

/// Prints that a test is skipped, and why. The output of `eprintln!` would be captured, because the test passes.
pub(crate) fn skipped(test: &str, reason: impl Display) {
    let line = format!("{test}: skipped, {reason}\n");
    assert!(std::io::stderr().write_all(line.as_bytes()).is_ok());
}

/// Returns a requirement of a test, or `None` after printing that the test is skipped. Fails instead if the variable
/// `required` is 1.
#[allow(dead_code, reason = "some tests need something else")]
pub(crate) fn needed<T, E: Display>(test: &str, required: &str, found: Result<T, E>) -> Option<T> {
    match found {
        Ok(it) => Some(it),
        Err(error) => {
            assert!(!std::env::var(required).is_ok_and(|value| value == "1"), "{required} is set: {error}");
            skipped(test, error);
            None
        }
    }
}
