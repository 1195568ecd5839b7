//! The ladder as tables.

use super::climb::{Climb, Climbed, Row, over_rung_5, over_rung_before};
use crate::counted::limit;
use crate::counts::Shown;
use crate::table::{Column, Side, Table};
use crate::{counts, timed};
use reduce_dsl::ladder::{Block, Published, Twist};
use reduce_ir::spec::Listed;

/// The sources that print times.
pub(super) const SOURCES: [(char, &str, &str); 2] = [('B', "B_us", "sm_80"), ('E', "E_us", "RTX 3060")];

/// Returns the tables and the lines below them.
pub(super) fn text(climb: &Climb, device: &str, rows: &[Row]) -> String {
    let (op, ty, block) = (climb.op.name, climb.ty, climb.block);
    let mut text = format!("{op} of {} x {ty}, {block} threads per block, counted:\n\n", climb.counts_n);
    text += &format!("{}\n{}", loops(rows), kernels(rows));
    text += &format!("\n{}{}\n{}\n", limit([climb.n, climb.counts_n]), counts::LEGEND, others(climb, rows));
    if rows.iter().any(|row| row.time().is_some()) {
        text += &format!("\nthe same of {} x {ty} on {device}:\n\n", climb.n);
        text += &timed(climb, rows).to_string();
        text += &format!("\n{}\n", timed::LEGEND);
        text += "over_before, over_5: speed-up over the previous rung, over rung 5\n";
        text += &sources(climb, rows);
    }
    text + &verdict(rows)
}

/// Lists the rungs that differ from the others in more than their passes.
fn others(climb: &Climb, rows: &[Row]) -> String {
    let difference = |row: &Row| match row.rung.twist {
        Twist::None => match row.rung.block {
            Block::Given => None,
            Block::HalfOfElements => Some("block = n / 2, to 1024".to_owned()),
            Block::Warp => Some("block = 32".to_owned()),
        },
        Twist::AnyOrder => Some("any order".to_owned()),
        Twist::OtherOperator => {
            let (op, ty) = row.rung.operator(climb.op, climb.ty);
            Some(format!("{} of {ty}", op.name))
        }
        Twist::AnyLength => Some("odd n".to_owned()),
        Twist::StridedAbs => Some("every second |x|".to_owned()),
    };
    let mut differences: Vec<(u32, u32, String)> = Vec::new();
    for row in rows {
        let (number, Some(what)) = (row.rung.number, difference(row)) else { continue };
        match differences.last_mut() {
            Some((_, last, same)) if *same == what => *last = number,
            _ => differences.push((number, number, what)),
        }
    }
    let text = |(first, last, what): &(u32, u32, String)| {
        if first == last { format!("{first}: {what}") } else { format!("{first} to {last}: {what}") }
    };
    format!("rung {}", differences.iter().map(text).collect::<Vec<_>>().join("; "))
}

/// Names the sources of the published figures in the table.
fn sources(climb: &Climb, rows: &[Row]) -> String {
    let figures = || rows.iter().flat_map(|row| climb.published(row.rung));
    let line = |&(source, heading, device): &(char, &str, &str)| {
        let figure = figures().find(|it| it.source == source)?;
        Some(format!(
            "{heading}: the time that source {source} of docs/ladder.md prints, for {} x f32 on {device}\n",
            figure.n
        ))
    };
    SOURCES.iter().filter_map(line).collect()
}

/// Returns the number of correct rungs, the faults of the others, and the rungs that do not exist.
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

/// Returns the table of the passes and the cost of the loops.
fn loops(rows: &[Row]) -> Table {
    let passes = Column { heading: "passes", side: Side::Left };
    let columns = named().into_iter().chain([passes]).chain(counts::columns(&counts::LOOPS));
    let mut table = Table::new(columns.collect());
    for row in rows {
        let passes = Listed(row.rung.passes).to_string();
        table.push(names(row).into_iter().chain([passes]).chain(cells(&counts::LOOPS, row)).collect());
    }
    table
}

