//! Builds functions and checks their types.

use super::{Func, Id, Line, Node, Param};
use crate::keywords::is_of_cuda;
use crate::ops::{self, Bin, Cmp, TypeError, Un};
use crate::{Scalar, Value};
use std::collections::HashMap;

/// Builds a [`Func`]. An existing operation is not added again, known conditions are decided, and subtracting 0 from an integer
/// is dropped. So different ways to write a function give the same lines.
#[derive(Clone, Debug)]
pub struct FuncBuilder {
    func: Func,
    known: HashMap<Node, Id>,
    /// The names in use, each with the number from which the search for a free name continues.
    names: HashMap<String, u32>,
}

impl FuncBuilder {
    /// Starts a function of `params` without operations.
    pub fn new(params: Vec<Param>) -> FuncBuilder {
        let names = params
            .iter()
            .filter_map(|param| param.name.split('.').next())
            .map(|name| (name.to_owned(), 2))
            .collect();
        let func = Func { params, lines: Vec::new(), results: Vec::new(), asserted: None };
        FuncBuilder { func, known: HashMap::new(), names }
    }

    /// Returns the ids of the parameters, in order.
    pub fn params(&self) -> Vec<Id> {
        (0..self.func.params.len() as u32).map(Id).collect()
    }

    /// Returns the type of a parameter, or of an operation added so far.
    pub fn ty(&self, id: Id) -> Scalar {
        self.func.ty(id)
    }

    /// Returns the constant that `id` names, or `None` if it names no constant.
    pub fn known(&self, id: Id) -> Option<Value> {
        self.func.constant(id)
    }

    /// Returns the operation whose result is `id`, or `None` for a parameter.
    pub fn node(&self, id: Id) -> Option<Node> {
        self.func.line(id).map(|line| line.node)
    }

    /// Adds a constant.
    pub fn constant(&mut self, value: Value) -> Id {
        self.push(Node::Const(value), value.ty())
    }

    /// Adds an operation on one operand.
    ///
    /// # Errors
    /// The operation is not defined for the type.
    pub fn un(&mut self, op: Un, a: Id) -> Result<Id, TypeError> {
        let ty = op.result(self.ty(a))?;
        Ok(self.push(Node::Un(op, a), ty))
    }

    /// Adds an operation on two operands.
    ///
    /// # Errors
    /// The operation is not defined for the types.
    pub fn bin(&mut self, op: Bin, a: Id, b: Id) -> Result<Id, TypeError> {
        let ty = op.result(self.ty(a), self.ty(b))?;
        Ok(self.push(Node::Bin(op, a, b), ty))
    }

    /// Adds a comparison.
    ///
    /// # Errors
    /// The comparison is not defined for the types.
    pub fn cmp(&mut self, op: Cmp, a: Id, b: Id) -> Result<Id, TypeError> {
        let ty = op.result(self.ty(a), self.ty(b))?;
        Ok(self.push(Node::Cmp(op, a, b), ty))
    }

    /// Adds `if cond { a } else { b }`.
    ///
    /// # Errors
    /// `cond` is not a `bool`, or `a` and `b` differ in type.
    pub fn select(&mut self, cond: Id, a: Id, b: Id) -> Result<Id, TypeError> {
        let types = [self.ty(cond), self.ty(a), self.ty(b)];
        if types[0] != Scalar::Bool || types[1] != types[2] {
            return Err(TypeError::new("if", &types));
        }
        Ok(self.push(Node::Select(cond, a, b), types[1]))
    }

    /// Adds `a as ty`, or returns `a` if it already has that type.
    ///
    /// # Errors
    /// There is no such conversion.
    pub fn cast(&mut self, ty: Scalar, a: Id) -> Result<Id, TypeError> {
        if self.ty(a) == ty {
            return Ok(a);
        }
        let ty = ops::cast(self.ty(a), ty)?;
        Ok(self.push(Node::Cast(ty, a), ty))
    }

    /// Adds `a * b + c`, rounded once.
    ///
    /// # Errors
    /// The operands are not floats of one type.
    pub fn mul_add(&mut self, a: Id, b: Id, c: Id) -> Result<Id, TypeError> {
        let ty = ops::mul_add(self.ty(a), self.ty(b), self.ty(c))?;
        Ok(self.push(Node::MulAdd(a, b, c), ty))
    }

