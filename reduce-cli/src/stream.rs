//! Data that is reduced piece by piece: pipes while their elements arrive, and mapped files that may be larger than memory.

use crate::args::{DeviceName, Request, Run};
use crate::data::{Data, Pipe, Reason};
use crate::failure::Failure;
use crate::progress::Progress;
use reduce_codegen::{Programs, Tuning};
use reduce_ir::program::Program;
use reduce_ir::{Spec, Value};
use reduce_lanes::LanesRef;
use reduce_runtime::{Mapped, Outcome, Partials, Reducer, Span, Strided};
use std::io::Read;
use std::ops::Range;
use std::thread;
use std::time::Instant;

/// The bytes of a window of mapped files. Two windows are in memory at a time.
const WINDOW: u64 = 128 << 20;

/// Returns whether the elements of a pipe can be reduced while they arrive: all of them, to one result.
pub(crate) fn suits(args: &Run, spec: &Spec) -> bool {
    let Request { files, offset, step, len, axis, shape, .. } = &args.request;
    let takes_all = *offset == [0] && *step == [1] && len.is_none();
    let has_one_result = spec.axes.is_none() && axis.is_empty() && shape.is_none();
    let is_cut = args.segments.is_some() || !args.by.is_empty();
    let is_on_host = matches!(args.request.device, DeviceName::Auto | DeviceName::Host);
    files.len() == 1
        && takes_all
        && has_one_result
        && !is_cut
        && !args.trace
        && is_on_host
        && has_chunks(spec)
}

/// Returns whether parts of many elements can be reduced alone. An error of a pass comes later, at its place.
fn has_chunks(spec: &Spec) -> bool {
    let programs = Programs::of(spec, Tuning::DEFAULT);
    let last = programs.ok().and_then(|programs| programs.variants().last().map(Program::association));
    last.is_some_and(|association| association.chunk().is_some())
}

/// Reduces the elements of a pipe. Returns also their number.
pub(crate) fn reduce_pipe(
    reducer: &Reducer,
    (data, pipe): (&Data, Pipe),
    params: &[Value],
) -> Result<(Outcome, u64), Failure> {
    let size = data.ty().size() as u64;
    let bytes = pipe.bytes();
    let mut progress = Progress::of(bytes);
    let mut elements = pipe.into_elements();
    let reader = Box::new(progress.reading(&mut elements));
    let outcome = reducer.reduce_readers(vec![reader], bytes.map(|bytes| bytes / size), params)?;
    // Without a header, the elements are read to the end.
    if !matches!(elements.read(&mut [0]), Ok(0)) {
        return Err(data.error(Reason::MoreThanAnArray).into());
    }
    Ok((outcome, progress.done() / size))
}

/// Mapped files whose elements lie side by side, and which are larger than a few windows.
pub(crate) struct Windows<'a> {
    data: &'a [Data],
    files: Vec<(&'a Mapped, usize)>,
    views: &'a [Strided<LanesRef<'a>>],
    total: u64,
    /// The number of elements of a window.
    len: u64,
}

impl<'a> Windows<'a> {
    /// Returns the windows of large files that a reducer on the host can reduce in parts.
    pub(crate) fn of(
        reducer: &Reducer,
        data: &'a [Data],
        views: &'a [Strided<LanesRef<'a>>],
    ) -> Option<Windows<'a>> {
        let total = views.first()?.len as u64;
        let size: u64 = data.iter().map(|data| data.ty().size() as u64).sum();
        let files = data.iter().map(Data::mapped).collect::<Option<Vec<_>>>()?;
        let is_large = total.saturating_mul(size) > 3 * WINDOW;
        if !is_large || views.iter().any(|view| view.step != 1) {
            return None;
        }
        let chunk = reducer.chunk_len(total).ok()?;
        let len = (WINDOW / size / chunk).max(1) * chunk;
        Some(Windows { data, files, views, total, len })
    }

    /// Reduces one window after the other, while the next one is read.
    pub(crate) fn reduce(&self, reducer: &Reducer, params: &[Value]) -> Result<Outcome, Failure> {
        let start = Instant::now();
        let size: u64 = self.data.iter().map(|data| data.ty().size() as u64).sum();
        let mut progress = Progress::of(Some(self.total * size));
        let mut parts = Vec::new();
        for first in (0..self.total).step_by(self.len as usize) {
            let window = first..self.end_of(first);
            self.data.iter().try_for_each(Data::check_unchanged)?;
            parts.push(self.partials(reducer, params, window.clone())?);
            self.bytes(window.clone()).for_each(|(file, bytes)| file.release(bytes));
            progress.add((window.end - window.start) * size);
        }
        let mut outcome = reducer.merge(&parts)?;
        outcome.kernel = start.elapsed();
        Ok(outcome)
    }

    fn end_of(&self, first: u64) -> u64 {
        first.saturating_add(self.len).min(self.total)
    }

    /// Reduces a window to partials, and reads the next one ahead.
    fn partials(&self, reducer: &Reducer, params: &[Value], window: Range<u64>) -> Result<Partials, Failure> {
        let part = |view: &Strided<LanesRef<'a>>| {
            let offset = view.offset + window.start as usize;
            Strided { offset, len: (window.end - window.start) as usize, ..*view }
        };
        let views: Vec<_> = self.views.iter().map(part).collect();
        let next = window.end..self.end_of(window.end);
        thread::scope(|scope| {
            let ahead: Vec<_> = self.bytes(next).collect();
            let prefetch = || ahead.into_iter().for_each(|(file, bytes)| file.prefetch(bytes));
            // Without the thread, elements are read on access.
            let _ = thread::Builder::new().spawn_scoped(scope, prefetch);
            Ok(reducer.partials(&views, params, Span { first: window.start, total: self.total })?)
        })
    }

    /// Returns the bytes of each file that hold some elements.
    fn bytes(&self, elements: Range<u64>) -> impl Iterator<Item = (&'a Mapped, Range<usize>)> {
        self.files.iter().zip(self.views).map(move |(&(file, start), view)| {
            let size = view.data.ty().size();
            let [from, to] =
                [elements.start, elements.end].map(|at| start + (view.offset + at as usize) * size);
            (file, from..to)
        })
    }
}
