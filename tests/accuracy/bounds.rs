//! The error bounds that the documentation states, checked in exact arithmetic for random schedules, lengths and data.
//!
//! Notation:
//!
//! - u is half the distance from 1 to the next float of the accumulator;
//! - d is the depth of the association plus the rounding of a product;
//! - γ_k = k u / (1 − k u);
//! - S = Σ|x|, for a dot product Σ|x y|.

use super::data::{cancelling, float, floats};
use super::exact::Exact;
use super::random::pass;
use super::splitmix::Random;
use super::subjects::Subject;
use rayon::prelude::*;
use reduce_ir::Scalar;
use reduce_runtime::{Device, Reducer};

/// A sum, its error, and the quantities that bound the error.
struct Measured {
    /// |Σx|.
    sum: Exact,
    error: Exact,
    /// S, plus the losses of products that are rounded to subnormals.
    magnitude: Exact,
    depth: u64,
    /// 1 / u.
    units: u64,
}

/// `error` ≤ γ_d S (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, section 4.2).
fn is_within_gamma(it: &Measured) -> bool {
    it.error.clone() * (it.units - it.depth) <= it.magnitude.clone() * it.depth
}

/// `error` ≤ u |Σx| + (1 + u) γ_d γ_2d S. Each combination computes exactly the rounding error of its sum, at most u times
/// the rounded partial sum; all these errors together are at most γ_d S. They go through at most two additions per level,
/// which lose γ_2d of them. The result is rounded once more. (After Ogita, Rump and Oishi 2005, proposition 4.5, with a
/// tree in place of their chain.)
fn is_within_compensated(it: &Measured) -> bool {
    let (units, depth) = (it.units, it.depth);
    let scaled = |exact: &Exact| exact.clone() * (units - depth) * (units - 2 * depth);
    let of_sum = scaled(&it.sum);
    let of_magnitude = it.magnitude.clone() * (units + 1) * (2 * depth * depth);
    scaled(&it.error) * units <= of_sum + of_magnitude
}

/// Checks specifications on elements whose sums cancel down to a part in 2^`most_bits`.
fn check(texts: &[(&str, &[Scalar])], most_bits: f64, is_within: fn(&Measured) -> bool) {
    let cases = if std::env::var_os("REDUCEGEN_FULL").is_some() { 12_000 } else { 600 };
    let subjects: Vec<_> =
        texts.iter().flat_map(|(text, types)| types.iter().map(|&ty| subject(text, ty))).collect();
    let of_seed = |seed| {
        let mut random = Random::new(seed);
        let subject = &subjects[random.below(subjects.len() as u64) as usize];
        let (measured, text) = measured(subject, most_bits, &mut random);
        assert!(is_within(&measured), "seed {seed}: {text}, error {:e}", measured.error.to_f64());
        let more = Measured { error: measured.error.clone() * 8, ..measured };
        u64::from(!is_within(&more))
    };
    let near = (0..cases).into_par_iter().map(of_seed).sum::<u64>();
    println!("{cases} cases within the bound, {near} of them above an eighth of it");
    assert!(near > 0, "no case comes near the bound, so it says nothing");
}

fn subject(text: &str, ty: Scalar) -> Subject {
    Subject { name: text.to_owned(), ty, text: text.replace('T', ty.name()) }
}

fn measured(subject: &Subject, most_bits: f64, random: &mut Random) -> (Measured, String) {
    let passes: Vec<_> = (0..random.below(5)).map(|_| pass(random)).collect();
    let block = random.pick(&[32, 64, 128, 256, 512, 1024]);
    let spec = if random.below(4) == 0 { subject.auto() } else { subject.scheduled(&passes, block) };
    let n = 2f64.powf(1.0 + 10.5 * random.unit()) as usize;
    let bits = random.unit() * most_bits;
    let reducer = Reducer::new(&spec, &Device::host()).unwrap();
    // A team reduces one tile at most.
    let n = reducer.programs().up_to().map_or(n, |most| n.min(most as usize));
    let inputs = cancelling(subject.ty, n, spec.operation.inputs.len(), bits, random);
    let views: Vec<_> = inputs.iter().map(|lanes| lanes.borrow()).collect();
    let found = float(reducer.reduce(&views).unwrap().values[0]);

    let ones = vec![1.0; n];
    let x: Vec<_> = floats(&inputs[0]).collect();
    let y: Vec<_> = inputs.get(1).map_or(ones, |lanes| floats(lanes).collect());
    let sum = Exact::dot(x.iter().copied().zip(y.iter().copied()));
    let magnitude = Exact::dot(x.iter().zip(&y).map(|(x, y)| (x.abs(), y.abs())));
    let products = inputs.len() as u64 - 1;
    let (units, least) = match spec.operation.acc.fields[0].ty.size() {
        4 => (1 << 24, f64::from(f32::from_bits(1))),
        _ => (1 << 53, f64::from_bits(1)),
    };
    let measured = Measured {
        error: (Exact::sum([found]) - sum.clone()).abs(),
        sum: sum.abs(),
        magnitude: magnitude.plus((products * n as u64) as f64 * units as f64, least),
        depth: reducer.programs().for_len(n as u64).association().depth(n as u64) + products,
        units,
    };
    (measured, format!("{}, n = {n}", spec.text))
}

const NARROW: [Scalar; 3] = [Scalar::F16, Scalar::Bf16, Scalar::F32];
const FLOATS: [Scalar; 4] = [Scalar::F16, Scalar::Bf16, Scalar::F32, Scalar::F64];

#[test]
fn sums_and_dot_products_are_within_gamma() {
    check(
        &[("op: sum, ty: T", &FLOATS), ("op: dot, inputs: { x: T, y: T }", &FLOATS)],
        100.0,
        is_within_gamma,
    );
}

#[test]
fn wider_accumulators_are_within_the_bound_of_their_own() {
    let texts = [
        ("op: sum, ty: T, acc: f64", &NARROW[..]),
        ("op: dot, inputs: { x: T, y: T }, acc: f64", &NARROW[..]),
    ];
    check(&texts, 100.0, is_within_gamma);
}

#[test]
fn compensated_sums_are_as_if_in_twice_the_precision() {
    check(&[("op: sum_compensated, ty: T", &FLOATS)], 40.0, is_within_compensated);
}
