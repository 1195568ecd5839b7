//! Operators that return positions, or the element at a position.
//!
//! A candidate is a value with its position. Candidates have a strict total order, so that the winner does not
//! depend on the order of comparisons. NaN comes first, or last if it is ignored; then the value decides, then
//! the position. An ignored NaN has a position that no element has.
//!
//! A lane folds an element after all elements of its accumulator, so `fold` compares no positions. The element
//! wins if it is better, or if it is equal and the last one wins. The same comparisons detect NaN, because no
//! comparison with NaN holds.

use super::{Domain, Operator, Shape, Ty, order};
use reduce_ir::Scalar::U64;

const BEST: Shape = Shape::Struct("Best", &[Ty::T], &[("value", Ty::T), ("index", Ty::Is(U64))]);

const EXTREMES: Shape = Shape::Struct(
    "Extremes",
    &[Ty::T],
    &[("min", Ty::T), ("argmin", Ty::Is(U64)), ("max", Ty::T), ("argmax", Ty::Is(U64))],
);

const ARG_MIN_MAX: Shape =
    Shape::Struct("ArgMinMax", &[], &[("argmin", Ty::Is(U64)), ("argmax", Ty::Is(U64))]);

pub(super) const ARGMIN: Operator = Operator {
    name: "argmin",
    doc: "the position of the smallest: the first of equals, or the first NaN; 0 and -0 are equal",
    source: "numpy.argmin",
    output: Shape::Scalar(Ty::Is(U64)),
    finish: "|acc| acc.index",
    nothing: Some("u64::MAX"),
    ..FINDMIN
};

pub(super) const ARGMAX: Operator = Operator {
    name: "argmax",
    doc: "the position of the largest: the first of equals, or the first NaN; 0 and -0 are equal",
    source: "numpy.argmax",
    output: Shape::Scalar(Ty::Is(U64)),
    finish: "|acc| acc.index",
    nothing: Some("u64::MAX"),
    ..FINDMAX
};

pub(super) const FINDMIN: Operator = Operator {
    name: "findmin",
    doc: "the smallest and its position, as `argmin`",
    source: "Julia findmin",
    op: "|a, b| {
        let tie_to_b = if LAST { b.index > a.index } else { b.index < a.index };
        let a_nan = a.value.is_nan();
        let b_nan = b.value.is_nan();
        let nan_to_b = if IGNORE { !b_nan } else { b_nan && (!a_nan || tie_to_b) };
        let value_to_b = b.value < a.value || b.value == a.value && tie_to_b;
        let take_b = if a_nan || b_nan { nan_to_b } else { value_to_b };
        if take_b { b } else { a }
    }",
    fold: Some(
        "|acc, x| {
        let nan_stays = if IGNORE { x.is_nan() } else { acc.value.is_nan() };
        let first_stays = x >= acc.value || nan_stays;
        let last_stays = if IGNORE { x > acc.value || nan_stays } else { !(x <= acc.value || x.is_nan()) };
        let stays = if LAST { last_stays } else { first_stays };
        if stays { acc } else { Best { value: x, index: i } }
    }",
    ),
    searches: &[["value", "index", order::MIN.op]],
    ..FINDMAX
};

pub(super) const FINDMAX: Operator = Operator {
    name: "findmax",
    doc: "the largest and its position, as `argmax`",
    source: "Julia findmax",
    acc: BEST,
    map: "|x| Best { value: x, index: if IGNORE && x.is_nan() { u64::MAX } else { i } }",
    op: "|a, b| {
        let tie_to_b = if LAST { b.index > a.index } else { b.index < a.index };
        let a_nan = a.value.is_nan();
        let b_nan = b.value.is_nan();
        let nan_to_b = if IGNORE { !b_nan } else { b_nan && (!a_nan || tie_to_b) };
        let value_to_b = b.value > a.value || b.value == a.value && tie_to_b;
        let take_b = if a_nan || b_nan { nan_to_b } else { value_to_b };
        if take_b { b } else { a }
    }",
    fold: Some(
        "|acc, x| {
        let nan_stays = if IGNORE { x.is_nan() } else { acc.value.is_nan() };
        let first_stays = x <= acc.value || nan_stays;
        let last_stays = if IGNORE { x < acc.value || nan_stays } else { !(x >= acc.value || x.is_nan()) };
        let stays = if LAST { last_stays } else { first_stays };
        if stays { acc } else { Best { value: x, index: i } }
    }",
    ),
    identity: None,
    output: BEST,
    searches: &[["value", "index", order::MAX.op]],
    ties: true,
    nothing: Some("T_NAN"),
    ..Operator::SELECTING
};

