//! The law of partials, for random specifications, sizes and cuts: the partials of all parts, in any order, merge to the bits of the
//! whole. Lost, repeated and damaged parts are refused.
//!
//! `REDUCEGEN_FULL=1 cargo test --test fuzz_partials` runs 10,000 samples; `REDUCEGEN_SPECS=… REDUCEGEN_SEED=…` chooses others.
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
use fuzzed::{Pool, seeds};
use rayon::prelude::*;
use reduce_dsl::parse;
use reduce_ir::axes::Pattern;
use reduce_ir::{Axes, Value};
use reduce_lanes::LanesRef;
use reduce_runtime::{Device, Error, Groups, Partials, PartialsError, Reducer, Span, Strided, View};
use splitmix::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};
use subjects::{bits, params};

/// The number of samples with one result, and of those with axes.
const SAMPLES: u64 = 150;
const FULL: u64 = 10_000;

/// The numbers of elements of samples with one result.
const LENGTHS: [usize; 11] = [0, 1, 33, 300, 1000, 2049, 4097, 10_000, 32_767, 65_537, 100_000];

/// The most elements where each one is a chunk.
const FEW: usize = 4097;

/// The greatest number of elements of a sample with axes.
const MOST: usize = 20_000;

/// The most parts of a sample.
const PARTS: usize = 9;

fn samples() -> Vec<u64> {
    seeds(if std::env::var_os("REDUCEGEN_FULL").is_some() { FULL } else { SAMPLES })
}

/// Checks all seeds. Returns the properties of the samples.
fn all(check: impl Fn(u64, &mut Random, &mut Seen) -> Result<(), String> + Sync) -> Seen {
    let one = |&seed: &u64| {
        let mut seen = Seen::default();
        let checked = catch_unwind(AssertUnwindSafe(|| check(seed, &mut Random::new(seed), &mut seen)));
        let found = checked.unwrap_or_else(|_| Err("it panics".to_owned()));
        (found.err().map(|what| format!("seed {seed}: {what}")), seen)
    };
    let outcomes: Vec<_> = samples().par_iter().map(one).collect();
    let (mut findings, mut seen) = (Vec::new(), Seen::default());
    for (finding, counted) in outcomes {
        findings.extend(finding);
        seen = seen.plus(counted);
    }
    println!("{} samples, {} findings: {:#?}", samples().len(), findings.len(), seen.0);
    assert!(findings.is_empty(), "{}", findings[..findings.len().min(20)].join("\n\n"));
    seen
}

/// Other seeds may lack a property.
fn assert_seen(seen: &Seen, properties: &[&str]) {
    if samples().len() as u64 >= SAMPLES {
        let missing: Vec<_> = properties.iter().filter(|property| seen.of(property) == 0).collect();
        assert!(missing.is_empty(), "no sample has {missing:?}");
    }
}

#[test]
fn parts_merge_to_the_bits_of_the_whole() {
    let pool = Pool::new(LENGTHS[LENGTHS.len() - 1]);
    let seen = all(|seed, random, seen| whole(seed, &pool, random, seen));
    assert_seen(
        &seen,
        &[
            "merged",
            "merged by text",
            "several chunks",
            "an empty part",
            "nine parts",
            "no chunks",
            "a lost part",
            "no result",
        ],
    );
}

/// Checks a specification with one result.
fn whole(seed: u64, pool: &Pool, random: &mut Random, seen: &mut Seen) -> Result<(), String> {
    let Some(fuzzed) = fuzzed::Fuzzed::of_seed(seed)? else { return Ok(()) };
    let spec = parse::spec(&fuzzed.reference.spec.text).unwrap();
    let reducer = Reducer::new(&spec, &Device::host()).unwrap();
    let params = params(reducer.operation());
    let has_short_chunks = reducer.chunk_len(FEW as u64).is_ok_and(|chunk| chunk == 1);
    let most = if has_short_chunks { FEW } else { usize::MAX };
    let place = fuzzed.place(random.pick(&LENGTHS).min(most));
    let memory = fuzzed.memory(pool, place);
    let view = |at: usize, len: usize| {
        let offset = if len == 0 { 0 } else { place.first().wrapping_add_signed(place.step * at as isize) };
        let one = |lanes| Strided { data: lanes, offset, step: place.step, len };
        memory.iter().map(|lanes| one(lanes.borrow())).collect::<Vec<_>>()
    };
    let n = place.n as u64;
    let described = |what: String| format!("{}\nn = {n}, {}: {what}", spec.text, fuzzed.class());
    let Some(chunk) = chunk_len(&reducer, n, seen).map_err(described)? else { return Ok(()) };
    let wanted = bits(reducer.reduce_with(&view(0, place.n), &params).map(|outcome| outcome.values));
    seen.count(if wanted == subjects::NO_RESULT { "no result" } else { "a result" });
    let part = |first: u64, end: u64| {
        let inputs = view(first as usize, (end - first) as usize);
        reducer.partials(&inputs, &params, Span { first, total: n })
    };
    let parts = parts(n, chunk, part, random, seen).map_err(described)?;
    let found = bits(reducer.merge(&parts).map(|outcome| outcome.values));
    if found != wanted {
        return Err(described(format!("whole {wanted}\nmerged {found}")));
    }
    // It compiles the specification again.
    if seed.is_multiple_of(4) {
        let by_text = bits(Partials::merge(&parts, parse::spec).map(|groups| groups.get(0).unwrap()));
        if by_text != wanted {
            return Err(described(format!("whole {wanted}\nby text {by_text}")));
        }
        seen.count("merged by text");
    }
    seen.count("merged");
    refused(&parts, |parts| reducer.merge(parts).map(|_| ()), random, seen).map_err(described)
}

