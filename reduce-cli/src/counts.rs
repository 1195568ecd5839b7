//! Counts as columns of a table.

use crate::counted::Counted;
use crate::table::{Column, Side};
use reduce_report::counts::warp_use;

/// A column of counts: its heading, and the function for its cells.
pub(crate) type Shown = (&'static str, fn(&Counted) -> String);

/// The number of launches, and the cost of the loops in which threads combine.
pub(crate) const LOOPS: [Shown; 3] = [
    ("launches", |it| it.sums.launches.to_string()),
    ("slots", |it| it.sums.tree.slots.to_string()),
    ("warp_use", |it| percent(warp_use(&it.sums.tree))),
];

/// The cost of the whole kernels.
pub(crate) const KERNELS: [Shown; 11] = [
    ("requests", |it| {
        (it.sums.kernel.global_loads.requests + it.sums.kernel.global_stores.requests).to_string()
    }),
    ("sectors", |it| {
        (it.sums.kernel.global_loads.sectors + it.sums.kernel.global_stores.sectors).to_string()
    }),
    ("shared", |it| {
        (it.sums.kernel.shared_loads.accesses + it.sums.kernel.shared_stores.accesses).to_string()
    }),
    ("conflicts", |it| {
        (it.sums.kernel.shared_loads.conflicts + it.sums.kernel.shared_stores.conflicts).to_string()
    }),
    ("barriers", |it| it.sums.kernel.block_barriers.to_string()),
    ("syncwarp", |it| it.sums.kernel.warp_barriers.to_string()),
    ("shuffles", |it| it.sums.kernel.shuffles.to_string()),
    ("redux", |it| it.sums.kernel.redux.to_string()),
    ("atomics", |it| it.sums.kernel.atomics.to_string()),
    ("fences", |it| it.sums.kernel.fences.to_string()),
    ("divergent", |it| it.sums.kernel.divergent_branches.to_string()),
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
