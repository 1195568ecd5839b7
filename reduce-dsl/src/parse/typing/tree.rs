//! A closure as a tree: resolved names, operations of devices, and types that may still have to be inferred.

use super::super::diagnostic::Extent;
use super::super::literal::Number;
use super::super::methods::Method;
use super::types::Ty;
use reduce_ir::Value;
use reduce_ir::ops::{Bin, Cmp, Un};

/// An expression with its type and its place.
pub(crate) struct Ex {
    pub(crate) kind: Kind,
    pub(crate) ty: Ty,
    pub(crate) place: Extent,
}

/// What an expression is.
pub(crate) enum Kind {
    /// What has been reported.
    Wrong,
    /// A parameter or a `let`, by its number.
    Local(usize),
    /// A number, whose type may be decided by what is around it.
    Number(Number),
    /// `true`, `false`, or a constant by its name.
    Value(Value),
    /// An operation on one operand.
    Un(Un, Box<Ex>),
    /// An operation on two operands. The distance of a shift has any type of integers.
    Bin(Bin, Box<[Ex; 2]>),
    /// A comparison.
    Cmp(Cmp, Box<[Ex; 2]>),
    /// Condition, value if it holds, value if not.
    If(Box<[Ex; 3]>),
    /// `as` the type of the whole.
    Cast(Box<Ex>),
    /// A method of the table, with the receiver first.
    Method(&'static Method, Vec<Ex>),
    /// The fields of a struct, in the order of its declaration.
    Struct(Vec<Ex>),
    /// A field, by its position.
    Field(Box<Ex>, usize),
    /// `let`s, and the value.
    Block(Vec<Let>, Box<Ex>),
}

/// `let name = value;`
pub(crate) struct Let {
    pub(crate) local: usize,
    pub(crate) name: String,
    pub(crate) value: Ex,
}

impl Ex {
    /// What has been reported.
    pub(crate) fn wrong(place: Extent) -> Ex {
        Ex { kind: Kind::Wrong, ty: Ty::Unknown, place }
    }

    /// Is it a number as it is written?
    pub(crate) fn number(&self) -> Option<&Number> {
        match &self.kind {
            Kind::Number(number) => Some(number),
            Kind::Block(lets, value) if lets.is_empty() => value.number(),
            Kind::Wrong | Kind::Local(_) | Kind::Value(_) | Kind::Un(..) | Kind::Bin(..) => None,
            Kind::Cmp(..) | Kind::If(_) | Kind::Cast(_) | Kind::Method(..) => None,
            Kind::Struct(_) | Kind::Field(..) | Kind::Block(..) => None,
        }
    }
}
