//! Vectors of scalars and the operations on them, one loop per operation.
//!
//! Host backend and interpreter evaluate expressions here and nowhere else; the loops call
//! [`crate::arith`] and are plain enough for the compiler to vectorise.

use crate::arith::{self, Bits, Element, Number, Order};
use crate::ops::{Bin, Cmp, Un};
use crate::{Scalar, Value};
use half::f16;

macro_rules! lanes {
    ($($scalar:ident: $ty:ty),*) => {
        /// A vector of scalars of one type.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Lanes {
            $(#[doc = concat!("Lanes of `", stringify!($ty), "`.")] $scalar(Vec<$ty>),)*
        }

        /// A borrowed vector of scalars of one type.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum LanesRef<'a> {
            $(#[doc = concat!("Lanes of `", stringify!($ty), "`.")] $scalar(&'a [$ty]),)*
        }

        impl Lanes {
            /// No lanes, of type `ty`.
            pub fn empty(ty: Scalar) -> Lanes {
                match ty { $(Scalar::$scalar => Lanes::$scalar(Vec::new()),)* }
            }

            /// The type.
            pub fn ty(&self) -> Scalar {
                match self { $(Lanes::$scalar(_) => Scalar::$scalar,)* }
            }

            /// All lanes, borrowed.
            pub fn borrow(&self) -> LanesRef<'_> {
                match self { $(Lanes::$scalar(v) => LanesRef::$scalar(v),)* }
            }

            /// Makes it `len` lanes long; new lanes are zero.
            pub fn resize(&mut self, len: usize) {
                match self { $(Lanes::$scalar(v) => v.resize(len, <$ty>::default()),)* }
            }

            /// Removes all lanes and keeps the memory.
            pub fn clear(&mut self) {
                match self { $(Lanes::$scalar(v) => v.clear(),)* }
            }

            /// Appends lanes of the same type; lanes of another type are a bug of the caller and ignored.
            pub fn extend(&mut self, more: LanesRef<'_>) {
                match (self, more) {
                    $((Lanes::$scalar(v), LanesRef::$scalar(more)) => v.extend_from_slice(more),)*
                    (lanes, more) => debug_assert_eq!(lanes.ty(), more.ty()),
                }
            }

            /// Becomes, of every `stride` lanes of `from`, the `block` lanes that start at `offset`; at the end
            /// of `from`, those that are there. Lanes of another type are a bug of the caller and ignored.
            pub fn gather(&mut self, from: LanesRef<'_>, offset: usize, block: usize, stride: usize) {
                match (self, from) {
                    $((Lanes::$scalar(v), LanesRef::$scalar(from)) => {
                        v.clear();
                        gather(from, offset, block, stride, v);
                    })*
                    (lanes, from) => debug_assert_eq!(lanes.ty(), from.ty()),
                }
            }

            /// Sets every lane; a value of another type is a bug of the caller and ignored.
            pub fn fill(&mut self, value: Value) {
                debug_assert_eq!(self.ty(), value.ty());
                match self { $(Lanes::$scalar(v) => v.fill(<$ty>::from_bits64(value.bits())),)* }
            }

            /// `self[i] = from[j]`, for every `(i, j)`; lanes of another type are a bug of the caller and ignored.
            pub fn copy(&mut self, from: LanesRef<'_>, pairs: &[(usize, usize)]) {
                match (self, from) {
                    $((Lanes::$scalar(v), LanesRef::$scalar(from)) => pairs.iter().for_each(|&(i, j)| v[i] = from[j]),)*
                    (lanes, from) => debug_assert_eq!(lanes.ty(), from.ty()),
                }
            }

            /// Sets one lane; a value of another type is a bug of the caller and ignored.
            pub fn set(&mut self, i: usize, value: Value) {
                debug_assert_eq!(self.ty(), value.ty());
                match self { $(Lanes::$scalar(v) => v[i] = <$ty>::from_bits64(value.bits()),)* }
            }
        }

        impl<'a> LanesRef<'a> {
            /// The type.
            pub fn ty(self) -> Scalar {
                match self { $(LanesRef::$scalar(_) => Scalar::$scalar,)* }
            }

            /// How many.
            pub fn len(self) -> usize {
                match self { $(LanesRef::$scalar(v) => v.len(),)* }
            }

            /// The lanes in `range`.
            pub fn slice(self, range: std::ops::Range<usize>) -> LanesRef<'a> {
                match self { $(LanesRef::$scalar(v) => LanesRef::$scalar(&v[range]),)* }
            }

            /// One lane.
            pub fn get(self, i: usize) -> Value {
                match self { $(LanesRef::$scalar(v) => Value::of(v[i]),)* }
            }
        }

        $(impl From<Vec<$ty>> for Lanes {
            fn from(lanes: Vec<$ty>) -> Lanes {
                Lanes::$scalar(lanes)
            }
        }

        impl<'a> From<&'a [$ty]> for LanesRef<'a> {
            fn from(lanes: &'a [$ty]) -> LanesRef<'a> {
                LanesRef::$scalar(lanes)
            }
        })*
    };
}