    /// Converts a value to the type of its computation ([`Scalar::compute`]): 16-bit floats become `f32`.
    pub fn widen(&mut self, a: Id) -> Id {
        let ty = self.ty(a).compute();
        if self.ty(a) == ty { a } else { self.push(Node::Cast(ty, a), ty) }
    }

    /// Names `id`, as `let` does, unless it has a name. A number is appended if the name is taken.
    pub fn name(&mut self, id: Id, name: &str) {
        let Some(i) = (id.0 as usize).checked_sub(self.func.params.len()) else { return };
        if self.func.lines[i].name.is_none() {
            let free = self.free(name);
            self.names.insert(free.clone(), 2);
            self.func.lines[i].name = Some(free);
        }
    }

    /// Returns the name or, if it is taken, the first free one with a number appended, from 2 on. Names are never released.
    fn free(&mut self, name: &str) -> String {
        let Some(&tried) = self.names.get(name) else { return name.to_owned() };
        let numbered = |number| format!("{name}{number}");
        let mut number = tried;
        // The name of a type of kernels, such as `i8`, would be written otherwise when it is read again.
        while self.names.contains_key(&numbered(number)) || is_of_cuda(&numbered(number)) {
            number += 1;
        }
        self.names.insert(name.to_owned(), number + 1);
        numbered(number)
    }

    /// Asserts a condition, besides those asserted before.
    ///
    /// # Errors
    /// It is not a `bool`.
    pub fn assert(&mut self, condition: Id) -> Result<(), TypeError> {
        let all = match self.func.asserted {
            Some(before) => self.bin(Bin::And, before, condition)?,
            None if self.ty(condition) == Scalar::Bool => condition,
            None => return Err(TypeError::new("assert", &[self.ty(condition)])),
        };
        self.func.asserted = Some(all).filter(|&all| self.truth(all) != Some(true));
        Ok(())
    }

    /// Adds the operations of `func` on `args`, with its assertions, and returns the results.
    ///
    /// # Errors
    /// The arguments have other types than the parameters of `func`.
    pub fn call(&mut self, func: &Func, args: &[Id]) -> Result<Vec<Id>, TypeError> {
        let types: Vec<_> = args.iter().map(|&arg| self.ty(arg)).collect();
        if !types.iter().copied().eq(func.params.iter().map(|param| param.ty)) {
            return Err(TypeError::new("call", &types));
        }
        let mut ids = args.to_vec();
        for line in &func.lines {
            let node = line.node.map(|id| ids[id.0 as usize]);
            let id = self.push(node, line.ty);
            line.name.iter().for_each(|name| self.name(id, name));
            ids.push(id);
        }
        if let Some(asserted) = func.asserted {
            self.assert(ids[asserted.0 as usize])?;
        }
        Ok(func.results.iter().map(|id| ids[id.0 as usize]).collect())
    }

    /// As [`FuncBuilder::call`], but returns the condition that the function asserts in place of asserting it.
    ///
    /// # Errors
    /// As [`FuncBuilder::call`].
    pub fn attempt(&mut self, func: &Func, args: &[Id]) -> Result<(Vec<Id>, Option<Id>), TypeError> {
        let before = self.func.asserted.take();
        let results = self.call(func, args)?;
        let asserted = std::mem::replace(&mut self.func.asserted, before);
        Ok((results, asserted))
    }

    /// Finishes the function: keeps the lines that its results need, in the order in which its text names them.
    pub fn build(mut self, results: Vec<Id>) -> Func {
        self.func.results = results;
        Ordered::of(&self.func)
    }

    /// Adds a line of a well-typed function whose operands have been renamed.
    pub fn again(&mut self, node: Node, ty: Scalar) -> Id {
        self.push(node, ty)
    }

    /// Returns the value of a condition, if it is known.
    fn truth(&self, id: Id) -> Option<bool> {
        self.func.constant(id)?.get()
    }

    /// Returns whether it is the integer 0.
    fn is_zero(&self, id: Id) -> bool {
        self.func.constant(id).is_some_and(|value| value.ty().is_integer() && value.bits() == 0)
    }

