//! Bounds on the distance of a rounded result from the exact one. Each bound is derived from the formula, never picked.
//!
//! u is the unit roundoff of the accumulator, d the depth of the association.

use reduce_ir::program::Program;
use reduce_ir::{Scalar, Value};
use reduce_lanes::Lanes;

/// Half the distance from 1 to the next float.
fn roundoff(ty: Scalar) -> f64 {
    if ty == Scalar::F64 { f64::EPSILON / 2.0 } else { f64::from(f32::EPSILON) / 2.0 }
}

fn in_units(lanes: &Lanes, unit: f64) -> Vec<i128> {
    let whole = |value: Value| value.as_int().unwrap_or((number(value) / unit) as i128);
    (0..lanes.len()).map(|i| whole(lanes.get(i))).collect()
}

fn number(value: Value) -> f64 {
    value.as_f64().or_else(|| value.as_int().map(|it| it as f64)).unwrap()
}

/// A number, and the maximum error of a result.
#[derive(Clone, Copy, Debug)]
struct Approx {
    number: f64,
    error: f64,
}

impl Approx {
    const fn exactly(number: f64) -> Approx {
        Approx { number, error: 0.0 }
    }

    /// NaN and infinities must match exactly.
    fn holds(self, found: Value) -> bool {
        let found = number(found);
        found.is_nan() && self.number.is_nan()
            || found == self.number
            || (found - self.number).abs() <= self.error
    }
}

/// Compares moments and sums of exponentials with exact arithmetic. The elements are multiples of 2^`exponent`.
///
/// # Errors
/// Describes the difference.
pub(crate) fn compare(
    program: &Program,
    name: &str,
    exponent: i32,
    inputs: &[Lanes],
    found: Option<&[Value]>,
) -> Result<(), String> {
    let found = found.ok_or("there is no result")?;
    let of_sums = matches!(name, "logsumexp" | "softmax_denominator");
    let u = roundoff(found.iter().map(|it| it.ty()).find(|ty| ty.is_float()).unwrap());
    let depth = program.association().depth(inputs[0].len() as u64) as f64;
    let unit = 2f64.powi(exponent);
    let wanted = match of_sums {
        true => exponentials(name, &inputs[0], depth, u),
        false => moments(name, &in_units(&inputs[0], unit), unit, depth, u),
    };
    let wanted = [wanted, if name == "describe" { extremes(&inputs[0]) } else { Vec::new() }].concat();
    let is_within =
        wanted.len() == found.len() && wanted.iter().zip(found).all(|(near, found)| near.holds(*found));
    if is_within { Ok(()) } else { Err(format!("{found:?}, which is not near {wanted:?}")) }
}

/// Computes the mean and the sum of squared distances from it, exact except for the last rounding, with the bounds of
/// Welford's and Chan's updates.
///
/// The mean is kept in two words. The first is off by u M at most, where M is the largest magnitude. Differences of first
/// words are at most S = R + 4 u M, where R is the distance between the least and the largest element. Each of the d
/// updates above an element takes a difference of two means (rounded: 3 S u), multiplies it by a share (at most four
/// roundings, so 10 S u in all) and adds it (2 S u). The errors of the two means are averaged, and do not grow. So a mean
/// is off by at most e = (12 d + 2) S u, and a difference δ of two means by ε = 2 e + 3 S u. Rounding both words to one
/// adds u M.
///
/// M₂ is the sum over the updates of w δ², where w = n_a n_b / n ≤ min(n_a, n_b), so that Σ w ≤ n d. An update adds
/// w (δ + ε)² (1 + roundings), or in a fold δ' δ'', both off by ε, where w ≥ ½. By Cauchy and Schwarz the error is at
/// most 4 √(M₂ n d) ε + 2 n d ε². The roundings of products and of sums, all of them positive, are (d + 8) u of M₂.
fn moments(name: &str, units: &[i128], unit: f64, depth: f64, u: f64) -> Vec<Approx> {
    let n = units.len() as f64;
    // Relative to the first element, so that products fit.
    let first = units.first().copied().unwrap_or(0);
    let sum: i128 = units.iter().map(|x| x - first).sum();
    let squares: i128 = units.iter().map(|x| (x - first) * (x - first)).sum();
    let mean = (first as f64 + sum as f64 / n) * unit;
    let m2 = (units.len() as i128 * squares - sum * sum) as f64 / n * unit * unit;
    let most = units.iter().map(|x| x.abs()).max().unwrap_or(0) as f64 * unit;
    let spread = units.iter().max().zip(units.iter().min()).map_or(0, |(most, least)| most - least);
    let spread = spread as f64 * unit + 4.0 * u * most;
    let of_mean = (12.0 * depth + 2.0) * spread * u;
    let of_delta = 2.0 * of_mean + 3.0 * spread * u;
    let weights = n * depth;
    let of_m2 =
        4.0 * (m2 * weights).sqrt() * of_delta + 2.0 * weights * of_delta * of_delta + (depth + 8.0) * u * m2;
    // One more division.
    let var = Approx { number: m2 / n, error: (of_m2 + 2.0 * u * m2) / n };
    match name {
        "var" => vec![var],
        "std" => vec![root(var, u)],
        "skewness" | "kurtosis" => vec![shape(name, units, spread / unit, depth, u)],
        _ => {
            let m2 = if units.is_empty() { 0.0 } else { m2 };
            let mean = Approx { number: mean, error: of_mean + u * most };
            vec![Approx::exactly(n), mean, Approx { number: m2, error: of_m2 }]
        }
    }
}