lanes!(Bool: bool, F16: f16, F32: f32, F64: f64, I32: i32, U32: u32, I64: i64, U64: u64);

impl Lanes {
    /// `len` lanes that all hold `value`.
    pub fn splat(value: Value, len: usize) -> Lanes {
        let mut lanes = Lanes::empty(value.ty());
        lanes.resize(len);
        lanes.fill(value);
        lanes
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.borrow().len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One lane.
    pub fn get(&self, i: usize) -> Value {
        self.borrow().get(i)
    }
}

impl LanesRef<'_> {
    /// Are there none?
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// An operation met lanes of types it is not defined for. [`crate::func::FuncBuilder`] and the verifier
/// exclude it, so it is a bug of this project.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bug: `{operation}` was evaluated on {types:?}")]
pub struct LaneError {
    operation: String,
    types: Vec<Scalar>,
}

fn bug<T>(operation: impl ToString, operands: &[LanesRef<'_>]) -> Result<T, LaneError> {
    Err(LaneError {
        operation: operation.to_string(),
        types: operands.iter().map(|lanes| lanes.ty()).collect(),
    })
}

/// Matches the variants listed, and calls `$f` of that type in a loop; anything else is a bug.
macro_rules! loops {
    ($op:expr, $a:ident -> $out:ident: $f:path: $($scalar:ident)*) => {
        match ($a, $out) {
            $((LanesRef::$scalar(a), Lanes::$scalar(out)) => { map(a, out, $f); Ok(()) })*
            _ => bug($op, &[$a]),
        }
    };
    ($op:expr, $a:ident -> bool $out:ident: $f:path: $($scalar:ident)*) => {
        match ($a, $out) {
            $((LanesRef::$scalar(a), Lanes::Bool(out)) => { map(a, out, $f); Ok(()) })*
            _ => bug($op, &[$a]),
        }
    };
    ($op:expr, $a:ident, $b:ident -> $out:ident: $f:expr; $($scalar:ident)*) => {
        match ($a, $b, $out) {
            $((LanesRef::$scalar(a), LanesRef::$scalar(b), Lanes::$scalar(out)) => { zip(a, b, out, $f); Ok(()) })*
            _ => bug($op, &[$a, $b]),
        }
    };
    ($op:expr, $a:ident, $b:ident -> bool $out:ident: $f:expr; $($scalar:ident)*) => {
        match ($a, $b, $out) {
            $((LanesRef::$scalar(a), LanesRef::$scalar(b), Lanes::Bool(out)) => { zip(a, b, out, $f); Ok(()) })*
            _ => bug($op, &[$a, $b]),
        }
    };
}

/// `out[i] = op(a[i])`. `out` has the type of the result and is resized.
pub fn un(op: Un, a: LanesRef<'_>, out: &mut Lanes) -> Result<(), LaneError> {
    match op {
        Un::Neg => loops!(op, a -> out: Number::neg: F32 F64 I32 U32 I64 U64),
        Un::Abs => loops!(op, a -> out: Number::abs: F32 F64 I32 U32 I64 U64),
        Un::Not => loops!(op, a -> out: Bits::not: Bool I32 U32 I64 U64),
        Un::IsNan => loops!(op, a -> bool out: Order::is_nan: F16 F32 F64),
        Un::Canonical => loops!(op, a -> out: Order::canonical: F16 F32 F64),
    }
}

/// `out[i] = a[i] op b[i]`, for operands of one length.
pub fn bin(op: Bin, a: LanesRef<'_>, b: LanesRef<'_>, out: &mut Lanes) -> Result<(), LaneError> {
    match op {
        Bin::Add => loops!(op, a, b -> out: Number::add; F32 F64 I32 U32 I64 U64),
        Bin::Sub => loops!(op, a, b -> out: Number::sub; F32 F64 I32 U32 I64 U64),
        Bin::Mul => loops!(op, a, b -> out: Number::mul; F32 F64 I32 U32 I64 U64),
        Bin::Div => loops!(op, a, b -> out: |a, b| a.checked_div(b).unwrap_or(0); U32 U64),
        Bin::Rem => loops!(op, a, b -> out: |a, b| a.checked_rem(b).unwrap_or(0); U32 U64),
        Bin::Min => loops!(op, a, b -> out: Order::min; F16 F32 F64 I32 U32 I64 U64),
        Bin::Max => loops!(op, a, b -> out: Order::max; F16 F32 F64 I32 U32 I64 U64),
        Bin::And => loops!(op, a, b -> out: Bits::and; Bool I32 U32 I64 U64),
        Bin::Or => loops!(op, a, b -> out: Bits::or; Bool I32 U32 I64 U64),
        Bin::Xor => loops!(op, a, b -> out: Bits::xor; Bool I32 U32 I64 U64),
    }
}

/// `out[i] = a[i] op b[i]`, as `bool`, for operands of one length.
pub fn cmp(op: Cmp, a: LanesRef<'_>, b: LanesRef<'_>, out: &mut Lanes) -> Result<(), LaneError> {
    match op {
        Cmp::Eq => loops!(op, a, b -> bool out: |a, b| a == b; Bool F16 F32 F64 I32 U32 I64 U64),
        Cmp::Ne => loops!(op, a, b -> bool out: |a, b| a != b; Bool F16 F32 F64 I32 U32 I64 U64),
        Cmp::Lt => loops!(op, a, b -> bool out: Order::lt; F16 F32 F64 I32 U32 I64 U64),
        Cmp::Le => loops!(op, a, b -> bool out: Order::le; F16 F32 F64 I32 U32 I64 U64),
    }
}

/// `out[i] = if cond[i] { a[i] } else { b[i] }`, for operands of one length.
pub fn select(
    cond: LanesRef<'_>,
    a: LanesRef<'_>,
    b: LanesRef<'_>,
    out: &mut Lanes,
) -> Result<(), LaneError> {
    macro_rules! choose {
        ($($scalar:ident)*) => {
            match (cond, a, b, out) {
                $((LanesRef::Bool(cond), LanesRef::$scalar(a), LanesRef::$scalar(b), Lanes::$scalar(out)) => {
                    out.clear();
                    out.extend(cond.iter().zip(a).zip(b).map(|((&c, &a), &b)| Element::select(c, a, b)));
                    Ok(())
                })*
                _ => bug("if", &[cond, a, b]),
            }
        };
    }
    choose!(Bool F16 F32 F64 I32 U32 I64 U64)
}

/// `out[i] = a[i] as f32` of `f16` lanes.
pub fn widen(a: LanesRef<'_>, out: &mut Lanes) -> Result<(), LaneError> {
    match (a, out) {
        (LanesRef::F16(a), Lanes::F32(out)) => {
            map(a, out, arith::widen);
            Ok(())
        }
        _ => bug("as f32", &[a]),
    }
}

fn map<A: Copy, R>(a: &[A], out: &mut Vec<R>, f: impl Fn(A) -> R) {
    out.clear();
    out.extend(a.iter().map(|&a| f(a)));
}

fn zip<A: Copy, R>(a: &[A], b: &[A], out: &mut Vec<R>, f: impl Fn(A, A) -> R) {
    debug_assert_eq!(a.len(), b.len());
    out.clear();
    out.extend(a.iter().zip(b).map(|(&a, &b)| f(a, b)));
}

/// The strides of small trees are known to the compiler, which turns their copies into vector moves.
fn gather<T: Copy + Default>(from: &[T], offset: usize, block: usize, stride: usize, out: &mut Vec<T>) {
    if block == 1 && stride > 2 {
        out.extend(from.iter().skip(offset).step_by(stride));
        return;
    }
    let done = match (block, stride) {
        (1, 2) => gather_blocks::<T, 1, 2>(from, offset, out),
        (2, 4) => gather_blocks::<T, 2, 4>(from, offset, out),
        (4, 8) => gather_blocks::<T, 4, 8>(from, offset, out),
        (8, 16) => gather_blocks::<T, 8, 16>(from, offset, out),
        (16, 32) => gather_blocks::<T, 16, 32>(from, offset, out),
        _ => 0,
    };
    for chunk in from[done..].chunks(stride) {
        let present = offset.min(chunk.len())..(offset + block).min(chunk.len());
        out.extend_from_slice(&chunk[present]);
    }
}

/// The lanes of `from` that it gathered from: all whole strides.
fn gather_blocks<T: Copy + Default, const BLOCK: usize, const STRIDE: usize>(
    from: &[T],
    offset: usize,
    out: &mut Vec<T>,
) -> usize {
    let (chunks, rest) = from.as_chunks::<STRIDE>();
    out.resize(chunks.len() * BLOCK, T::default());
    for (to, chunk) in out.as_chunks_mut::<BLOCK>().0.iter_mut().zip(chunks) {
        to.copy_from_slice(&chunk[offset..offset + BLOCK]);
    }
    from.len() - rest.len()
}
