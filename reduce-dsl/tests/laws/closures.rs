//! Tests closures of users: wrong ones are refused, and right ones are accepted.

use reduce_dsl::laws::{Cause, Effort, Found, Law, check};
use reduce_dsl::parse::text;
use reduce_ir::spec::Spec;

/// Returns the specification, or the laws that do not hold.
fn read(source: &str) -> Result<Spec, Vec<Law>> {
    let law = |error: &reduce_dsl::parse::Diagnostic| match &error.broken {
        Some(broken) => broken.law,
        None => panic!("{source}: {}", error.message),
    };
    text(source, None)
        .map(|parsed| parsed.spec)
        .map_err(|error| error.diagnostics().iter().map(law).collect())
}

fn assert_refused(law: Law, sources: &[&str]) {
    for source in sources {
        assert_eq!(read(source).map(|spec| spec.text), Err(vec![law]), "{source}");
    }
}

/// Checks that the laws hold at both efforts, and returns the result of the thorough one.
fn found(source: &str) -> Found {
    let spec = read(source).unwrap_or_else(|laws| panic!("{source}: {laws:?}"));
    check(&spec.operation, Effort::Thorough).unwrap_or_else(|broken| panic!("{source}: {broken}"))
}

#[test]
fn wrapping_is_no_excuse_for_what_wider_integers_break_too() {
    assert_refused(
        Law::Associative,
        &[
            "ty: u32, op: |a, b| (a ^ b).wrapping_mul(16777619), identity: none",
            "ty: u32, op: |a, b| (a ^ b).wrapping_mul(16777619), identity: none, commutative: true",
            "ty: u8, op: |a, b| (a ^ b).wrapping_mul(77), identity: none",
            "ty: u64, op: |a, b| (a ^ b) * 0x9e3779b97f4a7c15, identity: none",
            "ty: u32, op: |a, b| a.rotate_left(5) ^ b, identity: none",
            "ty: u32, map: |x| x * 2654435761, op: |a, b| (a << 1) ^ b, identity: none",
            "ty: i64, op: |a, b| a * b + a % 3, identity: none",
        ],
    );
    assert_refused(Law::Identity, &["ty: u8, op: |a, b| (a - 1) + (b - 1), identity: 0"]);
}

#[test]
fn functions_of_the_library() {
    assert_refused(
        Law::Associative,
        &[
            "ty: f32, op: |a, b| a.powf(b), identity: none",
            "ty: f32, op: |a, b| a.atan2(b), identity: none",
            "ty: f64, op: |a, b| (a + b).sin(), identity: none",
            "ty: f64, op: |a, b| (a + b).tanh(), identity: none",
            "ty: f64, op: |a, b| a.hypot(b) + 1.0, identity: none",
        ],
    );
    assert_refused(Law::Fold, &["ty: f32, map: |x| x.sin(), op: sum, fold: |acc, x| acc + x.cos()"]);
    for right in [
        "ty: f64, map: |x| x.abs(), op: |a, b| a.hypot(b), identity: 0.0",
        "ty: f64, op: |a, b| (a.exp2() + b.exp2()).log2(), identity: none",
        "ty: f64, map: |x| x.abs(), op: |a, b| (a.exp_m1() + b.exp_m1()).ln_1p(), identity: none",
        "ty: f32, map: |x| x.cos(), op: sum, fold: |acc, x| acc + x.cos()",
    ] {
        let found = found(right);
        let cases = found.checked[0].cases;
        assert!(cases.exact + cases.bounded > cases.discarded, "{right}: {cases:?}");
    }
}

#[test]
fn methods_that_saturate_are_no_excuse() {
    for ty in ["i8", "i16", "i32", "i64"] {
        for identity in ["0", "none"] {
            let source = format!("ty: {ty}, op: |a, b| a.saturating_add(b), identity: {identity}");
            assert_refused(Law::Associative, &[&source]);
        }
    }
    for ty in ["u8", "u16", "u32", "u64"] {
        assert!(found(&format!("ty: {ty}, op: |a, b| a.saturating_add(b), identity: 0")).exact);
    }
}

#[test]
fn identities_that_make_nan_of_numbers() {
    assert_refused(
        Law::Identity,
        &[
            "ty: f32, op: |a, b| a + b, identity: f32::NAN",
            "ty: f32, op: |a, b| a * b, identity: f32::NAN",
            "ty: f32, op: |a, b| f32::NAN, identity: 0.0",
            "ty: f64, op: |a, b| a * b / (a + b), identity: f64::INFINITY",
            "ty: f64, op: |a, b| 1.0 / (1.0 / a + 1.0 / b), identity: 0.0",
            "ty: f64, op: |a, b| (a.exp() + b.exp()).ln(), identity: f64::NAN",
            "ty: f64, map: |x| x.abs(), op: |a, b| (a * a + b * b).sqrt(), identity: 1e300",
        ],
    );
    assert_refused(
        Law::Associative,
        &["ty: f32, op: |a, b| if a > 3.0 { f32::NAN } else { a + b }, identity: 0.0"],
    );
    assert_refused(Law::Fold, &["ty: f32, op: sum, fold: |acc, x| f32::NAN"]);
}

