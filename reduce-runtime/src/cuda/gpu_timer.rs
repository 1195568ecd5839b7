//! A timer on the device: the median time of work that is queued on a stream.

use super::driver::{self, failed};
use crate::Error;
use cudarc::driver::sys::CUevent_flags;
use cudarc::driver::{CudaEvent, CudaStream};
use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The warm-up before the first sample: the device leaves its idle clock rates.
const WARM_UP: Duration = Duration::from_millis(50);
/// The intended length of a sample; CUDA events resolve half a microsecond.
const SAMPLE: Duration = Duration::from_millis(2);
/// The most calls per sample.
const MOST_CALLS: f64 = 200.0;
/// Samples per median, and the fewest that are enough once `ENOUGH` has passed.
const SAMPLES: usize = 15;
const FEWEST: usize = 3;
const ENOUGH: Duration = Duration::from_secs(1);

/// Two events and the stream that they are recorded on.
pub(super) struct GpuTimer<'a> {
    stream: &'a Arc<CudaStream>,
    start: CudaEvent,
    stop: CudaEvent,
    /// The number of calls so far, which is also the number of the next call.
    calls: Cell<u64>,
}

impl<'a> GpuTimer<'a> {
    pub(super) fn new(stream: &'a Arc<CudaStream>) -> Result<GpuTimer<'a>, Error> {
        driver::check_timing()?;
        let event = || {
            let event = stream.context().new_event(Some(CUevent_flags::CU_EVENT_DEFAULT));
            event.map_err(failed("making an event"))
        };
        Ok(GpuTimer { stream, start: event()?, stop: event()?, calls: Cell::new(0) })
    }

    /// Returns the median time of `call`, which queues work on the stream.
    pub(super) fn median(&self, mut call: impl FnMut(u64) -> Result<(), Error>) -> Result<Duration, Error> {
        let begin = Instant::now();
        let mut once = self.sample(1, &mut call)?;
        while begin.elapsed() < WARM_UP {
            once = self.sample(1, &mut call)?;
        }
        let calls = (SAMPLE.as_secs_f64() / once.as_secs_f64()).clamp(1.0, MOST_CALLS) as u32;
        let begin = Instant::now();
        let mut samples = Vec::new();
        while samples.len() < FEWEST || samples.len() < SAMPLES && begin.elapsed() < ENOUGH {
            samples.push(self.sample(calls, &mut call)?);
        }
        samples.sort_unstable();
        Ok(samples[samples.len() / 2])
    }

    /// Returns the mean time of `calls` back-to-back calls.
    fn sample(&self, calls: u32, mut call: impl FnMut(u64) -> Result<(), Error>) -> Result<Duration, Error> {
        self.start.record(self.stream).map_err(failed("recording an event"))?;
        (0..calls).try_for_each(|_| call(self.calls.replace(self.calls.get() + 1)))?;
        self.stop.record(self.stream).map_err(failed("recording an event"))?;
        let milliseconds = self.start.elapsed_ms(&self.stop).map_err(failed("running the kernels"))?;
        let time = Duration::try_from_secs_f64(f64::from(milliseconds) / 1e3);
        let wrong = |_| Error::WrongTime(milliseconds.to_string());
        Ok(time.map_err(wrong)? / calls)
    }
}
