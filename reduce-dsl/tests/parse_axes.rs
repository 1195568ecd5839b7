//! Tests `axes` and `segments`: their meaning, their canonical text, and the messages for wrong ones.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use reduce_dsl::parse::text;
use reduce_ir::axes::{Axes, Axis, Cut, Kept, Keys, Others, Pattern};
use reduce_ir::{Access, Beside, Domain, Scalar, Spec};

macro_rules! assert_snapshot {
    ($shown:expr) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($shown) })
    };
}

/// The head of specifications of one and of two inputs.
const ONE: &str = "ty: f32, op: sum";
const TWO: &str = "inputs: { x: f32, w: f32 }, map: |x, w| x * w, op: sum";

fn spec(source: &str) -> Spec {
    text(source, None).unwrap_or_else(|errors| panic!("{source}: {errors}")).spec
}

/// Reads axes of one input `x`.
fn one(axes: &str) -> Axes {
    spec(&format!("{ONE}, axes: {axes}")).axes.unwrap()
}

/// Reads axes of two inputs, `x` and `w`.
fn two(axes: &str) -> Axes {
    spec(&format!("{TWO}, axes: {axes}")).axes.unwrap()
}

/// Makes axes from words: a name, or a length.
fn named(words: &[&str]) -> Vec<Axis> {
    let one = |word: &&str| match word.parse() {
        Ok(length) => Axis { name: None, length: Some(length) },
        Err(_) => Axis { name: Some((*word).to_owned()), length: None },
    };
    words.iter().map(one).collect()
}

fn pattern(has_leading: bool, dims: &[&[usize]]) -> Pattern {
    Pattern { has_leading, dims: dims.iter().map(|dim| dim.to_vec()).collect() }
}

#[test]
fn axes_of_one_input() {
    assert_eq!(one("i j -> i"), Axes::rows());
    let nhwc = Axes {
        axes: named(&["b", "h", "w", "c"]),
        inputs: vec![pattern(false, &[&[0], &[1], &[2], &[3]])],
        result: vec![Kept::Axis(0), Kept::Axis(3)],
        is_by_input: false,
        cut: Cut::Whole,
    };
    assert_eq!(one("b h w c -> b c"), nhwc);
    let split = Axes {
        axes: named(&["b", "s", "16", "1"]),
        inputs: vec![pattern(true, &[&[0], &[1, 2], &[3]])],
        result: vec![Kept::One, Kept::Axis(1), Kept::One, Kept::Leading],
        is_by_input: false,
        cut: Cut::Whole,
    };
    assert_eq!(one(".. b (s 16) 1 -> 1 s 1 .."), split);
    assert_eq!(one("b h ->").result, []);
    assert_eq!(one(".. -> ..").inputs, [pattern(true, &[])]);
    let numbers = one("3 c 3 -> c");
    assert_eq!(numbers.axes, named(&["3", "c", "3"]), "each number is an axis");
}

#[test]
fn axes_of_several_inputs() {
    let by_input = Axes {
        axes: named(&["b", "c"]),
        inputs: vec![pattern(false, &[&[0], &[1]]), pattern(false, &[&[1]])],
        result: vec![Kept::Axis(0)],
        is_by_input: true,
        cut: Cut::Whole,
    };
    assert_eq!(two("{ x: b c, w: c } -> b"), by_input);
    assert_eq!(two("{ w: c, x: b c, } -> b"), by_input, "the order of inputs is theirs");
    let alike = Axes { inputs: vec![pattern(false, &[&[0], &[1]]); 2], is_by_input: false, ..by_input };
    assert_eq!(two("b c -> b"), alike);
    assert_eq!(two("{ x: b c, w: b c } -> b"), alike);
    let numbers = two("{ x: 4 c, w: 4 c } -> c");
    assert_eq!(numbers.axes, named(&["4", "c", "4"]), "inputs do not share a number");
    assert!(numbers.is_by_input);
    assert_eq!(two("4 c -> c").axes, named(&["4", "c"]));
}

/// Tests that two axes of a split may be named if another dimension tells one, wherever it is.
#[test]
fn lengths_follow_from_other_dimensions() {
    for (axes, order) in [
        ("{ x: (a b), w: a } -> a", vec![(0, 0)]),
        ("{ x: b, w: (a b) } -> a", vec![(1, 0)]),
        ("{ x: (a b), w: (a 4) } -> a", vec![(1, 0), (0, 0)]),
        ("{ x: d (a b) c, w: (b c) } -> c", vec![(1, 0), (0, 1)]),
    ] {
        assert_eq!(two(axes).splits(), Ok(order), "{axes}");
    }
}

