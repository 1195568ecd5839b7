//! What one core does with one batch: fold or map its elements, then level after level of what is left.
//!
//! Everything comes down to one step: left items join right items, lane by lane, and a left item without a
//! right one stays as it is. Only the last items of a chunk can be absent, and only in the last chunk, so
//! the right items are always a prefix.

use super::Isa;
use super::pass::WIDE_LANES;
use super::source::{Ahead, Row, Source, is_uniform, pieces};
use super::start::Start;
use reduce_ir::func::Func;
use reduce_ir::operation::Argument;
use reduce_ir::program::{Level, Runs, Tree};
use reduce_ir::{Scalar, Value};
use reduce_lanes::eval::{Evaluator, Joiner};
use reduce_lanes::{BLOCK, Dealt, LaneError, Lanes, Loops, NARROW, SHARED, Summed, Way};
use std::ops::Range;

type Done = Result<(), LaneError>;

/// Bytes of all lanes that are evaluated at once, about: such as stay in the second-level cache.
const AT_ONCE: usize = 96 << 10;

/// How many lanes that is, of so many bytes each: not so few that the calls show.
fn at_once(lane: usize) -> usize {
    1 << (AT_ONCE / lane.max(1)).clamp(512, 2048).ilog2()
}

/// The functions and the memory of one core.
#[derive(Clone, Debug)]
pub(super) struct Worker {
    loops: Loops,
    /// Lanes that functions of elements take at once.
    lanes: usize,
    /// Lanes of items that meet at once.
    lanes_of_items: usize,
    map: Evaluator,
    fold: Joiner,
    combine: Joiner,
    /// Do any number of rows join lanes at once?
    takes_rows: bool,
    row: Row,
    /// Elements that do not lie together, or are dealt out, and how many the lanes that they join have folded.
    picked: Vec<Lanes>,
    steps: Lanes,
    /// The items of the level reached.
    items: Vec<Lanes>,
    /// Those of the next one.
    next: Vec<Lanes>,
    /// Some of them, as they are made, and what they meet.
    strip: Vec<Lanes>,
    right: Vec<Lanes>,
}

impl Worker {
    /// For functions that are given those `arguments` of an element: element → accumulator, accumulator and element →
    /// accumulator, and two accumulators → one.
    pub(super) fn new(isa: Isa, arguments: &[Argument], [map, fold, combine]: [&Func; 3]) -> Worker {
        let loops = isa.loops;
        let uniform: Vec<_> = arguments.iter().map(is_uniform).collect();
        let fields: Vec<_> = map.result_types().into_iter().map(Lanes::empty).collect();
        let accs = vec![false; fields.len()];
        let picked: Vec<_> = map.params().iter().map(|param| Lanes::empty(param.ty)).collect();
        let row: Vec<_> = fold.params()[fields.len()..].iter().map(|param| Lanes::empty(param.ty)).collect();
        let fold = Joiner::new(fold, &[accs.clone(), uniform.clone()].concat(), loops);
        let both = [accs.clone(), accs].concat();
        let combine = Joiner::new(combine, &both, loops);
        let map = Evaluator::with(map, &uniform[..map.params().len()], loops);
        let elements = picked.iter().map(|it| it.ty().size()).sum::<usize>();
        Worker {
            loops,
            lanes: at_once(elements + map.lane_bytes().max(fold.lane_bytes())),
            lanes_of_items: at_once(combine.lane_bytes()),
            map,
            takes_rows: fold.takes_rows() && !arguments.contains(&Argument::Step),
            fold,
            combine,
            row: Row::new(arguments, row),
            picked,
            steps: Lanes::empty(Scalar::U64),
            items: fields.clone(),
            next: fields.clone(),
            strip: fields.clone(),
            right: fields,
        }
    }

    /// Are terms of elements summed as they are read?
    pub(super) fn is_sum(&self) -> bool {
        self.fold.is_sum()
    }

    /// Lanes of a piece, where every association gives the same bits: such as stay in registers, where rows join them.
    pub(super) fn free_lanes(&self) -> Option<u64> {
        let lanes = if self.takes_rows { NARROW as u64 } else { WIDE_LANES };
        self.combine.is_exact().then_some(lanes)
    }

