//! The law of reductions with many outputs, for random specifications with `axes`, random shapes and random layouts: each
//! output has the bits of the same reduction of its own elements, side by side, in the order of the reduced axes as written.
//! The host and the interpreter must both have them. On a GPU the same samples run in `gpu/fuzz_axes.rs`.
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
#[path = "support/reference.rs"]
mod reference;
#[path = "support/splitmix.rs"]
mod splitmix;
#[path = "support/subjects.rs"]
#[allow(dead_code, reason = "these specifications are random")]
mod subjects;

use axes_law::Seen;
use axes_specs::Fuzzed;
use fuzzed::{Pool, seeds};
use rayon::prelude::*;
use splitmix::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The number of specifications.
const SPECS: u64 = 300;

/// The greatest number of elements of a shape, and of the last shape of some specifications.
const MOST: usize = 2100;
const MOST_OF_FEW: usize = 16_500;

/// The number of shapes of each specification.
const SHAPES: u64 = 3;

/// Properties that some samples have. A generator that no longer makes them would test less.
const PROPERTIES: [&str; 42] = [
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
    "cluster",
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
];

#[test]
fn each_group_has_the_bits_of_its_elements_alone() {
    let (pool, seeds) = (Pool::new(MOST_OF_FEW), seeds(SPECS));
    let outcomes: Vec<_> = seeds.par_iter().map(|&seed| checked(seed, &pool)).collect();
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
fn checked(seed: u64, pool: &Pool) -> (Result<(), String>, Seen) {
    let mut seen = Seen::default();
    let caught = catch_unwind(AssertUnwindSafe(|| check(seed, pool, &mut seen)));
    let caught = caught.unwrap_or_else(|_| Err("it panics".to_owned()));
    (caught.map_err(|what| format!("seed {seed}: {what}")), seen)
}

fn check(seed: u64, pool: &Pool, seen: &mut Seen) -> Result<(), String> {
    let Some(fuzzed) = Fuzzed::of_seed(seed)? else { return Ok(()) };
    seen.count("accepted specification");
    (0..fuzzed.refused).for_each(|_| seen.count("refused pass"));
    let mut random = Random::new(seed);
    for at in 0..SHAPES {
        let is_large = at + 1 == SHAPES && seed.is_multiple_of(8);
        match fuzzed.shape(if is_large { MOST_OF_FEW } else { MOST }, &mut random) {
            Some(shape) => fuzzed.check(&shape, pool, &mut random, seen)?,
            None => seen.count("lengths are too long"),
        }
    }
    Ok(())
}
