//! Params, results and positions with their Rust types: the promises of `reduction!` agree with the results of devices.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use reduce_lanes::LanesRef;
use reducegen::Value;
use reducegen::{
    ArgMinMax, Array, Best, Describe, Device, Error, MaxSum, MinMax, Reduction, View, f16, reduction,
};

reduction! {
    static LINE;
    ty: f32, params: Line { a: f32, b: i32 = 3 }, map: |x| a * x + b as f32, op: sum
}

#[test]
fn params_are_given_at_the_call_by_name() {
    let x = [1.0, 2.0, 4.0];
    assert_eq!(LINE.with_params(|p| p.a(2.0)).reduce(&x).unwrap(), 23.0);
    assert_eq!(LINE.with_params(|p| p.b(-1).a(0.0)).reduce(&x).unwrap(), -3.0);
    let compiled = LINE.compile(&Device::host()).unwrap();
    assert_eq!(compiled.with(Line { a: 1.0, b: 0 }).reduce(&x).unwrap(), 7.0);
    assert_eq!(compiled.with_params(|p| p.b(0).a(1.0)).reduce(&x).unwrap(), 7.0);
}

#[test]
fn params_reach_every_function() {
    let all = reduction! {
        ty: f64,
        params: { scale: f64, far: f64 = 0.0, ddof: u64 = 0 },
        index: i,
        map: |x| if i == 0 { x * scale + far } else { x * scale },
        fold: |acc, x| if i == 0 { acc } else { acc + x * scale },
        op: |a, b| a + b,
        identity: 0.0,
        finish: |s, n| s / (n - ddof) as f64,
    };
    let x: Vec<f64> = (0..4097).map(f64::from).collect();
    let sum = 4096.0 * 4097.0 / 2.0;
    assert_eq!(
        all.with_params(|p| p.scale(2.0).far(64.0).ddof(1)).reduce(&x).unwrap(),
        (2.0 * sum + 64.0) / 4096.0
    );
    assert_eq!(all.with_params(|p| p.scale(0.5)).reduce(&x[..2]).unwrap(), 0.25);
}

#[test]
fn params_of_another_number_or_type_are_named() {
    let compiled = LINE.compile(&Device::host()).unwrap();
    let reduce = |params: &[Value]| {
        let x = [1.0f32];
        compiled.reducer().reduce_with(&[LanesRef::from(&x[..])], params)
    };
    let error = reduce(&[]).unwrap_err();
    let missing = "the reduction takes 2 params, `a`, `b`, not 0 values; give one value for each";
    assert_eq!((error.to_string().as_str(), error.is_usage_error()), (missing, true));
    let error = reduce(&[Value::of(1.0f32), Value::of(1.0f32)]).unwrap_err();
    let wrong = "the param `b` is f32, and the reduction takes i32; convert it";
    assert_eq!((error.to_string().as_str(), error.is_usage_error()), (wrong, true));
    let sum = reduction! { ty: f32, op: sum }.compile(&Device::host()).unwrap();
    let error =
        sum.reducer().reduce_with(&[LanesRef::from(&[1.0f32][..])], &[Value::of(1.0f32)]).unwrap_err();
    assert!(matches!(&error, Error::ParamCount { names, found: 1 } if names.is_empty()), "{error}");
}

#[test]
fn operators_of_several_results_give_structs_of_the_library() {
    let x = [3.0f32, -1.0, 4.0, -1.0, 5.0];
    let minmax: MinMax<f32> = reduction! { ty: f32, op: minmax }.reduce(&x).unwrap();
    assert_eq!(minmax, MinMax { min: -1.0, max: 5.0 });
    let spread: f32 = reduction! { ty: f32, op: minmax, finish: |r| r.max - r.min }.reduce(&x).unwrap();
    assert_eq!(spread, 6.0);
    let described: Describe<f32, f32> = reduction! { ty: f32, op: describe }.reduce(&x).unwrap();
    assert_eq!((described.n, described.mean, described.min, described.max), (5, 2.0, -1.0, 5.0));
}

/// A call need not give params that all have defaults, and a struct of them is a value like others.
#[test]
fn params_with_defaults_may_be_left_out() {
    let std = reduction! { ty: f32, op: std, params: { ddof: u64 = 1 } };
    assert_eq!(std.reduce(&[1.0, 3.0]).unwrap(), 2f32.sqrt());
    assert_eq!(std.with_params(|p| p.ddof(0)).reduce(&[1.0, 3.0]).unwrap(), 1.0);
    let outside = reduction! {
        ty: f64, params: { lo: f64 = f64::NEG_INFINITY, hi: f64 = 1.0 + 1.0, on: bool = true },
        map: |x| (on && (x < lo || x > hi)) as u64, op: sum
    };
    let x = [-1.0, 1.5, 3.0];
    assert_eq!(outside.compile(&Device::host()).unwrap().reduce(&x).unwrap(), 1);
    assert_eq!(outside.with_params(|p| p.lo(0.0)).reduce(&x).unwrap(), 2);
    assert_eq!(outside.with_params(|p| p.on(false)).reduce(&x).unwrap(), 0);
}

