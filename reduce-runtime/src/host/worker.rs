//! The loops that turn the elements of one batch into items, on one thread.

use super::functions::CompiledFunctions;
use super::items::{Items, strip_of};
use super::schedule::{Columns, Leaf, Rows, Schedule, side_by_side};
use super::source::{Ahead, Row, Source, pieces};
use reduce_ir::program::{Level, Tree};
use reduce_ir::{Scalar, Value};
use reduce_lanes::{
    BLOCK, Deinterleave, Groups, LaneError, Lanes, NARROW, Prefetch, SHARED, SegmentSum, Summed,
};
use std::ops::Range;

type Done = Result<(), LaneError>;

/// The functions and the memory of one thread.
#[derive(Clone, Debug)]
pub(super) struct Worker {
    functions: CompiledFunctions,
    row: Row,
    /// Elements that were gathered or deinterleaved, for each argument of `map`.
    gathered: Vec<Lanes>,
    /// How many elements the lanes have folded.
    step: Lanes,
    /// The accumulators of the lanes that are folded now.
    accs: Vec<Lanes>,
    /// Items of an incomplete chunk, or of the chunks before.
    tail: Vec<Lanes>,
    items: Items,
}

impl Worker {
    /// A worker without memory; the first batch allocates it.
    pub(super) fn new(functions: &CompiledFunctions) -> Worker {
        let fields: Vec<_> = functions.fields.iter().map(|&ty| Lanes::empty(ty)).collect();
        let elements = &functions.arguments[..functions.mapped];
        Worker {
            functions: functions.clone(),
            row: Row::new(&functions.arguments),
            gathered: elements.iter().map(|&(_, ty)| Lanes::empty(ty)).collect(),
            step: Lanes::empty(Scalar::U64),
            accs: fields.clone(),
            tail: fields,
            items: Items::new(functions),
        }
    }

    /// The items that the schedule leaves of the elements at `range`, which are whole chunks of every level or the last ones.
    pub(super) fn run(
        &mut self,
        source: &Source<'_>,
        schedule: Schedule<'_>,
        range: Range<usize>,
        prefetch: Prefetch,
    ) -> Result<Vec<Lanes>, LaneError> {
        self.begin(source, prefetch);
        self.append_items(source, schedule.leaf, range)?;
        for level in schedule.levels {
            self.items.combine(level)?;
        }
        Ok(self.items.fields().to_vec())
    }

    /// The items that the schedule leaves of groups of `len` elements, which lie one after the other. The items lie side by side.
    pub(super) fn run_in_turn(
        &mut self,
        source: &Source<'_>,
        schedule: Schedule<'_>,
        len: usize,
        prefetch: Prefetch,
    ) -> Result<Vec<Lanes>, LaneError> {
        self.begin(source, prefetch);
        if !self.fold_each(source, schedule.leaf, len)? {
            for group in pieces(0..source.len(), len) {
                self.append_items(source, schedule.leaf, group)?;
            }
        }
        self.items.combine_in_turn(schedule.levels, source.len() / len)?;
        Ok(self.items.fields().to_vec())
    }

