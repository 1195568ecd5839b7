//! Tests the meaning of specifications: spellings, the canonical text, closures, types, identities.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use reduce_dsl::operators::OPERATORS;
use reduce_dsl::parse::{Bytes, Parsed, text};
use reduce_ir::operation::Operation;
use reduce_ir::pass::Pass;
use reduce_ir::spec::Passes;
use reduce_ir::{Scalar, Spec, Value};

fn parse(source: &str) -> Parsed<Bytes> {
    text(source, None).unwrap_or_else(|errors| panic!("{source}: {errors:#?}"))
}

fn spec(source: &str) -> Spec {
    parse(source).spec
}

#[test]
fn fields_come_alone_or_in_any_brackets() {
    let alone = spec("op: max, ty: f32, passes: [shuffle, coarsen(4)]");
    for source in [
        "reduction! { op: max, ty: f32, passes: [shuffle, coarsen(4)] }",
        "reduction!(op: max, ty: f32, passes: [shuffle, coarsen(4)])",
        "reduction![op: max, ty: f32, passes: [shuffle, coarsen(4)]]",
        "reduction!< op: max, ty: f32, passes: [shuffle, coarsen(4)] >",
        "reduction!< op: max, ty: f32, passes: [shuffle, coarsen(4)] >;",
        "reducegen::reduction! { op: max, ty: f32, passes: [shuffle, coarsen(4)] };",
        "{ op: max, ty: f32, passes: [shuffle, coarsen(4)] }",
        "< op: max, ty: f32, passes: [shuffle, coarsen(4)], >",
        "passes: [shuffle, coarsen(4),],\n  // the largest\n  ty: f32,\n  op: max,\n",
        "\u{feff}op: max, ty: f32, passes: [shuffle, coarsen(4)]",
    ] {
        assert_eq!(spec(source), alone, "{source}");
    }
    assert_eq!(alone.passes, Passes::List(vec![Pass::plain("shuffle"), Pass::with("coarsen", 4)]));
    assert_eq!(alone.block, None);
}

#[test]
fn canonical_text_is_ordered_and_parses_to_the_same() {
    for (source, canonical) in [
        ("op: max, ty: f32", "ty: f32, op: max"),
        ("passes: auto, op: max, inputs: { x: f32 }", "ty: f32, op: max"),
        ("inputs: { v: f16, }, op: sum, block: 128", "inputs: { v: f16 }, op: sum, block: 128"),
        ("op: sum, ty: f64, map: |value| { -value }", "ty: f64, map: |x| -x, op: sum"),
        ("op: sum, ty: i32, map: |_| 0x10i32", "ty: i32, map: |x| 16i32, op: sum"),
        ("op: sum, ty: i32, map: |x| -2147483648 - x", "ty: i32, map: |x| (-2147483648) - x, op: sum"),
        ("op: sum, ty: f32, map: |x| -(-(2.5)) * x", "ty: f32, map: |x| 2.5 * x, op: sum"),
        (
            "op: sum, ty: f32, map: |x: f32| (-2.0f32).abs() + x",
            "ty: f32, map: |x| (-2.0f32).abs() + x, op: sum",
        ),
        ("op: sum, ty: f64, map: |_| (1u64 + 2) * 3", "ty: f64, map: |x| (1u64 + 2u64) * 3, op: sum"),
        ("op: max, ty: f16, map: |x| x.abs()", "ty: f16, map: |x| x.abs(), op: max"),
        ("op: any, ty: u64, identity: false", "ty: u64, op: any"),
        ("order: any, op: sum, ty: f32, block: 64", "ty: f32, op: sum, order: any, block: 64"),
        ("op: sum, order: fixed, ty: f32", "ty: f32, op: sum"),
        (
            "op: sum, map: |x| x.abs(), ty: f32, layout: strided",
            "ty: f32, layout: strided, map: |x| x.abs(), op: sum",
        ),
        ("op: sum, layout: contiguous, ty: f32", "ty: f32, op: sum"),
        (
            "inputs: { x: f32, y: f32 }, map: |a, b| a * b + 1.0, op: sum, passes: [vectorize(4), unroll]",
            "inputs: { x: f32, y: f32 }, map: |x, y| (x * y) + 1.0, op: sum, passes: [vectorize(4), unroll]",
        ),
    ] {
        let first = spec(source);
        assert_eq!(first.text, canonical);
        assert_eq!(spec(&first.text), first);
    }
}

