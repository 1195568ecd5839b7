//! What one core does with one batch: fold or map its elements, then level after level of what is left.
//!
//! Everything comes down to one step: left items join right items, lane by lane, and a left item without a
//! right one stays as it is. Only the last items of a chunk can be absent, and only in the last chunk, so
//! the right items are always a prefix.

use super::Isa;
use super::source::{Row, Source};
use reduce_dsl::Value;
use reduce_dsl::eval::{Evaluator, Joiner};
use reduce_dsl::func::Func;
use reduce_dsl::lanes::{LaneError, Lanes, Loops};
use reduce_dsl::program::{Level, Runs, Tree, Unit};
use std::ops::Range;

type Done = Result<(), LaneError>;

/// Lanes folded at once: their registers stay in the innermost cache, and the calls do not show.
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
    /// By this level: of rows of the source, the items are picked of whose units several go to a lane.
    Shared(Level),
}

impl Start {
    /// How it is for these levels, and the levels after it.
    pub(super) fn of<'l>(source: &Source<'_>, levels: &'l [Level]) -> (Start, &'l [Level]) {
        match levels.split_first() {
            Some((&first, rest)) if first.unit != Unit::ONE => (Start::Shared(first), rest),
            Some((&first, rest)) if first.tree == Tree::Serial && !first.is_cut_in_runs() => {
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
    loops: Loops,
    map: Evaluator,
    fold: Joiner,
    combine: Joiner,
    row: Row,
    /// The accumulators of the lanes of a chunk, [`LANES`] at a time.
    strips: Vec<Vec<Lanes>>,
    /// The elements of a row that does not lie together.
    picked: Vec<Lanes>,
    /// Items of the level reached.
    items: Vec<Lanes>,
    left: Vec<Lanes>,
    right: Vec<Lanes>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(isa: Isa, source: &'a Source<'a>, combine: &Func, levels: &'a [Level]) -> Worker<'a> {
        let (start, levels) = Start::of(source, levels);
        let none: Vec<_> = combine.result_types().into_iter().map(Lanes::empty).collect();
        Worker {
            source,
            start,
            levels,
            loops: isa.loops,
            map: Evaluator::with(&source.map, isa.loops),
            fold: Joiner::new(&source.fold, isa.loops),
            combine: Joiner::new(combine, isa.loops),
            row: source.row_memory(),
            strips: Vec::new(),
            picked: source.map.params().iter().map(|param| Lanes::empty(param.ty)).collect(),
            items: none.clone(),
            left: none.clone(),
            right: none,
        }
    }

    /// The items that the elements at `range` leave, which are whole chunks of every level or the last ones.
    pub(super) fn run(&mut self, range: Range<usize>) -> Result<Vec<Lanes>, LaneError> {
        match self.start {
            Start::Rows(level) => self.fold(range, level)?,
            Start::Gathered(level) => self.fold_gathered(range, level)?,
            Start::Shared(level) => self.fold_shared(range, level)?,
            Start::Mapped => self.map(range)?,
        }
        for level in self.levels {
            self.level(level)?;
        }
        Ok(self.items.clone())
    }

    /// `items` = the elements at `range`, mapped.
    fn map(&mut self, range: Range<usize>) -> Done {
        let len = range.len();
        self.source.load(range, 0, &mut self.row);
        self.map.run_into(|k| self.source.arg(k, &self.row), len, &mut self.items)
    }

    /// `items` = the lanes of every chunk of the source.
    fn fold(&mut self, range: Range<usize>, level: Level) -> Done {
        let lanes = level.lanes as usize;
        let width = if self.fold.is_direct() { lanes } else { LANES };
        self.items.iter_mut().for_each(Lanes::clear);
        for start in range.clone().step_by(level.chunk as usize) {
            let end = start.saturating_add(level.chunk as usize).min(range.end);
            let strips = lanes.min(end - start).div_ceil(width);
            let none = || self.left.iter().map(|field| Lanes::empty(field.ty())).collect();
            self.strips.resize_with(strips.max(self.strips.len()), none);
            self.fold_chunk(start..end, lanes, width)?;
            for strip in &self.strips[..strips] {
                let append = self.loops.append;
                self.items.iter_mut().zip(strip).for_each(|(items, strip)| append(strip.borrow(), items));
            }
        }
        Ok(())
    }

    /// `strips` = the lanes of one chunk, `width` at a time, row after row as they lie in memory.
    fn fold_chunk(&mut self, chunk: Range<usize>, lanes: usize, width: usize) -> Done {
        for (number, start) in chunk.clone().step_by(lanes).enumerate() {
            let direct = number > 0 && self.fold.is_direct();
            let end = if direct { chunk.end } else { start.saturating_add(lanes).min(chunk.end) };
            for (strip, start) in (start..end).step_by(if direct { end - start } else { width }).enumerate() {
                let end = if direct { end } else { start.saturating_add(width).min(end) };
                self.fold_strip(strip, start..end, number)?;
            }
            if direct {
                break;
            }
        }
        Ok(())
    }

    /// Folds elements into the lanes of a strip, which have folded `step` elements.
    fn fold_strip(&mut self, strip: usize, range: Range<usize>, step: usize) -> Done {
        let (len, acc) = (range.len(), &mut self.strips[strip]);
        self.source.load(range, step, &mut self.row);
        let element = |k| self.source.arg(k, &self.row);
        match step {
            0 => self.map.run_into(element, len, acc),
            _ => self.fold.join(acc, element, len),
        }
    }

    /// `items` = the lanes of every chunk of the elements at `range`, a row of all chunks at a time.
    fn fold_gathered(&mut self, range: Range<usize>, level: Level) -> Done {
        let (chunk, lanes) = (level.chunk as usize, level.lanes as usize);
        self.source.load(range, 0, &mut self.row);
        for (step, row) in (0..chunk).step_by(lanes).enumerate() {
            if !self.fold_picked(step, row, lanes, chunk)? {
                break;
            }
        }
        Ok(())
    }

    /// `items` = the lanes of every chunk of the source: of each row, first the first items of all units, then the next ones.
    fn fold_shared(&mut self, range: Range<usize>, level: Level) -> Done {
        let [row, width, shared] = [level.row(), level.unit.width, level.unit.lanes].map(|it| it as usize);
        let mut all: Vec<_> = self.items.iter().map(|field| Lanes::empty(field.ty())).collect();
        for start in range.clone().step_by(level.chunk as usize) {
            let end = start.saturating_add(level.chunk as usize).min(range.end);
            for (number, begin) in (start..end).step_by(row).enumerate() {
                self.source.load(begin..begin.saturating_add(row).min(end), 0, &mut self.row);
                for (more, item) in (0..width).step_by(shared).enumerate() {
                    self.fold_picked(number * width / shared + more, item, shared, width)?;
                }
            }
            all.iter_mut().zip(&self.items).for_each(|(all, items)| all.extend(items.borrow()));
        }
        self.items = all;
        Ok(())
    }

    /// Folds `block` elements of every `stride`, from `offset` on, of those that were loaded, into `items`, which have folded
    /// `step` elements each. Were there any?
    fn fold_picked(
        &mut self,
        step: usize,
        offset: usize,
        block: usize,
        stride: usize,
    ) -> Result<bool, LaneError> {
        for (k, picked) in self.picked.iter_mut().enumerate() {
            (self.loops.gather)(self.source.arg(k, &self.row), offset, block, stride, picked);
        }
        let len = self.picked.first().map_or(0, Lanes::len);
        if len > 0 {
            let steps = Lanes::splat(Value::of(step as u64), len);
            let element = |k| self.picked.get(k).unwrap_or(&steps).borrow();
            match step {
                0 => self.map.run_into(element, len, &mut self.items)?,
                _ => self.fold.join(&mut self.items, element, len)?,
            }
        }
        Ok(len > 0)
    }

    /// Takes `items` through one level.
    fn level(&mut self, level: &Level) -> Done {
        let (chunk, lanes) = (level.chunk as usize, level.lanes as usize);
        match level.tree {
            // Any order will do, and this one is at hand.
            Tree::Serial | Tree::Any if level.is_cut_in_runs() => self.runs(lanes),
            Tree::Serial | Tree::Any => self.serial(chunk, lanes),
            Tree::Halving => halves(level).try_for_each(|half| self.pair(half * lanes)),
            Tree::Pairs => halves(level).try_for_each(|_| self.pair(lanes)),
        }
    }

    /// Of every `2 half` items, the first half meets the second.
    fn pair(&mut self, half: usize) -> Done {
        if !self.combine.halve(&self.items, half, &mut self.left)? {
            self.pick_left(half, 2 * half);
            let len = self.pick_right(half, half, 2 * half);
            self.combine.join(&mut self.left, |k| self.right[k].borrow(), len)?;
        }
        std::mem::swap(&mut self.items, &mut self.left);
        Ok(())
    }

    /// The first `lanes` items of every chunk meet the next ones, row after row.
    fn serial(&mut self, chunk: usize, lanes: usize) -> Done {
        self.pick_left(lanes, chunk);
        for row in (lanes..chunk).step_by(lanes) {
            let len = self.pick_right(row, lanes, chunk);
            if len == 0 {
                break;
            }
            self.combine.join(&mut self.left, |k| self.right[k].borrow(), len)?;
        }
        std::mem::swap(&mut self.items, &mut self.left);
        Ok(())
    }

    /// The first items of as many runs as there are `lanes` meet the second ones, then the third, ….
    fn runs(&mut self, lanes: usize) -> Done {
        let len = self.items.first().map_or(0, Lanes::len);
        let runs = Runs::of(len as u64, lanes as u64);
        self.pick_of_runs(runs, 0);
        std::mem::swap(&mut self.left, &mut self.right);
        for at in 1..len.div_ceil(lanes) {
            let len = self.pick_of_runs(runs, at);
            self.combine.join(&mut self.left, |k| self.right[k].borrow(), len)?;
        }
        std::mem::swap(&mut self.items, &mut self.left);
        Ok(())
    }

    /// `right` = item `at` of each run that has one; how many there are.
    fn pick_of_runs(&mut self, runs: Runs, at: usize) -> usize {
        let [share, longer] = [runs.share, runs.longer].map(|it| it as usize);
        let gather = self.loops.gather;
        for (right, items) in self.right.iter_mut().zip(&self.items) {
            let (items, end) = (items.borrow(), longer * (share + 1));
            gather(items.slice(0..end), at, 1, share + 1, right);
            if at < share {
                let mut more = Lanes::empty(right.ty());
                gather(items.slice(end..items.len()), at, 1, share, &mut more);
                right.extend(more.borrow());
            }
        }
        self.right.first().map_or(0, Lanes::len)
    }

    /// `left` = the first `block` of every `stride` items.
    fn pick_left(&mut self, block: usize, stride: usize) {
        for (left, items) in self.left.iter_mut().zip(&self.items) {
            (self.loops.gather)(items.borrow(), 0, block, stride, left);
        }
    }

    /// `right` = of every `stride` items, `block` from `offset` on; how many there are.
    fn pick_right(&mut self, offset: usize, block: usize, stride: usize) -> usize {
        for (right, items) in self.right.iter_mut().zip(&self.items) {
            (self.loops.gather)(items.borrow(), offset, block, stride, right);
        }
        self.right.first().map_or(0, Lanes::len)
    }
}

/// Half the rows of a chunk, half of those, …, 1.
fn halves(level: &Level) -> impl Iterator<Item = usize> + use<> {
    let group = level.group() as usize;
    std::iter::successors(Some(group / 2), |half| Some(half / 2)).take_while(|&half| half > 0)
}
