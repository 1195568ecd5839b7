//! The cost of trying the laws is bounded, however long the functions are.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../../tests/support/rotation.rs"]
mod rotation;

use super::examine::Examiner;
use super::{Effort, Found, Law, check_with};
use crate::parse;
use reduce_ir::operation::Operation;

fn operation(text: &str) -> Operation {
    parse::text(text, None).unwrap().spec.operation
}

/// Returns `count` lines of a closure, each using the result of the one before, and the name of the last
/// result.
fn lines(count: usize, line: &str, first: &str) -> (String, String) {
    let names = std::iter::once(first.to_owned()).chain((0..).map(|at| format!("a{at}")));
    let lets = names.zip(0..count).map(|(name, at)| format!("let a{at} = {};", line.replace('_', &name)));
    (lets.collect(), format!("a{}", count - 1))
}

fn mapped(ty: &str, count: usize, line: &str, rest: &str) -> String {
    let (lets, last) = lines(count, line, "x");
    format!("ty: {ty}, map: |x| {{ {lets} {last} }}, {rest}")
}

/// Operations that once took ten seconds and more to check, and other long ones that are accepted.
fn long() -> Vec<String> {
    let sum = "op: |a, b| a + b, identity: 0.0";
    let nested = |depth| {
        (0..depth).fold("x".to_owned(), |x, at| format!("if x > {at}.5 {{ {x} }} else {{ x * 2.0 }}"))
    };
    let (lets, last) = lines(400, "(_ ^ 3) & 127", "(a | b)");
    let fields = (0..16).map(|at| format!("f{at}: f64")).collect::<Vec<_>>().join(", ");
    let inputs = (0..16).map(|at| format!("x{at}: f64")).collect::<Vec<_>>().join(", ");
    let inputs_of = (0..16).map(|at| format!("x{at}")).collect::<Vec<_>>().join(", ");
    let given = (0..16).map(|at| format!("f{at}: x{at} * x{}", (at + 1) % 16)).collect::<Vec<_>>().join(", ");
    let added = (0..16).map(|at| format!("f{at}: a.f{at} + b.f{at}")).collect::<Vec<_>>().join(", ");
    vec![
        mapped("f64", 500, "(_ + 1.5).exp()", sum),
        mapped("f64", 500, "(_ + 1.5).ln()", sum),
        mapped("f32", 500, "(_ + 1.5).ln()", sum),
        mapped("f64", 500, "1.5 / (_ + 1.5)", sum),
        mapped("u8", 400, "(_ ^ 3) / 5", "op: |a, b| a | b, identity: 0"),
        mapped("u64", 450, "(_ ^ 3) * 7", "op: |a, b| a.max(b), identity: 0"),
        format!("ty: u8, op: |a, b| {{ {lets} (a | b) | ({last} & 0) }}, identity: 0"),
        format!("ty: f64, map: |x| {}, {sum}", nested(25)),
        format!(
            "inputs: {{ {inputs} }}, acc: A {{ {fields} }}, map: |{inputs_of}| A {{ {given} }}, op: |a, b| A {{ {added} }}, \
             identity: none"
        ),
    ]
}

/// The cost of trying a thousand operations on some hundred cases.
const BOUND: u64 = 32 << 20;

#[test]
fn long_functions_are_tried_within_bounds() {
    for text in rotation::sample(long(), 3) {
        let operation = operation(&text);
        let examiner = Examiner::new(&operation, None, Effort::Thorough);
        let found = check_with(&examiner, &operation);
        let operations = examiner.operations();
        let shown = text.get(..100).unwrap_or(&text);
        println!("{operations} {shown}");
        assert!(operations < BOUND, "{operations}: {shown}");
        let Found { checked, .. } = found.unwrap();
        assert!(checked.iter().any(|it| it.law == Law::Associative), "{shown}");
        for it in checked {
            let cases = it.cases.exact + it.cases.bounded + it.cases.discarded;
            assert!(cases >= 3 * 4, "{cases}: {} of {shown}", it.law);
        }
    }
}

#[test]
fn a_long_function_that_is_wrong_is_found_out() {
    let text = mapped("f64", 300, "_ * 0.5", "op: |a, b| a - b, identity: none");
    let error = parse::text(&text, None).unwrap_err().to_string();
    assert!(error.contains("`op` is not associative"), "{error}");
}
