//! The machine of one launch: how lanes move from statement to statement, diverge, meet and wait.

use super::address::Field;
use super::block::Cluster;
use super::code::Code;
use super::count::Tally;
use super::domain::{Acc, Domain};
use super::execute::Here;
use super::expr::ScalarExpr;
use super::memory::{Cell, Conflict};
use super::op::Op;
use super::report::{Kind, Report, Reports, ThreadId};
use super::schedule::{Random, Schedule};
use super::setting::{Memory, Setting};
use super::trace::{Effect, Event};
use super::warp::{Warp, each, mask};
use reduce_ir::operation::Record;
use reduce_ir::statements::{Barrier, FULL};

/// The callback for executed statements.
pub(super) type Trace<'a> = Option<&'a mut dyn FnMut(&Event<'_>)>;

pub(super) struct Machine<'m, 't> {
    pub(super) code: &'m Code<'m>,
    pub(super) setting: &'m Setting<'m>,
    pub(super) schedule: Schedule,
    pub(super) random: Random,
    pub(super) domain: &'m mut dyn Domain,
    pub(super) memory: Cells,
    pub(super) layout: &'m Layout,
    pub(super) tally: Tally,
    pub(super) reports: &'m mut Reports,
    pub(super) trace: Trace<'t>,
    /// Scratch memory for the addresses of an access.
    pub(super) addresses: Vec<u64>,
    pub(super) starts: Vec<(usize, u64)>,
    pub(super) elements: Vec<(usize, u64)>,
    /// The effects of the current statement, if there is a callback.
    pub(super) effects: Vec<Effect>,
}

/// The global memory that the kernel writes.
pub(super) struct Cells {
    pub(super) items: Vec<Cell<Acc>>,
    pub(super) partials: Vec<Cell<Acc>>,
    /// Whether each partial has a flag.
    pub(super) flags: Vec<bool>,
    pub(super) results: Vec<Cell<Acc>>,
    pub(super) ticket: Vec<Cell<u32>>,
    pub(super) tiles: Vec<Cell<u64>>,
    pub(super) long_segments: Vec<Cell<u64>>,
    pub(super) marks: Vec<Cell<u64>>,
    pub(super) heads: Vec<Cell<u64>>,
    pub(super) keys: Vec<Cell<u64>>,
    pub(super) number: Vec<Cell<u64>>,
    pub(super) fault: u64,
}

impl Cells {
    pub(super) fn new(memory: &Memory<'_>) -> Cells {
        let cells = |held: &[Option<Acc>]| held.iter().map(|&it| Cell::new(it)).collect();
        let numbers = |held: &[Option<u64>]| held.iter().map(|&it| Cell::new(it)).collect();
        Cells {
            items: cells(&memory.items),
            partials: cells(&memory.partials),
            flags: memory.partials.iter().map(Option::is_some).collect(),
            results: cells(&memory.results),
            ticket: memory.ticket.iter().map(|&it| Cell::new(Some(it))).collect(),
            tiles: numbers(&memory.tiles),
            long_segments: numbers(&memory.long_segments),
            marks: numbers(&memory.marks),
            heads: numbers(&memory.heads),
            keys: numbers(&memory.keys),
            number: numbers(&memory.number),
            fault: memory.fault,
        }
    }

    /// Writes the final contents back to the memory of the launch.
    pub(super) fn save(&self, memory: &mut Memory<'_>) {
        let held = |cells: &[Cell<Acc>]| cells.iter().map(Cell::value).collect();
        memory.items = held(&self.items);
        memory.partials = held(&self.partials);
        memory.results = held(&self.results);
        let numbers = |cells: &[Cell<u64>]| cells.iter().map(Cell::value).collect();
        memory.tiles = numbers(&self.tiles);
        memory.long_segments = numbers(&self.long_segments);
        memory.marks = numbers(&self.marks);
        memory.heads = numbers(&self.heads);
        memory.keys = numbers(&self.keys);
        memory.fault = self.fault;
        memory.ticket = self.ticket.iter().map(|it| it.value().unwrap_or_default()).collect();
    }
}

/// The layout of partials and results in memory.
pub(super) struct Layout {
    pub(super) partial: RecordLayout,
    /// The layout of a partial with flags.
    pub(super) flagged: RecordLayout,
    pub(super) output: RecordLayout,
    /// The start and the record of each shared array.
    pub(super) arrays: Vec<(u64, RecordLayout)>,
}

/// A record: its size and fields, in bytes.
pub(super) struct RecordLayout {
    pub(super) size: u64,
    pub(super) fields: Vec<Field>,
}

impl RecordLayout {
    /// Returns the layout of a record with a flag in each word.
    pub(super) fn flagged(record: &Record) -> RecordLayout {
        let words = record.words() as u64;
        let fields = (0..words).map(|word| Field { offset: 8 * word, size: 8 }).collect();
        RecordLayout { size: 8 * words, fields }
    }

    pub(super) fn new(record: &Record) -> RecordLayout {
        let fields = record.offsets().into_iter().zip(record.types());
        let field =
            |(at, ty): (usize, reduce_ir::Scalar)| Field { offset: at as u64, size: ty.size() as u64 };
        RecordLayout { size: record.size() as u64, fields: fields.map(field).collect() }
    }
}

/// The state of a group after a step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// It continues.
    Continue,
    /// It has executed a statement that others may be waiting for.
    Visible,
    /// It waits, or has ended.
    Stop,
}