/// Returns the table of the cost of the kernels.
fn kernels(rows: &[Row]) -> Table {
    let mut table = Table::new(named().into_iter().chain(counts::columns(&counts::KERNELS)).collect());
    for row in rows {
        table.push(names(row).into_iter().chain(cells(&counts::KERNELS, row)).collect());
    }
    table.without(&["0", ""])
}

fn cells(shown: &[Shown], row: &Row) -> impl Iterator<Item = String> {
    counts::cells(shown, row.outcome.as_ref().ok().map(|it| &it.counted))
}

fn timed(climb: &Climb, rows: &[Row]) -> Table {
    let headings = ["over_before", "over_5"].into_iter().chain(SOURCES.map(|(_, heading, _)| heading));
    let columns = headings.map(|heading| Column { heading, side: Side::Right });
    let mut table = Table::new(named().into_iter().chain(timed::columns()).chain(columns).collect());
    for (at, row) in rows.iter().enumerate() {
        let factors = [over_rung_before(rows, at), over_rung_5(rows, at)].map(factor);
        let published = SOURCES.map(|(source, ..)| figure(climb.published(row.rung), source));
        let cells = names(row).into_iter().chain(timed::cells(row.time()));
        table.push(cells.chain(factors).chain(published).collect());
    }
    table.without(&[""])
}

fn named() -> [Column; 2] {
    [Column { heading: "#", side: Side::Right }, Column { heading: "rung", side: Side::Left }]
}

fn names(row: &Row) -> [String; 2] {
    [row.rung.number.to_string(), row.rung.name.to_owned()]
}

fn factor(factor: Option<f64>) -> String {
    factor.map_or(String::new(), |factor| format!("{factor:.2}x"))
}

fn figure(figures: &[Published], source: char) -> String {
    let figure = figures.iter().find(|it| it.source == source);
    figure.map_or(String::new(), |it| format!("{:.1}", it.us))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::timed::Time;
    use reduce_dsl::ladder::RUNGS;
    use reduce_dsl::operators::operator;
    use reduce_ir::Scalar;
    use std::time::Duration;

    /// Times of a GPU that takes a millisecond for every rung except the first and the tenth.
    #[test]
    fn times_stand_beside_what_they_are_compared_with() {
        let (op, ty) = (operator("sum").unwrap(), Scalar::F32);
        let mut climb = Climb { op, ty, block: 256, n: 32, counts_n: 32, clock: None };
        let mut rows: Vec<_> = RUNGS.iter().map(|rung| climb.row(rung).unwrap()).collect();
        for row in &mut rows {
            let first = Duration::from_micros(match row.rung.number {
                1 => 1_000_000,
                10 => 500,
                _ => 1000,
            });
            let (all, read) = (first + Duration::from_micros(3), Duration::from_micros(250));
            let time = Time { copy: None, first, all, read, bytes: 1 << 30 };
            row.outcome.as_mut().unwrap().time = Some(time);
        }
        let text = text(&climb, "a GPU", &rows);
        let timed = text.split_once("the same of 32 x f32 on a GPU:\n\n").unwrap().1;
        let words =
            |number: usize| timed.lines().nth(number).unwrap().split("  ").filter(|it| !it.is_empty());
        let trimmed = |number| words(number).map(str::trim).collect::<Vec<_>>();
        assert_eq!(
            trimmed(0),
            [
                "#",
                "rung",
                "first_us",
                "all_us",
                "gb_per_s",
                "share_of_read",
                "over_before",
                "over_5",
                "B_us",
                "E_us"
            ]
        );
        assert_eq!(
            trimmed(10)[1..],
            ["unroll the last warp", "500.0", "503.0", "2147.5", "50.0%", "2.00x", "2.00x", "271.2", "131.0"]
        );
        assert_eq!(timed.lines().find(|line| line.len() > 120), None);
    }
}
