//! Tests the messages for wrong specifications, each at its place.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use reduce_dsl::parse::text;

macro_rules! assert_snapshot {
    ($shown:expr) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($shown) })
    };
}

/// Returns the diagnostics of each specification, in order.
fn shown(sources: &[&str]) -> String {
    let one = |source: &&str| text(source, None).unwrap_err().of("spec").to_string();
    sources.iter().map(one).collect::<Vec<_>>().join("\n\n")
}

#[test]
fn unknown_names_bring_the_nearest() {
    assert_snapshot!(shown(&[
        "op: summ, ty: f32",
        "op: product, ty: f32",
        "op: SUM, ty: Float",
        "op: frobnicate, ty: f32",
        "op: avg, ty: f32",
        "op: median, ty: f32",
        "op: sum, ty: f23",
        "op: sum, ty: double",
        "op: sum, ty: f128",
        "op: sum, ty: String",
        "op: sum, type: f32, ty: f32",
        "operator: sum, ty: f32, op: sum",
        "op: sum, ty: f32, blok: 64",
        "op: sum, ty: f32, zzz: [1, 2], passes: [shufle]",
        "op: sum, ty: f32, passes: [shuffel, vectorise(4), tile(8)]",
    ]));
}

#[test]
fn all_errors_are_shown_at_once() {
    assert_snapshot!(shown(&[
        "reduction! {\n    op: summ,\n    ty: f23,\n    map: |x| x.abss() + y,\n    passes: [shufle, coarsen(0)],\n    block: 100,\n}"
    ]));
}

#[test]
fn fields_that_are_missing_or_there_twice() {
    assert_snapshot!(shown(&[
        "",
        "op: sum",
        "ty: f32",
        "ty: f32, op: sum, ty: f64",
        "ty: f32, op: sum, op: max, passes: [shuffle], passes: auto",
        "ty: f32, inputs: { x: f32 }, op: sum",
        "inputs: {}, op: sum",
        "inputs: { x: f32, x: f32 }, op: dot",
    ]));
}

#[test]
fn values_of_the_wrong_form() {
    assert_snapshot!(shown(&[
        "ty: f32,\n/// The sum.\nop: sum",
        "ty: f32, acc: Range {\n    /// The least.\n    lo: f32,\n}, op: sum",
        "ty: 32, op: sum",
        "ty: f32, op: +",
        "ty: f32, op: \"sum\"",
        "ty: f32, op: sum, map: abs",
        "ty: f32, op: sum, map: f32::abs",
        "ty:: f32, op: sum",
        "ty: f32, op: sum, passes: shuffle",
        "ty: f32, op: sum, passes: [4]",
        "ty: f32, op: sum, passes: [near, rows, gather]",
        "ty: f32, op: sum, passes: [shuffle, team(wrap)]",
        "ty: f32, op: sum, passes: [team]",
        "ty: f32, op: sum, passes: [shuffle coarsen(4)]",
        "ty: f32, op: sum, block: big",
        "inputs: f32, op: sum",
        "inputs: { x }, op: sum",
        "inputs: { x: f32 y: f32 }, op: sum",
        "ty f32, op: sum",
        "ty: f32 op: sum",
        "ty: f32; op: sum",
        "f32, sum",
        "ty: f32, op: sum, passes: [shuffle",
        "ty: f32, op: sum)",
        "reduction!< ty: f32, op: sum",
        "ty: f32, op: sum, map: |x| x \"",
        "ty: f32, op: sum, map: |x| x /* half",
        "ty: f32, op: sum, map: |x| x +",
        "ty: f32, op: sum, map:",
    ]));
}

#[test]
fn fields_whose_value_is_one_of_a_few_words() {
    assert_snapshot!(shown(&[
        "ty: f32, op: sum, order: ani",
        "ty: f32, op: sum, order: unordered",
        "ty: f32, op: sum, order: [any]",
        "ty: f32, op: sum, order: any, order: fixed",
        "ty: f32, op: sum, layout: stride, order: anny",
        "ty: f32, op: sum, layout: rows",
        "ty: f32, op: sum, layout: strided(2)",
        "ty: f32, op: sum, layout: 2",
    ]));
}

#[test]
fn operators_that_do_not_fit() {
    assert_snapshot!(shown(&[
        "ty: f32, op: sub",
        "ty: f32, op: div",
        "ty: f32, op: xor",
        "ty: f32, op: dot",
        "inputs: { x: f32, y: f32 }, op: sum",
        "inputs: { x: f32, y: f64 }, op: dot",
        "inputs: { x: f32, y: f32 }, map: |x, y| x * y, op: dot",
        "ty: f32, map: |x| x * x, op: xor",
    ]));
}

