//! Assertions in closures, and indices of arrays that may be out of range: a call fails if one fails for an element, and the bits of
//! calls that do not fail are those of the same closure without it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use reduce_codegen::lower;
use reduce_dsl::parse::{masked_spec, spec as parse};
use reduce_interpreter::{Input, Options, Values, run};
use reduce_ir::Value;
use reduce_ir::operation::Missing;
use reduce_lanes::{Lanes, LanesRef};
use reducegen::{Device, Error, Reducer, Span, View, reduction};

const HISTOGRAM: &str = "ty: f32, acc: H { bins: [u32; 4] }, op: |mut a, b| { for i in 0..4 { a.bins[i] += b.bins[i]; } a }, \
    identity: H { bins: [0; 4] }, map: |x| { let mut h = H { bins: [0; 4] }; h.bins[x as usize] = 1; h }";

fn reducer(text: &str) -> Reducer {
    let spec = parse(text).unwrap_or_else(|errors| panic!("{text}\n{errors}"));
    Reducer::new(&spec, &Device::host()).unwrap()
}

/// Returns whether the reduction of `elements` fails on the host. The interpreter must say the same.
fn fails(text: &str, elements: &[f32]) -> bool {
    let reducer = reducer(text);
    let n = elements.len() as u64;
    let program = reducer.programs().for_len(n);
    let mut domain = Values::new(&program.operation);
    let inputs = [Input::new(Lanes::F32(elements.to_vec().into()), true)];
    let outcome = run(program, &lower(program).unwrap(), &mut domain, &inputs, n, Options::FORWARD);
    assert!(outcome.reports.is_empty(), "{text}: {:?}", outcome.reports);
    let stored = domain.finish(outcome.acc().unwrap(), n, &[]).unwrap();
    match (reducer.reduce(&[LanesRef::from(elements)]), program.operation.unstored(stored)) {
        (Ok(outcome), Ok(simulated)) => assert_eq!(outcome.values, simulated, "{text}"),
        (Err(Error::AssertionFailed { .. }), Err(Missing::Assertion)) => return true,
        (host, simulated) => panic!("{text}: {host:?}, and {simulated:?} in the interpreter"),
    }
    false
}

#[test]
fn nothing_is_asserted_of_absent_elements() {
    let spec = parse("ty: f32, filter: |x| { assert!(x > 0.0); x < 3.0 }, op: sum").unwrap();
    let sum = Reducer::new(&masked_spec(&spec).unwrap(), &Device::host()).unwrap();
    let elements = [1.0f32, -5.0, 7.0, 2.0];
    let of = |present: [bool; 4]| sum.reduce(&[LanesRef::from(&elements[..]), LanesRef::from(&present[..])]);
    assert_eq!(of([true, false, true, true]).unwrap().values, [Value::of(3.0f32)]);
    assert!(matches!(of([true; 4]), Err(Error::AssertionFailed { .. })));
}

/// The distance of a shift wraps at the width of its type: this is a shift by 1, and not 0.
#[test]
fn a_shift_beyond_the_width_does_not_bound_an_index() {
    let text = "ty: f32, map: |x| { let table = [1.0, 2.0]; table[((x as u32) >> 33) as usize] }, op: sum";
    assert!(!fails(text, &[0.0, 3.0]));
    assert!(fails(text, &[0.0, 4.0]));
}

#[test]
fn an_index_out_of_range_is_an_error() {
    let histogram = reduction! {
        ty: f32,
        acc: H { bins: [u32; 4] },
        map: |x| {
            let mut h = H { bins: [0; 4] };
            h.bins[x as usize] = 1;
            h
        },
        op: |mut a, b| {
            for i in 0..4 {
                a.bins[i] += b.bins[i];
            }
            a
        },
        identity: H { bins: [0; 4] },
    };
    assert_eq!(histogram.reduce(&[0.0, 1.5, 3.9, 1.0]).unwrap().bins, [1, 2, 0, 1]);
    let error = histogram.reduce(&[0.0, 4.0]).unwrap_err();
    assert!(matches!(error, Error::AssertionFailed { .. }), "{error}");
    assert!(error.is_usage_error());
    assert!(!fails(HISTOGRAM, &[0.0, 1.0, 3.0]));
    for place in 0..3 {
        let mut elements = [1.0; 3];
        elements[place] = 4.0;
        assert!(fails(HISTOGRAM, &elements));
    }
    let many: Vec<f32> = (0..100_000).map(|i| (i % 4) as f32).collect();
    assert!(!fails(HISTOGRAM, &many));
    for place in [0, 1, 777, 99_999] {
        let mut many = many.clone();
        many[place] = 1e9;
        assert!(fails(HISTOGRAM, &many), "element {place}");
    }
}

