//! Host and interpreter give the same bits, for random combinations of operator, type, variant, layout, passes, block,
//! size, class of elements and alignment. On a GPU the same samples run in `gpu/numeric.rs`.
//!
//! Runs a sample of them by default, and all with `REDUCEGEN_FULL=1`, best with `cargo test --release --test fuzz_runs`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod cases;
#[path = "support/classes.rs"]
mod classes;
#[path = "support/closures.rs"]
mod closures;
#[path = "../reduce-codegen/tests/support/operations.rs"]
#[allow(dead_code, reason = "random specifications are for other tests")]
mod operations;
#[path = "../reduce-codegen/tests/support/random.rs"]
#[allow(dead_code, reason = "random specifications are for other tests")]
mod random;
#[path = "support/reference.rs"]
mod reference;
#[path = "support/sampled.rs"]
mod sampled;
#[path = "support/splitmix.rs"]
mod splitmix;
#[path = "support/subjects.rs"]
mod subjects;

use classes::Class;
use rayon::prelude::*;
use sampled::{Report, Sample};
use subjects::Subject;

/// The data sets of a specification, and the maximum number of elements of one.
const SETS: usize = 8;
const MOST: usize = 3000;

#[test]
fn host_and_interpreter_agree() {
    let samples = if std::env::var_os("REDUCEGEN_FULL").is_some() { 10_000 } else { 500 };
    let subjects = subjects::subjects();
    let of_seed = |seed| compared(&subjects, seed);
    let report = (0..samples).into_par_iter().map(of_seed).reduce(Report::default, Report::plus);
    print!("{report}");
    assert!(report.differences.is_empty(), "{:#?}", &report.differences[..report.differences.len().min(20)]);
    assert!(report.combinations() == samples as usize * SETS && report.classes() == Class::ALL.len());
}

fn compared(subjects: &[Subject], seed: u64) -> Report {
    let Sample { reference, data } = Sample::new(subjects, seed, SETS, MOST);
    let mut report = Report::of_spec();
    for data in data {
        let memory = data.memory(&reference.spec);
        let found = reference.interpreted(&memory, data.place);
        report.compare(
            &reference.spec,
            data,
            &reference.on_host(&memory, data.place),
            &[("interpreter", found)],
        );
    }
    report
}
