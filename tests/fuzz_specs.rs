//! Random typed specifications as text. The canonical text of each parses to the same specification and becomes the same
//! CUDA. NVRTC compiles it without a warning. The interpreter gives the bits of the host. On a GPU the same
//! specifications run in `gpu/fuzz_specs.rs`.
//!
//! `REDUCEGEN_SPECS=20000 REDUCEGEN_SEED=1000000 cargo test --test fuzz_specs` runs 20,000 of them, starting with that
//! seed. Without NVRTC the test prints that it does not compile, and why; with `REDUCEGEN_REQUIRE_NVRTC=1` it fails
//! instead.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "support/classes.rs"]
mod classes;
#[path = "support/closures.rs"]
#[allow(dead_code, reason = "these specifications are random")]
mod closures;
#[path = "support/fuzzed.rs"]
mod fuzzed;
#[cfg(feature = "cuda")]
#[path = "../fuzz/src/nvrtc.rs"]
#[allow(unreachable_pub, reason = "it is a module of a library, too")]
mod nvrtc;
#[path = "support/reference.rs"]
mod reference;
#[path = "support/skip.rs"]
mod skip;
#[path = "support/splitmix.rs"]
mod splitmix;
#[path = "support/subjects.rs"]
#[allow(dead_code, reason = "these specifications are random")]
mod subjects;

use fuzzed::{Fuzzed, Pool, lengths, number, seeds};
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The maximum number of elements in the interpreter.
const MOST: usize = 2048;

/// The number of lengths of a specification that are interpreted.
const SOME: usize = 4;

/// Checks all seeds. Returns the number of accepted specifications, and the findings.
fn all(count: u64, check: impl Fn(&Fuzzed) -> Result<(), String> + Sync) -> (usize, Vec<String>) {
    let seeds = seeds(count);
    let one = |seed: &u64| -> Result<bool, String> {
        let checked = || {
            let fuzzed = Fuzzed::of_seed(*seed)?;
            fuzzed.as_ref().map_or(Ok(()), &check).map(|()| fuzzed.is_some())
        };
        let caught = catch_unwind(AssertUnwindSafe(checked));
        caught.unwrap_or_else(|_| Err("it panics".to_owned())).map_err(|what| format!("seed {seed}: {what}"))
    };
    let outcomes: Vec<_> = seeds.par_iter().map(one).collect();
    let accepted = outcomes.iter().filter(|it| matches!(it, Ok(true))).count();
    let findings: Vec<_> = outcomes.into_iter().filter_map(Result::err).collect();
    println!("{} specifications, {accepted} accepted, {} findings", seeds.len(), findings.len());
    // Specifications that the parser refuses test nothing.
    assert!(
        10 * (accepted + findings.len()) > 8 * seeds.len(),
        "only {accepted} of {} are accepted",
        seeds.len()
    );
    (accepted, findings)
}

fn none((_, findings): (usize, Vec<String>)) {
    assert!(
        findings.is_empty(),
        "{} findings:\n{}",
        findings.len(),
        findings[..findings.len().min(20)].join("\n\n")
    );
}

#[test]
fn host_and_interpreter_agree() {
    let pool = Pool::new(MOST);
    none(all(100, |fuzzed| {
        let some = lengths(MOST).skip((fuzzed.seed % 4) as usize).step_by(lengths(MOST).count() / SOME);
        some.into_iter().try_for_each(|n| differing(fuzzed, &pool, n))
    }));
}

/// Compares the interpreter with the host for n elements. Returns the difference as an error.
fn differing(fuzzed: &Fuzzed, pool: &Pool, n: usize) -> Result<(), String> {
    let place = fuzzed.place(n);
    let memory = fuzzed.memory(pool, place);
    let host = fuzzed.reference.on_host(&memory, place);
    match fuzzed.reference.interpreted(&memory, place) {
        Some(found) if found != host => {
            let (text, class) = (&fuzzed.reference.spec.text, fuzzed.class());
            Err(format!("{text}\nn = {n}, {class}: host {host}, interpreter {found}"))
        }
        Some(_) | None => Ok(()),
    }
}

#[cfg(feature = "cuda")]
#[test]
fn emitted_cuda_compiles() {
    let found = reduce_runtime::Nvrtc::get();
    let Some(library) = skip::needed("emitted_cuda_compiles", "REDUCEGEN_REQUIRE_NVRTC", found) else {
        return;
    };
    none(all(60, |fuzzed| nvrtc::compiles(library, &fuzzed.reference.spec, fuzzed.seed as usize)));
}

/// A seed gives the same specification on every machine, so a finding can be reproduced.
#[test]
fn a_seed_gives_one_specification() {
    let texts = |seed| fuzz::spec::RandomSpec::of_seed(seed).text();
    let first = number("REDUCEGEN_SEED", 0);
    assert_eq!(texts(first), texts(first));
    let different: std::collections::BTreeSet<_> = (first..first + 100).map(texts).collect();
    assert!(different.len() > 95);
}
