//! Sums of exponentials relative to the largest element so far (Milakov and Gimelshein, arXiv:1805.02867).
//! Combining scales only the sum with the smaller maximum, so that each element costs one `exp`.

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
    // Equal infinities differ by NaN, which `min` turns into 0. If `max` is NaN, `sum` is irrelevant.
    // A term scaled by less than e^-87 does not change a sum; the bound saves operations of `exp`.
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
