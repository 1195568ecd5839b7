//! The fields of an accumulator that are positions, for which 32 bits suffice.

use crate::support::spec_of;
use reduce_codegen::compile;
use reduce_dsl::operators::OPERATORS;
use reduce_dsl::parse::text;
use reduce_ir::operation::Operation;
use reduce_ir::{Scalar, Value};

fn operation(source: &str) -> Operation {
    text(source, None).unwrap_or_else(|error| panic!("{source}: {error:?}")).spec.operation
}

/// Returns the operation with narrow positions, if it has positions.
fn narrowed(source: &str) -> Option<Operation> {
    compile(&spec_of(&operation(source), 64, "narrow_index")).ok().map(|program| program.operation)
}

/// Returns the types of the narrow accumulator, if there is one.
fn narrow(source: &str) -> Option<Vec<Scalar>> {
    narrowed(source).map(|operation| operation.acc.types())
}

#[test]
fn operators_that_give_positions_have_narrow_ones() {
    for row in &OPERATORS {
        let ty = Scalar::ALL.into_iter().find(|&ty| row.takes(ty)).unwrap();
        let inputs = ["x: ", "y: "][..row.inputs].iter().map(|name| format!("{name}{ty}"));
        let inputs = inputs.collect::<Vec<_>>().join(", ");
        let choices: &[&str] = if row.ties { &["", ", ties: last"] } else { &[""] };
        for choice in choices {
            let found = narrow(&format!("inputs: {{ {inputs} }}, op: {}{choice}", row.name));
            let searches = ["argmin", "argmax", "findmin", "findmax", "argminmax"].contains(&row.name);
            assert_eq!(found.is_some(), searches, "{}{choice}", row.name);
        }
    }
    let ignoring = narrow("op: argminmax, ty: f16, nan: ignore").unwrap();
    assert_eq!(ignoring, [Scalar::F16, Scalar::U32, Scalar::F16, Scalar::U32]);
}

/// Only if that takes no more memory, and the values are only compared and copied.
#[test]
fn small_values_beside_positions_are_wide() {
    use Scalar::{F16, I8, I16, I32, U8, U16, U32};
    for (small, wide) in [(I8, I32), (I16, I32), (U8, U32), (U16, U32), (F16, F16)] {
        for op in ["argmin", "findmax, ties: last"] {
            assert_eq!(narrow(&format!("ty: {small}, op: {op}")), Some(vec![wide, U32]), "{small} {op}");
        }
    }
    let of = |acc: &str, map: &str, op: &str| {
        narrow(&format!(
            "ty: i8, index: i, acc: At {{ {acc}, at: u64 }}, identity: none, map: |x| At {{ {map}, at: i }}, op: |a, b| {op}"
        ))
    };
    let better = "if b.v > a.v || b.v == a.v && b.at < a.at { b } else { a }";
    assert_eq!(of("v: i8", "v: x.wrapping_abs()", better), Some(vec![I32, U32]), "made of what is narrow");
    let as_32 = "if (b.v as i32) > (a.v as i32) { b } else { a }";
    assert_eq!(of("v: i8", "v: x", as_32), Some(vec![I32, U32]), "wide already");
    let shifted = "if b.v >> 1 > a.v >> 1 { b } else { a }";
    assert_eq!(of("v: i8", "v: x", shifted), Some(vec![I8, U32]), "computed with");
    assert_eq!(of("v: i8, w: i8", "v: x, w: x", better), Some(vec![I8, I8, U32]), "more memory");
}

/// The struct of the tests below.
const AT: &str = "acc: At { v: f32, at: u64 }, identity: none";

