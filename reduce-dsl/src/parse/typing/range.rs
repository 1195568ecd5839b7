//! The values that an integer can have, as far as its operations show.

use reduce_ir::func::{FuncBuilder, Id, Node};
use reduce_ir::ops::{Bin, Un};
use reduce_ir::{Scalar, Value, constants};

/// The depth to which operations are examined.
const DEPTH: usize = 16;

/// Returns the least and the greatest value that an integer or a `bool` can have.
pub(super) fn of(f: &FuncBuilder, id: Id) -> [i128; 2] {
    within(f, id, DEPTH)
}

/// Returns the value of an integer that operations on constants give without wrapping.
pub(super) fn known(f: &FuncBuilder, id: Id) -> Option<i128> {
    let [least, most] = of(f, id);
    (least == most && f.ty(id).is_integer()).then_some(least)
}

fn within(f: &FuncBuilder, id: Id, depth: usize) -> [i128; 2] {
    let whole = whole(f.ty(id));
    if let Some(known) = f.known(id).and_then(Value::as_int) {
        return [known; 2];
    }
    let (Some(node), Some(depth)) = (f.node(id), depth.checked_sub(1)) else { return whole };
    let found = match node {
        Node::Bin(Bin::Shr, a, b) if f.ty(a).is_integer() => {
            shifted(within(f, a, depth), within(f, b, depth), 8 * f.ty(a).size() as i128)
        }
        Node::Bin(op, a, b) if f.ty(a).is_integer() => binary(op, within(f, a, depth), within(f, b, depth)),
        Node::Select(_, a, b) => {
            let [a, b] = [within(f, a, depth), within(f, b, depth)];
            Some([a[0].min(b[0]), a[1].max(b[1])])
        }
        Node::Cast(_, a) if f.ty(a).is_float() => Some(whole),
        Node::Cast(_, a) => Some(within(f, a, depth)),
        Node::Un(Un::CountOnes | Un::LeadingZeros | Un::TrailingZeros, a) => {
            Some([0, 8 * f.ty(a).size() as i128])
        }
        Node::Const(_) | Node::Un(..) | Node::Bin(..) | Node::Cmp(..) | Node::MulAdd(..) => None,
    };
    // An operation that may wrap can have every value.
    found.filter(|[least, most]| whole[0] <= *least && *most <= whole[1]).unwrap_or(whole)
}

/// Returns every value of a type.
fn whole(ty: Scalar) -> [i128; 2] {
    let end = |name| constants::constant(ty, name).and_then(Value::as_int);
    match (end("MIN"), end("MAX")) {
        (Some(least), Some(most)) => [least, most],
        _ => [0, 1],
    }
}

/// Returns the values of `a >> b`, whose distance wraps at the number of bits; `None` if nothing is known.
fn shifted(a: [i128; 2], b: [i128; 2], bits: i128) -> Option<[i128; 2]> {
    (a[0] >= 0 && b[0] >= 0 && b[1] < bits).then(|| [a[0] >> b[1], a[1] >> b[0]])
}

/// Returns the values of an operation in exact arithmetic; `None` if nothing is known.
fn binary(op: Bin, a: [i128; 2], b: [i128; 2]) -> Option<[i128; 2]> {
    let is_natural = a[0] >= 0 && b[0] >= 0;
    match op {
        Bin::Add => Some([a[0] + b[0], a[1] + b[1]]),
        Bin::Sub => Some([a[0] - b[1], a[1] - b[0]]),
        Bin::Mul if is_natural => Some([a[0].checked_mul(b[0])?, a[1].checked_mul(b[1])?]),
        Bin::Div if is_natural && b[0] > 0 => Some([a[0] / b[1], a[1] / b[0]]),
        Bin::Rem if is_natural && b[0] > 0 => Some([0, a[1].min(b[1] - 1)]),
        Bin::Min | Bin::MinNum => Some([a[0].min(b[0]), a[1].min(b[1])]),
        Bin::Max | Bin::MaxNum => Some([a[0].max(b[0]), a[1].max(b[1])]),
        Bin::And if is_natural => Some([0, a[1].min(b[1])]),
        Bin::And if b[0] >= 0 => Some([0, b[1]]),
        Bin::And if a[0] >= 0 => Some([0, a[1]]),
        Bin::Mul | Bin::Div | Bin::Rem | Bin::And | Bin::Or | Bin::Xor | Bin::Shl | Bin::Shr => None,
        Bin::Powf | Bin::Hypot | Bin::Atan2 => None,
    }
}