/// Computes the third or fourth moment in units of the standard deviation, which is independent of the unit of the
/// elements.
///
/// Moments of n elements within S of each other are at most n Sᵏ. An update of n elements adds a few products of moments
/// below and powers of δ. Each product has at most 16 roundings and factors up to 6, and δ is off by 24 d u S as above:
/// less than 200 d u n Sᵏ in all. An update passes on the errors of M₂ below times 3 S or 6 S², and the errors of M₃ times 4 S.
/// With d updates above each element these are bounds E₂, E₃, E₄ on the errors of the moments. Relative errors of the
/// variance count 1.5 or 2 times in its powers.
fn shape(name: &str, units: &[i128], spread: f64, depth: f64, u: f64) -> Approx {
    let n = units.len() as f64;
    let first = units.first().copied().unwrap_or(0);
    let (count, sum) = (units.len() as i128, units.iter().map(|x| x - first).sum::<i128>());
    // n x − Σx is exact. Its powers are computed in f64, which is off by n roundings of the largest power.
    let distance = |x: &i128| (count * (x - first) - sum) as f64;
    let power = |k: i32| units.iter().map(|x| distance(x).powi(k)).sum::<f64>() / n.powi(k + 1);
    let of_sums = |k: i32| n * f64::EPSILON * spread.powi(k);
    let local = 200.0 * depth * depth * u;
    let e2 = local * spread.powi(2) + of_sums(2);
    let e3 = local * spread.powi(3) + 3.0 * depth * spread * e2 + of_sums(3);
    let e4 =
        local * spread.powi(4) + 6.0 * depth * spread.powi(2) * e2 + 4.0 * depth * spread * e3 + of_sums(4);
    let variance = power(2);
    if variance == 0.0 || units.is_empty() {
        return Approx::exactly(f64::NAN);
    }
    let (moment, error, exponent, less) =
        if name == "skewness" { (power(3), e3, 1.5, 0.0) } else { (power(4), e4, 2.0, 3.0) };
    let relative = e2 / variance;
    // (1 − r)^−k is at most 1 + 3 k r if r is at most 1/4.
    let error = match relative <= 0.25 {
        true => {
            (error + moment.abs() * (3.0 * exponent * relative + 8.0 * u)) / variance.powf(exponent) * 2.0
                + 8.0 * u
        }
        false => f64::INFINITY,
    };
    Approx { number: moment / variance.powf(exponent) - less, error }
}

fn extremes(input: &Lanes) -> Vec<Approx> {
    let found = super::reduce("minmax", std::slice::from_ref(input), super::Rules::default()).unwrap();
    found.into_iter().map(|it| Approx::exactly(number(it))).collect()
}

/// |√a − √b| is at most √|a − b| and, if a is not 0, |a − b| / √a.
fn root(Approx { number, error }: Approx, u: f64) -> Approx {
    let root = number.sqrt();
    let inherited = if number > 0.0 { error.sqrt().min(error / root) } else { error.sqrt() };
    Approx { number: root, error: inherited + 2.0 * u * root }
}

/// The rounding error of `exp` and `ln`: less than 1 unit in the last place, which is 2 u.
const OF_FUNCTION: f64 = 2.0;

/// Computes the largest element, and Σ exp(x − largest).
///
/// A term is the product of at most d scales exp(δ). Each scale is off by |δ| u for the rounding of δ, by the rounding of
/// `exp`, and by the rounding of the product. The δ of a term add up to its distance from the largest element, at most R.
/// All terms are positive, so the relative error of the sum is at most the error of a term plus d additions: (R + d (2 + 2)) u.
/// `ln` makes that relative error an absolute one. The reference, in `f64`, has the same errors with depth n.
fn exponentials(name: &str, lanes: &Lanes, depth: f64, u: f64) -> Vec<Approx> {
    let x: Vec<f64> = (0..lanes.len()).map(|i| number(lanes.get(i))).collect();
    let max = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = x.iter().map(|x| (x - max).exp()).sum();
    let range = x.iter().map(|x| max - x).fold(0.0, f64::max);
    let of_comparison = (range + (OF_FUNCTION + 2.0) * x.len() as f64) * f64::EPSILON / 2.0;
    let relative = (range + depth * (OF_FUNCTION + 2.0)) * u * 1.01 + of_comparison;
    if name == "softmax_denominator" {
        return vec![Approx::exactly(max), Approx { number: sum, error: relative * sum }];
    }
    let result = max + sum.ln();
    let of_end = (OF_FUNCTION + 1.0) * u * sum.ln().abs() + u * result.abs();
    vec![Approx { number: result, error: if result.is_finite() { relative + of_end } else { 0.0 } }]
}
