//! Who made which accumulator of what: a domain of the interpreter that keeps the history and no values.

use reduce_interpreter::{Acc, Domain, Event, PerLane, Refused, halved};
use reduce_ir::statements::{Part, Stmt};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The accumulators of a run, by number: in the order in which they were made, as
/// [`Values`](reduce_interpreter::Values) numbers them.
#[derive(Debug)]
pub(super) struct Recorder<'a> {
    /// Is number 0 that of no element?
    fill: bool,
    made: &'a RefCell<Vec<Made>>,
}

/// An accumulator.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made {
    /// What it was made of.
    pub(super) of: Of,
    /// How many elements are in it.
    pub(super) elements: u64,
    /// The lane that made it; then, with the event that follows, who that is.
    lane: usize,
    pub(super) by: By,
}

/// What an accumulator is made of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Of {
    /// No element.
    Nothing,
    /// The element at that position.
    Element(u64),
    /// Two accumulators.
    Pair(usize, usize),
    /// An accumulator and the element at that position, by `fold`.
    Folded(usize, u64),
}

/// When and by whom an accumulator was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct By {
    /// Which launch, from 0.
    pub(super) launch: usize,
    pub(super) block: u64,
    pub(super) part: Part,
    /// Which step of the block, from 0: the same statement in the same turn of its loop.
    pub(super) step: usize,
    pub(super) thread: usize,
}

/// A launch that was watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Launched {
    pub(super) kernel: &'static str,
    pub(super) grid: u64,
    pub(super) items: u64,
}

/// What tells when an accumulator was made.
#[derive(Debug, Default)]
pub(super) struct Watch {
    pub(super) launches: Vec<Launched>,
    /// How often each warp has executed a statement that makes something.
    turns: BTreeMap<(usize, u64, u32, usize), usize>,
    /// Which step that is in its block.
    steps: BTreeMap<(usize, u64), Vec<(usize, usize)>>,
    seen: usize,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(fill: bool, made: &'a RefCell<Vec<Made>>) -> Recorder<'a> {
        if fill {
            made.borrow_mut().push(Made::new(Of::Nothing, 0, 0));
        }
        Recorder { fill, made }
    }

    fn push(&self, of: Of, lane: usize) -> Option<Acc> {
        let mut made = self.made.borrow_mut();
        let elements = match of {
            Of::Nothing => 0,
            Of::Element(_) => 1,
            Of::Pair(a, b) => made[a].elements + made[b].elements,
            Of::Folded(a, _) => made[a].elements + 1,
        };
        made.push(Made::new(of, elements, lane));
        Some(Acc::number(made.len() - 1))
    }
}

impl Made {
    fn new(of: Of, elements: u64, lane: usize) -> Made {
        let by = By { launch: 0, block: 0, part: Part::Fold, step: 0, thread: 0 };
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
        let position = |lane: usize| args.first().map_or(0, |arg| arg[lane]);
        each(lanes).for_each(|lane| out[lane] = self.push(Of::Element(position(lane)), lane));
        Ok(())
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
            out[lane] = pair.and_then(|(a, b)| self.push(Of::Pair(a.get(), b.get()), lane));
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
        let position = |lane: usize| args.first().map_or(0, |arg| arg[lane]);
        for lane in each(lanes) {
            out[lane] = acc[lane].and_then(|acc| self.push(Of::Folded(acc.get(), position(lane)), lane));
        }
        Ok(())
    }

    fn redux(
        &mut self,
        accs: &PerLane<Option<Acc>>,
        lanes: u32,
        out: &mut Option<Acc>,
    ) -> Result<(), Refused> {
        *out = halved(accs, lanes, |lane, a, b| Ok(self.push(Of::Pair(a.get(), b.get()), lane)))?;
        Ok(())
    }
}

/// Gives the elements that were folded accumulators of their own, behind all others, so that only pairs are left.
pub(super) fn named_elements(made: &mut Vec<Made>, mut element: impl FnMut(u64) -> Option<Acc>) {
    for number in 0..made.len() {
        if let Of::Folded(acc, position) = made[number].of
            && let Some(element) = element(position)
        {
            let alone = Made { of: Of::Element(position), elements: 1, ..made[number] };
            made[number].of = Of::Pair(acc, element.get());
            made.push(alone);
        }
    }
}

fn each(lanes: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| lanes >> lane & 1 == 1)
}

impl Watch {
    /// Takes note of who executed a statement, and with that made what is new.
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
            made.by = By { launch, block: event.block, part: event.part, step, thread };
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
