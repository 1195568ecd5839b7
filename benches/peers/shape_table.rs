//! The table of shapes as Markdown: our time, the fraction of a read, and the ratio to each peer.

use super::markdown::{cell_text, find, short_number};
use super::table::{Mode, Peer, Row, Table};
use std::fmt::Write;

const HEAD: &str = "Shapes: sums of `f32` unless named, in a CUDA graph unless the row says stream. GB/s counts inputs and results. \
    *Read* is the time of a kernel that only reads the same number of bytes / ours. The other columns are the peer's time / ours; \
    – says that the peer has no such reduction. A number below its goal is bold.\n\n\
    | shape | µs | GB/s | read | CUB | PyTorch | torch.compile |\n|---|---|---|---|---|---|---|\n";

/// Writes a row for each shape and mode, or nothing if the table has no shapes.
pub(crate) fn shapes(table: &Table) -> String {
    let ours: Vec<_> = table.rows.iter().filter(|row| row.is_shape() && row.peer == Peer::Ours).collect();
    if ours.is_empty() {
        return String::new();
    }
    ours.into_iter().fold(HEAD.to_owned(), |text, row| text + &line(table, row))
}

fn line(table: &Table, ours: &Row) -> String {
    let mode = if ours.mode == Mode::Stream { ", stream" } else { "" };
    let mut line = format!("| {}{mode} |", cell_text(&ours.case));
    let _ = write!(line, " {} | {:.0} |", short_number(ours.time.median), ours.gigabytes());
    for peer in [Peer::Read, Peer::Cub, Peer::Eager, Peer::Compiled] {
        let found = find(table, &ours.case, ours.n, ours.mode, peer);
        let _ = write!(line, " {} |", found.map_or("–".to_owned(), ratio));
    }
    line + "\n"
}

fn ratio(row: &Row) -> String {
    let Some(ratio) = row.ratio else { return String::new() };
    match row.goal.filter(|_| row.met() == Some(false)) {
        Some(goal) => format!("**{:.3}** < {goal:.2}", ratio.median),
        None => format!("{:.2}", ratio.median),
    }
}
