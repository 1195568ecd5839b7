//! The time that a reduction takes on a GPU.

use std::time::Duration;

/// The time of a reduction on a GPU. Each value is the median of several samples between two CUDA events.
///
/// A sample is a series of back-to-back calls on a stream, divided by their number. It includes the gap between two
/// launches, up to a microsecond where they do not overlap (passes `dependent` and `trigger`), but no driver call.
///
/// Each call reads another copy of the data. All copies together are at least four times as large as the L2 cache, so
/// no element is found there. Partials that one launch leaves for the next are found there, as in any reduction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timing {
    /// The time of each launch alone, in the order of the plan. The first launch reads the inputs.
    pub launches: Vec<Duration>,
    /// The time of the whole plan. If blocks combine by atomics, it includes setting the accumulator that they start
    /// from.
    pub plan: Duration,
}