    /// Returns the result of an operation that need not be computed.
    fn decided(&mut self, node: Node) -> Option<Id> {
        match node {
            Node::Un(Un::Not, a) => self.truth(a).map(|a| self.constant(Value::of(!a))),
            Node::Bin(Bin::Sub, a, b) => self.is_zero(b).then_some(a),
            Node::Bin(Bin::Min, a, b) if self.ty(a).is_unsigned() => {
                [a, b].into_iter().find(|&side| self.is_zero(side))
            }
            Node::Bin(op, a, b) => self.decided_condition(op, a, b),
            Node::Select(_, a, b) if a == b => Some(a),
            Node::Select(cond, a, b) => self.truth(cond).map(|holds| if holds { a } else { b }),
            Node::Const(_) | Node::Un(..) | Node::Cmp(..) | Node::Cast(..) | Node::MulAdd(..) => None,
        }
    }

    /// Returns the result of an operation on conditions, if a known condition decides it.
    fn decided_condition(&self, op: Bin, a: Id, b: Id) -> Option<Id> {
        match (op, self.truth(a), self.truth(b)) {
            (Bin::And, Some(true), _) | (Bin::Or, Some(false), _) | (Bin::Xor, Some(false), _) => Some(b),
            (Bin::And, _, Some(true)) | (Bin::Or, _, Some(false)) | (Bin::Xor, _, Some(false)) => Some(a),
            (Bin::And, Some(false), _) | (Bin::Or, Some(true), _) => Some(a),
            (Bin::And, _, Some(false)) | (Bin::Or, _, Some(true)) => Some(b),
            _ => None,
        }
    }

    fn push(&mut self, node: Node, ty: Scalar) -> Id {
        let found = self.known.get(&node).copied().or_else(|| self.decided(node));
        if let Some(id) = found {
            return id;
        }
        self.func.lines.push(Line { node, ty, name: None });
        let id = self.func.id_of_line(self.func.lines.len() - 1);
        self.known.insert(node, id);
        id
    }
}

/// The needed lines of a function in the order of its text: named lines first, each after its operands.
struct Ordered<'a> {
    from: &'a Func,
    lines: Vec<Line>,
    /// The new id of each old one; `None` until its line is placed.
    ids: Vec<Option<Id>>,
}

impl Ordered<'_> {
    fn of(from: &Func) -> Func {
        let params = from.params.len();
        let mut ids = vec![None; params + from.lines.len()];
        (0..params).for_each(|param| ids[param] = Some(Id(param as u32)));
        let mut ordered = Ordered { from, lines: Vec::new(), ids };
        let needed = ordered.needed();
        for line in (0..from.lines.len()).filter(|&line| needed[line] && from.lines[line].name.is_some()) {
            ordered.place(from.id_of_line(line));
        }
        let results = from.results.iter().map(|&id| ordered.place(id)).collect();
        let asserted = from.asserted.map(|id| ordered.place(id));
        Func { params: from.params.clone(), lines: ordered.lines, results, asserted }
    }

    /// Returns, for each line, whether the results or the assertion need it.
    fn needed(&self) -> Vec<bool> {
        let params = self.from.params.len();
        let mut needed = vec![false; self.from.lines.len()];
        let mut open: Vec<_> = self.from.results.iter().copied().chain(self.from.asserted).collect();
        while let Some(Id(id)) = open.pop() {
            if let Some(line) = (id as usize).checked_sub(params)
                && !std::mem::replace(&mut needed[line], true)
            {
                open.extend(self.from.lines[line].node.operands());
            }
        }
        needed
    }

    /// Places a line after its operands, and returns its new id. Lines name earlier ones only, and parsers limit the depth of
    /// expressions, so the recursion is bounded.
    fn place(&mut self, id: Id) -> Id {
        if let Some(placed) = self.ids[id.0 as usize] {
            return placed;
        }
        let line = &self.from.lines[id.0 as usize - self.from.params.len()];
        let node = line.node.map(|operand| self.place(operand));
        let placed = Id((self.from.params.len() + self.lines.len()) as u32);
        self.lines.push(Line { node, ty: line.ty, name: line.name.clone() });
        self.ids[id.0 as usize] = Some(placed);
        placed
    }
}
