//! Sums of floats of segments: each is summed where it lies. Blocks of lanes are summed in registers, and their items are combined by halves.
//! An absent element or item is the zero that leaves every number as it is.

use super::group_sums::{Windows, zeros};
use super::rows::{BLOCK, Distance, Prefetcher};
use super::sums::{Blocks, Summed, add};
use super::{Aligned, LaneError, Lanes, LanesRef, bug};
use reduce_ir::arith::Number;

/// Elements of a segment that needs no loop.
const FEW: usize = 8;

/// The most items that halving leaves one of.
const ITEMS: usize = BLOCK * BLOCK;

/// The sum of segments up to a maximum length. Each chunk becomes one item. Every [`BLOCK`] items are combined by halves, and then their results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentSum {
    most: usize,
    how: Summed,
}

impl SegmentSum {
    /// Elements after a segment that are read as well, and mean nothing.
    pub const AFTER: usize = BLOCK;

    /// The sums of segments of up to `most` elements, which have `bytes` bytes. `None` if there is no loop for it: the elements that meet first
    /// have 16 bytes, and halving leaves one item.
    pub fn new(most: usize, how: Summed, bytes: usize) -> Option<SegmentSum> {
        let items = how.lanes / how.pairs;
        let fits = how.pairs * bytes == 16
            && items.is_multiple_of(BLOCK)
            && items <= ITEMS
            && most.div_ceil(how.chunk) <= ITEMS;
        fits.then_some(SegmentSum { most, how })
    }

    /// The most elements of a segment.
    pub fn most(&self) -> usize {
        self.most
    }

    fn items(&self) -> usize {
        (self.how.lanes / self.how.pairs).max(self.most.div_ceil(self.how.chunk))
    }
}

/// Appends the sum of each segment between neighbouring offsets.
#[inline(always)]
pub(super) fn sum_segments(
    from: LanesRef<'_>,
    offsets: &[usize],
    sums: &[SegmentSum],
    [acc, out]: [&mut Lanes; 2],
    prefetcher: impl Prefetcher,
) -> Result<(), LaneError> {
    macro_rules! of_types {
        ($($from:ident to $to:ident by $pairs:literal),*) => {
            match (from, acc, out) {
                $((LanesRef::$from(from), Lanes::$to(acc), Lanes::$to(out)) => {
                    sum_each::<_, _, $pairs>((from, offsets), sums, [acc, out], add, prefetcher);
                })*
                (from, ..) => return bug("sum", &[from]),
            }
        };
    }
    of_types!(F32 to F32 by 4, F64 to F64 by 2, F16 to F32 by 8, Bf16 to F32 by 8, F32 to F64 by 4);
    Ok(())
}

/// `sum_segments` of one type, of which `P` have 16 bytes. `join` joins a block of elements to as many lanes.
#[inline(always)]
pub fn sum_each<T: Number, W: Windows, const P: usize>(
    (from, offsets): (W, &[usize]),
    sums: &[SegmentSum],
    [acc, out]: [&mut Aligned<T>; 2],
    join: impl Fn(&mut [T; BLOCK], W::Block) + Copy,
    prefetcher: impl Prefetcher,
) {
    let room = sums.iter().map(SegmentSum::items).max().unwrap_or(0) + BLOCK;
    acc.resize(2 * room, T::default());
    let (items, chunks) = acc.split_at_mut(room);
    let done = out.len();
    out.resize(done + offsets.len().saturating_sub(1), T::default());
    let mut first = offsets.first().copied().unwrap_or(0);
    for (out, &end) in out[done..].iter_mut().zip(&offsets[1..]) {
        let len = end - first;
        if end + SegmentSum::AFTER <= from.len() {
            if len <= FEW {
                *out = sum_few::<T, W, P>(from, [first, len], join);
            } else if len <= BLOCK {
                let mut lanes = zeros();
                join_part(&mut lanes, from, [first, len], join);
                *out = halve_items::<T, P>(&meet::<T, P>(&lanes));
            } else if let Some(sum) = sums.iter().find(|sum| len <= sum.most) {
                *out = sum_segment::<T, W, P>(from, sum.how, [first, end], [items, chunks], join, prefetcher);
            }
        }
        first = end;
    }
}

/// The sum of at most [`FEW`] elements.
#[inline(always)]
fn sum_few<T: Number, W: Windows, const P: usize>(
    from: W,
    [first, len]: [usize; 2],
    join: impl Fn(&mut [T; BLOCK], W::Block) + Copy,
) -> T {
    let (mut lanes, mut few) = (zeros(), [T::default(); FEW]);
    join(&mut lanes, from.at(first));
    for k in 0..FEW {
        few[k] = T::select(k < len, lanes[k], T::default().neg());
    }
    // No closure: one that is not inlined is compiled for every processor.
    let pairs = [few[0].add(few[1]), few[2].add(few[3]), few[4].add(few[5]), few[6].add(few[7])];
    match P {
        2 => pairs[0].add(pairs[2]).add(pairs[1].add(pairs[3])),
        _ => pairs[0].add(pairs[1]).add(pairs[2].add(pairs[3])),
    }
}

