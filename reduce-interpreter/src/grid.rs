//! The blocks of a launch: which are in flight, which warp goes next, and what happens when none can go on.

use super::block::{Cluster, Rest};
use super::machine::{Flow, Machine};
use super::memory::Access;
use super::op::Op;
use super::report::{Kind, ThreadId};
use super::schedule::Warps;
use super::stuck::Stopped;
use super::sync::Party;
use reduce_ir::statements::Barrier;

/// Blocks in flight, where blocks can see each other; elsewhere they run one after the other.
const IN_FLIGHT: usize = 8;

/// The most statements in a row of one warp, if it does nothing that others could wait for; in a random schedule,
/// where others are to come between them, and in the others.
const TURNS: [usize; 2] = [32, 256];

/// What is left to do.
struct Flight {
    /// The clusters to start, the next one last.
    pending: Vec<u64>,
    running: Vec<Cluster>,
    /// Memory of clusters that have ended.
    spare: Vec<Cluster>,
    /// The warp that went last.
    last: Option<Turn>,
}

/// A warp in flight: its cluster's place, its block's rank, its number.
type Turn = (usize, usize, usize);

impl Flight {
    /// The warps that can go on, of the blocks wanted.
    fn able(&self, wanted: impl Fn(u64) -> bool) -> Vec<Turn> {
        let mut able = Vec::new();
        for (c, cluster) in self.running.iter().enumerate() {
            for (b, block) in cluster.blocks.iter().enumerate().filter(|(_, block)| wanted(block.number)) {
                let warps = block.warps.iter().enumerate().filter(|(_, warp)| warp.runs());
                able.extend(warps.map(|(w, _)| (c, b, w)));
            }
        }
        able
    }

    /// Does a warp only look for what is not there yet?
    fn polls(&self, (cluster, block, warp): Turn) -> bool {
        self.running[cluster].blocks[block].warps[warp].polls
    }
}

impl Machine<'_, '_> {
    /// Runs every block.
    pub(super) fn grid(&mut self) -> Result<(), Stopped> {
        let room = if self.code.concurrent { IN_FLIGHT } else { 1 };
        let mut flight = Flight { pending: self.order(), running: Vec::new(), spare: Vec::new(), last: None };
        loop {
            while flight.running.len() < room
                && let Some(number) = flight.pending.pop()
            {
                self.start(&mut flight, number);
            }
            if flight.running.is_empty() {
                return Ok(());
            }
            match self.next(&mut flight) {
                Some((cluster, rank, warp)) => {
                    self.turn(&mut flight.running[cluster], rank, warp)?;
                    self.settle(&mut flight, cluster)?;
                }
                None => self.settle(&mut flight, 0)?,
            }
        }
    }

    /// The clusters, the first to start last; the one that is held back starts at the end.
    fn order(&mut self) -> Vec<u64> {
        let size = u64::from(self.code.kernel.cluster.max(1));
        let mut order: Vec<_> = (0..self.setting.grid / size).collect();
        match self.schedule.warps {
            Warps::Forward => order.reverse(),
            Warps::Backward => {}
            Warps::Random(_) => {
                (1..order.len()).for_each(|at| order.swap(at, self.random.below(at + 1)));
            }
        }
        let held = self.schedule.last.and_then(|block| order.iter().position(|&it| it == block / size));
        if let Some(at) = held {
            let cluster = order.remove(at);
            order.insert(0, cluster);
        }
        order
    }

    fn start(&mut self, flight: &mut Flight, number: u64) {
        let cluster = match flight.spare.pop() {
            Some(mut cluster) => {
                cluster.restart(number, self.code);
                cluster
            }
            None => Cluster::new(number, self.code),
        };
        flight.running.push(cluster);
    }

    /// The warp that goes next; one of the block that is held back only if no other can go on.
    fn next(&mut self, flight: &mut Flight) -> Option<Turn> {
        let is_held = |block| Some(block) == self.schedule.last;
        let mut able = flight.able(|block| !is_held(block));
        if able.iter().all(|&turn| flight.polls(turn)) {
            let held = flight.able(is_held);
            able = if held.is_empty() { able } else { held };
        }
        let after = |turn: &&Turn| flight.last.is_none_or(|last| **turn > last);
        let before = |turn: &&Turn| flight.last.is_none_or(|last| **turn < last);
        let next = match self.schedule.warps {
            Warps::Forward => able.iter().find(after).or(able.first()),
            Warps::Backward => able.iter().rev().find(before).or(able.last()),
            Warps::Random(_) if able.is_empty() => None,
            Warps::Random(_) => able.get(self.random.below(able.len())),
        };
        flight.last = next.copied();
        flight.last
    }

