//! What operations lose: digits that are rounded off, and what an integer cannot hold.

use reduce_ir::Value;
use reduce_ir::func::{Func, Line, Node};
use reduce_ir::ops::{Bin, Un};

/// Below this, the error of a product may be too small for a `f64`.
const TINY: f64 = 1e-280;

/// What an operation loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loss {
    /// A float is rounded.
    Rounding,
    /// An integer wraps.
    Wrapping,
    /// A quotient has no value.
    DivisionByZero,
}

/// May the result of a line lose something? Whether it does is what [`loss`] says.
pub(super) fn may_lose(func: &Func, line: &Line) -> bool {
    let wraps = match line.node {
        Node::Bin(Bin::Add | Bin::Sub | Bin::Mul, ..) | Node::Un(Un::Neg | Un::Abs, _) => {
            line.ty.is_integer()
        }
        Node::Const(_) | Node::Bin(..) | Node::Un(..) | Node::Cmp(..) => false,
        Node::Select(..) | Node::Cast(..) | Node::MulAdd(..) => false,
    };
    wraps || func.rounds_at(line)
}

/// What the result of an operation lost, if it [may lose](may_lose) something. The sign of a zero that a
/// sum gives of others than two zeros of that sign is a convention of rounding, and counts as lost.
pub(super) fn loss(node: Node, operands: &[Value], out: Value) -> Option<Loss> {
    let (float, integer) = (|it: Value| it.as_f64(), |it: Value| it.as_int());
    let Some(rounded) = float(out) else {
        let is_kept = each(operands, integer).and_then(|it| integer_of(node, it)) == integer(out);
        return (!is_kept).then_some(Loss::Wrapping);
    };
    match (node, each(operands, float)) {
        (Node::Bin(Bin::Div, ..), Some([a, b, _])) if b == 0.0 && !a.is_nan() => Some(Loss::DivisionByZero),
        (_, Some(floats)) => (!is_exact(node, floats, rounded)).then_some(Loss::Rounding),
        (_, None) => (integer(operands[0]) != Some(rounded as i128)).then_some(Loss::Rounding),
    }
}

/// What `of` gives of each operand, of which there are at most three.
fn each<T: Copy + Default>(operands: &[Value], of: impl Fn(Value) -> Option<T>) -> Option<[T; 3]> {
    let mut all = [T::default(); 3];
    for (it, &operand) in all.iter_mut().zip(operands) {
        *it = of(operand)?;
    }
    Some(all)
}

/// Is `out` what the operation gives before rounding?
fn is_exact(node: Node, [a, b, c]: [f64; 3], out: f64) -> bool {
    match node {
        Node::Bin(Bin::Add, ..) => is_sum(a, b, out),
        Node::Bin(Bin::Sub, ..) => is_sum(a, -b, out),
        Node::Bin(Bin::Mul, ..) => is_product(a, b, out),
        Node::Bin(Bin::Div, ..) => is_quotient(a, b, out),
        Node::MulAdd(..) => is_product(a, b, a * b) && is_sum(a * b, c, out),
        Node::Un(Un::Sqrt, _) => a <= 0.0 || a.is_nan() || is_product(out, out, a),
        Node::Cast(..) => a == out || a.is_nan(),
        Node::Const(_) | Node::Un(..) | Node::Bin(..) | Node::Cmp(..) | Node::Select(..) => false,
    }
}

/// What the operation gives before wrapping.
fn integer_of(node: Node, [a, b, _]: [i128; 3]) -> Option<i128> {
    match node {
        Node::Bin(Bin::Add, ..) => a.checked_add(b),
        Node::Bin(Bin::Sub, ..) => a.checked_sub(b),
        Node::Bin(Bin::Mul, ..) => a.checked_mul(b),
        Node::Un(Un::Neg, _) => a.checked_neg(),
        Node::Un(Un::Abs, _) => a.checked_abs(),
        Node::Const(_) | Node::Un(..) | Node::Bin(..) | Node::Cmp(..) => None,
        Node::Select(..) | Node::Cast(..) | Node::MulAdd(..) => None,
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

/// Is `out` a ÷ b, of another b than 0?
fn is_quotient(a: f64, b: f64, out: f64) -> bool {
    if !a.is_finite() || !b.is_finite() || a == 0.0 {
        return true;
    }
    a.abs() > TINY && out != 0.0 && out.mul_add(b, -a) == 0.0
}
