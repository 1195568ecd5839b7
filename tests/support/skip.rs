//! Tests that cannot run on this machine say so by name, on a line that shows although they pass.

use std::fmt::Display;
use std::io::Write;

/// Says that a test is skipped, and why. `eprintln!` would be heard by nobody: what passing tests print is dropped.
#[expect(clippy::explicit_write, reason = "this is not what `eprintln!` does in a test")]
pub(crate) fn skipped(test: &str, reason: impl Display) {
    writeln!(std::io::stderr(), "{test}: skipped, {reason}").unwrap();
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
