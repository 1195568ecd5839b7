//! Chunks of floats that are summed.

use crate::reading;
use reduce_ir::{Value, bf16, f16};
use reduce_lanes::{Lanes, LanesRef, Summed, Term};

/// Rows of a chunk are summed one after the other, in any number, and then the lanes by pairs; what was there before stays.
#[test]
fn chunks_are_summed_in_their_association() {
    let x: Vec<f32> =
        (0..40_960u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / 7.0 - 1e6).collect();
    for (lanes, pairs) in
        [32, 96, 2048].into_iter().flat_map(|lanes| [1, 2, 4, 8].map(|pairs| (lanes, pairs)))
    {
        for (rows, chunks) in [(1, 1), (1, 6), (2, 3), (7, 2), (8, 1), (9, 2), (20, 1)] {
            let chunk = rows * lanes;
            check_sums(Summed::new(chunk, lanes, pairs).unwrap(), &x[..chunks * chunk], [chunk, lanes]);
        }
    }
    // A lane of zeros that are all negative is such a zero.
    check_sums(Summed::new(96, 32, 2).unwrap(), &[-0.0; 96], [96, 32]);
    let unknown = [(0, 32, 1), (32, 0, 1), (33, 33, 1), (48, 32, 1), (32, 32, 3)];
    assert!(unknown.iter().all(|&(chunk, lanes, pairs)| Summed::new(chunk, lanes, pairs).is_none()));
}

/// Of every type, by all loops.
fn check_sums(how: Summed, x: &[f32], [chunk, lanes]: [usize; 2]) {
    let (wide, f16s, bf16s): (Vec<_>, Vec<_>, Vec<_>) = (
        x.iter().map(|&x| f64::from(x) / 3.0).collect(),
        x.iter().map(|&x| f16::from_f32(x / 1e4)).collect(),
        x.iter().map(|&x| bf16::from_f32(x)).collect(),
    );
    let (y, y_f16): (Vec<_>, Vec<_>) =
        (x.iter().rev().copied().collect(), f16s.iter().rev().copied().collect());
    let (x_f16, x_bf16) = (LanesRef::F16(&f16s), LanesRef::Bf16(&bf16s));
    let (as_f64, product) = (|&x: &f32| f64::from(x), |(&x, &y): (&f16, &f16)| f32::from(x) * f32::from(y));
    let f32s = |terms: Vec<f32>| Lanes::from(summed(&terms, [chunk, lanes], how.pairs()));
    let f64s = |terms: Vec<f64>| Lanes::from(summed(&terms, [chunk, lanes], how.pairs()));
    let cases = [
        (Term::Itself(LanesRef::F32(x)), f32s(x.to_vec())),
        (Term::Itself(x_f16), f32s(f16s.iter().map(|&x| x.into()).collect())),
        (Term::Itself(x_bf16), f32s(bf16s.iter().map(|&x| x.into()).collect())),
        (Term::Itself(LanesRef::F32(x)), f64s(x.iter().map(as_f64).collect())),
        (Term::Itself(LanesRef::F64(&wide)), f64s(wide.clone())),
        (Term::Magnitude(x_f16), f32s(f16s.iter().map(|&x| f32::from(x).abs()).collect())),
        (Term::Magnitude(LanesRef::F32(x)), f32s(x.iter().map(|x| x.abs()).collect())),
        (Term::Square(x_f16), f32s(f16s.iter().zip(&f16s).map(product).collect())),
        (Term::Square(LanesRef::F32(x)), f64s(x.iter().map(as_f64).map(|x| x * x).collect())),
        (Term::Product(x_f16, LanesRef::F16(&y_f16)), f32s(f16s.iter().zip(&y_f16).map(product).collect())),
        (
            Term::Product(LanesRef::F32(x), LanesRef::F32(&y)),
            f32s(x.iter().zip(&y).map(|(x, y)| x * y).collect()),
        ),
    ];
    for ((name, loops, prefetch), (term, left)) in
        reading().flat_map(|loops| cases.iter().map(move |it| (loops.clone(), it)))
    {
        let Some(fused) = loops.fused else { continue };
        let mut expected = Lanes::splat(Value::from_bits(left.ty(), 5), 3);
        let (mut acc, mut out) = (Lanes::splat(Value::from_bits(left.ty(), 7), 100), expected.clone());
        expected.extend(left.borrow());
        (fused.sum)(*term, how, &mut acc, &mut out, prefetch).unwrap();
        let bits = |lanes: &Lanes| (0..lanes.len()).map(|i| lanes.get(i).bits()).collect::<Vec<_>>();
        assert!(bits(&out) == bits(&expected), "{name}: {how:?} in {}", left.ty());
    }
}

/// One element of every row of a chunk is a lane.
fn summed<T: Copy + std::ops::Add<Output = T>>(x: &[T], [chunk, lanes]: [usize; 2], pairs: usize) -> Vec<T> {
    let lane = |x: &[T], l: usize| x[l..].iter().step_by(lanes).copied().reduce(|sum, x| sum + x).unwrap();
    let mut left: Vec<_> = x.chunks(chunk).flat_map(|x| (0..lanes).map(move |l| lane(x, l))).collect();
    for _ in 0..pairs.ilog2() {
        left = left.chunks(2).map(|two| two[0] + two[1]).collect();
    }
    left
}
