//! Integers of 8 and 16 bits in accumulators with positions. A register has 32 bits anyway, and narrower types cost
//! instructions. So narrow accumulators keep these integers in 32 bits, if functions only copy, select and compare
//! them: then no result changes.

use super::Function;
use reduce_ir::func::{Func, FuncBuilder, Id, Node};
use reduce_ir::operation::Argument;
use reduce_ir::ops::TypeError;
use reduce_ir::{Scalar, Value};

/// Returns the type of 32 bits that holds every value of a narrow integer. Other types stay.
pub(super) fn wide(ty: Scalar) -> Scalar {
    match ty {
        Scalar::I8 | Scalar::I16 => Scalar::I32,
        Scalar::U8 | Scalar::U16 => Scalar::U32,
        Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::I64 | Scalar::U64 => ty,
        Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64 => ty,
    }
}

/// Returns the same value in the wide type.
pub(super) fn widened(value: Value) -> Value {
    match (value.as_int(), wide(value.ty())) {
        (Some(it), Scalar::I32) => Value::of(it as i32),
        (Some(it), Scalar::U32) => Value::of(it as u32),
        _ => value,
    }
}

/// A function in which the values that wide fields of the accumulator reach are wide.
pub(super) struct Wide<'a> {
    function: &'a Function<'a>,
    /// Whether a wide field reaches each parameter and line.
    marks: Vec<bool>,
}

impl<'a> Wide<'a> {
    pub(super) fn of(function: &'a Function<'a>, fields: &[bool]) -> Wide<'a> {
        Wide { function, marks: function.reached(fields, false) }
    }

    fn func(&self) -> &Func {
        self.function.func
    }

    /// Returns whether a value exists only in the wide type. Values from elsewhere keep their type, and are widened
    /// where they meet a wide one.
    pub(super) fn is_wide(&self, id: Id) -> bool {
        let place = id.0 as usize;
        let kept = match self.function.given.get(place) {
            Some(given) => matches!(given, Argument::Acc(_)),
            None => self.function.same_type(place - self.function.given.len()).contains(&id),
        };
        kept && self.marks[place]
    }

    /// Returns whether wide values are only copied, selected and compared.
    pub(super) fn is_legal(&self) -> bool {
        (0..self.func().lines().len()).all(|at| {
            let line = &self.func().lines()[at];
            let reaches = |id| self.is_wide(id) && !self.is_redundant(line.node, id);
            !self.function.same_type(at).is_empty() || !line.node.operands().any(reaches)
        })
    }

    /// Returns whether the line widens a value that is wide already.
    pub(super) fn is_redundant(&self, node: Node, id: Id) -> bool {
        node == Node::Cast(wide(self.func().ty(id)), id) && self.is_wide(id)
    }

    /// Returns whether the values that a line copies, selects from, or compares are wide.
    pub(super) fn reaches(&self, line: usize) -> bool {
        self.function.same_type(line).iter().any(|id| self.marks[id.0 as usize])
    }

    /// Returns a value in the wide type. `old` is its id in the original function.
    pub(super) fn widen(&self, f: &mut FuncBuilder, old: Id, id: Id) -> Result<Id, TypeError> {
        match self.func().constant(old) {
            Some(value) => Ok(f.constant(widened(value))),
            None if self.is_wide(old) => Ok(id),
            None => f.cast(wide(self.func().ty(old)), id),
        }
    }
}
