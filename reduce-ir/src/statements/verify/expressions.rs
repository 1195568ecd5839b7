//! Checks expressions, and finds the threads for which their value is the same: rules 1, 2, 4, 7, 8 and 10 of the verifier.

use super::{Check, Over, Uniform, Verifier, Violation};
use crate::operation::Argument;
use crate::ops::{Bin, Cmp, Un};
use crate::program::{Program, Reads};
use crate::statements::{Buffer, Expr, Ty};

impl Verifier<'_> {
    pub(super) fn expect(&self, expr: &Expr, ty: Ty) -> Result<Uniform, Violation> {
        self.ensure(2, expr.ty() == Some(ty), || format!("`{expr}` should be {ty}"))?;
        self.check(expr)
    }

    /// Checks names and argument types inside, and returns the threads for which the value is the same.
    pub(super) fn check(&self, expr: &Expr) -> Result<Uniform, Violation> {
        expr.operands().into_iter().try_for_each(|operand| self.check(operand).map(|_| ()))?;
        match expr {
            Expr::Local(local) | Expr::Lane(local, _) => {
                let bound = self.scope.get(&local.name).is_some_and(|it| it.ty == local.ty);
                self.ensure(1, bound, || format!("`{}` is not bound here", local.name))?;
            }
            Expr::Named(name) => {
                let declared = self.kernel.constants.iter().any(|it| it.name == *name);
                self.ensure(8, declared, || format!("{name} is not a constant of the kernel"))?;
            }
            Expr::Aligned(buffer, bytes) => {
                let legal = self.element(*buffer).is_some() && bytes.is_power_of_two();
                self.ensure(7, legal, || format!("`{expr}` is not allowed here"))?;
            }
            Expr::AlignedAt(buffer, bytes, at) => {
                self.operand(at, Ty::U64)?;
                let legal = self.element(*buffer).is_some() && bytes.is_power_of_two();
                self.ensure(7, legal, || format!("`{expr}` is not allowed here"))?;
            }
            Expr::Select(..) => self.ensure(2, expr.ty().is_some(), || format!("`{expr}` has no type"))?,
            Expr::Map(args) => self.arguments(expr, &self.operation.map_arguments(), args)?,
            Expr::Slot(args) => {
                let known = self.operation.key.is_some() && self.reads_inputs();
                self.ensure(7, known, || format!("`{expr}` is not allowed here"))?;
                self.arguments(expr, &self.operation.key_arguments(), args)?;
            }
            Expr::Combine(a, b) => {
                [a, b].iter().try_for_each(|it| self.operand(it, Ty::Acc))?;
            }
            Expr::Fold(a, args) => {
                let wanted = self.operation.fold_arguments();
                self.ensure(7, wanted.is_some() && self.reads_inputs(), || {
                    format!("`{expr}` is not allowed here")
                })?;
                self.call_arguments(expr, a, wanted.unwrap_or_default(), args)?;
            }
            Expr::Finish(a, args) => {
                self.call_arguments(expr, a, self.operation.finish_arguments(), args)?;
            }
            Expr::Elements => {
                let legal = !self.reads_inputs() && self.operation.counts();
                self.ensure(8, legal, || "the kernel does not know the number of elements".to_owned())?;
            }
            Expr::Param(param, ty) => {
                let declared = self.operation.params.get(*param).map(|param| param.ty);
                self.ensure(8, declared == Some(*ty), || format!("`{expr}` is not a param"))?;
            }
            Expr::Offset(input, terms) => {
                let steps = self.kernel.domain.steps();
                let known = terms.iter().all(|(axis, at)| *axis < steps && at.ty() == Some(Ty::U64));
                let legal = known && self.element(Buffer::Input(*input)).is_some();
                self.ensure(8, legal, || format!("`{expr}` is not allowed here"))?;
            }
            Expr::Size(axis) => {
                let mut known = self.kernel.domain.sizes();
                let of_segments = self.over == Over::Segments && self.kernel.domain.steps() > *axis;
                let legal = of_segments || self.reads_inputs() && known.any(|it| it == *axis);
                self.ensure(8, legal, || format!("`{expr}` is not allowed here"))?;
            }
            Expr::Rank => self.require_cluster("rank")?,
            Expr::Const(_) | Expr::Thread | Expr::Block | Expr::Grid | Expr::Items => {}
            Expr::Groups => self
                .ensure(8, self.kernel.domain.is_grouped(), || "the kernel has only one group".to_owned())?,
            Expr::First(group) => {
                self.operand(group, Ty::U64)?;
                self.ensure(8, self.kernel.domain.is_grouped(), || {
                    "the kernel has only one group".to_owned()
                })?;
            }
            Expr::Empty => {}
            Expr::Nothing => {
                let known = self.operation.identity.is_some() || self.operation.empty.is_some();
                self.ensure(8, known, || "a reduction of no elements has no result".to_owned())?;
            }
            Expr::Un(op @ (Un::CountOnes | Un::TrailingZeros), a) => {
                self.index_arithmetic(expr, a, a.ty() == Some(Ty::U32) && *op != Un::Not)?;
            }
            Expr::Un(op, a) => self.index_arithmetic(expr, a, *op == Un::Not && a.ty() == Some(Ty::BOOL))?,
            Expr::Bin(op, a, _) => self.index_arithmetic(expr, a, !is_shift(*op))?,
            Expr::Cmp(_, a, _) => self.index_arithmetic(expr, a, true)?,
            Expr::Cast(..) => {}
        }
        Ok(self.uniform(expr))
    }

    /// Checks that the kernel declares a list.
    pub(super) fn list(&self, name: &str) -> Check {
        let declared = self.kernel.lists.iter().any(|list| list.name == name);
        self.ensure(7, declared, || format!("`{name}` is not a list of the kernel"))
    }

    /// Checks that arithmetic is on conditions or positions; elements are for the functions of the operation.
    fn index_arithmetic(&self, expr: &Expr, operand: &Expr, legal: bool) -> Check {
        let of_index = matches!(operand.ty(), Some(Ty::BOOL | Ty::U32 | Ty::U64));
        self.ensure(2, of_index && legal, || format!("`{expr}` is not index arithmetic"))
    }

    fn operand(&self, expr: &Expr, ty: Ty) -> Check {
        self.ensure(2, expr.ty() == Some(ty), || format!("`{expr}` should be {ty}"))
    }

    /// Checks a call of a function on an accumulator and other arguments.
    fn call_arguments(&self, call: &Expr, acc: &Expr, mut wanted: Vec<Argument>, args: &[Expr]) -> Check {
        self.operand(acc, Ty::Acc)?;
        wanted.retain(|it| !matches!(it, Argument::Acc(_)));
        self.arguments(call, &wanted, args)
    }

    /// Checks the arguments of a function, except for accumulators.
    fn arguments(&self, call: &Expr, wanted: &[Argument], args: &[Expr]) -> Check {
        let count = if self.reads_inputs() { Expr::Items } else { Expr::Elements };
        let fits = |(arg, &wanted): (&Expr, &Argument)| {
            let ty = self.operation.argument_type(wanted);
            match wanted {
                Argument::Param(param) => *arg == Expr::Param(param, ty),
                Argument::Count if self.over == Over::Segments => arg.ty() == Some(Ty::U64),
                Argument::Count => *arg == count,
                Argument::Acc(_)
                | Argument::Input(_)
                | Argument::Index
                | Argument::Group
                | Argument::Step => arg.ty() == Some(Ty::Scalar(ty)),
            }
        };
        let legal = args.len() == wanted.len() && args.iter().zip(wanted).all(fits);
        self.ensure(2, legal, || format!("`{call}` has wrong arguments"))
    }

    pub(super) fn reads_inputs(&self) -> bool {
        self.kernel.reads == Reads::Inputs
    }

    pub(super) fn uniform(&self, expr: &Expr) -> Uniform {
        match expr {
            Expr::Thread => Uniform::Thread,
            Expr::Local(local) | Expr::Lane(local, _) => {
                self.scope.get(&local.name).map_or(Uniform::Thread, |it| it.uniform)
            }
            Expr::Bin(Bin::Div, a, b) if **a == Expr::Thread && **b == Expr::from(Program::WARP) => {
                Uniform::Warp
            }
            Expr::Cmp(Cmp::Lt, a, b) if **a == Expr::Thread && whole_warps(b) => Uniform::Warp,
            Expr::Block | Expr::Rank => Uniform::Block,
            Expr::Const(_) | Expr::Named(_) | Expr::Grid | Expr::Items | Expr::Elements => Uniform::Cluster,
            Expr::Aligned(buffer, _) => self.moved.get(buffer).copied().unwrap_or(Uniform::Cluster),
            Expr::Groups | Expr::Size(_) | Expr::Param(..) => Uniform::Cluster,
            Expr::First(_) | Expr::Offset(..) | Expr::AlignedAt(..) | Expr::Select(..) => {
                self.uniform_of_operands(expr)
            }
            Expr::Empty | Expr::Nothing => Uniform::Cluster,
            Expr::Un(..) | Expr::Bin(..) | Expr::Cmp(..) | Expr::Cast(..) | Expr::Map(_) | Expr::Slot(_) => {
                self.uniform_of_operands(expr)
            }
            Expr::Combine(..) | Expr::Fold(..) | Expr::Finish(..) => self.uniform_of_operands(expr),
        }
    }

    fn uniform_of_operands(&self, expr: &Expr) -> Uniform {
        expr.operands().into_iter().map(|it| self.uniform(it)).min().unwrap_or(Uniform::Cluster)
    }
}

/// Returns whether it is a shift. C++ leaves shifts by some distances undefined.
fn is_shift(op: Bin) -> bool {
    matches!(op, Bin::Shl | Bin::Shr)
}

/// Returns whether it is a constant number of threads that make whole warps.
fn whole_warps(threads: &Expr) -> bool {
    matches!(threads, Expr::Const(threads) if threads.bits().is_multiple_of(Program::WARP.into()))
}
