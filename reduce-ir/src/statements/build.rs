//! Short constructors of expressions and statements.

use super::{Buffer, Chunk, Expr, Local, Place, Stmt, Ty};
use crate::ops::{Bin, Cmp};
use crate::{Scalar, Value};

impl Local {
    /// Creates a local of that name and type.
    pub fn new(name: impl Into<String>, ty: Ty) -> Local {
        Local { name: name.into(), ty }
    }

    /// Returns the expression that reads it.
    pub fn get(&self) -> Expr {
        Expr::Local(self.clone())
    }
}

impl Chunk {
    /// Bytes of a word.
    pub const WORD: u32 = 4;

    /// Returns the unit in which an unaligned vector of `lanes` elements is read.
    pub fn of(ty: Scalar, lanes: u32) -> Chunk {
        let size = ty.size() as u32;
        let fills_words = size < Chunk::WORD && (size * lanes).is_multiple_of(Chunk::WORD);
        if fills_words { Chunk::Word } else { Chunk::Element }
    }
}

impl Buffer {
    /// Returns the place of the element at `index`.
    pub fn at(self, index: Expr) -> Place {
        Place { buffer: self, index, rank: None }
    }
}

impl From<u32> for Expr {
    fn from(value: u32) -> Expr {
        Expr::Const(Value::of(value))
    }
}

impl Expr {
    /// Returns the type, or `None` for an operation on types for which it is not defined, which the verifier reports.
    pub fn ty(&self) -> Option<Ty> {
        let scalar = |expr: &Expr| if let Some(Ty::Scalar(ty)) = expr.ty() { Some(ty) } else { None };
        match self {
            Expr::Const(value) => Some(Ty::Scalar(value.ty())),
            Expr::Local(local) => Some(local.ty),
            Expr::Lane(local, lane) => match local.ty {
                Ty::Vector(ty, lanes) if *lane < lanes => Some(Ty::Scalar(ty)),
                Ty::Vector(..) | Ty::Scalar(_) | Ty::Acc | Ty::Output => None,
            },
            Expr::Named(_) | Expr::Thread | Expr::Block | Expr::Grid | Expr::Rank => Some(Ty::U32),
            Expr::Slot(_) => Some(Ty::U32),
            Expr::Items | Expr::Groups | Expr::First(_) | Expr::Elements => Some(Ty::U64),
            Expr::Offset(..) | Expr::Size(_) => Some(Ty::U64),
            Expr::Param(_, ty) => Some(Ty::Scalar(*ty)),
            Expr::Aligned(..) | Expr::AlignedAt(..) => Some(Ty::BOOL),
            Expr::Un(op, a) => op.result(scalar(a)?).ok().map(Ty::Scalar),
            Expr::Bin(op, a, b) => op.result(scalar(a)?, scalar(b)?).ok().map(Ty::Scalar),
            Expr::Cmp(op, a, b) => op.result(scalar(a)?, scalar(b)?).ok().map(Ty::Scalar),
            Expr::Select(test, a, b) => {
                a.ty().filter(|ty| test.ty() == Some(Ty::BOOL) && b.ty() == Some(*ty))
            }
            Expr::Cast(ty, a) => {
                let position = |ty| matches!(ty, Ty::U32 | Ty::U64);
                (a.ty().is_some_and(position) && position(Ty::Scalar(*ty))).then_some(Ty::Scalar(*ty))
            }
            Expr::Combine(..) | Expr::Fold(..) | Expr::Map(_) | Expr::Empty => Some(Ty::Acc),
            Expr::Finish(..) | Expr::Nothing => Some(Ty::Output),
        }
    }

    /// Returns the expressions directly inside, in order.
    pub fn operands(&self) -> Vec<&Expr> {
        match self {
            Expr::Const(_) | Expr::Named(_) | Expr::Local(_) | Expr::Lane(..) | Expr::Aligned(..) => {
                Vec::new()
            }
            Expr::Thread | Expr::Block | Expr::Grid | Expr::Rank | Expr::Items => Vec::new(),
            Expr::Groups | Expr::Elements | Expr::Size(_) => Vec::new(),
            Expr::Param(..) | Expr::Empty | Expr::Nothing => Vec::new(),
            Expr::Un(_, a) | Expr::Cast(_, a) | Expr::First(a) | Expr::AlignedAt(_, _, a) => vec![a],
            Expr::Bin(_, a, b) | Expr::Cmp(_, a, b) | Expr::Combine(a, b) => vec![a, b],
            Expr::Select(test, a, b) => vec![test, a, b],
            Expr::Map(args) | Expr::Slot(args) => args.iter().collect(),
            Expr::Offset(_, terms) => terms.iter().map(|(_, coordinate)| coordinate).collect(),
            Expr::Fold(acc, args) | Expr::Finish(acc, args) => {
                std::iter::once(acc.as_ref()).chain(args).collect()
            }
        }
    }

    /// Returns `self op other`.
    pub fn bin(self, op: Bin, other: impl Into<Expr>) -> Expr {
        Expr::Bin(op, Box::new(self), Box::new(other.into()))
    }

    /// Returns `self + other`; the literal 0 is not added.
    pub fn plus(self, other: impl Into<Expr>) -> Expr {
        let other = other.into();
        if other == Expr::from(0) { self } else { self.bin(Bin::Add, other) }
    }

    /// Returns `self * other`.
    pub fn times(self, other: impl Into<Expr>) -> Expr {
        self.bin(Bin::Mul, other)
    }

    /// Returns `self / other`, where `other` cannot be 0.
    pub fn over(self, other: impl Into<Expr>) -> Expr {
        self.bin(Bin::Div, other)
    }

    /// Returns `self < other`.
    pub fn below(self, other: impl Into<Expr>) -> Expr {
        Expr::Cmp(Cmp::Lt, Box::new(self), Box::new(other.into()))
    }

    /// Returns `self == other`.
    pub fn equals(self, other: impl Into<Expr>) -> Expr {
        Expr::Cmp(Cmp::Eq, Box::new(self), Box::new(other.into()))
    }

    /// Returns the condition that both hold.
    pub fn and(self, other: Expr) -> Expr {
        self.bin(Bin::And, other)
    }

    /// Returns the conversion to that type.
    pub fn cast(self, ty: Scalar) -> Expr {
        Expr::Cast(ty, Box::new(self))
    }

    /// Returns `a` where this condition holds, otherwise `b`.
    pub fn select(self, a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
        Expr::Select(Box::new(self), Box::new(a.into()), Box::new(b.into()))
    }

    /// Returns the combination of this accumulator, on the left, and the other.
    pub fn combine(self, other: Expr) -> Expr {
        Expr::Combine(Box::new(self), Box::new(other))
    }
}

impl Stmt {
    /// Returns the statement that runs `then` if `test` holds.
    pub fn when(test: Expr, then: Vec<Stmt>) -> Stmt {
        Stmt::If(test, then, Vec::new())
    }
}
