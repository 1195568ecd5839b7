//! Several processes: ranks of MPI, each of which reduces a part of the data.
//!
//! MPI's own reduction adds floats in an order of its own. So partials are gathered on rank 0, which sends all of them to every rank, and each
//! rank merges them.
//!
//! While a rank reduces, it tells the others every now and then that it is alive. No collective operation is used: it would wait for a
//! dead rank without end.

mod error;
mod exchange;

pub use error::RankError;
pub use mpi;

use crate::Partials;
use exchange::{Exchange, Own};
use mpi::topology::Communicator;
use std::fmt;
use std::fmt::Display;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The ranks of a communicator that reduce together.
///
/// ```no_run
/// # use reduce_runtime::{Device, Reducer, Span, mpi::{Ranks, mpi}};
/// # fn mine(_: i32) -> Vec<f32> { Vec::new() }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let sum = Reducer::new(&reduce_dsl::parse::spec("op: sum, ty: f32")?, &Device::host())?;
/// # let (total, first) = (0, 0);
/// use mpi::traits::Communicator;
///
/// let (universe, _) = mpi::initialize_with_threading(mpi::Threading::Funneled).ok_or("MPI runs already")?;
/// let world = universe.world();
/// // The part of this rank, cut at multiples of `sum.chunk_len(total)`.
/// let part: Vec<f32> = mine(world.rank());
/// let parts = Ranks::new(&world).gather(|| sum.partials(&[&part[..]], &[], Span { first, total }))?;
/// println!("{:?}", sum.merge(&parts)?.values); // the same bits on every rank
/// # Ok(())
/// # }
/// ```
pub struct Ranks<'c, C> {
    communicator: &'c C,
    deadline: Duration,
    on_silence: Option<fn(&RankError)>,
}

/// Shows the deadline.
impl<C> fmt::Debug for Ranks<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ranks").field("deadline", &self.deadline).finish_non_exhaustive()
    }
}

impl<'c, C: Communicator> Ranks<'c, C> {
    /// The time after which a silent rank is an error, unless the caller says otherwise.
    pub const DEADLINE: Duration = Duration::from_secs(30);

    /// All ranks of a communicator. Each of them must make the same calls in the same order, on the thread that initialised MPI.
    pub fn new(communicator: &'c C) -> Ranks<'c, C> {
        Ranks { communicator, deadline: Self::DEADLINE, on_silence: None }
    }

    /// Returns the same with another time after which a silent rank is an error. It must be longer than a rank may be stopped by its system.
    #[must_use]
    pub fn with_deadline(self, deadline: Duration) -> Ranks<'c, C> {
        Ranks { deadline, ..self }
    }

    /// Returns the same with a function that is called at once when a rank is silent. A call of [`Ranks::gather`] returns that error only
    /// when its own part is reduced. The function may print the error and end all ranks by `MPI_Abort`: the end of MPI would wait
    /// for the dead one.
    #[must_use]
    pub fn on_silence(self, act: fn(&RankError)) -> Ranks<'c, C> {
        Ranks { on_silence: Some(act), ..self }
    }

    /// Reduces the part of this rank on another thread, and returns the parts of all ranks. Every rank gets the same ones.
    ///
    /// # Errors
    /// The part of a rank fails: all ranks get its message. A rank gives no sign of life for the time of the deadline, because it was
    /// stopped or killed, or does not call this. The partials have over 2 GiB. Mismatched parts are errors of the merge.
    pub fn gather<E: Display>(
        &self,
        part: impl FnOnce() -> Result<Partials, E> + Send,
    ) -> Result<Vec<Partials>, RankError> {
        let (to_this, own) = mpsc::channel();
        let reduce = move || {
            let own = part().map(|part| part.to_bytes()).map_err(|error| error.to_string());
            // After an error, nobody waits for it.
            let _ = to_this.send(own);
        };
        let gathered = thread::scope(|scope| {
            let thread = thread::Builder::new().spawn_scoped(scope, reduce);
            let own = thread.map_or_else(|error| Own::Failed(error.to_string()), |_| Own::Running(own));
            let gathered = Exchange::new(self.communicator, self.deadline).run(own);
            if let (Err(error @ RankError::Silent { .. }), Some(act)) = (&gathered, self.on_silence) {
                act(error);
            }
            gathered
        })?;
        gathered.iter().map(|bytes| Ok(Partials::from_bytes(bytes)?)).collect()
    }
}
