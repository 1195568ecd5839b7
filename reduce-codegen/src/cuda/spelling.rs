//! The spelling in C++ of each operation on each type, with the meaning that `reduce_ir::arith` defines.
//!
//! C++ computes with integers of 8 and 16 bits as `int`, so the result is cast back. Operations that are undefined in
//! C++, or that it does not have, are a [`Helper`].

use super::helpers::Helper;
use reduce_ir::func::{Func, Id, Line, Node};
use reduce_ir::ops::{Bin, Cmp, Un};
use reduce_ir::{Scalar, Value, library};

/// The spelling of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    /// `5`.
    Literal(Value),
    /// Like its operand: nothing is computed.
    Same,
    /// `name(a, b)`.
    Call(&'static str),
    /// A call of a function that is printed with the program.
    Helper(Helper),
    /// `-a`.
    Prefix(&'static str),
    /// `a + b`.
    Infix(&'static str),
    /// `name(b)`, where the name implies the first operand.
    OfSecond(Helper),
    /// `f16_to_f32(a) < f16_to_f32(b)`.
    Widened(Helper, &'static str),
    /// `a << (b & 31)`, or `a << 5`.
    Shift(&'static str),
    /// `a ? b : c`.
    Choice,
    /// `(type)a`.
    Cast,
}

/// A function that spells the nodes of a function.
pub(super) type Spell = fn(&Func, Node) -> Spelling;

/// Returns the spelling of a node.
pub(super) fn spelling(func: &Func, node: Node) -> Spelling {
    match node {
        Node::Const(value) => Spelling::Literal(value),
        Node::Un(Un::ToBits, a) if func.limits(a).is_some() => raw_bits(func.ty(a)),
        Node::Un(Un::Exp, a) if library::exp_is_normal(func, a) => {
            Spelling::Helper(Helper::NormalExp(func.ty(a)))
        }
        Node::Un(op, a) => un(op, func.ty(a)),
        Node::Bin(Bin::Div, a, b) if is_reciprocal_of_whole(func, a, b) => {
            Spelling::OfSecond(Helper::ReciprocalOfWhole(func.ty(a)))
        }
        Node::Bin(op, a, _) => bin(op, func.ty(a)),
        Node::Cmp(op, a, _) => cmp(op, func.ty(a)),
        Node::Select(..) => Spelling::Choice,
        // In C++, a constant that is too large for `float` is undefined.
        Node::Cast(Scalar::F32, a) if func.constant(a).is_some_and(|it| it.ty() == Scalar::F64) => {
            Spelling::Call("__double2float_rn")
        }
        Node::Cast(to, a) => cast(func.ty(a), to),
        Node::MulAdd(a, ..) => float(func.ty(a), ["fmaf", "fma"]),
    }
}

/// Returns the spelling of a node in a function of the library. The bits of a NaN do not matter to its result.
pub(super) fn library_spelling(func: &Func, node: Node) -> Spelling {
    match node {
        Node::Un(Un::ToBits, a) => raw_bits(func.ty(a)),
        Node::Un(..) | Node::Const(_) | Node::Bin(..) | Node::Cmp(..) => spelling(func, node),
        Node::Select(..) | Node::Cast(..) | Node::MulAdd(..) => spelling(func, node),
    }
}

impl Spelling {
    /// Returns whether C++ computes it as `int` if the operands are smaller.
    pub(super) fn computes_in_int(self) -> bool {
        match self {
            Spelling::Call(_) | Spelling::Prefix(_) | Spelling::Infix(_) | Spelling::Shift(_) => true,
            Spelling::Literal(_) | Spelling::Same | Spelling::Choice | Spelling::Cast => false,
            Spelling::Helper(_) | Spelling::OfSecond(_) | Spelling::Widened(..) => false,
        }
    }

    /// Returns the helper that it calls, if it calls one.
    pub(super) fn helper(self) -> Option<Helper> {
        match self {
            Spelling::Helper(helper) | Spelling::OfSecond(helper) | Spelling::Widened(helper, _) => {
                Some(helper)
            }
            Spelling::Literal(_) | Spelling::Same | Spelling::Call(_) | Spelling::Prefix(_) => None,
            Spelling::Infix(_) | Spelling::Shift(_) | Spelling::Choice | Spelling::Cast => None,
        }
    }
}

fn un(op: Un, ty: Scalar) -> Spelling {
    match op {
        Un::Neg if wraps(ty) || is_narrow(ty) => Spelling::Helper(Helper::Un(op, ty)),
        Un::Neg => Spelling::Prefix("-"),
        Un::Abs if ty.is_float() => float(ty, ["fabsf", "fabs"]),
        Un::Abs if ty.is_unsigned() => Spelling::Same,
        Un::Not if ty == Scalar::Bool => Spelling::Prefix("!"),
        Un::Not => Spelling::Prefix("~"),
        Un::Sqrt => float(ty, ["sqrtf", "sqrt"]),
        Un::Floor => float(ty, ["floorf", "floor"]),
        Un::Ceil => float(ty, ["ceilf", "ceil"]),
        Un::Trunc => float(ty, ["truncf", "trunc"]),
        Un::RoundTiesEven => float(ty, ["rintf", "rint"]),
        Un::FromBits if ty == Scalar::U64 => Spelling::Call("__longlong_as_double"),
        Un::FromBits => Spelling::Call("__uint_as_float"),
        Un::Abs | Un::IsNan | Un::Canonical | Un::ToBits => Spelling::Helper(Helper::Un(op, ty)),
        Un::Exp | Un::Ln | Un::Exp2 | Un::Log2 | Un::ExpM1 | Un::Ln1p => Spelling::Helper(Helper::Un(op, ty)),
        Un::Sin | Un::Cos | Un::Tan | Un::Tanh => Spelling::Helper(Helper::Un(op, ty)),
        Un::CountOnes | Un::LeadingZeros | Un::TrailingZeros => Spelling::Helper(Helper::Un(op, ty)),
    }
}

fn bin(op: Bin, ty: Scalar) -> Spelling {
    let helper = Spelling::Helper(Helper::Bin(op, ty));
    match op {
        // Products of floats are never contracted with a sum.
        Bin::Mul if ty.is_float() => float(ty, ["__fmul_rn", "__dmul_rn"]),
        Bin::Add | Bin::Sub | Bin::Mul if wraps(ty) => helper,
        Bin::Sub | Bin::Mul if is_narrow(ty) => helper,
        // 65535 * 65535 does not fit an `int`.
        Bin::Mul if ty == Scalar::U16 => helper,
        Bin::Add => Spelling::Infix("+"),
        Bin::Sub => Spelling::Infix("-"),
        Bin::Mul => Spelling::Infix("*"),
        Bin::Div => Spelling::Infix("/"),
        Bin::Rem => Spelling::Infix("%"),
        Bin::Min if ty.is_integer() => Spelling::Call("min"),
        Bin::Max if ty.is_integer() => Spelling::Call("max"),
        Bin::MinNum if !ty.is_half() => float(ty, ["fminf", "fmin"]),
        Bin::MaxNum if !ty.is_half() => float(ty, ["fmaxf", "fmax"]),
        Bin::Min | Bin::Max | Bin::MinNum | Bin::MaxNum => helper,
        Bin::Powf | Bin::Hypot | Bin::Atan2 => helper,
        Bin::And if ty == Scalar::Bool => Spelling::Infix("&&"),
        Bin::Or if ty == Scalar::Bool => Spelling::Infix("||"),
        Bin::Xor if ty == Scalar::Bool => Spelling::Infix("!="),
        Bin::And => Spelling::Infix("&"),
        Bin::Or => Spelling::Infix("|"),
        Bin::Xor => Spelling::Infix("^"),
        Bin::Shl if ty.is_signed() => helper,
        Bin::Shl => Spelling::Shift("<<"),
        Bin::Shr => Spelling::Shift(">>"),
    }
}

fn cmp(op: Cmp, ty: Scalar) -> Spelling {
    let sign = match op {
        Cmp::Eq => "==",
        Cmp::Ne => "!=",
        Cmp::Lt => "<",
        Cmp::Le => "<=",
        Cmp::Gt => ">",
        Cmp::Ge => ">=",
    };
    let widen = Helper::Cast(ty, Scalar::F32);
    if ty.is_half() { Spelling::Widened(widen, sign) } else { Spelling::Infix(sign) }
}

fn cast(from: Scalar, to: Scalar) -> Spelling {
    let saturates = from.is_float() && to.is_integer();
    if saturates || from.is_half() { Spelling::Helper(Helper::Cast(from, to)) } else { Spelling::Cast }
}

/// Returns the bits of a float that is not NaN, or of a NaN whose bits do not matter.
fn raw_bits(ty: Scalar) -> Spelling {
    if ty == Scalar::F64 { Spelling::Helper(Helper::RawBits) } else { Spelling::Call("__float_as_uint") }
}

/// Returns whether it is 1 divided by a float that was converted from an integer.
fn is_reciprocal_of_whole(func: &Func, a: Id, b: Id) -> bool {
    let is_one = [Value::of(1.0f32), Value::of(1.0f64)].map(Some).contains(&func.constant(a));
    is_one
        && matches!(func.line(b), Some(&Line { node: Node::Cast(_, from), .. }) if !func.ty(from).is_float())
}

/// Returns the function of `f32`, or of `f64`.
fn float(ty: Scalar, [single, double]: [&'static str; 2]) -> Spelling {
    Spelling::Call(if ty == Scalar::F64 { double } else { single })
}

/// Returns whether it is signed, of 8 or 16 bits. All operations that NVRTC can compile to `neg.s16` have a helper
/// (`wrapping.rs`).
fn is_narrow(ty: Scalar) -> bool {
    ty.is_signed() && ty.size() < 4
}

/// Returns whether C++ computes with the type as it is, so that an overflow would be undefined.
fn wraps(ty: Scalar) -> bool {
    matches!(ty, Scalar::I32 | Scalar::I64)
}
