//! Device expression → typed function: every number takes its type from what is around it.

use super::device::{Ex, Kind};
use super::diagnostic::{Errors, Extent};
use crate::Scalar;
use crate::func::{Func, FuncBuilder, Id, Param};
use crate::ops::{Bin, Un};

/// The type of `body` on `params`; where numbers alone decide, the one that Rust gives them.
pub(super) fn result(body: &Ex, params: &[Param]) -> Scalar {
    own_type(body, params).unwrap_or_else(|| default_type(body))
}

/// The function of `params` that gives `body`.
pub(super) fn function(body: &Ex, params: &[Param], errors: &mut Errors) -> Option<Func> {
    let builder = FuncBuilder::new(params.to_vec());
    let mut typing = Typing { builder, params, errors };
    let id = typing.lower(body, result(body, params))?;
    Some(typing.builder.build(vec![id]))
}

/// The type that an expression has whatever is around it; numbers without suffix have none.
fn own_type(ex: &Ex, params: &[Param]) -> Option<Scalar> {
    match &ex.kind {
        Kind::Param(position) => Some(params[*position].ty),
        Kind::Number(number) => number.suffix,
        Kind::Un(_, a) => own_type(a, params),
        Kind::Bin(_, _, operands) => operands.iter().find_map(|operand| own_type(operand, params)),
    }
}

fn default_type(ex: &Ex) -> Scalar {
    match &ex.kind {
        Kind::Number(number) => number.default_type(),
        Kind::Un(_, a) => default_type(a),
        Kind::Bin(_, _, operands) => default_type(&operands[0]),
        Kind::Param(_) => Scalar::F32,
    }
}

struct Typing<'a> {
    builder: FuncBuilder,
    params: &'a [Param],
    errors: &'a mut Errors,
}

impl Typing<'_> {
    fn lower(&mut self, ex: &Ex, want: Scalar) -> Option<Id> {
        match &ex.kind {
            Kind::Param(position) => self.param(*position, ex.place, want),
            Kind::Number(number) => match number.value(want) {
                Ok(value) => Some(self.builder.constant(value)),
                Err(message) => self.error(ex.place, message),
            },
            Kind::Un(op, a) => self.un(*op, a, ex.place, want),
            Kind::Bin(op, at, operands) => self.bin(*op, *at, operands, want),
        }
    }

    fn param(&mut self, position: usize, place: Extent, want: Scalar) -> Option<Id> {
        let ty = self.params[position].ty;
        if ty != want {
            return self.error(place, format!("this parameter is {ty}, and {want} is expected"));
        }
        Some(self.builder.params()[position])
    }

    fn un(&mut self, op: Un, a: &Ex, place: Extent, want: Scalar) -> Option<Id> {
        let id = self.lower(a, want)?;
        self.receiver(op == Un::Abs, a)?;
        if matches!(want, Scalar::U32 | Scalar::U64) {
            let name = if op == Un::Neg { "-".to_owned() } else { op.to_string() };
            self.errors.add(place, format!("`{name}` is not defined for {want}, which has no sign"));
            return None;
        }
        match self.builder.un(op, id) {
            Ok(id) => Some(id),
            Err(error) => self.error(place, error.to_string()),
        }
    }

    fn bin(&mut self, op: Bin, at: Extent, operands: &[Ex; 2], want: Scalar) -> Option<Id> {
        let (a, b) = (self.lower(&operands[0], want), self.lower(&operands[1], want));
        let (a, b) = (a?, b?);
        let method = matches!(op, Bin::Min | Bin::Max);
        self.receiver(method, &operands[0])?;
        if method && want.is_float() {
            let message = format!("`{op}` in a closure takes integers in this version, not {want}");
            self.errors.add(at, message).help(format!(
                "Rust's `{op}` of floats ignores NaN; the operator `{op}` propagates it: write `op: {op}`"
            ));
            return None;
        }
        match self.builder.bin(op, a, b) {
            Ok(id) => Some(id),
            Err(error) => self.error(at, error.to_string()),
        }
    }

    fn error<T>(&mut self, place: Extent, message: impl Into<String>) -> Option<T> {
        self.errors.add(place, message);
        None
    }

    /// A method's receiver must have a type of its own, as in Rust.
    fn receiver(&mut self, is_method: bool, receiver: &Ex) -> Option<()> {
        if is_method && own_type(receiver, self.params).is_none() {
            let message = "the type of this number is not known here; write it, as in `2.0f32`";
            return self.error(receiver.place, message);
        }
        Some(())
    }
}
