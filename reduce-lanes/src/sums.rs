//! Sums of floats, whose association shows: rows of a chunk join lanes, and the lanes begin to meet where they are.
//! docs/decisions.md has the figures.
//!
//! Rows of a chunk lie some KiB apart, and some processors read ahead of a program in several places at once. So either some rows
//! join a few lanes side by side, while those stay in registers; or one row after the other joins all lanes. Lanes of `auto` are
//! few enough to stay in the first-level cache.

use super::Aligned;
use super::blocks::append;
use super::rows::{BLOCK, Distance, LINE, Prefetch, Prefetcher, join_block, prefetch_ahead};
use super::{LaneError, Lanes, LanesRef, bug};
use reduce_ir::Scalar;
use reduce_ir::arith::{As, Number};

/// Rows that are read side by side. Lines of rows that lie some 4 KiB apart share one set of a first-level cache, which has as
/// many places, or a few more.
const SIDE: usize = 8;

/// Bytes of a page, nearly everywhere.
const PAGE: usize = 4096;

/// Chunks that are summed by one call, which hides its cost.
const CHUNKS: usize = 4;

/// How the lanes of chunks are summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summed {
    pub(super) chunk: usize,
    pub(super) lanes: usize,
    pub(super) pairs: usize,
}

impl Summed {
    /// Sums chunks of `chunk` elements, dealt row by row to `lanes` lanes. Neighbouring lanes, `pairs` (1, 2, 4 or 8) of them, then
    /// meet by pairs. None if there is no loop for it: chunks are whole rows, and lanes multiples of [`BLOCK`].
    pub fn new(chunk: usize, lanes: usize, pairs: usize) -> Option<Summed> {
        let has_rows = lanes > 0 && chunk > 0 && chunk.is_multiple_of(lanes);
        let known = has_rows && lanes.is_multiple_of(BLOCK) && matches!(pairs, 1 | 2 | 4 | 8);
        known.then_some(Summed { chunk, lanes, pairs })
    }

    /// Elements of as many chunks as are best summed at once.
    pub fn at_once(self) -> usize {
        self.chunk.saturating_mul(CHUNKS)
    }

    /// Whether a chunk has so few rows that all are read side by side.
    pub fn has_few_rows(self) -> bool {
        self.chunk / self.lanes <= SIDE
    }

    /// Lanes that become one.
    pub fn pairs(self) -> usize {
        self.pairs
    }
}

/// What is added up for each element, in the type of the sum: `E` stands for an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term<E> {
    /// The element.
    Itself(E),
    /// Its magnitude.
    Magnitude(E),
    /// Its square.
    Square(E),
    /// The product of two.
    Product(E, E),
}

impl<E: Copy> Term<E> {
    /// The same of others in the place of its inputs.
    pub(crate) fn map<F>(self, other: impl Fn(E) -> F) -> Term<F> {
        match self {
            Term::Itself(x) => Term::Itself(other(x)),
            Term::Magnitude(x) => Term::Magnitude(other(x)),
            Term::Square(x) => Term::Square(other(x)),
            Term::Product(x, y) => Term::Product(other(x), other(y)),
        }
    }

    /// Its two inputs, or the one twice.
    pub(crate) fn inputs(self) -> [E; 2] {
        match self {
            Term::Itself(x) | Term::Magnitude(x) | Term::Square(x) => [x, x],
            Term::Product(x, y) => [x, y],
        }
    }
}

/// Is there a loop for sums of elements of such a type in accumulators of the other one?
pub(crate) fn sums(from: Scalar, to: Scalar) -> bool {
    match from {
        Scalar::F16 | Scalar::Bf16 => to == Scalar::F32,
        Scalar::F32 => matches!(to, Scalar::F32 | Scalar::F64),
        Scalar::F64 => to == Scalar::F64,
        Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => false,
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => false,
    }
}

/// Appends to `out` what is left of the lanes of whole chunks, into which their rows were summed. `acc` is overwritten.
#[inline(always)]
pub(super) fn sum(
    term: Term<LanesRef<'_>>,
    how: Summed,
    acc: &mut Lanes,
    out: &mut Lanes,
    prefetcher: impl Prefetcher,
) -> Result<(), LaneError> {
    macro_rules! of_types {
        ($($from:ident to $to:ident),*) => {
            match (term.inputs(), acc, out) {
                $(([LanesRef::$from(x), LanesRef::$from(y)], Lanes::$to(acc), Lanes::$to(out)) => match term {
                    Term::Itself(_) => sum_rows(blocks(x), how, acc, out, add, prefetcher),
                    Term::Magnitude(_) => sum_rows(blocks(x), how, acc, out, add_magnitude, prefetcher),
                    Term::Square(_) => sum_rows(blocks(x), how, acc, out, add_square, prefetcher),
                    Term::Product(..) => sum_rows([blocks(x), blocks(y)], how, acc, out, add_product, prefetcher),
                },)*
                ([x, y], ..) => return bug("sum", &[x, y]),
            }
        };
    }
    of_types!(F32 to F32, F64 to F64, F16 to F32, Bf16 to F32, F32 to F64);
    Ok(())
}

