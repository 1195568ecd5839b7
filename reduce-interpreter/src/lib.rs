//! The interpreter: executes a lowered program on a machine without a GPU.
//!
//! It runs the launches of the plan with any behaviour that a GPU may show. A [`Domain`] represents the
//! accumulators. [`Values`] gives the result. [`Provenance`] represents an accumulator as the tree of positions it
//! was made of, which gives the association. [`Shapes`] is for counts alone. The interpreter reports the faults of
//! a kernel, and counts its events.
//!
//! - A kernel is compiled into flat code. The unit of execution is a group of lanes of one warp at the same
//!   statement; a divergent branch splits it. The [`Schedule`] decides which group, warp and block continues next.
//! - Lanes of a warp meet at shuffles and warp barriers. A group waits until every lane of the mask has arrived at
//!   the same statement. Block and cluster barriers wait for all threads of the block or cluster.
//! - Only barriers, releases that are acquired, and received messages order the actions of threads. Shuffles do
//!   not, nor does executing together, or one after the other in some schedule. If only barriers synchronise, one
//!   schedule finds every race. With atomics, the order of the blocks decides which of them synchronise. So the
//!   schedules try every block as the last one of up to 8, and three blocks of more.
//! - A read that is not ordered after the write it could see returns the previous value. Memory that nothing wrote
//!   is undefined. So a missing fence shows in the result as well.
//! - Launches run one after the other. A kernel that may begin before the previous launch has ended must wait for
//!   that end. An access to global memory by a thread that has not waited is reported.
//! - Reports do not stop the execution, except for threads that wait for ever.
#![forbid(unsafe_code)]

mod access;
mod address;
mod atomic;
mod block;
mod clock;
mod code;
mod count;
mod domain;
mod execute;
mod expr;
mod flags;
mod grid;
mod keys;
mod machine;
mod memory;
mod messages;
mod numbers;
mod op;
mod provenance;
mod report;
mod resolve;
mod runs;
mod schedule;
mod segments;
mod setting;
mod shapes;
mod stuck;
mod sync;
mod trace;
mod values;
mod warp;

pub use count::{Counts, Global, LaunchCounts, Shared};
pub use domain::{Acc, Domain, Refused, halved};
pub use keys::{Sizes, run_keys};
pub use provenance::Provenance;
pub use report::{Kind, Report, ThreadId};
pub use runs::{Found, run_heads};
pub use schedule::{Branches, Schedule, Warps};
pub use segments::{Cut, run_segments};
pub use setting::{Input, Memory};
pub use shapes::Shapes;
pub use trace::{Effect, Event, Written};
pub use values::Values;
pub use warp::PerLane;

use code::{Code, Malformed};
use count::Tally;
use machine::{Cells, Layout, Machine, RecordLayout};
use reduce_ir::Extent;
use reduce_ir::Value;
use reduce_ir::operation::Operation;
use reduce_ir::program::{Launch, Program, Reads, Region};
use reduce_ir::statements::{Lowered, LoweredKernel};
use report::Reports;
use schedule::Random;
use setting::Setting;

/// The options of a run.
pub struct Options<'a> {
    /// The choices that a GPU is free to make.
    pub schedule: Schedule,
    /// A callback for every executed statement.
    pub trace: Option<&'a mut dyn FnMut(&Event<'_>)>,
    /// The scalars that the call passes to the operation.
    pub params: &'a [Value],
    /// The lengths of the axes of the domain, kept axes first. None for a contiguous domain.
    pub sizes: &'a [u64],
}

impl<'a> Options<'a> {
    /// The forward schedule, without trace and params.
    pub const FORWARD: Options<'static> = Options::under(Schedule::FORWARD);

    /// Returns options with that schedule, without trace and params.
    pub const fn under(schedule: Schedule) -> Options<'a> {
        Options { schedule, trace: None, params: &[], sizes: &[] }
    }

    /// Returns the same options with those params.
    #[must_use]
    pub fn with<'b>(self, params: &'b [Value]) -> Options<'b>
    where
        'a: 'b,
    {
        let Options { schedule, trace, sizes, .. } = self;
        let trace = trace.map(|trace| trace as &mut dyn FnMut(&Event<'_>));
        Options { schedule, trace, params, sizes }
    }
}

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The accumulator of each group, whose `finish` is the result. `None` for a group of no elements without
    /// identity, and after a launch that did not end.
    pub results: Vec<Option<Acc>>,
    /// The faults, in the order in which they were found: each kind at each statement once, at most 32 in all.
    pub reports: Vec<Report>,
    /// The counts of each launch.
    pub counts: Vec<LaunchCounts>,
}

impl Outcome {
    /// Returns the accumulator of the first group: the only one if the reduction has one group.
    pub fn acc(&self) -> Option<Acc> {
        self.results.first().copied().flatten()
    }
}

/// The outcome of one launch.
#[derive(Clone, Debug)]
pub struct Launched<'a> {
    /// The memory after the launch.
    pub memory: Memory<'a>,
    /// The faults, as in [`Outcome::reports`].
    pub reports: Vec<Report>,
    /// The counts of the launch.
    pub counts: LaunchCounts,
    /// Whether every thread ended.
    pub ended: bool,
}