    /// The items that `levels` leave of the elements at `range`, which are whole chunks of every level or the last ones, and are
    /// read so.
    pub(super) fn run(
        &mut self,
        source: &Source<'_>,
        (start, levels): (Start, &[Level]),
        range: Range<usize>,
        way: Way,
    ) -> Result<Vec<Lanes>, LaneError> {
        self.fold.read(way);
        self.items.iter_mut().for_each(Lanes::clear);
        match start {
            Start::Rows(level) => self.fold(source, range, level)?,
            Start::Summed(level, how) => self.sum(source, range, level, how)?,
            Start::Gathered(level) => self.fold_gathered(source, range, level)?,
            Start::Shared(level) => self.fold_shared(source, range, level)?,
            Start::Mapped => self.map(source, range)?,
        }
        for level in levels {
            self.level(level)?;
        }
        Ok(self.items.clone())
    }

    /// `items` = the elements at `range`, mapped.
    fn map(&mut self, source: &Source<'_>, range: Range<usize>) -> Done {
        for strip in pieces(range, self.lanes) {
            self.map_strip(source, strip)?;
            self.keep();
        }
        Ok(())
    }

    /// `strip` = elements, mapped.
    fn map_strip(&mut self, source: &Source<'_>, range: Range<usize>) -> Done {
        let len = range.len();
        self.row.load(source, range, 0);
        self.map.run_into(|k| self.row.arg(source, k), len, &mut self.strip)
    }

    /// `strip` is the next of the `items`.
    fn keep(&mut self) {
        let len = self.strip.iter().map(Lanes::len).max().unwrap_or(0);
        for (items, strip) in self.items.iter_mut().zip(&self.strip) {
            (self.loops.append)(strip.borrow(), len, items);
        }
    }

    /// `items` = the lanes of every chunk of the elements at `range`, rows of which are folded as they lie in memory.
    fn fold(&mut self, source: &Source<'_>, range: Range<usize>, level: Level) -> Done {
        let lanes = level.lanes as usize;
        let width = if self.fold.is_direct() { lanes } else { self.lanes };
        for chunk in pieces(range, level.chunk as usize) {
            let first_row = chunk.start..chunk.start.saturating_add(lanes).min(chunk.end);
            for strip in pieces(first_row, width) {
                self.fold_strip(source, strip, lanes, chunk.end)?;
                self.keep();
            }
        }
        Ok(())
    }

    /// `strip` = some lanes: their first elements, which those of every further row, `lanes` apart, join up to `end`.
    fn fold_strip(&mut self, source: &Source<'_>, first: Range<usize>, lanes: usize, end: usize) -> Done {
        let width = first.len();
        let rest = first.start.saturating_add(lanes).min(end)..end;
        self.map_strip(source, first)?;
        let (step, width) = match self.rows_at_once(lanes) {
            1 => (lanes, width),
            // They lie side by side.
            rows => (rows.saturating_mul(lanes), rows.saturating_mul(lanes)),
        };
        for (row, start) in rest.step_by(step).enumerate() {
            let len = width.min(end - start);
            self.row.load(source, start..start + len, row + 1);
            self.fold.join(&mut self.strip, |k| self.row.arg(source, k), len, || ())?;
        }
        Ok(())
    }

    /// Whole rows of so many lanes that are joined by one call, all of them if there is nothing to compute.
    fn rows_at_once(&self, lanes: usize) -> usize {
        match self.takes_rows {
            true if self.fold.is_direct() => usize::MAX,
            true => (self.lanes / lanes).max(1),
            false => 1,
        }
    }

    /// `items` = what is left of the lanes of every chunk of the elements at `range`.
    fn sum(&mut self, source: &Source<'_>, range: Range<usize>, level: Level, how: Summed) -> Done {
        let chunk = level.chunk as usize;
        let whole = range.start..range.end - range.len() % chunk;
        self.fold(source, whole.end..range.end, level)?;
        self.level(&Level::every(how.pairs() as u64, Tree::Pairs))?;
        std::mem::swap(&mut self.items, &mut self.right);
        self.items.iter_mut().for_each(Lanes::clear);
        for chunks in pieces(whole, how.at_once()) {
            let len = chunks.len();
            self.row.load(source, chunks, 0);
            self.fold.sum(how, |k| self.row.arg(source, k), len, [&mut self.strip, &mut self.items])?;
        }
        std::mem::swap(&mut self.strip, &mut self.right);
        self.keep();
        Ok(())
    }