#[test]
fn constants_and_long_folds_are_tried() {
    assert_refused(
        Law::Fold,
        &[
            "ty: u32, op: sum, fold: |acc, x, step| if step < 5 { acc + x } else { acc }",
            "ty: f32, op: sum, fold: |acc, x, step| if step < 50 { acc + x } else { acc }",
            "ty: i32, map: |x| (x > 100) as u32, op: sum, fold: |acc, x| acc + (x > 200) as u32",
            "ty: u8, index: i, op: sum, fold: |acc, x| if i == 12345 { acc } else { acc + x as u32 }",
        ],
    );
    assert_refused(
        Law::Associative,
        &[
            "ty: i32, op: |a, b| if a == 1000 { b } else { a + b }, identity: none",
            "ty: f32, op: |a, b| { let s = a + b; if s >= 360.0 { s - 360.0 } else { s } }, identity: none",
            "ty: i32, op: |a, b| (a + b).min(1000), identity: none",
        ],
    );
}

#[test]
fn counterexamples_of_long_folds_are_short() {
    let source = "ty: u32, op: sum, fold: |acc, x, step| if step < 5 { acc + x } else { acc }";
    let error = text(source, None).unwrap_err();
    let broken = error.diagnostics()[0].broken.as_ref().unwrap();
    assert_eq!(broken.counterexample.operands.len(), 6, "{broken}");
}

/// The largest sum of neighbours. Unbounded integers would not give the operands whose sum wrapped.
#[test]
fn sums_that_wrap_are_remarks() {
    for ty in ["i32", "i64", "f32"] {
        for source in [
            format!(
                "ty: {ty}, acc: T {{ s: {ty}, m: {ty} }}, map: |x| T {{ s: x, m: x.max(0 as {ty}) }}, \
                 op: |a, b| T {{ s: a.s + b.s, m: a.m.max(a.s + b.m) }}, identity: T {{ s: 0 as {ty}, m: 0 as {ty} }}"
            ),
            format!(
                "ty: {ty}, acc: T {{ s: {ty}, l: {ty}, r: {ty}, m: {ty} }}, \
                 map: |x| {{ let m = x.max(0 as {ty}); T {{ s: x, l: m, r: m, m: m }} }}, \
                 op: |a, b| T {{ s: a.s + b.s, l: a.l.max(a.s + b.l), r: b.r.max(b.s + a.r), \
                 m: a.m.max(b.m).max(a.r + b.l) }}, \
                 identity: T {{ s: 0 as {ty}, l: 0 as {ty}, r: 0 as {ty}, m: 0 as {ty} }}"
            ),
        ] {
            assert!(found(&source).remark(Cause::Overflow).is_some(), "{source}");
        }
    }
}

#[test]
fn right_closures_are_not_accused() {
    for source in [
        // The identity is neutral as a number: the sign of a zero does not matter.
        "ty: f32, op: |a, b| if a.abs() > b.abs() { a } else { b }, identity: 0.0",
        "ty: i8, map: |x| x.abs(), op: |a, b| a.max(b), identity: 0",
        "ty: u32, op: |a, b| (a + b).min(1000), identity: none",
        "ty: u32, map: |x| x % 360, op: |a, b| { let s = a + b; if s >= 360 { s - 360 } else { s } }, identity: 0",
        "ty: u64, map: |x| x % 1000000007, op: |a, b| a * b % 1000000007, identity: 1",
        "ty: u8, op: |a, b| (a * 77 + b * 77) * 133, identity: 0",
        "ty: u32, map: |x| x.rotate_left(7), op: |a, b| a ^ b, identity: 0",
        "ty: i64, op: |a, b| if a == -1 { b } else { a }, identity: -1",
        "ty: f64, op: |a, b| a * b / (a + b), identity: none",
        "inputs: { x: f32, w: u32 }, acc: M { mean: f32, w: u32 }, map: |x, w| M { mean: x, w: w }, \
         op: |a, b| { let w = a.w + b.w; M { mean: if w == 0 { 0.0 } else { \
         (a.mean * a.w as f32 + b.mean * b.w as f32) / w as f32 }, w: w } }, identity: none",
        "ty: i32, acc: P { s: i32, m: i64 }, map: |x| P { s: x, m: x as i64 }, \
         op: |a, b| P { s: a.s + b.s, m: a.m.max(a.s as i64 + b.m) }, identity: none",
        "ty: i64, acc: P { p: i64, hi: i64, lo: i64 }, map: |x| P { p: x, hi: x, lo: x }, \
         op: |a, b| P { p: a.p * b.p, hi: a.hi.max(a.p * b.hi).max(a.p * b.lo), \
         lo: a.lo.min(a.p * b.hi).min(a.p * b.lo) }, identity: none",
    ] {
        found(source);
    }
}

