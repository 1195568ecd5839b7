//! `mpirun -n k reducegen run …`: each rank reduces a part of the files, and rank 0 prints the result.

use crate::args::Run;
use crate::failure::Failure;

/// Returns whether MPI started several processes. The variables are those of Open MPI, and of MPICH and its relatives.
pub(crate) fn are_several() -> bool {
    let count = |name| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"].into_iter().filter_map(count).any(|count| count > 1)
}

/// Says how to get a command with MPI.
#[cfg(not(feature = "mpi"))]
pub(crate) fn run(_: &Run) -> Result<(), Failure> {
    Err(Failure::request(
        "this command was built without MPI, and would print one result for each rank; build it with `cargo install --path reduce-cli --features mpi`",
    ))
}

#[cfg(feature = "mpi")]
pub(crate) use with_mpi::run;

#[cfg(feature = "mpi")]
mod with_mpi {
    use super::{Failure, Run};
    use crate::args::DeviceName;
    use crate::merge::{Printed, print};
    use crate::{devices, output, partial};
    use reduce_runtime::Partials;
    use reduce_runtime::mpi::mpi::topology::SimpleCommunicator;
    use reduce_runtime::mpi::mpi::traits::Communicator;
    use reduce_runtime::mpi::mpi::{Threading, initialize_with_threading};
    use reduce_runtime::mpi::{RankError, Ranks};
    use std::sync::Mutex;
    use std::time::{Duration, Instant};

    /// The environment variable for the time after which a silent rank is an error.
    const SECONDS: &str = "REDUCEGEN_MPI_SECONDS";

    /// Reduces the part of this rank, and prints the result on rank 0.
    pub(crate) fn run(args: &Run) -> Result<(), Failure> {
        let start = Instant::now();
        let deadline = deadline()?;
        let (_universe, _) = initialize_with_threading(Threading::Funneled)
            .ok_or_else(|| Failure::request("MPI was initialised before; start the command by `mpirun`"))?;
        let world = SimpleCommunicator::world();
        let (rank, count) = (world.rank(), world.size());
        let own = Mutex::new(None);
        let part = || -> Result<Partials, String> {
            part(args, rank, count).map_err(|failure| {
                let reason = failure.to_string();
                own.lock().unwrap_or_else(std::sync::PoisonError::into_inner).replace(failure);
                reason
            })
        };
        let gathered = Ranks::new(&world).with_deadline(deadline).on_silence(abort).gather(part);
        let failure = own.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        match gathered {
            Ok(parts) if rank == 0 => {
                let (limit, output) = (args.request.limit, args.output.as_deref());
                print(&parts, Printed { limit, json: args.json, output }, start)
            }
            Ok(_) => Ok(()),
            // Rank 0 prints the error of any rank.
            Err(_) if rank > 0 => Err(Failure::OfAnotherRank),
            Err(error) => Err(failure.unwrap_or_else(|| Failure::request(error.to_string()))),
        }
    }

    fn part(args: &Run, rank: i32, count: i32) -> Result<Partials, Failure> {
        if args.segments.is_some() || !args.by.is_empty() || args.trace {
            return Err(Failure::request(
                "ranks reduce parts of groups of one length; leave out `--segments`, `--by` and `--trace`",
            ));
        }
        if args.request.files.iter().any(|file| file.as_os_str() == crate::data::STANDARD_INPUT) {
            return Err(Failure::request(
                "each rank reads its part of a file; save the standard input to one",
            ));
        }
        let of = (u64::from(rank.unsigned_abs()) + 1, count.unsigned_abs().into());
        let device = match args.request.device {
            DeviceName::Cuda(0) => DeviceName::Cuda(devices::own_gpu()),
            device @ (DeviceName::Auto | DeviceName::Host | DeviceName::Cuda(_)) => device,
        };
        partial::make(&args.request, of, device)
    }

    fn deadline() -> Result<Duration, Failure> {
        let Ok(seconds) = std::env::var(SECONDS) else { return Ok(Ranks::<SimpleCommunicator>::DEADLINE) };
        match seconds.parse() {
            Ok(seconds @ 1..) => Ok(Duration::from_secs(seconds)),
            Ok(0) | Err(_) => {
                Err(Failure::request(format!("{SECONDS} is `{seconds}`; write a number of seconds above 0")))
            }
        }
    }

    /// Ends all ranks: the end of MPI would wait for a dead one.
    fn abort(error: &RankError) {
        output::error(format!("error: {error}"));
        SimpleCommunicator::world().abort(1);
    }
}
