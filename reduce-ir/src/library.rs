//! `exp`, `ln`, `sin` and their like, built from exact operations, so that they have the same bits everywhere.
//!
//! Hosts and GPUs provide functions of these names, but no two of them agree. Here each function is written once, in steps that
//! have two uses: they are the operations of a host loop, and a [`Func`] that becomes a device function in CUDA. The steps are a
//! straight line of operations that IEEE 754 rounds correctly, without a branch. Most functions of `f32` compute in `f64`.
//!
//! Greatest error, in units in the last place of the exact value (for subnormals, the smallest subnormal):
//!
//! | | `f32`, all 2^32 bit patterns | `f64`, samples |
//! |---|---|---|
//! | `exp`, `ln` | 0.891, 0.853 | 0.899, 0.878 |
//! | `exp2`, `log2` | 0.911, 0.501 | 0.841, 0.930 |
//! | `exp_m1`, `ln_1p` | 0.511, 0.501 | 0.825, 0.735 |
//! | `sin`, `cos`, `tanh` | 0.501, 0.501, 0.507 | 0.791, 0.791, 0.864 |
//! | `tan` | 0.501 | |
//!
//! The samples of `exp` and `ln` are 300 million each, of `sin`, `cos` and `tanh` 4 million each, of the others 20,000. Of two
//! arguments: `powf`, `hypot` and `atan2` of `f32` 0.502 in a million samples, `hypot` of `f64` 1.170 in 16 million.
//!
//! Sources: W. J. Cody, W. Waite, Software Manual for the Elementary Functions (1980), for the reductions of the
//! argument, the constant in two parts, and the scaling; J.-M. Muller et al., Handbook of Floating-Point Arithmetic
//! (2nd ed., 2018), for reductions by fused operations and polynomials with coefficients in the format. The
//! coefficients are minimax, by our own weighted Remez algorithm with successive rounding. For `ln` of `f32`, they
//! were then chosen among neighbours by the measured error.

mod atan2;
mod circle;
pub(crate) mod exp;
pub(crate) mod exp2;
mod exp_m1;
mod hypot;
pub(crate) mod ln;
mod log2;
mod powf;
mod quadrant;
mod steps;

pub(crate) use atan2::Atan2;
pub(crate) use circle::{Cosine, Sine, Tangent};
pub(crate) use exp_m1::{ExpM1, Tanh};
pub(crate) use hypot::Hypot;
pub(crate) use log2::{Ln1p, Log2};
pub(crate) use powf::Powf;
pub(crate) use steps::double::{of_one, of_two};

use crate::Scalar;
use crate::func::{Func, FuncBuilder, Id, Node};
use crate::ops::{Bin, Un};
use steps::Lines;
use steps::double::Function;

/// Returns the function that an operation stands for, if the library defines it.
pub fn definition(op: Un, ty: Scalar) -> Option<Func> {
    let is_double = is_double(ty)?;
    match op {
        Un::Exp if is_double => written(ty, |f, x| exp::exp(&exp::F64, f, x)),
        Un::Exp => written(ty, |f, x| exp::exp(&exp::F32, f, x)),
        Un::Exp2 if is_double => written(ty, |f, x| exp2::exp2(&exp2::F64, f, x)),
        Un::Exp2 => written(ty, |f, x| exp2::exp2(&exp2::F32, f, x)),
        Un::Ln if is_double => written(ty, |f, x| ln::ln(&ln::F64, f, x)),
        Un::Ln => written(ty, |f, x| ln::ln(&ln::F32, f, x)),
        Un::Log2 => of_precision(is_double, &Log2::F32, Some(&Log2::F64)),
        Un::ExpM1 => of_precision(is_double, &ExpM1::F32, Some(&ExpM1::F64)),
        Un::Ln1p => of_precision(is_double, &Ln1p::F32, Some(&Ln1p::F64)),
        Un::Sin => of_precision(is_double, &Sine::F32, Some(&Sine::F64)),
        Un::Cos => of_precision(is_double, &Cosine::F32, Some(&Cosine::F64)),
        Un::Tan => of_precision(is_double, &Tangent, None),
        Un::Tanh => of_precision(is_double, &Tanh::F32, Some(&Tanh::F64)),
        Un::Neg | Un::Abs | Un::Not | Un::IsNan | Un::Canonical | Un::Sqrt => None,
        Un::Floor | Un::Ceil | Un::Trunc | Un::RoundTiesEven | Un::ToBits | Un::FromBits => None,
        Un::CountOnes | Un::LeadingZeros | Un::TrailingZeros => None,
    }
}

