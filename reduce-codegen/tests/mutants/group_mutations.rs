//! Mutations of the statements for many groups: the group of a thread, the places of its items, and the guard of the last groups.

use super::catalogue::Mutation;
use super::data::guards;
use super::order;
use super::sites::with_expressions;
use reduce_ir::Value;
use reduce_ir::ops::{Bin, Cmp};
use reduce_ir::statements::{Buffer, Expr, Local, Place, Stmt, Ty};

/// Returns the kinds of mutation.
pub(crate) fn mutations() -> Vec<Mutation> {
    let barriers = order::MUTATIONS.into_iter().filter(|it| it.name == "block barrier deleted");
    MUTATIONS.into_iter().chain(barriers).collect()
}

const MUTATIONS: [Mutation; 15] = [
    Mutation::of_data("next group", |_, stmt| group(stmt, &|it| vec![plus(it, one())])),
    Mutation::of_data("group before", |_, stmt| group(stmt, &|it| vec![it.clone().bin(Bin::Sub, one())])),
    Mutation::of_data("groups modulo two", |_, stmt| {
        group(stmt, &|it| vec![it.clone().bin(Bin::Rem, Expr::Const(Value::of(2u64)))])
    }),
    Mutation::of_data("group of another block", |_, stmt| {
        placing(stmt, &|expr| match expr {
            Expr::Block => vec![Expr::from(0), Expr::Block.plus(1)],
            _ => Vec::new(),
        })
    }),
    Mutation::of_data("group of another thread", |_, stmt| {
        placing(stmt, &|expr| match expr {
            Expr::Thread => vec![Expr::Thread.plus(1)],
            Expr::Bin(op @ (Bin::Div | Bin::Rem), a, b) if **a == Expr::Thread => {
                let other = if *op == Bin::Div { Bin::Rem } else { Bin::Div };
                vec![Expr::Thread.bin(other, b.as_ref().clone())]
            }
            _ => Vec::new(),
        })
    }),
    Mutation::of_data("number of groups of a block wrong", |_, stmt| {
        placing(stmt, &|expr| match expr {
            Expr::Named("GROUPS") => vec![Expr::Named("GROUPS").plus(1)],
            _ => Vec::new(),
        })
    }),
    Mutation::of_data("number of groups wrong", |_, stmt| {
        each(with_expressions(stmt, &|expr| match expr {
            Expr::Groups => vec![plus(&Expr::Groups, one()), Expr::Groups.bin(Bin::Sub, one()), Expr::Items],
            _ => Vec::new(),
        }))
    }),
    Mutation::of_data("number of blocks of a group wrong", |_, stmt| match stmt {
        Stmt::Let(local, value) if local.name == "members" || local.name == "across" => {
            vec![vec![Stmt::Let(local.clone(), plus(value, one()))]]
        }
        _ => Vec::new(),
    }),
    Mutation::of_data("items of a neighbour", |_, stmt| match stmt {
        Stmt::Move(buffer, Expr::First(group)) => {
            let first = |group| vec![Stmt::Move(*buffer, Expr::First(Box::new(group)))];
            vec![first(plus(group, one())), first(group.as_ref().clone().bin(Bin::Sub, one())), Vec::new()]
        }
        Stmt::Move(..) => vec![Vec::new()],
        _ => Vec::new(),
    }),
    Mutation::of_data("partial of a neighbour", |_, stmt| match stmt {
        Stmt::Store(place @ Place { buffer: Buffer::Partials, index, .. }, value) => {
            let to = |index| vec![Stmt::Store(Place { index, ..place.clone() }, value.clone())];
            neighbours(index).into_iter().map(to).collect()
        }
        _ => Vec::new(),
    }),
    Mutation::of_data("result of a neighbour", |_, stmt| match stmt {
        Stmt::Store(place @ Place { buffer: Buffer::Result, index, .. }, value) => {
            let to = |index| vec![Stmt::Store(Place { index, ..place.clone() }, value.clone())];
            vec![to(plus(index, one())), to(Expr::Const(Value::of(0u64)))]
        }
        _ => Vec::new(),
    }),
    Mutation::of_data("step of another axis or input", |subject, stmt| {
        let inputs = subject.operation.inputs.len();
        each(with_expressions(stmt, &|expr| match expr {
            Expr::Offset(input, terms) => offsets(*input, terms, inputs, subject.kernel.domain.steps()),
            _ => Vec::new(),
        }))
    }),
    Mutation::of_data("length of another axis", |subject, stmt| {
        each(with_expressions(stmt, &|expr| match expr {
            Expr::Size(axis) => {
                let others = subject.kernel.domain.sizes().filter(|other| other != axis);
                others.map(Expr::Size).chain([plus(&Expr::Size(*axis), one())]).collect()
            }
            _ => Vec::new(),
        }))
    }),
    Mutation::of_data("guard of the last groups missing", |_, stmt| match stmt {
        Stmt::If(test, then, otherwise) if otherwise.is_empty() && counts_groups(test) => {
            let without: Vec<_> =
                without_guard(test).into_iter().map(|it| vec![Stmt::when(it, then.clone())]).collect();
            if without.is_empty() { vec![then.clone()] } else { without }
        }
        _ => each(with_expressions(stmt, &|expr| match expr {
            Expr::Bin(Bin::Min, group, last) if counts_groups(last) => vec![group.as_ref().clone()],
            _ => Vec::new(),
        })),
    }),
    Mutation::of_data("guard of the last groups one off", |_, stmt| {
        guards(stmt, &|expr| match expr {
            Expr::Cmp(Cmp::Lt, a, b) if counts_groups(b) => {
                vec![Expr::Cmp(Cmp::Le, a.clone(), b.clone()), plus(a, one()).below(b.as_ref().clone())]
            }
            _ => Vec::new(),
        })
    }),
];

