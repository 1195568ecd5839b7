//! Steps of trees whose association shows: sums and products of floats.

use super::Aligned;
use super::blocks::append;
use super::{LaneError, Lanes, LanesRef, bug};
use reduce_ir::Scalar;
use reduce_ir::arith::{Element, Number};
use reduce_ir::ops::Bin;

/// Is there a [`halve`] for it? What is exact on its type has no trees worth it.
pub(crate) fn halves(op: Bin, ty: Scalar) -> bool {
    matches!((op, ty), (Bin::Add | Bin::Mul, Scalar::F32 | Scalar::F64))
}

/// `out` = of every `2 half` lanes the first half, which the second half joined as far as it is there.
#[inline(always)]
pub(super) fn halve(op: Bin, lanes: LanesRef<'_>, half: usize, out: &mut Lanes) -> Result<(), LaneError> {
    match (op, lanes, out) {
        (Bin::Add, LanesRef::F32(lanes), Lanes::F32(out)) => meet(lanes, half, out, Number::add),
        (Bin::Add, LanesRef::F64(lanes), Lanes::F64(out)) => meet(lanes, half, out, Number::add),
        (Bin::Mul, LanesRef::F32(lanes), Lanes::F32(out)) => meet(lanes, half, out, Number::mul),
        (Bin::Mul, LanesRef::F64(lanes), Lanes::F64(out)) => meet(lanes, half, out, Number::mul),
        (op, lanes, _) => return bug(op, &[lanes]),
    }
    Ok(())
}

/// The strides of small trees are known to the compiler, which turns them into vectors.
#[inline(always)]
fn meet<T: Element>(lanes: &[T], half: usize, out: &mut Aligned<T>, f: impl Fn(T, T) -> T) {
    let done = match half {
        1 => meet_blocks::<T, 1>(lanes, out, &f),
        2 => meet_blocks::<T, 2>(lanes, out, &f),
        4 => meet_blocks::<T, 4>(lanes, out, &f),
        8 => meet_blocks::<T, 8>(lanes, out, &f),
        16 => meet_blocks::<T, 16>(lanes, out, &f),
        _ => {
            out.clear();
            0
        }
    };
    for chunk in lanes[done..].chunks(2 * half) {
        let (left, right) = chunk.split_at(half.min(chunk.len()));
        let (met, alone) = left.split_at(right.len());
        out.extend(met.iter().zip(right).map(|(&left, &right)| f(left, right)));
        append(alone, alone.len(), out);
    }
}

/// The lanes that it took: all whole pairs of blocks.
#[inline(always)]
fn meet_blocks<T: Element, const HALF: usize>(
    lanes: &[T],
    out: &mut Aligned<T>,
    f: impl Fn(T, T) -> T,
) -> usize {
    let (pairs, _) = lanes.as_chunks::<HALF>().0.as_chunks::<2>();
    out.resize(pairs.len() * HALF, T::default());
    for (out, [left, right]) in out.as_chunks_mut::<HALF>().0.iter_mut().zip(pairs) {
        // Whole, before it is written: a write might change what is read next.
        let mut met = *left;
        for (left, &right) in met.iter_mut().zip(right) {
            *left = f(*left, right);
        }
        *out = met;
    }
    2 * HALF * pairs.len()
}
