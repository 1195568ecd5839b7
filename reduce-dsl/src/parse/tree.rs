//! Closures as trees: resolved names, operations of devices, and types that may still have to be inferred.

use super::diagnostic::Extent;
use super::literal::Number;
use super::methods::Method;
use super::types::Ty;
use reduce_ir::Value;
use reduce_ir::ops::{Bin, Cmp, Un};

/// An expression with its type and its place.
pub(crate) struct Ex {
    pub(crate) kind: Kind,
    pub(crate) ty: Ty,
    pub(crate) place: Extent,
}

/// The kind of an expression.
pub(crate) enum Kind {
    /// An expression whose error has been reported.
    Wrong,
    /// A parameter or a `let`, by its number.
    Local(usize),
    /// A number literal, whose type may depend on its context.
    Number(Number),
    /// `true`, `false`, or a constant by its name.
    Value(Value),
    /// An operation on one operand.
    Un(Un, Box<Ex>),
    /// An operation on two operands. The distance of a shift may have any integer type.
    Bin(Bin, Box<[Ex; 2]>),
    /// A comparison.
    Cmp(Cmp, Box<[Ex; 2]>),
    /// The condition, the value if it holds, and the value if it does not.
    If(Box<[Ex; 3]>),
    /// A cast to the type of the expression.
    Cast(Box<Ex>),
    /// A method of the table, with the receiver first.
    Method(&'static Method, Vec<Ex>),
    /// The fields of a struct, in the order of its declaration.
    Struct(Vec<Ex>),
    /// A field, by its position.
    Field(Box<Ex>, usize),
    /// `let`s, followed by the value.
    Block(Vec<Let>, Box<Ex>),
}

/// `let name = value;`
pub(crate) struct Let {
    pub(crate) local: usize,
    pub(crate) name: String,
    pub(crate) value: Ex,
}

impl Ex {
    /// Returns an expression whose error has been reported.
    pub(crate) fn wrong(place: Extent) -> Ex {
        Ex { kind: Kind::Wrong, ty: Ty::Unknown, place }
    }

    /// Returns the number literal, if the expression is one.
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
