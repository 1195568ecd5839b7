//! Specifications for data with gaps: the texts, and that they parse.
#![cfg(feature = "text")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use reduce_dsl::parse::{masked, masked_spec, spec};

/// Returns the canonical text with a mask.
fn with_mask(text: &str) -> Option<String> {
    let given = spec(text).unwrap();
    let text = masked(&given.text, &given.operation.inputs)?;
    Some(spec(&text).unwrap_or_else(|error| panic!("{text}: {error}")).text)
}

#[test]
fn every_function_of_the_inputs_takes_the_mask() {
    for (text, expected) in [
        (
            "op: mean, ty: f64",
            "inputs: { x: f64, present: bool }, filter: |x, present| present, map: |x, present| x, op: mean",
        ),
        (
            "ty: f32, filter: |x| x > 0.0 && x < 3.0, map: |x| x.abs(), op: sum, block: 64",
            "inputs: { x: f32, present: bool }, filter: |x, present| if present { (x > 0.0) & (x < 3.0) } else { false }, map: |x, present| x.abs(), op: sum, block: 64",
        ),
        (
            "inputs: { a: f32, present: f64 }, index: i, map: |p, q| q * i as f64 + p as f64, op: max",
            "inputs: { a: f32, present: f64, present2: bool }, index: i, filter: |a, present, present2| present2, map: |a, present, present2| (present * (i as f64)) + (a as f64), op: max",
        ),
        (
            "ty: f64, map: |x| x, fold: |acc, x| acc + x, op: |a, b| a + b, identity: 0.0, passes: [shuffle]",
            "inputs: { x: f64, present: bool }, filter: |x, present| present, map: |x, present| x, op: |a, b| a + b, fold: |acc, x, present| acc + x, identity: 0.0, passes: [shuffle]",
        ),
        (
            "ty: f32, by: |x| x as u32, groups: 4, map: |x| 1u64, op: sum",
            "inputs: { x: f32, present: bool }, by: |x, present| x as u32, groups: 4, filter: |x, present| present, map: |x, present| 1u64, op: sum",
        ),
        (
            "ty: u8, by: { key: u32 }, groups: 4, op: max",
            "inputs: { x: u8, present: bool }, by: { key: u32 }, groups: 4, filter: |x, present| present, map: |x, present| x, op: max",
        ),
    ] {
        assert_eq!(with_mask(text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn a_specification_without_a_place_for_the_mask_has_none() {
    let dot = "op: dot, inputs: { x: f32, y: f32 }";
    assert_eq!(with_mask(dot), None);
    let refused = masked_spec(&spec(dot).unwrap()).unwrap_err().to_string();
    assert!(refused.contains("no place for the input") && refused.contains("write `map`"), "{refused}");
    assert_eq!(
        with_mask("inputs: { x: f32, w: f32 }, axes: { x: b c, w: c } -> b, map: |x, w| x * w, op: sum"),
        None
    );
}
