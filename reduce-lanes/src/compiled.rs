//! The loops on lanes, compiled for every processor and once more for newer ones.
//!
//! Whether the processor has the instructions is for the caller to know, and to promise by `unsafe`; the bits of the
//! results are always those of [`reduce_ir::arith`].

use super::{
    Deinterleave, Groups, LaneError, Lanes, LanesRef, Prefetch, Prefetcher, SegmentSum, Summed, Term, bug,
    operations,
};
use reduce_ir::func::Node;
use reduce_ir::ops::{Bin, Cmp, Un};

type Done = Result<(), LaneError>;
type SumSegments = fn(LanesRef<'_>, &[usize], &[SegmentSum], [&mut Lanes; 2], Option<Prefetch>) -> Done;

/// The loops that an [evaluator](crate::eval::Evaluator) calls, compiled for one instruction set.
#[derive(Clone, Copy, Debug)]
pub struct Loops {
    /// [`apply`].
    pub apply: fn(Node, &[LanesRef<'_>], &mut Lanes) -> Done,
    /// [`accumulate`].
    pub accumulate: fn(Bin, &mut Lanes, LanesRef<'_>, Option<Prefetch>) -> Done,
    /// [`append`].
    pub append: fn(LanesRef<'_>, usize, &mut Lanes),
    /// [`pairwise_step`].
    pub pairwise_step: fn(Bin, LanesRef<'_>, usize, &mut Lanes) -> Done,
    /// [`gather`].
    pub gather: fn(LanesRef<'_>, [usize; 3], &mut Lanes, usize),
    /// Prefetches the memory of the lanes.
    pub prefetch: fn(LanesRef<'_>),
    /// [`deinterleave`].
    pub deinterleave: fn(LanesRef<'_>, Deinterleave, &mut Lanes, usize),
    /// Faster loops that the other ones can replace.
    pub fused: Option<Fused>,
}

/// Loops that do several operations in one pass over memory.
#[derive(Clone, Copy, Debug)]
pub struct Fused {
    /// Adds the squares of row after row of integers to the lanes.
    pub add_squares: fn(&mut Lanes, LanesRef<'_>, Option<Prefetch>) -> Done,
    /// Sums the lanes of whole chunks of floats.
    pub sum: fn(Term<LanesRef<'_>>, Summed, &mut Lanes, &mut Lanes, Option<Prefetch>) -> Done,
    /// Sums the lanes of the chunks of groups.
    pub sum_groups: fn(Term<LanesRef<'_>>, Summed, Groups, [&mut Lanes; 2]) -> Done,
    /// Sums segments.
    pub sum_segments: SumSegments,
    /// Folds rows that lie some elements apart into the lanes.
    pub fold_columns: fn(Bin, &mut Lanes, LanesRef<'_>, usize) -> Done,
    /// Combines items by halves.
    pub pairwise_tree: fn(Bin, LanesRef<'_>, [usize; 2], &mut Lanes) -> Done,
}

/// The loops for every processor.
impl Default for Loops {
    fn default() -> Loops {
        Loops {
            apply,
            accumulate: accumulate_plainly,
            append,
            pairwise_step,
            gather,
            prefetch: |_| (),
            deinterleave,
            fused: FUSED,
        }
    }
}

/// x86-64 processors without AVX2 are rare, and a second copy of these loops would make the library a third larger.
#[cfg(target_arch = "x86_64")]
const FUSED: Option<Fused> = None;

#[cfg(not(target_arch = "x86_64"))]
const FUSED: Option<Fused> = Some(Fused {
    add_squares: add_squares_plainly,
    sum: sum_plainly,
    sum_groups,
    sum_segments: |from, offsets, sums, lanes, prefetch| sum_segments(from, offsets, sums, lanes, prefetch),
    fold_columns,
    pairwise_tree,
});

/// [`accumulate`] without prefetches. It is compiled once, and not for every crate that names it.
#[inline(never)]
fn accumulate_plainly(op: Bin, acc: &mut Lanes, b: LanesRef<'_>, prefetch: Option<Prefetch>) -> Done {
    accumulate(op, acc, b, prefetch)
}

/// [`add_squares`], likewise.
#[cfg(not(target_arch = "x86_64"))]
#[inline(never)]
fn add_squares_plainly(acc: &mut Lanes, b: LanesRef<'_>, prefetch: Option<Prefetch>) -> Done {
    add_squares(acc, b, prefetch)
}

/// [`sum`], likewise.
#[cfg(not(target_arch = "x86_64"))]
#[inline(never)]
fn sum_plainly(
    term: Term<LanesRef<'_>>,
    how: Summed,
    acc: &mut Lanes,
    out: &mut Lanes,
    prefetch: Option<Prefetch>,
) -> Done {
    sum(term, how, acc, out, prefetch)
}

macro_rules! compiled {
    ($visible:vis, $(#[$features:meta])*) => {
        /// `out[i] = op(a[i])`, for all lanes of `out`, which has the type of the result. Here and in what follows an operand has as many
        /// lanes, or is one block of [`SHARED`](crate::SHARED) lanes of one value, which stands for all.
        ///
        /// # Errors
        /// The operation is not defined for the type.
        $(#[$features])*
        $visible fn un(op: Un, a: LanesRef<'_>, out: &mut Lanes) -> Done {
            operations::un(op, a, out)
        }

        /// `out[i] = a[i] op b[i]`.
        ///
        /// # Errors
        /// The operation is not defined for the types.
        $(#[$features])*
        $visible fn bin(op: Bin, a: LanesRef<'_>, b: LanesRef<'_>, out: &mut Lanes) -> Done {
            operations::bin(op, a, b, out)
        }

        /// Row after row of `b`, each as long as `acc`, joins it: `acc[i] = acc[i] op b[i]`, where there is a `b[i]`.
        /// Sums of narrow types widen them as they do.
        ///
        /// # Errors
        /// The operation is not defined for the types, or does not [commute](Bin::commutes).
        $(#[$features])*
        pub fn accumulate(
            op: Bin,
            acc: &mut Lanes,
            b: LanesRef<'_>,
            prefetcher: impl Prefetcher,
        ) -> Done {
            operations::accumulate(op, acc, b, prefetcher)
        }

        /// Appends `len` lanes to `out`: so many, or one block of one value. Lanes of another type are a bug of the caller and
        /// ignored.
        $(#[$features])*
        pub fn append(lanes: LanesRef<'_>, len: usize, out: &mut Lanes) {
            crate::append_lanes(lanes, len, out);
        }

        /// Combines, of every `2 half` lanes, the first half with the second, as far as there is one. For sums and products of
        /// floats.
        ///
        /// # Errors
        /// Another operation or type.
        $(#[$features])*
        pub fn pairwise_step(op: Bin, lanes: LanesRef<'_>, half: usize, out: &mut Lanes) -> Done {
            crate::pairwise::pairwise_step(op, lanes, half, out)
        }

        /// `out[i] = a[i] op b[i]`, as `bool`.
        ///
        /// # Errors
        /// The operation is not defined for the types.
        $(#[$features])*
        $visible fn cmp(op: Cmp, a: LanesRef<'_>, b: LanesRef<'_>, out: &mut Lanes) -> Done {
            operations::cmp(op, a, b, out)
        }

        /// `out[i] = if cond[i] { a[i] } else { b[i] }`.
        ///
        /// # Errors
        /// The operands are not a condition and two values of one type.
        $(#[$features])*
        $visible fn select(cond: LanesRef<'_>, a: LanesRef<'_>, b: LanesRef<'_>, out: &mut Lanes) -> Done {
            operations::select(cond, a, b, out)
        }

        /// `out[i] = a[i] as T`, where T is the type of `out`.
        ///
        /// # Errors
        /// There is no such conversion.
        $(#[$features])*
        $visible fn cast(a: LanesRef<'_>, out: &mut Lanes) -> Done {
            operations::cast(a, out)
        }

        /// `out[i] = a[i] * b[i] + c[i]`, rounded once.
        ///
        /// # Errors
        /// The operands are not floats of one type.
        $(#[$features])*
        $visible fn mul_add(a: LanesRef<'_>, b: LanesRef<'_>, c: LanesRef<'_>, out: &mut Lanes) -> Done {
            operations::mul_add(a, b, c, out)
        }

        /// `out` = the operation on those operands, in its order. A constant has none, and is not written.
        ///
        /// # Errors
        /// The operation is not defined for the types or the number of operands.
        $(#[$features])*
        pub fn apply(node: Node, operands: &[LanesRef<'_>], out: &mut Lanes) -> Done {
            match (node, operands) {
                (Node::Const(_), []) => Ok(()),
                (Node::Un(op, _), &[a]) => un(op, a, out),
                (Node::Bin(op, ..), &[a, b]) => bin(op, a, b, out),
                (Node::Cmp(op, ..), &[a, b]) => cmp(op, a, b, out),
                (Node::Select(..), &[c, a, b]) => select(c, a, b, out),
                (Node::Cast(..), &[a]) => cast(a, out),
                (Node::MulAdd(..), &[a, b, c]) => mul_add(a, b, c, out),
                _ => bug("apply", operands),
            }
        }

        /// Behind the first `kept` lanes of `to`: of every `stride` lanes of `from`, the `block` lanes that start at `offset`; at the
        /// end of `from`, those that are there. Lanes of another type are a bug of the caller and ignored.
        $(#[$features])*
        pub fn gather(from: LanesRef<'_>, [offset, block, stride]: [usize; 3], to: &mut Lanes, kept: usize) {
            crate::gather_lanes(from, [offset, block, stride], to, kept);
        }

        /// Deinterleaves the units of `from`: appends their parts to the `at` lanes that `to` has of each. Lanes of another type are a
        /// bug of the caller and ignored.
        $(#[$features])*
        pub fn deinterleave(from: LanesRef<'_>, how: Deinterleave, to: &mut Lanes, at: usize) {
            crate::deinterleave_lanes(from, how, to, at);
        }
    };
}

/// The [`Fused`] loops.
macro_rules! fused {
    ($(#[$features:meta])*) => {
        /// The squares of row after row of integers join `acc`, as in [`accumulate`].
        ///
        /// # Errors
        /// There is no such loop for the types.
        $(#[$features])*
        pub fn add_squares(acc: &mut Lanes, b: LanesRef<'_>, prefetcher: impl Prefetcher) -> Done {
            operations::add_squares(acc, b, prefetcher)
        }

        /// Sums the terms of whole chunks of floats, and appends the remaining lanes of each chunk to `out`. The rows of a chunk are
        /// added one after the other, then its lanes by pairs. Overwrites `acc`.
        ///
        /// # Errors
        /// There is no such loop for the types.
        $(#[$features])*
        pub fn sum(
            term: Term<LanesRef<'_>>,
            how: Summed,
            acc: &mut Lanes,
            out: &mut Lanes,
            prefetcher: impl Prefetcher,
        ) -> Done {
            crate::sums::sum(term, how, acc, out, prefetcher)
        }

        /// Row after row of `from`, which lie `pitch` apart and are as long as `acc`, joins it, as in [`accumulate`].
        ///
        /// # Errors
        /// The operation is not defined for the types, or does not [commute](Bin::commutes).
        $(#[$features])*
        pub fn fold_columns(op: Bin, acc: &mut Lanes, from: LanesRef<'_>, pitch: usize) -> Done {
            crate::columns::fold_columns(op, acc, from, pitch)
        }

        /// Sums the terms of all chunks of groups, and appends the remaining lanes of each chunk to `out`, as [`sum`] does.
        /// Overwrites `acc`.
        ///
        /// # Errors
        /// There is no such loop for the types.
        $(#[$features])*
        pub fn sum_groups(
            term: Term<LanesRef<'_>>,
            how: Summed,
            groups: Groups,
            [acc, out]: [&mut Lanes; 2],
        ) -> Done {
            crate::group_sums::sum_groups(term, how, groups, [acc, out])
        }

        /// Appends to `out` the sum of each segment between neighbouring offsets of floats. The sums ascend by their most elements. A segment without elements, with more than all sums have, or with fewer than
        /// [`AFTER`](SegmentSum::AFTER) elements after it gets a sum that means nothing. Overwrites `acc`.
        ///
        /// # Errors
        /// There is no such loop for the types.
        $(#[$features])*
        pub fn sum_segments(
            from: LanesRef<'_>,
            offsets: &[usize],
            sums: &[SegmentSum],
            [acc, out]: [&mut Lanes; 2],
            prefetcher: impl Prefetcher,
        ) -> Done {
            crate::segment_sums::sum_segments(from, offsets, sums, [acc, out], prefetcher)
        }

        /// Appends to `out` the combination of every `items` (a power of two, at most [`TREE`](crate::TREE)) items of `width` lanes, of
        /// which there are at least [`BLOCK`](crate::BLOCK): the first half with the second, and so on. The last items may be absent. For
        /// sums and products of floats.
        ///
        /// # Errors
        /// Another operation or type.
        $(#[$features])*
        pub fn pairwise_tree(op: Bin, lanes: LanesRef<'_>, [items, width]: [usize; 2], out: &mut Lanes) -> Done {
            crate::pairwise::pairwise_tree(op, lanes, [items, width], out)
        }
    };
}

compiled!(pub,);
#[cfg(not(target_arch = "x86_64"))]
fused!();

/// The same for processors with AVX2 and what came with it (x86-64-v3).
#[cfg(target_arch = "x86_64")]
pub mod avx2 {
    use super::{
        Bin, Cmp, Deinterleave, Done, Groups, Lanes, LanesRef, Node, Prefetcher, SegmentSum, Summed, Term,
        Un, bug, operations,
    };

    compiled!(,
        #[doc = "\n# Safety\nThe processor has AVX2, BMI1, BMI2, F16C, FMA, LZCNT and POPCNT."]
        #[target_feature(enable = "avx2,bmi1,bmi2,f16c,fma,lzcnt,popcnt")]
    );
    fused!(
        #[doc = "\n# Safety\nThe processor has AVX2, BMI1, BMI2, F16C, FMA, LZCNT and POPCNT."]
        #[target_feature(enable = "avx2,bmi1,bmi2,f16c,fma,lzcnt,popcnt")]
    );
}
