//! Counts the copies of each function in the kernels of an operation, after the compiler has unrolled loops.

use reduce_ir::operation::Operation;
use reduce_ir::statements::{Expr, Loop, LoweredKernel, Stmt, Ty, Unroll};

/// The turns of a completely unrolled loop whose end is not a constant. `lower` makes at most four.
const UNKNOWN: u64 = 4;

/// The number of copies of each function, and the size of everything else.
pub(super) struct Copies<'a> {
    operation: &'a Operation,
    kernel: &'a LoweredKernel,
    pub(super) key: u64,
    pub(super) map: u64,
    pub(super) combine: u64,
    pub(super) fold: u64,
    pub(super) finish: u64,
    pub(super) others: u64,
}

impl<'a> Copies<'a> {
    /// Counts the copies in some kernels, at least one.
    pub(super) fn of(operation: &'a Operation, kernels: &'a [LoweredKernel]) -> Copies<'a> {
        let [key, map, combine, fold, finish, others] = [0; 6];
        let kernel = &kernels[0];
        let mut copies = Copies { operation, kernel, key, map, combine, fold, finish, others };
        for kernel in kernels {
            copies.kernel = kernel;
            copies.body(&kernel.body, 1);
        }
        copies
    }

    fn body(&mut self, stmts: &[Stmt], times: u64) {
        stmts.iter().for_each(|stmt| self.stmt(stmt, times));
    }

    fn stmt(&mut self, stmt: &Stmt, times: u64) {
        match stmt {
            Stmt::Note(..) => {}
            Stmt::Let(_, value) | Stmt::Var(_, value) | Stmt::Set(_, value) => self.expr(value, times),
            Stmt::Move(..) => {}
            Stmt::Load(local, place) | Stmt::LoadUnaligned(local, place) | Stmt::Take(local, place) => {
                self.moved(local.ty, times);
                self.expr(&place.index, times);
            }
            Stmt::Store(place, value) | Stmt::Post(place, value) | Stmt::Send(place, value) => {
                self.moved(Ty::Acc, times);
                self.expr(&place.index, times);
                self.expr(value, times);
            }
            Stmt::Shuffle { into, value, .. } => {
                self.moved(into.ty, times);
                self.expr(value, times);
            }
            Stmt::Redux(local, _) => self.moved(local.ty, 8 * times),
            Stmt::AtomicCombine { value, .. } => {
                self.combine += times;
                self.expr(value, times);
            }
            Stmt::For(it) => self.turns(it, times),
            Stmt::If(test, then, otherwise) => {
                self.expr(test, times);
                self.body(then, times);
                self.body(otherwise, times);
            }
            Stmt::Exit | Stmt::Expect(..) | Stmt::Receive(_) | Stmt::Barrier(_) | Stmt::Arrive => {
                self.add(times)
            }
            Stmt::Wait | Stmt::Vote(..) | Stmt::Fence(..) | Stmt::Atomic { .. } => self.add(times),
            Stmt::AwaitLaunch | Stmt::TriggerLaunch | Stmt::Clear(_) | Stmt::Length(..) => self.add(times),
            Stmt::Ballot(_, value) | Stmt::Prefix { value, .. } => self.expr(value, times),
            Stmt::Append(_, value) | Stmt::Fault(value) | Stmt::Turn { value, .. } => {
                self.add(times);
                self.expr(value, times);
            }
        }
    }

    fn turns(&mut self, it: &Loop, times: u64) {
        let turns = match it.unroll {
            Unroll::Unsaid => 1,
            Unroll::By(turns) => u64::from(turns),
            Unroll::All => self.end(&it.test).unwrap_or(UNKNOWN),
        };
        self.expr(&it.test, times);
        self.body(&it.body, times.saturating_mul(turns));
    }

    /// Returns the end of a loop, if it is a constant.
    fn end(&self, test: &Expr) -> Option<u64> {
        let Expr::Cmp(_, _, end) = test else { return None };
        if let Expr::Const(value) = end.as_ref() {
            return Some(value.bits());
        }
        let Expr::Named(name) = end.as_ref() else { return None };
        Some(self.kernel.constant(name).into())
    }

    fn expr(&mut self, it: &Expr, times: u64) {
        match it {
            Expr::Map(args) => self.call(|it| &mut it.map, args, times),
            Expr::Slot(args) => self.call(|it| &mut it.key, args, times),
            Expr::Combine(a, b) => {
                self.combine = self.combine.saturating_add(times);
                self.expr(a, times);
                self.expr(b, times);
            }
            Expr::Fold(acc, args) => {
                self.expr(acc, times);
                self.call(|it| &mut it.fold, args, times);
            }
            Expr::Finish(acc, args) => {
                self.expr(acc, times);
                self.call(|it| &mut it.finish, args, times);
            }
            Expr::Un(_, a) | Expr::Cast(_, a) | Expr::AlignedAt(_, _, a) => {
                self.add(times);
                self.expr(a, times);
            }
            Expr::Bin(_, a, b) | Expr::Cmp(_, a, b) => {
                self.add(times);
                self.expr(a, times);
                self.expr(b, times);
            }
            Expr::Const(_) | Expr::Named(_) | Expr::Local(_) | Expr::Lane(..) | Expr::Thread => {}
            Expr::Block | Expr::Grid | Expr::Rank | Expr::Items | Expr::Groups | Expr::First(_) => {}
            Expr::Elements | Expr::Size(_) | Expr::Offset(..) => {}
            Expr::Select(test, a, b) => [test, a, b].into_iter().for_each(|it| self.expr(it, times)),
            Expr::Param(..) | Expr::Aligned(..) | Expr::Empty | Expr::Nothing => {}
        }
    }

    fn call(&mut self, function: fn(&mut Self) -> &mut u64, args: &[Expr], times: u64) {
        let copies = function(self);
        *copies = copies.saturating_add(times);
        args.iter().for_each(|arg| self.expr(arg, times));
    }

    /// Adds a value that moves to or from memory or another thread.
    fn moved(&mut self, ty: Ty, times: u64) {
        let scalars = match ty {
            Ty::Scalar(_) => 1,
            Ty::Vector(_, lanes) => u64::from(lanes),
            Ty::Acc | Ty::Output => self.operation.acc.fields.len() as u64,
        };
        self.add(scalars.saturating_mul(times));
    }

    fn add(&mut self, weight: u64) {
        self.others = self.others.saturating_add(weight);
    }
}
