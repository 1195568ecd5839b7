//! Evaluates operations and functions on single values, by [`arith`](crate::arith).
//!
//! The parser and the laws evaluate few values, so they use this module instead of vectors.

use crate::arith::{As, Bits, Element, Float, Integer, Number, Order, Single};
use crate::func::{Func, Node};
use crate::ops::{Bin, Cmp, Un};
use crate::{Scalar, Value, bf16, f16};

/// An operation on operands of types for which it is not defined. [`FuncBuilder`](crate::func::FuncBuilder) and the
/// verifier exclude this, so it is a bug of this project.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bug: `{operation}` was evaluated on {types:?}")]
pub struct OperandError {
    operation: String,
    types: Vec<Scalar>,
}

impl OperandError {
    /// Creates the error of an operation on operands of those types.
    pub fn new(operation: impl ToString, types: Vec<Scalar>) -> OperandError {
        OperandError { operation: operation.to_string(), types }
    }
}

impl Func {
    /// Returns the results for those arguments.
    ///
    /// # Errors
    /// The types of `args` are not those of the parameters.
    pub fn evaluate(&self, args: &[Value]) -> Result<Vec<Value>, OperandError> {
        let types = || args.iter().map(|arg| arg.ty());
        if !self.params().iter().map(|param| param.ty).eq(types()) {
            return Err(OperandError::new("call", types().collect()));
        }
        let mut values = args.to_vec();
        for line in self.lines() {
            let mut operands = [Value::of(false); 3];
            let mut count = 0;
            for (to, id) in operands.iter_mut().zip(line.node.operands()) {
                (*to, count) = (values[id.0 as usize], count + 1);
            }
            values.push(apply(line.node, line.ty, &operands[..count])?);
        }
        Ok(self.results().iter().map(|id| values[id.0 as usize]).collect())
    }
}

/// Applies the operation of a node, whose result has type `ty`, to operands in its order.
///
/// # Errors
/// The operation is not defined for the types or the number of operands.
pub fn apply(node: Node, ty: Scalar, operands: &[Value]) -> Result<Value, OperandError> {
    let result = match (node, operands) {
        (Node::Const(value), []) => Some(value),
        (Node::Un(op, _), &[a]) => un(op, a),
        (Node::Bin(op, ..), &[a, b]) => bin(op, a, b),
        (Node::Cmp(op, ..), &[a, b]) => cmp(op, a, b),
        (Node::Select(..), &[cond, a, b]) => cond.get().map(|cond: bool| if cond { a } else { b }),
        (Node::Cast(..), &[a]) => cast(a, ty),
        (Node::MulAdd(..), &[a, b, c]) => mul_add(a, b, c),
        _ => None,
    };
    let types = || operands.iter().map(|operand| operand.ty()).collect();
    result.ok_or_else(|| OperandError::new(name(node), types()))
}

/// Returns the name of a node's operation in errors.
fn name(node: Node) -> String {
    match node {
        Node::Const(_) => "constant".to_owned(),
        Node::Un(op, _) => op.to_string(),
        Node::Bin(op, ..) => op.to_string(),
        Node::Cmp(op, ..) => op.to_string(),
        Node::Select(..) => "if".to_owned(),
        Node::Cast(ty, _) => format!("as {ty}"),
        Node::MulAdd(..) => "mul_add".to_owned(),
    }
}

/// Applies a function of `arith` to one or two operands, if they have one of the listed types.
macro_rules! on {
    ($a:ident => $f:expr; $($ty:ty)*) => {{
        $(if let Some(a) = $a.get::<$ty>() {
            return Some(Value::of($f(a)));
        })*
        None
    }};
    ($a:ident, $b:ident => $f:expr; $($ty:ty)*) => {{
        $(if let (Some(a), Some(b)) = ($a.get::<$ty>(), $b.get::<$ty>()) {
            return Some(Value::of($f(a, b)));
        })*
        None
    }};
    ($a:ident, $b:ident u32 => $f:expr; $($ty:ty)*) => {{
        let distance = $b.get::<u32>()?;
        $(if let Some(a) = $a.get::<$ty>() {
            return Some(Value::of($f(a, distance)));
        })*
        None
    }};
}

