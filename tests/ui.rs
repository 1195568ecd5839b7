//! The errors of rustc for `reduction!`: one file for each mistake, named after it. `TRYBUILD=overwrite` renews the
//! expected output.

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    cases.compile_fail("tests/ui/fail/*.rs");
}
