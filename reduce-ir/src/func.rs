//! Typed scalar functions: the form of `map`, `op`, `fold` and `finish`.
//!
//! A [`Func`] is a straight line of typed operations, each of which names earlier ones by [`Id`]. There is no control flow: `if`
//! is a select, and every operation is total. Only [`FuncBuilder`] makes a `Func`, so every `Func` is well typed and has no
//! duplicate and no unused lines. A function may assert a condition, which it keeps beside its results: [`Func::asserted`]. It prints like Rust, and evaluates on single values and on whole vectors. The CUDA printer
//! renders the same nodes.

mod bind;
mod build;
mod limits;
mod print;

pub use build::FuncBuilder;
pub use print::literal;

use crate::ops::{self, Bin, Cmp, TypeError, Un};
use crate::{Scalar, Value};

/// A parameter or the result of a node. Parameters come first, then the nodes in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(pub u32);

/// A named parameter. The field of a struct is written as in Rust and C: `a.value`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Param {
    /// The name that expressions use.
    pub name: String,
    /// Its type.
    pub ty: Scalar,
}

impl Param {
    /// Creates a parameter of that name and type.
    pub fn new(name: impl Into<String>, ty: Scalar) -> Param {
        Param { name: name.into(), ty }
    }
}

/// One operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A constant.
    Const(Value),
    /// An operation on one operand.
    Un(Un, Id),
    /// An operation on two operands.
    Bin(Bin, Id, Id),
    /// A comparison.
    Cmp(Cmp, Id, Id),
    /// The second operand if the first (a `bool`) is true, otherwise the third.
    Select(Id, Id, Id),
    /// `a as ty`; see [`crate::ops::cast`].
    Cast(Scalar, Id),
    /// `a * b + c`, rounded once.
    MulAdd(Id, Id, Id),
}

/// One line of a function: an operation, the type of its result, and the name that a `let` gave it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Line {
    /// The operation.
    pub node: Node,
    /// The type of its result.
    pub ty: Scalar,
    /// The name. Named lines print as `let`; the others are nested into the expressions that use them.
    pub name: Option<String>,
}

/// A function from scalars to scalars.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Func {
    params: Vec<Param>,
    lines: Vec<Line>,
    results: Vec<Id>,
    asserted: Option<Id>,
}

impl Func {
    /// Makes a function of the values of [`Func::params`], [`Func::lines`] and [`Func::results`]. The code that `reduction!`
    /// generates carries a checked function as tokens; debug builds check it again. It asserts nothing.
    pub fn from_parts(params: Vec<Param>, lines: Vec<Line>, results: Vec<Id>) -> Func {
        let func = Func { params, lines, results, asserted: None };
        debug_assert_eq!(func.retyped().as_ref(), Ok(&func), "the parts do not form a valid function");
        func
    }

    /// Builds the function again from its operations.
    fn retyped(&self) -> Result<Func, TypeError> {
        let mut f = FuncBuilder::new(self.params.clone());
        for Line { node, name, .. } in &self.lines {
            let id = match *node {
                Node::Const(value) => f.constant(value),
                Node::Un(op, a) => f.un(op, a)?,
                Node::Bin(op, a, b) => f.bin(op, a, b)?,
                Node::Cmp(op, a, b) => f.cmp(op, a, b)?,
                Node::Select(c, a, b) => f.select(c, a, b)?,
                Node::Cast(ty, a) => f.cast(ty, a)?,
                Node::MulAdd(a, b, c) => f.mul_add(a, b, c)?,
            };
            name.iter().for_each(|name| f.name(id, name));
        }
        Ok(f.build(self.results.clone()))
    }

    /// Returns the parameters.
    pub fn params(&self) -> &[Param] {
        &self.params
    }

    /// Returns the operations in order of evaluation.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Returns the line that `id` names, or `None` for a parameter.
    pub fn line(&self, id: Id) -> Option<&Line> {
        (id.0 as usize).checked_sub(self.params.len()).map(|i| &self.lines[i])
    }

    /// Returns the id of a line.
    pub fn id_of_line(&self, line: usize) -> Id {
        Id((self.params.len() + line) as u32)
    }

