//! How long a reduction takes on a GPU.

use std::time::Duration;

/// What a reduction costs on a GPU, each time the median of several samples between two events of CUDA.
///
/// A sample is a row of calls without a pause, divided by their number, as a stream of work sees them: a time
/// contains what the GPU does between two launches, up to a microsecond where they do not overlap (passes `dependent` and
/// `trigger`), but no call of the driver. Each call
/// reads another copy of the data, and all copies together are at least four times as large as the L2 cache,
/// so no element is found there. What one launch leaves for the next is found there, as in any reduction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timing {
    /// Of each launch alone, in the order of the plan. The first reads the inputs.
    pub launches: Vec<Duration>,
    /// Of the whole plan. Where the blocks meet in an atomic, without setting the identity they start from.
    pub plan: Duration,
}
