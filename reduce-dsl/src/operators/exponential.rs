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
    map: "|x| {
        let value = x as W as A;
        MaxSum { max: value, sum: if x.is_nan() { value } else { A_ONE } }
    }",
    // Infinities are equal, and have no difference.
    op: "|a, b| {
        let largest = a.max.maximum(b.max);
        let below = a.max.minimum(b.max) - largest;
        let scale = if a.max == b.max { A_ONE } else { below.exp() };
        let sum = if a.max < b.max { a.sum * scale + b.sum } else { a.sum + b.sum * scale };
        MaxSum { max: largest, sum }
    }",
    identity: Some("MaxSum { max: A_LEAST, sum: A_ZERO }"),
    output: MAX_SUM,
    ..Operator::ADDITIVE
};
