//! A run in the interpreter, with its steps.

use crate::Error;
use crate::counts::Sums;
use crate::data::{Cutting, Data};
use crate::frames::{Frame, LaunchView, Watch, place};
use crate::kernels::Kernels;
use crate::recording::Recording;
use reduce_interpreter::{Acc, Event, Options, Values};
use reduce_ir::Value;
use reduce_ir::evaluate::OperandError;
use reduce_ir::operation::Operation;
use reduce_ir::statements::{Buffer, LoweredKernel, Place};
use serde::Serialize;
use std::cell::RefCell;

/// The steps of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Played {
    kernels: Vec<KernelView>,
    launches: Vec<LaunchView>,
    /// The name of each input, and the bytes of an element.
    inputs: Vec<(String, usize)>,
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
    /// Whether it reads elements.
    reads_inputs: bool,
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

/// Runs kernels on elements in the interpreter, with all warps in order, and keeps as many of their steps as have `room`, in bytes. `lines`
/// has the line of each statement of each launched kernel.
///
/// # Errors
/// A key is no group; the interpreter found a fault: a bug of this project.
pub fn play(
    kernels: Kernels<'_>,
    data: &Data,
    lines: &[Vec<Option<usize>>],
    room: usize,
) -> Result<Outcome, Error> {
    let operation = kernels.operation();
    let lowered = kernels.lower()?;
    let made = RefCell::default();
    let mut domain = Recording { values: Values::new(operation), made: &made };
    let mut watch = Watch::new(operation, &lowered.kernels, &made, room);
    let mut trace = |event: &Event<'_>| watch.event(event);
    let options =
        Options { trace: Some(&mut trace), sizes: &data.sizes, ..Options::FORWARD.with(&data.params) };
    let outcome = kernels.run(&lowered, &mut domain, data, options)?;
    if let Some(report) = outcome.reports.first() {
        return Err(Error::Wrong(report.to_string()));
    }
    let values = domain.values;
    let results = results(operation, &values, data, &outcome.results)?;
    let with_text = |(acc, result): (&Option<Acc>, &Option<Vec<Value>>)| {
        Some((watch.number((*acc)?)?, operation.output.value_text(result.as_deref()?)))
    };
    let played = Played {
        kernels: views(operation, &lowered.kernels, watch.clusters(), lines),
        inputs: operation.inputs.iter().map(|input| (input.name.clone(), input.ty.size())).collect(),
        values: watch.named.iter().map(|&acc| operation.acc.value_text(&values.get(acc))).collect(),
        finished: outcome.results.iter().zip(&results).filter_map(with_text).collect(),
        launches: watch.launches,
        frames: watch.frames,
        is_cut: watch.is_cut,
    };
    Ok(Outcome { sums: kernels.sums(&outcome), results, played })
}

/// Returns the result of each group.
fn results(
    operation: &Operation,
    values: &Values<'_>,
    data: &Data,
    accs: &[Option<Acc>],
) -> Result<Vec<Option<Vec<Value>>>, Error> {
    let wrong = |error: &dyn std::fmt::Display| Error::Wrong(error.to_string());
    let finish = |(group, acc): (usize, &Option<Acc>)| {
        let n = data.length_of(group);
        if n == 0 && matches!(data.cut, Cutting::Segments(_)) {
            return of_nothing(operation, &data.params).map_err(|error| wrong(&error));
        }
        let Some(acc) = *acc else { return Ok(None) };
        let finished = values.finish(acc, n, &data.params);
        finished.map(|it| operation.unstored(it).ok()).map_err(|error| wrong(&error))
    };
    accs.iter().enumerate().map(finish).collect()
}

/// Returns the result of a segment of no elements.
fn of_nothing(operation: &Operation, params: &[Value]) -> Result<Option<Vec<Value>>, OperandError> {
    match (&operation.empty, &operation.identity) {
        (Some(empty), _) => Ok(Some(empty.clone())),
        (None, Some(identity)) => Ok(operation.unstored(operation.finished(identity, 0, params)?).ok()),
        (None, None) => Ok(None),
    }
}

fn views(
    operation: &Operation,
    kernels: &[LoweredKernel],
    clusters: &[u64],
    lines: &[Vec<Option<usize>>],
) -> Vec<KernelView> {
    let view = |(number, kernel): (usize, &LoweredKernel)| KernelView {
        name: kernel.name,
        block: kernel.block,
        cluster: clusters[number],
        reads_inputs: kernel.statements().into_iter().filter_map(place).any(is_input),
        shared: arrays(operation, kernel),
        lines: lines.get(number).cloned().unwrap_or_default(),
    };
    kernels.iter().enumerate().map(view).collect()
}

fn is_input(place: &Place) -> bool {
    matches!(place.buffer, Buffer::Input(_))
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
