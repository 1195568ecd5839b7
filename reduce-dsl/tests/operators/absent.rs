//! Tests elements that `filter` or `nan: ignore` makes absent: the result is that of the present elements,
//! which keep their positions.

use super::ways::{IGNORE, USUAL, operation, result, result_of};
use reduce_dsl::laws::{Effort, check};
use reduce_dsl::operators::OPERATORS;
use reduce_ir::operation::Nothing;
use reduce_ir::{Scalar, Spec, Value};

const NAN: f32 = f32::NAN;

/// The rows of one input whose result contains a position.
const PLACES: [&str; 5] = ["argmin", "argmax", "argminmax", "findmin", "findmax"];

fn spec(text: &str) -> Spec {
    reduce_dsl::parse::spec(text).unwrap_or_else(|error| panic!("{error}"))
}

/// The numbers are few and small, so that every grouping gives the same bits. Those above 100 are absent, and
/// come last, so that positions stay.
#[test]
fn every_operator_skips_elements() {
    for row in OPERATORS.iter().filter(|row| row.inputs == 1) {
        let text = |ty: Scalar| format!("op: {}, ty: {ty}, filter: |x| x < 100 as {ty}", row.name);
        if row.takes(Scalar::F32) {
            let found = result_of(&text(Scalar::F32), &[3.0f32, -2.0, 128.0, 200.0]);
            assert_eq!(found, result(row.name, USUAL, &[3.0f32, -2.0]), "{}", row.name);
        }
        if row.takes(Scalar::I32) {
            let found = result_of(&text(Scalar::I32), &[3i32, -2, 128, 200]);
            assert_eq!(found, result(row.name, USUAL, &[3i32, -2]), "{}", row.name);
        }
        if row.takes(Scalar::U64) {
            let found = result_of(&text(Scalar::U64), &[3u64, 128, u64::MAX]);
            assert_eq!(found, result(row.name, USUAL, &[3u64]), "{}", row.name);
        }
    }
}

/// Absent elements also come first and in between, for rows without positions.
#[test]
fn absent_elements_may_stand_anywhere() {
    let absent = [200.0f32, 3.0, 128.0, 101.0, -2.0, f32::INFINITY];
    for row in OPERATORS.iter().filter(|row| row.takes(Scalar::F32) && row.inputs == 1) {
        if !PLACES.contains(&row.name) {
            let text = format!("op: {}, ty: f32, filter: |x| x < 100.0", row.name);
            assert_eq!(result_of(&text, &absent), result(row.name, USUAL, &[3.0f32, -2.0]), "{}", row.name);
        }
    }
    let at = |text: &str| result_of(&format!("ty: f32, filter: |x| x < 100.0, {text}"), &absent);
    assert_eq!(at("op: argmax"), Some(vec![Value::of(1u64)]));
    assert_eq!(at("op: argmin"), Some(vec![Value::of(4u64)]));
    assert_eq!(at("op: argminmax"), Some(vec![Value::of(4u64), Value::of(1u64)]));
    assert_eq!(at("op: findmin, nan: ignore"), Some(vec![Value::of(-2.0f32), Value::of(4u64)]));
}

#[test]
fn all_absent_is_the_same_as_empty() {
    for row in OPERATORS.iter().filter(|row| row.takes(Scalar::F32) && row.inputs == 1) {
        for nan in ["", ", nan: ignore"] {
            let text = format!("op: {}, ty: f32, filter: |x| x < 100.0{nan}", row.name);
            let how = if nan.is_empty() { USUAL } else { IGNORE };
            let empty = result::<f32>(row.name, how, &[]);
            assert_eq!(result_of(&text, &[100.0f32; 3]), empty, "{text}");
            assert_eq!(result_of::<f32>(&text, &[]), empty, "{text}");
        }
    }
    assert_eq!(
        result_of("ty: f32, filter: |x| x > 0.0, op: sum, identity: -0.0", &[-1.0f32]),
        Some(vec![Value::of(-0.0f32)])
    );
    let typed = "ty: i8, filter: |x| x > 0, op: |a, b| (a & b) | 1, map: |x| x | 1, identity: none";
    assert_eq!(result_of(typed, &[-1i8]), None);
    assert_eq!(result_of(typed, &[-1i8, 7, 5]), Some(vec![Value::of(5i8)]));
}

