//! A domain of values that also records which accumulators each accumulator was made of.

use reduce_interpreter::{Acc, Domain, PerLane, Refused, Values};
use std::cell::RefCell;

/// A combination: the lane, and the accumulators on both sides. A fold has one side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Made {
    pub(crate) lane: usize,
    pub(crate) sides: [Option<Acc>; 2],
}

/// Values, and the combinations since the last event.
pub(crate) struct Recording<'a> {
    pub(crate) values: Values<'a>,
    pub(crate) made: &'a RefCell<Vec<Made>>,
}

impl Recording<'_> {
    fn record(&self, lanes: u32, sides: [&PerLane<Option<Acc>>; 2]) {
        let made = |lane: usize| Made { lane, sides: sides.map(|side| side[lane]) };
        let active = (0..32).filter(|lane| lanes >> lane & 1 == 1);
        self.made.borrow_mut().extend(active.map(made));
    }
}

impl Domain for Recording<'_> {
    fn empty(&mut self) -> Option<Acc> {
        self.values.empty()
    }

    fn map(
        &mut self,
        args: &[PerLane<u64>],
        lanes: u32,
        out: &mut PerLane<Option<Acc>>,
    ) -> Result<(), Refused> {
        self.values.map(args, lanes, out)
    }

    fn combine(
        &mut self,
        a: &PerLane<Option<Acc>>,
        b: &PerLane<Option<Acc>>,
        lanes: u32,
        out: &mut PerLane<Option<Acc>>,
    ) -> Result<(), Refused> {
        self.record(lanes, [a, b]);
        self.values.combine(a, b, lanes, out)
    }

    fn fold(
        &mut self,
        acc: &PerLane<Option<Acc>>,
        args: &[PerLane<u64>],
        lanes: u32,
        out: &mut PerLane<Option<Acc>>,
    ) -> Result<(), Refused> {
        self.record(lanes, [acc, &[None; 32]]);
        self.values.fold(acc, args, lanes, out)
    }

    fn redux(
        &mut self,
        accs: &PerLane<Option<Acc>>,
        lanes: u32,
        out: &mut Option<Acc>,
    ) -> Result<(), Refused> {
        self.values.redux(accs, lanes, out)
    }
}
