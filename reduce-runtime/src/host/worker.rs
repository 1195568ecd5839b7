//! What one core does with one batch: fold or map its elements, then level after level of what is left.
//!
//! Everything comes down to one step: left items meet right items, lane by lane, and a left item without a
//! right one stays as it is. Only the last items of a chunk can be absent, and only in the last chunk, so
//! the right items are always a prefix.

use super::pass::{Row, Source};
use reduce_dsl::eval::Evaluator;
use reduce_dsl::func::Func;
use reduce_dsl::lanes::{LaneError, Lanes, LanesRef};
use reduce_dsl::program::{Level, Tree};
use std::ops::Range;

type Done = Result<(), LaneError>;

/// Lanes folded at once: their accumulators and registers stay in the innermost cache.
const LANES: usize = 2048;

/// Lanes and chunks from which a fold reads its rows in place; below, whole batches are mapped first.
const WIDE: Range<u64> = 128..8192;

/// How the elements of a batch become items.
#[derive(Clone, Copy, Debug)]
pub(super) enum Start {
    /// Each by itself.
    Mapped,
    /// By this level: rows of the source are folded as they lie there.
    Rows(Level),
    /// By this level: rows of the batch are gathered and folded.
    Gathered(Level),
}

impl Start {
    /// How it is for these levels, and the levels after it.
    pub(super) fn of<'l>(source: &Source<'_>, levels: &'l [Level]) -> (Start, &'l [Level]) {
        match levels.split_first() {
            Some((&first, rest)) if first.tree == Tree::Serial => {
                match first.lanes >= WIDE.start || first.chunk >= WIDE.end {
                    true => (Start::Rows(first), rest),
                    false if source.folds => (Start::Gathered(first), rest),
                    false => (Start::Mapped, levels),
                }
            }
            _ => (Start::Mapped, levels),
        }
    }
}

