//! Counts of a program over all its launches, and as JSON.

use reduce_interpreter::{Counts, Global, LaunchCounts, Shared};
use reduce_ir::program::{Program, Reads};
use reduce_ir::statements::Part;
use serde::Serialize;

/// The counts of a program, over all its launches.
#[derive(Clone, Debug)]
pub struct Sums {
    /// The number of launches.
    pub launches: usize,
    /// The counts of the reduction loop: the trees of threads, without the folds of single threads before.
    pub tree: Counts,
    /// The counts of the whole kernels, without the copy.
    pub kernel: Counts,
    /// The counts of the copy on which a tree in place works.
    pub copy: Option<Counts>,
}

impl Sums {
    /// Returns the sums over the launches of a run.
    pub fn of(program: &Program, launches: &[LaunchCounts]) -> Sums {
        let copies = program.kernel(Reads::Partials).in_place().is_some();
        let (copy, kernels) = launches.split_at(usize::from(copies).min(launches.len()));
        let copy = copy.first().map(LaunchCounts::total);
        Sums { launches: launches.len(), copy, ..Sums::of_kernels(kernels) }
    }

    /// Returns the sums over launches of which none copies.
    pub fn of_kernels(launches: &[LaunchCounts]) -> Sums {
        Sums {
            launches: launches.len(),
            tree: sum(launches.iter().map(|launch| *launch.part(Part::Tree))),
            kernel: sum(launches.iter().map(LaunchCounts::total)),
            copy: None,
        }
    }
}

fn sum(counts: impl Iterator<Item = Counts>) -> Counts {
    let mut sum = Counts::default();
    counts.for_each(|more| sum += more);
    sum
}

/// Returns the share of execution slots with an active lane.
pub fn warp_use(counts: &Counts) -> Option<f64> {
    (counts.slots > 0).then(|| counts.active as f64 / counts.slots as f64)
}

/// The three scopes of counts as JSON; null if nothing was counted.
#[derive(Clone, Debug, Serialize)]
pub struct Scopes {
    #[serde(rename = "loop")]
    tree: Option<Line>,
    kernel: Option<KernelLine>,
    copy: Option<Line>,
}

#[derive(Clone, Debug, Serialize)]
struct KernelLine {
    launches: usize,
    #[serde(flatten)]
    counts: Line,
}

impl Scopes {
    /// Returns the scopes of the sums.
    pub fn of(counted: Option<&Sums>) -> Scopes {
        let kernel = |it: &Sums| KernelLine { launches: it.launches, counts: (&it.kernel).into() };
        Scopes {
            tree: counted.map(|it| (&it.tree).into()),
            kernel: counted.map(kernel),
            copy: counted.and_then(|it| it.copy.as_ref()).map(Into::into),
        }
    }
}

/// Counts as JSON. The keys are the names of the fields of [`Counts`].
#[derive(Clone, Debug, Serialize)]
struct Line {
    slots: u64,
    active: u64,
    warp_use: Option<f64>,
    requests: u64,
    sectors: u64,
    global_loads: GlobalLine,
    global_stores: GlobalLine,
    shared_loads: SharedLine,
    shared_stores: SharedLine,
    block_barriers: u64,
    barriers_per_block: u64,
    warp_barriers: u64,
    cluster_barriers: u64,
    shuffles: u64,
    redux: u64,
    atomics: u64,
    fences: u64,
    divergent_branches: u64,
}

#[derive(Clone, Debug, Serialize)]
struct GlobalLine {
    accesses: u64,
    requests: u64,
    sectors: u64,
    bytes: u64,
}

#[derive(Clone, Debug, Serialize)]
struct SharedLine {
    accesses: u64,
    wavefronts: u64,
    conflicts: u64,
    worst: u64,
    per_thread: u64,
}

impl From<&Counts> for Line {
    fn from(counts: &Counts) -> Line {
        Line {
            slots: counts.slots,
            active: counts.active,
            warp_use: warp_use(counts),
            requests: counts.global_loads.requests + counts.global_stores.requests,
            sectors: counts.global_loads.sectors + counts.global_stores.sectors,
            global_loads: counts.global_loads.into(),
            global_stores: counts.global_stores.into(),
            shared_loads: counts.shared_loads.into(),
            shared_stores: counts.shared_stores.into(),
            block_barriers: counts.block_barriers,
            barriers_per_block: counts.barriers_per_block,
            warp_barriers: counts.warp_barriers,
            cluster_barriers: counts.cluster_barriers,
            shuffles: counts.shuffles,
            redux: counts.redux,
            atomics: counts.atomics,
            fences: counts.fences,
            divergent_branches: counts.divergent_branches,
        }
    }
}

impl From<Global> for GlobalLine {
    fn from(Global { accesses, requests, sectors, bytes }: Global) -> GlobalLine {
        GlobalLine { accesses, requests, sectors, bytes }
    }
}

impl From<Shared> for SharedLine {
    fn from(Shared { accesses, wavefronts, conflicts, worst, per_thread }: Shared) -> SharedLine {
        SharedLine { accesses, wavefronts, conflicts, worst, per_thread }
    }
}
