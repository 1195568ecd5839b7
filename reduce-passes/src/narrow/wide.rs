//! Integers of 8 and 16 bits beside positions. A register has 32 bits anyway, and the hardware takes more instructions for fewer: so
//! narrow accumulators keep them in 32, where all that is done with them is to copy, choose and compare, which gives the same.

use super::Function;
use reduce_ir::func::{Func, FuncBuilder, Id, Node};
use reduce_ir::operation::Argument;
use reduce_ir::ops::TypeError;
use reduce_ir::{Scalar, Value};

/// The type of 32 bits that has every value of a narrow integer; other types stay.
pub(super) fn wide(ty: Scalar) -> Scalar {
    match ty {
        Scalar::I8 | Scalar::I16 => Scalar::I32,
        Scalar::U8 | Scalar::U16 => Scalar::U32,
        Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::I64 | Scalar::U64 => ty,
        Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64 => ty,
    }
}

/// The same value, of the wide type.
pub(super) fn widened(value: Value) -> Value {
    match (value.as_int(), wide(value.ty())) {
        (Some(it), Scalar::I32) => Value::of(it as i32),
        (Some(it), Scalar::U32) => Value::of(it as u32),
        _ => value,
    }
}

/// A function in which values that meet the wide fields of the accumulator are wide.
pub(super) struct Wide<'a> {
    function: &'a Function<'a>,
    /// Of each parameter and line: does it meet a wide field?
    marks: Vec<bool>,
}

impl<'a> Wide<'a> {
    pub(super) fn of(function: &'a Function<'a>, fields: &[bool]) -> Wide<'a> {
        Wide { function, marks: function.meeting(fields, false) }
    }

    fn func(&self) -> &Func {
        self.function.func
    }

    /// Is it only there as a wide value? Those that come from elsewhere are there as they are, and made wide where they meet one.
    pub(super) fn is_wide(&self, id: Id) -> bool {
        let place = id.0 as usize;
        let kept = match self.function.given.get(place) {
            Some(given) => matches!(given, Argument::Acc(_)),
            None => self.function.alike(place - self.function.given.len()).contains(&id),
        };
        kept && self.marks[place]
    }

    /// Are all wide values copied, chosen and compared only?
    pub(super) fn is_legal(&self) -> bool {
        (0..self.func().lines().len()).all(|at| {
            let line = &self.func().lines()[at];
            let meets = |id| self.is_wide(id) && !self.is_itself(line.node, id);
            !self.function.alike(at).is_empty() || !line.node.operands().any(meets)
        })
    }

    /// Does the line make a narrow value wide that is wide already?
    pub(super) fn is_itself(&self, node: Node, id: Id) -> bool {
        node == Node::Cast(wide(self.func().ty(id)), id) && self.is_wide(id)
    }

    /// Are the values of a line wide that it copies, chooses from, or compares?
    pub(super) fn meets(&self, line: usize) -> bool {
        self.function.alike(line).iter().any(|id| self.marks[id.0 as usize])
    }

    /// What is there as `id`, made wide.
    pub(super) fn widen(&self, f: &mut FuncBuilder, old: Id, id: Id) -> Result<Id, TypeError> {
        match self.func().constant(old) {
            Some(value) => Ok(f.constant(widened(value))),
            None if self.is_wide(old) => Ok(id),
            None => f.cast(wide(self.func().ty(old)), id),
        }
    }
}
