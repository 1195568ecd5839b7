//! The table as Markdown: all of it, the part that docs/speed.md shows, and the goals that are missed. `shape_table` has the
//! shapes.

use super::shape_table::shapes;
use super::table::{Check, Mode, Peer, Row, Table};
use std::fmt::Write;

/// Writes the whole table.
pub(crate) fn full(table: &Table) -> String {
    let mut text = machine(table) + &summary(table) + "\n" + &shapes(table);
    for case in cases(table) {
        let _ = writeln!(text, "\n### {}\n\n{}", cell_text(case), of_case(table, case));
    }
    text
}

/// Writes the goals that are missed, wrong results, and missing contestants.
pub(crate) fn summary(table: &Table) -> String {
    let mut text = String::new();
    let met: Vec<_> = table.rows.iter().filter_map(|row| row.met().map(|met| (row, met))).collect();
    let missed: Vec<_> = met.iter().filter(|(_, met)| !met).map(|(row, _)| row).collect();
    let _ = writeln!(text, "\n{} of {} goals are met.", met.len() - missed.len(), met.len());
    let _ = missed.iter().try_for_each(|row| {
        writeln!(text, "- {}: {:.3}, goal {:.2}", name(row), ratio(row), row.goal.unwrap_or(0.0))
    });
    // Results are compared once for both modes.
    let of_one_mode = table.rows.iter().filter(|row| row.mode == Mode::Graph);
    let wrong = of_one_mode.filter_map(|row| match &row.check {
        Check::Wrong(what) => Some(format!("- WRONG: {}, {}: {what}\n", cell(row), row.peer)),
        Check::Right | Check::Unknown(_) => None,
    });
    text.extend(wrong);
    table.missing.iter().for_each(|what| text.push_str(&format!("- not measured: {what}\n")));
    text
}

/// Writes the part for docs/speed.md: times against CUB over sizes, and the cases of one size.
pub(crate) fn short(table: &Table) -> String {
    let (of_sizes, of_one): (Vec<_>, Vec<_>) =
        cases(table).into_iter().partition(|case| sizes(table, case).len() > 1);
    let tables = [over_sizes(table, &of_sizes), at_one_size(table, &of_one), shapes(table)];
    let present = tables.into_iter().filter(|text| !text.is_empty());
    present.fold(machine(table), |page, text| page + "\n" + &text)
}

fn machine(table: &Table) -> String {
    let machine = &table.machine;
    let versions: Vec<_> =
        machine.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
    format!(
        "{}, driver {}; {}. {}\n",
        machine.gpu,
        machine.driver,
        versions.join(", "),
        machine.method.join(" ")
    )
}

/// Writes a row for each size and mode of a case.
fn of_case(table: &Table, case: &str) -> String {
    let mut text = String::from(
        "| n | mode | reducegen, µs | GB/s | CUB | PyTorch | torch.compile | read | reference |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for n in sizes(table, case) {
        for mode in Mode::ALL {
            let find = |peer| find(table, case, n, mode, peer);
            let Some(ours) = find(Peer::Ours) else { continue };
            let time = ours.time;
            let _ = write!(text, "| {} | {mode} ", size(n));
            let _ = write!(
                text,
                "| {} ({}–{}) ",
                short_number(time.median),
                short_number(time.lower),
                short_number(time.upper)
            );
            let _ = write!(text, "| {:.0} ", ours.gigabytes());
            for peer in [Peer::Cub, Peer::Eager, Peer::Compiled, Peer::Read, Peer::Beside] {
                let _ = write!(text, "| {} ", find(peer).map_or(String::new(), with_spread));
            }
            text.push_str("|\n");
        }
    }
    text
}