/// Applies [`on`] to every type of a kind.
macro_rules! over {
    (numbers: $($rest:tt)*) => { on!($($rest)*; f32 f64 i8 i16 i32 i64 u8 u16 u32 u64) };
    (ordered: $($rest:tt)*) => { on!($($rest)*; f16 bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64) };
    (floats: $($rest:tt)*) => { on!($($rest)*; f16 bf16 f32 f64) };
    (full floats: $($rest:tt)*) => { on!($($rest)*; f32 f64) };
    (integers: $($rest:tt)*) => { on!($($rest)*; i8 i16 i32 i64 u8 u16 u32 u64) };
    (bits: $($rest:tt)*) => { on!($($rest)*; bool i8 i16 i32 i64 u8 u16 u32 u64) };
    (all: $($rest:tt)*) => { on!($($rest)*; bool f16 bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64) };
}

/// Returns `op a`, or `None` if `op` is not defined for the type.
pub fn un(op: Un, a: Value) -> Option<Value> {
    match op {
        Un::Neg => over!(numbers: a => Number::neg),
        Un::Abs => over!(numbers: a => Number::abs),
        Un::Not => over!(bits: a => Bits::not),
        Un::IsNan => over!(floats: a => Order::is_nan),
        Un::Canonical => over!(floats: a => Order::canonical),
        Un::Exp => over!(full floats: a => Float::exp),
        Un::Ln => over!(full floats: a => Float::ln),
        Un::Exp2 => over!(full floats: a => Float::exp2),
        Un::Log2 => over!(full floats: a => Float::log2),
        Un::ExpM1 => over!(full floats: a => Float::exp_m1),
        Un::Ln1p => over!(full floats: a => Float::ln_1p),
        Un::Sin => over!(full floats: a => Float::sin),
        Un::Cos => over!(full floats: a => Float::cos),
        Un::Tan => on!(a => Single::tan; f32),
        Un::Tanh => over!(full floats: a => Float::tanh),
        Un::Sqrt => over!(full floats: a => Float::sqrt),
        Un::Floor => over!(full floats: a => Float::floor),
        Un::Ceil => over!(full floats: a => Float::ceil),
        Un::Trunc => over!(full floats: a => Float::trunc),
        Un::RoundTiesEven => over!(full floats: a => Float::round_ties_even),
        Un::ToBits => over!(full floats: a => Float::to_bits),
        Un::FromBits => match (a.get::<u32>(), a.get::<u64>()) {
            (Some(bits), _) => Some(Value::of(<f32 as Float>::from_bits(bits))),
            (_, bits) => bits.map(|bits| Value::of(<f64 as Float>::from_bits(bits))),
        },
        Un::CountOnes => over!(integers: a => Integer::count_ones),
        Un::LeadingZeros => over!(integers: a => Integer::leading_zeros),
        Un::TrailingZeros => over!(integers: a => Integer::trailing_zeros),
    }
}

/// Returns `a op b`, or `None` if `op` is not defined for the types.
pub fn bin(op: Bin, a: Value, b: Value) -> Option<Value> {
    match op {
        Bin::Add => over!(numbers: a, b => Number::add),
        Bin::Sub => over!(numbers: a, b => Number::sub),
        Bin::Mul => over!(numbers: a, b => Number::mul),
        Bin::Div => over!(numbers: a, b => Number::div),
        Bin::Rem => over!(integers: a, b => Integer::rem),
        Bin::Min => over!(ordered: a, b => Order::min),
        Bin::Max => over!(ordered: a, b => Order::max),
        Bin::MinNum => over!(floats: a, b => Order::min_num),
        Bin::MaxNum => over!(floats: a, b => Order::max_num),
        Bin::And => over!(bits: a, b => Bits::and),
        Bin::Or => over!(bits: a, b => Bits::or),
        Bin::Xor => over!(bits: a, b => Bits::xor),
        Bin::Shl => over!(integers: a, b u32 => Integer::shl),
        Bin::Shr => over!(integers: a, b u32 => Integer::shr),
        Bin::Powf => on!(a, b => Single::powf; f32),
        Bin::Hypot => over!(full floats: a, b => Float::hypot),
        Bin::Atan2 => on!(a, b => Single::atan2; f32),
    }
}

