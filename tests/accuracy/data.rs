//! Floats whose sum, or sum of products, cancels by a given factor of about 2^bits. Method of Ogita, Rump and Oishi
//! (Accurate sum and dot product, SIAM J. Sci. Comput. 26, 2005, section 6).

use super::exact::Exact;
use super::splitmix::Random;
use reduce_ir::arith::Element;
use reduce_ir::{Scalar, Value, bf16, f16};
use reduce_lanes::Lanes;

/// Returns n elements of each of one or two inputs.
pub(crate) fn cancelling(ty: Scalar, n: usize, inputs: usize, bits: f64, random: &mut Random) -> Vec<Lanes> {
    let mut terms: Vec<[Value; 2]> = Vec::new();
    let mut sum = Exact::ZERO;
    for i in 0..n {
        // Half of the terms have any size; the others bring the sum back to 0.
        let back = (2 * i).saturating_sub(n) as f64 / n as f64;
        let size = 2f64.powf(if 2 * i < n { random.unit() * bits } else { bits - back * bits });
        let target = size * (2.0 * random.unit() - 1.0) - if 2 * i < n { 0.0 } else { sum.to_f64() };
        let x = if inputs == 1 { target } else { size.sqrt() * (1.0 + random.unit()) };
        let x = rounded(ty, x);
        let y = if inputs == 1 { rounded(ty, 1.0) } else { rounded(ty, target / float(x)) };
        sum = sum.plus(float(x), float(y));
        terms.push([x, y]);
    }
    (1..n).rev().for_each(|i| terms.swap(i, random.below(i as u64 + 1) as usize));
    (0..inputs).map(|input| lanes(ty, terms.iter().map(|term| term[input]))).collect()
}

fn lanes(ty: Scalar, values: impl ExactSizeIterator<Item = Value>) -> Lanes {
    let mut lanes = Lanes::empty(ty);
    lanes.resize(values.len());
    values.enumerate().for_each(|(i, value)| lanes.set(i, value));
    lanes
}

/// Returns the floats of lanes.
pub(crate) fn floats(lanes: &Lanes) -> impl Iterator<Item = f64> {
    (0..lanes.len()).map(|i| float(lanes.get(i)))
}

pub(crate) fn float(value: Value) -> f64 {
    value.as_f64().unwrap()
}

/// Rounds to the nearest float of type `ty`, far from the ends of its range.
fn rounded(ty: Scalar, x: f64) -> Value {
    fn of<T: Element>(most: f64, x: f64, round: fn(f64) -> T) -> Value {
        Value::of(round(x.clamp(-most, most)))
    }
    match ty.size() {
        2 if ty == Scalar::F16 => of(1e4, x, f16::from_f64),
        2 => of(1e30, x, bf16::from_f64),
        4 => of(1e33, x, |x| x as f32),
        _ => of(1e150, x, |x| x),
    }
}