#[test]
fn identities_that_are_not_the_operators() {
    assert_snapshot!(shown(&[
        "ty: f32, op: sum, identity: 1.0",
        "ty: f32, op: sum, identity: 0",
        "ty: f32, op: sum, identity: 0.0f64",
        "ty: i32, op: sum, identity: 0.0",
        "ty: i32, op: sum, identity: 3000000000",
        "ty: f32, op: max, identity: f32::MIN",
        "ty: i32, op: max, identity: i64::MIN",
        "ty: i32, op: min, identity: 0",
        "ty: f32, op: argmax, identity: 0.0",
        "ty: f32, op: any, identity: 0",
        "ty: f32, op: prod, identity: true",
        "ty: f32, op: prod, identity: ONE",
        "ty: f32, op: prod, identity: 0.5 + 0.25",
        "ty: f32, op: prod, identity: \"1.0\"",
    ]));
}

#[test]
fn blocks_and_arguments_out_of_range() {
    assert_snapshot!(shown(&[
        "ty: f32, op: sum, block: 100",
        "ty: f32, op: sum, block: 2048",
        "ty: f32, op: sum, block: 99999999999999999999",
        "ty: f32, op: sum, passes: [coarsen(0)]",
        "ty: f32, op: sum, passes: [coarsen(1099511627776)]",
        "ty: f32, op: sum, passes: [coarsen(2^40)]",
        "ty: f32, op: sum, passes: [coarsen(-1)]",
        "ty: f32, op: sum, passes: [coarsen]",
        "ty: f32, op: sum, passes: [coarsen()]",
        "ty: f32, op: sum, passes: [vectorize(3), shuffle(2)]",
    ]));
}

#[test]
fn names_of_inputs() {
    assert_snapshot!(shown(&[
        "inputs: { acc: f32, n: f32 }, op: dot",
        "inputs: { move: f32, fn: f32 }, op: dot",
        "inputs: { step: f32, index: f32 }, op: dot",
        "inputs: { größe: f32, _x: f32 }, op: dot",
        "inputs: { r#type: f32, a__b: f32 }, op: dot",
    ]));
}

#[test]
fn operators_of_other_libraries() {
    assert_snapshot!(shown(&[
        "ty: f32, op: asum",
        "ty: f32, op: norm",
        "ty: f32, op: mae",
        "ty: f32, op: gmean",
        "ty: f32, op: cumsum",
        "ty: f32, op: size",
        "ty: f32, op: subtract",
        "ty: f32, op: smu",
        "ty: f32, op: norm3",
    ]));
}

#[test]
fn operators_of_numbers_refuse_bool() {
    assert_snapshot!(shown(&[
        "ty: f32, map: |x| x > 3.5, op: argmax",
        "ty: f32, map: |x| { let y = x * x; y > 3.5 && y < 4.0 }, op: max",
        "ty: bool, op: mean",
        "ty: bool, op: sum_compensated",
        "inputs: { x: f32, y: f32 }, map: |x, y| x < y, op: findmax",
        "inputs: { x: bool, y: bool }, op: dot",
    ]));
}

#[test]
fn conversions_that_help_names_are_taken() {
    for source in [
        "ty: f32, map: |x| (x > 3.5) as u8, op: argmax",
        "ty: bool, map: |x| x as u8, op: mean",
        "ty: bool, map: |x| if x { 1.0 } else { 0.0 }, op: sum_compensated",
        "inputs: { x: f32, y: f32 }, map: |x, y| (x < y) as u8, op: findmax",
    ] {
        assert!(text(source, None).is_ok(), "{source}: {:?}", text(source, None));
    }
}

#[test]
fn absent_elements() {
    assert_snapshot!(shown(&[
        "ty: f32, filter: |x| x, op: sum",
        "ty: f32, filter: |x, y| x > y, op: sum",
        "ty: f32, filter: x > 0.0, op: sum",
        "ty: f32, filter: |x| x > i as f32, op: sum",
        "ty: f32, filter: |x| { if x > 0.0 { return 1.0; } false }, op: sum",
        "ty: f32, filter: |x| x > 0.0, op: sum, finish: |s, n| s / n as f32",
        "ty: f32, nan: ignore, op: |a, b| a + b, identity: 0.0, finish: |s, n| s / n as f32",
        "ty: i32, op: sum, nan: ignore",
        "ty: bool, op: |a, b| a & b, identity: true, nan: ignore",
        "ty: f32, filter: |x| x > 0.0, filter: |x| x < 1.0, op: sum",
        "ty: u8, acc: H { bins: u32; 16 }, map: |x| H { bins: [0; 16] }, op: |a, b| a, identity: none",
        "ty: f32, where: |x| x > 0.0, op: sum",
    ]));
}

#[test]
fn empty_is_a_constant_of_the_type_of_the_result() {
    assert_snapshot!(shown(&[
        "op: max, ty: f32, empty: 1",
        "op: argmax, ty: f32, empty: -1",
        "op: argmax, ty: f32, empty: x",
        "op: argmax, ty: f32, empty: none",
        "op: argmax, ty: f32, finish: |p| p as f32, empty: 1u64",
        "op: minmax, ty: f32, empty: MinMax { min: 0.0 }",
        "op: minmax, ty: f32, empty: Minmax { min: 0.0, max: 0.0 }",
        "op: minmax, ty: f32, empty: 0.0",
        "op: max, ty: f16, empty: 1e9",
        "op: max, ty: f32, empty: ",
    ]));
}
