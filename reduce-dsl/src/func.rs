//! Typed scalar functions: what `map`, `op` and `finish` become.
//!
//! A [`Func`] is a straight line of typed operations, each naming earlier ones by [`Id`]; there is no
//! control flow (`if` is a select, and every operation is total). Only [`FuncBuilder`] makes one, so a
//! `Func` that exists is well typed. It prints like Rust, evaluates on whole [lanes](crate::lanes), and the
//! CUDA printer renders the same nodes.

use crate::ops::{Bin, Cmp, TypeError, Un};
use crate::{Scalar, Value};
use std::fmt;

/// A parameter or the result of a node: parameters come first, then the nodes in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(pub u32);

/// A named parameter. The field of a struct is written as Rust and C write it: `a.value`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Param {
    /// How expressions refer to it.
    pub name: String,
    /// Its type.
    pub ty: Scalar,
}

impl Param {
    /// A parameter of that name and type.
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
    /// The second operand where the first (a `bool`) holds, else the third.
    Select(Id, Id, Id),
    /// The exact value of a `f16` as `f32`. The only conversion of this version of the language.
    Widen(Id),
}

/// One line of a function: an operation, the type of its result, and the name a `let` gave it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Line {
    /// The operation.
    pub node: Node,
    /// The type of its result.
    pub ty: Scalar,
    /// Named lines print as `let`; the others are nested into the expressions that use them.
    pub name: Option<String>,
}

/// A function from scalars to scalars.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Func {
    params: Vec<Param>,
    lines: Vec<Line>,
    results: Vec<Id>,
}

impl Func {
    /// A function from what [`Func::params`], [`Func::lines`] and [`Func::results`] gave. The expansion of
    /// `reduction!` carries a checked function as tokens; debug builds check it again.
    pub fn from_parts(params: Vec<Param>, lines: Vec<Line>, results: Vec<Id>) -> Func {
        let func = Func { params, lines, results };
        debug_assert_eq!(func.retyped().as_ref(), Ok(&func), "the parts are not those of a function");
        func
    }

    /// The function, built again from its operations.
    fn retyped(&self) -> Result<Func, TypeError> {
        let mut f = FuncBuilder::new(self.params.clone());
        for Line { node, name, .. } in &self.lines {
            let id = match *node {
                Node::Const(value) => f.constant(value),
                Node::Un(op, a) => f.un(op, a)?,
                Node::Bin(op, a, b) => f.bin(op, a, b)?,
                Node::Cmp(op, a, b) => f.cmp(op, a, b)?,
                Node::Select(c, a, b) => f.select(c, a, b)?,
                Node::Widen(a) => f.widen(a),
            };
            name.iter().for_each(|name| f.name(id, name));
        }
        Ok(f.build(self.results.clone()))
    }

    /// The parameters.
    pub fn params(&self) -> &[Param] {
        &self.params
    }

    /// The operations in order of evaluation.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The line that `id` names, or `None` for a parameter.
    pub fn line(&self, id: Id) -> Option<&Line> {
        (id.0 as usize).checked_sub(self.params.len()).map(|i| &self.lines[i])
    }

    /// The id of a line.
    pub fn id_of_line(&self, line: usize) -> Id {
        Id((self.params.len() + line) as u32)
    }

    /// What the function gives, one for each scalar of its result.
    pub fn results(&self) -> &[Id] {
        &self.results
    }

    /// The type of a parameter or node.
    pub fn ty(&self, id: Id) -> Scalar {
        self.line(id).map_or_else(|| self.params[id.0 as usize].ty, |line| line.ty)
    }

    /// The types of the results.
    pub fn result_types(&self) -> Vec<Scalar> {
        self.results.iter().map(|&id| self.ty(id)).collect()
    }

    /// Does it give back its parameters unchanged?
    pub fn is_identity(&self) -> bool {
        self.results.len() == self.params.len()
            && self.results.iter().enumerate().all(|(i, id)| id.0 as usize == i)
    }
}

/// Builds a [`Func`], checking types as it goes.
#[derive(Clone, Debug)]
pub struct FuncBuilder {
    func: Func,
}

