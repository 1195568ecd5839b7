//! The items of a batch, and the levels of the association that combine them.
//!
//! Every level comes down to one step: right items are combined into left items, lane by lane, and a left item without a right
//! one stays as it is. Only the last items of the last chunk can be absent, so the right items are always a prefix.

use super::functions::CompiledFunctions;
use super::schedule::side_by_side;
use super::source::pieces;
use reduce_ir::program::{Level, Runs, Tree};
use reduce_lanes::eval::Accumulator;
use reduce_lanes::{LaneError, Lanes, Loops, Places, collect};
use std::ops::Range;

type Done = Result<(), LaneError>;

/// Items, one vector of lanes for each field of the accumulator.
#[derive(Clone, Debug)]
pub(super) struct Items {
    loops: Loops,
    combine: Accumulator,
    /// Lanes that are combined at once.
    strip: usize,
    /// The groups whose items lie side by side: item i of group g is at `i * groups + g`.
    groups: usize,
    items: Vec<Lanes>,
    /// The items of the next level.
    next: Vec<Lanes>,
    /// Left and right items of one step.
    left: Vec<Lanes>,
    right: Vec<Lanes>,
}

impl Items {
    /// No items, to be combined by these functions.
    pub(super) fn new(functions: &CompiledFunctions) -> Items {
        let fields: Vec<_> = functions.fields.iter().map(|&ty| Lanes::empty(ty)).collect();
        Items {
            loops: functions.loops,
            combine: functions.combine.clone(),
            strip: functions.traits.strip_of_items,
            groups: 1,
            items: fields.clone(),
            next: fields.clone(),
            left: fields.clone(),
            right: fields,
        }
    }

    /// The fields of all items.
    pub(super) fn fields(&self) -> &[Lanes] {
        &self.items
    }

    /// The fields of all items, for a loop that appends to them.
    pub(super) fn fields_mut(&mut self) -> &mut Vec<Lanes> {
        &mut self.items
    }

    /// Sets the number of groups whose items lie side by side. Levels count the items of all of them.
    pub(super) fn set_groups(&mut self, groups: usize) {
        self.groups = groups;
    }

    /// Removes all items.
    pub(super) fn clear(&mut self) {
        self.items.iter_mut().for_each(Lanes::clear);
    }

    /// Appends items. A field may be given as a block of one value.
    pub(super) fn append(&mut self, more: &[Lanes]) {
        append(self.loops, more, &mut self.items);
    }

    /// Combines the items of `groups` groups, which lie one group after the other, as the levels say. Leaves them side by side.
    pub(super) fn combine_in_turn(&mut self, levels: &[Level], groups: usize) -> Done {
        let mut each = (self.len() / groups) as u64;
        let mut levels = levels.iter().peekable();
        // Chunks that cross no end of a group are those of the level.
        while let Some(level) = levels.next_if(|level| each.is_multiple_of(level.chunk)) {
            self.combine(level)?;
            each = level.outputs(each);
        }
        self.put_side_by_side(each as usize, groups);
        self.groups = groups;
        levels.try_for_each(|level| self.combine(&side_by_side(*level, groups)))
    }

    /// Puts the items of groups of `each` items side by side, which lie one group after the other.
    fn put_side_by_side(&mut self, each: usize, groups: usize) {
        if each < 2 || groups < 2 {
            return;
        }
        let outer = Places::Even { first: 0, step: 1, len: each };
        let inner = Places::Even { first: 0, step: each as isize, len: groups };
        for (from, to) in self.items.iter().zip(&mut self.next) {
            collect(from.borrow(), 0, [&outer, &inner], to);
        }
        std::mem::swap(&mut self.items, &mut self.next);
    }

    /// The number of items.
    fn len(&self) -> usize {
        self.items.first().map_or(0, Lanes::len)
    }

    /// Combines the items as the level says.
    pub(super) fn combine(&mut self, level: &Level) -> Done {
        let (chunk, lanes) = (level.chunk as usize, level.lanes as usize);
        match level.tree {
            // `Any` permits every order.
            Tree::Serial | Tree::Any if level.is_cut_in_runs() => self.combine_runs(lanes),
            Tree::Serial | Tree::Any => self.combine_rows(chunk, lanes),
            Tree::Halving if self.combine_by_halves(level)? => Ok(()),
            Tree::Halving => halves(level).try_for_each(|half| self.pairwise_step(half * lanes)),
            Tree::Pairs => halves(level).try_for_each(|_| self.pairwise_step(lanes)),
        }
    }

