//! Means and moments, in floats: `f32` for 16-bit floats, `f64` for integers.
//!
//! Moments are a mean and sums of powers of distances from it. Each element updates them as in Welford
//! (Technometrics 4, 1962). They are combined as in Chan, Golub and LeVeque (The American Statistician 37,
//! 1983), and above the second moment as in Pébay (SAND2008-6212). The mean is stored in two words, `mean +
//! rest`, so that distances keep the digits of the data at any offset. 1 / n is the same for all lanes of a
//! thread. An element that is not finite has no distance from itself: `value - value` is NaN.

use super::{Operator, Shape, Ty, Width};
use reduce_ir::Scalar::U64;

/// Computes the mean of the elements of `a` and `b` as `mean + rest`. It also defines `delta`, the distance of
/// the two means, and `share`, the fraction of the elements that are in `b`.
macro_rules! merged_mean {
    () => {
        "
        let total = a.n + b.n;
        let ratio = A_ONE / total as A;
        let share = b.n as A * ratio;
        let delta = (b.mean - a.mean) + (b.rest - a.rest);
        let shift = delta.mul_add(share, a.rest);
        let mean = a.mean + shift;
        let rest = shift - (mean - a.mean);
        let no_a = a.n == 0;
        let no_b = b.n == 0;"
    };
}

/// Computes the same for adding the element `x` to `acc`, and also `m2`, the sum of squared distances.
macro_rules! moved_mean {
    () => {
        "
        let value = X_HIGH;
        let away = if SPLIT { (value - acc.mean) + X_LOW } else { value - acc.mean };
        let delta = away - acc.rest;
        let shift = delta.mul_add(A_ONE / count as A, acc.rest);
        let mean = acc.mean + shift;
        let rest = shift - (mean - acc.mean);
        let m2 = delta.mul_add(away - shift, acc.m2);
        let is_first = ABSENT && acc.n == 0;"
    };
}

const AVERAGE: Shape = Shape::Struct("Average", &[Ty::A], &[("sum", Ty::A), ("scaled", Ty::A)]);

const COUNTED: Shape = Shape::Struct("Counted", &[Ty::A], &[("n", Ty::Is(U64)), ("sum", Ty::A)]);

const COUNTED_AVERAGE: Shape =
    Shape::Struct("CountedAverage", &[Ty::A], &[("n", Ty::Is(U64)), ("sum", Ty::A), ("scaled", Ty::A)]);

const WEIGHTED: Shape = Shape::Struct("Weighted", &[Ty::A], &[("sum", Ty::A), ("weight", Ty::A)]);

const MOMENTS: Shape = Shape::Struct(
    "Moments",
    &[Ty::A],
    &[("n", Ty::Is(U64)), ("mean", Ty::A), ("rest", Ty::A), ("m2", Ty::A)],
);

const THREE_MOMENTS: Shape = Shape::Struct(
    "ThreeMoments",
    &[Ty::A],
    &[("n", Ty::Is(U64)), ("mean", Ty::A), ("rest", Ty::A), ("m2", Ty::A), ("m3", Ty::A)],
);

const FOUR_MOMENTS: Shape = Shape::Struct(
    "FourMoments",
    &[Ty::A],
    &[("n", Ty::Is(U64)), ("mean", Ty::A), ("rest", Ty::A), ("m2", Ty::A), ("m3", Ty::A), ("m4", Ty::A)],
);

const DESCRIBED: Shape = Shape::Struct(
    "Described",
    &[Ty::T, Ty::A],
    &[("n", Ty::Is(U64)), ("mean", Ty::A), ("rest", Ty::A), ("m2", Ty::A), ("min", Ty::T), ("max", Ty::T)],
);

const DESCRIPTION: Shape = Shape::Struct(
    "Describe",
    &[Ty::T, Ty::A],
    &[("n", Ty::Is(U64)), ("mean", Ty::A), ("m2", Ty::A), ("min", Ty::T), ("max", Ty::T)],
);

pub(super) const MEAN: Operator = Operator {
    name: "mean",
    doc: "the sum, divided by the number of elements; finite wherever the mean is",
    source: "numpy.mean",
    width: Width::Float,
    fill: Some("A_NEG_ZERO"),
    finish: "|acc, n| acc / n as A",
    counting: Some(&COUNTED_MEAN),
    ranged: Some(&RANGED_MEAN),
    ..Operator::ADDITIVE
};

/// The mean for inputs with absent elements: it counts the elements that are present.
const COUNTED_MEAN: Operator = Operator {
    name: "mean",
    width: Width::Float,
    acc: COUNTED,
    map: "|x| Counted { n: 1, sum: x as W as A }",
    op: "|a, b| Counted { n: a.n + b.n, sum: a.sum + b.sum }",
    identity: Some("Counted { n: 0, sum: A_ZERO }"),
    fill: Some("Counted { n: 0, sum: A_NEG_ZERO }"),
    finish: "|acc| acc.sum / acc.n as A",
    ..Operator::ADDITIVE
};

