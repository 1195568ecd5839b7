//! Results in device memory, after a word that kernels set where offsets or keys are wrong.

use super::driver::{self, failed};
use super::groups::fields;
use crate::Error;
use cudarc::driver::{CudaSlice, CudaStream};
use reduce_ir::operation::Record;
use reduce_lanes::Lanes;
use std::ops::Range;
use std::sync::Arc;

/// The word of faults before any.
pub(super) const NO_FAULT: [u8; 8] = [u8::MAX; 8];

/// Waits for the stream, and reads the results: one vector for each field, of `count` records from a byte on. The inner error is the number
/// that the kernels recorded, which is cleared.
pub(super) fn read(
    stream: &Arc<CudaStream>,
    memory: &mut CudaSlice<u8>,
    stored: &Record,
    (from, count): (u64, usize),
) -> Result<Result<Vec<Lanes>, u64>, Error> {
    driver::refuse_capture(stream)?;
    let mut results = vec![0; count * stored.size()];
    let from = from as usize;
    let mut fault = NO_FAULT.to_vec();
    let copied = copy(stream, memory, 0..8, &mut fault)
        .and_then(|()| copy(stream, memory, from..from + results.len(), &mut results));
    if let Err(error) = driver::wait(stream) {
        // The copies may still write to the bytes.
        std::mem::forget((fault, results));
        return copied.and(Err(failed("running the kernels")(error)));
    }
    copied?;
    if fault == NO_FAULT {
        return Ok(Ok(fields(stored, &results)));
    }
    let number = fault.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let mut word = memory.slice_mut(0..8);
    stream.memcpy_htod(&NO_FAULT, &mut word).map_err(failed("setting the fault"))?;
    Ok(Err(number))
}

/// Waits for the stream, and reads some bytes from one on.
pub(super) fn read_bytes(
    stream: &Arc<CudaStream>,
    memory: &CudaSlice<u8>,
    from: u64,
    count: usize,
) -> Result<Vec<u8>, Error> {
    driver::refuse_capture(stream)?;
    let mut bytes = vec![0; count];
    let copied = copy(stream, memory, from as usize..from as usize + count, &mut bytes);
    if let Err(error) = driver::wait(stream) {
        // The copy may still write to the bytes.
        std::mem::forget(bytes);
        return copied.and(Err(failed("running the kernels")(error)));
    }
    copied.map(|()| bytes)
}

/// Copies bytes of the memory to the host.
fn copy(
    stream: &Arc<CudaStream>,
    memory: &CudaSlice<u8>,
    from: Range<usize>,
    to: &mut [u8],
) -> Result<(), Error> {
    if from.is_empty() {
        return Ok(());
    }
    stream.memcpy_dtoh(&memory.slice(from), to).map_err(failed("reading the results"))
}
