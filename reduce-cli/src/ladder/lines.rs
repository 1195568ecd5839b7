//! The ladder as JSON.

use super::climb::{Climb, Row, over_rung_5, over_rung_before};
use crate::timed;
use reduce_dsl::ladder::Published;
use reduce_report::counts::Scopes;
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
    op: &'static str,
    ty: &'static str,
    layout: String,
    n: u64,
    block: u32,
    right: Option<bool>,
    wrong: Option<&'a str>,
    counts_n: u64,
    #[serde(flatten)]
    counts: Scopes,
    device: &'a str,
    time: Option<timed::Line>,
    speedup_over_rung_before: Option<f64>,
    speedup_over_rung_5: Option<f64>,
    published: Vec<PublishedLine>,
}

#[derive(Serialize)]
struct PublishedLine {
    source: char,
    n: u64,
    us: f64,
}

/// Returns the line of the rung at a position of the rows.
pub(super) fn line<'a>(climb: &Climb, device: &'a str, rows: &'a [Row], at: usize) -> Line<'a> {
    let row = &rows[at];
    let climbed = row.outcome.as_ref().ok();
    let published = climb.published(row.rung).iter();
    let (op, ty) = row.rung.operator(climb.op, climb.ty);
    Line {
        rung: row.rung.number,
        name: row.rung.name,
        what: row.rung.what,
        passes: row.rung.passes.iter().map(ToString::to_string).collect(),
        spec: climbed.map(|it| it.spec.text.as_str()),
        refused: row.outcome.as_ref().err().map(String::as_str),
        op: op.name,
        ty: ty.name(),
        layout: row.rung.domain().access.to_string(),
        n: row.n,
        block: row.rung.block(row.n, climb.block),
        right: climbed.map(|it| it.wrong.is_none()),
        wrong: climbed.and_then(|it| it.wrong.as_deref()),
        counts_n: row.counts_n,
        counts: Scopes::of(climbed.map(|it| &it.counted.sums)),
        device,
        time: row.time().map(Into::into),
        speedup_over_rung_before: over_rung_before(rows, at),
        speedup_over_rung_5: over_rung_5(rows, at),
        published: published.map(|&Published { source, n, us }| PublishedLine { source, n, us }).collect(),
    }
}
