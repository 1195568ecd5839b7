//! Random specifications over segments that are cut in fifty ways: each segment has the bits that its elements have alone. On a GPU the
//! same specifications run in `gpu/fuzz_segments.rs`.
//!
//! By default some of the specifications are cut in five of the ways, which rotate; with `REDUCEGEN_FULL=1` in all. `REDUCEGEN_SPECS=1000
//! REDUCEGEN_SEED=5000 cargo test --test fuzz_segments` runs a thousand specifications, starting with that seed.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "support/classes.rs"]
mod classes;
#[path = "support/closures.rs"]
#[allow(dead_code, reason = "these specifications are random")]
mod closures;
#[path = "support/cut.rs"]
mod cut;
#[path = "support/fuzzed.rs"]
mod fuzzed;
#[path = "support/reference.rs"]
mod reference;
#[path = "support/rotation.rs"]
mod rotation;
#[path = "support/splitmix.rs"]
mod splitmix;
#[path = "support/subjects.rs"]
#[allow(dead_code, reason = "these specifications are random")]
mod subjects;

use cut::{Cut, WAYS, lanes, offsets};
use fuzzed::{Pool, seeds};
use rayon::prelude::*;
use reduce_runtime::{Device, Reducer, View};
use subjects::{bits, params};

/// The maximum number of elements.
const MOST: u64 = 8000;

#[test]
fn segments_have_the_bits_that_they_have_alone() {
    let (pool, seeds) = (Pool::new(MOST as usize), seeds(60));
    let ways: Vec<_> = rotation::sample(0..WAYS, 10).collect();
    let outcomes: Vec<_> = seeds.par_iter().map(|&seed| compared(seed, &ways, &pool)).collect();
    let findings: Vec<_> = outcomes.iter().filter_map(|it| it.as_ref().err()).collect();
    let segments: usize = outcomes.iter().flatten().sum();
    println!(
        "{} specifications, {} ways, {segments} segments, {} findings",
        seeds.len(),
        ways.len(),
        findings.len()
    );
    assert!(findings.is_empty(), "{}", findings[0]);
    assert!(segments > 100 * seeds.len(), "{segments} segments");
}

/// Compares the segments of a specification. Returns their number, or the first difference.
fn compared(seed: u64, ways: &[u64], pool: &Pool) -> Result<usize, String> {
    let Some(cut) = Cut::of_seed(seed) else { return Ok(0) };
    let [alone, segments] =
        [&cut.alone, &cut.segments].map(|spec| Reducer::new(spec, &Device::host()).unwrap());
    let data = cut.elements(pool, MOST as usize);
    let params = params(alone.operation());
    let mut count = 0;
    for &way in ways {
        let offsets = offsets(way, MOST);
        let views: Vec<_> = data.iter().map(|it| View::new(it.borrow(), [MOST as usize])).collect();
        let found = segments.reduce_segments(&views, lanes(cut.offsets, &offsets).borrow(), &params).unwrap();
        for (segment, ends) in offsets.windows(2).enumerate() {
            let of_segment = ends[0] as usize..ends[1] as usize;
            let inputs: Vec<_> = data.iter().map(|it| it.borrow().slice(of_segment.clone())).collect();
            let wanted = bits(alone.reduce_with(&inputs, &params).map(|it| it.values));
            let found = found.get(segment).map_or(subjects::NO_RESULT.to_owned(), |values| bits(Ok(values)));
            if found != wanted {
                let text = &cut.segments.text;
                return Err(format!(
                    "seed {seed}: {text}\nway {way}, segment {segment} of {ends:?}: {found}, alone {wanted}"
                ));
            }
            count += 1;
        }
    }
    Ok(count)
}
