//! Segments and keys in sentences: the groups, and the threads that reduce them.

use crate::data::{Cutting, Data};
use crate::kernels::Kernels;
use reduce_codegen::keys::{Keyed, Owner, Tables};
use reduce_codegen::segments::Segmented;
use reduce_ir::axes::{Axes, Cut, Keys, Others};
use reduce_ir::operation::Operation;
use reduce_ir::program::{Reads, Size};

/// Returns the groups that axes, segments or keys make.
pub(super) fn groups(operation: &Operation, axes: &Axes) -> (&'static str, String) {
    let fields = axes.fields(&operation.inputs, None).join(", ");
    match axes.cut {
        Cut::Whole => ("Axes", format!("`{fields}`. Each position along the kept axes has a result.")),
        Cut::Offsets(_) if axes.result.is_empty() => (
            "Segments",
            format!(
                "`{fields}`. The elements from one offset up to the next one are a segment, and each segment has a result."
            ),
        ),
        Cut::Offsets(_) => (
            "Segments",
            format!("`{fields}`. Each segment has a result for each position along the kept axis."),
        ),
        Cut::Runs(_) => ("Runs", format!("`{fields}`. Each run of equal neighbouring keys has a result.")),
        Cut::Keys(keys) if keys.given.is_none() => ("Keys", of_keys(keys)),
        Cut::Keys(keys) => ("Keys", format!("`{fields}`. {}", of_keys(keys))),
    }
}

fn of_keys(keys: Keys) -> String {
    let from = if keys.given.is_some() {
        "The call gives a key for each element"
    } else {
        "A closure computes the key of each element"
    };
    let others = match keys.others {
        Others::Error => "an error",
        Others::Drop => "left out",
    };
    format!("{from}: the number of its group. An element with another key is {others}.")
}

/// Returns the threads that reduce a group.
pub(super) fn threads(kernels: Kernels<'_>, data: &Data) -> Option<String> {
    match kernels {
        Kernels::Passes(_) => None,
        Kernels::Segments(program, _) => Some(of_segments(program, data)),
        Kernels::Keys(program) => Some(of_tables(program)),
    }
}

/// Returns the team for each range of lengths, with the number of segments that it reduces.
fn of_segments(program: &Segmented, data: &Data) -> String {
    let mut least = 0;
    let mut text = "The length of a segment decides which threads reduce it.".to_owned();
    for (most, team) in teams(program) {
        text += &format!(" Up to {most} elements: {team} ({}).", counted(data, least..=most));
        least = most.saturating_add(1);
    }
    let several = counted(data, least..=u64::MAX);
    text + &format!(" Longer ones: several blocks, each of which leaves a partial ({several}).")
}

/// Returns the longest segment of each team, by ascending length.
fn teams(program: &Segmented) -> Vec<(u64, String)> {
    let short = program.short.iter().map(|it| (it.up_to, name(it.kernel(Reads::Inputs).team.size)));
    let wide = [(program.longest_of_warp(), Size::Warp), (Some(program.longest_tile()), Size::Block)];
    let mut teams: Vec<(u64, String)> = Vec::new();
    for (most, name) in short.chain(wide.map(|(most, size)| (most, name(size)))) {
        let most = most.unwrap_or(0);
        match teams.last_mut() {
            Some((known, _)) if *known >= most => {}
            Some((known, last)) if *last == name => *known = most,
            Some(_) | None => teams.push((most, name)),
        }
    }
    teams
}

fn name(size: Size) -> String {
    match size {
        Size::Thread => "a thread".to_owned(),
        Size::Lanes(lanes) => format!("{lanes} lanes of a warp"),
        Size::Warp => "a warp".to_owned(),
        Size::Block | Size::Cluster | Size::Grid { .. } => "a block".to_owned(),
    }
}

/// Counts the segments whose lengths lie in a range.
fn counted(data: &Data, lengths: std::ops::RangeInclusive<u64>) -> String {
    let Cutting::Segments(offsets) = &data.cut else { return String::new() };
    match offsets.windows(2).filter(|pair| lengths.contains(&(pair[1] - pair[0]))).count() {
        1 => "1 segment here".to_owned(),
        count => format!("{count} segments here"),
    }
}

fn of_tables(program: &Keyed) -> String {
    let Tables { of, threads, .. } = program.tables;
    let (owner, place, together) = match of {
        Owner::Thread => {
            ("Each thread", "shared memory", format!("The {threads} tables of a block become one by halves."))
        }
        Owner::Warp => (
            "Each warp",
            "shared memory",
            "Lanes of one warp whose elements have one key take turns.".to_owned(),
        ),
        Owner::Memory => (
            "Each warp",
            "global memory",
            "Lanes of one warp whose elements have one key take turns.".to_owned(),
        ),
        Owner::Block => ("Each block", "shared memory", ATOMIC.to_owned()),
        Owner::Grid => ("The grid", "global memory", ATOMIC.to_owned()),
    };
    format!(
        "{owner} has a table in {place}: an accumulator for each group. {together} The last kernel combines the tables of all blocks, group by group."
    )
}

/// How threads share a table.
const ATOMIC: &str =
    "Threads combine by atomic instructions: the operation is exact, so their order changes no bit.";
