//! `empty`: the result of no elements, of one reduction and of groups, on the host and in the interpreter.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use reduce_codegen::lower;
use reduce_dsl::parse::spec;
use reduce_interpreter::{Input, Options, Values, run};
use reduce_ir::{Extent, Value};
use reduce_lanes::{Lanes, LanesRef};
use reducegen::{Array, Best, Device, Error, MinMax, Reducer, Reduction, View, reduction};

const NAN: f32 = f32::NAN;

#[test]
fn no_elements_have_the_value_that_is_given() {
    assert_eq!(reduction! { op: argmax, ty: f32, empty: u64::MAX }.reduce(&[]), Ok(u64::MAX));
    assert_eq!(reduction! { op: max, ty: i32, empty: -1 }.reduce(&[]), Ok(-1));
    assert_eq!(reduction! { op: mean, ty: f32, empty: 0.5 }.reduce(&[]), Ok(0.5));
    assert_eq!(reduction! { op: sum, ty: u8, empty: 7 }.reduce(&[]), Ok(7));
    let last = reduction! { ty: f32, op: |_a, b| b, identity: none, empty: f32::INFINITY };
    assert_eq!((last.reduce(&[]), last.reduce(&[3.0])), (Ok(f32::INFINITY), Ok(3.0)));
    let mean =
        reduction! { ty: f64, op: |a, b| a + b, identity: 0.0, finish: |s, n| s / n as f64, empty: -0.0 };
    assert_eq!(mean.reduce(&[]).map(f64::to_bits), Ok((-0.0f64).to_bits()));
    assert_eq!(mean.reduce(&[1.0, 2.0]), Ok(1.5));
}

static LARGEST: Reduction<f32, Array<Option<f32>>> =
    reduction! { op: max, ty: f32, axes: i j -> i, nan: ignore, identity: none };

/// Without its identity, a named operator has no result of no elements, and the same bits of others.
#[test]
fn named_operators_may_lack_an_identity() {
    let largest = reduction! { op: max, ty: f32, identity: none };
    assert!(matches!(largest.reduce(&[]), Err(Error::Empty { .. })));
    assert_eq!(largest.reduce(&[-1.0, f32::NEG_INFINITY]), Ok(-1.0));
    let kept = reduction! { op: mean, ty: f32, filter: |x| x > 0.0, identity: none };
    assert!(kept.reduce(&[-1.0, -2.0]).is_err() && kept.reduce(&[]).is_err());
    assert_eq!(kept.reduce(&[-1.0, 2.0, 4.0]), Ok(3.0));
    let found = LARGEST.reduce(View::new(&[NAN, NAN, -3.0, NAN], [2, 2])).unwrap();
    assert_eq!(found.values, [None, Some(-3.0)]);
    assert_eq!(LARGEST.reduce(View::new(&[], [2, 0])).unwrap().values, [None, None]);
    let text = LARGEST.spec().unwrap().text;
    assert!(text.contains("identity: none") && spec(&text).unwrap().text == text, "{text}");
    let (sum, total) = (reduction! { op: sum, ty: f32, identity: none }, reduction! { op: sum, ty: f32 });
    let x: Vec<f32> = (0..70_001).map(|i| 1.0 / (i + 1) as f32).collect();
    for n in [1, 2, 31, 1000, 70_001] {
        assert_eq!(sum.reduce(&x[..n]).map(f32::to_bits), total.reduce(&x[..n]).map(f32::to_bits), "{n}");
    }
}

#[test]
fn structs_are_literals_of_the_result() {
    let best = reduction! { op: findmax, ty: f32, nan: ignore, empty: Best { value: 0.0, index: 9 } };
    assert_eq!(best.reduce(&[NAN, NAN]), Ok(Best { value: 0.0, index: 9 }));
    assert_eq!(best.reduce(&[NAN, 2.0]), Ok(Best { value: 2.0, index: 1 }));
    let ends = reduction! { op: minmax, ty: i8, filter: |x| x > 0, empty: MinMax { max: -1, min: 1 } };
    assert_eq!(ends.reduce(&[-3, -2]), Ok(MinMax { min: 1, max: -1 }));
    let own = reduction! {
        ty: f32,
        filter: |x| x > 0.0,
        op: |a, b| a + b,
        identity: 0.0,
        finish: |sum| Out { sum, rest: 0.5 * sum },
        empty: Out { sum: -1.0, rest: -2.0 },
    };
    let of = |x: &[f32]| own.reduce(x).map(|out| (out.sum, out.rest));
    assert_eq!(
        (of(&[-1.0]), of(&[]), of(&[4.0, -1.0])),
        (Ok((-1.0, -2.0)), Ok((-1.0, -2.0)), Ok((4.0, 2.0)))
    );
}

