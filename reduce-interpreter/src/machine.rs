//! The machine of one launch: how lanes move from statement to statement, split, meet and wait.

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
use super::trace::Event;
use super::warp::{Warp, each, mask};
use reduce_ir::operation::Record;
use reduce_ir::statements::{Barrier, FULL};

/// Whoever watches.
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
    /// Addresses of an access, kept for their memory.
    pub(super) addresses: Vec<u64>,
    pub(super) starts: Vec<(usize, u64)>,
    pub(super) elements: Vec<(usize, u64)>,
}

/// The global memory that is written.
pub(super) struct Cells {
    pub(super) items: Vec<Cell<Acc>>,
    pub(super) partials: Vec<Cell<Acc>>,
    /// Which of them have a flag.
    pub(super) flags: Vec<bool>,
    pub(super) results: Vec<Cell<Acc>>,
    pub(super) ticket: Vec<Cell<u32>>,
}

impl Cells {
    pub(super) fn new(memory: &Memory<'_>) -> Cells {
        let cells = |held: &[Option<Acc>]| held.iter().map(|&it| Cell::new(it)).collect();
        Cells {
            items: cells(&memory.items),
            partials: cells(&memory.partials),
            flags: memory.partials.iter().map(Option::is_some).collect(),
            results: cells(&memory.results),
            ticket: memory.ticket.iter().map(|&it| Cell::new(Some(it))).collect(),
        }
    }

    /// What the memory holds in the end.
    pub(super) fn save(&self, memory: &mut Memory<'_>) {
        let held = |cells: &[Cell<Acc>]| cells.iter().map(Cell::value).collect();
        memory.items = held(&self.items);
        memory.partials = held(&self.partials);
        memory.results = held(&self.results);
        memory.ticket = self.ticket.iter().map(|it| it.value().unwrap_or_default()).collect();
    }
}

/// How partials and results lie in memory.
pub(super) struct Layout {
    pub(super) partial: RecordLayout,
    /// A partial with flags.
    pub(super) flagged: RecordLayout,
    pub(super) output: RecordLayout,
    /// Where each shared array starts, and what it holds.
    pub(super) arrays: Vec<(u64, RecordLayout)>,
}

/// A record: its size and fields, in bytes.
pub(super) struct RecordLayout {
    pub(super) size: u64,
    pub(super) fields: Vec<Field>,
}

impl RecordLayout {
    /// A record with a flag in each word.
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

/// What a step of a group leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// It goes on.
    On,
    /// It has done something that others may be waiting for.
    Seen,
    /// It waits, or has ended.
    Off,
}

impl Machine<'_, '_> {
    /// One step of a group.
    pub(super) fn step(&mut self, team: &mut Cluster, rank: usize, warp: usize, at: usize) -> Flow {
        let lanes = &mut team.blocks[rank].warps[warp];
        let group = &mut lanes.groups[at];
        lanes.executed += 1;
        lanes.polls = false;
        let code = self.code;
        let (Some(op), Some(source)) = (code.ops.get(group.pc), code.sources.get(group.pc)) else {
            self.leave(lanes, at);
            return Flow::Off;
        };
        let here = Here { rank, warp, lanes: group.lanes, pc: group.pc, part: source.part };
        match op {
            Op::Branch { test, otherwise } => self.branch(team, here, at, test, *otherwise),
            Op::Jump(to) => {
                group.pc = *to;
                Flow::On
            }
            Op::Exit => {
                self.leave(lanes, at);
                self.event(team, here);
                Flow::Off
            }
            Op::Barrier(Barrier::Block | Barrier::Cluster) | Op::Wait | Op::Vote { .. } => {
                lanes.wait(at);
                self.event(team, here);
                Flow::Off
            }
            Op::Barrier(Barrier::Warp(mask)) => self.meet(team, here, at, *mask, Kind::Divergence),
            Op::Shuffle { mask, .. } => self.meet(team, here, at, *mask, Kind::Shuffle),
            Op::Redux { .. } => self.meet(team, here, at, FULL, Kind::Shuffle),
            Op::Scalar { .. } | Op::Acc { .. } | Op::Elements { .. } => self.go_on(team, here, at, Flow::On),
            Op::LoadAcc { .. } | Op::StoreAcc { .. } | Op::Arrive | Op::Expect { .. } => {
                self.go_on(team, here, at, Flow::On)
            }
            Op::LoadTicket { .. } | Op::StoreTicket { .. } => self.go_on(team, here, at, Flow::Seen),
            Op::AwaitLaunch | Op::TriggerLaunch => self.go_on(team, here, at, Flow::On),
            Op::Fence(..) | Op::Atomic { .. } | Op::AtomicCombine { .. } | Op::Post { .. } => {
                self.go_on(team, here, at, Flow::Seen)
            }
            Op::Take { at: place, .. } if !self.is_posted(team, here, place) => self.poll(team, here, at),
            Op::Receive if !team.blocks[rank].mail.has_come() => self.poll(team, here, at),
            Op::Take { .. } | Op::Send { .. } | Op::Receive => self.go_on(team, here, at, Flow::Seen),
        }
    }