/// The sum of a segment.
#[inline(always)]
fn sum_segment<T: Number, W: Windows, const P: usize>(
    from: W,
    how: Summed,
    [first, end]: [usize; 2],
    [items, chunks]: [&mut [T]; 2],
    join: impl Fn(&mut [T; BLOCK], W::Block) + Copy,
    prefetcher: impl Prefetcher,
) -> T {
    let (mut count, mut start) = (0, first);
    while start < end {
        let stop = end.min(start + how.chunk);
        let last = stop.min(start + how.lanes);
        let (mut at, mut found) = (start, 0);
        while at < last {
            let lanes = sum_block(from, [at, stop], how.lanes, join, prefetcher);
            // The next block overwrites the places that are no items.
            items[found..found + BLOCK / 2].copy_from_slice(&meet::<T, P>(&lanes));
            at += BLOCK;
            found += BLOCK / P;
        }
        chunks[count] = combine(items, found);
        count += 1;
        start = stop;
    }
    combine(chunks, count)
}

/// Sums the rows of a block of lanes, which lie `lanes` apart.
#[inline(always)]
fn sum_block<T: Number, W: Windows>(
    from: W,
    [first, end]: [usize; 2],
    lanes: usize,
    join: impl Fn(&mut [T; BLOCK], W::Block) + Copy,
    prefetcher: impl Prefetcher,
) -> [T; BLOCK] {
    let ahead = Distance::of(prefetcher);
    let (mut kept, mut at) = (zeros(), first);
    while at + BLOCK <= end {
        let block = from.at(at);
        W::Blocks::prefetch_ahead(block, ahead, prefetcher);
        join(&mut kept, block);
        at += lanes;
    }
    if at < end {
        W::Blocks::prefetch_ahead(from.at(at), ahead, prefetcher);
        join_part(&mut kept, from, [at, end - at], join);
    }
    kept
}

/// Joins the elements of an incomplete block. It is read whole.
#[inline(always)]
fn join_part<T: Number, W: Windows>(
    kept: &mut [T; BLOCK],
    from: W,
    [at, len]: [usize; 2],
    join: impl Fn(&mut [T; BLOCK], W::Block) + Copy,
) {
    let mut joined = *kept;
    join(&mut joined, from.at(at));
    for k in 0..BLOCK {
        kept[k] = T::select(k < len, joined[k], kept[k]);
    }
}

/// Adds every `P` neighbours by pairs. The sums are the first lanes of the result. Each step has lanes of its own, which the compiler vectorises.
#[inline(always)]
fn meet<T: Number, const P: usize>(lanes: &[T; BLOCK]) -> [T; BLOCK / 2] {
    let mut twos = [T::default(); BLOCK / 2];
    for k in 0..BLOCK / 2 {
        twos[k] = lanes[2 * k].add(lanes[2 * k + 1]);
    }
    if P == 2 {
        return twos;
    }
    let mut fours = [T::default(); BLOCK / 2];
    for k in 0..BLOCK / 4 {
        fours[k] = twos[2 * k].add(twos[2 * k + 1]);
    }
    if P == 4 {
        return fours;
    }
    let mut eights = [T::default(); BLOCK / 2];
    for k in 0..BLOCK / 8 {
        eights[k] = fours[2 * k].add(fours[2 * k + 1]);
    }
    eights
}

/// Combines the items of one block by halves.
#[inline(always)]
fn halve_items<T: Number, const P: usize>(items: &[T; BLOCK / 2]) -> T {
    let mut eight = [T::default(); 8];
    for k in 0..8 {
        eight[k] = if P == 2 { items[k].add(items[k + 8]) } else { items[k] };
    }
    let mut four = [T::default(); 4];
    for k in 0..4 {
        four[k] = if P <= 4 { eight[k].add(eight[k + 4]) } else { eight[k] };
    }
    four[0].add(four[2]).add(four[1].add(four[3]))
}

/// Combines a block of items by halves.
#[inline(always)]
fn halve<T: Number>(items: &[T; BLOCK]) -> T {
    let mut sixteen = [T::default(); BLOCK / 2];
    for k in 0..BLOCK / 2 {
        sixteen[k] = items[k].add(items[k + BLOCK / 2]);
    }
    halve_items::<T, 2>(&sixteen)
}

/// Combines at most [`ITEMS`] items: every block by halves, and then the items that are left. Overwrites the block of places after the items.
#[inline(always)]
fn combine<T: Number>(items: &mut [T], mut count: usize) -> T {
    while count > 1 {
        items[count..count + BLOCK].copy_from_slice(&zeros());
        let left = count.div_ceil(BLOCK);
        for k in 0..left {
            items[k] = halve(&items[k * BLOCK..(k + 1) * BLOCK].as_chunks().0[0]);
        }
        count = left;
    }
    items[0]
}
