//! Closures that are a named operator: the same operation up to the order of operands takes the operator's path, so
//! that `|a, b| b + a` is `sum` and is never slower.

use crate::laws::{self, Effort};
use crate::operators::{Nan, OPERATORS, Operator, Ties};
use reduce_ir::func::{Func, Id, Node};
use reduce_ir::operation::Operation;
use reduce_ir::ops::{Bin, Cmp};
use reduce_ir::{Scalar, Value};
use std::collections::HashMap;

/// The operation as that of a named operator, if its `combine` is one and keeps the row's promises: with the operator's fill and laws and, where
/// the accumulator is a scalar, its name and text. The identity stays as written, +0.0 of a float sum too, which begins with −0.0
/// where there are elements.
pub fn recognise(operation: Operation) -> Operation {
    let Some(Known { row, combine, fill }) = known(&operation) else { return operation };
    let rounds = combine.rounds() || operation.fold.as_ref().is_some_and(Func::rounds);
    let is_scalar = operation.acc.is_scalar();
    let named = Operation {
        name: if is_scalar { row.name.to_owned() } else { operation.name.clone() },
        combine: if is_scalar { combine } else { operation.combine.clone() },
        fill,
        commutative: row.commutative,
        exact: row.commutative && !rounds,
        named: is_scalar || operation.named,
        ..operation.clone()
    };
    if keeps_promises(&named) { named } else { operation }
}

/// Does what the row promises hold of the accumulators that this `map` makes? A row knows those of its own.
fn keeps_promises(named: &Operation) -> bool {
    let promised = Operation { identity: None, fold: None, ..named.clone() };
    laws::check(&promised, Effort::Sample).is_ok()
}

/// An operator that has been found.
struct Known {
    row: &'static Operator,
    combine: Func,
    fill: Option<Vec<Value>>,
}

/// The operator with that accumulator and `combine`, for some type of elements and some choices.
fn known(operation: &Operation) -> Option<Known> {
    let types = operation.acc.types();
    // Rows whose text is the same combine alike: reading it again would find nothing new.
    let mut read = Vec::new();
    for row in &OPERATORS {
        for (element, acc) in pairs(&types) {
            let is_width = acc == row.width.of(element) || row.width.takes(element, acc);
            if !(is_width && row.takes(element)) || row.acc.record(element, acc).types() != types {
                continue;
            }
            if read.contains(&(row.op, element, acc)) {
                continue;
            }
            read.push((row.op, element, acc));
            let known = choices(row, element).find_map(|(nan, ties)| {
                let combine = row.combine(element, acc, nan, ties).ok()?;
                let is_same = is_same(&operation.combine, &combine, row.commutative);
                let fill = is_same.then(|| row.neutral(element, acc, nan))?.ok()?;
                Some(Known { row, combine, fill })
            });
            if known.is_some() {
                return known;
            }
        }
    }
    None
}

/// What the elements and the accumulator's own scalars may be, where the accumulator has those types.
fn pairs(types: &[Scalar]) -> impl Iterator<Item = (Scalar, Scalar)> {
    let once = || types.iter().enumerate().filter(|(at, ty)| !types[..*at].contains(ty)).map(|(_, &ty)| ty);
    once().flat_map(move |element| once().map(move |acc| (element, acc)))
}

/// The choices that make a difference to what the row does.
fn choices(row: &Operator, element: Scalar) -> impl Iterator<Item = (Nan, Ties)> {
    let ignores = element.is_float() && row.op.contains("IGNORE");
    let nan = if ignores { &[Nan::Propagate, Nan::Ignore][..] } else { &[Nan::Propagate] };
    let ties = if row.op.contains("LAST") { &[Ties::First, Ties::Last][..] } else { &[Ties::First] };
    nan.iter().flat_map(move |&nan| ties.iter().map(move |&ties| (nan, ties)))
}

/// Are both the same function of two accumulators, up to the order of operands, and of the accumulators if they
/// commute?
fn is_same(one: &Func, other: &Func, commutes: bool) -> bool {
    let mut classes = Classes::default();
    let wanted = classes.of(other, false);
    wanted == classes.of(one, false) || commutes && wanted == classes.of(one, true)
}

/// Numbers operations, of several functions, so that equal ones have one number.
#[derive(Default)]
struct Classes {
    ids: HashMap<Node, Id>,
    nodes: Vec<Node>,
}

impl Classes {
    /// The numbers of the results of a function of two accumulators, which may be swapped.
    fn of(&mut self, func: &Func, swapped: bool) -> Vec<Id> {
        let params = func.params().len() as u32;
        let place = |param| if swapped { (param + params / 2) % params } else { param };
        let mut classes: Vec<Id> = (0..params).map(|param| Id(place(param))).collect();
        for line in func.lines() {
            let node = ordered(line.node.map(|id| classes[id.0 as usize]));
            let node = if line.ty.is_integer() { self.extreme(node, params) } else { node };
            classes.push(self.number(node, params));
        }
        func.results().iter().map(|id| classes[id.0 as usize]).collect()
    }

    fn number(&mut self, node: Node, params: u32) -> Id {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let id = Id(params + self.nodes.len() as u32);
        self.nodes.push(node);
        self.ids.insert(node, id);
        id
    }

    /// `if a < b { b } else { a }` of integers is the larger, and with the branches exchanged the smaller.
    fn extreme(&self, node: Node, params: u32) -> Node {
        let Node::Select(Id(condition), yes, no) = node else { return node };
        let condition = condition.checked_sub(params).map(|class| self.nodes[class as usize]);
        let Some(Node::Cmp(Cmp::Lt | Cmp::Le, a, b)) = condition else { return node };
        if (yes, no) == (b, a) {
            ordered(Node::Bin(Bin::Max, a, b))
        } else if (yes, no) == (a, b) {
            ordered(Node::Bin(Bin::Min, a, b))
        } else {
            node
        }
    }
}

/// The operation with its operands in the one order, where any will do; `a > b` is `b < a`.
fn ordered(node: Node) -> Node {
    match node {
        Node::Bin(op, a, b) if op.commutes() => Node::Bin(op, a.min(b), a.max(b)),
        Node::Cmp(op @ (Cmp::Eq | Cmp::Ne), a, b) => Node::Cmp(op, a.min(b), a.max(b)),
        Node::Cmp(op @ (Cmp::Gt | Cmp::Ge), a, b) => Node::Cmp(op.swapped(), b, a),
        Node::Const(_) | Node::Un(..) | Node::Bin(..) | Node::Cmp(..) => node,
        Node::Select(..) | Node::Cast(..) | Node::MulAdd(..) => node,
    }
}