#[test]
fn assertions_hold_where_they_are_reached() {
    let cases: &[(&str, f32, bool)] = &[
        ("map: |x| { assert!(x >= 0.0); x }, op: sum", -1.0, true),
        ("map: |x| { assert!(x >= 0.0, \"negative\"); x }, op: max", -1.0, true),
        ("map: |x| { if x > 0.0 { assert!(x < 9.0); } x }, op: sum", -1.0, false),
        ("map: |x| { if x > 0.0 { assert!(x < 9.0); } x }, op: sum", 9.0, true),
        ("map: |x| { if x < 0.0 { return 0.0; } assert!(x > 0.0); x }, op: sum", -1.0, false),
        ("map: |x| { if x < 0.0 { return 0.0; } assert!(x > 0.0); x }, op: sum", 0.0, true),
        (
            "map: |x| { let a = [1.0f32, 2.0]; if x < 2.0 && a[x as usize] > 0.0 { x } else { 0.0 } }, op: sum",
            7.0,
            false,
        ),
        (
            "map: |x| { let a = [1.0f32, 2.0]; if x < 3.0 && a[x as usize] > 0.0 { x } else { 0.0 } }, op: sum",
            2.0,
            true,
        ),
        ("map: |x| { for i in 0..4 { if i as f32 == x { break; } assert!(i < 2); } x }, op: sum", 1.0, false),
        ("map: |x| { for i in 0..4 { if i as f32 == x { break; } assert!(i < 2); } x }, op: sum", 3.0, true),
        ("op: sum, finish: |s| { assert!(s < 100.0); s }", 50.0, false),
        ("op: sum, finish: |s| { assert!(s < 100.0); s }", 500.0, true),
        ("op: |a, b| { let s = a + b; assert!(s < 100.0); s }, identity: 0.0", 50.0, false),
        ("op: |a, b| { let s = a + b; assert!(s < 100.0); s }, identity: 0.0", 500.0, true),
        ("filter: |x| x < 5.0, map: |x| { assert!(x < 5.0); x }, op: sum", 7.0, false),
        ("filter: |x| x < 5.0, map: |x| { assert!(x < 3.0); x }, op: max", 4.0, true),
        ("filter: |x| { assert!(x < 9.0); x < 5.0 }, op: max", 9.5, true),
        ("filter: |x| x < 5.0, map: |x| { assert!(x < 5.0); x }, op: mean", 7.0, false),
        ("nan: ignore, map: |x| { assert!(x < 5.0); x }, op: max", 7.0, true),
        ("nan: ignore, map: |x| { assert!(x < 5.0); x }, op: argmax", 7.0, true),
        ("filter: |x| x < 5.0, map: |x| { assert!(x < 3.0); x }, op: sum, empty: -1.0", 4.0, true),
    ];
    for &(fields, element, expected) in cases {
        let spec = format!("ty: f32, {fields}");
        for place in 0..3 {
            let mut elements = [1.0f32; 3];
            elements[place] = element;
            assert_eq!(fails(&spec, &elements), expected, "{spec}: {element} at {place}");
        }
    }
}

#[test]
fn the_canonical_text_keeps_assertions() {
    for spec in [
        HISTOGRAM,
        "ty: f32, map: |x| { assert!(x > 0.0); x.ln() }, op: sum",
        "ty: f32, op: sum, finish: |s| { assert!(s < 1.0); s }",
    ] {
        let first = parse(spec).unwrap();
        assert_eq!(parse(&first.text).unwrap(), first);
        assert!(first.text.contains("assert!("), "{}", first.text);
    }
}

#[test]
fn a_group_whose_assertion_fails_is_an_error() {
    let rows = reducer("ty: f32, map: |x| { assert!(x < 5.0); x }, op: sum, axes: r c -> r");
    let of = |data: &[f32]| rows.reduce_groups(&[View::new(LanesRef::from(data), [2, 2])], &[]);
    assert_eq!(of(&[1.0, 2.0, 3.0, 4.0]).unwrap().get(1), Some(vec![7.0f32.into()]));
    assert!(matches!(of(&[1.0, 2.0, 3.0, 5.0]), Err(Error::AssertionFailed { .. })));

    let segments = reducer("ty: f32, map: |x| { assert!(x < 5.0); x }, op: sum, segments: u32");
    let of = |data: &[f32]| {
        segments.reduce_segments(
            &[View::new(LanesRef::from(data), [4])],
            [0u32, 1, 1, 4].as_slice().into(),
            &[],
        )
    };
    assert_eq!(of(&[1.0, 2.0, 3.0, 4.0]).unwrap().get(1), Some(vec![0.0f32.into()]));
    assert!(matches!(of(&[1.0, 2.0, 5.0, 4.0]), Err(Error::AssertionFailed { .. })));

    let keyed =
        reducer("ty: f32, by: |x| { assert!(x >= 0.0); x as u32 }, groups: 4, map: |x| 1u64, op: sum");
    let of = |data: &[f32]| keyed.reduce_groups(&[View::new(LanesRef::from(data), [data.len()])], &[]);
    assert_eq!(of(&[1.0, 1.5, 3.0]).unwrap().get(1), Some(vec![2u64.into()]));
    assert!(matches!(of(&[1.0, -1.0, 3.0]), Err(Error::AssertionFailed { .. })));
}

#[test]
fn parts_keep_failures() {
    let whole = reducer("ty: f32, map: |x| { assert!(x < 5.0); x }, op: sum");
    let merged = |elements: &[f32]| {
        let total = elements.len() as u64;
        let cut = whole.chunk_len(total).unwrap().min(total);
        let (left, right) = elements.split_at(cut as usize);
        let part = |part: &[f32], first| whole.partials(&[part], &[], Span { first, total }).unwrap();
        whole.merge(&[part(right, cut), part(left, 0)]).map(|outcome| outcome.values)
    };
    let mut elements = vec![1.0f32; 1 << 18];
    assert_eq!(merged(&elements).unwrap(), vec![262_144.0f32.into()]);
    elements[3] = 6.0;
    assert!(matches!(merged(&elements), Err(Error::AssertionFailed { .. })));
}
