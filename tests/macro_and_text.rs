//! `reduction!` and the parser of text give the same specification, and the same results.

use reducegen::{Reduction, f16, reduction};

/// Checks a reduction against the text of the same specification.
macro_rules! check {
    ($($spec:tt)*) => {
        let expanded = reduction! { $($spec)* }.spec().unwrap();
        let parsed = reduce_dsl::parse::text(stringify!($($spec)*), None);
        assert_eq!(Ok(expanded), parsed.map(|parsed| parsed.spec));
    };
}

#[test]
fn the_expansion_is_what_the_text_says() {
    check!(op: max, ty: f32, passes: [shuffle, coarsen(4)]);
    check!(ty: f16, op: sum, block: 128, passes: auto);
    check!(inputs: { x: f32, y: f32 }, map: |x, y| x * y, op: sum, passes: [vectorize(4), unroll]);
    check!(ty: i32, map: |v| (v - 3).max(-7).abs() * 2, op: xor, passes: [sequential]);
    check!(ty: f64, op: argmin, identity: none);
    check!(ty: u64, op: all, identity: true);
    check!(ty: f32, op: sum, identity: 0.0);
    check!(ty: f32, op: findmin, nan: ignore, empty: Best { value: -1.5, index: 3 });
    check!(ty: bf16, op: max, filter: |x| x > 0.0, empty: 0.5);
    check!(ty: f64, op: argmax, axes: i j -> i, finish: |p| p as i32, empty: i32::MIN);
    check!(inputs: { a: i64, b: i64 }, op: dot);
    check!(ty: f16, op: max, finish: |m| if m > 1.0 { -m * 2.0 } else { m });
    check!(ty: bf16, op: max, nan: ignore, fold: |acc, x| acc.max(x));
    check!(ty: f32, layout: strided, op: sum);
    check!(ty: f32, op: sum, axes: i j -> i);
    check!(ty: f32, op: argmax, axes: .. b h (w 4) 3 -> 1 w b ..);
    check!(ty: f32, op: sum, axes: b h w c ->, passes: auto);
    check!(ty: f32, op: mean, segments: 16);
    check!(inputs: { x: f32, w: f32 }, axes: { x: b c, w: c } -> b, map: |x, w| x * w, op: sum);
    check!(inputs: { x: f32, w: f32 }, axes: { x: .. (a b), w: (a 2) } -> a .., map: |x, w| x * w, op: sum);
}

#[test]
fn a_written_zero_is_what_no_elements_give() {
    let named = reduction! { ty: f32, op: sum };
    let closure = reduction! { ty: f32, op: |a, b| a + b, identity: 0.0 };
    for sum in [named, closure] {
        let bits = |elements: &[f32]| sum.reduce(elements).map(f32::to_bits);
        assert_eq!(bits(&[]), Ok(0));
        assert_eq!(bits(&[-0.0]), Ok((-0.0f32).to_bits()), "elements do not meet it");
    }
    let own = reduction! { ty: f32, op: sum, identity: -0.0 };
    assert_eq!(own.reduce(&[]).map(f32::to_bits), Ok((-0.0f32).to_bits()));
}

static DISTANCE: Reduction<(f32, f32), f32> =
    reduction! { inputs: { x: f32, y: f32 }, map: |x, y| (x - y).abs(), op: sum };
static WIDENED: Reduction<f16, f32> = reduction! { ty: f16, map: |x| 0.5 * x + 1.0, op: sum };

#[test]
fn a_closure_computes_what_rust_would() -> Result<(), reducegen::Error> {
    assert_eq!(DISTANCE.reduce((&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.5]))?, 3.5);
    assert_eq!(WIDENED.reduce(&[f16::from_f32(3.0), f16::from_f32(-1.0)])?, 3.0);
    Ok(())
}
