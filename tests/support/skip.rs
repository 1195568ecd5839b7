//! Tests that cannot run on this machine say so by name, on a line that shows although they pass.

use std::fmt::Display;
use std::io::Write;

/// Says that a test is skipped, and why. `eprintln!` would be heard by nobody: what passing tests print is dropped.
pub(crate) fn skipped(test: &str, reason: impl Display) {
    let line = format!("{test}: skipped, {reason}\n");
    assert!(std::io::stderr().write_all(line.as_bytes()).is_ok());
}

/// What a test needs, or `None` after saying that it is skipped. Where the variable `required` is 1, that fails.
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