static ROWS: Reduction<f32, Array<u64>> =
    reduction! { op: argmax, ty: f32, axes: i j -> i, filter: |x| x > 0.0, empty: 100 };
static HALVES: Reduction<reducegen::f16, Array<reducegen::f16>> =
    reduction! { op: max, ty: f16, axes: i j -> i, nan: ignore, empty: -1.0 };

/// Without `empty`, the results are of type `Option<u64>`.
#[test]
fn groups_have_plain_results() {
    let found = ROWS.reduce(View::new(&[-1.0, -2.0, 3.0, 4.0], [2, 2])).unwrap();
    assert_eq!(found.values, [100, 1]);
    assert_eq!(ROWS.reduce(View::new(&[], [3, 0])).unwrap().values, [100; 3]);
    let half = reducegen::f16::from_f32;
    let found = HALVES.reduce(View::new(&[half(NAN), half(NAN), half(-3.0), half(NAN)], [2, 2])).unwrap();
    assert_eq!(found.values, [half(-1.0), half(-3.0)]);
}

/// The result of elements that are present has the bits that it has without `empty`.
#[test]
fn present_elements_keep_their_result() {
    let with = reduction! { op: sum, ty: f32, nan: ignore, empty: 5.0 };
    let without = reduction! { op: sum, ty: f32, nan: ignore };
    for x in [&[-0.0][..], &[-0.0, NAN], &[1.0, NAN, 2.5], &[NAN, -3.0]] {
        assert_eq!(with.reduce(x).map(f32::to_bits), without.reduce(x).map(f32::to_bits), "{x:?}");
    }
    assert_eq!(with.reduce(&[NAN; 3]), Ok(5.0));
}

/// A position that `finish` changed still reports that no element was left.
#[test]
fn finish_after_ignored_nan_has_no_result() {
    let position = reduction! { op: argmax, ty: f32, nan: ignore, finish: |p| p as f64 };
    assert!(position.reduce(&[NAN]).is_err());
    assert_eq!(position.reduce(&[NAN, 1.0]), Ok(1.0));
    let given = reduction! { op: argmax, ty: f32, nan: ignore, finish: |p| p as f64, empty: -1.0 };
    assert_eq!((given.reduce(&[NAN]), given.reduce(&[])), (Ok(-1.0), Ok(-1.0)));
}

/// The laws are about the operator, whatever `empty` is.
#[test]
fn laws_hold() {
    let last = spec("ty: f32, op: argmax, empty: 3").unwrap();
    assert!(reducegen::laws::check(&last.operation, reducegen::laws::Effort::Sample).is_ok());
}

const SPECS: [&str; 10] = [
    "op: sum, nan: ignore, empty: -5.0",
    "op: mean, nan: ignore, empty: -5.0",
    "op: max, filter: |x| x > 0.0, empty: f32::NAN",
    "op: argmax, nan: ignore, empty: 77",
    "op: argmin, nan: ignore, finish: |p| p as f32, empty: -1.0",
    "op: findmin, filter: |x| x > 0.0, nan: ignore, empty: Best { value: 1.0, index: 8 }",
    "op: minmax, nan: ignore, empty: MinMax { min: 1.0, max: 0.0 }",
    "op: |a, b| if b > a { b } else { a }, identity: none, filter: |x| x > 0.0, empty: -1.0",
    "op: |a, b| a * b + a + b, identity: 0.0, filter: |x| x > 0.0, empty: -1.0",
    "op: sum, filter: |x| x > 0.0, fold: |acc, x| acc + x, empty: -9.0",
];

