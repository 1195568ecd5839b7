//! Everyday reductions, written as users write them first: each compiles and gives the right value.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "users write it like this")]

use reducegen::{Array, Compiled, Device, Error, Reduction, Strided, View, reduction};

const SCALED: [f32; 4] = [3.0, -1.0, 2.0, 8.0];

static MEAN: Reduction<f32, f32> = reduction! { op: mean, ty: f32 };

struct Meter {
    peak: Reduction<f32, f32>,
}

const fn peak() -> Reduction<f32, f32> {
    reduction! { ty: f32, map: |x| x.abs(), op: max }
}

macro_rules! totals {
    ($($name:ident: $ty:ident)*) => {
        $(static $name: Reduction<$ty, $ty> = reduction! { ty: $ty, op: |a, b| a + b, identity: 0 as $ty };)*
    };
}

totals! { TOTAL_I64: i64 TOTAL_U32: u32 }

fn boxed() -> Result<f32, Box<dyn std::error::Error + Send + Sync>> {
    Ok(MEAN.reduce(&SCALED)?)
}

fn named_operators() {
    let x = &SCALED;
    assert_eq!(reduction! { op: sum, ty: f32 }.reduce(x).unwrap(), 12.0);
    assert_eq!(reduction! { op: max, ty: f32 }.reduce(x).unwrap(), 8.0);
    assert_eq!(reduction! { op: argmax, ty: f32 }.reduce(x).unwrap(), 3);
    assert_eq!(reduction! { op: min, ty: f32 }.reduce(&x.to_vec()).unwrap(), -1.0);
    assert_eq!(reduction! { op: norm2, ty: f32 }.reduce(&[3.0, 4.0]).unwrap(), 5.0);
    assert_eq!(reduction! { op: count, ty: f32, map: |x| x > 0.0 }.reduce(x).unwrap(), 3);
    assert!(!reduction! { op: all, ty: bool }.reduce(&[true, false]).unwrap());
    assert_eq!(reduction! { inputs: { x: f32, y: f32 }, op: dot }.reduce((x, x)).unwrap(), 78.0);
    let var = reduction! { op: var, ty: f64, params: { ddof: u64 } };
    assert_eq!(var.with(1).reduce(&[1.0, 2.0, 3.0]).unwrap(), 1.0);
    let best = reduction! { op: findmax, ty: f32 }.reduce(x).unwrap();
    assert_eq!((best.value, best.index), (8.0, 3));
}

fn mapped() {
    let x = &SCALED;
    assert_eq!(reduction! { ty: f32, map: |x| x * x, op: sum }.reduce(x).unwrap(), 78.0);
    assert_eq!(reduction! { ty: f32, map: |x| x as f64, op: sum }.reduce(x).unwrap(), 12.0);
    assert_eq!(
        reduction! { ty: f32, map: |x| if x > 0.0 { x } else { 0.0 }, op: sum }.reduce(x).unwrap(),
        13.0
    );
    assert_eq!(
        reduction! { ty: f32, map: |x| x.ln(), op: mean, finish: |m| m.exp() }.reduce(&[1.0, 1.0]).unwrap(),
        1.0
    );
    assert_eq!(
        reduction! { ty: i32, map: |x| matches!(x, 1 | 2 | 3) as u64, op: sum }.reduce(&[1, 5, 3]).unwrap(),
        2
    );
    let inside = reduction! { ty: f32, map: |x| (0.0..=3.0).contains(&x), op: all };
    assert!(!inside.reduce(x).unwrap());
    let class = reduction! { ty: u8, map: |x| match x { 0 => 0u64, 1..=9 => 1, _ => 100 }, op: sum };
    assert_eq!(class.reduce(&[0, 5, 50]).unwrap(), 101);
    let clipped = reduction! { ty: f32, params: { lo: f32, hi: f32 }, map: |x| x.clamp(lo, hi), op: sum };
    assert_eq!(clipped.with_params(|p| p.lo(0.0).hi(2.0)).reduce(x).unwrap(), 6.0);
    let early = reduction! { ty: f32, map: |x| { if x < 0.0 { return 0.0; } x.sqrt() }, op: sum };
    assert_eq!(early.reduce(&[4.0, -1.0]).unwrap(), 2.0);
    let changed =
        reduction! { ty: f32, map: |x| { let mut y = x; y *= 2.0; if y > 4.0 { y = 4.0; } y }, op: sum };
    assert_eq!(changed.reduce(x).unwrap(), 4.0 - 2.0 + 4.0 + 4.0);
    let series =
        reduction! { ty: f64, map: |x| { let mut s = 0.0; for i in 0..3 { s += x * i as f64; } s }, op: sum };
    assert_eq!(series.reduce(&[1.0, 2.0]).unwrap(), 9.0);
    let squared = reduction! { fn sq(x: f32) -> f32 { x * x } ty: f32, map: |x| sq(x) + sq(1.0), op: sum };
    assert_eq!(squared.reduce(&[2.0]).unwrap(), 5.0);
    let table = reduction! { ty: u8, map: |x| { let t = [10u64, 20, 30]; t[(x % 3) as usize] }, op: sum };
    assert_eq!(table.reduce(&[0, 1, 5]).unwrap(), 60);
    let weighted = reduction! { ty: f32, index: i, map: |x| x * i as f32, op: sum };
    assert_eq!(weighted.reduce(x).unwrap(), 27.0);
}