#[test]
fn every_operator_takes_every_type_of_its_domain() {
    for row in &OPERATORS {
        for ty in Scalar::ALL {
            let inputs =
                if row.inputs == 1 { format!("ty: {ty}") } else { format!("inputs: {{ x: {ty}, y: {ty} }}") };
            let outcome = text(&format!("{inputs}, op: {}", row.name), None);
            assert_eq!(outcome.is_ok(), row.takes(ty), "{} {ty}", row.name);
        }
    }
}

#[test]
fn numbers_take_their_type_from_what_is_around_them() {
    let acc = |source: &str| spec(source).operation.acc.types()[0];
    assert_eq!(acc("ty: i64, map: |x| 2 * (x + 1), op: sum"), Scalar::I64);
    assert_eq!(acc("ty: f16, map: |x| 2.0 * x, op: max"), Scalar::F32);
    assert_eq!(acc("ty: f32, map: |_| 1, op: sum"), Scalar::I32);
    assert_eq!(acc("ty: f32, map: |_| 1.0, op: sum"), Scalar::F64);
    assert_eq!(acc("ty: f32, map: |_| 1u64, op: sum"), Scalar::U64);
}

#[test]
fn comparisons_that_rust_reads_need_no_parentheses() {
    let bare = spec("ty: f64, map: |x| (x as f32 <= 2.0 && x as f32 > 1.0) as u32, op: sum");
    assert_eq!(bare, spec("ty: f64, map: |x| ((x as f32) <= 2.0 && (x as (f32)) > 1.0) as u32, op: sum"));
}

#[test]
fn a_written_identity_changes_nothing() {
    for (with, without) in [
        ("ty: f32, op: sum, identity: 0.0", "ty: f32, op: sum"),
        ("ty: f32, op: max, identity: f32::NEG_INFINITY", "ty: f32, op: max"),
        ("ty: f16, op: min, identity: f16::INFINITY", "ty: f16, op: min"),
        ("ty: i32, op: max, identity: i32::MIN", "ty: i32, op: max"),
        ("ty: i32, op: max, identity: -2147483648", "ty: i32, op: max"),
        ("ty: u64, op: and, identity: 0xffff_ffff_ffff_ffff", "ty: u64, op: and"),
        ("ty: f32, op: all, identity: true", "ty: f32, op: all"),
        ("ty: f32, op: argmax, identity: none", "ty: f32, op: argmax"),
    ] {
        let parsed = parse(with);
        assert_eq!(parsed.spec, spec(without));
        assert!(parsed.notes.is_empty());
    }
}

#[test]
fn a_written_zero_is_what_no_elements_give() {
    for (source, zero) in [
        ("ty: f64, op: sum, identity: -0.0", "-0.0"),
        ("ty: f16, map: |x| x, op: sum, identity: -0.0", "-0.0"),
        ("ty: f32, op: sum, fold: |acc, x| acc + x, identity: -0.0", "-0.0"),
        ("ty: f32, op: |a, b| a + b, identity: 0.0", "0.0"),
    ] {
        let parsed = parse(source);
        assert_eq!(parsed.spec.text, source);
        let Operation { identity, fill, .. } = &parsed.spec.operation;
        let written = |values: &Option<Vec<Value>>| values.as_ref().unwrap()[0].to_string();
        assert_eq!([identity, fill].map(written), [zero, "-0.0"], "{source}");
    }
}