/// Without Rust types, names are checked at the call.
#[test]
fn params_of_texts_have_names_and_defaults() {
    let spec = LINE.spec().unwrap();
    assert_eq!(spec.params(&[("a", 2.0f32.into())]), Ok(vec![2.0f32.into(), 3i32.into()]));
    assert_eq!(
        spec.params(&[("b", 1i32.into()), ("a", 2.0f32.into())]),
        Ok(vec![2.0f32.into(), 1i32.into()])
    );
    let refused = |given: &[(&str, Value)]| spec.params(given).unwrap_err().to_string();
    let [a, b] = [("a", Value::of(1.0f32)), ("b", Value::of(1i32))];
    assert_eq!(refused(&[("c", b.1)]), "there is no param `c`; the params are a, b");
    assert_eq!(refused(&[a, a]), "the param `a` is given twice; leave one out");
    let missing =
        "the param `a` has no value; give it, or write its default in the specification: `a: f32 = 0.0`";
    assert_eq!(refused(&[b]), missing);
}

/// Derived numbers have the bits of the operator for them alone.
#[test]
fn results_are_shown_and_taken_apart() {
    let x: Vec<f32> = (1..2000).map(|i| 1e3 + 1.0 / i as f32).collect();
    let described = reduction! { ty: f32, op: describe }.reduce(&x).unwrap();
    let var = reduction! { ty: f32, op: var, params: { ddof: u64 } };
    for ddof in [0, 1] {
        assert_eq!(described.variance(ddof), var.with(ddof).reduce(&x).unwrap());
        assert_eq!(described.std(ddof), described.variance(ddof).sqrt());
    }
    assert!(!described.variance(5000).is_finite());
    let softmax: MaxSum<f32> = reduction! { ty: f32, op: softmax_denominator }.reduce(&x).unwrap();
    assert_eq!(softmax.logsumexp(), reduction! { ty: f32, op: logsumexp }.reduce(&x).unwrap());
    assert_eq!(reduction! { ty: f64, op: softmax_denominator }.reduce(&[0.0]).unwrap().logsumexp(), 0.0);

    let ends = MinMax { min: -1.5, max: 4.0 };
    assert_eq!(
        (format!("{ends}"), format!("{ends:.2}")),
        ("min: -1.5, max: 4".into(), "min: -1.50, max: 4.00".into())
    );
    assert_eq!(<(f64, f64)>::from(ends), (-1.5, 4.0));
    let (value, index): (i8, u64) = Best { value: 7, index: 3 }.into();
    let (first, last): (u64, u64) = ArgMinMax { argmin: 1, argmax: 0 }.into();
    assert_eq!((value, index, first, last), (7, 3, 1, 0));
    let shown = reduction! { ty: f32, op: describe }.reduce(&[1.0, 3.0]).unwrap().to_string();
    assert_eq!(shown, "n: 2, mean: 2, m2: 2, min: 1, max: 3");
}

#[test]
fn results_are_serialised() {
    let ends = reduction! { ty: f32, op: minmax, axes: i j -> i }
        .reduce(View::new(&[1.0, 2.0, 3.0, 0.5], [2, 2]))
        .unwrap();
    let text = serde_json::to_string(&ends).unwrap();
    assert_eq!(text, r#"{"shape":[2],"values":[{"min":1.0,"max":2.0},{"min":0.5,"max":3.0}]}"#);
    assert_eq!(serde_json::from_str::<Array<MinMax<f32>>>(&text).unwrap(), ends);
    let described = reduction! { ty: f16, op: describe }.reduce(&[f16::ONE]).unwrap();
    let text = serde_json::to_string(&described).unwrap();
    assert_eq!(serde_json::from_str::<Describe<f16, f32>>(&text).unwrap(), described);
}

/// Every call has its own memory and params, whatever other threads call and whatever was reduced before.
#[test]
fn calls_from_many_threads_share_a_reduction() {
    static SCALED: Reduction<i64, i64, i64> =
        reduction! { params: { k: i64 }, map: |x| k * x, op: sum, ty: i64, passes: [shuffle, coarsen(4)] };
    let x: Vec<i64> = (0..200_000).collect();
    let check = |k: i64, n: usize| {
        let sum: i64 = x[..n].iter().sum();
        assert_eq!(SCALED.with(k).reduce(&x[..n]).unwrap(), k * sum, "{k} {n}");
    };
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                (0..30).for_each(|i| check(thread + i % 3, [1, 200_000, 7, 5000, 70_000][i as usize % 5]))
            });
        }
    });
}