    /// Combines by halves the items of groups side by side. Returns false if there is no loop for that.
    fn combine_by_halves(&mut self, level: &Level) -> Result<bool, LaneError> {
        let shape = [level.group() as usize, level.lanes as usize];
        self.next.iter_mut().for_each(Lanes::clear);
        let is_done = self.combine.pairwise_tree(&self.items, shape, &mut self.next)?;
        if is_done {
            std::mem::swap(&mut self.items, &mut self.next);
        }
        Ok(is_done)
    }

    /// Combines, of every `2 half` items, the first half with the second.
    fn pairwise_step(&mut self, half: usize) -> Done {
        if self.len() <= half {
            return Ok(());
        }
        if !self.combine.pairwise_step(&self.items, half, &mut self.next)? {
            return self.combine_rows(2 * half, half);
        }
        std::mem::swap(&mut self.items, &mut self.next);
        Ok(())
    }

    /// Combines the rows of every chunk, each of `lanes` items, one after the other.
    fn combine_rows(&mut self, chunk: usize, lanes: usize) -> Done {
        if self.items.first().is_none_or(|items| items.len() <= lanes) {
            return Ok(());
        }
        std::mem::swap(&mut self.items, &mut self.next);
        self.clear();
        for piece in pieces(0..self.next[0].len(), strip_of(self.strip, chunk, lanes)) {
            gather(self.loops, &self.next, piece.clone(), [0, lanes, chunk], &mut self.left);
            for row in (lanes..chunk).step_by(lanes) {
                let len = gather(self.loops, &self.next, piece.clone(), [row, lanes, chunk], &mut self.right);
                if len == 0 {
                    break;
                }
                self.combine.accumulate(&mut self.left, |k| self.right[k].borrow(), len, || ())?;
            }
            append(self.loops, &self.left, &mut self.items);
        }
        Ok(())
    }

    /// Combines the items of each of `lanes` runs, one after the other.
    fn combine_runs(&mut self, lanes: usize) -> Done {
        let (len, lanes) = (self.len() / self.groups, lanes / self.groups);
        let runs = Runs::of(len as u64, lanes as u64);
        self.gather_from_runs(runs, 0);
        std::mem::swap(&mut self.left, &mut self.right);
        for at in 1..len.div_ceil(lanes) {
            let len = self.gather_from_runs(runs, at);
            self.combine.accumulate(&mut self.left, |k| self.right[k].borrow(), len, || ())?;
        }
        self.clear();
        append(self.loops, &self.left, &mut self.items);
        Ok(())
    }

    /// Sets `right` to item `at` of each run that has one. Returns how many there are.
    fn gather_from_runs(&mut self, runs: Runs, at: usize) -> usize {
        let [share, longer] = [runs.share, runs.longer].map(|it| it as usize);
        let (groups, gather) = (self.groups, self.loops.gather);
        for (right, items) in self.right.iter_mut().zip(&self.items) {
            let (items, end) = (items.borrow(), longer * (share + 1) * groups);
            gather(items.slice(0..end), [at * groups, groups, (share + 1) * groups], right, 0);
            if at < share {
                let gathered = right.len();
                let places = [at * groups, groups, share * groups];
                gather(items.slice(end..items.len()), places, right, gathered);
            }
        }
        self.right.first().map_or(0, Lanes::len)
    }
}

fn append(loops: Loops, more: &[Lanes], items: &mut [Lanes]) {
    let len = more.iter().map(Lanes::len).max().unwrap_or(0);
    for (items, more) in items.iter_mut().zip(more) {
        (loops.append)(more.borrow(), len, items);
    }
}

/// Sets `out` to the items at `[offset, block, stride]` of a piece. Returns how many there are.
fn gather(
    loops: Loops,
    items: &[Lanes],
    piece: Range<usize>,
    places: [usize; 3],
    out: &mut [Lanes],
) -> usize {
    for (out, items) in out.iter_mut().zip(items) {
        (loops.gather)(items.borrow().slice(piece.clone()), places, out, 0);
    }
    out.first().map_or(0, Lanes::len)
}

/// Elements of whole chunks whose lanes fill a strip.
pub(super) fn strip_of(strip: usize, chunk: usize, lanes: usize) -> usize {
    chunk.saturating_mul((strip / lanes).max(1))
}

/// Half the rows of a chunk, half of those, …, 1.
fn halves(level: &Level) -> impl Iterator<Item = usize> + use<> {
    let group = level.group() as usize;
    std::iter::successors(Some(group / 2), |half| Some(half / 2)).take_while(|&half| half > 0)
}
