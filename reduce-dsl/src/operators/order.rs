//! Operators that order elements and select one.

use super::{Operator, Shape, Ty, Width};

const MIN_MAX: Shape = Shape::Struct("MinMax", &[Ty::T], &[("min", Ty::T), ("max", Ty::T)]);

pub(super) const MIN: Operator = Operator {
    name: "min",
    doc: "the smallest; -0 is below +0",
    source: "IEEE 754-2019 minimum, and minimumNumber where NaN is ignored",
    op: "|a, b| if IGNORE { a.min(b) } else { a.minimum(b) }",
    identity: Some("if IGNORE { T_NAN } else { T_GREATEST }"),
    ..Operator::SELECTING
};

pub(super) const MAX: Operator = Operator {
    name: "max",
    doc: "the largest; -0 is below +0",
    source: "IEEE 754-2019 maximum, and maximumNumber where NaN is ignored",
    op: "|a, b| if IGNORE { a.max(b) } else { a.maximum(b) }",
    identity: Some("if IGNORE { T_NAN } else { T_LEAST }"),
    ..Operator::SELECTING
};

pub(super) const MINMAX: Operator = Operator {
    name: "minmax",
    doc: "the smallest and the largest, as `min` and `max`",
    source: "C++ std::minmax_element, without positions",
    acc: MIN_MAX,
    map: "|x| MinMax { min: x, max: x }",
    op: "|a, b| MinMax {
        min: if IGNORE { a.min.min(b.min) } else { a.min.minimum(b.min) },
        max: if IGNORE { a.max.max(b.max) } else { a.max.maximum(b.max) },
    }",
    identity: Some(
        "MinMax { min: if IGNORE { T_NAN } else { T_GREATEST }, max: if IGNORE { T_NAN } else { T_LEAST } }",
    ),
    output: MIN_MAX,
    ..Operator::SELECTING
};

pub(super) const NORM_INF: Operator = Operator {
    name: "norm_inf",
    doc: "the largest magnitude; unsigned for integers, so the magnitude of the minimum fits",
    source: "numpy.linalg.norm",
    width: Width::LargestMagnitude,
    acc: Shape::Scalar(Ty::A),
    map: "|x| (x as W).abs() as A",
    skips_nan: true,
    op: "|a, b| a.maximum(b)",
    identity: Some("A_ZERO"),
    output: Shape::Scalar(Ty::A),
    ..Operator::SELECTING
};