/// The functions and the memory of one core.
pub(super) struct Worker<'a> {
    source: &'a Source<'a>,
    start: Start,
    levels: &'a [Level],
    map: Evaluator,
    fold: Evaluator,
    combine: Evaluator,
    row: Row,
    steps: Vec<u64>,
    /// The elements of a row that does not lie together.
    picked: Vec<Lanes>,
    /// Items of the level reached.
    items: Vec<Lanes>,
    left: Vec<Lanes>,
    right: Vec<Lanes>,
    next: Vec<Lanes>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(source: &'a Source<'a>, combine: &Func, levels: &'a [Level]) -> Worker<'a> {
        let (start, levels) = Start::of(source, levels);
        let none: Vec<_> = combine.result_types().into_iter().map(Lanes::empty).collect();
        Worker {
            source,
            start,
            levels,
            map: Evaluator::new(&source.map),
            fold: Evaluator::new(&source.fold),
            combine: Evaluator::new(combine),
            row: source.row_memory(),
            steps: Vec::new(),
            picked: source.map.params().iter().map(|param| Lanes::empty(param.ty)).collect(),
            items: none.clone(),
            left: none.clone(),
            right: none.clone(),
            next: none,
        }
    }

    /// The items that the elements at `range` leave, which are whole chunks of every level or the last ones.
    pub(super) fn run(&mut self, range: Range<usize>) -> Result<Vec<Lanes>, LaneError> {
        match self.start {
            Start::Rows(level) => self.fold(range, level)?,
            Start::Gathered(level) => self.fold_gathered(range, level)?,
            Start::Mapped => {
                self.map(range)?;
                std::mem::swap(&mut self.items, &mut self.left);
            }
        }
        for level in self.levels {
            self.level(level)?;
        }
        Ok(self.items.clone())
    }

    /// `left` = the elements at `range`, mapped.
    fn map(&mut self, range: Range<usize>) -> Done {
        let len = range.len();
        let args: Vec<_> = self.source.row(range, &mut self.row).collect();
        self.map.run(&args, len)?;
        self.left.iter_mut().enumerate().for_each(|(k, field)| self.map.take_result(k, &args, field));
        Ok(())
    }

    /// `items` = the lanes of every chunk of the source, a block of lanes at a time.
    fn fold(&mut self, range: Range<usize>, level: Level) -> Done {
        let lanes = level.lanes as usize;
        self.items.iter_mut().for_each(Lanes::clear);
        for start in range.clone().step_by(level.chunk as usize) {
            let end = start.saturating_add(level.chunk as usize).min(range.end);
            for lane in (0..lanes.min(end - start)).step_by(LANES) {
                self.fold_lanes(start + lane..end, LANES.min(lanes - lane), lanes)?;
                let folded = self.items.iter_mut().zip(&self.left);
                folded.for_each(|(items, left)| items.extend(left.borrow()));
            }
        }
        Ok(())
    }

    /// `left` = the fold of `width` lanes, whose elements start every `stride` positions of `range`.
    fn fold_lanes(&mut self, range: Range<usize>, width: usize, stride: usize) -> Done {
        let row = |start: usize| start..(start + width).min(range.end);
        self.map(row(range.start))?;
        for (number, row) in range.clone().step_by(stride).map(row).enumerate().skip(1) {
            let len = row.len();
            let steps = self.source.steps(number, len, &mut self.steps);
            let elements = self.source.row(row, &mut self.row).chain(steps);
            step(&mut self.fold, &self.left, elements, len, &mut self.next)?;
            std::mem::swap(&mut self.left, &mut self.next);
        }
        Ok(())
    }

    /// `items` = the lanes of every chunk of the elements at `range`, a row of all chunks at a time.
    fn fold_gathered(&mut self, range: Range<usize>, level: Level) -> Done {
        let (chunk, lanes) = (level.chunk as usize, level.lanes as usize);
        let elements: Vec<_> = self.source.row(range, &mut self.row).collect();
        for (number, row) in (0..chunk).step_by(lanes).enumerate() {
            self.picked.iter_mut().zip(&elements).for_each(|(to, from)| to.gather(*from, row, lanes, chunk));
            let len = self.picked.first().map_or(0, Lanes::len);
            if len == 0 {
                break;
            }
            let picked = self.picked.iter().map(Lanes::borrow);
            if number == 0 {
                let args: Vec<_> = picked.collect();
                self.map.run(&args, len)?;
                let fields = self.left.iter_mut().enumerate();
                fields.for_each(|(k, field)| self.map.take_result(k, &args, field));
            } else {
                let steps = self.source.steps(number, len, &mut self.steps);
                step(&mut self.fold, &self.left, picked.chain(steps), len, &mut self.next)?;
                std::mem::swap(&mut self.left, &mut self.next);
            }
        }
        std::mem::swap(&mut self.items, &mut self.left);
        Ok(())
    }

    /// Takes `items` through one level.
    fn level(&mut self, level: &Level) -> Done {
        let (chunk, lanes) = (level.chunk as usize, level.lanes as usize);
        match level.tree {
            // Any order will do, and this one is at hand.
            Tree::Serial | Tree::Any => self.serial(chunk, lanes),
            Tree::Halving => halves(level).try_for_each(|half| self.pair(half * lanes)),
            Tree::Pairs => halves(level).try_for_each(|_| self.pair(lanes)),
        }
    }

    /// Of every `2 half` items, the first half meets the second.
    fn pair(&mut self, half: usize) -> Done {
        let len = gather(&self.items, half, half, 2 * half, &mut self.right);
        if len == 0 {
            return Ok(());
        }
        gather(&self.items, 0, half, 2 * half, &mut self.left);
        let right = self.right.iter().map(Lanes::borrow);
        step(&mut self.combine, &self.left, right, len, &mut self.items)
    }

    /// The first `lanes` items of every chunk meet the next ones, row after row.
    fn serial(&mut self, chunk: usize, lanes: usize) -> Done {
        gather(&self.items, 0, lanes, chunk, &mut self.left);
        for row in (lanes..chunk).step_by(lanes) {
            let len = gather(&self.items, row, lanes, chunk, &mut self.right);
            if len == 0 {
                break;
            }
            let right = self.right.iter().map(Lanes::borrow);
            step(&mut self.combine, &self.left, right, len, &mut self.next)?;
            std::mem::swap(&mut self.left, &mut self.next);
        }
        std::mem::swap(&mut self.items, &mut self.left);
        Ok(())
    }
}

/// `out` = `f(left, right)` in the first `len` lanes, and `left` in those that have no right side.
fn step<'r>(
    f: &mut Evaluator,
    left: &'r [Lanes],
    right: impl Iterator<Item = LanesRef<'r>>,
    len: usize,
    out: &mut [Lanes],
) -> Done {
    let args: Vec<_> = left.iter().map(|field| field.borrow().slice(0..len)).chain(right).collect();
    f.run(&args, len)?;
    for (k, (out, left)) in out.iter_mut().zip(left).enumerate() {
        f.take_result(k, &args, out);
        out.extend(left.borrow().slice(len..left.len()));
    }
    Ok(())
}

/// Gathers every field; the number of lanes it found.
fn gather(from: &[Lanes], offset: usize, block: usize, stride: usize, to: &mut [Lanes]) -> usize {
    to.iter_mut().zip(from).for_each(|(to, from)| to.gather(from.borrow(), offset, block, stride));
    to.first().map_or(0, Lanes::len)
}

/// Half the rows of a chunk, half of those, …, 1.
fn halves(level: &Level) -> impl Iterator<Item = usize> + use<> {
    let group = level.group() as usize;
    std::iter::successors(Some(group / 2), |half| Some(half / 2)).take_while(|&half| half > 0)
}