    /// Returns the condition that all its assertions hold, if it has any. Its results are defined even where they do not hold, and
    /// an [`Operation`](crate::operation::Operation) turns the condition into a result: see
    /// [`Operation::asserting`](crate::operation::Operation::asserting).
    pub fn asserted(&self) -> Option<Id> {
        self.asserted
    }

    /// Returns the ids of the results, one for each scalar of the result.
    pub fn results(&self) -> &[Id] {
        &self.results
    }

    /// Returns the type of a parameter or node.
    pub fn ty(&self, id: Id) -> Scalar {
        self.line(id).map_or_else(|| self.params[id.0 as usize].ty, |line| line.ty)
    }

    /// Returns the types of the results.
    pub fn result_types(&self) -> Vec<Scalar> {
        self.results.iter().map(|&id| self.ty(id)).collect()
    }

    /// Returns whether the results are the parameters, unchanged and in order.
    pub fn is_identity(&self) -> bool {
        self.results.len() == self.params.len()
            && self.results.iter().enumerate().all(|(i, id)| id.0 as usize == i)
    }

    /// Returns the constant that `id` names, or `None` if it names no constant.
    pub fn constant(&self, id: Id) -> Option<Value> {
        match self.line(id)?.node {
            Node::Const(value) => Some(value),
            Node::Un(..) | Node::Bin(..) | Node::Cmp(..) => None,
            Node::Select(..) | Node::Cast(..) | Node::MulAdd(..) => None,
        }
    }

    /// Returns a function of the same parameters with these values of the function as its results. It asserts nothing.
    pub fn giving(&self, results: &[Id]) -> Func {
        let mut f = FuncBuilder::new(self.params.clone());
        let mut ids = f.params();
        for line in &self.lines {
            ids.push(f.again(line.node.map(|id| ids[id.0 as usize]), line.ty));
        }
        f.build(results.iter().map(|id| ids[id.0 as usize]).collect())
    }

    /// Returns whether a float operation rounds, so that the order of such operations affects the result.
    pub fn rounds(&self) -> bool {
        self.lines.iter().any(|line| self.rounds_at(line))
    }

    /// Returns whether the result of `line`, a line of this function, may be rounded.
    pub fn rounds_at(&self, line: &Line) -> bool {
        match line.node {
            Node::Bin(op, ..) => line.ty.is_float() && op.rounds(),
            Node::Un(op, _) => op.rounds(),
            Node::Cast(to, a) => to.is_float() && !ops::holds(to, self.ty(a)),
            Node::MulAdd(..) => true,
            Node::Const(_) | Node::Cmp(..) | Node::Select(..) => false,
        }
    }

    /// Returns whether a line or result names `id`.
    pub fn uses(&self, id: Id) -> bool {
        let operands = self.lines.iter().flat_map(|line| line.node.operands());
        operands.chain(self.results.iter().copied()).chain(self.asserted).any(|used| used == id)
    }
}

impl Node {
    /// Returns the operands, in order.
    pub fn operands(self) -> impl Iterator<Item = Id> {
        let (a, b, c) = match self {
            Node::Const(_) => (None, None, None),
            Node::Un(_, a) | Node::Cast(_, a) => (Some(a), None, None),
            Node::Bin(_, a, b) | Node::Cmp(_, a, b) => (Some(a), Some(b), None),
            Node::Select(a, b, c) | Node::MulAdd(a, b, c) => (Some(a), Some(b), Some(c)),
        };
        [a, b, c].into_iter().flatten()
    }

    /// Returns the same operation on other operands.
    pub fn map(self, mut f: impl FnMut(Id) -> Id) -> Node {
        match self {
            Node::Const(value) => Node::Const(value),
            Node::Un(op, a) => Node::Un(op, f(a)),
            Node::Bin(op, a, b) => Node::Bin(op, f(a), f(b)),
            Node::Cmp(op, a, b) => Node::Cmp(op, f(a), f(b)),
            Node::Select(a, b, c) => Node::Select(f(a), f(b), f(c)),
            Node::Cast(ty, a) => Node::Cast(ty, f(a)),
            Node::MulAdd(a, b, c) => Node::MulAdd(f(a), f(b), f(c)),
        }
    }
}
