//! Ranks of MPI have the bits of one process, and a rank that is dead, stopped or mismatched is an error on all others.
//!
//! Each case starts this program again by `mpirun`. Without it the tests are skipped; REDUCEGEN_REQUIRE_MPI=1 makes that a failure.
#![cfg(feature = "mpi")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../tests/support/skip.rs"]
mod skip;
#[path = "../../tests/support/splitmix.rs"]
mod splitmix;

use reduce_dsl::parse::spec;
use reduce_runtime::mpi::mpi::traits::Communicator;
use reduce_runtime::mpi::mpi::{Threading, initialize_with_threading};
use reduce_runtime::mpi::{RankError, Ranks};
use reduce_runtime::{Device, Partials, Reducer, Span};
use splitmix::Random;
use std::process::{Command, Output};
use std::thread::sleep;
use std::time::{Duration, Instant};

const CASE: &str = "REDUCEGEN_RANKS_CASE";
const SEED: &str = "REDUCEGEN_RANKS_SEED";
/// The time after which a silent rank is an error.
const DEADLINE: Duration = Duration::from_secs(2);

/// Runs a case on some ranks, and returns its output and its time.
fn run(test: &str, ranks: usize, case: &str, seed: u64) -> Option<(Output, Duration)> {
    let found =
        Command::new("mpirun").arg("--version").output().map_err(|error| format!("no mpirun: {error}"));
    skip::needed(test, "REDUCEGEN_REQUIRE_MPI", found)?;
    let start = Instant::now();
    let mut command = Command::new("timeout");
    command.args(["60", "mpirun", "--allow-run-as-root", "--oversubscribe", "-n", &ranks.to_string()]);
    command.args(["--mca", "btl", "self,vader,tcp", "--mca", "btl_vader_single_copy_mechanism", "none"]);
    command.arg(std::env::current_exe().unwrap());
    command.args(["--exact", "rank", "--ignored", "--nocapture", "--test-threads", "1"]);
    command.env(CASE, case).env(SEED, seed.to_string()).env("RAYON_NUM_THREADS", "1");
    let output = command.output().unwrap();
    Some((output, start.elapsed()))
}

fn text(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes)).concat()
}

/// One rank of a case.
#[test]
#[ignore = "a part of the other tests, which start it by mpirun"]
fn rank() {
    let Ok(case) = std::env::var(CASE) else { return };
    let seed: u64 = std::env::var(SEED).unwrap().parse().unwrap();
    let (_universe, _) = initialize_with_threading(Threading::Funneled).unwrap();
    let world = reduce_runtime::mpi::mpi::topology::SimpleCommunicator::world();
    let (rank, count) = (world.rank(), world.size());
    let spec_of = |text| Reducer::new(&spec(text).unwrap(), &Device::host()).unwrap();
    let sum = spec_of("op: sum, ty: f32");
    let total = 500_000 + seed;
    let data: Vec<f32> = (0..total).map(|at| 1.0 / (1.0 + at as f32)).collect();
    let steps = total.div_ceil(sum.chunk_len(total).unwrap());
    let cut = |rank: i32| (steps * rank as u64 / count as u64 * sum.chunk_len(total).unwrap()).min(total);
    let (first, end) = (cut(rank), if rank + 1 == count { total } else { cut(rank + 1) });
    let mine = &data[first as usize..end as usize];
    let part = || -> Result<Partials, String> {
        match case.as_str() {
            "mismatched" if rank == 1 => {
                let product = spec_of("op: prod, ty: f32");
                return product
                    .partials(&[mine], &[], Span { first, total })
                    .map_err(|error| error.to_string());
            }
            "failed" if rank == 1 => return Err("the disk is on fire".to_owned()),
            "slow" if rank == 1 => sleep(2 * DEADLINE),
            "killed" | "stopped" if rank == 1 => {
                sleep(Duration::from_millis(Random::new(seed).below(300)));
                let signal = if case == "killed" { "-KILL" } else { "-STOP" };
                Command::new("kill").args([signal, &std::process::id().to_string()]).status().unwrap();
            }
            "killed" | "stopped" => sleep(Duration::from_millis(Random::new(seed + 1).below(300))),
            _ => {}
        }
        sum.partials(&[mine], &[], Span { first, total }).map_err(|error| error.to_string())
    };
    let abort = |error: &RankError| {
        println!("error of a rank: {error}");
        reduce_runtime::mpi::mpi::topology::SimpleCommunicator::world().abort(1);
    };
    for turn in 0..2 {
        match Ranks::new(&world).with_deadline(DEADLINE).on_silence(abort).gather(part) {
            Err(error) => println!("error of a rank: {error}\n"),
            Ok(parts) => match sum.merge(&parts) {
                Err(error) => println!("error of a rank: {error}\n"),
                Ok(merged) => {
                    assert_eq!(merged.values, sum.reduce(&[&data[..]]).unwrap().values);
                    println!("turn {turn} has the bits\n");
                }
            },
        }
    }
}

fn count(text: &str, what: &str) -> usize {
    text.matches(what).count()
}

#[test]
fn every_number_of_ranks_has_the_bits_of_one_process() {
    for (seed, ranks) in [1, 2, 3, 7].into_iter().enumerate() {
        let Some((output, _)) = run("every_number_of_ranks", ranks, "bits", seed as u64) else { return };
        let text = text(&output);
        assert!(
            output.status.success() && count(&text, "has the bits") == 2 * ranks,
            "{ranks} ranks: {text}"
        );
    }
}

#[test]
fn a_slow_rank_is_not_a_dead_one() {
    let Some((output, _)) = run("a_slow_rank", 3, "slow", 5) else { return };
    assert_eq!(count(&text(&output), "has the bits"), 6, "{}", text(&output));
}

#[test]
fn an_error_of_a_rank_is_one_of_all() {
    for (case, expected) in
        [("failed", "rank 1 failed: the disk is on fire"), ("mismatched", "the partials are of `")]
    {
        let Some((output, _)) = run("an_error_of_a_rank", 3, case, 9) else { return };
        let text = text(&output);
        assert!(output.status.success() && count(&text, expected) == 6, "{case}: {text}");
    }
}

#[test]
fn a_rank_that_is_killed_or_stopped_ends_all_others() {
    for seed in 0..20 {
        let case = if seed % 4 == 3 { "stopped" } else { "killed" };
        let Some((output, time)) = run("a_rank_that_is_killed", 3, case, seed) else { return };
        let text = text(&output);
        assert!(!output.status.success() && count(&text, "has the bits") == 0, "{case} {seed}: {text}");
        assert!(time < DEADLINE + Duration::from_secs(10), "{case} {seed}: {time:?}");
        assert!(case == "killed" || text.contains("rank 1 was silent for 2 s"), "{case} {seed}: {text}");
    }
}