/// Runs a lowered program on inputs of the given extent, launch after launch.
pub fn run(
    program: &Program,
    lowered: &Lowered,
    domain: &mut dyn Domain,
    inputs: &[Input],
    extent: impl Into<Extent>,
    mut options: Options<'_>,
) -> Outcome {
    let (plan, extent) = (program.plan(), extent.into());
    let mut regions = [Vec::new(), Vec::new()];
    let mut ticket = vec![0];
    let no_results = vec![None; extent.groups as usize];
    let mut outcome = Outcome { results: no_results.clone(), reports: Vec::new(), counts: Vec::new() };
    let mut reports = Reports::default();
    for launch in plan.launches(extent) {
        let kernel = &lowered.kernels[launch.kernel as usize];
        let Launch { grid, items, groups, from, to, partials, .. } = launch;
        let mut memory = Memory::new(inputs, partials as usize);
        memory.items = std::mem::take(&mut regions[slot(from)]);
        memory.ticket = ticket;
        memory.results.clone_from(&no_results);
        (memory.items_at, memory.partials_at) = (plan.offset(extent, from), plan.offset(extent, to));
        if plan.starts_from_fill() && launch.kernel == Reads::Inputs {
            memory.partials.fill(domain.empty());
        }
        memory.elements = extent.length;
        let watched = Options { trace: reborrow(&mut options.trace), ..options };
        let (ended, counts) = run_launch(
            &program.operation,
            kernel,
            domain,
            &mut memory,
            [grid, items, groups],
            watched,
            &mut reports,
        );
        outcome.counts.push(counts);
        outcome.results = if ended { memory.results } else { no_results.clone() };
        (regions[slot(to)], ticket) = (memory.partials, memory.ticket);
        if !ended {
            return Outcome { reports: reports.into_list(), ..outcome };
        }
    }
    if outcome.results.iter().any(Option::is_none) && reports.is_empty() {
        reports.add(0, final_report(lowered, Kind::NoResult, "no thread of the last launch stores it"));
    }
    if ticket.iter().any(|&it| it != 0) {
        reports.add(0, final_report(lowered, Kind::TicketTaken, "the ticket must be 0 for the next run"));
    }
    if plan.has_flags() && regions.iter().flatten().any(Option::is_some) {
        reports
            .add(0, final_report(lowered, Kind::PartialLeft, "no partial may have a flag for the next run"));
    }
    Outcome { reports: reports.into_list(), ..outcome }
}

/// Runs one kernel alone: `grid` blocks on `items` items and the memory given.
pub fn launch<'a>(
    operation: &Operation,
    kernel: &LoweredKernel,
    domain: &mut dyn Domain,
    mut memory: Memory<'a>,
    grid: u64,
    items: u64,
    options: Options<'_>,
) -> Launched<'a> {
    let mut reports = Reports::default();
    let (ended, counts) =
        run_launch(operation, kernel, domain, &mut memory, [grid, items, 1], options, &mut reports);
    Launched { memory, reports: reports.into_list(), counts, ended }
}

/// Runs one launch. Returns whether it ended, and its counts.
fn run_launch(
    operation: &Operation,
    kernel: &LoweredKernel,
    domain: &mut dyn Domain,
    memory: &mut Memory<'_>,
    [grid, items, groups]: [u64; 3],
    options: Options<'_>,
    reports: &mut Reports,
) -> (bool, LaunchCounts) {
    let Memory { inputs, items_at, partials_at, elements, offsets, .. } = *memory;
    let (params, sizes) = (options.params, options.sizes);
    let setting = Setting {
        operation,
        inputs,
        grid,
        items,
        groups,
        sizes,
        elements,
        params,
        items_at,
        partials_at,
        offsets,
    };
    let code = match Code::new(kernel, &setting) {
        Ok(code) => code,
        Err(Malformed { statement, detail }) => {
            let (kind, kernel) = (Kind::Malformed, kernel.name);
            reports.add(usize::MAX, Report { kind, kernel, statement, threads: Vec::new(), detail });
            return (false, Tally::default().finish(kernel, grid, items));
        }
    };
    let seed = if let Warps::Random(seed) = options.schedule.warps { seed } else { 0 };
    let mut machine = Machine {
        code: &code,
        setting: &setting,
        schedule: options.schedule,
        random: Random(seed),
        domain,
        memory: Cells::new(memory),
        layout: &layout(&setting, kernel),
        tally: Tally::default(),
        reports,
        trace: options.trace,
        addresses: Vec::new(),
        starts: Vec::new(),
        elements: Vec::new(),
        effects: Vec::new(),
    };
    let ended = machine.grid().is_ok();
    machine.memory.save(memory);
    (ended, machine.tally.finish(kernel.name, grid, items))
}

fn layout(setting: &Setting<'_>, kernel: &LoweredKernel) -> Layout {
    let record = &setting.operation.acc;
    let [partial, output] = [record, &setting.operation.stored()].map(RecordLayout::new);
    let mut at = 0;
    let arrays = kernel.shared.iter().map(|array| {
        let (start, record) = (at, RecordLayout::new(record));
        at += u64::from(kernel.constant(array.len)) * record.size;
        (start, record)
    });
    Layout { arrays: arrays.collect(), partial, flagged: RecordLayout::flagged(record), output }
}

/// A report about the state after the last kernel.
fn final_report(lowered: &Lowered, kind: Kind, detail: &str) -> Report {
    let kernel = lowered.kernels.last().map_or("", |kernel| kernel.name);
    Report { kind, kernel, statement: String::new(), threads: Vec::new(), detail: detail.to_owned() }
}

/// Reborrows the trace callback, for one launch.
fn reborrow<'b>(trace: &'b mut Option<&mut dyn FnMut(&Event<'_>)>) -> Option<&'b mut dyn FnMut(&Event<'_>)> {
    match trace {
        Some(trace) => Some(&mut **trace),
        None => None,
    }
}

fn slot(region: Region) -> usize {
    match region {
        Region::Even => 0,
        Region::Odd => 1,
    }
}
