//! A program after a pass: its text, its difference to the one before, its counts and its steps.

use crate::Error;
use crate::counts::Scopes;
use crate::data::Data;
use crate::document::Time;
use crate::kernels::Kernels;
use crate::play::{Outcome, Played, play};
use reduce_codegen::passes;
use reduce_ir::pass::Pass;
use serde::Serialize;
use similar::{ChangeTag, TextDiff};

/// A program for the viewer.
#[derive(Clone, Debug, Serialize)]
pub struct StageView {
    /// The name: `naive`, or the pass.
    pub name: String,
    /// The effect of the pass, in one line.
    pub what: String,
    /// The specification, if each stage has its own.
    pub spec: Option<String>,
    steps: String,
    association: String,
    cuda: String,
    /// The difference of the CUDA to the stage before: lines that begin with a space, `-`, `+`, or `@` for a gap.
    diff: Vec<String>,
    counts: Scopes,
    steps_of_run: Option<Played>,
    /// The times that sources published.
    pub published: Vec<Published>,
    /// The times on a GPU.
    pub time: Option<Time>,
}

/// A time that a source published.
#[derive(Clone, Debug, Serialize)]
pub struct Published {
    /// The source, and its device.
    pub source: String,
    /// The number of elements.
    pub n: u64,
    /// The time in microseconds.
    pub us: f64,
}

/// The effect of the naive schedule.
const NAIVE: &str = "one element per thread; a tree in shared memory";

impl StageView {
    /// Returns the view of kernels on elements, and its outcome. `before` is the CUDA of the stage before; `room` is the
    /// approximate number of bytes for its steps.
    ///
    /// # Errors
    /// The kernels cannot be made, or the interpreter found a fault.
    pub fn of(
        (name, what): (String, String),
        kernels: Kernels<'_>,
        data: &Data,
        before: Option<&str>,
        room: usize,
    ) -> Result<(StageView, Outcome), Error> {
        let (cuda, lines) = kernels.cuda_with_lines()?;
        let outcome = play(kernels, data, &lines, room)?;
        let view = StageView {
            name,
            what,
            spec: None,
            steps: kernels.steps(),
            association: kernels.associations(data.extent.length),
            diff: before.map(|before| difference(before, &cuda)).unwrap_or_default(),
            counts: Scopes::of(Some(&outcome.sums)),
            steps_of_run: (room > 0).then(|| outcome.played.clone()),
            published: Vec::new(),
            time: None,
            cuda,
        };
        Ok((view, outcome))
    }

    /// Returns the CUDA.
    pub fn cuda(&self) -> &str {
        &self.cuda
    }
}

/// Returns the name and the effect of kernels that no passes make.
pub(crate) fn head(kernels: Kernels<'_>) -> (String, String) {
    let (name, what) = match kernels {
        Kernels::Passes(_) => ("naive", NAIVE),
        Kernels::Segments(program, _) if program.has_columns() => {
            ("segments", "one list of launches for all lengths; each column of a segment is a group")
        }
        Kernels::Segments(..) => ("segments", "one list of launches for segments of all lengths"),
        Kernels::Keys(_) => ("keys", "tables with an accumulator for each group"),
    };
    (name.to_owned(), what.to_owned())
}

/// Returns the effect of a pass in one line.
pub(crate) fn effect(pass: Option<Pass>) -> String {
    let doc = |pass: Pass| passes::named(pass.name).map_or_else(String::new, |rule| rule.doc.to_owned());
    pass.map_or_else(|| NAIVE.to_owned(), doc)
}

fn difference(old: &str, new: &str) -> Vec<String> {
    let diff = TextDiff::from_lines(old, new);
    let mut lines = Vec::new();
    for group in diff.grouped_ops(3) {
        if !lines.is_empty() {
            lines.push("@".to_owned());
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            lines.push(format!("{sign}{}", change.value().trim_end_matches('\n')));
        }
    }
    lines
}
