//! What calls of the operation's functions are given.

use super::super::{Expr, Ty};
use super::{Check, Verifier};
use crate::Scalar;
use crate::operation::Argument;

impl Verifier<'_> {
    /// What a function is given behind an accumulator.
    pub(super) fn behind(
        &self,
        call: &Expr,
        (acc, ty): (&Expr, Ty),
        mut wanted: Vec<Argument>,
        args: &[Expr],
    ) -> Check {
        self.operand(acc, ty)?;
        wanted.retain(|it| !matches!(it, Argument::Acc(_)));
        self.arguments(call, &wanted, args, ty)
    }

    /// What a function of accumulators of that type is given besides them.
    /// What a function is given.
    pub(super) fn arguments(&self, call: &Expr, wanted: &[Argument], args: &[Expr], acc: Ty) -> Check {
        let count = if self.reads_inputs() { Expr::Items } else { Expr::Elements };
        let fits = |(arg, &wanted): (&Expr, &Argument)| {
            let in_tile = (wanted, acc) == (Argument::Index, Ty::Near);
            let ty = if in_tile { Scalar::U32 } else { self.operation.argument_type(wanted) };
            match wanted {
                Argument::Param(param) => *arg == Expr::Param(param, ty),
                Argument::Count => *arg == count,
                Argument::Acc(_) | Argument::Input(_) | Argument::Index | Argument::Step => {
                    arg.ty() == Some(Ty::Scalar(ty))
                }
            }
        };
        let legal = args.len() == wanted.len() && args.iter().zip(wanted).all(fits);
        self.ensure(2, legal, || format!("the arguments of `{call}`"))
    }
}