fn accumulators() {
    let x = &SCALED;
    let range =
        reduction! { ty: f32, map: |x| (x, x), op: |a, b| (a.0.min(b.0), a.1.max(b.1)), identity: none };
    assert_eq!(range.reduce(x).unwrap(), (-1.0, 8.0));
    let mean = reduction! { ty: f32, map: |x| (x as f64, 1u64), op: |a, b| (a.0 + b.0, a.1 + b.1), identity: (0.0, 0), finish: |(s, n)| s / n as f64 };
    assert_eq!(mean.reduce(x).unwrap(), 3.0);
    let cosine = reduction! {
        inputs: { x: f64, y: f64 },
        acc: Sums { xy: f64, xx: f64, yy: f64 },
        map: |x, y| Sums { xy: x * y, xx: x * x, yy: y * y },
        op: |a, b| Sums { xy: a.xy + b.xy, xx: a.xx + b.xx, yy: a.yy + b.yy },
        identity: Sums { xy: 0.0, xx: 0.0, yy: 0.0 },
        finish: |s| s.xy / (s.xx * s.yy).sqrt(),
    };
    assert_eq!(cosine.reduce((&[1.0, 0.0], &[1.0, 0.0])).unwrap(), 1.0);
    let histogram = reduction! {
        ty: u8,
        acc: H { bins: [u32; 4] },
        map: |x| { let mut h = H { bins: [0; 4] }; h.bins[(x / 64) as usize] = 1; h },
        op: |mut a, b| { for i in 0..4 { a.bins[i] += b.bins[i]; } a },
        identity: H { bins: [0; 4] },
    };
    assert_eq!(histogram.reduce(&[1, 2, 200]).unwrap().bins, [2, 0, 0, 1]);
    let product = reduction! {
        inputs: { re: f32, im: f32 },
        map: |re, im| [re, im],
        op: |a, b| [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]],
        identity: [1.0, 0.0],
    };
    assert_eq!(product.reduce((&[0.0, 0.0], &[1.0, 1.0])).unwrap(), [-1.0, 0.0]);
    assert_eq!(reduction! { ty: f32, op: f32::max }.reduce(x).unwrap(), 8.0);
    assert_eq!(reduction! { ty: i32, op: i32::min }.reduce(&[3, -4]).unwrap(), -4);
    assert_eq!(
        reduction! { fn add(a: i64, b: i64) -> i64 { a + b } ty: i64, op: add, identity: 0 }
            .reduce(&[3, -4])
            .unwrap(),
        -1
    );
    assert_eq!(reduction! { ty: usize, op: max }.reduce(&[3, 4]).unwrap(), 4);
}

fn arrays() {
    let norm = reduction! { ty: [f32; 2], map: |z| z[0] * z[0] + z[1] * z[1], op: sum };
    assert_eq!(norm.reduce(&[[3.0, 4.0], [0.0, 1.0]]).unwrap(), 26.0);
    assert_eq!(norm.reduce(&Vec::new()).unwrap(), 0.0);
    let brightest = reduction! { ty: [u8; 3], map: |[r, g, b]| r as u32 + g as u32 + b as u32, op: max };
    assert_eq!(brightest.reduce(&[[1, 2, 3], [9, 0, 1]]).unwrap(), 10);
    let centre = reduction! {
        inputs: { at: [f64; 2], mass: f64 },
        map: |at, mass| [at[0] * mass, at[1] * mass, mass],
        op: |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]],
        identity: [0.0; 3],
        finish: |s| [s[0] / s[2], s[1] / s[2]],
    };
    assert_eq!(centre.reduce((&[[0.0, 1.0], [4.0, 1.0]], &[1.0, 3.0])).unwrap(), [3.0, 1.0]);
    let farthest = reduction! { ty: [f32; 2], filter: |p| p[0] > 0.0, map: |p| p[0].hypot(p[1]), op: argmax };
    assert_eq!(farthest.reduce(&[[-9.0, 9.0], [3.0, 4.0], [1.0, 1.0]]).unwrap(), 1);
    let largest_two = reduction! {
        ty: i32,
        map: |x| [x, i32::MIN],
        op: |a, b| if a[0] >= b[0] { [a[0], a[1].max(b[0])] } else { [b[0], b[1].max(a[0])] },
        identity: [i32::MIN; 2],
    };
    assert_eq!(largest_two.reduce(&[3, -1, 8]).unwrap(), [8, 3]);
}

