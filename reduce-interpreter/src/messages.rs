//! Messages: accumulators that blocks of a cluster send to each other's shared memory, and the number of delivered
//! ones. Receiving a message makes it visible, but no other writes of its sender.

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
    /// The expected number of messages, once it is known.
    expected: Option<u64>,
    delivered: u64,
}

impl Mail {
    /// Returns whether all expected messages have been delivered.
    pub(super) fn is_complete(&self) -> bool {
        self.expected.is_some_and(|expected| self.delivered >= expected)
    }
}

impl Machine<'_, '_> {
    /// Declares the number of messages that this block expects.
    pub(super) fn expect(&mut self, cluster: &mut Cluster, here: Here, messages: &ScalarExpr) {
        let messages = self.scalar(cluster, here, messages);
        let late =
            if cluster.blocks[here.rank].met { here.lanes } else { here.lanes & here.warp(cluster).arrived };
        self.report(
            cluster,
            here,
            Kind::Unexpected,
            late,
            "the thread has arrived already, so messages may be on their way",
        );
        for lane in each(here.lanes) {
            let before = cluster.blocks[here.rank].mail.expected.replace(messages[lane]);
            if before.is_some() {
                let detail = "the block expects messages already; declare their number once";
                self.report(cluster, here, Kind::Unexpected, 1 << lane, detail);
            }
        }
    }

    /// Sends accumulators to blocks that expect them.
    pub(super) fn send(&mut self, cluster: &mut Cluster, here: Here, at: &At, value: &AccExpr) {
        let value = self.checked_acc(cluster, here, value);
        let targets = self.locate(cluster, here, at);
        self.count(cluster, here, Direction::Store, &targets);
        let early = if cluster.blocks[here.rank].met { 0 } else { targets.inside };
        let detail = "the receiver may not expect it yet; write a cluster barrier first";
        self.report(cluster, here, Kind::Unexpected, early, detail);
        let mut conflicts = Vec::new();
        for lane in each(targets.inside) {
            let to = &mut cluster.blocks[targets.rank[lane] as usize];
            let (more, number) = (to.mail.expected.is_some() && !to.mail.is_complete(), to.number);
            to.mail.delivered += 1;
            if !more {
                self.report(
                    cluster,
                    here,
                    Kind::Unexpected,
                    1 << lane,
                    "the receiver expects no more messages",
                );
            }
            let sender = here.access(cluster.number, &cluster.blocks[here.rank], lane);
            let access = Access { to: Some(number as u32), ..sender };
            let cell = targets.cell(&mut self.memory, &mut cluster.shared, lane);
            conflicts.extend(cell.write(&access, value[lane]).map(|conflict| (lane, conflict)));
        }
        self.effect(|_| targets.written(&value));
        self.conflicts(cluster, here, &conflicts, "writes");
    }

    /// Makes the messages delivered to this block visible.
    pub(super) fn receive(cluster: &mut Cluster, here: Here) {
        let clocks = &mut cluster.blocks[here.rank].clocks;
        each(here.lanes).for_each(|lane| clocks.receive(here.thread(lane)));
    }
}