/// Writes a row for each case: the ratio to CUB, graph and stream, for some sizes.
fn over_sizes(table: &Table, cases: &[&str]) -> String {
    let mut all: Vec<_> = cases.iter().flat_map(|case| sizes(table, case)).collect();
    all.sort_unstable();
    all.dedup();
    let shown: Vec<_> = all.into_iter().rev().filter(|n| [28, 24, 20, 16, 12].contains(&n.ilog2())).collect();
    if shown.is_empty() {
        return String::new();
    }
    let mut text = String::from("CUB's time / ours, graph · stream:\n\n| |");
    shown.iter().for_each(|&n| text.push_str(&format!(" {} |", size(n))));
    text.push_str(&format!("\n|---|{}\n", "---|".repeat(shown.len())));
    for case in cases {
        if !table.rows.iter().any(|row| row.case == *case && row.peer == Peer::Cub) {
            continue;
        }
        let _ = write!(text, "| {} |", cell_text(case));
        for &n in &shown {
            let of = |mode| find(table, case, n, mode, Peer::Cub).map(plain_ratio);
            let both: Vec<_> = Mode::ALL.into_iter().filter_map(of).collect();
            text.push_str(&format!(" {} |", both.join(" · ")));
        }
        text.push('\n');
    }
    text
}

/// Writes a row for each case of one size, in a graph: our rate, and the ratio to each peer.
fn at_one_size(table: &Table, cases: &[&str]) -> String {
    if cases.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "Time / ours, graph:\n\n| | GB/s | CUB | PyTorch | torch.compile | read |\n|---|---|---|---|---|---|\n",
    );
    for case in cases {
        for n in sizes(table, case) {
            let find = |peer| find(table, case, n, Mode::Graph, peer);
            let Some(ours) = find(Peer::Ours) else { continue };
            let _ = write!(text, "| {}, {} | {:.0} |", cell_text(case), size(n), ours.gigabytes());
            for peer in [Peer::Cub, Peer::Eager, Peer::Compiled, Peer::Read] {
                text.push_str(&format!(" {} |", find(peer).map_or(String::new(), plain_ratio)));
            }
            text.push('\n');
        }
    }
    text
}

/// Returns the names of all cases with one result, in the order of the table.
fn cases(table: &Table) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for row in table.rows.iter().filter(|row| !row.is_shape()) {
        if !names.contains(&&*row.case) {
            names.push(&row.case);
        }
    }
    names
}

fn sizes(table: &Table, case: &str) -> Vec<u64> {
    let mut sizes: Vec<_> = table.rows.iter().filter(|row| row.case == case).map(|row| row.n).collect();
    sizes.dedup();
    sizes
}

pub(super) fn find<'a>(table: &'a Table, case: &str, n: u64, mode: Mode, peer: Peer) -> Option<&'a Row> {
    table.rows.iter().find(|row| row.case == case && (row.n, row.mode, row.peer) == (n, mode, peer))
}

fn name(row: &Row) -> String {
    format!("{}, {}, {}", cell(row), row.mode, row.peer)
}

/// Returns the name of a cell, as `--only` takes it.
fn cell(row: &Row) -> String {
    if row.is_shape() { row.case.clone() } else { format!("{}, {}", row.case, size(row.n)) }
}

fn ratio(row: &Row) -> f64 {
    row.ratio.map_or(1.0, |ratio| ratio.median)
}

fn plain_ratio(row: &Row) -> String {
    format!("{:.2}", ratio(row))
}

/// Writes the ratio with its quartiles. A ratio that misses its goal is bold, and followed by the goal.
fn with_spread(row: &Row) -> String {
    let Some(ratio) = row.ratio else { return String::new() };
    let spread = format!("({:.2}–{:.2})", ratio.lower, ratio.upper);
    match row.goal.filter(|_| row.met() == Some(false)) {
        Some(goal) => format!("**{:.3}** < {goal:.2} {spread}", ratio.median),
        None => format!("{:.2} {spread}", ratio.median),
    }
}

fn size(n: u64) -> String {
    if n.is_power_of_two() { format!("2^{}", n.ilog2()) } else { n.to_string() }
}

/// Formats microseconds with about three digits.
pub(super) fn short_number(x: f64) -> String {
    if x < 100.0 { format!("{x:.2}") } else { format!("{x:.1}") }
}

/// Escapes bars, which would end the cell.
pub(super) fn cell_text(name: &str) -> String {
    name.replace('|', "\\|")
}
