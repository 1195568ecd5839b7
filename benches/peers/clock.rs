//! Times calls that this process enqueues, on a stream or captured in a graph, with no part of the inputs in the cache.

use super::Outcome;
use super::gpu::Gpu;
use super::read::{Flush, Reader};
use super::table::Mode;
use reducegen::cudarc::driver::sys::{CUevent_flags, CUgraphInstantiate_flags, CUstreamCaptureMode};
use reducegen::cudarc::driver::{CudaEvent, CudaGraph};
use std::rc::Rc;

/// Calls before the timed ones, so that the stream is never empty.
const LEAD: u64 = 2;
/// The number of cache-evicting reads before a graph. They take long enough for the host to launch all nodes of the graph.
const FLUSHES: usize = 10;

/// An operation that is enqueued on the stream of the GPU.
pub(crate) trait Launch {
    /// Enqueues one call on the inputs of a turn. Neither waits nor allocates.
    fn enqueue(&mut self, turn: u64) -> Outcome<()>;

    /// Enqueues a call while a graph captures the stream. All memory that the call needs lives as long as the contestant.
    fn enqueue_captured(&mut self, turn: u64) -> Outcome<()> {
        self.enqueue(turn)
    }

    /// Returns the result of turn 0.
    fn numbers(&mut self) -> Outcome<Vec<f64>>;
}

/// A contestant, whose calls are timed.
pub(crate) trait Contestant {
    /// Prepares samples of `calls` calls.
    fn prepare(&mut self, mode: Mode, calls: u64) -> Outcome<()>;

    /// Returns the microseconds of a call, as the mean of the prepared number of calls in a row.
    fn sample(&mut self, mode: Mode, calls: u64) -> Outcome<f64>;

    /// Returns the result of turn 0.
    fn numbers(&mut self) -> Outcome<Vec<f64>>;
}

/// The resources that all samples of this process share.
pub(crate) struct Clock {
    pub(crate) gpu: Gpu,
    pub(crate) reader: Reader,
    flush: Flush,
    start: CudaEvent,
    stop: CudaEvent,
}

impl Clock {
    pub(crate) fn new(gpu: Gpu) -> Outcome<Clock> {
        let event = || gpu.context.new_event(Some(CUevent_flags::CU_EVENT_DEFAULT));
        let (start, stop) = (event()?, event()?);
        let reader = Reader::new(&gpu)?;
        Ok(Clock { flush: Flush::new(&gpu, &reader)?, gpu, reader, start, stop })
    }

    /// Returns the microseconds of the enqueued work.
    fn time(&self, enqueue: impl FnOnce() -> Outcome<()>) -> Outcome<f64> {
        self.start.record(self.gpu.stream)?;
        enqueue()?;
        self.stop.record(self.gpu.stream)?;
        Ok(f64::from(self.start.elapsed_ms(&self.stop)?) * 1e3)
    }
}

/// A contestant of this process.
pub(crate) struct Native<L> {
    clock: Rc<Clock>,
    /// Declared before the launch, so that it is dropped first: it uses memory of the launch.
    graph: Option<CudaGraph>,
    pub(crate) launch: L,
}

impl<L: Launch> Native<L> {
    pub(crate) fn new(clock: &Rc<Clock>, launch: L) -> Native<L> {
        Native { clock: clock.clone(), launch, graph: None }
    }

    fn enqueue(&mut self, calls: u64) -> Outcome<()> {
        (0..calls).try_for_each(|turn| self.launch.enqueue(turn))
    }

    fn capture(&mut self, calls: u64) -> Outcome<CudaGraph> {
        let stream = self.clock.gpu.stream;
        stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED)?;
        let enqueued = (0..calls).try_for_each(|turn| self.launch.enqueue_captured(turn));
        // The capture is ended after a failure, too, so that the stream can be used again.
        let graph = stream.end_capture(CUgraphInstantiate_flags(0));
        enqueued?;
        graph?.ok_or_else(|| "nothing was captured".into())
    }

    fn sample_stream(&mut self, calls: u64) -> Outcome<f64> {
        let clock = self.clock.clone();
        clock.flush.enqueue(1)?;
        clock.gpu.stream.synchronize()?;
        (0..LEAD).try_for_each(|turn| self.launch.enqueue(calls + turn))?;
        clock.time(|| self.enqueue(calls))
    }

    fn sample_graph(&self) -> Outcome<f64> {
        let graph = self.graph.as_ref().ok_or("the graph was not captured")?;
        self.clock.flush.enqueue(FLUSHES)?;
        self.clock.time(|| Ok(graph.launch()?))
    }
}

impl<L: Launch> Contestant for Native<L> {
    fn prepare(&mut self, mode: Mode, calls: u64) -> Outcome<()> {
        self.graph = None;
        if mode == Mode::Graph {
            let graph = self.capture(calls)?;
            graph.upload()?;
            self.graph = Some(graph);
        }
        Ok(())
    }

    fn sample(&mut self, mode: Mode, calls: u64) -> Outcome<f64> {
        let microseconds = match mode {
            Mode::Stream => self.sample_stream(calls)?,
            Mode::Graph => self.sample_graph()?,
        };
        Ok(microseconds / calls as f64)
    }

    fn numbers(&mut self) -> Outcome<Vec<f64>> {
        self.launch.numbers()
    }
}