    /// A warp runs until it waits, ends, does what others may wait for, or has run for long.
    fn turn(&mut self, cluster: &mut Cluster, rank: usize, warp: usize) -> Result<(), Stopped> {
        let most = match self.schedule.warps {
            Warps::Random(_) => 1 + self.random.below(TURNS[0]),
            Warps::Forward | Warps::Backward => TURNS[1],
        };
        for _ in 0..most {
            let group = cluster.blocks[rank].warps[warp].pick(self.schedule, &mut self.random);
            let Some(group) = group else { break };
            if self.step(cluster, rank, warp, group) == Flow::Seen {
                break;
            }
        }
        self.patience(cluster, rank, warp)
    }

    /// Lets a cluster whose threads all wait or have ended go on, or end.
    fn settle(&mut self, flight: &mut Flight, at: usize) -> Result<(), Stopped> {
        let cluster = &mut flight.running[at];
        for rank in 0..cluster.blocks.len() {
            self.settle_block(cluster, rank)?;
        }
        if cluster.blocks.iter().all(|block| block.ended) {
            let cluster = flight.running.remove(at);
            flight.spare.push(cluster);
            return Ok(());
        }
        if cluster.runs() { Ok(()) } else { self.meet_cluster(cluster) }
    }

    /// A block whose threads all wait at one block barrier passes it; one whose threads have all ended ends.
    fn settle_block(&mut self, cluster: &mut Cluster, rank: usize) -> Result<(), Stopped> {
        if cluster.blocks[rank].runs() || cluster.blocks[rank].ended {
            return Ok(());
        }
        match cluster.blocks[rank].rest() {
            Rest::Ended => self.end(cluster, rank),
            Rest::Together(pc) if !self.is_wide(pc) => return self.stuck(cluster),
            Rest::Together(pc) => {
                let block = &mut cluster.blocks[rank];
                if let Op::Vote { into } = self.code.ops[pc] {
                    block.vote(into);
                }
                if matches!(self.code.ops[pc], Op::Barrier(Barrier::Block) | Op::Vote { .. }) {
                    block.tally.barrier(self.code.sources[pc].part);
                    block.clocks.meet_all();
                    block.release();
                }
            }
            Rest::Apart => return self.stuck(cluster),
        }
        Ok(())
    }

    /// All blocks of a cluster wait at one barrier of the cluster, or for ever: so they do for threads that have not
    /// arrived, and at a barrier between arrival and wait, which share its count.
    fn meet_cluster(&mut self, cluster: &mut Cluster) -> Result<(), Stopped> {
        let mut places = cluster.blocks.iter().map(|block| match block.rest() {
            Rest::Together(pc) => Some(pc),
            Rest::Ended | Rest::Apart => None,
        });
        let first = places.next().flatten();
        let Some(pc) = first.filter(|&pc| places.all(|other| other == Some(pc))) else {
            return self.stuck(cluster);
        };
        let waits = matches!(self.code.ops[pc], Op::Wait);
        let arrived = if waits { self.code.kernel.block } else { 0 };
        if cluster.blocks.iter().any(|block| block.arrived() != arrived) {
            return self.stuck(cluster);
        }
        self.tally.part(self.code.sources[pc].part).cluster_barriers += 1;
        if waits {
            cluster.run()
        } else {
            cluster.meet()
        }
        Ok(())
    }

    /// A block ends: nothing may access its shared memory any more.
    fn end(&mut self, cluster: &mut Cluster, rank: usize) {
        let Cluster { number, blocks, shared } = cluster;
        let block = &mut blocks[rank];
        block.ended = true;
        self.tally.end(&block.tally);
        if self.code.kernel.cluster <= 1 {
            return;
        }
        block.clocks.meet_all();
        let by = Party { cluster: *number as u32, block: block.number as u32, thread: 0 };
        let access = Access { by, pc: 0, clocks: &block.clocks, to: None };
        let visits: Vec<_> =
            shared[rank].iter().flatten().filter_map(|cell| cell.unordered_visit(&access)).collect();
        let block = block.number;
        for visit in visits {
            let visitor = ThreadId { block: visit.block.into(), thread: visit.thread };
            let detail = format!("block {block} may have exited before {visitor} accesses its shared memory");
            self.add(Kind::OutOfBounds, visit.pc as usize, vec![visitor], detail);
        }
    }
}
