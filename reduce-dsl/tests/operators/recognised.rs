//! Tests that closures equal to a named operator are compiled as the operator, and that others are not.

use reduce_dsl::parse::text;
use reduce_ir::operation::Operation;
use reduce_ir::{Scalar, Value};

fn operation(spec: &str) -> Operation {
    text(spec, None).unwrap_or_else(|errors| panic!("{spec}: {errors:?}")).spec.operation
}

/// Checks that the operation equals that of the named operator, apart from its other fields.
fn is(spec: &str, name: &str, like: &str) {
    let (found, like) = (operation(spec), operation(like));
    assert_eq!(found.name, name, "{spec}");
    assert_eq!(found.combine, like.combine, "{spec}");
    assert_eq!(
        (&found.fill, found.exact, found.commutative),
        (&like.fill, like.exact, like.commutative),
        "{spec}"
    );
}

#[test]
fn operands_in_any_order() {
    is("ty: f32, op: |a, b| a + b, identity: -0.0", "sum", "ty: f32, op: sum");
    is("ty: f32, op: |a, b| b + a, identity: 0.0", "sum", "ty: f32, op: sum");
    is("ty: u64, op: |p, q| q * p, identity: 1", "prod", "ty: u64, op: prod");
    is("ty: i32, op: |a, b| b.min(a), identity: i32::MAX", "min", "ty: i32, op: min");
    is("ty: u8, op: |a, b| b ^ a, identity: 0", "xor", "ty: u8, op: xor");
}

#[test]
fn maxima_of_rust_ignore_nan() {
    let spec = "ty: f32, op: |a, b| b.max(a), identity: f32::NEG_INFINITY";
    is(spec, "max", "ty: f32, op: max, nan: ignore");
    assert_eq!(operation(spec).identity, Some(vec![Value::of(f32::NEG_INFINITY)]));
    assert_eq!(operation(spec).fill, Some(vec![Value::from_bits(Scalar::F32, 0x7fc0_0000)]));
}

#[test]
fn choices_between_integers_are_extremes() {
    is("ty: i16, op: |a, b| if a > b { a } else { b }, identity: i16::MIN", "max", "ty: i16, op: max");
    is("ty: u32, op: |a, b| if b <= a { b } else { a }, identity: u32::MAX", "min", "ty: u32, op: min");
}

#[test]
fn a_written_zero_is_the_empty_sum_and_lanes_start_from_a_negative_one() {
    let parsed = text("ty: f64, op: |a, b| a + b, identity: 0.0", None).unwrap();
    assert_eq!(parsed.spec.operation.identity, Some(vec![Value::of(0.0f64)]));
    assert_eq!(parsed.spec.operation.fill, Some(vec![Value::of(-0.0f64)]));
    assert!(parsed.notes.is_empty());
    let own = text("ty: i32, op: |a, b| a + b, identity: 0", None).unwrap();
    assert_eq!(own.spec.operation.identity, Some(vec![Value::of(0i32)]));
    assert!(own.notes.is_empty());
}

/// A struct keeps the user's names, and gets the fill of the operator.
#[test]
fn structs_keep_their_names() {
    let spec = "ty: f64, acc: Range { lo: f64, hi: f64 }, map: |x| Range { lo: x, hi: x }, \
                op: |a, b| Range { lo: b.lo.min(a.lo), hi: a.hi.max(b.hi) }, identity: none";
    let found = operation(spec);
    assert_ne!(found.name, "minmax");
    assert_eq!(found.acc.name.as_deref(), Some("Range"));
    assert_eq!(found.fill, operation("ty: f64, op: minmax, nan: ignore").fill);
    assert!(
        found.combine.to_string().contains("b.lo.min(a.lo)")
            || found.combine.to_string().contains("a.lo.min(b.lo)")
    );
    assert!(found.exact && found.identity.is_none());
}

#[test]
fn other_closures_are_not_recognised() {
    let found = operation("ty: u8, op: |a, b| (a | b) & 0x7f, map: |x| x & 0x7f, identity: none");
    assert_eq!(found.fill, None);
}

/// The variance of weighted elements, with the `op` of `var`. A weight of 0 makes accumulators that no element
/// of `var` makes. For these, the fill of `var` is not neutral, and the order matters.
#[test]
fn properties_of_a_row_need_its_own_map() {
    let op = "|a, b| {
        let total = a.n + b.n;
        let delta = (b.mean - a.mean) + (b.rest - a.rest);
        let share = b.n as f64 * (1.0 / total as f64);
        let shift = delta.mul_add(share, a.rest);
        let mean = a.mean + shift;
        let rest = shift - (mean - a.mean);
        let m2 = (delta * delta).mul_add(a.n as f64 * share, a.m2 + b.m2);
        let no_a = a.n == 0;
        let no_b = b.n == 0;
        if no_b { a } else if no_a { b } else { Moments { n: total, mean, rest, m2 } }
    }";
    let spec = |inputs: &str, map: &str| {
        let acc = "acc: Moments { n: u64, mean: f64, rest: f64, m2: f64 }, identity: none, finish: |acc| acc.m2 / acc.n as f64";
        format!("inputs: {{ {inputs} }}, map: {map}, op: {op}, {acc}")
    };
    let counted = operation(&spec("x: f64", "|x| Moments { n: 1, mean: x, rest: 0.0, m2: x - x }"));
    assert!(counted.fill.is_some() && counted.commutative);
    let weighted = operation(&spec("x: f64, w: u64", "|x, w| Moments { n: w, mean: x, rest: 0.0, m2: 0.0 }"));
    assert!(weighted.fill.is_none() && !weighted.commutative);
}
