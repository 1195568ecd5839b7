//! The losses of operations: digits that are rounded off, and integers that do not fit their type.

use reduce_ir::Value;
use reduce_ir::func::{Func, Line, Node};
use reduce_ir::ops::{Bin, Un};

/// The magnitude below which the error of a product may be too small for an `f64`.
const TINY: f64 = 1e-280;

/// A loss of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loss {
    /// A float is rounded.
    Rounding,
    /// An integer wraps.
    Wrapping,
    /// A quotient does not exist.
    DivisionByZero,
}

/// Returns whether the result of a line can lose digits or wrap. [`loss`] tells whether it does.
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

/// Returns the loss of a result, if it [can lose](may_lose) anything. The sign of a zero sum is a convention of
/// rounding and counts as lost, unless both operands are zeros of that sign.
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

/// Applies `of` to the operands, at most three.
fn each<T: Copy + Default>(operands: &[Value], of: impl Fn(Value) -> Option<T>) -> Option<[T; 3]> {
    let mut all = [T::default(); 3];
    for (it, &operand) in all.iter_mut().zip(operands) {
        *it = of(operand)?;
    }
    Some(all)
}

/// Returns whether `out` is the result of the operation before rounding.
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

/// Returns the result of the operation before wrapping.
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

/// Returns whether `out` is a + b without a sign convention. The error of a sum is a float (Knuth).
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

/// Returns whether `out` is a · b.
fn is_product(a: f64, b: f64, out: f64) -> bool {
    if !a.is_finite() || !b.is_finite() || a == 0.0 || b == 0.0 {
        return true;
    }
    out.abs() > TINY && a.mul_add(b, -out) == 0.0
}

/// Returns whether `out` is a ÷ b, for b other than 0.
fn is_quotient(a: f64, b: f64, out: f64) -> bool {
    if !a.is_finite() || !b.is_finite() || a == 0.0 {
        return true;
    }
    a.abs() > TINY && out != 0.0 && out.mul_add(b, -a) == 0.0
}
