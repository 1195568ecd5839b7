//! Accumulators that record only whether they are defined: for counts and races, at the least cost.

use super::domain::{Acc, Domain, Refused};
use super::warp::{PerLane, each};
use reduce_ir::operation::Operation;

/// A domain of accumulators without content.
pub struct Shapes {
    fill: bool,
}

impl Shapes {
    /// Creates the domain for an operation.
    pub fn new(operation: &Operation) -> Shapes {
        Shapes { fill: operation.fill.is_some() }
    }
}

impl Domain for Shapes {
    fn empty(&mut self) -> Option<Acc> {
        self.fill.then(|| Acc::number(0))
    }

    fn map(&mut self, _: &[PerLane<u64>], lanes: u32, out: &mut PerLane<Option<Acc>>) -> Result<(), Refused> {
        each(lanes).for_each(|lane| out[lane] = Some(Acc::number(0)));
        Ok(())
    }

    fn combine(
        &mut self,
        _: &PerLane<Option<Acc>>,
        _: &PerLane<Option<Acc>>,
        lanes: u32,
        out: &mut PerLane<Option<Acc>>,
    ) -> Result<(), Refused> {
        self.map(&[], lanes, out)
    }

    fn fold(
        &mut self,
        _: &PerLane<Option<Acc>>,
        args: &[PerLane<u64>],
        lanes: u32,
        out: &mut PerLane<Option<Acc>>,
    ) -> Result<(), Refused> {
        self.map(args, lanes, out)
    }

    fn redux(&mut self, _: &PerLane<Option<Acc>>, lanes: u32, out: &mut Option<Acc>) -> Result<(), Refused> {
        *out = (lanes != 0).then(|| Acc::number(0));
        Ok(())
    }
}
