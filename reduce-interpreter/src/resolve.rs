//! Resolves the names in expressions and places, for [`super::code`].

use super::code::{Binding, Writer};
use super::expr::{AccExpr, ScalarExpr};
use super::op::{Array, At};
use reduce_ir::Scalar;
use reduce_ir::func::Func;
use reduce_ir::ops::{Bin, Un};
use reduce_ir::statements::{Buffer, Expr, Local, Place, Ty};

impl<'k> Writer<'k, '_> {
    /// Returns the binding of a local.
    pub(super) fn binding(&self, local: &Local) -> Result<Binding<'k>, String> {
        let bound = self.names.iter().rev().find(|it| it.name == local.name && it.ty == local.ty);
        bound.copied().ok_or_else(|| format!("`{}` is not bound here", local.name))
    }

    /// Resolves an expression of a scalar type.
    pub(super) fn scalar(&self, expr: &'k Expr, ty: Ty) -> Result<ScalarExpr, String> {
        if expr.ty() != Some(ty) {
            return Err(format!("`{expr}` should be {ty}"));
        }
        Ok(match expr {
            Expr::Const(value) => ScalarExpr::Const(value.bits()),
            Expr::Named(name) => {
                let declared = self.kernel().constants.iter().find(|it| it.name == *name);
                ScalarExpr::Const(declared.ok_or_else(|| format!("{name} is not declared"))?.value.into())
            }
            Expr::Local(local) => ScalarExpr::Register(self.binding(local)?.register),
            Expr::Lane(local, lane) => ScalarExpr::Register(self.binding(local)?.register + *lane as usize),
            Expr::Thread => ScalarExpr::Thread,
            Expr::Block => ScalarExpr::Block,
            Expr::Rank => ScalarExpr::Rank,
            Expr::Grid => ScalarExpr::Const(self.setting.grid),
            Expr::Items => ScalarExpr::Const(self.setting.items),
            Expr::Groups => ScalarExpr::Const(self.setting.groups),
            Expr::First(group) => self.binary(Bin::Mul, group, &Expr::Items, ty)?,
            Expr::Elements => ScalarExpr::Const(self.setting.elements),
            Expr::Size(axis) => ScalarExpr::Const(self.setting.size(*axis)?),
            Expr::Offset(input, terms) => {
                let term = |(axis, at): &'k (usize, Expr)| {
                    Ok((self.setting.step(*input, *axis)?, self.scalar(at, Ty::U64)?))
                };
                ScalarExpr::Offset(terms.iter().map(term).collect::<Result<_, String>>()?)
            }
            Expr::Param(param, _) => ScalarExpr::Const(self.setting.param(*param, ty)?),
            Expr::Aligned(buffer, bytes) => {
                let (pointer, bytes) = (self.setting.pointer(*buffer), u64::from(*bytes).max(1));
                match self.moved(*buffer) {
                    None => ScalarExpr::Const(pointer.is_multiple_of(bytes).into()),
                    Some(register) => {
                        let size = self.setting.item(*buffer);
                        ScalarExpr::Aligned { register, size, pointer, bytes }
                    }
                }
            }
            Expr::AlignedAt(buffer, bytes, at) => ScalarExpr::AlignedAt {
                index: Box::new(self.scalar(at, Ty::U64)?),
                size: self.setting.item(*buffer),
                pointer: self.setting.pointer(*buffer),
                bytes: u64::from(*bytes).max(1),
            },
            Expr::Select(test, a, b) => {
                let [a, b] = [a, b].map(|it| self.scalar(it, ty));
                ScalarExpr::Select(Box::new([self.scalar(test, Ty::BOOL)?, a?, b?]))
            }
            Expr::Un(Un::Not, a) => {
                let Ty::Scalar(of) = ty else { return Err(format!("`{expr}` is not a scalar")) };
                ScalarExpr::Not(Box::new(self.scalar(a, ty)?), max_value(of)?)
            }
            Expr::Bin(op, a, b) => self.binary(*op, a, b, ty)?,
            Expr::Cmp(op, a, b) => {
                let of = a.ty().filter(|ty| [Ty::U32, Ty::U64, Ty::BOOL].contains(ty));
                let of = of.ok_or_else(|| format!("`{expr}` must compare u32, u64 or bool"))?;
                ScalarExpr::Cmp(*op, Box::new([self.scalar(a, of)?, self.scalar(b, of)?]))
            }
            Expr::Cast(to, a) => {
                let from = a.ty().ok_or_else(|| format!("the operand of `{expr}` has no type"))?;
                let value = self.scalar(a, from)?;
                if (from, *to) == (Ty::U64, Scalar::U32) {
                    ScalarExpr::Narrow(Box::new(value))
                } else {
                    value
                }
            }
            Expr::Slot(args) => {
                let key =
                    self.setting.operation.key.as_ref().ok_or_else(|| format!("`{expr}` needs a key"))?;
                ScalarExpr::Slot(self.arguments(expr, key, 0, args)?)
            }
            Expr::Un(op @ (Un::CountOnes | Un::TrailingZeros), a) => {
                ScalarExpr::Bits(*op, Box::new(self.scalar(a, ty)?))
            }
            Expr::Un(..) => return Err(format!("`{expr}` is not index arithmetic")),
            Expr::Map(_)
            | Expr::Combine(..)
            | Expr::Fold(..)
            | Expr::Empty
            | Expr::Nothing
            | Expr::Finish(..) => {
                return Err(format!("`{expr}` is not a scalar"));
            }
        })
    }

    fn binary(&self, op: Bin, a: &'k Expr, b: &'k Expr, ty: Ty) -> Result<ScalarExpr, String> {
        let Ty::Scalar(of) = ty else { return Err(format!("`{op}` is not defined for {ty}")) };
        let (most, operands) = (max_value(of)?, [self.scalar(a, ty)?, self.scalar(b, ty)?]);
        if let [ScalarExpr::Const(a), ScalarExpr::Const(b)] = &operands {
            let folded = fold_constants(op, *a, *b).filter(|&it| it <= most);
            if let Some(value) = folded {
                return Ok(ScalarExpr::Const(value));
            }
        }
        Ok(match (op, of) {
            (Bin::And, Scalar::Bool) => ScalarExpr::And(Box::new(operands)),
            (Bin::Or, Scalar::Bool) => ScalarExpr::Or(Box::new(operands)),
            _ => ScalarExpr::Bin(op, Box::new(operands), most),
        })
    }

    /// Resolves an expression of an accumulator, or of a result.
    pub(super) fn acc(&self, expr: &'k Expr, ty: Ty) -> Result<AccExpr, String> {
        if expr.ty() != Some(ty) {
            return Err(format!("`{expr}` should be {ty}"));
        }
        let operation = self.setting.operation;
        match expr {
            Expr::Local(local) => Ok(AccExpr::Register(self.binding(local)?.register)),
            Expr::Map(args) => Ok(AccExpr::Map(self.arguments(expr, &operation.map, 0, args)?)),
            Expr::Combine(a, b) => Ok(AccExpr::Combine(Box::new([self.acc(a, ty)?, self.acc(b, ty)?]))),
            Expr::Fold(a, args) => {
                let fold = operation
                    .fold
                    .as_ref()
                    .ok_or_else(|| format!("`{expr}` needs a `fold`, and the operation has none"))?;
                let args = self.arguments(expr, fold, operation.acc.fields.len(), args)?;
                Ok(AccExpr::Fold(Box::new(self.acc(a, ty)?), args))
            }
            Expr::Empty | Expr::Nothing => Ok(AccExpr::Empty),
            Expr::Finish(a, args) => {
                self.arguments(expr, &operation.finish, operation.acc.fields.len(), args)?;
                Ok(AccExpr::Finish(Box::new(self.acc(a, Ty::Acc)?)))
            }
            Expr::Const(_) | Expr::Named(_) | Expr::Lane(..) | Expr::Thread | Expr::Block | Expr::Grid => {
                Err(format!("`{expr}` is not an accumulator"))
            }
            Expr::Rank
            | Expr::Slot(_)
            | Expr::Items
            | Expr::Groups
            | Expr::First(_)
            | Expr::Elements
            | Expr::Size(_)
            | Expr::Offset(..)
            | Expr::Param(..)
            | Expr::AlignedAt(..)
            | Expr::Select(..)
            | Expr::Aligned(..) => Err(format!("`{expr}` is not an accumulator")),
            Expr::Un(..) | Expr::Bin(..) | Expr::Cmp(..) | Expr::Cast(..) => {
                Err(format!("`{expr}` is not an accumulator"))
            }
        }
    }

    /// Resolves the arguments of a function after its first parameters, which are an accumulator.
    fn arguments(
        &self,
        call: &Expr,
        func: &Func,
        first: usize,
        args: &'k [Expr],
    ) -> Result<Vec<ScalarExpr>, String> {
        let params = func.params().get(first..).unwrap_or_default();
        if params.len() != args.len() {
            return Err(format!("`{call}` must have {} scalar arguments, not {}", params.len(), args.len()));
        }
        args.iter().zip(params).map(|(arg, param)| self.scalar(arg, Ty::Scalar(param.ty))).collect()
    }

    /// Resolves a ticket to its position.
    pub(super) fn ticket(&mut self, place: &'k Place) -> Result<ScalarExpr, String> {
        if place.buffer == Buffer::Ticket && place.rank.is_none() {
            self.scalar(&place.index, Ty::U64)
        } else {
            Err(format!("{place} is not a ticket"))
        }
    }

    /// Resolves a place that can have a flag.
    pub(super) fn flagged_place(&mut self, place: &'k Place) -> Result<At, String> {
        let partial = place.buffer == Buffer::Partials;
        if partial { self.place(place) } else { Err(format!("{place} has no flag")) }
    }

    /// Returns the position of a shared array among those that the kernel declares.
    pub(super) fn array(&self, name: &str) -> Result<usize, String> {
        let at = self.kernel().shared.iter().position(|array| array.name == name);
        at.ok_or_else(|| format!("{name} is not declared"))
    }

    /// Checks that the array is the one that receives messages.
    pub(super) fn check_message_array(&self, name: &str) -> Result<(), String> {
        let sent: Vec<_> = self.kernel().shared.iter().filter(|array| array.sent).collect();
        match sent[..] {
            [array] if array.name == name => Ok(()),
            _ => Err(format!("{name} is not the array that receives messages")),
        }
    }

    /// Returns the register with the number of items by which the pointer of a buffer was moved.
    fn moved(&self, buffer: Buffer) -> Option<usize> {
        self.moved.iter().find(|(moved, _)| *moved == buffer).map(|(_, register)| *register)
    }

    /// Returns a position in a buffer, from a position relative to its pointer.
    pub(super) fn after_move(&self, buffer: Buffer, index: ScalarExpr) -> ScalarExpr {
        match self.moved(buffer) {
            None => index,
            Some(register) => ScalarExpr::Moved(Box::new(index), register),
        }
    }

    pub(super) fn place(&mut self, place: &'k Place) -> Result<At, String> {
        let array = match place.buffer {
            Buffer::Items => Array::Items,
            Buffer::Partials => Array::Partials,
            Buffer::Result => Array::Result,
            Buffer::Shared(name) => Array::Shared(self.array(name)?),
            Buffer::Marks | Buffer::Keys(_) | Buffer::Number => {
                return Err(format!("{place} holds no accumulator"));
            }
            Buffer::Offsets(_) | Buffer::Tiles | Buffer::LongSegments | Buffer::List(_) => {
                return Err(format!("{place} holds no accumulator"));
            }
            Buffer::Input(_) | Buffer::Ticket => return Err(format!("{place} holds no accumulator")),
        };
        let shared = matches!(array, Array::Shared(_));
        let index = self.scalar(&place.index, if shared { Ty::U32 } else { Ty::U64 })?;
        let index = self.after_move(place.buffer, index);
        let rank = place.rank.as_ref().map(|rank| self.scalar(rank, Ty::U32)).transpose()?;
        if rank.is_some() && !shared {
            return Err(format!("{place} is not in shared memory"));
        }
        Ok(At { array, index, rank })
    }
}