/// The mean of elements whose sum can overflow; in that case the sum of the scaled elements is right.
const RANGED_MEAN: Operator = Operator {
    name: "mean",
    width: Width::Float,
    acc: AVERAGE,
    map: "|x| {
        let value = x as W as A;
        Average { sum: value, scaled: value * A_DOWN }
    }",
    op: "|a, b| Average { sum: a.sum + b.sum, scaled: a.scaled + b.scaled }",
    identity: Some("Average { sum: A_ZERO, scaled: A_ZERO }"),
    fill: Some("Average { sum: A_NEG_ZERO, scaled: A_NEG_ZERO }"),
    finish: "|acc, n| {
        let count = n as A;
        let is_finite = acc.sum - acc.sum == A_ZERO;
        if is_finite { acc.sum / count } else { acc.scaled / count * A_UP }
    }",
    counting: Some(&COUNTED_RANGED_MEAN),
    ..Operator::ADDITIVE
};

const COUNTED_RANGED_MEAN: Operator = Operator {
    name: "mean",
    width: Width::Float,
    acc: COUNTED_AVERAGE,
    map: "|x| {
        let value = x as W as A;
        CountedAverage { n: 1, sum: value, scaled: value * A_DOWN }
    }",
    op: "|a, b| CountedAverage { n: a.n + b.n, sum: a.sum + b.sum, scaled: a.scaled + b.scaled }",
    identity: Some("CountedAverage { n: 0, sum: A_ZERO, scaled: A_ZERO }"),
    fill: Some("CountedAverage { n: 0, sum: A_NEG_ZERO, scaled: A_NEG_ZERO }"),
    finish: "|acc| {
        let count = acc.n as A;
        let is_finite = acc.sum - acc.sum == A_ZERO;
        if is_finite { acc.sum / count } else { acc.scaled / count * A_UP }
    }",
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
    identity: Some("Weighted { sum: A_ZERO, weight: A_ZERO }"),
    fill: Some("Weighted { sum: A_NEG_ZERO, weight: A_NEG_ZERO }"),
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
        let value = X_HIGH;
        Moments { n: 1, mean: value, rest: X_LOW, m2: value - value }
    }",
    op: concat!(
        "|a, b| {",
        merged_mean!(),
        "
        let m2 = (delta * delta).mul_add(a.n as A * share, a.m2 + b.m2);
        if no_b { a } else if no_a { b } else { Moments { n: total, mean, rest, m2 } }
    }"
    ),
    fold: Some(concat!(
        "|acc, x| {
        let count = if ABSENT { acc.n + 1 } else { step + 1 };",
        moved_mean!(),
        "
        if is_first {
            Moments { n: 1, mean: value, rest: X_LOW, m2: value - value }
        } else {
            Moments { n: count, mean, rest, m2 }
        }
    }"
    )),
    identity: Some("Moments { n: 0, mean: A_ZERO, rest: A_ZERO, m2: A_ZERO }"),
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

pub(super) const SKEWNESS: Operator = Operator {
    name: "skewness",
    doc: "the third moment about the mean, divided by the third power of the standard deviation",
    source: "scipy.stats.skew",
    width: Width::Double,
    acc: THREE_MOMENTS,
    map: "|x| {
        let value = X_HIGH;
        let none = value - value;
        ThreeMoments { n: 1, mean: value, rest: X_LOW, m2: none, m3: none }
    }",
    op: concat!(
        "|a, b| {",
        merged_mean!(),
        "
        let share_of_a = a.n as A * ratio;
        let term = delta * delta * (a.n as A * share);
        let cross = 3.0 * (share_of_a * b.m2 - share * a.m2);
        let m3 = delta.mul_add(term.mul_add(share_of_a - share, cross), a.m3 + b.m3);
        if no_b { a } else if no_a { b } else {
            ThreeMoments { n: total, mean, rest, m2: a.m2 + b.m2 + term, m3 }
        }
    }"
    ),
    fold: Some(concat!(
        "|acc, x| {
        let count = if ABSENT { acc.n + 1 } else { step + 1 };",
        moved_mean!(),
        "
        let ratio = A_ONE / count as A;
        let others = A_ONE - ratio;
        let term = delta * (away - shift);
        let m3 = delta.mul_add(term.mul_add(others - ratio, -(3.0 * (ratio * acc.m2))), acc.m3);
        if is_first {
            ThreeMoments { n: 1, mean: value, rest: X_LOW, m2: value - value, m3: value - value }
        } else {
            ThreeMoments { n: count, mean, rest, m2, m3 }
        }
    }"
    )),
    identity: Some("ThreeMoments { n: 0, mean: A_ZERO, rest: A_ZERO, m2: A_ZERO, m3: A_ZERO }"),
    finish: "|acc| {
        let variance = acc.m2 / acc.n as A;
        acc.m3 / acc.n as A / (variance * variance.sqrt())
    }",
    ..Operator::ADDITIVE
};

