//! The errors of rustc for `reduction!`: one file for each mistake, named after it. What must compile is in `ui/pass`; each
//! file there is a test of its own (`Cargo.toml`), as trybuild would build the library again to run it.
//!
//! Tests a rotating 24th of the mistakes, and all of them with `REDUCEGEN_FULL=1`. With `TRYBUILD=overwrite` as well, renews
//! the expected output.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "support/rotation.rs"]
mod rotation;

#[test]
#[ignore = "builds the library again: cargo test --test ui -- --ignored"]
fn ui() {
    let cases = trybuild::TestCases::new();
    let mut mistakes: Vec<_> =
        std::fs::read_dir("tests/ui/fail").unwrap().map(|entry| entry.unwrap().path()).collect();
    mistakes.retain(|path| path.extension().is_some_and(|it| it == "rs"));
    mistakes.sort_unstable();
    assert!(mistakes.len() > 70, "{}", mistakes.len());
    rotation::sample(mistakes, 40).for_each(|path| cases.compile_fail(path));
}
