//! The blocks of a launch: which ones are in flight, which warp runs next, and barriers of blocks and clusters.

use super::block::{BlockState, Cluster};
use super::machine::{Flow, Machine};
use super::memory::Access;
use super::op::Op;
use super::report::{Kind, ThreadId};
use super::schedule::Warps;
use super::stuck::Stopped;
use super::sync::Party;
use reduce_ir::statements::Barrier;

/// The maximum number of clusters in flight if blocks can communicate. Otherwise they run one after the other.
const IN_FLIGHT: usize = 8;

/// The maximum number of consecutive statements of one warp that are invisible to others: in random schedules, and
/// in the other ones. Random schedules are to interleave warps.
const MAX_CONSECUTIVE: [usize; 2] = [32, 256];

/// The clusters of a launch that have not ended.
struct InFlight {
    /// The clusters that have not started, the next one last.
    pending: Vec<u64>,
    running: Vec<Cluster>,
    /// Ended clusters, kept for their memory.
    spare: Vec<Cluster>,
    /// The warp that ran last.
    last: Option<Turn>,
}

/// A warp in flight: the place of its cluster, the rank of its block, its number.
type Turn = (usize, usize, usize);

impl InFlight {
    /// Returns the warps that can continue, of the blocks that satisfy `wanted`.
    fn ready(&self, wanted: impl Fn(u64) -> bool) -> impl DoubleEndedIterator<Item = Turn> {
        let blocks =
            self.running.iter().enumerate().flat_map(|(c, cluster)| {
                cluster.blocks.iter().enumerate().map(move |(b, block)| (c, b, block))
            });
        blocks.filter(move |(.., block)| wanted(block.number)).flat_map(|(c, b, block)| {
            let warps = block.warps.iter().enumerate().filter(|(_, warp)| warp.runs());
            warps.map(move |(w, _)| (c, b, w))
        })
    }

    /// Returns whether a warp only polls for something that is not there yet.
    fn polls(&self, (cluster, block, warp): Turn) -> bool {
        self.running[cluster].blocks[block].warps[warp].polls
    }
}

impl Machine<'_, '_> {
    /// Runs every block.
    pub(super) fn grid(&mut self) -> Result<(), Stopped> {
        let limit = if self.code.concurrent { IN_FLIGHT } else { 1 };
        let mut flight =
            InFlight { pending: self.order(), running: Vec::new(), spare: Vec::new(), last: None };
        loop {
            while flight.running.len() < limit
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

    /// Returns the clusters in reverse order of their start. The cluster that is held back starts at the end.
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

    fn start(&mut self, flight: &mut InFlight, number: u64) {
        let cluster = match flight.spare.pop() {
            Some(mut cluster) => {
                cluster.restart(number, self.code);
                cluster
            }
            None => Cluster::new(number, self.code),
        };
        flight.running.push(cluster);
    }

    /// Chooses the warp that runs next. A warp of the held-back block runs only if no other can continue.
    fn next(&mut self, flight: &mut InFlight) -> Option<Turn> {
        let is_held = |block| Some(block) == self.schedule.last;
        let only_poll = flight.ready(|block| !is_held(block)).all(|turn| flight.polls(turn));
        let is_held_next = only_poll && flight.ready(is_held).next().is_some();
        // Not collected: this runs once or more for each statement that other warps can see.
        let ready = || flight.ready(|block| is_held(block) == is_held_next);
        let after = |turn: &Turn| flight.last.is_none_or(|last| *turn > last);
        let before = |turn: &Turn| flight.last.is_none_or(|last| *turn < last);
        flight.last = match self.schedule.warps {
            Warps::Forward => ready().find(after).or_else(|| ready().next()),
            Warps::Backward => ready().rev().find(before).or_else(|| ready().next_back()),
            Warps::Random(_) => match ready().count() {
                0 => None,
                count => ready().nth(self.random.below(count)),
            },
        };
        flight.last
    }

    /// Runs a warp until it waits, ends, executes a visible statement, or reaches the limit of statements.
    fn turn(&mut self, cluster: &mut Cluster, rank: usize, warp: usize) -> Result<(), Stopped> {
        let most = match self.schedule.warps {
            Warps::Random(_) => 1 + self.random.below(MAX_CONSECUTIVE[0]),
            Warps::Forward | Warps::Backward => MAX_CONSECUTIVE[1],
        };
        for _ in 0..most {
            let group = cluster.blocks[rank].warps[warp].pick(self.schedule, &mut self.random);
            let Some(group) = group else { break };
            if self.step(cluster, rank, warp, group) == Flow::Visible {
                break;
            }
        }
        self.check_statement_limit(cluster, rank, warp)
    }

    /// Lets a cluster continue, or end, once all its threads wait or have ended.
    fn settle(&mut self, flight: &mut InFlight, at: usize) -> Result<(), Stopped> {
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

    /// Lets a block pass the block barrier at which all its threads wait, and ends a block whose threads have all
    /// ended.
    fn settle_block(&mut self, cluster: &mut Cluster, rank: usize) -> Result<(), Stopped> {
        if cluster.blocks[rank].runs() || cluster.blocks[rank].ended {
            return Ok(());
        }
        match cluster.blocks[rank].state() {
            BlockState::Ended => self.end(cluster, rank),
            BlockState::Together(pc) if !self.is_wide(pc) => return self.stuck(cluster),
            BlockState::Together(pc) => {
                let block = &mut cluster.blocks[rank];
                if let Op::Vote { into } = self.code.ops[pc] {
                    block.vote(into);
                }
                if let Op::Prefix { before, total } = self.code.ops[pc] {
                    block.sum_before(before, total);
                }
                if matches!(
                    self.code.ops[pc],
                    Op::Barrier(Barrier::Block) | Op::Vote { .. } | Op::Prefix { .. }
                ) {
                    block.tally.barrier(self.code.sources[pc].part);
                    block.clocks.meet_all();
                    block.release();
                }
            }
            BlockState::Diverged => return self.stuck(cluster),
        }
        Ok(())
    }

    /// Lets a cluster pass the cluster barrier at which all its blocks wait. A wait needs the arrival of every
    /// thread. A barrier between arrival and wait never ends, because both share one count.
    fn meet_cluster(&mut self, cluster: &mut Cluster) -> Result<(), Stopped> {
        let mut places = cluster.blocks.iter().map(|block| match block.state() {
            BlockState::Together(pc) => Some(pc),
            BlockState::Ended | BlockState::Diverged => None,
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

    /// Ends a block: nothing may access its shared memory any more.
    fn end(&mut self, cluster: &mut Cluster, rank: usize) {
        let Cluster { number, blocks, shared, .. } = cluster;
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
