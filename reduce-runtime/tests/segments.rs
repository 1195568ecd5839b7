//! Segments have the bits that their elements have alone, whatever their lengths and their neighbours; offsets that are wrong are
//! errors.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../tests/support/rotation.rs"]
mod rotation;
#[path = "../../tests/support/splitmix.rs"]
mod splitmix;

use reduce_dsl::parse::spec;
use reduce_ir::{Scalar, Value};
use reduce_lanes::{Lanes, LanesRef};
use reduce_runtime::{
    Array, Device, Error, Keyed, Ragged, Reducer, Reduction, Runs, SegmentsError, Strided, View,
};
use splitmix::Random;

const SPECS: [&str; 18] = [
    "op: sum, ty: f32",
    "op: sum, ty: f64",
    "op: sum, ty: f16",
    "op: max, ty: f32",
    "op: sum, ty: i32",
    "op: argmax, ty: f32",
    "op: mean, ty: f32",
    "op: var, ty: f32",
    "op: mean, ty: f32, nan: ignore",
    "op: min, ty: f32, empty: 7.0",
    "op: argmax, ty: f32, filter: |x| x > 0.7",
    "inputs: { x: f32, y: f32 }, op: dot",
    "ty: f32, params: { a: f32 }, map: |x| a * x, op: sum",
    "ty: f32, index: i, map: |x| x * (i as f32), op: sum",
    "ty: f32, acc: At { v: f32 }, map: |x| At { v: x }, op: |a, b| if b.v >= a.v { b } else { a }, identity: none",
    "op: sum, ty: f32, passes: [shuffle, coarsen(4)]",
    "op: sum, ty: f32, passes: [serial]",
    "op: sum, ty: f32, passes: [shuffle, grid_stride(2)]",
];

/// The offsets of segments with these lengths, after `skipped` elements.
fn offsets(lengths: &[usize], skipped: usize) -> Vec<usize> {
    let mut at = skipped;
    let ends = lengths.iter().map(|length| {
        at += length;
        at
    });
    [skipped].into_iter().chain(ends).collect()
}

/// Lengths of many kinds: alike, mixed, empty, and one that is much longer than all others.
fn lengths(random: &mut Random) -> Vec<(&'static str, Vec<usize>)> {
    let mut uniform =
        |count: usize, most: u64| (0..count).map(|_| random.below(most) as usize).collect::<Vec<_>>();
    let short = uniform(300, 9);
    let giant = |at: usize| {
        let mut lengths = short.clone();
        lengths[at] = 150_000;
        lengths
    };
    vec![
        ("none", vec![]),
        ("all empty", vec![0; 50]),
        ("of one", vec![1; 200]),
        ("of 16", vec![16; 100]),
        ("of 33", vec![33; 60]),
        ("of 1000", vec![1000; 5]),
        ("uniform 4", uniform(500, 9)),
        ("uniform 64", uniform(100, 129)),
        ("uniform 1024", uniform(12, 2049)),
        ("uniform 16384", uniform(4, 32_769)),
        ("half empty", uniform(300, 2).into_iter().map(|some| some * 7).collect()),
        ("a giant first", giant(0)),
        ("a giant in the middle", giant(150)),
        ("a giant last", giant(299)),
    ]
}

fn elements(ty: Scalar, len: usize, random: &mut Random) -> Lanes {
    let mut lanes = Lanes::empty(ty);
    lanes.resize(len);
    for at in 0..len {
        let x = random.below(2000) as f64 / 1000.0 - 1.0;
        let value = match ty {
            Scalar::F32 => Value::of(x as f32),
            Scalar::F64 => Value::of(x),
            Scalar::F16 => Value::of(reduce_ir::f16::from_f64(x)),
            Scalar::I32 => Value::of((x * 1000.0) as i32),
            Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::U64
            | Scalar::I8
            | Scalar::I16
            | Scalar::I64
            | Scalar::Bf16
            | Scalar::Bool => panic!("no specification has {ty}"),
        };
        lanes.set(at, value);
    }
    lanes
}

fn as_lanes(offsets: &[usize], ty: Scalar) -> Lanes {
    let mut lanes = Lanes::empty(ty);
    lanes.resize(offsets.len());
    (0..offsets.len()).for_each(|at| lanes.set(at, Value::from_bits(ty, offsets[at] as u64)));
    lanes
}

fn on_host(text: &str) -> Reducer {
    Reducer::new(&spec(text).unwrap(), &Device::host()).unwrap()
}