pub(super) const KURTOSIS: Operator = Operator {
    name: "kurtosis",
    doc: "the fourth moment about the mean, divided by the square of the variance, minus 3",
    source: "scipy.stats.kurtosis",
    acc: FOUR_MOMENTS,
    map: "|x| {
        let value = X_HIGH;
        let none = value - value;
        FourMoments { n: 1, mean: value, rest: X_LOW, m2: none, m3: none, m4: none }
    }",
    op: concat!(
        "|a, b| {",
        merged_mean!(),
        "
        let share_of_a = a.n as A * ratio;
        let square = delta * delta;
        let term = square * (a.n as A * share);
        let cross = 3.0 * (share_of_a * b.m2 - share * a.m2);
        let m3 = delta.mul_add(term.mul_add(share_of_a - share, cross), a.m3 + b.m3);
        let shares = share_of_a * share_of_a - share_of_a * share + share * share;
        let squares = 6.0 * (share_of_a * share_of_a * b.m2 + share * share * a.m2);
        let cubes = 4.0 * (share_of_a * b.m3 - share * a.m3);
        let m4 = delta.mul_add(cubes, square.mul_add(term.mul_add(shares, squares), a.m4 + b.m4));
        if no_b { a } else if no_a { b } else {
            FourMoments { n: total, mean, rest, m2: a.m2 + b.m2 + term, m3, m4 }
        }
    }"
    ),
    fold: Some(concat!(
        "|acc, x| {
        let count = if ABSENT { acc.n + 1 } else { step + 1 };",
        moved_mean!(),
        "
        let ratio = A_ONE / count as A;
        let others = A_ONE - ratio;
        let term = delta * (away - shift);
        let m3 = delta.mul_add(term.mul_add(others - ratio, -(3.0 * (ratio * acc.m2))), acc.m3);
        let shares = others * others - others * ratio + ratio * ratio;
        let squares = delta.mul_add(term.mul_add(shares, 6.0 * (ratio * ratio * acc.m2)), -(4.0 * (ratio * acc.m3)));
        let m4 = delta.mul_add(squares, acc.m4);
        if is_first {
            let none = value - value;
            FourMoments { n: 1, mean: value, rest: X_LOW, m2: none, m3: none, m4: none }
        } else {
            FourMoments { n: count, mean, rest, m2, m3, m4 }
        }
    }"
    )),
    identity: Some("FourMoments { n: 0, mean: A_ZERO, rest: A_ZERO, m2: A_ZERO, m3: A_ZERO, m4: A_ZERO }"),
    finish: "|acc| {
        let variance = acc.m2 / acc.n as A;
        acc.m4 / acc.n as A / (variance * variance) - 3.0
    }",
    ..SKEWNESS
};

pub(super) const DESCRIBE: Operator = Operator {
    name: "describe",
    doc: "the number of elements, their mean, the sum of their squared distances from it, the smallest and the largest",
    source: "scipy.stats.describe",
    width: Width::Float,
    acc: DESCRIBED,
    map: "|x| {
        let value = X_HIGH;
        Described { n: 1, mean: value, rest: X_LOW, m2: value - value, min: x, max: x }
    }",
    op: concat!(
        "|a, b| {",
        merged_mean!(),
        "
        let m2 = (delta * delta).mul_add(a.n as A * share, a.m2 + b.m2);
        let least = if IGNORE { a.min.min(b.min) } else { a.min.minimum(b.min) };
        let most = if IGNORE { a.max.max(b.max) } else { a.max.maximum(b.max) };
        if no_b { a } else if no_a { b } else { Described { n: total, mean, rest, m2, min: least, max: most } }
    }"
    ),
    // Computing `n` from `step`, as `var` does, costs registers, and one block fewer fits.
    fold: Some(concat!(
        "|acc, x| {
        let n = acc.n + 1;
        let count = if ABSENT { n } else { step + 1 };",
        moved_mean!(),
        "
        let least = if IGNORE { acc.min.min(x) } else { acc.min.minimum(x) };
        let most = if IGNORE { acc.max.max(x) } else { acc.max.maximum(x) };
        if is_first {
            Described { n: 1, mean: value, rest: X_LOW, m2: value - value, min: x, max: x }
        } else {
            Described { n, mean, rest, m2, min: least, max: most }
        }
    }"
    )),
    identity: Some(
        "Described {
        n: 0, mean: A_ZERO, rest: A_ZERO, m2: A_ZERO,
        min: if IGNORE { T_NAN } else { T_GREATEST }, max: if IGNORE { T_NAN } else { T_LEAST },
    }",
    ),
    // If no distance is a number, the last mean depends on the positions of the infinite elements.
    finish: "|acc| {
        let is_none = acc.n == 0 || acc.m2.is_nan();
        let mean = if is_none { A_NAN } else { acc.mean + acc.rest };
        Describe { n: acc.n, mean, m2: acc.m2, min: acc.min, max: acc.max }
    }",
    output: DESCRIPTION,
    ..Operator::ADDITIVE
};
