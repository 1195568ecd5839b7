//! Counts as columns of a table, and as JSON.

use crate::counted::Counted;
use crate::table::{Column, Side};
use reduce_interpreter::{Counts, Global, Shared};
use serde::Serialize;

/// A column of counts: its heading, and the function for its cells.
pub(crate) type Shown = (&'static str, fn(&Counted) -> String);

/// The number of launches, and the cost of the loops in which threads combine.
pub(crate) const LOOPS: [Shown; 3] = [
    ("launches", |it| it.launches.to_string()),
    ("slots", |it| it.tree.slots.to_string()),
    ("warp_use", |it| percent(warp_use(&it.tree))),
];

/// The cost of the whole kernels.
pub(crate) const KERNELS: [Shown; 11] = [
    ("requests", |it| (it.kernel.global_loads.requests + it.kernel.global_stores.requests).to_string()),
    ("sectors", |it| (it.kernel.global_loads.sectors + it.kernel.global_stores.sectors).to_string()),
    ("shared", |it| (it.kernel.shared_loads.accesses + it.kernel.shared_stores.accesses).to_string()),
    ("conflicts", |it| (it.kernel.shared_loads.conflicts + it.kernel.shared_stores.conflicts).to_string()),
    ("barriers", |it| it.kernel.block_barriers.to_string()),
    ("syncwarp", |it| it.kernel.warp_barriers.to_string()),
    ("shuffles", |it| it.kernel.shuffles.to_string()),
    ("redux", |it| it.kernel.redux.to_string()),
    ("atomics", |it| it.kernel.atomics.to_string()),
    ("fences", |it| it.kernel.fences.to_string()),
    ("divergent", |it| it.kernel.divergent_branches.to_string()),
];

/// The meaning of the columns, in a line below a table.
pub(crate) const LEGEND: &str = "\
slots and warp_use count only the loops that combine threads; the other columns count whole kernels, over all launches";

/// Returns the columns of counts.
pub(crate) fn columns(shown: &[Shown]) -> impl Iterator<Item = Column> {
    shown.iter().map(|&(heading, _)| Column { heading, side: Side::Right })
}

/// Returns the cells of those columns; blank if nothing was counted.
pub(crate) fn cells(shown: &[Shown], counted: Option<&Counted>) -> impl Iterator<Item = String> {
    shown.iter().map(move |(_, cell)| counted.map_or(String::new(), cell))
}

/// Formats a ratio for tables; `None` becomes a dash.
pub(crate) fn percent(ratio: Option<f64>) -> String {
    ratio.map_or("-".to_owned(), |ratio| format!("{:.1}%", 100.0 * ratio))
}

/// Returns the share of execution slots with an active lane.
fn warp_use(counts: &Counts) -> Option<f64> {
    (counts.slots > 0).then(|| counts.active as f64 / counts.slots as f64)
}

/// The three scopes of counts as JSON; null if nothing was counted.
#[derive(Serialize)]
pub(crate) struct Scopes {
    #[serde(rename = "loop")]
    tree: Option<Line>,
    kernel: Option<KernelLine>,
    copy: Option<Line>,
}

#[derive(Serialize)]
struct KernelLine {
    launches: usize,
    #[serde(flatten)]
    counts: Line,
}

impl Scopes {
    /// Returns the scopes of the counts.
    pub(crate) fn of(counted: Option<&Counted>) -> Scopes {
        let kernel = |it: &Counted| KernelLine { launches: it.launches, counts: (&it.kernel).into() };
        Scopes {
            tree: counted.map(|it| (&it.tree).into()),
            kernel: counted.map(kernel),
            copy: counted.and_then(|it| it.copy.as_ref()).map(Into::into),
        }
    }
}

/// Counts as JSON. The keys are the names of the fields of [`Counts`].
#[derive(Serialize)]
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

#[derive(Serialize)]
struct GlobalLine {
    accesses: u64,
    requests: u64,
    sectors: u64,
    bytes: u64,
}

#[derive(Serialize)]
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