#[inline(always)]
pub(super) fn add<T: Number, B: As<T> + Copy>(acc: &mut [T; BLOCK], x: &[B; BLOCK]) {
    join_block(acc, x, |acc, x| acc.add(x.to()));
}

#[inline(always)]
pub(super) fn add_magnitude<T: Number, B: As<T> + Copy>(acc: &mut [T; BLOCK], x: &[B; BLOCK]) {
    join_block(acc, x, |acc, x| acc.add(x.to().abs()));
}

#[inline(always)]
pub(super) fn add_square<T: Number, B: As<T> + Copy>(acc: &mut [T; BLOCK], x: &[B; BLOCK]) {
    join_block(acc, x, |acc, x| acc.add(x.to().mul(x.to())));
}

#[inline(always)]
pub(super) fn add_product<T: Number, B: As<T> + Copy>(acc: &mut [T; BLOCK], [x, y]: [&[B; BLOCK]; 2]) {
    // Whole, before it is written: a write might change what is read next.
    let mut met = *acc;
    for ((acc, &x), &y) in met.iter_mut().zip(x).zip(y) {
        *acc = acc.add(x.to().mul(y.to()));
    }
    *acc = met;
}

/// The blocks of whole rows.
#[inline(always)]
pub fn blocks<B>(elements: &[B]) -> &[[B; BLOCK]] {
    elements.as_chunks().0
}

/// Blocks of the elements of one input, or of two.
pub trait Blocks: Copy {
    /// Of each of them one.
    type Block: Copy;

    /// How many.
    fn count(self) -> usize;

    /// Where the first one lies, of the first input.
    fn address(self) -> usize;

    /// So many from one on.
    fn some(self, from: usize, count: usize) -> Self;

    /// One.
    fn at(self, k: usize) -> Self::Block;

    /// Prefetches as many lines as a block has, ahead of it, in all inputs together.
    fn prefetch_ahead(block: Self::Block, ahead: Distance, prefetcher: impl Prefetcher);

    /// Touches one, in all inputs.
    fn touch(self, k: usize, prefetcher: impl Prefetcher);
}

impl<'b, B> Blocks for &'b [[B; BLOCK]] {
    type Block = &'b [B; BLOCK];

    #[inline(always)]
    fn count(self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn address(self) -> usize {
        self.as_ptr().addr()
    }

    #[inline(always)]
    fn some(self, from: usize, count: usize) -> Self {
        &self[from..from + count]
    }

    #[inline(always)]
    fn at(self, k: usize) -> &'b [B; BLOCK] {
        &self[k]
    }

    #[inline(always)]
    fn prefetch_ahead(block: &'b [B; BLOCK], ahead: Distance, prefetcher: impl Prefetcher) {
        prefetch_ahead(block, ahead, prefetcher);
    }

    #[inline(always)]
    fn touch(self, k: usize, prefetcher: impl Prefetcher) {
        prefetcher.touch(self, k);
    }
}

impl<R: Blocks> Blocks for [R; 2] {
    type Block = [R::Block; 2];

    #[inline(always)]
    fn count(self) -> usize {
        self[0].count()
    }

    #[inline(always)]
    fn address(self) -> usize {
        self[0].address()
    }

    #[inline(always)]
    fn some(self, from: usize, count: usize) -> Self {
        self.map(|input| input.some(from, count))
    }

    #[inline(always)]
    fn at(self, k: usize) -> [R::Block; 2] {
        self.map(|input| input.at(k))
    }

    #[inline(always)]
    fn prefetch_ahead([x, y]: [R::Block; 2], ahead: Distance, prefetcher: impl Prefetcher) {
        R::prefetch_ahead(x, ahead.each(2), prefetcher);
        R::prefetch_ahead(y, ahead.each(2), prefetcher);
    }

    #[inline(always)]
    fn touch(self, k: usize, prefetcher: impl Prefetcher) {
        self.into_iter().for_each(|input| input.touch(k, prefetcher));
    }
}

