//! Sums of floats of many groups: of rows that lie one after the other, or of columns. Lanes are summed in registers, and their
//! first pairs meet there.

use super::Aligned;
use super::rows::BLOCK;
use super::sums::{Summed, Term, add, add_magnitude, add_product, add_square};
use super::{LaneError, Lanes, LanesRef, bug};
use reduce_ir::arith::Number;

/// How the elements of groups lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Groups {
    /// One group after the other, each of `len` elements.
    Rows {
        /// The number of elements of a group, at least [`BLOCK`].
        len: usize,
    },
    /// Element i of group g is at `i * pitch + g`.
    Columns {
        /// The distance of two elements of a group.
        pitch: usize,
        /// The number of groups, at least [`BLOCK`].
        groups: usize,
    },
}

/// Elements of one input, or of two, of which [`BLOCK`] from any on are a block.
pub trait Windows: Copy {
    /// A block of each of them.
    type Block: Copy;

    /// The number of elements.
    fn len(self) -> usize;

    /// Whether there are no elements.
    fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The block that begins at an element.
    fn at(self, first: usize) -> Self::Block;
}

impl<'b, B> Windows for &'b [B] {
    type Block = &'b [B; BLOCK];

    #[inline(always)]
    fn len(self) -> usize {
        <[B]>::len(self)
    }

    #[inline(always)]
    fn at(self, first: usize) -> &'b [B; BLOCK] {
        &self[first..first + BLOCK].as_chunks().0[0]
    }
}

impl<W: Windows> Windows for [W; 2] {
    type Block = [W::Block; 2];

    #[inline(always)]
    fn len(self) -> usize {
        self[0].len()
    }

    #[inline(always)]
    fn at(self, first: usize) -> [W::Block; 2] {
        self.map(|input| input.at(first))
    }
}

/// Appends to `out` the items of every group: of rows, those of one group after the other; of columns, side by side.
#[inline(always)]
pub(super) fn sum_groups(
    term: Term<LanesRef<'_>>,
    how: Summed,
    groups: Groups,
    out: &mut Lanes,
) -> Result<(), LaneError> {
    macro_rules! of_types {
        ($($from:ident to $to:ident),*) => {
            match (term.inputs(), out) {
                $(([LanesRef::$from(x), LanesRef::$from(y)], Lanes::$to(out)) => match term {
                    Term::Itself(_) => sum_windows(x, how, groups, out, add),
                    Term::Magnitude(_) => sum_windows(x, how, groups, out, add_magnitude),
                    Term::Square(_) => sum_windows(x, how, groups, out, add_square),
                    Term::Product(..) => sum_windows([x, y], how, groups, out, add_product),
                },)*
                ([x, y], _) => return bug("sum", &[x, y]),
            }
        };
    }
    of_types!(F32 to F32, F64 to F64, F16 to F32, Bf16 to F32, F32 to F64);
    Ok(())
}

/// [`super::sum_groups`] of one type, where `join` joins a block of elements to as many lanes.
#[inline(always)]
pub fn sum_windows<T: Number, W: Windows>(
    from: W,
    how: Summed,
    groups: Groups,
    out: &mut Aligned<T>,
    join: impl Fn(&mut [T; BLOCK], W::Block) + Copy,
) {
    match groups {
        Groups::Rows { len } => {
            for start in (0..from.len()).step_by(len) {
                for first in (start..start + len).step_by(how.chunk) {
                    sum_chunk(from, how, [first, (start + len).min(first + how.chunk)], out, join);
                }
            }
        }
        Groups::Columns { pitch, groups } => {
            let rows = from.len().div_ceil(pitch);
            for first in (0..rows).step_by(how.chunk) {
                sum_columns(from, how, [first, rows.min(first + how.chunk)], [pitch, groups], out, join);
            }
        }
    }
}

/// What leaves every number as it is.
#[inline(always)]
fn zeros<T: Number>() -> [T; BLOCK] {
    [T::default().neg(); BLOCK]
}

/// Sums the rows of a chunk that lies side by side. Absent elements are zeros.
#[inline(always)]
fn sum_chunk<T: Number, W: Windows>(
    from: W,
    how: Summed,
    [first, end]: [usize; 2],
    out: &mut Aligned<T>,
    join: impl Fn(&mut [T; BLOCK], W::Block) + Copy,
) {
    let lanes = how.lanes.min(end - first);
    let done = out.len();
    out.resize(done + lanes.div_ceil(how.pairs), T::default());
    let blocks = out[done..].chunks_mut(BLOCK / how.pairs);
    for (k, out) in blocks.enumerate() {
        let mut at = first + k * BLOCK;
        let mut kept = zeros();
        while at + BLOCK <= end {
            join(&mut kept, from.at(at));
            at += how.lanes;
        }
        if at < end {
            join_last(&mut kept, from, [at, end], join);
        }
        meet(&kept, how.pairs, out);
    }
}