#[test]
fn parts_of_groups_merge_to_the_bits_of_the_whole() {
    let pool = Pool::new(MOST);
    let seen = all(|seed, random, seen| of_groups(seed, &pool, random, seen));
    let properties = [
        "merged",
        "merged by text",
        "several chunks",
        "an empty part",
        "several groups",
        "several reduced axes",
        "a lost part",
    ];
    assert_seen(&seen, &properties);
}

/// Checks a specification with axes.
fn of_groups(seed: u64, pool: &Pool, random: &mut Random, seen: &mut Seen) -> Result<(), String> {
    let Some(fuzzed) = axes_specs::Fuzzed::of_seed(seed)? else { return Ok(()) };
    let Some(shape) = fuzzed.shape(MOST, random) else { return Ok(()) };
    let (reducer, data) = (&fuzzed.groups, fuzzed.data(&shape, pool));
    let views: Vec<View<LanesRef<'_>>> =
        shape.inputs.iter().zip(&data).map(|(layout, data)| layout.view(*data)).collect();
    let described = |what: String| fuzzed.described(&shape, &what);
    let total = shape.length() as u64;
    // A team may be too small for the groups.
    let Ok(wanted) = reducer.reduce_groups(&views, &fuzzed.params) else { return Ok(()) };
    // Without groups the whole has no results, however long the groups would be.
    if wanted.is_empty() && matches!(reducer.chunk_len(total), Err(Error::TooManyElements { .. })) {
        return Ok(());
    }
    let Some(chunk) = chunk_len(reducer, total, seen).map_err(described)? else { return Ok(()) };
    let dims = cut_dims(fuzzed.axes(), &views);
    let Some(turns) = views.iter().zip(&dims).find_map(|(view, dims)| Some(view.lengths[*dims.first()?]))
    else {
        seen.count("nothing to cut");
        return Ok(());
    };
    let inner = if turns == 0 { 1 } else { total / turns as u64 };
    let step = (1..).map(|times| times * chunk).find(|step| step % inner.max(1) == 0).unwrap();
    let part = |first: u64, end: u64| {
        let turns = [first, end].map(|at| (at / inner.max(1)) as usize);
        let views: Vec<_> = views.iter().zip(&dims).map(|(view, dims)| cut(view, dims, turns)).collect();
        reducer.partials_groups(&views, &fuzzed.params, Span { first, total })
    };
    let parts = parts(total, step, part, random, seen).map_err(described)?;
    let found = reducer.merge_groups(&parts).map_err(|error| described(error.to_string()))?;
    let bits = |groups: &Groups| {
        (groups.shape.clone(), (0..groups.len()).map(|at| hex(groups.get(at))).collect::<Vec<_>>())
    };
    let is_same = |found: &Groups| match bits(found) == bits(&wanted) {
        true => Ok(()),
        false => Err(described(format!("whole {:?}\nmerged {:?}", bits(&wanted), bits(found)))),
    };
    is_same(&found)?;
    // It compiles the specification again.
    if seed.is_multiple_of(4) {
        is_same(&Partials::merge(&parts, parse::spec).map_err(|error| described(error.to_string()))?)?;
        seen.count("merged by text");
    }
    seen.count("merged");
    (found.len() > 1).then(|| seen.count("several groups"));
    (inner > 1).then(|| seen.count("several reduced axes"));
    if found.is_empty() {
        return Ok(());
    }
    refused(&parts, |parts| reducer.merge_groups(parts).map(|_| ()), random, seen).map_err(described)
}

fn below(random: &mut Random, end: usize) -> usize {
    random.below(end as u64) as usize
}

fn hex(values: Option<Vec<Value>>) -> String {
    values.map_or_else(|| "none".to_owned(), |values| bits(Ok(values)))
}