/// Returns the greatest value of an index type.
fn max_value(ty: Scalar) -> Result<u64, String> {
    match ty {
        Scalar::Bool => Ok(1),
        Scalar::U32 => Ok(u32::MAX.into()),
        Scalar::U64 => Ok(u64::MAX),
        Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64 => Err(format!("{ty} is not an index type")),
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::U8 | Scalar::U16 => {
            Err(format!("{ty} is not an index type"))
        }
    }
}

/// Returns the result of an operation on constants. A fault gives `None`, and is reported where the operation is
/// executed.
fn fold_constants(op: Bin, a: u64, b: u64) -> Option<u64> {
    match op {
        Bin::Add => a.checked_add(b),
        Bin::Sub => a.checked_sub(b),
        Bin::Mul => a.checked_mul(b),
        Bin::Div => a.checked_div(b),
        Bin::Rem => a.checked_rem(b),
        Bin::Min | Bin::MinNum => Some(a.min(b)),
        Bin::Max | Bin::MaxNum => Some(a.max(b)),
        Bin::And => Some(a & b),
        Bin::Or => Some(a | b),
        Bin::Xor => Some(a ^ b),
        Bin::Shl | Bin::Shr | Bin::Powf | Bin::Hypot | Bin::Atan2 => None,
    }
}
