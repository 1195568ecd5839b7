//! Tests that every specification of the table parses, and that no foreign name is an operator of this crate.

use super::super::{nearest, text};
use super::table::{NAMES, NO_REDUCTION, NOT_ASSOCIATIVE};
use super::{Foreign, foreign};
use crate::operators::{OPERATORS, operator};
use reduce_ir::Scalar;

/// Returns all names of the table.
fn names() -> Vec<&'static str> {
    let (specs, none) = (NAMES.iter().map(|row| row.0), NO_REDUCTION.iter().map(|row| row.0));
    let order = NOT_ASSOCIATIVE.iter().map(|row| row.0);
    specs.chain(order).chain(none).flat_map(|names| names.split_whitespace()).collect()
}

#[test]
fn names_are_foreign_and_stand_once() {
    let names = names();
    for (position, name) in names.iter().enumerate() {
        assert_eq!(operator(name), None, "{name}");
        assert!(!names[..position].contains(name), "{name} stands twice");
        assert!(foreign(name).is_some() && foreign(&name.to_uppercase()).is_some(), "{name}");
    }
}

#[test]
fn every_suggestion_is_a_specification() {
    for (names, fields, _) in NAMES {
        let parses = |ty| text(fields, Some(&[ty])).is_ok();
        let types = [Scalar::F32, Scalar::F64, Scalar::Bool, Scalar::I32];
        assert!(types.into_iter().any(parses), "{names}: {fields}: {:?}", text(fields, Some(&[Scalar::F32])));
    }
}

/// Checks the text in backticks in notes and helps: fields of a specification, or `--param`.
#[test]
fn every_field_of_a_note_is_one() {
    let notes = NAMES.iter().chain(NO_REDUCTION).map(|row| row.2);
    let notes = notes.chain(NOT_ASSOCIATIVE.iter().map(|row| row.1));
    let quoted = notes.flat_map(|note| note.split('`').skip(1).step_by(2));
    let fields = quoted.filter(|quoted| quoted.contains("op: "));
    let mut found = 0;
    for fields in fields {
        let inputs = if fields.contains("weighted") { "inputs: { x: f32, y: f32 }, " } else { "ty: f32, " };
        assert!(text(&format!("{inputs}{fields}"), None).is_ok(), "{fields}");
        found += 1;
    }
    assert!(found > 5, "{found}");
}

#[test]
fn only_typing_errors_are_close_to_an_operator() {
    let known: Vec<_> = OPERATORS.iter().map(|row| row.name).collect();
    for (name, ours) in [
        ("smu", "sum"),
        ("summ", "sum"),
        ("maxx", "max"),
        ("MAX", "max"),
        ("maen", "mean"),
        ("argmx", "argmax"),
        ("argmaxx", "argmax"),
        ("decribe", "describe"),
        ("sum_of_square", "sum_of_squares"),
        ("count_nonzeros", "count_nonzero"),
        ("norm_ifn", "norm_inf"),
    ] {
        assert_eq!(nearest(name, &known), Some(ours), "{name}");
    }
    for name in ["mae", "mad", "norm", "norm3", "asum", "sub", "msum", "mode", "mix", "x", "summary", "amax"]
    {
        assert_eq!(nearest(name, &known), None, "{name}");
    }
}

#[test]
fn functions_that_are_no_reduction_say_so() {
    let median = foreign("median").map(|it| it.message("median"));
    let said = "`median` is not a reduction: it needs all elements at once, not a state of fixed size";
    assert_eq!(median.as_deref(), Some(said));
    assert!(matches!(foreign("sub"), Some(Foreign::NotAssociative { .. })));
    assert_eq!(foreign("frobnicate"), None);
}
