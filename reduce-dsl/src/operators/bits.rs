//! Operators on bits and booleans.

use super::{Domain, Operator, Shape, Ty, Width};
use reduce_ir::Scalar::{Bool, U64};

/// Counters have 64 bits for every element type.
const COUNTER: Operator = Operator {
    width: Width::Fixed,
    acc: Shape::Scalar(Ty::Is(U64)),
    identity: Some("0"),
    output: Shape::Scalar(Ty::Is(U64)),
    ..Operator::ADDITIVE
};

const TRUTH: Operator = Operator {
    domain: Domain::All,
    width: Width::Fixed,
    acc: Shape::Scalar(Ty::Is(Bool)),
    output: Shape::Scalar(Ty::Is(Bool)),
    ..Operator::SELECTING
};

const BITWISE: Operator = Operator { domain: Domain::Bits, identity: Some("T_ZERO"), ..Operator::SELECTING };

pub(super) const AND: Operator = Operator {
    name: "and",
    doc: "the bits that are set in every element",
    source: "numpy.bitwise_and.reduce",
    op: "|a, b| a & b",
    identity: Some("!T_ZERO"),
    ..BITWISE
};

pub(super) const OR: Operator = Operator {
    name: "or",
    doc: "the bits that are set in any element",
    source: "numpy.bitwise_or.reduce",
    op: "|a, b| a | b",
    ..BITWISE
};

pub(super) const XOR: Operator = Operator {
    name: "xor",
    doc: "the bits that are set in an odd number of elements",
    source: "numpy.bitwise_xor.reduce",
    op: "|a, b| a ^ b",
    ..BITWISE
};

pub(super) const ANY: Operator = Operator {
    name: "any",
    doc: "whether any element is true, or not 0; NaN is not 0",
    source: "numpy.any",
    map: "|x| x != T_ZERO",
    skips_nan: true,
    op: "|a, b| a | b",
    identity: Some("false"),
    ..TRUTH
};

pub(super) const ALL: Operator = Operator {
    name: "all",
    doc: "whether every element is true, or not 0; NaN is not 0",
    source: "numpy.all",
    map: "|x| x != T_ZERO",
    op: "|a, b| a & b",
    identity: Some("true"),
    ..TRUTH
};

pub(super) const COUNT: Operator = Operator {
    name: "count",
    doc: "the number of true elements, as with `map: |x| x > 0.0`",
    source: "C++ std::count_if",
    domain: Domain::Bool,
    map: "|x| x as u64",
    ..COUNTER
};

pub(super) const COUNT_NONZERO: Operator = Operator {
    name: "count_nonzero",
    doc: "the number of elements that are true, or not 0; NaN is not 0",
    source: "numpy.count_nonzero",
    domain: Domain::All,
    map: "|x| (x != T_ZERO) as u64",
    ..COUNTER
};