impl Machine<'_, '_> {
    /// Executes one step of a group.
    pub(super) fn step(&mut self, cluster: &mut Cluster, rank: usize, warp: usize, at: usize) -> Flow {
        let lanes = &mut cluster.blocks[rank].warps[warp];
        let group = &mut lanes.groups[at];
        lanes.executed += 1;
        lanes.polls = false;
        let code = self.code;
        let (Some(op), Some(source)) = (code.ops.get(group.pc), code.sources.get(group.pc)) else {
            self.leave(lanes, at);
            return Flow::Stop;
        };
        let here = Here { rank, warp, lanes: group.lanes, pc: group.pc, part: source.part };
        match op {
            Op::Branch { test, otherwise } => self.branch(cluster, here, at, test, *otherwise),
            Op::Jump(to) => {
                group.pc = *to;
                Flow::Continue
            }
            Op::Exit => {
                self.leave(lanes, at);
                self.event(cluster, here);
                Flow::Stop
            }
            Op::Barrier(Barrier::Block | Barrier::Cluster)
            | Op::Wait
            | Op::Vote { .. }
            | Op::Prefix { .. } => {
                lanes.wait(at);
                self.event(cluster, here);
                Flow::Stop
            }
            Op::Barrier(Barrier::Warp(mask)) => self.meet(cluster, here, at, *mask, Kind::Divergence),
            Op::Shuffle { mask, .. } => self.meet(cluster, here, at, *mask, Kind::Shuffle),
            Op::Redux { .. } | Op::Turn { .. } | Op::Ballot { .. } => {
                self.meet(cluster, here, at, FULL, Kind::Shuffle)
            }
            Op::Scalar { .. } | Op::Acc { .. } | Op::Elements { .. } => {
                self.advance(cluster, here, at, Flow::Continue)
            }
            Op::LoadAcc { .. } | Op::StoreAcc { .. } | Op::Arrive | Op::Expect { .. } => {
                self.advance(cluster, here, at, Flow::Continue)
            }
            Op::LoadNumber { .. } | Op::StoreNumber { .. } | Op::Length { .. } => {
                self.advance(cluster, here, at, Flow::Continue)
            }
            Op::Clear(_) | Op::Append { .. } | Op::Fault(_) => {
                self.advance(cluster, here, at, Flow::Continue)
            }
            Op::LoadTicket { .. } | Op::StoreTicket { .. } => self.advance(cluster, here, at, Flow::Visible),
            Op::AwaitLaunch | Op::TriggerLaunch => self.advance(cluster, here, at, Flow::Continue),
            Op::Fence(..) | Op::Atomic { .. } | Op::AtomicCombine { .. } | Op::Post { .. } => {
                self.advance(cluster, here, at, Flow::Visible)
            }
            Op::Take { at: place, .. } if !self.is_posted(cluster, here, place) => {
                self.poll(cluster, here, at)
            }
            Op::Receive if !cluster.blocks[rank].mail.is_complete() => self.poll(cluster, here, at),
            Op::Take { .. } | Op::Send { .. } | Op::Receive => self.advance(cluster, here, at, Flow::Visible),
        }
    }

    /// Ends a group. The groups that wait for lanes of their warp check again, because fewer lanes are left.
    fn leave(&self, warp: &mut Warp, at: usize) {
        warp.end(at);
        warp.groups.iter_mut().for_each(|group| group.waits &= self.is_wide(group.pc));
    }

    /// Returns whether the operation is a barrier of more than a warp.
    pub(super) fn is_wide(&self, pc: usize) -> bool {
        let op = self.code.ops.get(pc);
        matches!(
            op,
            Some(
                Op::Barrier(Barrier::Block | Barrier::Cluster)
                    | Op::Wait
                    | Op::Vote { .. }
                    | Op::Prefix { .. }
            )
        )
    }

    /// Executes a statement in a group, and moves the group to the next one.
    fn advance(&mut self, cluster: &mut Cluster, here: Here, at: usize, flow: Flow) -> Flow {
        self.execute(cluster, here);
        self.event(cluster, here);
        let group = &mut here.warp(cluster).groups[at];
        group.pc += 1;
        group.visible = group.visible.saturating_add(u32::from(flow == Flow::Visible));
        flow
    }