fn one() -> Expr {
    Expr::Const(Value::of(1u64))
}

fn plus(a: &Expr, b: Expr) -> Expr {
    a.clone().bin(Bin::Add, b)
}

fn each(stmts: Vec<Stmt>) -> Vec<Vec<Stmt>> {
    stmts.into_iter().map(|stmt| vec![stmt]).collect()
}

fn counts_groups(expr: &Expr) -> bool {
    *expr == Expr::Groups || expr.operands().into_iter().any(counts_groups)
}

/// Replaces the number of the group of a thread.
fn group(stmt: &Stmt, rewrite: &dyn Fn(&Expr) -> Vec<Expr>) -> Vec<Vec<Stmt>> {
    match stmt {
        Stmt::Let(local, value) if ["group", "column"].contains(&local.name.as_str()) => {
            rewrite(value).into_iter().map(|it| vec![Stmt::Let(local.clone(), it)]).collect()
        }
        _ => Vec::new(),
    }
}

/// The locals that place a thread.
const PLACES: [&str; 8] =
    ["group", "column", "lane", "beside", "part_of_group", "members", "member", "across"];

/// Replaces a part of the value of a local that places the thread.
fn placing(stmt: &Stmt, rewrite: &dyn Fn(&Expr) -> Vec<Expr>) -> Vec<Vec<Stmt>> {
    let places = matches!(stmt, Stmt::Let(local, _) if PLACES.contains(&local.name.as_str()));
    if places { each(with_expressions(stmt, rewrite)) } else { Vec::new() }
}

/// Returns the places of the partials of neighbouring groups, and the place without the offset of the group.
fn neighbours(index: &Expr) -> Vec<Expr> {
    let members = || Local::new("members", Ty::U64).get();
    let mut found = vec![plus(index, members()), index.clone().bin(Bin::Sub, members())];
    if let Expr::Bin(Bin::Add, group, member) = index {
        found.push(member.as_ref().clone());
        if let Expr::Bin(Bin::Mul, group, _) = group.as_ref() {
            found.push(plus(&group.as_ref().clone().times(Expr::Groups), member.as_ref().clone()));
        }
    } else {
        found.push(index.clone().bin(Bin::Rem, members()));
    }
    found
}

/// Returns offsets with the step of another axis for a coordinate, without it, and with the steps of another input.
fn offsets(input: usize, terms: &[(usize, Expr)], inputs: usize, axes: usize) -> Vec<Expr> {
    let with = |at: usize, axis: usize| {
        let mut terms = terms.to_vec();
        terms[at].0 = axis;
        Expr::Offset(input, terms)
    };
    let others = (0..terms.len()).flat_map(|at| {
        let free = (0..axes).filter(|&axis| terms.iter().all(|term| term.0 != axis));
        free.map(move |axis| (at, axis)).collect::<Vec<_>>()
    });
    let mut found: Vec<_> = others.map(|(at, axis)| with(at, axis)).collect();
    for at in 0..terms.len() {
        let mut fewer = terms.to_vec();
        fewer.remove(at);
        found.push(Expr::Offset(input, fewer));
    }
    if let [a, b] = terms {
        found.push(Expr::Offset(input, vec![(a.0, b.1.clone()), (b.0, a.1.clone())]));
    }
    let inputs = (0..inputs).filter(|&other| other != input);
    found.extend(inputs.map(|other| Expr::Offset(other, terms.to_vec())));
    found
}

/// Returns a condition without the operand that compares with the number of groups.
fn without_guard(test: &Expr) -> Option<Expr> {
    let Expr::Bin(Bin::And, a, b) = test else { return None };
    match (counts_groups(a), counts_groups(b)) {
        (true, _) => Some(b.as_ref().clone()),
        (_, true) => Some(a.as_ref().clone()),
        (false, false) => None,
    }
}