#[test]
fn remarks_name_their_cause() {
    let causes = |source| -> Vec<Cause> { found(source).remarks.iter().map(|remark| remark.cause).collect() };
    assert!(causes("ty: f64, op: |a, b| a * b / (a + b), identity: none").contains(&Cause::DivisionByZero));
    assert!(!causes("ty: f64, op: |a, b| a + b - a * b, identity: 0.0").contains(&Cause::DivisionByZero));
    assert_eq!(causes("ty: f32, op: |a, b| if a > b { a } else { b }, identity: none"), [Cause::Nan]);
}

#[test]
fn remarks_become_notes() {
    let source = "ty: i32, acc: T { s: i32, m: i32 }, map: |x| T { s: x, m: x }, \
                  op: |a, b| T { s: a.s + b.s, m: a.m.max(a.s + b.m) }, identity: none";
    let notes = text(source, None).unwrap().notes;
    assert!(
        notes.iter().any(|note| note.message.starts_with("with overflow the result depends on the order: ")),
        "{notes:?}"
    );
}

/// Whole numbers that floats represent stay exact, in the operator and in its fold.
#[test]
fn whole_numbers_do_not_round() {
    for source in [
        "ty: f32, map: |x| x.floor(), op: |a, b| a.max(b), identity: none, fold: |acc, x| acc.max(x.floor())",
        "ty: i32, map: |x| x as f64, op: |a, b| a.max(b), identity: none, fold: |acc, x| acc.max(x as f64)",
    ] {
        assert!(read(source).unwrap().operation.exact && found(source).exact, "{source}");
    }
}

#[test]
fn wider_elements_are_sampled() {
    let exhaustive =
        |source: &str| found(source).checked.iter().map(|it| it.cases.exhaustive).collect::<Vec<_>>();
    let wide = "ty: i32, map: |x| x as u8, op: |a, b| (a | b) & 254, identity: none";
    assert_eq!(exhaustive(wide), [false, false]);
    assert_eq!(exhaustive(&wide.replace("i32", "i8")), [true, true]);
    let indexed = "ty: u8, index: i, map: |x| if i == 100 { x } else { x & 1 }, op: |a, b| (a | b) & 254, identity: none";
    assert_eq!(exhaustive(indexed), [false, false]);
}

/// A value that only one of 2³² elements maps to is found through the constants of the map.
#[test]
fn constants_of_a_map_are_tried() {
    assert_refused(
        Law::Associative,
        &["ty: i32, map: |x| if x == 12345 { 200u8 } else { 0u8 }, \
           op: |a, b| if b == 200 { a + 1 } else { a | b }, identity: none"],
    );
}

/// A call in which an assertion fails has no result, so the sides may differ.
#[test]
fn cases_in_which_an_assertion_fails_decide_nothing() {
    let sources = [
        "ty: i32, op: |a, b| { assert!(a >= 0 && b >= 0); if a < 0 || b < 0 { a - b } else { a.max(b) } }, identity: 0",
        "ty: u8, map: |x| { assert!(x < 16); x }, op: |a, b| if a > 15 || b > 15 { a - b } else { a | b }, identity: 0",
        "ty: u32, acc: H { bins: [u32; 2] }, map: |x| { let mut bins = [0; 2]; bins[x as usize] = 1; H { bins } }, \
         op: |a, b| H { bins: [a.bins[0] + b.bins[0], a.bins[1] + b.bins[1]] }, identity: H { bins: [0; 2] }",
        "ty: i32, filter: |x| x != 7, op: |a, b| { assert!(a >= 0 && b >= 0); if a < 0 || b < 0 { a - b } else { a.max(b) } }, \
         identity: none, empty: 3",
    ];
    for source in sources {
        assert!(found(source).commutative, "{source}");
    }
}

#[test]
fn assertions_excuse_only_the_cases_in_which_they_fail() {
    let sources = [
        "ty: i32, op: |a, b| { assert!(a != 5); a - b }, identity: none",
        "ty: i32, op: |a, b| { assert!(a < b); a - b }, identity: none",
    ];
    assert_refused(Law::Associative, &sources);
}
