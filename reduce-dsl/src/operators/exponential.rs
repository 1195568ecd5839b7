//! Sums of exponentials, relative to the largest element so far (Milakov and Gimelshein, arXiv:1805.02867). Of two such
//! sums only the one with the smaller maximum is scaled, so that each element costs one `exp`.

use super::{Operator, Shape, Ty, Width};

const MAX_SUM: Shape = Shape::Struct("MaxSum", &[Ty::A], &[("max", Ty::A), ("sum", Ty::A)]);

pub(super) const LOGSUMEXP: Operator = Operator {
    name: "logsumexp",
    doc: "the logarithm of the sum of the exponentials, without overflow",
    source: "scipy.special.logsumexp",
    finish: "|acc| acc.max + acc.sum.ln()",
    output: Shape::Scalar(Ty::A),
    ..SOFTMAX_DENOMINATOR
};

pub(super) const SOFTMAX_DENOMINATOR: Operator = Operator {
    name: "softmax_denominator",
    doc: "the largest element, and the sum of exp(x - largest)",
    source: "Milakov and Gimelshein, arXiv:1805.02867",
    width: Width::Float,
    acc: MAX_SUM,
    map: "|x| MaxSum { max: x as W as A, sum: A_ONE }",
    // The difference of equal infinities is NaN, of which `min` makes 0. What is NaN is so in `max`, and the sum beside it
    // means nothing. No sum shows what is scaled by less than e^-87, and above that `exp` takes fewer operations.
    op: "|a, b| {
        let distance = (-(a.max - b.max).abs()).min(A_ZERO).max(-87.0);
        let scale = distance.exp();
        let sum = if a.max < b.max { a.sum.mul_add(scale, b.sum) } else { b.sum.mul_add(scale, a.sum) };
        MaxSum { max: a.max.maximum(b.max), sum }
    }",
    identity: Some("MaxSum { max: A_LEAST, sum: A_ZERO }"),
    finish: "|acc| MaxSum { max: acc.max, sum: if acc.max.is_nan() { acc.max } else { acc.sum } }",
    output: MAX_SUM,
    ..Operator::ADDITIVE
};