/// `sum` of one type, where `join` joins a block of elements to as many lanes.
#[inline(always)]
pub fn sum_rows<T: Number, R: Blocks, P: Prefetcher>(
    chunks: R,
    how: Summed,
    acc: &mut Aligned<T>,
    out: &mut Aligned<T>,
    join: impl Fn(&mut [T; BLOCK], R::Block) + Copy,
    prefetcher: P,
) {
    let in_chunk = how.chunk / BLOCK;
    for first in (0..chunks.count() / in_chunk).map(|chunk| chunk * in_chunk) {
        let chunk = chunks.some(first, in_chunk);
        let acc = aside(acc, how.lanes, chunk.address());
        let done = match prefetcher.strategy() {
            Some(Prefetch::MultiStream) if !P::TOUCHES => join_side_by_side(acc, chunk, join, prefetcher),
            Some(_) | None => 0,
        };
        join_row_by_row(acc, chunk, done, join, prefetcher);
        match how.pairs {
            2 => meet::<_, 2>(acc, out),
            4 => meet::<_, 4>(acc, out),
            8 => meet::<_, 8>(acc, out),
            _ => append(acc, acc.len(), out),
        }
    }
}

/// So many lanes of `acc`, which begin at a line of the cache, as vectors that lie across two take twice as long; and half a
/// page from what joins them, as processors first take places that are some pages apart for the same.
#[inline(always)]
pub(super) fn aside<T: Number>(acc: &mut Aligned<T>, len: usize, from: usize) -> &mut [T] {
    acc.resize(len + PAGE / size_of::<T>(), T::default());
    let line = (from + PAGE / 2) / LINE * LINE;
    let start = line.wrapping_sub(acc.as_ptr().addr()) % PAGE / size_of::<T>();
    &mut acc[start..start + len]
}

/// The rows of a chunk join its lanes, some rows side by side, each read by instructions of its own. Returns how many rows did.
#[inline(always)]
fn join_side_by_side<T: Number, R: Blocks>(
    acc: &mut [T],
    chunk: R,
    join: impl Fn(&mut [T; BLOCK], R::Block) + Copy,
    prefetcher: impl Prefetcher,
) -> usize {
    let (in_row, ahead) = (acc.len() / BLOCK, Distance::of(prefetcher).each(SIDE));
    let sheets = chunk.count() / (SIDE * in_row);
    for sheet in 0..sheets {
        let rows: [R; SIDE] = std::array::from_fn(|row| chunk.some((sheet * SIDE + row) * in_row, in_row));
        for (k, lanes) in acc.as_chunks_mut().0.iter_mut().enumerate() {
            // In registers.
            let mut kept = before(sheet, lanes);
            for row in rows {
                let block = row.at(k);
                R::prefetch_ahead(block, ahead, prefetcher);
                join(&mut kept, block);
            }
            *lanes = kept;
        }
    }
    sheets * SIDE
}

/// The rows of a chunk, from one on, join its lanes one after the other.
#[inline(always)]
fn join_row_by_row<T: Number, R: Blocks>(
    acc: &mut [T],
    chunk: R,
    first: usize,
    join: impl Fn(&mut [T; BLOCK], R::Block),
    prefetcher: impl Prefetcher,
) {
    let (in_row, ahead) = (acc.len() / BLOCK, Distance::of(prefetcher));
    let rows = chunk.count() / in_row;
    for row in first..rows {
        let blocks = chunk.some(row * in_row, in_row);
        // Those a block further; none is behind the last one.
        let next = if row + 1 < rows { chunk.some(row * in_row + 1, in_row) } else { blocks };
        for (k, lanes) in acc.as_chunks_mut().0.iter_mut().enumerate() {
            let block = blocks.at(k);
            next.touch(k, prefetcher);
            R::prefetch_ahead(block, ahead, prefetcher);
            let mut kept = before(row, lanes);
            join(&mut kept, block);
            *lanes = kept;
        }
    }
}

/// What those lanes are before that row joins them: before the first one, what leaves every number as it is.
#[inline(always)]
fn before<T: Number>(row: usize, lanes: &[T; BLOCK]) -> [T; BLOCK] {
    if row == 0 { [T::default().neg(); BLOCK] } else { *lanes }
}

/// Appends what is left of every so many lanes, which meet by pairs.
#[inline(always)]
fn meet<T: Number, const PAIRS: usize>(lanes: &[T], out: &mut Aligned<T>) {
    let met = out.len();
    out.resize(met + lanes.len() / PAIRS, T::default());
    for (out, lanes) in out[met..].iter_mut().zip(lanes.as_chunks::<PAIRS>().0) {
        let (mut left, mut len) = (*lanes, PAIRS);
        while len > 1 {
            len /= 2;
            (0..len).for_each(|i| left[i] = left[2 * i].add(left[2 * i + 1]));
        }
        *out = left[0];
    }
}
