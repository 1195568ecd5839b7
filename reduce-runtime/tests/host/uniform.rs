//! Uniform values: one value for all lanes.

use super::associations::{PAIRS, association, associations, level};
use super::{operation, plans};
use reduce_dsl::parse;
use reduce_ir::func::{FuncBuilder, Param};
use reduce_ir::operation::Operation;
use reduce_ir::ops::Bin;
use reduce_ir::program::Tree;
use reduce_ir::{Scalar, Value};
use reduce_lanes::LanesRef;

/// Computed rows are folded several at a time, unless the value depends on the step of the lane: `acc + x * step`.
/// Covers rows in memory and gathered rows, which read all lanes of `step`.
#[test]
fn a_step_differs_from_row_to_row() {
    let params = ["acc", "x", Operation::STEP].map(|name| Param::new(name, Scalar::U64));
    let mut f = FuncBuilder::new(params.to_vec());
    let params = f.params();
    let product = f.bin(Bin::Mul, params[1], params[2]).unwrap();
    let sum_of_products = f.bin(Bin::Add, params[0], product).unwrap();
    let fold = Some(f.build(vec![sum_of_products]));
    let operation = Operation { fold, ..operation("sum", Scalar::U64) };
    for (lanes, rows) in [(128, 9), (8, 9)] {
        let x: Vec<u64> = (1..=lanes * rows).collect();
        let times = |i: u64| (i / lanes).max(u64::from(i < lanes));
        let expected: u64 = (0..lanes * rows).map(|i| x[i as usize] * times(i)).sum();
        let chunk = level(lanes * rows, lanes, Tree::Serial);
        let association = association(&[chunk, level(lanes, 1, Tree::Halving)], &[PAIRS]);
        for plan in plans(&operation) {
            assert_eq!(plan.reduce(&association, &[LanesRef::U64(&x)], &[]), Ok(vec![Value::of(expected)]));
        }
    }
}

/// A param has one value for all elements, in `map` and in `fold`, for rows that lie in memory, are gathered, or share
/// lanes.
#[test]
fn a_param_is_the_same_for_every_element() {
    for fold in ["", ", fold: |acc, x| acc + x * k"] {
        let spec =
            format!("ty: f64, params: {{ k: f64 }}, map: |x| x * k, op: |a, b| a + b, identity: 0.0{fold}");
        let operation = parse::text(&spec, None).unwrap().spec.operation;
        assert_eq!(operation.fold.is_some(), !fold.is_empty());
        let (x, plans) = ((1..=20_000).map(f64::from).collect::<Vec<_>>(), plans(&operation));
        for (association, n) in associations().iter().flat_map(|it| [1, 45, 1000, 20_000].map(|n| (it, n))) {
            let expected = Ok(vec![Value::of(3.0 * (n * (n + 1) / 2) as f64)]);
            for plan in &plans {
                let found = plan.reduce(association, &[LanesRef::F64(&x[..n])], &[Value::of(3.0f64)]);
                assert_eq!(found, expected, "{spec} of {n}\n{association}");
            }
        }
    }
}
