//! The law of reductions with many outputs, for random specifications with `axes`, random shapes and random layouts: each
//! output has the bits of the same reduction of its own elements, side by side, in the order of the reduced axes as written.
//! The host and the interpreter must both have them. On a GPU the same samples run in `gpu/fuzz_axes.rs`.
//!
//! NVRTC compiles kernels of some of the shapes without a warning.
//!
//! `REDUCEGEN_SPECS=20000 REDUCEGEN_SEED=1000000 cargo test --test fuzz_axes` runs 20,000 specifications, starting with that
//! seed.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "support/axes_law.rs"]
mod axes_law;
#[path = "support/axes_shapes.rs"]
mod axes_shapes;
#[path = "support/axes_specs.rs"]
mod axes_specs;
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
#[cfg(feature = "cuda")]
#[path = "support/skip.rs"]
mod skip;
#[path = "support/splitmix.rs"]
mod splitmix;
#[path = "support/subjects.rs"]
#[allow(dead_code, reason = "these specifications are random")]
mod subjects;

use axes_law::{Seen, sample};
use axes_specs::Fuzzed;
use fuzzed::{Pool, seeds};
use rayon::prelude::*;
use splitmix::Random;

/// The number of specifications that run, and of those that are compiled.
const SPECS: u64 = 90;
#[cfg(feature = "cuda")]
const COMPILED: u64 = 20;

/// The greatest number of elements of a shape, and of the last shape of some specifications.
const MOST: usize = 2100;
const MOST_OF_FEW: usize = 16_500;

/// The number of shapes of each specification.
const SHAPES: u64 = 3;

/// Properties that some samples have. A generator that no longer makes them would test less.
const PROPERTIES: [&str; 43] = [
    "no groups",
    "no elements",
    "one element",
    "a step back",
    "a step of 0",
    "a long step",
    "inputs with axes of their own",
    "leading axes",
    "a split",
    "an axis of length 1 in the result",
    "without result",
    "a result of no elements",
    "refused by the call",
    "kept 0",
    "kept 1",
    "kept 2",
    "kept 3",
    "contiguous",
    "adjacent",
    "strided",
    "strided beside 4",
    "strided beside 8",
    "strided beside 16",
    "strided beside few",
    "strided over 2 axes",
    "strided over 2 axes beside 4",
    "strided over 3 axes",
    "team",
    "subwarp",
    "beside",
    "grid_stride",
    "one_block",
    "shuffle",
    "sequential",
    "serial",
    "strided_index",
    "vectorize",
    "coarsen",
    "lanes",
    "unroll",
    "auto",
    "a position along a kept axis",
    "a position along a reduced axis",
];

#[test]
fn each_group_has_the_bits_of_its_elements_alone() {
    let (pool, seeds) = (Pool::new(MOST_OF_FEW), seeds(SPECS));
    let outcomes: Vec<_> = seeds
        .par_iter()
        .map(|&seed| sample(seed, |fuzzed, random, seen| checked(fuzzed, &pool, random, seen)))
        .collect();
    let (mut findings, mut seen) = (Vec::new(), Seen::default());
    for (outcome, counted) in outcomes {
        findings.extend(outcome.err());
        seen = seen.plus(counted);
    }
    println!("{} specifications, {} findings: {:#?}", seeds.len(), findings.len(), seen.0);
    assert!(findings.is_empty(), "{}", findings[..findings.len().min(20)].join("\n\n"));
    // Other seeds may lack a property.
    if seeds == (0..SPECS).collect::<Vec<_>>() {
        let missing: Vec<_> = PROPERTIES.into_iter().filter(|property| seen.of(property) == 0).collect();
        assert!(missing.is_empty(), "no sample has {missing:?}");
        assert!(10 * seen.of("accepted specification") > 8 * seeds.len());
        assert!(seen.of("with results") > 2 * seeds.len());
    }
}

/// Checks all shapes of a specification. Returns the first difference as an error.
fn checked(fuzzed: &Fuzzed, pool: &Pool, random: &mut Random, seen: &mut Seen) -> Result<(), String> {
    for at in 0..SHAPES {
        let is_large = at + 1 == SHAPES && fuzzed.seed.is_multiple_of(8);
        match fuzzed.shape(if is_large { MOST_OF_FEW } else { MOST }, random) {
            Some(shape) => fuzzed.check(&shape, pool, random, seen)?,
            None => seen.count("lengths are too long"),
        }
    }
    Ok(())
}

/// The kernels of a random shape of each specification.
#[cfg(feature = "cuda")]
#[test]
fn kernels_of_groups_compile() {
    let found = reduce_runtime::Nvrtc::get();
    let Some(library) = skip::needed("kernels_of_groups_compile", "REDUCEGEN_REQUIRE_NVRTC", found) else {
        return;
    };
    let compiles = |fuzzed: &Fuzzed, random: &mut Random, seen: &mut Seen| {
        let Some(shape) = fuzzed.shape(MOST_OF_FEW, random) else { return Ok(()) };
        let domain = fuzzed.nest(&shape)?.domain();
        let programs = fuzzed.programs(domain, reduce_codegen::Tuning::DEFAULT)?;
        if programs.variants().iter().any(|program| reduce_codegen::check_size(program).is_err()) {
            return Ok(());
        }
        seen.count("compiled");
        let spec = reduce_ir::Spec { domain, ..fuzzed.spec.clone() };
        nvrtc::compiles(library, &spec, random.below(1000) as usize)
    };
    let seeds = seeds(COMPILED);
    let outcomes: Vec<_> = seeds.par_iter().map(|&seed| sample(seed, compiles)).collect();
    let findings: Vec<_> = outcomes.iter().filter_map(|(outcome, _)| outcome.clone().err()).collect();
    assert!(findings.is_empty(), "{}", findings.join("\n\n"));
    let compiled = outcomes.iter().filter(|(_, seen)| seen.of("compiled") > 0).count();
    assert!(10 * compiled > 8 * seeds.len(), "only {compiled} are compiled");
}
