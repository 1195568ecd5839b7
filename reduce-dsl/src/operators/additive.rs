//! Operators that add or multiply.
//!
//! The empty sum of floats is 0.0. Lanes start from −0.0, so that a sum of −0.0 stays −0.0.

use super::{Domain, Operator, Shape, Ty, Width};

/// Two scalars that represent a sum: the rounded sum and its rounding error.
const COMPENSATED: Shape = Shape::Struct("Compensated", &[Ty::A], &[("sum", Ty::A), ("rest", Ty::A)]);

/// The defaults of rows that add numbers of either sign.
const SUMS: Operator = Operator { fill: Some("A_NEG_ZERO"), ..Operator::ADDITIVE };

pub(super) const SUM: Operator = Operator {
    name: "sum",
    doc: "the sum; for `bool`, the number of true elements",
    source: "numpy.sum",
    domain: Domain::All,
    ..SUMS
};

pub(super) const SUM_COMPENSATED: Operator = Operator {
    name: "sum_compensated",
    doc: "the sum, with the rounding errors of all additions added to it at the end; ∞ stays ∞",
    source: "TwoSum: Knuth, TAOCP 2, 4.2.2; as Neumaier, ZAMM 54 (1974)",
    domain: Domain::Floats,
    acc: COMPENSATED,
    map: "|x| Compensated { sum: x as W as A, rest: A_ZERO }",
    // The rounding error of a sum that overflows is not a number and is dropped.
    op: "|a, b| {
        let sum = a.sum + b.sum;
        let of_b = sum - a.sum;
        let error = (a.sum - (sum - of_b)) + (b.sum - of_b);
        let is_finite = error - error == A_ZERO;
        Compensated { sum, rest: a.rest + b.rest + if is_finite { error } else { A_ZERO } }
    }",
    identity: Some("Compensated { sum: A_ZERO, rest: A_ZERO }"),
    fill: Some("Compensated { sum: A_NEG_ZERO, rest: A_ZERO }"),
    // Adding 0 to -0 would change its sign.
    finish: "|acc| if acc.rest == A_ZERO { acc.sum } else { acc.sum + acc.rest }",
    ..Operator::ADDITIVE
};

pub(super) const PROD: Operator = Operator {
    name: "prod",
    doc: "the product",
    source: "numpy.prod",
    op: "|a, b| a * b",
    identity: Some("A_ONE"),
    ..Operator::ADDITIVE
};

pub(super) const DOT: Operator = Operator {
    name: "dot",
    doc: "the sum of the products of two inputs",
    source: "numpy.dot",
    inputs: 2,
    width: Width::Product,
    map: "|x, y| (x as W as A) * (y as W as A)",
    ..SUMS
};

pub(super) const SUM_OF_SQUARES: Operator = Operator {
    name: "sum_of_squares",
    doc: "the sum of the squares; unsigned for integers",
    source: "numpy.vdot of an input and itself",
    width: Width::Square,
    map: "|x| {
        let value = x as W as A;
        value * value
    }",
    ..Operator::ADDITIVE
};

pub(super) const SQUARED_DISTANCE: Operator = Operator {
    name: "squared_distance",
    doc: "the sum of the squared differences of two inputs; unsigned for integers",
    source: "scipy.spatial.distance.sqeuclidean",
    inputs: 2,
    width: Width::Square,
    map: "|x, y| {
        let difference = (x as W as A) - (y as W as A);
        difference * difference
    }",
    ..Operator::ADDITIVE
};

pub(super) const NORM1: Operator = Operator {
    name: "norm1",
    doc: "the sum of the magnitudes; unsigned for integers, so the magnitude of the minimum fits",
    source: "BLAS asum",
    width: Width::Magnitude,
    map: "|x| (x as W).abs() as A",
    ..Operator::ADDITIVE
};

pub(super) const NORM2: Operator = Operator {
    name: "norm2",
    doc: "the root of the sum of the squares, without overflow or underflow",
    source: "BLAS nrm2, numpy.linalg.norm",
    width: Width::Float,
    finish: "|acc| acc.sqrt()",
    ranged: Some(&NORM2_OF_RANGES),
    ..SUM_OF_SQUARES
};

/// Sums of squares in three ranges (Blue, ACM TOMS 4, 1978). Each element is added to all three sums, without a
/// branch. If the plain sum overflows or is so small that squares may have underflowed, a scaled sum is right.
const NORM2_OF_RANGES: Operator = Operator {
    name: "norm2",
    width: Width::Float,
    acc: Shape::Struct("Ranges", &[Ty::A], &[("sum", Ty::A), ("small", Ty::A), ("large", Ty::A)]),
    map: "|x| {
        let value = x as W as A;
        let small = value * A_GROW;
        let large = value * A_SHRINK;
        Ranges { sum: value * value, small: small * small, large: large * large }
    }",
    op: "|a, b| Ranges { sum: a.sum + b.sum, small: a.small + b.small, large: a.large + b.large }",
    identity: Some("Ranges { sum: A_ZERO, small: A_ZERO, large: A_ZERO }"),
    finish: "|acc| {
        let is_finite = acc.sum - acc.sum == A_ZERO;
        let scaled = if is_finite { acc.small.sqrt() / A_GROW } else { acc.large.sqrt() / A_SHRINK };
        if is_finite && acc.sum >= A_SAFE { acc.sum.sqrt() } else { scaled }
    }",
    ..SUM_OF_SQUARES
};