    /// `items` = the lanes of every chunk of the elements at `range`, a row of many chunks at a time.
    fn fold_gathered(&mut self, source: &Source<'_>, range: Range<usize>, level: Level) -> Done {
        let (chunk, lanes) = (level.chunk as usize, level.lanes as usize);
        for piece in pieces(range, strip_of(self.lanes, chunk, lanes)) {
            let rows = (0..chunk.min(piece.len())).step_by(lanes);
            self.row.load(source, piece, 0);
            for (step, row) in rows.enumerate() {
                let picked = self.pick(source, [row, lanes, chunk]);
                self.join_picked(source, step, 0..picked, || ())?;
            }
            self.keep();
        }
        Ok(())
    }

    /// `items` = the lanes of every chunk of the elements at `range`, a row of many chunks at a time: of each row, first the first
    /// parts of all units, then the second ones.
    fn fold_shared(&mut self, source: &Source<'_>, range: Range<usize>, level: Level) -> Done {
        let [chunk, lanes] = [level.chunk, level.lanes].map(|it| it as usize);
        let [row, width, part] = [level.row(), level.unit.width, level.unit.lanes].map(|it| it as usize);
        // A grid may have any number of lanes that no element is for.
        let most = range.len().div_ceil(width) * part;
        let room = lanes.saturating_mul((self.lanes / lanes).max(1)).min(most);
        let how = Dealt { part, parts: width / part, room };
        for chunks in pieces(range, strip_of(self.lanes, chunk, lanes)) {
            let rows = |start| pieces(chunks.clone(), chunk).map(move |chunk| row_of(chunk, start, row));
            for (number, start) in (0..chunk.min(chunks.len())).step_by(row).enumerate() {
                let dealt = self.deal(source, rows(start), how);
                let share = dealt / (how.parts * self.fold.operations()).max(1);
                let share = share.next_multiple_of(BLOCK);
                let mut ahead = Ahead::new(source, rows(start + row), share, self.loops.ask);
                for k in 0..how.parts {
                    let picked = k * how.room..k * how.room + how.len(dealt, k);
                    self.join_picked(source, number * how.parts + k, picked, || ahead.more())?;
                }
            }
            self.keep();
        }
        Ok(())
    }

    /// `picked` = the units of those rows, dealt out; how many elements there are.
    fn deal(&mut self, source: &Source<'_>, rows: impl Iterator<Item = Range<usize>>, how: Dealt) -> usize {
        let mut dealt = 0;
        for row in rows {
            let len = row.len();
            self.row.load(source, row, 0);
            for (k, picked) in self.picked.iter_mut().enumerate().filter(|(k, _)| !self.row.is_uniform(*k)) {
                (self.loops.deal)(self.row.arg(source, k), how, picked, how.len(dealt, 0));
            }
            dealt += len;
        }
        dealt
    }

    /// The elements at those places of the row become `picked`; how many there are then.
    fn pick(&mut self, source: &Source<'_>, places: [usize; 3]) -> usize {
        for (k, picked) in self.picked.iter_mut().enumerate().filter(|(k, _)| !self.row.is_uniform(*k)) {
            (self.loops.gather)(self.row.arg(source, k), places, picked, 0);
        }
        self.picked.first().map_or(0, Lanes::len)
    }

