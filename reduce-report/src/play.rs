//! A run in the interpreter, with its steps.

use crate::Error;
use crate::counts::Sums;
use crate::data::Data;
use crate::frames::{Frame, LaunchView, Watch};
use crate::recording::Recording;
use reduce_interpreter::{Acc, Event, Options, Values, run};
use reduce_ir::Value;
use reduce_ir::operation::{Operation, Record};
use reduce_ir::program::Program;
use reduce_ir::statements::LoweredKernel;
use serde::Serialize;
use std::cell::RefCell;

/// The steps of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Played {
    kernels: Vec<KernelView>,
    launches: Vec<LaunchView>,
    /// The accumulators that the frames name by number, as text.
    values: Vec<String>,
    frames: Vec<Frame>,
    /// Whether there were more frames than are kept.
    is_cut: bool,
    /// The result of each accumulator that was stored as one: its number, and the text.
    finished: Vec<(usize, String)>,
}

#[derive(Clone, Debug, Serialize)]
struct KernelView {
    name: &'static str,
    block: u32,
    cluster: u64,
    shared: Vec<ArrayView>,
    /// The line of each statement in the CUDA, from 0.
    lines: Vec<Option<usize>>,
}

/// An array in shared memory: its length, the bytes of a record, and its first byte.
#[derive(Clone, Debug, Serialize)]
struct ArrayView {
    name: &'static str,
    len: u32,
    size: usize,
    at: usize,
}

/// The outcome of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The counts.
    pub sums: Sums,
    /// The result of each group: one value for each field; none if it has no result.
    pub results: Vec<Option<Vec<Value>>>,
    /// The steps.
    pub played: Played,
}

/// Runs a program on elements in the interpreter, with all warps in order, and keeps as many of its steps as have `room`, in bytes. `lines` has the line
/// of each statement of each launched kernel.
///
/// # Errors
/// The interpreter found a fault: a bug of this project.
pub fn play(
    program: &Program,
    data: &Data,
    lines: &[Vec<Option<usize>>],
    room: usize,
) -> Result<Outcome, Error> {
    let operation = &program.operation;
    let lowered = reduce_codegen::lower(program)?;
    let made = RefCell::default();
    let mut domain = Recording { values: Values::new(operation), made: &made };
    let mut watch = Watch::new(operation, &lowered.kernels, &made, room);
    let mut trace = |event: &Event<'_>| watch.event(event);
    let options =
        Options { trace: Some(&mut trace), sizes: &data.sizes, ..Options::FORWARD.with(&data.params) };
    let outcome = run(program, &lowered, &mut domain, &data.inputs, data.extent, options);
    if let Some(report) = outcome.reports.first() {
        return Err(Error::Wrong(report.to_string()));
    }
    let values = domain.values;
    let finish = |acc: Acc| {
        let finished = values.finish(acc, data.extent.length, &data.params);
        finished.map(|it| operation.unstored(it).ok()).map_err(|error| Error::Wrong(error.to_string()))
    };
    let result = |acc: &Option<Acc>| acc.map(finish).transpose().map(Option::flatten);
    let results = outcome.results.iter().map(result).collect::<Result<Vec<_>, _>>()?;
    let number = |acc: Option<Acc>| watch.named.iter().position(|named| Some(*named) == acc);
    let with_text = |(acc, result): (&Option<Acc>, &Option<Vec<Value>>)| {
        Some((number(*acc)?, record_text(&operation.output, result.as_deref()?)))
    };
    let played = Played {
        kernels: kernels(operation, &lowered.kernels, watch.clusters(), lines),
        values: watch.named.iter().map(|&acc| record_text(&operation.acc, &values.get(acc))).collect(),
        finished: outcome.results.iter().zip(&results).filter_map(with_text).collect(),
        launches: watch.launches,
        frames: watch.frames,
        is_cut: watch.is_cut,
    };
    Ok(Outcome { sums: Sums::of(program, &outcome.counts), results, played })
}

fn kernels(
    operation: &Operation,
    kernels: &[LoweredKernel],
    clusters: &[u64],
    lines: &[Vec<Option<usize>>],
) -> Vec<KernelView> {
    let view = |(number, kernel): (usize, &LoweredKernel)| KernelView {
        name: kernel.name,
        block: kernel.block,
        cluster: clusters[number],
        shared: arrays(operation, kernel),
        lines: lines.get(number).cloned().unwrap_or_default(),
    };
    kernels.iter().enumerate().map(view).collect()
}

fn arrays(operation: &Operation, kernel: &LoweredKernel) -> Vec<ArrayView> {
    let (size, mut at) = (operation.acc.size(), 0);
    let mut view = |name, len| {
        let view = ArrayView { name, len, size, at };
        at += len as usize * size;
        view
    };
    kernel.shared.iter().map(|it| view(it.name, kernel.constant(it.len))).collect()
}

/// Returns a record as Rust writes it, `190.2` or `Range { lo: 0.0, hi: 190.2 }`.
pub fn record_text(record: &Record, values: &[Value]) -> String {
    let field = |(field, value): (&reduce_ir::func::Param, &Value)| match field.name.as_str() {
        "" => value.to_string(),
        name => format!("{name}: {value}"),
    };
    let fields: Vec<_> = record.fields.iter().zip(values).map(field).collect();
    match &record.name {
        None => fields.concat(),
        Some(name) => format!("{name} {{ {} }}", fields.join(", ")),
    }
}