    /// A group ends; lanes that wait for others of their warp look again who is left.
    fn leave(&self, warp: &mut Warp, at: usize) {
        warp.end(at);
        warp.groups.iter_mut().for_each(|group| group.waits &= self.is_wide(group.pc));
    }

    /// Is it a barrier of more than a warp?
    pub(super) fn is_wide(&self, pc: usize) -> bool {
        let op = self.code.ops.get(pc);
        matches!(op, Some(Op::Barrier(Barrier::Block | Barrier::Cluster) | Op::Wait | Op::Vote { .. }))
    }

    /// Executes a statement in a group, which then goes on to the next one.
    fn go_on(&mut self, team: &mut Cluster, here: Here, at: usize, flow: Flow) -> Flow {
        self.execute(team, here);
        self.event(team, here);
        let group = &mut here.warp(team).groups[at];
        group.pc += 1;
        group.seen = group.seen.saturating_add(u32::from(flow == Flow::Seen));
        flow
    }

    /// A group looks again later for what has not come yet.
    fn poll(&mut self, team: &mut Cluster, here: Here, at: usize) -> Flow {
        let warp = here.warp(team);
        warp.polls = true;
        warp.groups[at].seen = warp.groups[at].seen.saturating_add(1);
        Flow::Seen
    }

    /// A group goes one way, or both.
    fn branch(
        &mut self,
        team: &mut Cluster,
        here: Here,
        at: usize,
        test: &ScalarExpr,
        otherwise: usize,
    ) -> Flow {
        let held = self.scalar(team, here, test);
        let fails = here.lanes & mask(|lane| held[lane] == 0);
        let warp = here.warp(team);
        if fails == here.lanes {
            warp.groups[at].pc = otherwise;
        } else {
            warp.groups[at].pc += 1;
        }
        if fails != 0 && fails != here.lanes {
            warp.split(at, fails, otherwise);
            self.tally.part(here.part).divergent_branches += 1;
        }
        self.event(team, here);
        Flow::On
    }

    /// A group arrives at a warp barrier or shuffle, and passes it if all lanes of the mask have.
    fn meet(&mut self, team: &mut Cluster, here: Here, at: usize, named: u32, kind: Kind) -> Flow {
        let warp = here.warp(team);
        let at = warp.wait(at);
        let (lanes, ended) = (warp.groups[at].lanes, warp.ended);
        if named & !(lanes | ended) != 0 {
            return Flow::Off;
        }
        warp.groups[at].waits = false;
        let here = Here { lanes, ..here };
        self.report(team, here, kind, named & ended, "its mask names a lane that has exited");
        self.report(team, here, kind, lanes & !named, "its mask does not name the lane itself");
        if kind == Kind::Divergence {
            self.tally.part(here.part).warp_barriers += 1;
            team.blocks[here.rank].clocks.meet(here.warp as u32, lanes & named);
        }
        self.go_on(team, here, at, Flow::Seen)
    }

    fn event(&mut self, team: &Cluster, here: Here) {
        if let Some(trace) = &mut self.trace {
            trace(&Event {
                kernel: self.code.kernel.name,
                grid: self.setting.grid,
                items: self.setting.items,
                block: team.blocks[here.rank].number,
                warp: here.warp as u32,
                lanes: here.lanes,
                part: here.part,
                statement: self.code.sources[here.pc].stmt,
                elements: &self.elements,
            });
            self.elements.clear();
        }
    }

    /// Reports something of some lanes, if there are any.
    pub(super) fn report(&mut self, team: &Cluster, here: Here, kind: Kind, lanes: u32, detail: &str) {
        if lanes == 0 || self.reports.knows(kind, self.code.kernel.name, here.pc) {
            return;
        }
        let block = team.blocks[here.rank].number;
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
        let why =
            if narrow { "nothing of a scope that includes both orders them" } else { "nothing orders them" };
        let statement = self.code.text(conflict.with.pc as usize);
        let detail =
            format!("{one} {does} what {other} {did} in `{statement}`, and {why}", did = conflict.did);
        self.add(conflict.kind, pc, vec![one, other], detail);
    }

    pub(super) fn add(&mut self, kind: Kind, pc: usize, threads: Vec<ThreadId>, detail: String) {
        let (kernel, statement) = (self.code.kernel.name, self.code.text(pc));
        self.reports.add(pc, Report { kind, kernel, statement, threads, detail });
    }
}
