//! Rewrites the expressions and places of statements: lowering moves the statements of one kernel into another.

use super::{Expr, Loop, Place, Stmt};

/// A rewriting of expressions and places. Operands are rewritten before the expression or place that contains them.
pub trait Rewriting {
    /// Returns the expression in the place of another.
    fn expr(&mut self, expr: Expr) -> Expr;

    /// Returns the place in the place of another.
    fn place(&mut self, place: Place) -> Place {
        place
    }
}

/// Rewrites every expression and place of a body.
pub fn rewrite(body: Vec<Stmt>, by: &mut impl Rewriting) -> Vec<Stmt> {
    body.into_iter().map(|it| stmt(it, by)).collect()
}

/// Rewrites an expression.
pub fn rewrite_expr(expr: Expr, by: &mut impl Rewriting) -> Expr {
    self::expr(expr, by)
}

fn stmt(it: Stmt, by: &mut impl Rewriting) -> Stmt {
    match it {
        Stmt::Let(local, value) => Stmt::Let(local, expr(value, by)),
        Stmt::Var(local, value) => Stmt::Var(local, expr(value, by)),
        Stmt::Set(local, value) => Stmt::Set(local, expr(value, by)),
        Stmt::Move(buffer, value) => Stmt::Move(buffer, expr(value, by)),
        Stmt::For(it) => {
            let Loop { local, from, test, next, unroll, body } = *it;
            let [from, test, next] = [from, test, next].map(|it| expr(it, by));
            Stmt::For(Box::new(Loop { local, from, test, next, unroll, body: rewrite(body, by) }))
        }
        Stmt::If(test, then, otherwise) => {
            Stmt::If(expr(test, by), rewrite(then, by), rewrite(otherwise, by))
        }
        Stmt::Load(local, from) => Stmt::Load(local, place(from, by)),
        Stmt::LoadUnaligned(local, from) => Stmt::LoadUnaligned(local, place(from, by)),
        Stmt::Store(to, value) => Stmt::Store(place(to, by), expr(value, by)),
        Stmt::Post(to, value) => Stmt::Post(place(to, by), expr(value, by)),
        Stmt::Take(local, from) => Stmt::Take(local, place(from, by)),
        Stmt::Expect(array, value) => Stmt::Expect(array, expr(value, by)),
        Stmt::Send(to, value) => Stmt::Send(place(to, by), expr(value, by)),
        Stmt::Shuffle { into, value, down, mask } => {
            Stmt::Shuffle { into, value: expr(value, by), down: expr(down, by), mask }
        }
        Stmt::Redux(local, there) => Stmt::Redux(local, there.map(|it| expr(it, by))),
        Stmt::Vote(local, value) => Stmt::Vote(local, expr(value, by)),
        Stmt::Ballot(local, value) => Stmt::Ballot(local, expr(value, by)),
        Stmt::Prefix { before, total, value } => Stmt::Prefix { before, total, value: expr(value, by) },
        Stmt::Atomic { into, op, place: at, value, order, scope } => {
            Stmt::Atomic { into, op, place: place(at, by), value: expr(value, by), order, scope }
        }
        Stmt::AtomicCombine { place: at, value, order, scope } => {
            Stmt::AtomicCombine { place: place(at, by), value: expr(value, by), order, scope }
        }
        Stmt::Append(list, value) => Stmt::Append(list, expr(value, by)),
        Stmt::Fault(segment) => Stmt::Fault(expr(segment, by)),
        Stmt::Turn { turn, turns, value } => Stmt::Turn { turn, turns, value: expr(value, by) },
        Stmt::Note(..) | Stmt::Exit | Stmt::Receive(_) | Stmt::Barrier(_) | Stmt::Fence(..) => it,
        Stmt::Arrive | Stmt::Wait | Stmt::AwaitLaunch | Stmt::TriggerLaunch => it,
        Stmt::Clear(_) | Stmt::Length(..) => it,
    }
}

fn place(it: Place, by: &mut impl Rewriting) -> Place {
    let Place { buffer, index, rank } = it;
    let rank = rank.map(|rank| Box::new(expr(*rank, by)));
    let index = expr(index, by);
    by.place(Place { buffer, index, rank })
}

fn expr(it: Expr, by: &mut impl Rewriting) -> Expr {
    let mut inner = |it: Box<Expr>| Box::new(expr(*it, by));
    let it = match it {
        Expr::First(a) => Expr::First(inner(a)),
        Expr::AlignedAt(buffer, bytes, a) => Expr::AlignedAt(buffer, bytes, inner(a)),
        Expr::Un(op, a) => Expr::Un(op, inner(a)),
        Expr::Cast(ty, a) => Expr::Cast(ty, inner(a)),
        Expr::Bin(op, a, b) => Expr::Bin(op, inner(a), inner(b)),
        Expr::Cmp(op, a, b) => Expr::Cmp(op, inner(a), inner(b)),
        Expr::Combine(a, b) => Expr::Combine(inner(a), inner(b)),
        Expr::Select(test, a, b) => Expr::Select(inner(test), inner(a), inner(b)),
        Expr::Offset(input, terms) => {
            Expr::Offset(input, terms.into_iter().map(|(axis, at)| (axis, expr(at, by))).collect())
        }
        Expr::Map(args) => Expr::Map(args.into_iter().map(|it| expr(it, by)).collect()),
        Expr::Slot(args) => Expr::Slot(args.into_iter().map(|it| expr(it, by)).collect()),
        Expr::Fold(acc, args) => {
            let acc = inner(acc);
            Expr::Fold(acc, args.into_iter().map(|it| expr(it, by)).collect())
        }
        Expr::Finish(acc, args) => {
            let acc = inner(acc);
            Expr::Finish(acc, args.into_iter().map(|it| expr(it, by)).collect())
        }
        Expr::Const(_) | Expr::Named(_) | Expr::Local(_) | Expr::Lane(..) | Expr::Thread | Expr::Block => it,
        Expr::Grid | Expr::Rank | Expr::Items | Expr::Groups | Expr::Elements | Expr::Size(_) => it,
        Expr::Param(..) | Expr::Aligned(..) | Expr::Empty | Expr::Nothing => it,
    };
    by.expr(it)
}