/// A NaN of the element or of its mapped value is ignored, for every result type of `map`.
#[test]
fn nan_of_elements_is_ignored_before_a_map() {
    let x = [NAN, -1.0, NAN];
    for (text, value) in [
        ("map: |x| x as i32, op: max", Value::of(-1i32)),
        ("map: |x| x as i32, op: argmax", Value::of(1u64)),
        ("map: |x| x as i32, op: first", Value::of(-1i32)),
        ("map: |x| x as u8, op: min", Value::of(0u8)),
        ("map: |x| x < 0.0, op: all", Value::of(true)),
        ("map: |x| !(x < 0.0), op: count", Value::of(0u64)),
        ("map: |x| x.max(7.0), op: min", Value::of(7.0f32)),
        ("map: |x| x.max(7.0), op: findmin, finish: |b| b.index", Value::of(1u64)),
        ("map: |x| x * 2.0, op: argmin", Value::of(1u64)),
        ("op: |a, b| if a > b { b } else { a }, identity: none", Value::of(-1.0f32)),
        ("map: |x| x as i64, op: |a, b| a ^ b, identity: 0", Value::of(-1i64)),
    ] {
        let text = format!("ty: f32, {text}, nan: ignore");
        assert_eq!(result_of(&text, &x), Some(vec![value]), "{text}");
    }
    // ln(0) · 0 is NaN, so no element is left.
    let of_map = "ty: f32, map: |x| (x + 1.0).ln() * 0.0, op: sum, nan: ignore";
    assert_eq!(result_of(of_map, &x), Some(vec![Value::of(0.0f32)]));
    let pairs = spec("inputs: { x: f32, k: i32 }, map: |x, k| k, op: sum, nan: ignore");
    assert_eq!(pairs.operation.map.to_string().matches("is_nan").count(), 1);
}

/// The row checks every NaN anyway, so the operation stays unchanged.
#[test]
fn a_nan_that_shows_after_the_map_is_looked_at_once() {
    for map in ["x.abs()", "-x", "x * 2.0 + 1.0", "x.mul_add(x, 1.0)", "x.sqrt()", "x as f64"] {
        let spec = spec(&format!("ty: f32, map: |x| {map}, op: argmax, nan: ignore"));
        assert_eq!(spec.operation.searches.len(), 1, "{map}");
    }
}

/// The operation on present elements satisfies the laws, and its fill is neutral bit for bit.
#[test]
fn operations_on_some_elements_keep_their_laws() {
    for text in [
        "ty: f32, filter: |x| x > 0.0, op: sum",
        "ty: f64, filter: |x| x > 0.0, op: var",
        "ty: i64, filter: |x| x != 0, op: describe",
        "ty: f32, filter: |x| x > 0.0, op: argmax, ties: last",
        "ty: u8, filter: |x| x > 3, op: last",
        "ty: u64, filter: |x| x < 97, op: |a, b| (a * b) % 97, identity: 1",
        "ty: i32, filter: |x| x > 1, map: |x| x as i64, op: sum, fold: |acc, x, step| acc + x as i64 + (step - step) as i64",
    ] {
        let Spec { operation, .. } = spec(text);
        assert!(operation.fill.is_some(), "{text}");
        check(&operation, Effort::Thorough).unwrap_or_else(|broken| panic!("{text}: {broken}"));
    }
}

#[test]
fn a_flag_says_whether_there_is_a_result() {
    let first = spec("ty: f32, filter: |x| x > 0.0, op: first").operation;
    assert_eq!(first.nothing, Some(Nothing::Flag));
    assert_eq!(first.output.types(), [Scalar::F32]);
    assert_eq!(first.stored().text(), "Maybe_f32 { value: f32, present: u32 }");
    assert_eq!(first.acc, first.stored());
    let own = "acc: P { present: u8, v: u8 }, map: |x| P { present: x, v: x }, op: |a, b| P { present: a.present, v: b.v }";
    let own = spec(&format!("ty: u8, filter: |x| x > 0, {own}, identity: none")).operation;
    assert_eq!(own.acc.text(), "Maybe_P { present: u8, v: u8, present2: u32 }");
    let sum = spec("ty: f32, filter: |x| x > 0.0, op: sum").operation;
    assert_eq!((sum.stored(), sum.nothing), (operation("sum", Scalar::F32, USUAL).output, None));
}

#[test]
fn the_text_of_a_filter_is_read_again() {
    for text in [
        "ty: f32, filter: |x| x > 0.0, op: argmax",
        "inputs: { x: f32, w: u8 }, params: { least: u8 }, index: i, filter: |x, w| (w > least) & ((i % 2) == 0), map: |x, w| x, op: sum, nan: ignore",
        "ty: f64, op: |a, b| if a > b { b } else { a }, identity: none, nan: ignore",
    ] {
        let first = spec(text);
        assert_eq!(spec(&first.text), first, "{text}");
        assert!(first.text.contains("filter") || first.text.contains("nan: ignore"), "{}", first.text);
    }
}
