//! From a rung to a specification: the operator and type that the ladder is climbed with, and the twist of the rung.

use super::{Rung, Twist};
use crate::operators::{Operator, OperatorError, operator};
use reduce_ir::func::{Func, FuncBuilder, Param};
use reduce_ir::operation::{Operation, Order};
use reduce_ir::ops::{TypeError, Un};
use reduce_ir::spec::{Passes, Spec, Spelling};
use reduce_ir::{Domain, Scalar};

/// The distance between neighbouring elements of the rungs that are strided.
pub const STEP: u64 = 2;

/// Why a rung does not exist for an operator and a type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// The operator does not take such inputs.
    #[error(transparent)]
    Operator(#[from] OperatorError),
    /// The operator has no absolute values to work on.
    #[error("{0}")]
    Abs(#[from] TypeError),
}

impl Rung {
    /// Its specification for n elements, where the other rungs reduce elements of `ty` by `op` in blocks of `given`
    /// threads.
    ///
    /// # Errors
    /// The operator does not take what the rung gives it.
    pub fn spec(&self, op: &'static Operator, ty: Scalar, n: u64, given: u32) -> Result<Spec, Unfit> {
        let (op, ty) = self.operator(op, ty);
        let inputs: Vec<_> = ["x", "y"].iter().take(op.inputs).map(|&name| Param::new(name, ty)).collect();
        let map = if self.twist == Twist::StridedAbs { Some(abs(ty)?) } else { None };
        let order = if self.twist == Twist::AnyOrder { Order::Any } else { Order::Fixed };
        let operation = Operation { order, ..op.apply(&inputs, map.as_ref())? };
        let passes = Passes::List(self.passes.to_vec());
        let spelling = Spelling::named(&operation, map.as_ref());
        Ok(Spec::new(operation, self.domain(), &spelling, Some(self.block(n, given)), passes))
    }

    /// The elements it reduces, where the others reduce n: for one rung, the greatest odd number up to n.
    pub fn length(&self, n: u64) -> u64 {
        if self.twist == Twist::AnyLength && n > 0 { (n - 1) | 1 } else { n }
    }

    /// What it reduces by, and elements of which type, where the others reduce elements of `ty` by `op`.
    pub fn operator(&self, op: &'static Operator, ty: Scalar) -> (&'static Operator, Scalar) {
        if self.twist == Twist::OtherOperator { other(op) } else { (op, ty) }
    }

    /// Which elements it reduces.
    pub fn domain(&self) -> Domain {
        if self.twist == Twist::StridedAbs { Domain::STRIDED } else { Domain::WHOLE }
    }
}

/// Another operator on another type: the greatest `f64`, or the smallest if the ladder is about the greatest.
fn other(op: &'static Operator) -> (&'static Operator, Scalar) {
    let name = if op.name == "max" { "min" } else { "max" };
    (operator(name).unwrap_or(op), Scalar::F64)
}

/// `|x| x.abs()`.
fn abs(ty: Scalar) -> Result<Func, TypeError> {
    let mut f = FuncBuilder::new(vec![Param::new("x", ty.compute())]);
    let x = f.params()[0];
    let result = f.un(Un::Abs, x)?;
    Ok(f.build(vec![result]))
}