#[test]
fn data_may_give_the_types() {
    let from_data = |source: &str, types: &[Scalar]| text(source, Some(types)).unwrap().spec.text;
    assert_eq!(from_data("op: sum", &[Scalar::F16]), "ty: f16, op: sum");
    assert_eq!(from_data("op: sum, ty: f32", &[Scalar::F16]), "ty: f32, op: sum");
    assert_eq!(from_data("op: dot", &[Scalar::F32; 2]), "inputs: { x: f32, y: f32 }, op: dot");
    let sum = from_data("op: sum, map: |a, b, c, d| a + b + c + d", &[Scalar::I64; 4]);
    assert_eq!(
        sum,
        "inputs: { x: i64, y: i64, z: i64, x3: i64 }, map: |x, y, z, x3| ((x + y) + z) + x3, op: sum"
    );
}

#[test]
fn data_that_cannot_be_inputs_is_refused() {
    for (types, message) in [
        (&[][..], "a reduction has 1 to 16 inputs, not 0"),
        (&[Scalar::F32; 17][..], "a reduction has 1 to 16 inputs, not 17"),
    ] {
        assert_eq!(text("op: any", Some(types)).unwrap_err().diagnostics()[0].message, message);
    }
}

#[test]
fn parts_have_places() {
    let source = "op: max, ty: f32, block: 64, passes: [shuffle, coarsen(4)]";
    let places = parse(source).places;
    let words: Vec<_> = places.pass.iter().map(|place| &source[place.clone()]).collect();
    assert_eq!(words, ["shuffle", "coarsen(4)"]);
    assert_eq!(&source[places.op.clone()], "max");
    assert_eq!(&source[places.block.clone()], "64");
    assert_eq!(&source[places.passes.clone()], "[shuffle, coarsen(4)]");
    assert_eq!(&source[places.pass(1)], "coarsen(4)");
    let unwritten = parse("op: max, ty: f32").places;
    assert_eq!(unwritten.pass(0), 16..16);
}

#[test]
fn closures_get_what_their_laws_say() {
    let operation = |source: &str| spec(source).operation;
    let product = operation("ty: f32, op: |a, b| b * a, identity: 1.0");
    assert_eq!((product.name.as_str(), product.commutative, product.exact), ("prod", true, false));
    assert!(product.fill.is_some());
    let last = operation("ty: f32, op: |_, b| b, identity: none");
    assert_eq!((last.commutative, last.fill), (false, None));
    let gcd = "ty: u32, op: |a, b| (a | b) & 0xff, map: |x| x & 0xff, identity: 0";
    let masked = operation(gcd);
    assert_eq!((masked.name.as_str(), masked.commutative, masked.exact), ("closure", true, true));
    assert!(!operation(&format!("{gcd}, commutative: false")).commutative);
    let greater = parse("ty: f32, op: |a, b| if a > b { a } else { b }, identity: none");
    assert!(
        greater.notes[0].message.starts_with("with NaN the result depends on the order: "),
        "{:?}",
        greater.notes
    );
    assert!(!greater.spec.operation.exact);
}

#[test]
fn functions_have_parameters_for_what_they_use() {
    use reduce_ir::operation::Argument;
    let operation = spec(
        "inputs: { x: f16, y: f32 }, params: { k: f32, m: f64 }, acc: f64, \
         map: |p, _| p as f64 * m, op: |a, b| a + b, identity: 0.0, \
         finish: |s, n| s * k as f64 / n as f64",
    )
    .operation;
    assert_eq!(operation.map_arguments(), [Argument::Input(0), Argument::Input(1), Argument::Param(1)]);
    assert_eq!(operation.finish_arguments(), [Argument::Acc(0), Argument::Count, Argument::Param(0)]);
    assert_eq!(operation.map.params()[0].ty, Scalar::F16);
    let folded = spec(
        "ty: i32, index: i, map: |x| x as i64 * i as i64, op: sum, fold: |acc, x, step| acc + x as i64 * i as i64 + (step - step) as i64",
    );
    let arguments = folded.operation.fold_arguments().unwrap();
    assert_eq!(arguments, [Argument::Acc(0), Argument::Input(0), Argument::Step, Argument::Index]);
}