/// Returns the function that an operation on two operands stands for, if the library defines it.
pub fn definition_of_two(op: Bin, ty: Scalar) -> Option<Func> {
    let is_double = is_double(ty)?;
    match op {
        Bin::Powf => of_precision(is_double, &Powf, None),
        Bin::Hypot => of_precision(is_double, &Hypot::F32, Some(&Hypot::F64)),
        Bin::Atan2 => of_precision(is_double, &Atan2, None),
        Bin::Add | Bin::Sub | Bin::Mul | Bin::Div | Bin::Rem => None,
        Bin::Min | Bin::Max | Bin::MinNum | Bin::MaxNum => None,
        Bin::And | Bin::Or | Bin::Xor | Bin::Shl | Bin::Shr => None,
    }
}

/// Builds a function that computes in `f64`. Some have no version for `f64`.
fn of_precision<F: Function<N>, const N: usize>(
    is_double: bool,
    single: &F,
    double: Option<&F>,
) -> Option<Func> {
    if is_double { double?.of_f64() } else { single.of_f32() }
}

/// Returns `exp` for arguments that [have a normal exponential](exp_is_normal): the same bits by fewer operations.
pub fn normal_exp(ty: Scalar) -> Option<Func> {
    match is_double(ty)? {
        true => written(ty, |f, x| exp::normal(&exp::F64, f, x)),
        false => written(ty, |f, x| exp::normal(&exp::F32, f, x)),
    }
}

/// Builds a function of one float from its steps.
fn written(ty: Scalar, steps: impl FnOnce(&mut Lines, Id) -> Id) -> Option<Func> {
    let (mut f, [x]) = Lines::of(ty);
    let result = steps(&mut f, x);
    f.build(result).ok()
}

/// Returns whether constants limit `id`, a value of `func`, to numbers whose `exp` is neither subnormal nor infinite.
pub fn exp_is_normal(func: &Func, id: Id) -> bool {
    let limits = func.limits(id).zip(is_double(func.ty(id)));
    limits.is_some_and(|([low, high], is_double)| {
        let [least, most] = if is_double { exp::F64.normal } else { exp::F32.normal.map(f64::from) };
        least <= low && high <= most
    })
}

/// Returns whether the type is `f64`; `None` unless the library has functions of the type.
fn is_double(ty: Scalar) -> Option<bool> {
    match ty {
        Scalar::F32 => Some(false),
        Scalar::F64 => Some(true),
        Scalar::F16 | Scalar::Bf16 | Scalar::Bool => None,
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => None,
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => None,
    }
}

/// Returns the function with every call of the library inlined.
pub fn written_out(func: &Func) -> Func {
    let calls: Vec<_> = func.lines().iter().map(|line| called(func, line.node)).collect();
    if calls.iter().all(Option::is_none) {
        return func.clone();
    }
    let mut f = FuncBuilder::new(func.params().to_vec());
    let mut ids = f.params();
    for (line, called) in func.lines().iter().zip(calls) {
        let node = line.node.map(|id| ids[id.0 as usize]);
        let written = called.and_then(|it| {
            let args: Vec<_> = node.operands().collect();
            f.call(&it, &args).ok()?.first().copied()
        });
        ids.push(written.unwrap_or_else(|| f.again(node, line.ty)));
    }
    f.build(func.results().iter().map(|id| ids[id.0 as usize]).collect())
}

/// Returns the function of the library that a node of `func` calls.
fn called(func: &Func, node: Node) -> Option<Func> {
    match node {
        Node::Un(Un::Exp, a) if exp_is_normal(func, a) => normal_exp(func.ty(a)),
        Node::Un(op, a) => definition(op, func.ty(a)),
        Node::Bin(op, a, _) => definition_of_two(op, func.ty(a)),
        Node::Const(_) | Node::Cmp(..) => None,
        Node::Select(..) | Node::Cast(..) | Node::MulAdd(..) => None,
    }
}