/// Returns `a op b` as a `bool`, or `None` if `op` is not defined for the types.
pub fn cmp(op: Cmp, a: Value, b: Value) -> Option<Value> {
    match op {
        Cmp::Eq => over!(all: a, b => |a, b| a == b),
        Cmp::Ne => over!(all: a, b => |a, b| a != b),
        Cmp::Lt => over!(ordered: a, b => Order::lt),
        Cmp::Le => over!(ordered: a, b => Order::le),
        Cmp::Gt => over!(ordered: a, b => |a, b| Order::lt(b, a)),
        Cmp::Ge => over!(ordered: a, b => |a, b| Order::le(b, a)),
    }
}

/// Returns `a as to`, or `None` if there is no such conversion.
pub fn cast(a: Value, to: Scalar) -> Option<Value> {
    match a.ty() {
        Scalar::F16 if to == Scalar::F32 => a.get::<f16>().map(|a| Value::of(As::<f32>::to(a))),
        Scalar::Bf16 if to == Scalar::F32 => a.get::<bf16>().map(|a| Value::of(As::<f32>::to(a))),
        Scalar::Bool => a.get::<bool>().filter(|_| to.is_integer()).map(|a| Value::from_bits(to, a.into())),
        Scalar::F16 | Scalar::Bf16 => None,
        Scalar::F32 => into(a.get::<f32>()?, to),
        Scalar::F64 => into(a.get::<f64>()?, to),
        Scalar::I8 => into(a.get::<i8>()?, to),
        Scalar::I16 => into(a.get::<i16>()?, to),
        Scalar::I32 => into(a.get::<i32>()?, to),
        Scalar::I64 => into(a.get::<i64>()?, to),
        Scalar::U8 => into(a.get::<u8>()?, to),
        Scalar::U16 => into(a.get::<u16>()?, to),
        Scalar::U32 => into(a.get::<u32>()?, to),
        Scalar::U64 => into(a.get::<u64>()?, to),
    }
}

/// A number that converts to every arithmetic type.
trait Source:
    As<f32> + As<f64> + As<i8> + As<i16> + As<i32> + As<i64> + As<u8> + As<u16> + As<u32> + As<u64>
{
}

impl<T> Source for T where
    T: As<f32> + As<f64> + As<i8> + As<i16> + As<i32> + As<i64> + As<u8> + As<u16> + As<u32> + As<u64>
{
}

fn into<T: Source>(a: T, to: Scalar) -> Option<Value> {
    fn of<T: As<U>, U: Element>(a: T) -> Option<Value> {
        Some(Value::of(As::<U>::to(a)))
    }
    match to {
        Scalar::Bool | Scalar::F16 | Scalar::Bf16 => None,
        Scalar::F32 => of::<T, f32>(a),
        Scalar::F64 => of::<T, f64>(a),
        Scalar::I8 => of::<T, i8>(a),
        Scalar::I16 => of::<T, i16>(a),
        Scalar::I32 => of::<T, i32>(a),
        Scalar::I64 => of::<T, i64>(a),
        Scalar::U8 => of::<T, u8>(a),
        Scalar::U16 => of::<T, u16>(a),
        Scalar::U32 => of::<T, u32>(a),
        Scalar::U64 => of::<T, u64>(a),
    }
}

fn mul_add(a: Value, b: Value, c: Value) -> Option<Value> {
    if let (Some(a), Some(b), Some(c)) = (a.get::<f32>(), b.get::<f32>(), c.get::<f32>()) {
        return Some(Value::of(Float::mul_add(a, b, c)));
    }
    let (a, b, c) = (a.get::<f64>()?, b.get::<f64>()?, c.get::<f64>()?);
    Some(Value::of(Float::mul_add(a, b, c)))
}
