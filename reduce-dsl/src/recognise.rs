//! Recognises closures that are a named operator. An operation that is equal up to the order of operands is
//! compiled as the operator, so that `|a, b| b + a` is as fast as `sum`.

use crate::laws::{self, Effort};
use crate::operators::{Nan, OPERATORS, Operator, Ties};
use reduce_ir::func::{Func, Id, Node};
use reduce_ir::operation::Operation;
use reduce_ir::ops::{Bin, Cmp};
use reduce_ir::{Scalar, Value};
use std::collections::HashMap;

/// Turns the operation into that of a named operator, if its `combine` equals that of a row and the row's
/// properties hold. It gets the operator's fill and properties and, if the accumulator is a scalar, its name
/// and text. The identity stays as written; that includes the +0.0 of a float sum, although lanes start from
/// −0.0.
pub fn recognise(operation: Operation) -> Operation {
    // A row asserts nothing.
    let known = known(&operation).filter(|_| operation.combine.asserted().is_none());
    let Some(Known { row, combine, fill }) = known else { return operation };
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

/// Returns whether the row's properties hold for the accumulators of this `map`. The row guarantees them for
/// its own `map` only.
fn keeps_promises(named: &Operation) -> bool {
    let promised = Operation { identity: None, fold: None, ..named.clone() };
    laws::check(&promised, Effort::Sample).is_ok()
}

/// The operator that was recognised.
struct Known {
    row: &'static Operator,
    combine: Func,
    fill: Option<Vec<Value>>,
}

/// Returns the operator with that accumulator and `combine`, for some element type and some choices.
fn known(operation: &Operation) -> Option<Known> {
    let types = operation.acc.types();
    // Rows with the same text combine alike, so each text is read once.
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

/// Returns the candidate types of the elements and of the accumulator's own scalars, given the types of the
/// accumulator.
fn pairs(types: &[Scalar]) -> impl Iterator<Item = (Scalar, Scalar)> {
    let once = || types.iter().enumerate().filter(|(at, ty)| !types[..*at].contains(ty)).map(|(_, &ty)| ty);
    once().flat_map(move |element| once().map(move |acc| (element, acc)))
}

/// Returns the choices that change the `op` of the row.
fn choices(row: &Operator, element: Scalar) -> impl Iterator<Item = (Nan, Ties)> {
    let ignores = element.is_float() && row.op.contains("IGNORE");
    let nan = if ignores { &[Nan::Propagate, Nan::Ignore][..] } else { &[Nan::Propagate] };
    let ties = if row.op.contains("LAST") { &[Ties::First, Ties::Last][..] } else { &[Ties::First] };
    nan.iter().flat_map(move |&nan| ties.iter().map(move |&ties| (nan, ties)))
}

/// Returns whether both are the same function of two accumulators, up to the order of operands and, if they
/// commute, of the accumulators.
fn is_same(one: &Func, other: &Func, commutes: bool) -> bool {
    let mut classes = Classes::default();
    let wanted = classes.of(other, false);
    wanted == classes.of(one, false) || commutes && wanted == classes.of(one, true)
}

/// Value numbering of operations across functions: equal operations have equal numbers.
#[derive(Default)]
struct Classes {
    ids: HashMap<Node, Id>,
    nodes: Vec<Node>,
}

impl Classes {
    /// Returns the numbers of the results of a function of two accumulators, which are exchanged if `swapped`.
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

    /// Turns `if a < b { b } else { a }` of integers into the maximum, and with exchanged branches into the
    /// minimum.
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

/// Returns the operation with its operands in canonical order if it commutes; `a > b` becomes `b < a`.
fn ordered(node: Node) -> Node {
    match node {
        Node::Bin(op, a, b) if op.commutes() => Node::Bin(op, a.min(b), a.max(b)),
        Node::Cmp(op @ (Cmp::Eq | Cmp::Ne), a, b) => Node::Cmp(op, a.min(b), a.max(b)),
        Node::Cmp(op @ (Cmp::Gt | Cmp::Ge), a, b) => Node::Cmp(op.swapped(), b, a),
        Node::Const(_) | Node::Un(..) | Node::Bin(..) | Node::Cmp(..) => node,
        Node::Select(..) | Node::Cast(..) | Node::MulAdd(..) => node,
    }
}
