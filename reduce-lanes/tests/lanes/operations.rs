//! Every operation on every type, by the instructions of each processor.

use crate::loops;
use crate::values::{combinations, same};
use reduce_ir::evaluate;
use reduce_ir::func::{Id, Node};
use reduce_ir::ops::{self, Bin, Cmp, Un};
use reduce_ir::{Scalar, Value};
use reduce_lanes::{Lanes, LanesRef, Loops, SHARED};

/// All lanes at once, by all loops, give the values of one lane at a time, and of the evaluation of single values.
fn check(node: Node, types: &[Scalar], result: Scalar) {
    let operands = combinations(types);
    let operands: Vec<_> = operands.iter().map(Lanes::borrow).collect();
    let one = |at: usize| {
        let mut out = Lanes::splat(Value::from_bits(result, 0), 1);
        let operands: Vec<_> = operands.iter().map(|lanes| lanes.slice(at..at + 1)).collect();
        (Loops::default().apply)(node, &operands, &mut out).unwrap();
        out.get(0)
    };
    check_block(node, &operands, result);
    let expected: Vec<_> = (0..operands[0].len()).map(one).collect();
    for (name, loops) in loops() {
        let mut out = Lanes::splat(Value::from_bits(result, 0), expected.len());
        (loops.apply)(node, &operands, &mut out).unwrap();
        let joins = match node {
            Node::Bin(op, ..) => op.commutes(),
            Node::Const(_) | Node::Un(..) | Node::Cmp(..) => false,
            Node::Select(..) | Node::Cast(..) | Node::MulAdd(..) => false,
        };
        if let (true, Node::Bin(op, ..)) = (joins, node) {
            let mut acc = Lanes::empty(result);
            acc.extend(operands[0]);
            (loops.accumulate)(op, &mut acc, operands[1], None).unwrap();
            assert!(
                (0..acc.len()).all(|i| same(acc.get(i), out.get(i))),
                "{name}: {op} of {types:?} in place"
            );
        }
        for (at, &expected) in expected.iter().enumerate() {
            let args: Vec<_> = operands.iter().map(|lanes| lanes.get(at)).collect();
            let single = evaluate::apply(node, result, &args).unwrap();
            assert!(same(single, expected), "{node:?} of {args:?} is {expected}, not {single}");
            assert!(
                same(out.get(at), expected),
                "{name}: {node:?} of {args:?} is {expected}, not {}",
                out.get(at)
            );
        }
    }
}

/// What is one value in a block gives what it gives in all lanes, as each operand, beside fewer lanes and more.
fn check_block(node: Node, operands: &[LanesRef<'_>], result: Scalar) {
    let most = operands[0].len();
    for (at, len) in (0..operands.len()).flat_map(|at| [1, 7, SHARED, 45, 200].map(|len| (at, len.min(most))))
    {
        let value = operands[at].get(len * 5 % most);
        let (all, block) = (Lanes::splat(value, len), Lanes::splat(value, SHARED));
        for (name, loops) in loops() {
            let with = |shared: LanesRef<'_>| {
                let mut out = Lanes::splat(Value::from_bits(result, 0), len);
                let mut operands: Vec<_> = operands.iter().map(|it| it.slice(most - len..most)).collect();
                operands[at] = shared;
                (loops.apply)(node, &operands, &mut out).unwrap();
                out
            };
            let (expected, found) = (with(all.borrow()), with(block.borrow()));
            let equal = (0..len).all(|i| same(found.get(i), expected.get(i)));
            assert!(equal, "{name}: {node:?} of {len} lanes, operand {at} is {value}");
        }
    }
}

#[test]
fn every_operation_has_one_meaning_by_all_instructions() {
    let id = Id(0);
    for a in Scalar::ALL {
        for op in Un::ALL {
            op.result(a).into_iter().for_each(|ty| check(Node::Un(op, id), &[a], ty));
        }
        for to in Scalar::ALL.into_iter().filter(|&to| to != a) {
            ops::cast(a, to).into_iter().for_each(|ty| check(Node::Cast(ty, id), &[a], ty));
        }
        for b in [a, Scalar::U32] {
            for op in Bin::ALL {
                op.result(a, b).into_iter().for_each(|ty| check(Node::Bin(op, id, id), &[a, b], ty));
            }
        }
        for op in Cmp::ALL {
            op.result(a, a).into_iter().for_each(|ty| check(Node::Cmp(op, id, id), &[a, a], ty));
        }
        check(Node::Select(id, id, id), &[Scalar::Bool, a, a], a);
        ops::mul_add(a, a, a).into_iter().for_each(|ty| check(Node::MulAdd(id, id, id), &[a, a, a], ty));
    }
}