/// Reduces elements to one result, or `None` if no element is left to reduce.
fn alone(reducer: &Reducer, inputs: &[Strided<LanesRef<'_>>], params: &[Value]) -> Option<Vec<Value>> {
    match reducer.reduce_with(inputs, params) {
        Ok(outcome) => Some(outcome.values),
        Err(Error::Empty { .. } | Error::NothingLeft { .. } | Error::Host(_)) => None,
        Err(error) => panic!("{error}"),
    }
}

fn bits(values: Option<Vec<Value>>) -> Option<Vec<u64>> {
    values.map(|values| values.iter().map(|value| value.bits()).collect())
}

#[test]
fn each_segment_has_the_bits_of_its_elements_alone() {
    let random = &mut Random::new(1);
    let types = [Scalar::U32, Scalar::U64, Scalar::I32, Scalar::I64];
    for (place, text) in SPECS.iter().enumerate() {
        let ty = types[place % types.len()];
        let (cut, whole) =
            (on_host(&format!("{text}, segments: {ty}")), on_host(&format!("{text}, layout: strided")));
        let params: Vec<_> = cut.operation().params.iter().map(|_| Value::of(1.5f32)).collect();
        for (kind, lengths) in lengths(random) {
            let offsets = offsets(&lengths, place % 3);
            let len = offsets.last().unwrap() + place % 2;
            let inputs = cut.operation().inputs.iter().map(|input| elements(input.ty, len, random));
            let inputs: Vec<_> = inputs.collect();
            let views: Vec<_> = inputs.iter().map(|input| View::new(input.borrow(), [len])).collect();
            let found = cut.reduce_segments(&views, as_lanes(&offsets, ty).borrow(), &params).unwrap();
            assert_eq!(found.shape, [lengths.len() as u64], "{text} {kind}");
            for (segment, pair) in offsets.windows(2).enumerate() {
                let slices = inputs.iter().map(|input| input.borrow().slice(pair[0]..pair[1]).into());
                let slices: Vec<Strided<LanesRef<'_>>> = slices.collect();
                let wanted = alone(&whole, &slices, &params);
                assert_eq!(
                    bits(found.get(segment)),
                    bits(wanted),
                    "{text} {kind} segment {segment} of {}",
                    pair[1] - pair[0]
                );
            }
        }
    }
}

#[test]
fn rows_of_features_are_reduced_by_segments() {
    let random = &mut Random::new(2);
    let specs = [
        "op: sum, ty: f32",
        "op: argmax, ty: f32",
        "op: max, ty: i32",
        "op: var, ty: f32, passes: [shuffle]",
    ];
    for text in rotation::sample(specs, 2) {
        let whole = on_host(&format!("{text}, layout: strided"));
        for (axes, features) in [("e f -> f", 3), ("e f -> f", 33), ("f e -> f", 5), ("e f -> 1 f", 1)] {
            let cut = on_host(&format!("{text}, axes: {axes}, segments: u32"));
            for (kind, lengths) in lengths(random) {
                let offsets = offsets(&lengths, 1);
                let len = offsets.last().unwrap() + 1;
                let x = elements(cut.operation().inputs[0].ty, len * features, random);
                let is_last = axes.starts_with('e');
                let view = View::new(x.borrow(), if is_last { [len, features] } else { [features, len] });
                let found =
                    cut.reduce_segments(&[view], as_lanes(&offsets, Scalar::U32).borrow(), &[]).unwrap();
                for (segment, pair) in offsets.windows(2).enumerate() {
                    for feature in 0..features {
                        let (step, first) = if is_last { (features, feature) } else { (1, feature * len) };
                        let (offset, len) = (first + pair[0] * step, pair[1] - pair[0]);
                        let column = Strided { data: x.borrow(), offset, step: step as isize, len };
                        let wanted = bits(alone(&whole, &[column], &[]));
                        let found = bits(found.get(segment * features + feature));
                        assert_eq!(found, wanted, "{text} {axes} {kind} segment {segment} feature {feature}");
                    }
                }
            }
        }
    }
}

/// Positions of elements count in their segment, and those of features do not depend on the segment.
#[test]
fn the_name_of_an_axis_is_a_position_in_its_segment() {
    let cut = on_host("ty: u64, axes: e f -> f, segments: i32, map: |x| x + 10 * e + 100 * f, op: sum");
    let x = [0u64; 12];
    let found = cut.reduce_segments(&[View::new(x[..].into(), [4, 3])], [0, 3, 4][..].into(), &[]).unwrap();
    assert_eq!(found.shape, [2, 3]);
    let sums: Vec<_> = (0..6).map(|at| found.get(at).unwrap()[0].bits()).collect();
    assert_eq!(sums, [30, 330, 630, 0, 100, 200]);
}

#[test]
fn typed_reductions_take_slices_and_offsets() {
    let longest: Reduction<Ragged<f32, u32>, Array<Option<f32>>> = Reduction::new(|| {
        Ok(spec("ty: f32, acc: f32, op: |a, b| if b > a { b } else { a }, identity: none, segments: u32")
            .unwrap())
    });
    let found = longest.reduce_segments(&[1.0, 5.0, 2.0], &[0, 2, 2, 3]).unwrap();
    assert_eq!(found.values, [Some(5.0), None, Some(2.0)]);
    let mut into = [None; 6];
    let view = View { steps: vec![2], ..View::new(&mut into[..], [3]) };
    longest.reduce_segments_into(&[1.0, 5.0, 2.0], &[0, 2, 2, 3], view).unwrap();
    assert_eq!(into, [Some(5.0), None, None, None, Some(2.0), None]);
}

#[test]
fn wrong_offsets_are_errors() {
    let cut = on_host("op: sum, ty: f32, segments: i64");
    let x = [1.0f32; 4];
    let of = |offsets: &[i64]| match cut.reduce_segments(&[View::new(x[..].into(), [4])], offsets.into(), &[])
    {
        Err(Error::Segments(error)) => error.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        of(&[0, 3, 2]),
        "the offsets descend: offset 2 is 2, and the one before is 3; segments are ascending offsets, not lengths"
    );
    assert_eq!(of(&[-1, 3]), "offset 0 is -1, and there are 4 elements");
    assert_eq!(of(&[0, 5]), "offset 1 is 5, and there are 4 elements");
    assert_eq!(of(&[0, i64::MIN]), "offset 1 is -9223372036854775808, and there are 4 elements");
    let view = || [View::new(LanesRef::from(&x[..]), [4])];
    let error = cut.reduce_segments(&view(), [0u32, 4][..].into(), &[]).unwrap_err();
    assert!(matches!(error, Error::Segments(SegmentsError::Type { .. })), "{error}");
    let error = cut.reduce_groups(&view(), &[]).unwrap_err();
    assert!(matches!(error, Error::Segments(SegmentsError::Missing)), "{error}");
    let error = on_host("op: sum, ty: f32").reduce_segments(&view(), [0u32, 4][..].into(), &[]).unwrap_err();
    assert!(matches!(error, Error::Segments(SegmentsError::None)), "{error}");
    let none: [i64; 0] = [];
    assert!(cut.reduce_segments(&view(), none[..].into(), &[]).unwrap().is_empty());
}

#[test]
fn runs_have_the_bits_of_segments() {
    let random = &mut Random::new(3);
    for text in ["op: sum, ty: f32", "op: argmax, ty: f32", "op: mean, ty: f64"] {
        let runs = on_host(&format!("{text}, by: {{ day: i32 }}, groups: runs"));
        let cut = on_host(&format!("{text}, segments: u64"));
        for (kind, lengths) in lengths(random) {
            let lengths: Vec<_> = lengths.into_iter().filter(|&length| length > 0).collect();
            let keys = lengths.iter().enumerate().flat_map(|(run, &length)| vec![-(run as i32 % 7); length]);
            let keys: Vec<i32> = keys.collect();
            let x = elements(runs.operation().inputs[0].ty, keys.len(), random);
            let view = || [View::new(x.borrow(), [keys.len()])];
            let found = runs.reduce_runs(&view(), keys.as_slice().into(), &[]).unwrap();
            let offsets = as_lanes(&offsets(&lengths, 0), Scalar::U64);
            let wanted = cut.reduce_segments(&view(), offsets.borrow(), &[]).unwrap();
            assert_eq!(found.groups.shape, wanted.shape, "{text} {kind}");
            for run in 0..lengths.len() {
                assert_eq!(bits(found.groups.get(run)), bits(wanted.get(run)), "{text} {kind} run {run}");
                assert_eq!(found.keys.get(run), Value::of(-(run as i32 % 7)), "{kind}");
            }
        }
    }
}

#[test]
fn typed_reductions_take_keys() {
    let sums: Reduction<Keyed<f32, f32>, Array<f32>> =
        Reduction::new(|| Ok(spec("op: sum, ty: f32, by: { key: f32 }, groups: runs").unwrap()));
    let Runs { keys, results } = sums.reduce_runs(&[1.0, 2.0, 4.0, 8.0], &[-0.0, 0.0, 1.0, -0.0]).unwrap();
    assert_eq!(
        keys.iter().map(|key| key.to_bits()).collect::<Vec<_>>(),
        [0x8000_0000, 0x3f80_0000, 0x8000_0000]
    );
    assert_eq!(results.values, [3.0, 4.0, 8.0]);
    let error = sums.reduce_runs(&[1.0, 2.0], &[1.0]).unwrap_err().to_string();
    assert_eq!(error, "there are 1 keys for 2 elements along the reduced axis; give one for each");
    assert!(sums.reduce_runs(&[], &[]).unwrap().keys.is_empty());
}