#[test]
fn closures_compute_with_16_bit_floats_as_f32() {
    for (source, acc, output) in [
        ("ty: f16, op: max", "f16", "f16"),
        ("ty: f16, op: max, finish: |m| -m", "f16", "f32"),
        ("ty: bf16, op: max, finish: |m| m", "bf16", "f32"),
        ("ty: f16, op: minmax, finish: |m| m.max - m.min", "MinMax { min: f16, max: f16 }", "f32"),
        (
            "ty: f16, op: minmax, finish: |m| m",
            "MinMax { min: f16, max: f16 }",
            "MinMax { min: f32, max: f32 }",
        ),
        ("ty: f16, op: max, fold: |acc, x| acc.max(x), nan: ignore", "f32", "f32"),
    ] {
        let first = spec(source);
        assert_eq!((first.operation.acc.text(), first.operation.output.text()), (acc.into(), output.into()));
        assert_eq!(spec(&first.text), first);
    }
}

#[test]
fn named_operators_take_choices_and_finish_their_result() {
    let operation = |source: &str| spec(source).operation;
    assert_eq!(operation("ty: f32, op: sum, acc: f64").output.types(), [Scalar::F64]);
    assert_eq!(operation("ty: f32, op: mean, finish: |m| m as f64").output.types(), [Scalar::F64]);
    let range = operation("ty: f32, op: minmax, finish: |r| Out { spread: r.max - r.min, part: 0.5f64 }");
    assert_eq!(range.output.text(), "Out { spread: f32, part: f64 }");
    assert_ne!(operation("ty: f32, op: max"), operation("ty: f32, op: max, nan: ignore"));
    assert_ne!(operation("ty: f32, op: argmax"), operation("ty: f32, op: argmax, ties: last"));
    for source in ["ty: f32, acc: f64, op: sum, nan: ignore", "ty: f32, op: argmax, ties: last"] {
        assert_eq!(spec(source).text, source);
    }
}

#[test]
fn arithmetic_that_wraps_early_is_noted() {
    let notes = |source: &str| parse(source).notes.into_iter().map(|note| note.message).collect::<Vec<_>>();
    let said = |op: &str, ty: &str, bits: u32, wide: &str| {
        format!(
            "`{op}` of {ty} wraps at {bits} bits, as in Rust in release; convert the operands first, as in `x as {wide}`"
        )
    };
    assert_eq!(notes("ty: u8, map: |x| x * 2, op: max"), [said("*", "u8", 8, "u32")]);
    assert_eq!(notes("ty: i16, op: minmax, finish: |r| r.max - r.min"), [said("-", "i16", 16, "i32")]);
    assert_eq!(notes("ty: i8, filter: |x| x + 1 > 0, op: count_nonzero"), [said("+", "i8", 8, "i32")]);
    for source in
        ["ty: u8, map: |x| x as u32 * 2, op: max", "ty: i32, map: |x| x * 2, op: max", "ty: u8, op: sum"]
    {
        assert!(notes(source).is_empty(), "{source}");
    }
}

#[test]
fn laws_that_no_element_can_try_are_noted() {
    let parsed = parse("ty: u64, filter: |x| x > 97 && x < 10, op: |a, b| (a * b) % 97, identity: 1");
    assert_eq!(parsed.notes.len(), 1);
    assert!(parsed.notes[0].message.starts_with("no sampled element satisfies `filter`"));
    assert!(!parsed.spec.operation.commutative && !parsed.spec.operation.exact);
    let possible = parse("ty: u64, filter: |x| x < 97, op: |a, b| (a * b) % 97, identity: 1");
    assert!(possible.notes.is_empty() && possible.spec.operation.exact);
}
