//! The ladder as JSON.

use super::climb::{Climb, Row, step, total};
use crate::cli::counts;
use crate::cli::timed;
use reduce_codegen::ladder::Published;
use serde::Serialize;

/// A rung as JSON.
#[derive(Serialize)]
pub(super) struct Line<'a> {
    rung: u32,
    name: &'a str,
    what: &'a str,
    passes: Vec<String>,
    spec: Option<&'a str>,
    refused: Option<&'a str>,
    n: u64,
    block: u32,
    right: Option<bool>,
    wrong: Option<&'a str>,
    counts_n: u64,
    launches: Option<usize>,
    #[serde(rename = "loop")]
    tree: Option<counts::Line>,
    kernel: Option<counts::Line>,
    copy: Option<counts::Line>,
    device: &'a str,
    time: Option<timed::Line>,
    step: Option<f64>,
    total: Option<f64>,
    published: Vec<PublishedLine>,
}

#[derive(Serialize)]
struct PublishedLine {
    source: char,
    n: u64,
    us: f64,
}

/// The line of the rung at a place of the rows.
pub(super) fn line<'a>(climb: &Climb, device: &'a str, rows: &'a [Row], at: usize) -> Line<'a> {
    let row = &rows[at];
    let climbed = row.outcome.as_ref().ok();
    let published = row.rung.published.iter();
    Line {
        rung: row.rung.number,
        name: row.rung.name,
        what: row.rung.what,
        passes: row.rung.passes.iter().map(ToString::to_string).collect(),
        spec: climbed.map(|it| it.spec.text.as_str()),
        refused: row.outcome.as_ref().err().map(String::as_str),
        n: row.n,
        block: row.rung.block(row.n, climb.block),
        right: climbed.map(|it| it.wrong.is_none()),
        wrong: climbed.and_then(|it| it.wrong.as_deref()),
        counts_n: row.counts_n,
        launches: climbed.map(|it| it.counted.launches),
        tree: climbed.map(|it| (&it.counted.tree).into()),
        kernel: climbed.map(|it| (&it.counted.kernel).into()),
        copy: climbed.and_then(|it| it.counted.copy.as_ref()).map(Into::into),
        device,
        time: row.time().map(Into::into),
        step: step(rows, at),
        total: total(rows, at),
        published: published.map(|&Published { source, n, us }| PublishedLine { source, n, us }).collect(),
    }
}