/// Returns the length of chunks; `None` if a pass makes one chunk of all elements.
fn chunk_len(reducer: &Reducer, total: u64, seen: &mut Seen) -> Result<Option<u64>, String> {
    match reducer.chunk_len(total) {
        Ok(0) => Err("a chunk has no elements".to_owned()),
        Ok(chunk) => {
            seen.count(if chunk < total { "several chunks" } else { "one chunk" });
            Ok(Some(chunk))
        }
        Err(Error::Partials(PartialsError::NoChunks { pass }))
            if ["serial", "grid_stride"].iter().any(|it| pass.starts_with(it)) =>
        {
            seen.count("no chunks");
            Ok(None)
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Returns the partials of one to nine parts, which are cut at random, in a random order. Some went through bytes.
fn parts(
    total: u64,
    step: u64,
    part: impl Fn(u64, u64) -> Result<Partials, Error>,
    random: &mut Random,
    seen: &mut Seen,
) -> Result<Vec<Partials>, String> {
    let count = 1 + below(random, PARTS);
    let chunks = total.div_ceil(step) as usize;
    let mut cuts: Vec<_> =
        (1..count).map(|_| (below(random, chunks + 1) as u64 * step).min(total)).chain([0, total]).collect();
    cuts.sort_unstable();
    let mut parts = Vec::new();
    for ends in cuts.windows(2) {
        let made = part(ends[0], ends[1]).map_err(|error| format!("{ends:?}: {error}"))?;
        let read = Partials::from_bytes(&made.to_bytes()).map_err(|error| format!("{ends:?}: {error}"))?;
        assert_eq!(read.to_bytes(), made.to_bytes());
        parts.push(if below(random, 2) == 0 { made } else { read });
        (ends[0] == ends[1]).then(|| seen.count("an empty part"));
    }
    (count == PARTS).then(|| seen.count("nine parts"));
    parts.sort_by_cached_key(|_| random.bits());
    Ok(parts)
}

/// Checks that parts do not merge without one of them, or with one twice, and that damaged bytes are refused.
fn refused(
    parts: &[Partials],
    merge: impl Fn(&[Partials]) -> Result<(), Error>,
    random: &mut Random,
    seen: &mut Seen,
) -> Result<(), String> {
    let at = below(random, parts.len());
    let bytes = parts[at].to_bytes();
    let mut flipped = bytes.clone();
    flipped[below(random, bytes.len())] ^= 1 << below(random, 8);
    let damaged = [&flipped[..], &bytes[..below(random, bytes.len())]];
    if damaged.iter().any(|bytes| Partials::from_bytes(bytes).is_ok()) {
        return Err("damaged bytes are accepted".to_owned());
    }
    if parts[at].range().is_empty() {
        return Ok(());
    }
    let (twice, mut lost) = ([parts, &parts[at..=at]].concat(), parts.to_vec());
    lost.remove(at);
    seen.count("a lost part");
    let is_gap =
        |error: &Error| matches!(error, Error::Partials(PartialsError::Gap { .. } | PartialsError::NoParts));
    let is_overlap = |error: &Error| matches!(error, Error::Partials(PartialsError::Overlap { .. }));
    match (merge(&lost), merge(&twice)) {
        (Err(gap), Err(overlap)) if is_gap(&gap) && is_overlap(&overlap) => Ok(()),
        outcomes => Err(format!("wrong parts: {outcomes:?}")),
    }
}

/// Returns the dimensions of each input that are the first reduced axis.
fn cut_dims(axes: &Axes, views: &[View<LanesRef<'_>>]) -> Vec<Vec<usize>> {
    let leading = |pattern: &Pattern, view: &View<LanesRef<'_>>| view.lengths.len() - pattern.dims.len();
    let has_leading = axes.inputs.iter().zip(views).any(|(pattern, view)| leading(pattern, view) > 0);
    let first = axes.reduced().find(|axis| axis.is_some() || has_leading);
    let inputs = axes.inputs.iter().zip(views);
    let dims = inputs.map(|(pattern, view)| match first {
        None => Vec::new(),
        Some(None) => (0..leading(pattern, view).min(1)).collect(),
        Some(Some(axis)) => (0..pattern.dims.len())
            .filter(|&at| pattern.dims[at] == [axis])
            .map(|at| at + leading(pattern, view))
            .collect(),
    });
    let is_split = |pattern: &Pattern| {
        pattern
            .dims
            .iter()
            .any(|dim| dim.len() > 1 && first.flatten().is_some_and(|axis| dim.contains(&axis)))
    };
    let is_given = first.flatten().is_some_and(|axis| axes.axes[axis].length.is_some());
    // An axis of a split has no dimension of its own, and one of a given length is never shorter.
    if is_given || axes.inputs.iter().any(is_split) { vec![Vec::new(); views.len()] } else { dims.collect() }
}

/// Returns the view of some turns of dimensions.
fn cut<'a>(view: &View<LanesRef<'a>>, dims: &[usize], [first, end]: [usize; 2]) -> View<LanesRef<'a>> {
    let mut cut = view.with_data(view.data);
    for &dim in dims {
        cut.offset = cut.offset.wrapping_add_signed(view.steps[dim] * first as isize);
        cut.lengths[dim] = end - first;
    }
    // Without elements, the offset must lie in the data all the same.
    if cut.lengths.contains(&0) {
        cut.offset = 0;
    }
    cut
}
