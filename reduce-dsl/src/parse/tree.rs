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
    /// `&&` or `||`: the second operand is evaluated only if the first does not decide.
    Logic(Bin, Box<[Ex; 2]>),
    /// A comparison.
    Cmp(Cmp, Box<[Ex; 2]>),
    /// The condition, the value if it holds, and the value if it does not.
    If(Box<[Ex; 3]>),
    /// A cast to the type of the expression.
    Cast(Box<Ex>),
    /// A method of the table, with the receiver first.
    Method(&'static Method, Vec<Ex>),
    /// The fields of a struct, a tuple or an array, in order.
    Struct(Vec<Ex>),
    /// An array of equal elements.
    Repeat(Box<Ex>, usize),
    /// A field, by its position.
    Field(Box<Ex>, usize),
    /// An element of an array, and its index.
    Index(Box<[Ex; 2]>),
    /// Statements, followed by the value.
    Block(Vec<Step>, Box<Ex>),
    /// The body of a function, which `return` leaves.
    Function(Vec<Step>, Box<Ex>),
    /// No value, and the reason.
    Nothing(Lack),
    /// `assert!`.
    Assert(Box<Ex>),
    /// An assignment.
    Assign(Box<Target>, Box<Ex>),
    /// A loop.
    For(Box<Loop>),
    /// `return`, with the value.
    Return(Box<Ex>),
    /// `break` or `continue`.
    Leave(Leave),
}

/// A statement.
pub(crate) enum Step {
    /// `let name = value;`
    Let(Let),
    /// An expression without a value.
    Do(Ex),
}

/// `let name = value;`
pub(crate) struct Let {
    pub(crate) local: usize,
    pub(crate) value: Ex,
}

/// The reason why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lack {
    /// The block ends with `;` after a value.
    Semicolon,
    /// The block does not end with an expression.
    End,
    /// The `if` has no `else`.
    Else,
}

/// The variable that an assignment changes.
pub(crate) struct Target {
    pub(crate) local: usize,
    /// The type of the local.
    pub(crate) ty: Ty,
    /// The way from the local to the assigned part.
    pub(crate) path: Vec<Access>,
}

/// A step to a part of a value.
pub(crate) enum Access {
    /// A field, by its position.
    Field(usize),
    /// An element, by its index.
    Index(Ex),
}

/// `for local in from..to { body }`
pub(crate) struct Loop {
    pub(crate) local: usize,
    pub(crate) over: Over,
    pub(crate) body: Ex,
}

/// The values that a loop takes.
pub(crate) enum Over {
    /// A range of numbers, and whether it includes its end, and whether it is reversed.
    Range { ends: [Ex; 2], is_closed: bool, is_reversed: bool },
    /// The elements of an array.
    Elements(Ex),
}

/// A way to leave the body of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leave {
    /// `break`.
    Break,
    /// `continue`.
    Continue,
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
            Kind::Block(steps, value) if steps.is_empty() => value.number(),
            Kind::Wrong | Kind::Local(_) | Kind::Value(_) | Kind::Un(..) | Kind::Bin(..) => None,
            Kind::Cmp(..) | Kind::Logic(..) | Kind::If(_) | Kind::Cast(_) | Kind::Method(..) => None,
            Kind::Struct(_) | Kind::Repeat(..) | Kind::Field(..) | Kind::Index(_) | Kind::Block(..) => None,
            Kind::Function(..) | Kind::Nothing(_) | Kind::Assign(..) | Kind::For(_) => None,
            Kind::Return(_) | Kind::Leave(_) | Kind::Assert(_) => None,
        }
    }
}