/// Joins the elements of an incomplete block, by the block that ends where it ends.
#[inline(always)]
fn join_last<T: Number, W: Windows>(
    kept: &mut [T; BLOCK],
    from: W,
    [at, end]: [usize; 2],
    join: impl Fn(&mut [T; BLOCK], W::Block),
) {
    let (mut joined, lanes) = (zeros(), end - at);
    joined[BLOCK - lanes..].copy_from_slice(&kept[..lanes]);
    join(&mut joined, from.at(end - BLOCK));
    kept[..lanes].copy_from_slice(&joined[BLOCK - lanes..]);
}

/// Sets `out` to what is left of the first lanes, of which every `pairs` meet by pairs.
#[inline(always)]
fn meet<T: Number>(lanes: &[T; BLOCK], pairs: usize, out: &mut [T]) {
    if pairs == 1 {
        return store(lanes, out);
    }
    let mut half = [T::default(); BLOCK / 2];
    halve(lanes, &mut half);
    if pairs == 2 {
        return store(&half, out);
    }
    let mut quarter = [T::default(); BLOCK / 4];
    halve(&half, &mut quarter);
    if pairs == 4 {
        return store(&quarter, out);
    }
    let mut eighth = [T::default(); BLOCK / 8];
    halve(&quarter, &mut eighth);
    store(&eighth, out);
}

/// Adds neighbours.
#[inline(always)]
fn halve<T: Number>(lanes: &[T], out: &mut [T]) {
    for i in 0..out.len() {
        out[i] = lanes[2 * i].add(lanes[2 * i + 1]);
    }
}

/// Stores the first lanes. A whole block is stored from registers, without a call.
#[inline(always)]
fn store<T: Number, const LANES: usize>(lanes: &[T; LANES], out: &mut [T]) {
    match out.as_mut_array::<LANES>() {
        Some(all) => *all = *lanes,
        None => out.copy_from_slice(&lanes[..out.len()]),
    }
}

/// The rows of a chunk of columns that lie `pitch` apart, up to `end`, in so many lanes.
#[derive(Clone, Copy)]
struct Rows<W> {
    from: W,
    pitch: usize,
    lanes: usize,
    end: usize,
}

/// Sums the rows of a chunk of every column, which lie `pitch` apart.
#[inline(always)]
fn sum_columns<T: Number, W: Windows>(
    from: W,
    how: Summed,
    [first, end]: [usize; 2],
    [pitch, groups]: [usize; 2],
    out: &mut Aligned<T>,
    join: impl Fn(&mut [T; BLOCK], W::Block) + Copy,
) {
    let rows = Rows { from, pitch, lanes: how.lanes, end };
    for item in (first..end.min(first + how.lanes)).step_by(how.pairs) {
        let at = out.len();
        out.resize(at + groups, T::default());
        for column in (0..groups).step_by(BLOCK) {
            // The last block ends with the last column, and may begin before the end of the one before.
            let start = column.min(groups - BLOCK);
            let sum = match how.pairs {
                1 => rows.one([item, start], join),
                2 => rows.two([item, start], join),
                4 => rows.four([item, start], join),
                _ => pair(rows.four([item, start], join), rows.four([item + 4, start], join)),
            };
            if let Some(out) = out[at + start..].first_chunk_mut() {
                *out = sum;
            }
        }
    }
}

impl<W: Windows> Rows<W> {
    /// A block of the lane that begins with a row.
    #[inline(always)]
    fn one<T: Number>(
        self,
        [row, column]: [usize; 2],
        join: impl Fn(&mut [T; BLOCK], W::Block),
    ) -> [T; BLOCK] {
        let (mut kept, mut row) = (zeros(), row);
        while row < self.end {
            join(&mut kept, self.from.at(row * self.pitch + column));
            row += self.lanes;
        }
        kept
    }

    #[inline(always)]
    fn two<T: Number>(
        self,
        [row, column]: [usize; 2],
        join: impl Fn(&mut [T; BLOCK], W::Block) + Copy,
    ) -> [T; BLOCK] {
        pair(self.one([row, column], join), self.one([row + 1, column], join))
    }

    #[inline(always)]
    fn four<T: Number>(
        self,
        [row, column]: [usize; 2],
        join: impl Fn(&mut [T; BLOCK], W::Block) + Copy,
    ) -> [T; BLOCK] {
        pair(self.two([row, column], join), self.two([row + 2, column], join))
    }
}

#[inline(always)]
fn pair<T: Number>(mut left: [T; BLOCK], right: [T; BLOCK]) -> [T; BLOCK] {
    for i in 0..BLOCK {
        left[i] = left[i].add(right[i]);
    }
    left
}
