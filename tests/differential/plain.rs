//! What a reduction gives, computed by plain loops that share nothing with the library.

#[path = "plain/bounds.rs"]
mod bounds;
#[path = "plain/floats.rs"]
mod floats;
#[path = "plain/integers.rs"]
mod integers;

use super::data::Kind;
use reduce_ir::program::Program;
use reduce_ir::{Scalar, Value};
use reduce_lanes::Lanes;

/// Rules that may differ from what is usual.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct How {
    /// Is NaN no element?
    pub(crate) ignore: bool,
    /// Does the last of equals win?
    pub(crate) last: bool,
}

/// What gives an element, a position, bits or a count: the same bits by every order, on all data.
const SELECT: [&str; 18] = [
    "min",
    "max",
    "minmax",
    "norm_inf",
    "argmin",
    "argmax",
    "argminmax",
    "findmin",
    "findmax",
    "first",
    "last",
    "and",
    "or",
    "xor",
    "any",
    "all",
    "count",
    "count_nonzero",
];

/// What has the same bits by every order where its sums and products are exact, as they are of integers.
const SUMS: [&str; 7] =
    ["sum", "sum_compensated", "prod", "dot", "sum_of_squares", "squared_distance", "norm1"];

/// What adds up floats, whatever the elements are, and is exact where the sums are.
const IN_FLOATS: [&str; 3] = ["norm2", "mean", "weighted_mean"];

/// What rounds on all data.
const ROUNDED: [&str; 7] =
    ["var", "std", "skewness", "kurtosis", "describe", "logsumexp", "softmax_denominator"];

/// Is the result that of plain loops: bit for bit, or within the bound of its formula?
///
/// # Errors
/// How it differs.
pub(crate) fn compare(
    program: &Program,
    name: &str,
    kind: Kind,
    inputs: &[Lanes],
    found: Option<&[Value]>,
    how: How,
) -> Result<(), String> {
    if is_exact(name, inputs[0].ty(), kind) {
        let wanted = reduce(name, inputs, how);
        return if found == wanted.as_deref() {
            Ok(())
        } else {
            Err(format!("{found:?}, and a loop gives {wanted:?}"))
        };
    }
    if ROUNDED.contains(&name) && kind.is_exact() {
        return bounds::near(program, name, 0, inputs, found);
    }
    Ok(())
}

/// Is the result of such elements the one of [`reduce`], bit for bit?
fn is_exact(name: &str, ty: Scalar, kind: Kind) -> bool {
    let in_floats = ty.is_float() || IN_FLOATS.contains(&name);
    let known = [&SELECT[..], &SUMS, &IN_FLOATS, &ROUNDED].concat();
    assert!(known.contains(&name), "`{name}` is in no list of tests/differential/plain.rs");
    SELECT.contains(&name) || !ROUNDED.contains(&name) && (kind.is_exact() || !in_floats)
}

/// The kind of elements in place of `kind`, of which such sums are exact.
pub(crate) fn suited(name: &str, ty: Scalar, kind: Kind) -> Kind {
    let in_floats = IN_FLOATS.contains(&name) || ROUNDED.contains(&name);
    if in_floats && ty.is_integer() && kind == Kind::Exact { Kind::Small } else { kind }
}

/// The elements that are left, with their positions; of a second input those beside them.
pub(super) struct Elements<T> {
    at: Vec<u64>,
    x: Vec<T>,
    y: Vec<T>,
    /// Were others left out?
    lacks: bool,
}

/// The result by a loop from the first element to the last; `None` where nothing has no value. NaN results
/// have the bits that the contract names.
pub(crate) fn reduce(name: &str, inputs: &[Lanes], how: How) -> Option<Vec<Value>> {
    let ty = inputs[0].ty();
    if ty.is_float() {
        let elements = Elements::read(inputs, |value| value.as_f64().unwrap());
        floats::reduce(name, ty, elements.without_nan(how.ignore), how)
    } else {
        integers::reduce(name, ty, &Elements::read(inputs, |value| value.as_int().unwrap()), how)
    }
}

impl<T: Copy> Elements<T> {
    fn read(inputs: &[Lanes], number: impl Fn(Value) -> T) -> Elements<T> {
        let column = |lanes: &Lanes| (0..lanes.len()).map(|i| number(lanes.get(i))).collect::<Vec<_>>();
        let x = column(&inputs[0]);
        let y = inputs.get(1).map_or_else(|| x.clone(), column);
        Elements { at: (0..x.len() as u64).collect(), x, y, lacks: false }
    }

    fn keep(self, kept: impl Fn(T, T) -> bool) -> Elements<T> {
        let keep: Vec<usize> = (0..self.x.len()).filter(|&i| kept(self.x[i], self.y[i])).collect();
        Elements {
            at: keep.iter().map(|&i| self.at[i]).collect(),
            x: keep.iter().map(|&i| self.x[i]).collect(),
            y: keep.iter().map(|&i| self.y[i]).collect(),
            lacks: self.lacks || keep.len() < self.x.len(),
        }
    }

    /// The position of the best: of equals the first, or the last.
    fn best(&self, how: How, better: impl Fn(T, T) -> bool) -> Option<usize> {
        let mut best = 0;
        for i in 1..self.x.len() {
            let equal = !better(self.x[i], self.x[best]) && !better(self.x[best], self.x[i]);
            if better(self.x[i], self.x[best]) || how.last && equal {
                best = i;
            }
        }
        (!self.x.is_empty()).then_some(best)
    }
}

impl Elements<f64> {
    fn without_nan(self, ignore: bool) -> Elements<f64> {
        if ignore { self.keep(|x, y| !x.is_nan() && !y.is_nan()) } else { self }
    }
}

/// The bits of a float result: NaN has those that the contract names.
fn float(ty: Scalar, number: f64) -> Value {
    let nan = match ty.size() {
        8 => 0x7ff8 << 48,
        4 => 0x7fc0_0000,
        _ if ty == Scalar::F16 => 0x7e00,
        _ => 0x7fc0,
    };
    if number.is_nan() { Value::from_bits(ty, nan) } else { super::data::float(ty, number, 0) }
}
