//! Which operations round, and which of their results were.

use crate::Scalar;
use crate::func::{Func, Line, Node};
use crate::lanes::LanesRef;
use crate::ops::{Bin, Un};

/// Below this, the error of a product may be too small for a `f64`.
const TINY: f64 = 1e-280;

/// May a result of the function be rounded?
pub(super) fn rounds(func: &Func) -> bool {
    func.lines().iter().any(|line| may_round(func, line))
}

/// May the result of a line be rounded? Whether it was is what [`was_rounded`] says.
pub(super) fn may_round(func: &Func, line: &Line) -> bool {
    match line.node {
        Node::Bin(Bin::Add | Bin::Sub | Bin::Mul | Bin::Div, ..) => line.ty.is_float(),
        Node::Un(op, _) => matches!(op, Un::Sqrt | Un::Exp | Un::Ln),
        Node::Cast(to, a) => to.is_float() && !is_exact_cast(func.ty(a), to),
        Node::MulAdd(..) => true,
        Node::Const(_) | Node::Bin(..) | Node::Cmp(..) | Node::Select(..) => false,
    }
}

/// Whether lane `i` of the result of an operation that [may round](may_round) was rounded. The sign of a zero that a sum
/// gives of others than two zeros of that sign is a convention of the rounding, and counts as rounded.
pub(super) fn was_rounded(node: Node, operands: &[LanesRef<'_>], out: LanesRef<'_>, i: usize) -> bool {
    let float = |at: usize| operands.get(at).and_then(|lanes| lanes.get(i).as_f64());
    let out = out.get(i).as_f64();
    let exact = match (node, float(0), float(1), float(2), out) {
        (Node::Bin(Bin::Add, ..), Some(a), Some(b), _, Some(out)) => is_sum(a, b, out),
        (Node::Bin(Bin::Sub, ..), Some(a), Some(b), _, Some(out)) => is_sum(a, -b, out),
        (Node::Bin(Bin::Mul, ..), Some(a), Some(b), _, Some(out)) => is_product(a, b, out),
        (Node::Bin(Bin::Div, ..), Some(a), Some(b), _, Some(out)) => is_quotient(a, b, out),
        (Node::MulAdd(..), Some(a), Some(b), Some(c), Some(out)) => {
            is_product(a, b, a * b) && is_sum(a * b, c, out)
        }
        (Node::Un(Un::Sqrt, _), Some(a), _, _, Some(out)) => {
            a <= 0.0 || a.is_nan() || is_product(out, out, a)
        }
        (Node::Cast(..), Some(a), _, _, Some(out)) => a == out || a.is_nan(),
        (Node::Cast(..), None, _, _, Some(out)) => {
            operands[0].get(i).as_int().is_some_and(|integer| out as i128 == integer)
        }
        _ => false,
    };
    !exact
}

fn is_exact_cast(from: Scalar, to: Scalar) -> bool {
    match from {
        Scalar::F64 => to == Scalar::F64,
        Scalar::Bool | Scalar::F16 | Scalar::Bf16 | Scalar::F32 => true,
        Scalar::I8 | Scalar::I16 | Scalar::U8 | Scalar::U16 => true,
        Scalar::I32 | Scalar::U32 => to == Scalar::F64,
        Scalar::I64 | Scalar::U64 => false,
    }
}

/// Is `out` a + b, with no convention about it? The error of a sum is a float (Knuth).
fn is_sum(a: f64, b: f64, out: f64) -> bool {
    if !a.is_finite() || !b.is_finite() {
        return true;
    }
    let sum = a + b;
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    let is_convention = sum == 0.0 && !(a == 0.0 && a.is_sign_negative() == b.is_sign_negative());
    sum == out && error == 0.0 && !is_convention
}

/// Is `out` a · b?
fn is_product(a: f64, b: f64, out: f64) -> bool {
    if !a.is_finite() || !b.is_finite() || a == 0.0 || b == 0.0 {
        return true;
    }
    out.abs() > TINY && a.mul_add(b, -out) == 0.0
}

/// Is `out` a ÷ b?
fn is_quotient(a: f64, b: f64, out: f64) -> bool {
    if !a.is_finite() || !b.is_finite() || a == 0.0 || b == 0.0 {
        return true;
    }
    a.abs() > TINY && out != 0.0 && out.mul_add(b, -a) == 0.0
}