    /// Those that were picked join `strip`, the lanes of which have folded `step` elements each.
    fn join_picked(
        &mut self,
        source: &Source<'_>,
        step: usize,
        places: Range<usize>,
        between: impl FnMut(),
    ) -> Done {
        let len = places.len();
        if len == 0 {
            return Ok(());
        }
        self.steps.hold(Value::of(step as u64), SHARED);
        let element = |k: usize| match self.picked.get(k) {
            Some(_) if self.row.is_uniform(k) => self.row.arg(source, k),
            Some(picked) => picked.borrow().slice(places.clone()),
            None => self.steps.borrow(),
        };
        match step {
            0 => self.map.run_into(element, len, &mut self.strip),
            _ => self.fold.join(&mut self.strip, element, len, between),
        }
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
        if !self.combine.halve(&self.items, half, &mut self.next)? {
            return self.serial(2 * half, half);
        }
        std::mem::swap(&mut self.items, &mut self.next);
        Ok(())
    }

    /// The first `lanes` items of every chunk meet the next ones, row after row.
    fn serial(&mut self, chunk: usize, lanes: usize) -> Done {
        if self.items.first().is_none_or(|items| items.len() <= lanes) {
            return Ok(());
        }
        std::mem::swap(&mut self.items, &mut self.next);
        self.items.iter_mut().for_each(Lanes::clear);
        for piece in pieces(0..self.next[0].len(), strip_of(self.lanes_of_items, chunk, lanes)) {
            pick(self.loops, &self.next, piece.clone(), [0, lanes, chunk], &mut self.strip);
            for row in (lanes..chunk).step_by(lanes) {
                let len = pick(self.loops, &self.next, piece.clone(), [row, lanes, chunk], &mut self.right);
                if len == 0 {
                    break;
                }
                self.combine.join(&mut self.strip, |k| self.right[k].borrow(), len, || ())?;
            }
            self.keep();
        }
        Ok(())
    }

    /// The first items of as many runs as there are `lanes` meet the second ones, then the third, ….
    fn runs(&mut self, lanes: usize) -> Done {
        let len = self.items.first().map_or(0, Lanes::len);
        let runs = Runs::of(len as u64, lanes as u64);
        self.pick_of_runs(runs, 0);
        std::mem::swap(&mut self.strip, &mut self.right);
        for at in 1..len.div_ceil(lanes) {
            let len = self.pick_of_runs(runs, at);
            self.combine.join(&mut self.strip, |k| self.right[k].borrow(), len, || ())?;
        }
        self.items.iter_mut().for_each(Lanes::clear);
        self.keep();
        Ok(())
    }

    /// `right` = item `at` of each run that has one; how many there are.
    fn pick_of_runs(&mut self, runs: Runs, at: usize) -> usize {
        let [share, longer] = [runs.share, runs.longer].map(|it| it as usize);
        let gather = self.loops.gather;
        for (right, items) in self.right.iter_mut().zip(&self.items) {
            let (items, end) = (items.borrow(), longer * (share + 1));
            gather(items.slice(0..end), [at, 1, share + 1], right, 0);
            if at < share {
                let picked = right.len();
                gather(items.slice(end..items.len()), [at, 1, share], right, picked);
            }
        }
        self.right.first().map_or(0, Lanes::len)
    }
}

/// `out` = of every `stride` items of a piece, `block` from `offset` on; how many there are.
fn pick(loops: Loops, items: &[Lanes], piece: Range<usize>, places: [usize; 3], out: &mut [Lanes]) -> usize {
    for (out, items) in out.iter_mut().zip(items) {
        (loops.gather)(items.borrow().slice(piece.clone()), places, out, 0);
    }
    out.first().map_or(0, Lanes::len)
}

/// Elements of whole chunks, the `lanes` of which are about as many as are taken at once.
fn strip_of(at_once: usize, chunk: usize, lanes: usize) -> usize {
    chunk.saturating_mul((at_once / lanes).max(1))
}

/// The row of a chunk that begins `start` elements behind its first one, as far as there is one.
fn row_of(chunk: Range<usize>, start: usize, row: usize) -> Range<usize> {
    let [start, end] = [start, start + row].map(|at| (chunk.start + at).min(chunk.end));
    start..end
}

/// Half the rows of a chunk, half of those, …, 1.
fn halves(level: &Level) -> impl Iterator<Item = usize> + use<> {
    let group = level.group() as usize;
    std::iter::successors(Some(group / 2), |half| Some(half / 2)).take_while(|&half| half > 0)
}
