//! Events for a callback: the executed statements, and the effects of each one.

use super::address::{self, Field};
use super::count::{Direction, Global, Shared};
use super::domain::Acc;
use super::execute::Here;
use super::machine::Machine;
use super::op::Op;
use super::warp::{PerLane, each};
use reduce_ir::statements::{Part, Stmt};

/// A statement that lanes of a warp have executed together. A loop or branch is an event for each test.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// The name of the kernel.
    pub kernel: &'static str,
    /// The number of blocks of the launch.
    pub grid: u64,
    /// The number of items of the launch. It differs between the launches of a kernel.
    pub items: u64,
    /// The number of the block.
    pub block: u64,
    /// The number of the warp in its block.
    pub warp: u32,
    /// The lanes, one bit each.
    pub lanes: u32,
    /// The lanes of the warp that have ended, or that the block does not have.
    pub ended: u32,
    /// The part of the kernel.
    pub part: Part,
    /// The statement.
    pub statement: &'a Stmt,
    /// The lanes that access memory, each with the index of the element it accesses.
    pub elements: &'a [(usize, u64)],
    /// The register of accumulators that the statement has set, with all lanes.
    pub register: Option<&'a PerLane<Option<Acc>>>,
    /// The other effects, in order.
    pub effects: &'a [Effect],
}

/// An effect of a statement, for all lanes that execute it together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// An access to global memory.
    Global {
        /// Whether it stores.
        stores: bool,
        /// The lanes, each with the first byte of its element, counted from a multiple of 256 bytes before the buffer.
        starts: Vec<(usize, u64)>,
        /// The number of bytes of each lane.
        bytes: u64,
        /// Its counts.
        counts: Global,
    },
    /// An access to the shared memory of a block of the cluster.
    Shared {
        /// Whether it stores.
        stores: bool,
        /// The rank of the block in its cluster.
        rank: u64,
        /// The lanes, each with the first byte of its record. The bank is the number of the 4-byte word modulo 32.
        starts: Vec<(usize, u64)>,
        /// The number of bytes of each lane.
        bytes: u64,
        /// Its counts.
        counts: Shared,
    },
    /// Accumulators written to memory.
    Written(Vec<Written>),
    /// A shuffle: the lane from which each lane reads.
    Shuffle(PerLane<usize>),
}

/// An accumulator that a lane has written to an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// The lane.
    pub lane: usize,
    /// The rank of the block whose shared memory it is, or of this block.
    pub rank: u64,
    /// The index in the array that the statement names.
    pub index: u64,
    /// The accumulator.
    pub acc: Option<Acc>,
}

impl Machine<'_, '_> {
    /// Records an effect, if there is a callback. The closure is not called otherwise.
    pub(super) fn effect(&mut self, effect: impl FnOnce(&Self) -> Effect) {
        if self.trace.is_some() {
            let effect = effect(self);
            self.effects.push(effect);
        }
    }

    /// Returns the effect of the access whose addresses were counted last.
    pub(super) fn global_effect(&self, direction: Direction, lanes: u32, fields: &[Field]) -> Effect {
        let counts = fields.iter().fold(Global::default(), |mut sum, field| {
            sum += address::global(&self.addresses, *field);
            sum
        });
        let starts = each(lanes).zip(self.addresses.iter().copied()).collect();
        Effect::Global { stores: direction == Direction::Store, starts, bytes: bytes(fields), counts }
    }

    /// Returns the effect of the access whose starts were counted last.
    pub(super) fn shared_effect(&self, direction: Direction, rank: u64, fields: &[Field]) -> Effect {
        let counts = fields.iter().fold(Shared::default(), |mut sum, field| {
            sum += address::shared(&self.starts, *field);
            sum
        });
        let (stores, starts) = (direction == Direction::Store, self.starts.clone());
        Effect::Shared { stores, rank, starts, bytes: bytes(fields), counts }
    }

    /// Returns the register of accumulators that the statement at a position sets.
    pub(super) fn register(&self, here: Here) -> Option<usize> {
        match &self.code.ops[here.pc] {
            Op::Acc { into, .. } | Op::LoadAcc { into, .. } => Some(*into),
            Op::Take { into, .. } | Op::Shuffle { into, .. } | Op::Redux { acc: into, .. } => Some(*into),
            Op::Scalar { .. } | Op::Branch { .. } | Op::Jump(_) | Op::Elements { .. } => None,
            Op::LoadTicket { .. } | Op::StoreAcc { .. } | Op::Post { .. } | Op::Expect { .. } => None,
            Op::Send { .. } | Op::Receive | Op::StoreTicket { .. } | Op::LoadNumber { .. } => None,
            Op::StoreNumber { .. } | Op::Clear(_) | Op::Append { .. } | Op::Length { .. } => None,
            Op::Fault(_) | Op::Turn { .. } | Op::Barrier(_) | Op::Arrive | Op::Wait => None,
            Op::Vote { .. } | Op::Ballot { .. } | Op::Prefix { .. } | Op::Fence(..) => None,
            Op::AwaitLaunch | Op::TriggerLaunch | Op::Atomic { .. } => None,
            Op::AtomicCombine { .. } | Op::Exit => None,
        }
    }
}

fn bytes(fields: &[Field]) -> u64 {
    fields.iter().map(|field| field.offset + field.size).max().unwrap_or(0)
}