fn groups_of_arrays() {
    let points = [[1.0f32, 0.0], [3.0, 4.0], [0.0, 2.0], [6.0, 8.0]];
    let longest = reduction! { inputs: { p: [f32; 2] }, map: |p| p[0].hypot(p[1]), op: max, axes: i j -> i };
    assert_eq!(longest.reduce(View::new(&points, [2, 2])).unwrap().values, [5.0, 10.0]);
    let of_columns = View { steps: vec![1, 2], ..View::new(&points, [2, 2]) };
    assert_eq!(longest.reduce(of_columns).unwrap().values, [2.0, 10.0]);
    let weighted = reduction! {
        inputs: { p: [f32; 2], w: f32 }, map: |p, w| (p[0] + p[1]) * w, op: sum, axes: { p: i j, w: j } -> i,
    };
    let result = weighted.reduce((View::new(&points, [2, 2]), &[1.0, 10.0])).unwrap();
    assert_eq!(result.values, [71.0, 142.0]);
    let by_offset = reduction! { ty: [f32; 2], map: |p| p[0] * p[1], op: sum, segments: u32 };
    assert_eq!(by_offset.reduce_segments(&points, &[0, 2, 2, 4]).unwrap().values, [12.0, 0.0, 48.0]);
    let by_key = reduction! { ty: [f32; 2], map: |p| p[0] + p[1], op: max, by: { key: u32 }, groups: 2 };
    assert_eq!(by_key.reduce_keys(&points, &[1, 0, 1, 1]).unwrap().values, [7.0, 14.0]);
    let none: [[f32; 2]; 0] = [];
    assert_eq!(by_offset.reduce_segments(&none, &[0, 0]).unwrap().values, [0.0]);
}

fn assertions() {
    let weights =
        reduction! { ty: f32, map: |w| { assert!(w >= 0.0, "a weight is not negative"); w }, op: sum };
    assert_eq!(weights.reduce(&[1.0, 2.0]).unwrap(), 3.0);
    assert!(matches!(weights.reduce(&[1.0, -2.0]), Err(Error::AssertionFailed { .. })));
    let votes = reduction! {
        ty: u32,
        map: |vote| { let mut one = [0u64; 3]; one[vote as usize] = 1; one },
        op: |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]],
        identity: [0; 3],
    };
    assert_eq!(votes.reduce(&[2, 0, 2]).unwrap(), [1, 0, 2]);
    assert!(votes.reduce(&[3]).is_err());
    let first_negative =
        reduction! { ty: f32, index: i, filter: |x| x < 0.0, map: |_x| i, op: min, empty: u64::MAX };
    assert_eq!(first_negative.reduce(&SCALED).unwrap(), 1);
    assert_eq!(first_negative.reduce(&[1.0]).unwrap(), u64::MAX);
}

fn places() {
    let x = &SCALED;
    let meter = Meter { peak: peak() };
    assert_eq!(meter.peak.reduce(x).unwrap(), 8.0);
    let list: Vec<(&str, Reduction<f32, f32>)> = vec![("mean", MEAN), ("peak", peak())];
    assert_eq!(list.iter().map(|(_, it)| it.reduce(x).unwrap()).sum::<f32>(), 11.0);
    assert_eq!((TOTAL_I64.reduce(&[1, 2]).unwrap(), TOTAL_U32.reduce(&[1, 2]).unwrap()), (3, 3));
    assert_eq!(boxed().unwrap(), 3.0);
    let column = Strided { data: x, offset: 1, step: 2, len: 2 };
    assert_eq!(reduction! { ty: f32, op: sum, layout: strided }.reduce(column).unwrap(), 7.0);
    let rows: Reduction<f32, Array<f32>> = reduction! { ty: f32, op: sum, axes: r c -> r };
    let _ = rows;
    let compiled: Compiled<f32, f32> = MEAN.compile(&Device::host()).unwrap();
    assert_eq!(compiled.reduce(x).unwrap(), 3.0);
    std::thread::scope(|scope| {
        scope.spawn(|| assert_eq!(MEAN.reduce(x).unwrap(), 3.0));
    });
}

fn main() {
    named_operators();
    mapped();
    accumulators();
    arrays();
    groups_of_arrays();
    assertions();
    places();
}