impl FuncBuilder {
    /// A function of those parameters.
    pub fn new(params: Vec<Param>) -> FuncBuilder {
        FuncBuilder { func: Func { params, lines: Vec::new(), results: Vec::new() } }
    }

    /// The parameters, in order.
    pub fn params(&self) -> Vec<Id> {
        (0..self.func.params.len() as u32).map(Id).collect()
    }

    /// The type of what `id` names.
    pub fn ty(&self, id: Id) -> Scalar {
        self.func.ty(id)
    }

    /// A constant.
    pub fn constant(&mut self, value: Value) -> Id {
        self.push(Node::Const(value), value.ty())
    }

    /// An operation on one operand.
    pub fn un(&mut self, op: Un, a: Id) -> Result<Id, TypeError> {
        let ty = op.result(self.ty(a))?;
        Ok(self.push(Node::Un(op, a), ty))
    }

    /// An operation on two operands.
    pub fn bin(&mut self, op: Bin, a: Id, b: Id) -> Result<Id, TypeError> {
        let ty = op.result(self.ty(a), self.ty(b))?;
        Ok(self.push(Node::Bin(op, a, b), ty))
    }

    /// A comparison.
    pub fn cmp(&mut self, op: Cmp, a: Id, b: Id) -> Result<Id, TypeError> {
        let ty = op.result(self.ty(a), self.ty(b))?;
        Ok(self.push(Node::Cmp(op, a, b), ty))
    }

    /// `if cond { a } else { b }`.
    pub fn select(&mut self, cond: Id, a: Id, b: Id) -> Result<Id, TypeError> {
        let types = [self.ty(cond), self.ty(a), self.ty(b)];
        if types[0] != Scalar::Bool || types[1] != types[2] {
            return Err(TypeError::new("if", &types));
        }
        Ok(self.push(Node::Select(cond, a, b), types[1]))
    }

    /// The value in the type it is computed with ([`Scalar::compute`]): `f16` becomes `f32`.
    pub fn widen(&mut self, a: Id) -> Id {
        if self.ty(a) == Scalar::F16 { self.push(Node::Widen(a), Scalar::F32) } else { a }
    }

    /// Names `id`, as `let` does; a parameter keeps its own name.
    pub fn name(&mut self, id: Id, name: &str) {
        if let Some(i) = (id.0 as usize).checked_sub(self.func.params.len()) {
            self.func.lines[i].name = Some(name.to_owned());
        }
    }

    /// The results of `func` applied to `args`.
    pub fn call(&mut self, func: &Func, args: &[Id]) -> Result<Vec<Id>, TypeError> {
        let types: Vec<_> = args.iter().map(|&arg| self.ty(arg)).collect();
        if !types.iter().copied().eq(func.params.iter().map(|param| param.ty)) {
            return Err(TypeError::new("call", &types));
        }
        let mut ids = args.to_vec();
        for line in &func.lines {
            let node = line.node.map(|id| ids[id.0 as usize]);
            ids.push(self.push(node, line.ty));
        }
        Ok(func.results.iter().map(|id| ids[id.0 as usize]).collect())
    }

    /// The finished function.
    pub fn build(mut self, results: Vec<Id>) -> Func {
        self.func.results = results;
        self.func
    }

    fn push(&mut self, node: Node, ty: Scalar) -> Id {
        self.func.lines.push(Line { node, ty, name: None });
        self.func.id_of_line(self.func.lines.len() - 1)
    }
}

impl Node {
    /// The operands, in order.
    pub fn operands(self) -> impl Iterator<Item = Id> {
        let (a, b, c) = match self {
            Node::Const(_) => (None, None, None),
            Node::Un(_, a) | Node::Widen(a) => (Some(a), None, None),
            Node::Bin(_, a, b) | Node::Cmp(_, a, b) => (Some(a), Some(b), None),
            Node::Select(a, b, c) => (Some(a), Some(b), Some(c)),
        };
        [a, b, c].into_iter().flatten()
    }

