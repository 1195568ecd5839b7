//! Vectors of scalars, the operations on them, and the [evaluator](eval) of functions. Every lane has the bits of
//! [`arith`](reduce_ir::arith).
#![forbid(unsafe_code)]

mod aligned;
mod blocks;
mod columns;
mod compiled;
mod deinterleave;
pub mod eval;
mod fold_at;
mod group_sums;
mod operations;
mod pairwise;
mod places;
mod rows;
mod segment_sums;
mod short_rows;
mod sums;

pub use aligned::Aligned;
pub use blocks::SHARED;
#[cfg(target_arch = "x86_64")]
pub use compiled::avx2;
pub use compiled::{
    Fused, Loops, accumulate, append, apply, bin, cast, cmp, deinterleave, gather, mul_add, pairwise_step,
    select, un,
};
#[cfg(not(target_arch = "x86_64"))]
pub use compiled::{add_squares, fold_columns, pairwise_tree, sum, sum_groups, sum_segments};
pub use deinterleave::Deinterleave;
pub use fold_at::fold_at;
pub use group_sums::{Groups, Windows, sum_windows};
pub(crate) use operations::{adds_squares, widens};
pub use pairwise::TREE;
pub(crate) use pairwise::has_pairwise_step;
pub use places::Places;
pub use rows::{BLOCK, LINE, NARROW, Prefetch, Prefetcher};
pub use segment_sums::{SegmentSum, sum_each};
pub(crate) use sums::sums;
pub use sums::{Blocks, Summed, Term, blocks, sum_rows};

pub use reduce_ir::evaluate::OperandError as LaneError;

use reduce_ir::arith::Element;
use reduce_ir::{Scalar, Value};
use reduce_ir::{bf16, f16};

macro_rules! lanes {
    ($($scalar:ident: $ty:ty),*) => {
        /// A vector of scalars of one type.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Lanes {
            $(#[doc = concat!("Lanes of `", stringify!($ty), "`.")] $scalar(Aligned<$ty>),)*
        }

        /// A borrowed vector of scalars of one type.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum LanesRef<'a> {
            $(#[doc = concat!("Lanes of `", stringify!($ty), "`.")] $scalar(&'a [$ty]),)*
        }

        impl Lanes {
            /// No lanes, of type `ty`.
            pub fn empty(ty: Scalar) -> Lanes {
                match ty { $(Scalar::$scalar => Lanes::$scalar(Aligned::new()),)* }
            }

            /// The type.
            pub fn ty(&self) -> Scalar {
                match self { $(Lanes::$scalar(_) => Scalar::$scalar,)* }
            }

            /// All lanes, borrowed.
            #[inline(always)]
            pub fn borrow(&self) -> LanesRef<'_> {
                match self { $(Lanes::$scalar(v) => LanesRef::$scalar(v),)* }
            }

            /// Makes it `len` lanes long; new lanes are zero.
            pub fn resize(&mut self, len: usize) {
                match self { $(Lanes::$scalar(v) => v.resize(len, <$ty>::default()),)* }
            }

            /// Makes it `len` lanes long; new lanes hold what the last one holds.
            pub fn repeat(&mut self, len: usize) {
                match self { $(Lanes::$scalar(v) => v.resize(len, v.last().copied().unwrap_or_default()),)* }
            }

            /// Makes room for that many more lanes.
            pub fn reserve(&mut self, more: usize) {
                match self { $(Lanes::$scalar(v) => v.reserve(more),)* }
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

            /// Turns their order around.
            pub fn reverse(&mut self) {
                match self { $(Lanes::$scalar(v) => v.reverse(),)* }
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
            #[inline(always)]
            pub fn len(self) -> usize {
                match self { $(LanesRef::$scalar(v) => v.len(),)* }
            }

            /// Where the first one lies.
            pub fn as_ptr(self) -> *const u8 {
                match self { $(LanesRef::$scalar(v) => v.as_ptr().cast(),)* }
            }

            /// The lanes in `range`.
            #[inline(always)]
            pub fn slice(self, range: std::ops::Range<usize>) -> LanesRef<'a> {
                match self { $(LanesRef::$scalar(v) => LanesRef::$scalar(&v[range]),)* }
            }

            /// One lane.
            pub fn get(self, i: usize) -> Value {
                match self { $(LanesRef::$scalar(v) => Value::of(v[i]),)* }
            }
        }

        /// Sets `to` to the elements at `base` plus each outer place plus each inner place: for every outer place in turn, all inner
        /// ones. Lanes of another type are a bug of the caller and ignored.
        pub fn collect(from: LanesRef<'_>, base: usize, [outer, inner]: [&Places; 2], to: &mut Lanes) {
            match (to, from) {
                $((Lanes::$scalar(to), LanesRef::$scalar(from)) => {
                    to.resize(outer.len() * inner.len(), <$ty>::default());
                    places::collect(from, base, [outer, inner], to);
                })*
                (to, from) => debug_assert_eq!(to.ty(), from.ty()),
            }
        }

        /// Copies pieces of `len` lanes to their places among pieces of that length. Lanes of another type are a bug of the caller and
        /// ignored.
        pub fn scatter(from: LanesRef<'_>, places: impl Iterator<Item = usize>, len: usize, to: &mut Lanes) {
            match (to, from) {
                $((Lanes::$scalar(to), LanesRef::$scalar(from)) => {
                    for (from, place) in from.chunks(len.max(1)).zip(places) {
                        to[place * len..][..len].copy_from_slice(from);
                    }
                })*
                (to, from) => debug_assert_eq!(to.ty(), from.ty()),
            }
        }

        /// [`append`], inlined into what is compiled for an instruction set.
        #[inline(always)]
        fn append_lanes(from: LanesRef<'_>, len: usize, to: &mut Lanes) {
            match (to, from) {
                $((Lanes::$scalar(to), LanesRef::$scalar(from)) => blocks::append(from, len, to),)*
                (to, from) => debug_assert_eq!(to.ty(), from.ty()),
            }
        }

        /// [`gather`], inlined into what is compiled for an instruction set.
        #[inline(always)]
        fn gather_lanes(from: LanesRef<'_>, places: [usize; 3], to: &mut Lanes, kept: usize) {
            match (to, from) {
                $((Lanes::$scalar(to), LanesRef::$scalar(from)) => {
                    gather_scalars(from, places, to, kept);
                })*
                (to, from) => debug_assert_eq!(to.ty(), from.ty()),
            }
        }

        /// [`deinterleave`], inlined into what is compiled for an instruction set.
        #[inline(always)]
        fn deinterleave_lanes(from: LanesRef<'_>, how: Deinterleave, to: &mut Lanes, at: usize) {
            match (to, from) {
                $((Lanes::$scalar(to), LanesRef::$scalar(from)) => deinterleave::deinterleave(from, how, to, at),)*
                (to, from) => debug_assert_eq!(to.ty(), from.ty()),
            }
        }

        $(impl From<Vec<$ty>> for Lanes {
            fn from(lanes: Vec<$ty>) -> Lanes {
                Lanes::$scalar(lanes.into())
            }
        }

        impl<'a> From<&'a [$ty]> for LanesRef<'a> {
            fn from(lanes: &'a [$ty]) -> LanesRef<'a> {
                LanesRef::$scalar(lanes)
            }
        }

        /// The error is the type of the lanes.
        impl<'a> TryFrom<LanesRef<'a>> for &'a [$ty] {
            type Error = Scalar;

            fn try_from(lanes: LanesRef<'a>) -> Result<&'a [$ty], Scalar> {
                if let LanesRef::$scalar(lanes) = lanes { Ok(lanes) } else { Err(lanes.ty()) }
            }
        })*
    };
}

