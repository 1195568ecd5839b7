//! Turns a rung into a specification, from the ladder's operator and type and the twist of the rung.

use super::{Rung, Twist};
use crate::operators::{Operator, OperatorError, operator};
use reduce_ir::func::{Func, FuncBuilder, Param};
use reduce_ir::operation::{Operation, Order};
use reduce_ir::ops::{TypeError, Un};
use reduce_ir::spec::{Passes, Spec, Spelling};
use reduce_ir::{Domain, Scalar};

/// The distance between neighbouring elements in the strided rungs.
pub const STEP: u64 = 2;

/// A reason why a rung does not exist for an operator and a type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// The operator does not accept the inputs.
    #[error(transparent)]
    Operator(#[from] OperatorError),
    /// The operator's type has no absolute value.
    #[error("{0}")]
    Abs(#[from] TypeError),
}

impl Rung {
    /// Returns the rung's specification for n elements. The other rungs reduce elements of `ty` by `op` in
    /// blocks of `given` threads.
    ///
    /// # Errors
    /// The operator does not accept the inputs or the `map` of the rung.
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

    /// Returns the number of elements that the rung reduces if the others reduce n: for [`Twist::AnyLength`],
    /// the greatest odd number up to n.
    pub fn length(&self, n: u64) -> u64 {
        if self.twist == Twist::AnyLength && n > 0 { (n - 1) | 1 } else { n }
    }

    /// Returns the operator and the element type of the rung if the others reduce elements of `ty` by `op`.
    pub fn operator(&self, op: &'static Operator, ty: Scalar) -> (&'static Operator, Scalar) {
        if self.twist == Twist::OtherOperator { other(op) } else { (op, ty) }
    }

    /// Returns the domain that the rung reduces.
    pub fn domain(&self) -> Domain {
        if self.twist == Twist::StridedAbs { Domain::STRIDED } else { Domain::WHOLE }
    }
}

/// Returns a different operator on a different type: `max` of `f64`, or `min` if the ladder is about `max`.
fn other(op: &'static Operator) -> (&'static Operator, Scalar) {
    let name = if op.name == "max" { "min" } else { "max" };
    (operator(name).unwrap_or(op), Scalar::F64)
}

/// Builds `|x| x.abs()`.
fn abs(ty: Scalar) -> Result<Func, TypeError> {
    let mut f = FuncBuilder::new(vec![Param::new("x", ty.compute())]);
    let x = f.params()[0];
    let result = f.un(Un::Abs, x)?;
    Ok(f.build(vec![result]))
}
