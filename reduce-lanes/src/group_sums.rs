//! Sums of floats of many groups: of rows that lie one after the other, or of columns. Lanes are summed in registers, and their
//! first pairs meet there.

use super::Aligned;
use super::blocks::SHARED;
use super::rows::BLOCK;
use super::short_rows::sum_short_rows;
use super::sums::{Blocks, Summed, Term, add, add_magnitude, add_product, add_square, aside, blocks};
use super::{LaneError, Lanes, LanesRef, bug};
use reduce_ir::arith::{Element, Number};

/// The most lanes that are added by pairs at once.
const PAIRS: usize = 8;

/// How the elements of groups lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Groups {
    /// One group after the other, each of `len` elements.
    Rows {
        /// The number of elements of a group, at least [`BLOCK`].
        len: usize,
    },
    /// Rows with a lane for each element. The result has item i of group g at `i * groups + g`.
    ShortRows {
        /// The number of elements of a group. There are at least [`BLOCK`] groups.
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
    /// The size of an element in bytes.
    const BYTES: usize;
    /// Blocks that follow each other.
    type Blocks: Blocks<Block = Self::Block>;

    /// The number of elements.
    fn len(self) -> usize;

    /// Whether there are no elements.
    fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The block that begins at an element.
    fn at(self, first: usize) -> Self::Block;

    /// The blocks from an element on.
    fn blocks(self, first: usize, count: usize) -> Self::Blocks;
}

impl<'b, B> Windows for &'b [B] {
    type Block = &'b [B; BLOCK];
    const BYTES: usize = size_of::<B>();
    type Blocks = &'b [[B; BLOCK]];

    #[inline(always)]
    fn len(self) -> usize {
        <[B]>::len(self)
    }

    #[inline(always)]
    fn at(self, first: usize) -> &'b [B; BLOCK] {
        &self[first..first + BLOCK].as_chunks().0[0]
    }

    #[inline(always)]
    fn blocks(self, first: usize, count: usize) -> &'b [[B; BLOCK]] {
        &blocks(&self[first..first + count * BLOCK])[..count]
    }
}

impl<W: Windows> Windows for [W; 2] {
    type Block = [W::Block; 2];
    const BYTES: usize = W::BYTES;
    type Blocks = [W::Blocks; 2];

    #[inline(always)]
    fn len(self) -> usize {
        self[0].len()
    }

    #[inline(always)]
    fn at(self, first: usize) -> [W::Block; 2] {
        self.map(|input| input.at(first))
    }

    #[inline(always)]
    fn blocks(self, first: usize, count: usize) -> [W::Blocks; 2] {
        self.map(|input| input.blocks(first, count))
    }
}

/// Appends to `out` the items of every group: of rows, those of one group after the other; of columns, side by side.
#[inline(always)]
pub(super) fn sum_groups(
    term: Term<LanesRef<'_>>,
    how: Summed,
    groups: Groups,
    [acc, out]: [&mut Lanes; 2],
) -> Result<(), LaneError> {
    macro_rules! of_types {
        ($($from:ident to $to:ident),*) => {
            match (term.inputs(), acc, out) {
                $(([LanesRef::$from(x), LanesRef::$from(y)], Lanes::$to(acc), Lanes::$to(out)) => match term {
                    Term::Itself(_) => sum_windows(x, how, groups, [acc, out], add),
                    Term::Magnitude(_) => sum_windows(x, how, groups, [acc, out], add_magnitude),
                    Term::Square(_) => sum_windows(x, how, groups, [acc, out], add_square),
                    Term::Product(..) => sum_windows([x, y], how, groups, [acc, out], add_product),
                },)*
                ([x, y], ..) => return bug("sum", &[x, y]),
            }
        };
    }
    of_types!(F32 to F32, F64 to F64, F16 to F32, Bf16 to F32, F32 to F64);
    Ok(())
}