/// Elements that no specification keeps, and the same with one that all keep.
fn elements(n: usize) -> [Vec<f32>; 2] {
    let none = vec![NAN; n];
    let mut one = none.clone();
    one[n / 2] = 2.5;
    [none, one]
}

#[test]
fn the_interpreter_has_the_bits_of_the_host() {
    for text in SPECS {
        for passes in ["auto", "[]", "[shuffle, coarsen(4)]"] {
            let spec = spec(&format!("ty: f32, {text}, passes: {passes}")).unwrap();
            let reducer = Reducer::new(&spec, &Device::host()).unwrap();
            for n in [1, 33, 1000, 3000] {
                let [none, one] = elements(n);
                assert_eq!(on_host(&reducer, &none), spec.operation.empty.clone().unwrap(), "{text}");
                assert_ne!(on_host(&reducer, &one), spec.operation.empty.clone().unwrap(), "{text}");
                for x in [none, one] {
                    assert_eq!(interpreted(&reducer, &x), on_host(&reducer, &x), "{text}, {passes}, n = {n}");
                }
            }
            assert_eq!(on_host(&reducer, &[]), spec.operation.empty.unwrap(), "{text}");
        }
    }
}

/// Each group has a result of its own: the middle one has no element left.
#[test]
fn groups_in_the_interpreter_have_the_bits_of_the_host() {
    for text in SPECS {
        let spec = spec(&format!("ty: f32, axes: i j -> i, {text}")).unwrap();
        let reducer = Reducer::new(&spec, &Device::host()).unwrap();
        for length in [1, 31, 700, 5000] {
            let [none, one] = elements(length);
            let x = [one.clone(), none, one].concat();
            let view = View::new(LanesRef::from(&x[..]), [3, length]);
            let groups = reducer.reduce_groups(&[view], &[]).unwrap();
            let wanted: Vec<_> = (0..3).map(|group| groups.get(group).unwrap()).collect();
            assert_eq!(wanted[1], spec.operation.empty.clone().unwrap(), "{text}");
            assert_ne!(wanted[0], wanted[1], "{text}");
            assert_eq!(interpreted_groups(&reducer, &x, 3), wanted, "{text}, length {length}");
        }
    }
}

fn interpreted_groups(reducer: &Reducer, x: &[f32], groups: u64) -> Vec<Vec<Value>> {
    let length = x.len() as u64 / groups;
    let program = reducer.programs().for_len(length);
    let mut domain = Values::new(&program.operation);
    let inputs = [Input::new(Lanes::F32(x.to_vec().into()), true)];
    let sizes = [groups, length];
    let options = Options { sizes: &sizes, ..Options::FORWARD.with(&[]) };
    let extent = Extent { groups, length };
    let outcome = run(program, &lower(program).unwrap(), &mut domain, &inputs, extent, options);
    assert!(outcome.reports.is_empty(), "{:?}", outcome.reports);
    outcome.results.iter().map(|acc| domain.finish(acc.unwrap(), length, &[]).unwrap()).collect()
}

fn on_host(reducer: &Reducer, x: &[f32]) -> Vec<Value> {
    reducer.reduce(&[LanesRef::from(x)]).unwrap().values
}

fn interpreted(reducer: &Reducer, x: &[f32]) -> Vec<Value> {
    let n = x.len() as u64;
    let program = reducer.programs().for_len(n);
    let mut domain = Values::new(&program.operation);
    let inputs = [Input::new(Lanes::F32(x.to_vec().into()), true)];
    let outcome = run(program, &lower(program).unwrap(), &mut domain, &inputs, n, Options::FORWARD);
    assert!(outcome.reports.is_empty(), "{:?}", outcome.reports);
    program.operation.unstored(domain.finish(outcome.acc().unwrap(), n, &[]).unwrap()).unwrap()
}

#[test]
fn the_canonical_text_reads_back() {
    for text in SPECS {
        let first = spec(&format!("ty: f32, {text}")).unwrap();
        assert_eq!(spec(&first.text).unwrap(), first);
    }
    let half = spec("ty: f16, op: max, empty: f32::INFINITY").unwrap();
    assert_eq!(half.text, "ty: f16, op: max, empty: f32::INFINITY");
    assert_eq!(spec(&half.text).unwrap(), half);
}