    /// Appends the items of groups of `len` elements, if one loop folds them all. Returns false if there is no such loop.
    fn fold_each(&mut self, source: &Source<'_>, leaf: Leaf, len: usize) -> Result<bool, LaneError> {
        let Worker { functions: CompiledFunctions { arguments, fold, traits, .. }, accs, items, .. } = self;
        let right = |k: usize| source.dense(arguments[k].0);
        match leaf {
            _ if !traits.takes_inputs || !source.is_contiguous() => return Ok(false),
            Leaf::Sum(_, how) if how.has_few_rows() && len >= BLOCK => {
                fold.sum_groups(how, Groups::Rows { len }, right, [accs, items.fields_mut()])?;
            }
            Leaf::Rows(rows) if traits.is_exact && traits.is_plain && rows.level.lanes == NARROW as u64 => {
                fold.fold_each(len, right, [accs, items.fields_mut()])?;
            }
            Leaf::Map | Leaf::Rows(_) | Leaf::Sum(..) | Leaf::Gather(_) | Leaf::Deinterleave(_) => {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The items that a loop over columns leaves of groups side by side, each of whose rows is contiguous.
    pub(super) fn run_columns(
        &mut self,
        source: &Source<'_>,
        columns: Columns<'_>,
        pitch: usize,
    ) -> Result<Vec<Lanes>, LaneError> {
        let groups = source.side_by_side();
        self.begin(source, Prefetch::MultiStream);
        match columns {
            Columns::Rows => self.fold_columns(source, pitch)?,
            Columns::Sum(how, levels) => {
                self.sum_side_by_side(source, how, Groups::Columns { pitch, groups }, levels, groups)?;
            }
        }
        Ok(self.items.fields().to_vec())
    }

    /// The items that a loop over short rows leaves, side by side.
    pub(super) fn run_short_rows(
        &mut self,
        source: &Source<'_>,
        (how, levels): (Summed, &[Level]),
        len: usize,
    ) -> Result<Vec<Lanes>, LaneError> {
        self.begin(source, Prefetch::Sequential);
        self.sum_side_by_side(source, how, Groups::ShortRows { len }, levels, source.len() / len)?;
        Ok(self.items.fields().to_vec())
    }

    /// The sums of the segments between offsets of the source.
    pub(super) fn sum_segments(
        &mut self,
        source: &Source<'_>,
        offsets: &[usize],
        sums: &[SegmentSum],
    ) -> Result<Vec<Lanes>, LaneError> {
        self.items.clear();
        let CompiledFunctions { arguments, fold, .. } = &self.functions;
        let right = |k: usize| source.dense(arguments[k].0);
        fold.sum_segments((offsets, sums), right, [&mut self.accs[..], self.items.fields_mut()])?;
        Ok(self.items.fields().to_vec())
    }

    /// Appends the sums of groups, which lie side by side, and combines them.
    fn sum_side_by_side(
        &mut self,
        source: &Source<'_>,
        how: Summed,
        layout: Groups,
        levels: &[Level],
        groups: usize,
    ) -> Done {
        let CompiledFunctions { arguments, fold, .. } = &self.functions;
        let right = |k: usize| source.dense(arguments[k].0);
        self.items.set_groups(groups);
        fold.sum_groups(how, layout, right, [&mut self.accs[..], self.items.fields_mut()])?;
        levels.iter().try_for_each(|&level| self.items.combine(&side_by_side(level, groups)))
    }

    /// Appends one item of each group.
    fn fold_columns(&mut self, source: &Source<'_>, pitch: usize) -> Done {
        let groups = source.side_by_side();
        let CompiledFunctions { arguments, map, fold, .. } = &mut self.functions;
        let right = |k: usize| source.dense(arguments[k].0);
        map.run_into(|k| right(k).slice(0..groups), groups, &mut self.accs)?;
        if source.len() > groups {
            let rest = |k: usize| right(k).slice(pitch..right(k).len());
            fold.fold_columns(&mut self.accs, rest, pitch)?;
        }
        self.items.append(&self.accs);
        Ok(())
    }

    fn begin(&mut self, source: &Source<'_>, prefetch: Prefetch) {
        self.functions.fold.set_prefetch(prefetch);
        self.items.set_groups(source.side_by_side());
        self.items.clear();
    }

    /// Appends the items that the leaf strategy makes of the elements at `range`.
    fn append_items(&mut self, source: &Source<'_>, leaf: Leaf, range: Range<usize>) -> Done {
        match leaf {
            Leaf::Map => self.map(source, range),
            Leaf::Rows(rows) => self.fold_rows(source, range, rows),
            Leaf::Sum(rows, how) => self.sum(source, range, rows, how),
            Leaf::Gather(level) => self.fold_gathered(source, range, level),
            Leaf::Deinterleave(level) => self.fold_deinterleaved(source, range, level),
        }
    }

    /// Appends the mapped elements at `range` to the items.
    fn map(&mut self, source: &Source<'_>, range: Range<usize>) -> Done {
        for strip in pieces(range, self.functions.traits.strip) {
            self.map_strip(source, strip)?;
            self.items.append(&self.accs);
        }
        Ok(())
    }

    /// Sets the accumulators to mapped elements.
    fn map_strip(&mut self, source: &Source<'_>, range: Range<usize>) -> Done {
        let len = range.len();
        self.row.load(source, range, 0);
        self.functions.map.run_into(|k| self.row.arg(source, k), len, &mut self.accs)
    }

    /// Appends the lanes of every chunk at `range` to the items; rows are folded where they lie in memory.
    fn fold_rows(&mut self, source: &Source<'_>, range: Range<usize>, rows: Rows) -> Done {
        let (chunk, lanes) = (rows.level.chunk as usize, rows.level.lanes as usize);
        for chunk in pieces(range, chunk) {
            let first_row = chunk.start..chunk.start.saturating_add(lanes).min(chunk.end);
            for strip in pieces(first_row, rows.width) {
                self.fold_strip(source, strip, rows, chunk.end)?;
                self.items.append(&self.accs);
            }
        }
        Ok(())
    }

    /// Folds some lanes of a chunk: `first` are their first elements, and `lanes` elements further are the next ones.
    fn fold_strip(&mut self, source: &Source<'_>, first: Range<usize>, rows: Rows, end: usize) -> Done {
        let (lanes, width) = (rows.level.lanes as usize, first.len());
        let rest = first.start.saturating_add(lanes).min(end)..end;
        self.map_strip(source, first)?;
        let (step, width) = match rows.at_once {
            1 => (lanes, width),
            // Whole rows, which are contiguous.
            rows => (rows.saturating_mul(lanes), rows.saturating_mul(lanes)),
        };
        for (row, start) in rest.step_by(step).enumerate() {
            let len = width.min(end - start);
            self.row.load(source, start..start + len, row + 1);
            self.functions.fold.accumulate(&mut self.accs, |k| self.row.arg(source, k), len, || ())?;
        }
        Ok(())
    }

    /// Appends the sums of every chunk at `range` to the items. The incomplete last chunk, if there is one, is folded by rows.
    fn sum(&mut self, source: &Source<'_>, range: Range<usize>, rows: Rows, how: Summed) -> Done {
        let chunk = rows.level.chunk as usize;
        let whole = range.start..range.end - range.len() % chunk;
        for chunks in pieces(whole.clone(), how.at_once()) {
            let len = chunks.len();
            self.row.load(source, chunks, 0);
            let out = [&mut self.accs[..], self.items.fields_mut()];
            self.functions.fold.sum(how, |k| self.row.arg(source, k), len, out)?;
        }
        self.sum_incomplete(source, whole.end..range.end, rows, how)
    }

    /// Appends the sums of a chunk that is not whole to the items.
    fn sum_incomplete(&mut self, source: &Source<'_>, chunk: Range<usize>, rows: Rows, how: Summed) -> Done {
        if chunk.is_empty() {
            return Ok(());
        }
        std::mem::swap(self.items.fields_mut(), &mut self.tail);
        self.items.clear();
        self.fold_rows(source, chunk, rows)?;
        self.items.combine(&Level::every(how.pairs() as u64, Tree::Pairs))?;
        std::mem::swap(self.items.fields_mut(), &mut self.tail);
        self.items.append(&self.tail);
        Ok(())
    }

    /// Appends the lanes of every chunk at `range` to the items; the rows of many chunks are gathered and folded together.
    fn fold_gathered(&mut self, source: &Source<'_>, range: Range<usize>, level: Level) -> Done {
        let (chunk, lanes) = (level.chunk as usize, level.lanes as usize);
        for piece in pieces(range, strip_of(self.functions.traits.strip, chunk, lanes)) {
            let rows = (0..chunk.min(piece.len())).step_by(lanes);
            self.row.load(source, piece, 0);
            for (step, row) in rows.enumerate() {
                let len = self.gather(source, [row, lanes, chunk]);
                self.fold_prepared(source, step, 0..len, || ())?;
            }
            self.items.append(&self.accs);
        }
        Ok(())
    }

    /// Appends the lanes of every chunk at `range` to the items; the rows of many chunks are deinterleaved, and first the first
    /// parts of all units are folded, then the second parts.
    fn fold_deinterleaved(&mut self, source: &Source<'_>, range: Range<usize>, level: Level) -> Done {
        let [chunk, lanes] = [level.chunk, level.lanes].map(|it| it as usize);
        let [row, width, part] = [level.row(), level.unit.width, level.unit.lanes].map(|it| it as usize);
        let strip = self.functions.traits.strip;
        // A grid may have far more lanes than there are elements.
        let most = range.len().div_ceil(width) * part;
        let room = lanes.saturating_mul((strip / lanes).max(1)).min(most);
        let how = Deinterleave { part, parts: width / part, room };
        for chunks in pieces(range, strip_of(strip, chunk, lanes)) {
            let rows = |start| pieces(chunks.clone(), chunk).map(move |chunk| row_of(chunk, start, row));
            for (number, start) in (0..chunk.min(chunks.len())).step_by(row).enumerate() {
                let len = self.deinterleave(source, rows(start), how);
                let share = len / (how.parts * self.functions.fold.operations()).max(1);
                let share = share.next_multiple_of(BLOCK);
                let mut ahead = Ahead::new(source, rows(start + row), share, self.functions.loops.prefetch);
                for k in 0..how.parts {
                    let places = k * how.room..k * how.room + how.len(len, k);
                    self.fold_prepared(source, number * how.parts + k, places, || ahead.prefetch_share())?;
                }
            }
            self.items.append(&self.accs);
        }
        Ok(())
    }

    /// Deinterleaves the units of the rows. Returns how many elements they have.
    fn deinterleave(
        &mut self,
        source: &Source<'_>,
        rows: impl Iterator<Item = Range<usize>>,
        how: Deinterleave,
    ) -> usize {
        let mut done = 0;
        for row in rows {
            let len = row.len();
            self.row.load(source, row, 0);
            for (k, to) in self.gathered.iter_mut().enumerate().filter(|(k, _)| !self.row.is_uniform(*k)) {
                (self.functions.loops.deinterleave)(self.row.arg(source, k), how, to, how.len(done, 0));
            }
            done += len;
        }
        done
    }

    /// Gathers the elements of the row at `[offset, block, stride]`. Returns how many there are.
    fn gather(&mut self, source: &Source<'_>, places: [usize; 3]) -> usize {
        for (k, to) in self.gathered.iter_mut().enumerate().filter(|(k, _)| !self.row.is_uniform(*k)) {
            (self.functions.loops.gather)(self.row.arg(source, k), places, to, 0);
        }
        self.gathered.first().map_or(0, Lanes::len)
    }

    /// Folds gathered or deinterleaved elements into lanes that have folded `step` elements each.
    fn fold_prepared(
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
        self.step.hold(Value::of(step as u64), SHARED);
        let element = |k: usize| match self.gathered.get(k) {
            Some(_) if self.row.is_uniform(k) => self.row.arg(source, k),
            Some(gathered) => gathered.borrow().slice(places.clone()),
            None => self.step.borrow(),
        };
        match step {
            0 => self.functions.map.run_into(element, len, &mut self.accs),
            _ => self.functions.fold.accumulate(&mut self.accs, element, len, between),
        }
    }
}

/// The row that begins `start` elements after the start of a chunk, as far as the chunk has one.
fn row_of(chunk: Range<usize>, start: usize, row: usize) -> Range<usize> {
    let [start, end] = [start, start + row].map(|at| (chunk.start + at).min(chunk.end));
    start..end
}
