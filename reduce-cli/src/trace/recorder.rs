//! A domain of the interpreter that records the history of accumulators, without values: how, when and by which
//! thread each one was made.

use super::items::Items;
use reduce_interpreter::{Acc, Domain, Event, PerLane, Refused, halved};
use reduce_ir::statements::{Part, Stmt};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The accumulators of a run, numbered in the order in which they were made. [`Values`](reduce_interpreter::Values)
/// numbers its accumulators alike.
#[derive(Debug)]
pub(super) struct Recorder<'a> {
    /// Whether number 0 is the accumulator of no element.
    fill: bool,
    items: &'a Items,
    made: &'a RefCell<Vec<Made>>,
}

/// The record of an accumulator.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made {
    /// The operands.
    pub(super) of: Origin,
    /// The number of elements in it.
    pub(super) elements: u64,
    /// The lane that made it. The event that follows completes `by`.
    lane: usize,
    pub(super) by: Maker,
}

/// The operands of an accumulator.
#[derive(Clone, Copy, Debug)]
pub(super) enum Origin {
    /// No element.
    Nothing,
    /// That item.
    Element(u64),
    /// Two accumulators.
    Pair(usize, usize),
    /// An accumulator and that item, by `fold`.
    Folded(usize, u64),
}

/// The time and the thread at which an accumulator was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Maker {
    /// The launch, from 0.
    pub(super) launch: usize,
    pub(super) block: u64,
    pub(super) part: Part,
    /// The step of the block, from 0: the same statement in the same turn of its loop.
    pub(super) step: usize,
    pub(super) thread: usize,
}

/// A recorded launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Launched {
    pub(super) kernel: &'static str,
    pub(super) grid: u64,
    pub(super) items: u64,
}

/// The state of the callback, which tells when accumulators were made.
#[derive(Debug, Default)]
pub(super) struct Watch {
    pub(super) launches: Vec<Launched>,
    /// The number of times that each warp has executed a statement that makes accumulators.
    turns: BTreeMap<(usize, u64, u32, usize), usize>,
    /// The steps of each block: statements and their turns.
    steps: BTreeMap<(usize, u64), Vec<(usize, usize)>>,
    seen: usize,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(fill: bool, items: &'a Items, made: &'a RefCell<Vec<Made>>) -> Recorder<'a> {
        if fill {
            made.borrow_mut().push(Made::new(Origin::Nothing, 0, 0));
        }
        Recorder { fill, items, made }
    }

    /// Returns the item that a lane passes to a function.
    fn item(&self, args: &[PerLane<u64>], lane: usize) -> Result<u64, Refused> {
        let place = |input: usize| args.get(input).map_or(0, |arg| arg[lane]);
        self.items.at(args, lane).ok_or_else(|| Refused::MixedPositions(place(0), place(1)))
    }

    fn push(&self, of: Origin, lane: usize) -> Option<Acc> {
        let mut made = self.made.borrow_mut();
        let elements = match of {
            Origin::Nothing => 0,
            Origin::Element(_) => 1,
            Origin::Pair(a, b) => made[a].elements + made[b].elements,
            Origin::Folded(a, _) => made[a].elements + 1,
        };
        made.push(Made::new(of, elements, lane));
        Some(Acc::number(made.len() - 1))
    }
}

impl Made {
    fn new(of: Origin, elements: u64, lane: usize) -> Made {
        let by = Maker { launch: 0, block: 0, part: Part::Fold, step: 0, thread: 0 };
        Made { of, elements, lane, by }
    }
}

impl Domain for Recorder<'_> {
    fn empty(&mut self) -> Option<Acc> {
        self.fill.then(|| Acc::number(0))
    }

    fn map(
        &mut self,
        args: &[PerLane<u64>],
        lanes: u32,
        out: &mut PerLane<Option<Acc>>,
    ) -> Result<(), Refused> {
        each(lanes).try_for_each(|lane| {
            out[lane] = self.push(Origin::Element(self.item(args, lane)?), lane);
            Ok(())
        })
    }

    fn combine(
        &mut self,
        a: &PerLane<Option<Acc>>,
        b: &PerLane<Option<Acc>>,
        lanes: u32,
        out: &mut PerLane<Option<Acc>>,
    ) -> Result<(), Refused> {
        for lane in each(lanes) {
            let pair = a[lane].zip(b[lane]);
            out[lane] = pair.and_then(|(a, b)| self.push(Origin::Pair(a.get(), b.get()), lane));
        }
        Ok(())
    }

    fn fold(
        &mut self,
        acc: &PerLane<Option<Acc>>,
        args: &[PerLane<u64>],
        lanes: u32,
        out: &mut PerLane<Option<Acc>>,
    ) -> Result<(), Refused> {
        each(lanes).try_for_each(|lane| {
            let item = self.item(args, lane)?;
            out[lane] = acc[lane].and_then(|acc| self.push(Origin::Folded(acc.get(), item), lane));
            Ok(())
        })
    }

    fn redux(
        &mut self,
        accs: &PerLane<Option<Acc>>,
        lanes: u32,
        out: &mut Option<Acc>,
    ) -> Result<(), Refused> {
        *out = halved(accs, lanes, |lane, a, b| Ok(self.push(Origin::Pair(a.get(), b.get()), lane)))?;
        Ok(())
    }
}

/// Gives each folded element an accumulator of its own, after all others, so that only pairs are left.
pub(super) fn expand_folds(made: &mut Vec<Made>, mut element: impl FnMut(u64) -> Option<Acc>) {
    for number in 0..made.len() {
        if let Origin::Folded(acc, position) = made[number].of
            && let Some(element) = element(position)
        {
            let alone = Made { of: Origin::Element(position), elements: 1, ..made[number] };
            made[number].of = Origin::Pair(acc, element.get());
            made.push(alone);
        }
    }
}

fn each(lanes: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| lanes >> lane & 1 == 1)
}

impl Watch {
    /// Records the launch, the step and the threads of the accumulators that a statement has made.
    pub(super) fn event(&mut self, event: &Event<'_>, made: &RefCell<Vec<Made>>) {
        let launched = Launched { kernel: event.kernel, grid: event.grid, items: event.items };
        if self.launches.last() != Some(&launched) {
            self.launches.push(launched);
        }
        let mut made = made.borrow_mut();
        let new = self.seen..made.len();
        self.seen = made.len();
        if new.is_empty() {
            return;
        }
        let launch = self.launches.len() - 1;
        let step = self.step(launch, event);
        for made in &mut made[new] {
            let thread = 32 * event.warp as usize + made.lane;
            made.by = Maker { launch, block: event.block, part: event.part, step, thread };
        }
    }

    fn step(&mut self, launch: usize, event: &Event<'_>) -> usize {
        let statement = std::ptr::from_ref::<Stmt>(event.statement).addr();
        let turns = self.turns.entry((launch, event.block, event.warp, statement)).or_default();
        let key = (statement, *turns);
        *turns += 1;
        let steps = self.steps.entry((launch, event.block)).or_default();
        steps.iter().position(|&step| step == key).unwrap_or_else(|| {
            steps.push(key);
            steps.len() - 1
        })
    }
}
