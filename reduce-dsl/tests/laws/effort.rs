//! Tests the cost of checking, and that the result is deterministic.

use crate::expr::{fields, scalar};
use crate::right::{matrix, welford};
use reduce_dsl::laws::{Effort, Law, check};
use reduce_ir::Scalar;

#[test]
fn the_same_operation_gets_the_same_answer() {
    for operation in [welford(Scalar::F32), matrix(Scalar::I32), scalar(Scalar::F32, |a, b| a - b)] {
        assert_eq!(check(&operation, Effort::Sample), check(&operation, Effort::Sample));
    }
}

#[test]
fn more_effort_tries_more() {
    let cases = |effort| {
        let found = check(&scalar(Scalar::U8, |a, b| a + b), effort).unwrap();
        let checked = found.checked[0];
        assert_eq!(checked.law, Law::Associative);
        (checked.cases.exact, checked.cases.exhaustive)
    };
    let (sample, some) = cases(Effort::Sample);
    let (thorough, all) = cases(Effort::Thorough);
    assert!(!some && all && sample < 1 << 10 && thorough >= 1 << 24);
    let pair = fields(Scalar::U8, ["a", "b"], |a, b| vec![&a[0] + &b[0], &a[1] + &b[1]]);
    assert!(!check(&pair, Effort::Exhaustive).unwrap().checked[0].cases.exhaustive);
}