lanes!(
    Bool: bool, F16: f16, Bf16: bf16, F32: f32, F64: f64,
    I8: i8, I16: i16, I32: i32, I64: i64, U8: u8, U16: u16, U32: u32, U64: u64
);

impl Lanes {
    /// `len` lanes that all hold `value`.
    pub fn splat(value: Value, len: usize) -> Lanes {
        let mut lanes = Lanes::empty(value.ty());
        lanes.resize(len);
        lanes.fill(value);
        lanes
    }

    /// Makes it `len` lanes that hold `value`. Nothing else may write them: they are written only where they are not as many, or
    /// the first one holds another value.
    pub fn hold(&mut self, value: Value, len: usize) {
        if self.len() != len || len > 0 && self.get(0).bits() != value.bits() {
            self.resize(len);
            self.fill(value);
        }
    }

    /// How many.
    #[inline(always)]
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

pub(crate) fn bug<T>(operation: impl ToString, operands: &[LanesRef<'_>]) -> Result<T, LaneError> {
    Err(LaneError::new(operation, operands.iter().map(|lanes| lanes.ty()).collect()))
}

/// The places in small strides are known to the compiler, which turns copies from there into vector moves.
#[inline(always)]
fn gather_scalars<T: Element>(
    from: &[T],
    [offset, block, stride]: [usize; 3],
    out: &mut Aligned<T>,
    kept: usize,
) {
    let left = (from.len() % stride).saturating_sub(offset).min(block);
    out.resize(kept + from.len() / stride * block + left, T::default());
    let out = &mut out[kept..];
    let done = match (block, stride, offset) {
        (1, 2, 0) => gather_blocks::<T, 1, 2, 0>(from, out),
        (1, 2, 1) => gather_blocks::<T, 1, 2, 1>(from, out),
        (1, 4, 0) => gather_blocks::<T, 1, 4, 0>(from, out),
        (2, 4, 0) => gather_blocks::<T, 2, 4, 0>(from, out),
        (2, 4, 2) => gather_blocks::<T, 2, 4, 2>(from, out),
        (4, 8, 0) => gather_blocks::<T, 4, 8, 0>(from, out),
        (4, 8, 4) => gather_blocks::<T, 4, 8, 4>(from, out),
        (8, 16, 0) => gather_blocks::<T, 8, 16, 0>(from, out),
        (8, 16, 8) => gather_blocks::<T, 8, 16, 8>(from, out),
        (16, 32, 0) => gather_blocks::<T, 16, 32, 0>(from, out),
        (16, 32, 16) => gather_blocks::<T, 16, 32, 16>(from, out),
        _ => 0,
    };
    let (from, out) = (&from[done * stride..], &mut out[done * block..]);
    if block == 1 {
        out.iter_mut().zip(from.iter().skip(offset).step_by(stride)).for_each(|(to, &it)| *to = it);
        return;
    }
    for (to, chunk) in out.chunks_mut(block).zip(from.chunks(stride)) {
        to.copy_from_slice(&chunk[offset..offset + to.len()]);
    }
}

/// How many strides it gathered from: all whole ones.
#[inline(always)]
fn gather_blocks<T: Element, const BLOCK: usize, const STRIDE: usize, const OFFSET: usize>(
    from: &[T],
    out: &mut [T],
) -> usize {
    let strides = from.as_chunks::<STRIDE>().0;
    for (to, stride) in out.as_chunks_mut::<BLOCK>().0.iter_mut().zip(strides) {
        to.copy_from_slice(&stride[OFFSET..OFFSET + BLOCK]);
    }
    strides.len()
}