#[test]
fn copies_choices_and_comparisons_are_for_positions() {
    let qualify = [
        "ty: f32, index: i, map: |x| if x > 0.0 { i } else { u64::MAX }, op: min",
        "ty: f32, index: i, map: |x| if x > 0.0 { i } else { u64::MAX }, acc: u64, \
         op: |a, b| if a == u64::MAX || b < a { b } else { a }, identity: u64::MAX",
    ];
    for source in qualify {
        assert_eq!(narrow(source), Some(vec![Scalar::U32]), "{source}");
    }
    let of_struct = format!(
        "ty: f32, index: i, {AT}, map: |x| At {{ v: x.abs(), at: i }}, \
         op: |a, b| if b.v > a.v || b.v == a.v && b.at < a.at {{ b }} else {{ a }}"
    );
    assert_eq!(narrow(&of_struct), Some(vec![Scalar::F32, Scalar::U32]));
    let finished = format!("{of_struct}, finish: |r| r.at * 2 + 1");
    assert_eq!(
        narrow(&finished),
        Some(vec![Scalar::F32, Scalar::U32]),
        "`finish` sees positions of all elements"
    );
}

#[test]
fn nothing_else_is_for_positions() {
    let others = [
        // No index.
        "op: sum, ty: u64",
        "op: min, ty: u64",
        // Numbers that are not positions.
        "ty: f32, index: i, map: |x| if x > 0.0 { i } else { 0 }, op: sum",
        "ty: f32, index: i, map: |x| if x > 0.0 { i + 1 } else { u64::MAX }, op: min",
        "ty: f32, index: i, map: |x| if x > 0.0 { i } else { 7 }, op: min",
        "ty: f32, index: i, map: |x| if i % 2 == 0 { i } else { u64::MAX }, op: min",
        "ty: f32, index: i, map: |x| x * (i as f32), op: sum",
        // Another element's number would be compared with a position.
        "ty: u64, index: i, map: |x| if x == i { i } else { u64::MAX }, op: min",
        "ty: f32, params: { from: u64 }, index: i, map: |x| if i >= from { i } else { u64::MAX }, op: min",
        // The value for no element is not a position after all others: the fill of `max` is 0.
        "ty: f32, index: i, map: |x| i, op: max",
    ];
    for source in others {
        assert_eq!(narrow(source), None, "{source}");
    }
    let counted = "ty: f32, index: i, identity: none, acc: Both { count: u64, at: u64 }, \
         map: |x| Both { count: 1, at: i }, \
         op: |a, b| Both { count: a.count + b.count, at: a.at.min(b.at) }";
    assert_eq!(narrow(counted), Some(vec![Scalar::U64, Scalar::U32]), "only one of the fields is a position");
    let mixed = counted.replace("count: 1", "count: i");
    assert_eq!(narrow(&mixed), None);
}

/// Constants that other fields use keep their type.
#[test]
fn the_last_number_may_be_two_constants() {
    let source = "ty: u64, index: i, identity: none, acc: Two { least: u64, at: u64 }, \
         map: |x| Two { least: if x > 5 { x } else { u64::MAX }, at: if x > 5 { i } else { u64::MAX } }, \
         op: |a, b| Two { least: a.least.min(b.least), at: a.at.min(b.at) }";
    let narrow = narrowed(source).unwrap();
    assert_eq!(narrow.acc.types(), [Scalar::U64, Scalar::U32]);
    assert_eq!(narrow.map.result_types(), narrow.acc.types());
    let call = |x: u64, i: u32| narrow.map.evaluate(&[Value::of(x), Value::of(i)]).unwrap();
    assert_eq!(call(6, 3), [Value::of(6u64), Value::of(3u32)]);
    assert_eq!(call(5, 3), [Value::of(u64::MAX), Value::of(u32::MAX)]);
}

#[test]
fn results_have_64_bits() {
    let narrow = narrowed("op: findmax, ty: f32").unwrap();
    let of = |at: u32| {
        let result = narrow.finish.evaluate(&[Value::of(1.5f32), Value::of(at)]).unwrap();
        assert_eq!(result[0], Value::of(1.5f32));
        result[1]
    };
    assert_eq!(of(0), Value::of(0u64));
    assert_eq!(of(u32::MAX - 1), Value::of(u64::from(u32::MAX) - 1));
    assert_eq!(of(u32::MAX), Value::of(u64::MAX), "no element has that position");
}
