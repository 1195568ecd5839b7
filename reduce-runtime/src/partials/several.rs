//! Several devices of one process: each reduces a part, and the host merges the partials in their order.

use super::{Partials, PartialsError, Span};
use crate::{Error, Outcome, Reducer, Strided, inputs};
use reduce_ir::Value;
use reduce_lanes::LanesRef;
use std::ops::Range;
use std::thread;

impl Reducer {
    /// Reduces host memory on several devices, each of which gets about as many chunks. The reducers are of one specification. The bits
    /// are those of each of them alone, and so of any number of devices.
    ///
    /// # Errors
    /// As [`Reducer::reduce_with`] and [`Reducer::chunk_len`]; a device fails, which the error names. The others can be used on.
    pub fn reduce_over<'a>(
        reducers: &[&Reducer],
        inputs: &[impl Copy + Into<Strided<LanesRef<'a>>>],
        params: &[Value],
    ) -> Result<Outcome, Error> {
        let reducer = reducers.first().ok_or(PartialsError::NoDevices)?;
        if let [only] = reducers {
            return only.reduce_with(inputs, params);
        }
        let inputs: Vec<Strided<LanesRef<'_>>> = inputs.iter().map(|&input| input.into()).collect();
        inputs::check_params(reducer.operation(), params)?;
        let shapes = inputs.iter().map(|input| input.with_data((input.data.ty(), input.data.len())));
        let total = inputs::check(reducer.operation(), reducer.programs().domain(), shapes)?;
        let ranges = shares(total, reducer.chunk_len(total)?, reducers.len() as u64);
        let part = |reducer: &Reducer, range: Range<u64>| {
            let views: Vec<_> = inputs.iter().map(|input| part_of(input, &range)).collect();
            let part = reducer.partials(&views, params, Span { first: range.start, total });
            part.map_err(|error| named(reducer, &error))
        };
        let part = &part;
        let parts = thread::scope(|scope| {
            let start = |(reducer, range)| {
                let thread = thread::Builder::new().spawn_scoped(scope, move || part(reducer, range));
                thread.map_err(|error| named(reducer, &error))
            };
            let threads: Vec<_> = reducers.iter().copied().zip(ranges).map(start).collect();
            let join = |thread: Result<thread::ScopedJoinHandle<'_, Result<Partials, Error>>, Error>| {
                thread?.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().map(join).collect::<Result<Vec<_>, _>>()
        })?;
        reducer.merge(&parts)
    }
}

/// Returns one range for each device, cut at multiples of the chunk.
fn shares(total: u64, chunk: u64, count: u64) -> impl Iterator<Item = Range<u64>> {
    let chunks = u128::from(total.div_ceil(chunk));
    let cut = move |at: u64| {
        let chunks = chunks * u128::from(at) / u128::from(count);
        u64::try_from(chunks * u128::from(chunk)).map_or(total, |at| at.min(total))
    };
    (0..count).map(move |at| cut(at)..cut(at + 1))
}

/// Returns some elements of an input.
fn part_of<'a>(input: &Strided<LanesRef<'a>>, range: &Range<u64>) -> Strided<LanesRef<'a>> {
    let distance = (range.start as isize).wrapping_mul(input.step);
    let offset = if range.is_empty() { 0 } else { input.offset.wrapping_add_signed(distance) };
    Strided { offset, len: (range.end - range.start) as usize, ..*input }
}

/// Returns the error of a device.
fn named(reducer: &Reducer, error: &impl ToString) -> Error {
    PartialsError::Device { device: reducer.device().name(), reason: error.to_string() }.into()
}