    fn map(self, mut f: impl FnMut(Id) -> Id) -> Node {
        match self {
            Node::Const(value) => Node::Const(value),
            Node::Un(op, a) => Node::Un(op, f(a)),
            Node::Bin(op, a, b) => Node::Bin(op, f(a), f(b)),
            Node::Cmp(op, a, b) => Node::Cmp(op, f(a), f(b)),
            Node::Select(a, b, c) => Node::Select(f(a), f(b), f(c)),
            Node::Widen(a) => Node::Widen(f(a)),
        }
    }
}

/// As a Rust closure: `|a, b| a.max(b)`.
impl fmt::Display for Func {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let params: Vec<_> = self.params.iter().map(|param| param.name.as_str()).collect();
        let lets: Vec<_> =
            self.lines.iter().filter_map(|line| Some((line.name.as_ref()?, line.node))).collect();
        let results: Vec<_> = self.results.iter().map(|&id| self.text(id)).collect();
        let result =
            if results.len() == 1 { results[0].clone() } else { format!("({})", results.join(", ")) };
        write!(f, "|{}| ", params.join(", "))?;
        if lets.is_empty() {
            return f.write_str(&result);
        }
        f.write_str("{ ")?;
        for (name, node) in lets {
            write!(f, "let {name} = {}; ", self.node_text(node))?;
        }
        write!(f, "{result} }}")
    }
}

impl Func {
    /// The expression that `id` names, as Rust.
    fn text(&self, id: Id) -> String {
        match self.line(id) {
            None => self.params[id.0 as usize].name.clone(),
            Some(Line { name: Some(name), .. }) => name.clone(),
            Some(line) => self.node_text(line.node),
        }
    }

    fn node_text(&self, node: Node) -> String {
        match node {
            Node::Const(value) if value.ty() == Scalar::Bool => value.to_string(),
            Node::Const(value) => format!("{value}{}", value.ty()),
            Node::Un(Un::Neg, a) => format!("-{}", self.operand(a)),
            Node::Un(Un::Not, a) => format!("!{}", self.operand(a)),
            Node::Un(op, a) => format!("{}.{op}()", self.operand(a)),
            Node::Bin(op @ (Bin::Min | Bin::Max), a, b) => {
                format!("{}.{op}({})", self.operand(a), self.text_beside(b, a))
            }
            Node::Bin(op, a, b) => {
                format!("{} {op} {}", self.operand_beside(a, b), self.operand_beside(b, a))
            }
            Node::Cmp(op, a, b) => {
                format!("{} {op} {}", self.operand_beside(a, b), self.operand_beside(b, a))
            }
            Node::Select(c, a, b) => {
                format!("if {} {{ {} }} else {{ {} }}", self.text(c), self.text(a), self.text(b))
            }
            Node::Widen(a) => format!("{} as f32", self.operand(a)),
        }
    }

    /// The constant that `id` is.
    fn constant(&self, id: Id) -> Option<Value> {
        match self.line(id)?.node {
            Node::Const(value) => Some(value),
            Node::Un(..) | Node::Bin(..) | Node::Cmp(..) | Node::Select(..) | Node::Widen(_) => None,
        }
    }

    /// The text of `id`. A number beside what has a type of its own needs no suffix.
    fn text_beside(&self, id: Id, other: Id) -> String {
        match self.constant(id) {
            Some(value) if self.constant(other).is_none() => value.to_string(),
            _ => self.text(id),
        }
    }

    fn operand_beside(&self, id: Id, other: Id) -> String {
        let text = self.text_beside(id, other);
        if self.is_nested(id) { format!("({text})") } else { text }
    }

    fn operand(&self, id: Id) -> String {
        let text = self.text(id);
        if self.is_nested(id) { format!("({text})") } else { text }
    }

    /// Does it need parentheses as an operand?
    fn is_nested(&self, id: Id) -> bool {
        match self.line(id) {
            None | Some(Line { name: Some(_), .. }) => false,
            Some(line) => match line.node {
                // `-1.0.abs()` is `-(1.0.abs())`.
                Node::Const(value) => value.to_string().starts_with('-'),
                Node::Un(op, _) => matches!(op, Un::Neg | Un::Not),
                Node::Bin(op, ..) => !matches!(op, Bin::Min | Bin::Max),
                Node::Cmp(..) | Node::Select(..) | Node::Widen(_) => true,
            },
        }
    }
}