#[test]
fn segments_are_a_split() {
    for inputs in [ONE, TWO] {
        let segments = spec(&format!("{inputs}, segments: 16"));
        assert_eq!(segments, spec(&format!("{inputs}, axes: (s 16) -> s")));
        assert_eq!(segments.domain, Domain::ROWS);
        assert!(segments.text.contains("axes: (s 16) -> s, "), "{}", segments.text);
    }
}

#[test]
fn names_may_be_those_of_inputs_and_params() {
    let source =
        "inputs: { x: f32, y: f32 }, axes: x k -> k, params: { k: f32 }, map: |x, y| x * y * k, op: sum";
    assert_eq!(spec(source).axes.unwrap().axes, named(&["x", "k"]));
    assert_eq!(one("n acc index step -> n").axes.len(), 4);
}

#[test]
fn the_canonical_text_reads_back() {
    for (axes, canonical) in [
        ("i  j->i", "i j -> i"),
        ("b h w c -> b c", "b h w c -> b c"),
        ("b h w c -> c b", "b h w c -> c b"),
        ("b h w c ->", "b h w c ->"),
        ("..->..", ".. -> .."),
        (".. -> 1", ".. -> 1"),
        (".. a b -> a .. b 1", ".. a b -> a .. b 1"),
        ("a b -> 1 a 1 1", "a b -> 1 a 1 1"),
        ("( s 0x10 ) -> s", "(s 16) -> s"),
        ("b (g 3 1_000) t -> b t 1 g", "b (g 3 1000) t -> b t 1 g"),
        ("(a 2) (b 3) 1 5 -> b a", "(a 2) (b 3) 1 5 -> b a"),
        ("(2 3 4) ->", "(2 3 4) ->"),
        ("4611686018427387904 c -> c", "4611686018427387904 c -> c"),
        ("a b c d e f g h i j k l m n o p -> p", "a b c d e f g h i j k l m n o p -> p"),
        ("{ x: i j } -> i", "i j -> i"),
    ] {
        let first = spec(&format!("{ONE}, axes: {axes}"));
        assert_eq!(first.text, format!("ty: f32, axes: {canonical}, op: sum"));
        assert_eq!(spec(&first.text), first);
    }
    for (axes, canonical) in [
        ("b c -> b", "b c -> b"),
        ("{ x: b c, w: b c } -> b", "b c -> b"),
        ("{ w: c, x: b c } -> b", "{ x: b c, w: c } -> b"),
        ("{ x: .. c, w: c, } -> .. 1", "{ x: .. c, w: c } -> .. 1"),
        ("{ x: (a b), w: (a 4) } ->", "{ x: (a b), w: (a 4) } ->"),
        ("{ x: 4 c, w: 4 c } -> c", "{ x: 4 c, w: 4 c } -> c"),
        ("{ x: a b, w: b a } -> b", "{ x: a b, w: b a } -> b"),
    ] {
        let first = spec(&format!("{TWO}, axes: {axes}"));
        let found = first.axes.as_ref().unwrap().spelling(&first.operation.inputs);
        assert_eq!(found, canonical);
        assert_eq!(spec(&first.text), first);
    }
}

#[test]
fn axes_have_a_domain() {
    let strided = |kept, beside| Domain { kept, access: Access::Strided { reduced: 1, beside } };
    for (axes, domain) in [
        ("i j -> i", Domain::ROWS),
        ("i j ->", Domain::WHOLE),
        ("i j -> j", strided(1, Beside::Many)),
        ("b h w c -> b c", strided(2, Beside::Many)),
        (".. c -> ..", Domain::ROWS),
        ("b (s 16) -> b s", Domain::ROWS),
    ] {
        assert_eq!(spec(&format!("{ONE}, axes: {axes}")).domain, domain, "{axes}");
    }
}

/// Returns the diagnostics of each value of `axes` after a head, in order.
fn shown(head: &str, fields: &[&str]) -> String {
    let one = |field: &&str| {
        let source = format!("{head}, {field}");
        text(&source, None).err().unwrap_or_else(|| panic!("{source}")).of("spec").to_string()
    };
    fields.iter().map(one).collect::<Vec<_>>().join("\n\n")
}

#[test]
fn axes_of_the_wrong_form() {
    assert_snapshot!(shown(
        ONE,
        &[
            "axes: i j",
            "axes: -> i",
            "axes: i, j -> i",
            "axes: \"i j -> i\"",
            "axes: i * j -> i",
            "axes: ... j -> j",
            "axes: i j -> i + j",
            "axes: (s, 16) -> s",
            "axes: { i j } -> i",
            "axes: { x: } -> i",
            "axes: { x: i j -> i }",
            "axes: { x: i * j } -> i",
            "axes:",
        ]
    ));
}

