//! The results of reductions, computed by plain loops that share no code with the library.

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

/// Rules that may differ from the default.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rules {
    /// Whether NaN elements are ignored.
    pub(crate) ignore: bool,
    /// Whether the last of equal elements wins.
    pub(crate) last: bool,
}

/// Operators that return an element, a position, bits or a count: the same bits in every order, on all data.
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

/// Operators with the same bits in every order if their sums and products are exact, which they always are for integers.
const SUMS: [&str; 7] =
    ["sum", "sum_compensated", "prod", "dot", "sum_of_squares", "squared_distance", "norm1"];

/// Operators that add in floats for every element type, and are exact if the sums are.
const IN_FLOATS: [&str; 3] = ["norm2", "mean", "weighted_mean"];

/// Operators that round on all data.
const ROUNDED: [&str; 7] =
    ["var", "std", "skewness", "kurtosis", "describe", "logsumexp", "softmax_denominator"];

/// Compares a result with plain loops: bit for bit, or within the bound of its formula.
///
/// # Errors
/// Describes the difference.
pub(crate) fn compare(
    program: &Program,
    name: &str,
    kind: Kind,
    inputs: &[Lanes],
    found: Option<&[Value]>,
    rules: Rules,
) -> Result<(), String> {
    if is_exact(name, inputs[0].ty(), kind) {
        let wanted = reduce(name, inputs, rules);
        return if found == wanted.as_deref() {
            Ok(())
        } else {
            Err(format!("{found:?}, and a loop gives {wanted:?}"))
        };
    }
    if ROUNDED.contains(&name) && kind.is_exact() {
        return bounds::compare(program, name, 0, inputs, found);
    }
    Ok(())
}

/// Returns whether the result for such elements equals the one of [`reduce`] bit for bit.
fn is_exact(name: &str, ty: Scalar, kind: Kind) -> bool {
    let in_floats = ty.is_float() || IN_FLOATS.contains(&name);
    let known = [&SELECT[..], &SUMS, &IN_FLOATS, &ROUNDED].concat();
    assert!(known.contains(&name), "`{name}` is in no list of tests/differential/plain.rs");
    SELECT.contains(&name) || !ROUNDED.contains(&name) && (kind.is_exact() || !in_floats)
}

/// Returns `kind`, or in its place a kind of elements with exact sums.
pub(crate) fn suited(name: &str, ty: Scalar, kind: Kind) -> Kind {
    let in_floats = IN_FLOATS.contains(&name) || ROUNDED.contains(&name);
    if in_floats && ty.is_integer() && kind == Kind::Exact { Kind::Small } else { kind }
}

/// The elements that are kept, with their positions; `y` has the elements of the second input at the same positions.
pub(super) struct Elements<T> {
    at: Vec<u64>,
    x: Vec<T>,
    y: Vec<T>,
    /// Whether elements were removed.
    lacks: bool,
}

/// Reduces in a loop from the first element to the last. Returns `None` if there are no elements and no identity. NaN
/// results have the bits that the numeric contract states.
pub(crate) fn reduce(name: &str, inputs: &[Lanes], rules: Rules) -> Option<Vec<Value>> {
    let ty = inputs[0].ty();
    if ty.is_float() {
        let elements = Elements::read(inputs, |value| value.as_f64().unwrap());
        floats::reduce(name, ty, elements.without_nan(rules.ignore), rules)
    } else {
        integers::reduce(name, ty, &Elements::read(inputs, |value| value.as_int().unwrap()), rules)
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

    /// Returns the index of the best element: on a tie the first, or the last.
    fn best(&self, rules: Rules, better: impl Fn(T, T) -> bool) -> Option<usize> {
        let mut best = 0;
        for i in 1..self.x.len() {
            let equal = !better(self.x[i], self.x[best]) && !better(self.x[best], self.x[i]);
            if better(self.x[i], self.x[best]) || rules.last && equal {
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

/// Converts a float result. NaN gets the bits that the numeric contract states.
fn float(ty: Scalar, number: f64) -> Value {
    let nan = match ty.size() {
        8 => 0x7ff8 << 48,
        4 => 0x7fc0_0000,
        _ if ty == Scalar::F16 => 0x7e00,
        _ => 0x7fc0,
    };
    if number.is_nan() { Value::from_bits(ty, nan) } else { super::data::float(ty, number, 0) }
}