    /// Leaves a group at its statement, to check again later whether it can continue.
    fn poll(&mut self, cluster: &mut Cluster, here: Here, at: usize) -> Flow {
        let warp = here.warp(cluster);
        warp.polls = true;
        warp.groups[at].visible = warp.groups[at].visible.saturating_add(1);
        Flow::Visible
    }

    /// Moves a group along a branch: one way, or both ways after a split.
    fn branch(
        &mut self,
        cluster: &mut Cluster,
        here: Here,
        at: usize,
        test: &ScalarExpr,
        otherwise: usize,
    ) -> Flow {
        let held = self.scalar(cluster, here, test);
        let fails = here.lanes & mask(|lane| held[lane] == 0);
        let warp = here.warp(cluster);
        if fails == here.lanes {
            warp.groups[at].pc = otherwise;
        } else {
            warp.groups[at].pc += 1;
        }
        if fails != 0 && fails != here.lanes {
            warp.split(at, fails, otherwise);
            self.tally.part(here.part).divergent_branches += 1;
        }
        self.event(cluster, here);
        Flow::Continue
    }

    /// Lets a group arrive at a warp barrier, a shuffle or a redux. The group passes once all lanes of the mask
    /// have arrived.
    fn meet(&mut self, cluster: &mut Cluster, here: Here, at: usize, named: u32, kind: Kind) -> Flow {
        let warp = here.warp(cluster);
        let at = warp.wait(at);
        let (lanes, ended) = (warp.groups[at].lanes, warp.ended);
        if named & !(lanes | ended) != 0 {
            return Flow::Stop;
        }
        warp.groups[at].waits = false;
        let here = Here { lanes, ..here };
        self.report(cluster, here, kind, named & ended, "its mask names a lane that has exited");
        self.report(cluster, here, kind, lanes & !named, "its mask does not name the lane itself");
        if kind == Kind::Divergence {
            self.tally.part(here.part).warp_barriers += 1;
            cluster.blocks[here.rank].clocks.meet(here.warp as u32, lanes & named);
        }
        self.advance(cluster, here, at, Flow::Visible)
    }

    fn event(&mut self, cluster: &Cluster, here: Here) {
        if self.trace.is_none() {
            return;
        }
        let (block, register) = (&cluster.blocks[here.rank], self.register(here));
        let warp = &block.warps[here.warp];
        let event = Event {
            kernel: self.code.kernel.name,
            grid: self.setting.grid,
            items: self.setting.items,
            block: block.number,
            warp: here.warp as u32,
            lanes: here.lanes,
            ended: warp.ended,
            part: here.part,
            statement: self.code.sources[here.pc].stmt,
            elements: &self.elements,
            register: register.map(|register| &warp.accs[register]),
            effects: &self.effects,
        };
        if let Some(trace) = &mut self.trace {
            trace(&event);
        }
        self.elements.clear();
        self.effects.clear();
    }

    /// Reports a fault of the given lanes, if there are any.
    pub(super) fn report(&mut self, cluster: &Cluster, here: Here, kind: Kind, lanes: u32, detail: &str) {
        if lanes == 0 || self.reports.knows(kind, self.code.kernel.name, here.pc) {
            return;
        }
        let block = cluster.blocks[here.rank].number;
        let threads: Vec<_> = each(lanes).map(|lane| ThreadId { block, thread: here.thread(lane) }).collect();
        let detail = threads.first().map_or_else(String::new, |first| format!("{detail}, in {first}"));
        self.add(kind, here.pc, threads, detail);
    }

    pub(super) fn report_conflict(
        &mut self,
        block: u64,
        thread: u32,
        pc: usize,
        conflict: &Conflict,
        does: &'static str,
    ) {
        if self.reports.knows(conflict.kind, self.code.kernel.name, pc) {
            return;
        }
        let one = ThreadId { block, thread };
        let other = ThreadId { block: conflict.with.block.into(), thread: conflict.with.thread };
        let narrow = conflict.kind == Kind::ScopeTooNarrow;
        let why = if narrow {
            "no synchronisation in the scope of both orders the accesses"
        } else {
            "no synchronisation orders the accesses"
        };
        let statement = self.code.text(conflict.with.pc as usize);
        let detail = format!(
            "{one} {does} the place that {other} {did} in `{statement}`, and {why}",
            did = conflict.did
        );
        self.add(conflict.kind, pc, vec![one, other], detail);
    }

    pub(super) fn add(&mut self, kind: Kind, pc: usize, threads: Vec<ThreadId>, detail: String) {
        let (kernel, statement) = (self.code.kernel.name, self.code.text(pc));
        self.reports.add(pc, Report { kind, kernel, statement, threads, detail });
    }
}
