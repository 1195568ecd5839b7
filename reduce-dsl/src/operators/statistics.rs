//! Means and moments, in floats: those of 16-bit floats in `f32`, those of integers in `f64`.
//!
//! Moments are the mean and the sum of squared distances from it, updated by each element as Welford does (Technometrics
//! 4, 1962), where 1 / n is the same for all lanes of a thread, and combined as Chan, Golub and LeVeque do (The
//! American Statistician 37, 1983). What is not finite has no distance from itself: `value - value` is NaN.

use super::{Operator, Shape, Ty, Width};
use crate::Scalar::U64;

const COUNTED: Shape = Shape::Struct("Counted", &[Ty::A], &[("n", Ty::Is(U64)), ("sum", Ty::A)]);

const WEIGHTED: Shape = Shape::Struct("Weighted", &[Ty::A], &[("sum", Ty::A), ("weight", Ty::A)]);

const MOMENTS: Shape =
    Shape::Struct("Moments", &[Ty::A], &[("n", Ty::Is(U64)), ("mean", Ty::A), ("m2", Ty::A)]);

const DESCRIPTION: Shape = Shape::Struct(
    "Describe",
    &[Ty::T, Ty::A],
    &[("n", Ty::Is(U64)), ("mean", Ty::A), ("m2", Ty::A), ("min", Ty::T), ("max", Ty::T)],
);

pub(super) const MEAN: Operator = Operator {
    name: "mean",
    doc: "the sum, divided by the number of elements",
    source: "numpy.mean",
    width: Width::Float,
    finish: "|acc, n| acc / n as A",
    ignoring: Some(&MEAN_OF_NUMBERS),
    ..Operator::ADDITIVE
};

/// The mean where NaN is ignored: the elements that are left have to be counted.
const MEAN_OF_NUMBERS: Operator = Operator {
    name: "mean",
    width: Width::Float,
    acc: COUNTED,
    map: "|x| Counted { n: 1, sum: x as W as A }",
    op: "|a, b| Counted { n: a.n + b.n, sum: a.sum + b.sum }",
    identity: Some("Counted { n: 0, sum: A_NEG_ZERO }"),
    finish: "|acc| acc.sum / acc.n as A",
    ..Operator::ADDITIVE
};

pub(super) const WEIGHTED_MEAN: Operator = Operator {
    name: "weighted_mean",
    doc: "the sum of the first input times the second, divided by the sum of the second",
    source: "numpy.average",
    inputs: 2,
    width: Width::Float,
    acc: WEIGHTED,
    map: "|x, y| {
        let weight = y as W as A;
        Weighted { sum: (x as W as A) * weight, weight }
    }",
    op: "|a, b| Weighted { sum: a.sum + b.sum, weight: a.weight + b.weight }",
    identity: Some("Weighted { sum: A_NEG_ZERO, weight: A_NEG_ZERO }"),
    finish: "|acc| acc.sum / acc.weight",
    ..Operator::ADDITIVE
};

pub(super) const VAR: Operator = Operator {
    name: "var",
    doc: "the variance: the mean squared distance from the mean, or with `params: { ddof: u64 }` the sum of the \
          squared distances divided by n - ddof",
    source: "numpy.var",
    width: Width::Float,
    acc: MOMENTS,
    map: "|x| {
        let value = x as W as A;
        Moments { n: 1, mean: value, m2: value - value }
    }",
    op: "|a, b| {
        let total = a.n + b.n;
        let delta = b.mean - a.mean;
        let share = b.n as A * (A_ONE / total as A);
        let mean = delta.mul_add(share, a.mean);
        let m2 = (delta * delta).mul_add(a.n as A * share, a.m2 + b.m2);
        let no_a = a.n == 0;
        let no_b = b.n == 0;
        if no_b { a } else if no_a { b } else { Moments { n: total, mean, m2 } }
    }",
    fold: Some(
        "|acc, x| {
        let count = if IGNORE { acc.n + 1 } else { step + 1 };
        let value = x as W as A;
        let delta = value - acc.mean;
        let mean = delta.mul_add(A_ONE / count as A, acc.mean);
        let m2 = delta.mul_add(value - mean, acc.m2);
        Moments { n: count, mean, m2 }
    }",
    ),
    identity: Some("Moments { n: 0, mean: A_ZERO, m2: A_ZERO }"),
    finish: "|acc| acc.m2 / (acc.n - acc.n.min(ddof)) as A",
    params: &[("ddof", U64, "0u64")],
    ..Operator::ADDITIVE
};

pub(super) const STD: Operator = Operator {
    name: "std",
    doc: "the standard deviation: the root of `var`",
    source: "numpy.std",
    finish: "|acc| (acc.m2 / (acc.n - acc.n.min(ddof)) as A).sqrt()",
    ..VAR
};

pub(super) const DESCRIBE: Operator = Operator {
    name: "describe",
    doc: "the number of elements, their mean, the sum of their squared distances from it, the smallest and the largest",
    source: "scipy.stats.describe",
    width: Width::Float,
    acc: DESCRIPTION,
    map: "|x| {
        let value = x as W as A;
        Describe { n: 1, mean: value, m2: value - value, min: x, max: x }
    }",
    op: "|a, b| {
        let total = a.n + b.n;
        let delta = b.mean - a.mean;
        let share = b.n as A * (A_ONE / total as A);
        let mean = delta.mul_add(share, a.mean);
        let m2 = (delta * delta).mul_add(a.n as A * share, a.m2 + b.m2);
        let least = if IGNORE { a.min.min(b.min) } else { a.min.minimum(b.min) };
        let most = if IGNORE { a.max.max(b.max) } else { a.max.maximum(b.max) };
        let no_a = a.n == 0;
        let no_b = b.n == 0;
        if no_b { a } else if no_a { b } else { Describe { n: total, mean, m2, min: least, max: most } }
    }",
    // Where `n` is made of `step`, as in `var`, the kernel takes registers that leave room for a block less.
    fold: Some(
        "|acc, x| {
        let n = acc.n + 1;
        let count = if IGNORE { n } else { step + 1 };
        let value = x as W as A;
        let delta = value - acc.mean;
        let mean = delta.mul_add(A_ONE / count as A, acc.mean);
        let m2 = delta.mul_add(value - mean, acc.m2);
        let least = if IGNORE { acc.min.min(x) } else { acc.min.minimum(x) };
        let most = if IGNORE { acc.max.max(x) } else { acc.max.maximum(x) };
        Describe { n, mean, m2, min: least, max: most }
    }",
    ),
    identity: Some(
        "Describe {
        n: 0, mean: A_ZERO, m2: A_ZERO,
        min: if IGNORE { T_NAN } else { T_GREATEST }, max: if IGNORE { T_NAN } else { T_LEAST },
    }",
    ),
    // Where no distance is a number, the mean that was last taken depends on where the infinite elements stand.
    finish: "|acc| {
        let is_none = acc.n == 0 || acc.m2.is_nan();
        Describe { n: acc.n, mean: if is_none { A_NAN } else { acc.mean }, m2: acc.m2, min: acc.min, max: acc.max }
    }",
    output: DESCRIPTION,
    ..Operator::ADDITIVE
};