/// Programs log values that hold a reduction. The log shows its specification, and no data.
#[test]
fn reductions_are_shown_by_their_specification() {
    assert_eq!(LINE.with_params(|p| p.a(2.0)).reduce(&[1.0, 2.0]).unwrap(), 12.0);
    let spec = "ty: f32, params: { a: f32, b: i32 = 3 }, map: |x| (a * x) + (b as f32), op: sum";
    assert_eq!(format!("{LINE:?}"), format!("Reduction {{ spec: {spec:?}, .. }}"));
    let compiled = format!("{:?}", LINE.compile(&Device::host()).unwrap());
    assert!(compiled.starts_with("Compiled { reducer: Reducer { operation: \"sum\", device: "), "{compiled}");
    assert!(compiled.len() < 200, "{compiled}");
}

static CHANNELS: Reduction<f32, Array<f64>> =
    reduction! { ty: f32, map: |x| x as f64, op: sum, axes: b h w c -> b c };
static WEIGHED: Reduction<(f32, f32), Array<f32>> =
    reduction! { inputs: { x: f32, w: f32 }, axes: { x: b c, w: c } -> b, map: |x, w| x * w, op: sum };
static LAST: Reduction<u8, Array<Option<u8>>> =
    reduction! { ty: u8, axes: i j -> j 1, op: |_a, b| b, identity: none };
static SCALED: Reduction<f32, Array<MinMax<f32>>, f32> =
    reduction! { ty: f32, params: { k: f32 }, map: |x| x * k, op: minmax, segments: 2 };

#[test]
fn axes_give_arrays() {
    let x: Vec<f32> = (0..24).map(|at| at as f32).collect();
    let sums = CHANNELS.reduce(View::new(&x, [2, 2, 2, 3])).unwrap();
    assert_eq!(sums.shape, [2, 3]);
    assert_eq!(sums[[1, 2]], 14.0 + 17.0 + 20.0 + 23.0);
    assert_eq!(sums.get(&[1, 3]), None);
    let weighed = WEIGHED.reduce((View::new(&x, [8, 3]), View::new(&[1.0, 0.0, 2.0], [3]))).unwrap();
    assert_eq!(weighed.values[..3], [4.0, 13.0, 22.0]);
    let bytes = [1u8, 2, 3, 4];
    let last = LAST.reduce(View::new(&bytes, [2, 2])).unwrap();
    assert_eq!((last.shape, last.values), (vec![2, 1], vec![Some(3), Some(4)]));
    assert_eq!(LAST.reduce(View::new(&bytes, [0, 2])).unwrap().values, [None, None]);
    let pairs = SCALED.with(2.0).reduce(View::new(&x, [24])).unwrap();
    assert_eq!(pairs.values[11], MinMax { min: 44.0, max: 46.0 });
    let error = SCALED.with(1.0).reduce(View::new(&x[..3], [3])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`(s 2)` needs a length that is a multiple of 2, and the dimension of input `x` has length 3"
    );
    assert!(matches!(error, Error::Shape(_)) && error.is_usage_error());
}

/// Filters may leave no element of a group.
#[test]
fn a_group_without_an_element_left_is_none() {
    let above = reduction! { ty: f32, axes: i j -> i, filter: |x| x > 0.0, op: argmax };
    let found = above.reduce(View::new(&[-1.0, -2.0, 3.0, 4.0], [2, 2])).unwrap();
    assert_eq!(found.values, [None, Some(1)]);
}

const PEAK: Reduction<f32, f32> = reduction! { ty: f32, op: max };

/// What is compiled stays in the process: neither a `const` nor a `let` compiles again at each use, which takes some hundred microseconds.
#[test]
fn a_reduction_is_a_plain_value() {
    let call = |x: &[f32]| {
        let mean = reduction! { ty: f32, op: mean };
        let copy = mean;
        (copy.reduce(x).unwrap(), mean.reduce_on(&Device::host(), x).unwrap(), PEAK.reduce(x).unwrap())
    };
    let x = [1.0, 2.0, 6.0];
    assert_eq!(call(&x), (3.0, 3.0, 6.0));
    let started = std::time::Instant::now();
    (0..1000).for_each(|_| assert_eq!(call(&x), (3.0, 3.0, 6.0)));
    let of_one = started.elapsed() / 3000;
    println!("{of_one:?} for a call");
    assert!(of_one.as_micros() < 60, "{of_one:?}");
}
