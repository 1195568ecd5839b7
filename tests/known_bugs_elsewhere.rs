//! Bugs of other libraries do not occur on the host and in the interpreter: see `support/traps.rs`. On a GPU the same cases
//! run in `gpu/numeric.rs`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod cases;
#[path = "support/closures.rs"]
mod closures;
#[path = "support/reference.rs"]
mod reference;
#[path = "support/rotation.rs"]
#[allow(dead_code, reason = "only a sample is taken")]
mod rotation;
#[path = "support/subjects.rs"]
#[allow(dead_code, reason = "traps are of few subjects")]
mod subjects;
#[path = "support/traps.rs"]
mod traps;

use rayon::prelude::*;
use reduce_lanes::LanesRef;
use reduce_runtime::{Device, Reducer};
use reference::Reference;
use subjects::spec;
use traps::Case;

/// A rotating twelfth of the cases; all of them with `REDUCEGEN_FULL=1`.
#[test]
fn nobody_falls_into_a_trap() {
    let cases: Vec<_> = rotation::sample(traps::cases(&traps::traps()), 48).collect();
    let wrong: Vec<_> = cases.par_iter().flat_map_iter(wrong).collect();
    println!("{} traps and schedules", cases.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn wrong(case: &Case) -> Vec<String> {
    let reference = Reference::new(case.spec.clone());
    let runs = traps::STARTS.iter().map(|&start| case.trap.memory(start));
    let of_run = |(memory, place): (Vec<_>, _)| {
        let host = case.wrong("host", &reference.on_host(&memory, place));
        let interpreted = reference.interpreted(&memory, place);
        [host, interpreted.and_then(|bits| case.wrong("interpreter", &bits))]
    };
    runs.flat_map(of_run).flatten().collect()
}

/// The result does not depend on the number of host threads and their timing.
#[test]
fn every_run_gives_the_same_bits() {
    let data: Vec<f32> = (0..300_001).map(|i| 1.0 / (i as f32 - 0.5)).collect();
    for text in ["op: sum, ty: f32", "op: sum, ty: f32, passes: [shuffle, grid_stride(64)]"] {
        let reducer = Reducer::new(&spec(text), &Device::host()).unwrap();
        let run = || reducer.reduce(&[LanesRef::from(&data[..])]).unwrap().values;
        let first = run();
        for threads in [1, 2, 3, 5, 16] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(pool.install(run), first, "{text}, {threads} threads");
        }
    }
}