pub(super) const ARGMINMAX: Operator = Operator {
    name: "argminmax",
    doc: "the positions of the smallest and of the largest, as `argmin` and `argmax`",
    source: "numpy.argmin and numpy.argmax",
    acc: EXTREMES,
    map: "|x| {
        let position = if IGNORE && x.is_nan() { u64::MAX } else { i };
        Extremes { min: x, argmin: position, max: x, argmax: position }
    }",
    // `min` is NaN if and only if `max` is, at the same position.
    op: "|a, b| {
        let tie_to_b = if LAST { b.argmin > a.argmin } else { b.argmin < a.argmin };
        let max_tie_to_b = if LAST { b.argmax > a.argmax } else { b.argmax < a.argmax };
        let a_nan = a.min.is_nan();
        let b_nan = b.min.is_nan();
        let nan_to_b = if IGNORE { !b_nan } else { b_nan && (!a_nan || tie_to_b) };
        let min_to_b = b.min < a.min || b.min == a.min && tie_to_b;
        let max_to_b = b.max > a.max || b.max == a.max && max_tie_to_b;
        let take_min = if a_nan || b_nan { nan_to_b } else { min_to_b };
        let take_max = if a_nan || b_nan { nan_to_b } else { max_to_b };
        Extremes {
            min: if take_min { b.min } else { a.min },
            argmin: if take_min { b.argmin } else { a.argmin },
            max: if take_max { b.max } else { a.max },
            argmax: if take_max { b.argmax } else { a.argmax },
        }
    }",
    fold: Some(
        "|acc, x| {
        let nan_stays = if IGNORE { x.is_nan() } else { acc.min.is_nan() };
        let first_min_stays = x >= acc.min || nan_stays;
        let first_max_stays = x <= acc.max || nan_stays;
        let last_min_stays = if IGNORE { x > acc.min || nan_stays } else { !(x <= acc.min || x.is_nan()) };
        let last_max_stays = if IGNORE { x < acc.max || nan_stays } else { !(x >= acc.max || x.is_nan()) };
        let min_stays = if LAST { last_min_stays } else { first_min_stays };
        let max_stays = if LAST { last_max_stays } else { first_max_stays };
        Extremes {
            min: if min_stays { acc.min } else { x },
            argmin: if min_stays { acc.argmin } else { i },
            max: if max_stays { acc.max } else { x },
            argmax: if max_stays { acc.argmax } else { i },
        }
    }",
    ),
    finish: "|acc| ArgMinMax { argmin: acc.argmin, argmax: acc.argmax }",
    output: ARG_MIN_MAX,
    searches: &[["min", "argmin", order::MIN.op], ["max", "argmax", order::MAX.op]],
    nothing: Some("u64::MAX"),
    ..FINDMAX
};

pub(super) const FIRST: Operator = Operator {
    name: "first",
    doc: "the first element",
    source: "polars first",
    domain: Domain::All,
    op: "|a, b| if IGNORE && a.is_nan() { b } else { a }",
    identity: None,
    commutative: false,
    nothing: Some("T_NAN"),
    ..Operator::SELECTING
};

pub(super) const LAST: Operator = Operator {
    name: "last",
    doc: "the last element",
    source: "polars last",
    op: "|a, b| if IGNORE && b.is_nan() { a } else { b }",
    ..FIRST
};
