//! The ladder as tables.

use super::climb::{Climb, Climbed, Row, step, total};
use crate::cli::args::MOST_COUNTED;
use crate::cli::counts;
use crate::cli::report::microseconds;
use crate::cli::table::{Column, Side, Table};
use reduce_codegen::ladder::Published;
use reduce_dsl::spec::Listed;

/// The tables, and what is to be said below them.
pub(super) fn text(climb: &Climb, device: &str, rows: &[Row]) -> String {
    let (op, ty, block) = (climb.op.name, climb.ty, climb.block);
    let mut text = format!("{op} of {} x {ty}, {block} threads a block, counted:\n\n", climb.counts_n);
    text += &counted(rows).to_string();
    text += &format!("\n{}\n", counts::LEGEND);
    if climb.counts_n < climb.n {
        text += &format!("more than {MOST_COUNTED} elements are not counted\n");
    }
    if rows.iter().any(|row| row.time().is_some()) {
        text += &format!("\nthe same of {} x {ty} on {device}:\n\n", climb.n);
        text += &timed(rows).to_string();
        text += "\nus: the launch that leaves one partial a block (rungs 2 and 3: all but the copy); all: every launch; of read:\n\
                 the share of what a kernel reads that does nothing else; step, total: speed-up over the rung before, over rung 5\n";
    }
    text + &verdict(rows)
}

/// How many rungs are right; what is wrong; and which rungs there are not.
fn verdict(rows: &[Row]) -> String {
    let climbed: Vec<_> = rows.iter().filter_map(|row| Some((row, row.outcome.as_ref().ok()?))).collect();
    let right = climbed.iter().filter(|(_, it)| it.wrong.is_none()).count();
    let mut text = format!("\n{right} of {} rungs give the bits of the host\n", climbed.len());
    for row in rows {
        match &row.outcome {
            Ok(Climbed { wrong: None, .. }) => {}
            Ok(Climbed { wrong: Some(wrong), .. }) => {
                text += &format!("rung {} is wrong: {wrong}\n", row.rung.number)
            }
            Err(reason) => text += &format!("rung {} does not exist here: {reason}\n", row.rung.number),
        }
    }
    text
}

fn counted(rows: &[Row]) -> Table {
    let passes = Column { heading: "passes", side: Side::Left };
    let mut table = Table::new(named().into_iter().chain(counts::columns()).chain([passes]).collect());
    for row in rows {
        let passes = Listed(row.rung.passes).to_string();
        let cells: Vec<_> = match &row.outcome {
            Ok(climbed) => counts::cells(&climbed.counted).collect(),
            Err(_) => counts::no_cells().collect(),
        };
        table.push(names(row).into_iter().chain(cells).chain([passes]).collect());
    }
    table.without(&["0", ""])
}

fn timed(rows: &[Row]) -> Table {
    let headings = ["us", "all", "GB/s", "of read", "step", "total"];
    let columns = headings.map(|heading| Column { heading, side: Side::Right });
    let published = Column { heading: "published", side: Side::Left };
    let mut table = Table::new(named().into_iter().chain(columns).chain([published]).collect());
    for (at, row) in rows.iter().enumerate() {
        let times = match row.time() {
            None => headings.map(|_| String::new()),
            Some(time) => [
                format!("{:.1}", microseconds(time.kernel)),
                format!("{:.1}", microseconds(time.plan)),
                format!("{:.1}", time.gb_per_s()),
                counts::percent(Some(time.share_of_read())),
                factor(step(rows, at)),
                factor(total(rows, at)),
            ],
        };
        table.push(names(row).into_iter().chain(times).chain([published_text(row.rung.published)]).collect());
    }
    table
}

fn named() -> [Column; 2] {
    [Column { heading: "", side: Side::Right }, Column { heading: "rung", side: Side::Left }]
}

fn names(row: &Row) -> [String; 2] {
    [row.rung.number.to_string(), row.rung.name.to_owned()]
}

fn factor(factor: Option<f64>) -> String {
    factor.map_or(String::new(), |factor| format!("{factor:.2}x"))
}

fn published_text(figures: &[Published]) -> String {
    let figure = |it: &Published| format!("{}: {:.1} us of {}", it.source, it.us, it.n);
    figures.iter().map(figure).collect::<Vec<_>>().join("; ")
}
