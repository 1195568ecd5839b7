//! Device functions for operations that have no exact spelling in C++. Each is printed only if it is used.
//!
//! They compute the results that `reduce_ir::arith` defines.

mod bits;
mod convert;
mod extreme;
mod library;
mod nan;
mod reciprocal;
mod wrapping;

use super::func::INLINE;
use super::spelling::{Spell, spelling};
use reduce_ir::Scalar;
use reduce_ir::func::Func;
use reduce_ir::ops::{Bin, Un};

/// The function for an operation on operands of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Helper {
    /// On one operand.
    Un(Un, Scalar),
    /// On two operands.
    Bin(Bin, Scalar),
    /// From one type to another.
    Cast(Scalar, Scalar),
    /// `exp` of a value whose exponential is a normal number.
    NormalExp(Scalar),
    /// 1 divided by a float that was converted from an integer.
    ReciprocalOfWhole(Scalar),
    /// The bits of an `f64` that is not NaN, or of a NaN whose bits do not matter.
    RawBits,
}

/// Returns the helpers that some functions call, each once, after the helpers that it calls itself.
pub(super) fn helpers<'a>(functions: impl Iterator<Item = &'a Func>) -> String {
    let mut used = Vec::new();
    functions.flat_map(|func| used_by(func, spelling)).for_each(|helper| helper.add_to(&mut used));
    used.into_iter().map(|helper| format!("\n{}", helper.text())).collect()
}

/// Returns the helpers that a function calls if its nodes have this spelling.
fn used_by(func: &Func, spell: Spell) -> impl Iterator<Item = Helper> {
    func.lines().iter().filter_map(move |line| spell(func, line.node).helper())
}

impl Helper {
    /// Returns `is_nan_f16`, or `f16_to_f32`.
    pub(super) fn name(self) -> String {
        match self {
            Helper::Un(op, ty) => format!("{op}_{ty}"),
            Helper::Bin(op, ty) => format!("{}_{ty}", word(op)),
            Helper::Cast(from, to) => format!("{from}_to_{to}"),
            Helper::NormalExp(ty) => format!("normal_exp_{ty}"),
            Helper::ReciprocalOfWhole(ty) => format!("reciprocal_{ty}"),
            Helper::RawBits => "raw_bits_f64".to_owned(),
        }
    }

    fn add_to(self, used: &mut Vec<Helper>) {
        if !used.contains(&self) {
            self.calls().into_iter().for_each(|helper| helper.add_to(used));
            used.push(self);
        }
    }

    /// Returns the function in C++.
    fn text(self) -> String {
        match self {
            Helper::Un(op @ (Un::Neg | Un::Abs), ty) => wrapping::un(op, ty, &self.name()),
            Helper::Un(op @ (Un::IsNan | Un::Canonical | Un::ToBits), ty) => nan::un(op, ty, &self.name()),
            Helper::Un(Un::Exp | Un::Ln | Un::Exp2 | Un::Log2 | Un::ExpM1 | Un::Ln1p, _) => {
                library::text(self)
            }
            Helper::Un(Un::Sin | Un::Cos | Un::Tan | Un::Tanh, _) => library::text(self),
            Helper::Bin(Bin::Powf | Bin::Hypot | Bin::Atan2, _) | Helper::NormalExp(_) => library::text(self),
            Helper::Un(op @ (Un::CountOnes | Un::LeadingZeros | Un::TrailingZeros), ty) => {
                bits::un(op, ty, &self.name())
            }
            Helper::Bin(op @ (Bin::Min | Bin::Max | Bin::MinNum | Bin::MaxNum), ty) => {
                extreme::bin(op, ty, &self.name())
            }
            Helper::Bin(op @ (Bin::Add | Bin::Sub | Bin::Mul | Bin::Div | Bin::Rem | Bin::Shl), ty) => {
                wrapping::bin(op, ty, &self.name())
            }
            Helper::Cast(from, to) => convert::cast(from, to, &self.name()),
            Helper::ReciprocalOfWhole(ty) => reciprocal::of_whole(ty, &self.name()),
            Helper::RawBits => nan::raw_bits(&self.name()),
            // C++ has an operator or function for them.
            Helper::Un(Un::Not | Un::Sqrt | Un::Floor | Un::Ceil | Un::Trunc | Un::RoundTiesEven, _) => {
                String::new()
            }
            Helper::Un(Un::FromBits, _) => String::new(),
            Helper::Bin(Bin::And | Bin::Or | Bin::Xor | Bin::Shr, _) => String::new(),
        }
    }

    /// Returns the helpers that its text calls.
    fn calls(self) -> Vec<Helper> {
        match self {
            Helper::Un(Un::Canonical, ty) if ty.is_half() => vec![Helper::Un(Un::IsNan, ty)],
            Helper::Un(Un::ToBits, ty) => vec![Helper::Un(Un::Canonical, ty)],
            Helper::Un(Un::Exp | Un::Ln | Un::Exp2 | Un::Log2 | Un::ExpM1 | Un::Ln1p, _) => {
                library::calls(self)
            }
            Helper::Un(Un::Sin | Un::Cos | Un::Tan | Un::Tanh, _) => library::calls(self),
            Helper::Bin(Bin::Powf | Bin::Hypot | Bin::Atan2, _) | Helper::NormalExp(_) => {
                library::calls(self)
            }
            Helper::Bin(_, ty) if ty.is_half() => vec![Helper::Cast(ty, Scalar::F32)],
            Helper::Un(..) | Helper::Bin(..) | Helper::Cast(..) => Vec::new(),
            Helper::ReciprocalOfWhole(_) | Helper::RawBits => Vec::new(),
        }
    }
}

fn word(op: Bin) -> &'static str {
    match op {
        Bin::Add => "add",
        Bin::Sub => "sub",
        Bin::Mul => "mul",
        Bin::Div => "div",
        Bin::Rem => "rem",
        Bin::Min => "min",
        Bin::Max => "max",
        Bin::MinNum => "min_num",
        Bin::MaxNum => "max_num",
        Bin::And => "and",
        Bin::Or => "or",
        Bin::Xor => "xor",
        Bin::Shl => "shl",
        Bin::Shr => "shr",
        Bin::Powf => "powf",
        Bin::Hypot => "hypot",
        Bin::Atan2 => "atan2",
    }
}

/// Returns a function that returns a value: on one line if it is short.
fn returning(ty: &str, name: &str, params: &str, value: &str) -> String {
    let head = format!("{INLINE} {ty} {name}({params})");
    if head.len() + value.len() > 100 {
        format!("{head}\n{{\n    return {value};\n}}\n")
    } else {
        format!("{head} {{ return {value}; }}\n")
    }
}

/// Returns the constraint letter of inline assembly for a register of that type.
fn register(ty: Scalar) -> char {
    match ty {
        Scalar::F32 => 'f',
        Scalar::F64 => 'd',
        Scalar::F16 | Scalar::Bf16 | Scalar::I16 | Scalar::U16 => 'h',
        Scalar::I64 | Scalar::U64 => 'l',
        Scalar::Bool | Scalar::I8 | Scalar::U8 | Scalar::I32 | Scalar::U32 => 'r',
    }
}
