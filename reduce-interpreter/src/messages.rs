//! Messages: accumulators that blocks of a cluster send to each other's shared memory, and a count of those that have come.
//! Each is written by nobody but itself, so that who receives it sees it, and nothing else that its sender did.

use super::block::Cluster;
use super::count::Direction;
use super::execute::Here;
use super::expr::{AccExpr, ScalarExpr};
use super::machine::Machine;
use super::memory::Access;
use super::op::At;
use super::report::Kind;
use super::warp::each;

/// The messages of a block.
#[derive(Default)]
pub(super) struct Mail {
    /// How many there will be, once it is known.
    expected: Option<u64>,
    come: u64,
}

impl Mail {
    /// Have all come?
    pub(super) fn has_come(&self) -> bool {
        self.expected.is_some_and(|expected| self.come >= expected)
    }
}

impl Machine<'_, '_> {
    /// This block expects so many.
    pub(super) fn expect(&mut self, team: &mut Cluster, here: Here, messages: &ScalarExpr) {
        let messages = self.scalar(team, here, messages);
        let late = if team.blocks[here.rank].met { here.lanes } else { here.lanes & here.warp(team).arrived };
        self.report(team, here, Kind::Unexpected, late, "it has arrived, so that messages may have come");
        for lane in each(here.lanes) {
            let before = team.blocks[here.rank].mail.expected.replace(messages[lane]);
            if before.is_some() {
                let detail = "the block expects messages already, and counts them once";
                self.report(team, here, Kind::Unexpected, 1 << lane, detail);
            }
        }
    }

    /// Sends accumulators to blocks that expect them.
    pub(super) fn send(&mut self, team: &mut Cluster, here: Here, at: &At, value: &AccExpr) {
        let value = self.used(team, here, value);
        let spots = self.locate(team, here, at);
        self.count(team, here, Direction::Store, &spots);
        let early = if team.blocks[here.rank].met { 0 } else { spots.inside };
        let detail = "no block may expect it yet: a cluster barrier comes first";
        self.report(team, here, Kind::Unexpected, early, detail);
        let mut conflicts = Vec::new();
        for lane in each(spots.inside) {
            let to = &mut team.blocks[spots.rank[lane] as usize];
            let (more, number) = (to.mail.expected.is_some() && !to.mail.has_come(), to.number);
            to.mail.come += 1;
            if !more {
                self.report(team, here, Kind::Unexpected, 1 << lane, "the block expects no more messages");
            }
            let sender = here.access(team.number, &team.blocks[here.rank], lane);
            let access = Access { to: Some(number as u32), ..sender };
            let cell = spots.cell(&mut self.memory, &mut team.shared, lane);
            conflicts.extend(cell.write(&access, value[lane]).map(|conflict| (lane, conflict)));
        }
        self.conflicts(team, here, &conflicts, "writes");
    }

    /// Sees the messages that have come to this block.
    pub(super) fn receive(team: &mut Cluster, here: Here) {
        let clocks = &mut team.blocks[here.rank].clocks;
        each(here.lanes).for_each(|lane| clocks.receive(here.thread(lane)));
    }
}