/// `sum_groups` of one type, where `join` joins a block of elements to as many lanes.
#[inline(always)]
pub fn sum_windows<T: Number, W: Windows>(
    from: W,
    how: Summed,
    groups: Groups,
    [acc, out]: [&mut Aligned<T>; 2],
    join: impl Fn(&mut [T; BLOCK], W::Block) + Copy,
) {
    match groups {
        Groups::Rows { len } => {
            for start in (0..from.len()).step_by(len) {
                for first in (start..start + len).step_by(how.chunk) {
                    sum_chunk(from, how, [first, (start + len).min(first + how.chunk)], [acc, out], join);
                }
            }
        }
        Groups::ShortRows { len } => match how.pairs {
            1 => sum_short_rows::<T, W, 1>(from, len, [acc, out], join),
            2 => sum_short_rows::<T, W, 2>(from, len, [acc, out], join),
            4 => sum_short_rows::<T, W, 4>(from, len, [acc, out], join),
            _ => sum_short_rows::<T, W, PAIRS>(from, len, [acc, out], join),
        },
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
pub(super) fn zeros<T: Number>() -> [T; BLOCK] {
    [T::default().neg(); BLOCK]
}

/// Sums the rows of a chunk that lies side by side. Absent elements are zeros.
#[inline(always)]
fn sum_chunk<T: Number, W: Windows>(
    from: W,
    how: Summed,
    [first, end]: [usize; 2],
    [acc, out]: [&mut Aligned<T>; 2],
    join: impl Fn(&mut [T; BLOCK], W::Block) + Copy,
) {
    let (rows, rest) = ((end - first) / how.lanes, (end - first) % how.lanes);
    let acc = aside(acc, 2 * how.lanes, from.blocks(first, 0).address());
    let (lanes, half) = acc.split_at_mut(how.lanes);
    // The first lanes have an element more than the last ones, and those of one block may have both.
    let (longer, all) = (rest / BLOCK, if rows > 0 { how.lanes / BLOCK } else { rest.div_ceil(BLOCK) });
    let blocks = lanes.as_chunks_mut().0;
    for (range, rows) in [(0..longer, rows + 1), (longer..all, rows)] {
        let start = first + range.start * BLOCK;
        sum_blocks(from, [start, how.lanes, rows], &mut blocks[range], join);
    }
    if !rest.is_multiple_of(BLOCK) {
        join_last(&mut blocks[longer], from, [end - rest % BLOCK, end], join);
    }
    meet(lanes, half, how.pairs, (end - first).min(how.lanes), out);
}

/// Sums blocks of rows: the rows begin at an element, so many lanes apart.
#[inline(always)]
fn sum_blocks<T: Number, W: Windows>(
    from: W,
    [first, lanes, rows]: [usize; 3],
    out: &mut [[T; BLOCK]],
    join: impl Fn(&mut [T; BLOCK], W::Block) + Copy,
) {
    for (k, out) in out.iter_mut().enumerate() {
        let mut kept = zeros();
        for row in 0..rows {
            join(&mut kept, from.at(first + row * lanes + k * BLOCK));
        }
        *out = kept;
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

/// Adds every `pairs` neighbours of the first `len` lanes, by pairs, and appends the sums. Lanes behind `len` that are read are zero.
#[inline(always)]
fn meet<T: Number>(lanes: &mut [T], half: &mut [T], pairs: usize, len: usize, out: &mut Aligned<T>) {
    let done = out.len();
    out.resize(done + len.div_ceil(pairs), T::default());
    let out = &mut out[done..];
    let each = |pairs: usize| out.len() * pairs;
    let met = match pairs {
        1 => lanes,
        2 => {
            halve(lanes, &mut half[..each(1)]);
            half
        }
        4 => {
            halve(lanes, &mut half[..each(2)]);
            halve(half, &mut lanes[..each(1)]);
            lanes
        }
        _ => {
            halve(lanes, &mut half[..each(4)]);
            halve(half, &mut lanes[..each(2)]);
            halve(lanes, &mut half[..each(1)]);
            half
        }
    };
    out.copy_from_slice(&met[..out.len()]);
}

/// Adds neighbours.
#[inline(always)]
fn halve<T: Number>(lanes: &[T], out: &mut [T]) {
    let (blocks, _) = lanes.as_chunks::<SHARED>();
    let (halves, last) = out.as_chunks_mut::<{ SHARED / 2 }>();
    let rest = &lanes[halves.len() * SHARED..];
    for (k, half) in halves.iter_mut().enumerate() {
        halve_block(&blocks[k], half);
    }
    for (k, out) in last.iter_mut().enumerate() {
        *out = rest[2 * k].add(rest[2 * k + 1]);
    }
}

/// A function of its own, by which the compiler knows that the lanes do not lie where the result does.
#[inline(always)]
fn halve_block<T: Number>(lanes: &[T; SHARED], half: &mut [T; SHARED / 2]) {
    for i in 0..SHARED / 2 {
        half[i] = lanes[2 * i].add(lanes[2 * i + 1]);
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
        out.reserve(groups);
        for column in (0..groups).step_by(BLOCK) {
            // The last block ends with the last column, and may begin before the end of the one before.
            let start = column.min(groups - BLOCK);
            // The lanes that a thread has of a vector of 16 bytes meet in registers.
            let sum = match how.pairs {
                2 if W::BYTES == 8 => rows.two([item, start], join),
                4 if W::BYTES == 4 => rows.four([item, start], join),
                8 if W::BYTES == 2 => {
                    pair(rows.four([item, start], join), rows.four([item + 4, start], join))
                }
                pairs => rows.some([item, start], pairs, join),
            };
            push(&sum, column - start, out);
        }
    }
}

impl<W: Windows> Rows<W> {
    /// The sum of some lanes of a block of columns, by pairs: the first lane begins with a row.
    #[inline(always)]
    fn some<T: Number>(
        self,
        [row, column]: [usize; 2],
        pairs: usize,
        join: impl Fn(&mut [T; BLOCK], W::Block) + Copy,
    ) -> [T; BLOCK] {
        let (mut sums, mut left) = ([zeros(); PAIRS], pairs.min(PAIRS));
        for (k, sum) in sums[..left].iter_mut().enumerate() {
            *sum = self.lane([row + k, column], join);
        }
        while left > 1 {
            left /= 2;
            for k in 0..left {
                sums[k] = pair(sums[2 * k], sums[2 * k + 1]);
            }
        }
        sums[0]
    }

    #[inline(always)]
    fn two<T: Number>(
        self,
        [row, column]: [usize; 2],
        join: impl Fn(&mut [T; BLOCK], W::Block) + Copy,
    ) -> [T; BLOCK] {
        pair(self.lane([row, column], join), self.lane([row + 1, column], join))
    }

    #[inline(always)]
    fn four<T: Number>(
        self,
        [row, column]: [usize; 2],
        join: impl Fn(&mut [T; BLOCK], W::Block) + Copy,
    ) -> [T; BLOCK] {
        pair(self.two([row, column], join), self.two([row + 2, column], join))
    }

    /// A block of the lane that begins with a row.
    #[inline(always)]
    fn lane<T: Number>(
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
}

/// Appends a block without its first lanes. The compiler stores a whole block from registers.
#[inline(always)]
pub(super) fn push<T: Element>(block: &[T; BLOCK], skipped: usize, out: &mut Aligned<T>) {
    if skipped == 0 {
        out.extend_from_slice(block);
    } else {
        out.extend_from_slice(&block[skipped..]);
    }
}

#[inline(always)]
fn pair<T: Number>(mut left: [T; BLOCK], right: [T; BLOCK]) -> [T; BLOCK] {
    for i in 0..BLOCK {
        left[i] = left[i].add(right[i]);
    }
    left
}