#[test]
fn axes_on_the_left_that_are_wrong() {
    assert_snapshot!(shown(
        ONE,
        &[
            "axes: i j i -> i",
            "axes: i (j i) -> i",
            "axes: i .. -> i",
            "axes: .. i .. -> i",
            "axes: () i -> i",
            "axes: (i) -> i",
            "axes: (i (j 2)) -> i",
            "axes: (.. 16) ->",
            "axes: (a b) c -> c",
            "axes: c (a 2 b) -> c",
            "axes: 0 i -> i",
            "axes: (s 16u32) -> s",
            "axes: (s 4611686018427387905) -> s",
            "axes: _x i -> i",
            "axes: for i -> i",
            "axes: a b c d e f g h i j k l m n o p q r -> a",
            "axes: (1 1 1 1 1 1 1 1) (1 1 1 1 1 1 1 1 s) -> s",
        ]
    ));
}

#[test]
fn axes_on_the_right_that_are_wrong() {
    assert_snapshot!(shown(
        ONE,
        &[
            "axes: i j -> k",
            "axes: batch channel -> bacth",
            "axes: i j -> i j i",
            "axes: i j -> ..",
            "axes: .. i -> .. ..",
            "axes: i j -> 1 i 2",
            "axes: i j -> 1u8",
            "axes: i j -> (i j)",
            "axes: i j -> ()",
            "axes: i i -> k",
            "axes: i -> 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 i",
            "layout: strided, axes: i j -> i",
        ]
    ));
}

#[test]
fn axes_of_inputs_that_are_wrong() {
    assert_snapshot!(shown(
        TWO,
        &[
            "axes: { x: b c, z: c } -> b",
            "axes: { x: b c, wx: d } -> d",
            "axes: { x: b c, y: c, w: c, x: b } -> b",
            "axes: { x: b c } -> b",
            "axes: {} ->",
            "axes: { x: b c, w: d } -> e",
            "axes: { w: c d, x: d c } ->",
            "axes: { x: (a b), w: (b a) } -> a",
            "axes: { x: b c w: c } -> b",
        ]
    ));
}

#[test]
fn segments_that_are_wrong() {
    assert_snapshot!(shown(
        ONE,
        &[
            "segments: u16",
            "segments: f32",
            "segments: (16)",
            "segments: 0",
            "segments: 16, axes: i j -> i",
            "segments: 16, layout: strided",
            "segment: 16",
            "segments: u32, axes: a b c -> a",
            "segments: u32, axes: a b -> a b",
            "segments: u32, axes: .. a -> a",
            "segments: u32, by: { key: u32 }, groups: runs",
            "by: { key: u32 }",
            "by: { key: f12 }, groups: runs",
            "by: { key: u32, other: u32 }, groups: runs",
            "by: u32, groups: runs",
            "by: { key: u32 }, groups: run",
            "by: { key: u32 }, groups: 0",
            "by: { key: f32 }, groups: 64",
            "by: { key: u32 }, groups: 64, others: skip",
            "by: { key: u32 }, groups: runs, others: drop",
            "others: drop",
            "by: { key: u32 }, groups: 64, axes: a b -> b",
            "by: |x| x, groups: 64",
            "by: |x| x as u32, groups: runs",
            "by: |x| { x as u32 }",
            "by: |x, y| x as u32, groups: 64",
            "by: { key: u32 }, groups: 64, finish: |acc, n| acc / n as f32",
            "by: { day: u32 }, groups: runs, axes: a b ->",
            "groups: runs",
        ]
    ));
}

fn keys(given: Option<Scalar>, others: Others) -> Cut {
    Cut::Keys(Keys { given, groups: 64, others })
}

#[test]
fn offsets_and_keys_cut_the_reduced_axis() {
    for (inputs, cut, text) in [
        ("ty: f32, op: sum", Cut::Offsets(Scalar::U32), "segments: u32"),
        ("ty: f32, op: sum", Cut::Offsets(Scalar::I64), "segments: i64"),
        ("ty: f32, op: sum", Cut::Runs(Scalar::F16), "by: { key: f16 }, groups: runs"),
        ("inputs: { x: f32, y: f32 }, op: dot", Cut::Offsets(Scalar::U64), "segments: u64"),
        ("ty: f32, op: sum", keys(Some(Scalar::I64), Others::Error), "by: { key: i64 }, groups: 64"),
        ("ty: f32, op: max", keys(None, Others::Drop), "by: |x| (x * 4.0) as u8, groups: 64, others: drop"),
    ] {
        let line = spec(&format!("{inputs}, {text}"));
        assert_eq!(line.axes, Some(Axes::line(line.operation.inputs.len(), cut)));
        assert!(line.text.contains(&format!("{text}, op")), "{}", line.text);
        assert_eq!(spec(&line.text), line);
    }
    let features = spec("ty: f32, op: sum, axes: e f -> f, segments: u32");
    assert!(features.text.contains("axes: e f -> f, segments: u32, op"), "{}", features.text);
    assert_eq!(spec(&features.text), features);
}
