//! What rustc shows for `reduction!`: one file a mistake, named after it. `TRYBUILD=overwrite` renews the
//! expected output.

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    cases.compile_fail("tests/ui/fail/*.rs");
}
