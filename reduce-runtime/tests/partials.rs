//! Partials: what is refused and how, their bytes, and reductions with Rust types. `tests/fuzz_partials.rs` has random cuts.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../tests/support/splitmix.rs"]
mod splitmix;

use reduce_dsl::parse::spec;
use reduce_ir::{Spec, Value};
use reduce_runtime::{
    Array, Device, Error, LanesRef, Partials, PartialsError, Reducer, Reduction, Span, Strided, View,
};
use splitmix::Random;

const BLOCK_64: &str = "op: sum, ty: f32, block: 64, passes: [shuffle]";

fn reducer(text: &str) -> Reducer {
    Reducer::new(&spec(text).unwrap(), &Device::host()).unwrap()
}

fn elements(n: usize) -> Vec<f32> {
    (0..n).map(|at| 1.0 / (1.0 + at as f32)).collect()
}

/// Returns the partials of parts of these elements, which end at the cuts.
fn parts(reducer: &Reducer, data: &[f32], cuts: &[usize]) -> Vec<Partials> {
    let ends = cuts.iter().copied().chain([data.len()]);
    let mut first = 0;
    let mut part = |end| {
        let span = Span { first: first as u64, total: data.len() as u64 };
        let part = reducer.partials(&[&data[first..end]], &[], span).unwrap();
        first = end;
        part
    };
    ends.map(&mut part).collect()
}

fn refusal<T>(result: Result<T, Error>) -> PartialsError {
    match result {
        Err(Error::Partials(error)) => error,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it is accepted"),
    }
}

#[test]
fn partials_can_be_sent() {
    fn is_send<T: Send + Sync + Clone + 'static>() {}
    is_send::<Partials>();
}

#[test]
fn chunks_are_those_of_the_association() {
    assert_eq!(reducer(BLOCK_64).chunk_len(1000).unwrap(), 64);
    assert_eq!(reducer(BLOCK_64).chunk_len(10).unwrap(), 10);
    assert_eq!(
        reducer("op: sum, ty: f32, block: 64, passes: [shuffle, coarsen(3)]").chunk_len(1000).unwrap(),
        192
    );
    assert_eq!(reducer("op: sum, ty: f32").chunk_len(1 << 20).unwrap(), 8192);
    // Every architecture cuts in the same places, those with clusters too.
    assert_eq!(reducer("op: sum, ty: f32").chunk_len(1 << 14).unwrap(), 2048);
}

#[test]
fn passes_without_chunks_are_named() {
    for (passes, pass) in [("[serial]", "serial"), ("[shuffle, grid_stride(8)]", "grid_stride(8)")] {
        let reducer = reducer(&format!("op: sum, ty: f32, passes: {passes}"));
        let span = Span { first: 0, total: 3 };
        let found = refusal(reducer.partials(&[&elements(3)[..]], &[], span));
        assert_eq!(found, PartialsError::NoChunks { pass: pass.to_owned() });
        assert!(found.to_string().contains(&format!("`{pass}`")), "{found}");
    }
}

#[test]
fn parts_are_cut_at_chunks() {
    let (reducer, data) = (reducer(BLOCK_64), elements(200));
    let part = |first: usize, end: usize| {
        refusal(reducer.partials(&[&data[first..end]], &[], Span { first: first as u64, total: 200 }))
    };
    let cut = |at, before, after| PartialsError::Cut { at, before, after, step: 64 };
    assert_eq!(part(0, 100), cut(100, 64, 128));
    assert_eq!(part(1, 200), cut(1, 0, 64));
    assert_eq!(part(128, 199), cut(199, 192, 200));
    assert_eq!(part(199, 199), cut(199, 192, 200));
    let text = part(0, 100).to_string();
    assert!(text.contains("64 and 128") && text.contains("multiples of 64"), "{text}");
    for (first, total) in [(192, 100), (u64::MAX, 200)] {
        let found = refusal(reducer.partials(&[&data[..]], &[], Span { first, total }));
        assert_eq!(found, PartialsError::Outside { first, len: 200, total });
    }
}

#[test]
fn wrong_parts_do_not_merge() {
    let (reducer, data) = (reducer(BLOCK_64), elements(300));
    let parts = parts(&reducer, &data, &[128, 128, 192]);
    let merge = |places: &[usize]| {
        refusal(reducer.merge(&places.iter().map(|&at| parts[at].clone()).collect::<Vec<_>>()))
    };
    assert_eq!(merge(&[]), PartialsError::NoParts);
    assert_eq!(merge(&[0, 1, 3]), PartialsError::Gap { from: 128, to: 192 });
    assert_eq!(merge(&[2, 3]), PartialsError::Gap { from: 0, to: 128 });
    assert_eq!(merge(&[0, 2]), PartialsError::Gap { from: 192, to: 300 });
    assert_eq!(merge(&[3, 2, 0, 2]), PartialsError::Overlap { from: 128, to: 192 });
    // The empty part is not needed.
    let whole = reducer.reduce(&[&data[..]]).unwrap().values;
    assert_eq!(reducer.merge(&[parts[3].clone(), parts[0].clone(), parts[2].clone()]).unwrap().values, whole);
    // No other reduction merges them.
    let other =
        Reducer::new(&spec("op: sum, ty: f32, block: 32, passes: [shuffle]").unwrap(), &Device::host())
            .unwrap();
    let wanted = [64, 32].map(|block| format!("ty: f32, op: sum, block: {block}, passes: [shuffle]"));
    let [found, expected] = wanted;
    assert_eq!(refusal(other.merge(&parts)), PartialsError::Specification { found, expected });
}

#[test]
fn parts_of_other_calls_do_not_merge() {
    let reducer =
        reducer("ty: f32, params: { k: f32 }, map: |x| k * x, op: sum, block: 32, passes: [shuffle]");
    let part = |k: f32, first, total| {
        reducer.partials(&[&elements(32)[..]], &[Value::of(k)], Span { first, total }).unwrap()
    };
    assert_eq!(
        refusal(reducer.merge(&[part(1.0, 0, 64), part(2.0, 32, 64)])),
        PartialsError::Call { first: 32 }
    );
    let totals = PartialsError::Total { found: 96, expected: 64 };
    assert_eq!(refusal(reducer.merge(&[part(1.0, 0, 64), part(1.0, 32, 96)])), totals);
    // The params are part of the partials.
    let merged = reducer.merge(&[part(3.0, 0, 64), part(3.0, 32, 64)]).unwrap();
    let twice = [elements(32), elements(32)].concat();
    assert_eq!(merged.values, reducer.reduce_with(&[&twice[..]], &[Value::of(3.0f32)]).unwrap().values);
}

#[test]
fn segments_and_keys_say_what_to_do_instead() {
    let span = Span { first: 0, total: 3 };
    for (text, wanted) in [
        ("op: sum, ty: f32, segments: u32", PartialsError::Segments),
        ("op: sum, ty: f32, by: { key: u32 }, groups: runs", PartialsError::Runs),
        ("op: sum, ty: f32, by: { key: u32 }, groups: 4", PartialsError::Keys),
    ] {
        let (reducer, data) = (reducer(text), elements(3));
        assert_eq!(refusal(reducer.partials(&[&data[..]], &[], span)), wanted);
        let view = View::new(LanesRef::from(&data[..]), [3]);
        assert_eq!(refusal(reducer.partials_groups(&[view], &[], span)), wanted);
        assert_eq!(refusal(reducer.chunk_len(3)), wanted);
    }
    let of_programs = Reducer::of(reducer(BLOCK_64).programs().clone(), &Device::host()).unwrap();
    assert_eq!(refusal(of_programs.partials(&[&elements(3)[..]], &[], span)), PartialsError::NoSpec);
}

#[test]
fn several_reduced_axes_are_cut_along_the_first() {
    // The sum of a chunk of 32 elements; a row has 48 of them.
    let reducer =
        reducer("ty: f32, axes: i j k -> k, map: |x| x * (i as f32), op: sum, block: 32, passes: [shuffle]");
    let data = elements(5 * 48 * 3);
    let part = |first: usize, rows: usize| {
        let view = View::new(LanesRef::from(&data[first * 144..(first + rows) * 144]), [rows, 48, 3]);
        reducer.partials_groups(&[view], &[], Span { first: 48 * first as u64, total: 240 })
    };
    let cut = PartialsError::Cut { at: 48, before: 0, after: 96, step: 96 };
    assert_eq!(refusal(part(0, 1)), cut);
    let whole = reducer.reduce_groups(&[View::new(LanesRef::from(&data[..]), [5, 48, 3])], &[]).unwrap();
    // Positions along the cut axis count in the whole.
    let parts = [part(4, 1), part(0, 2), part(2, 2)].map(Result::unwrap);
    assert_eq!(reducer.merge_groups(&parts).unwrap(), whole);
    let view = View::new(LanesRef::from(&data[..144]), [1, 48, 3]);
    let turns = refusal(reducer.partials_groups(&[view], &[], Span { first: 0, total: 50 }));
    assert_eq!(turns, PartialsError::Turns { total: 50, inner: 48 });
    // Parts with another number of groups.
    let narrow = View::new(LanesRef::from(&data[..96]), [1, 48, 2]);
    let narrow = reducer.partials_groups(&[narrow], &[], Span { first: 192, total: 240 }).unwrap();
    let mixed = [parts[1].clone(), parts[2].clone(), narrow];
    assert_eq!(refusal(reducer.merge_groups(&mixed)), PartialsError::Call { first: 192 });
}

#[test]
fn nothing_merges_to_the_result_of_nothing() {
    for (text, wanted) in [
        ("op: sum, ty: f32", Some(Value::of(0.0f32))),
        ("op: max, ty: f32, empty: -1.0", Some(Value::of(-1.0f32))),
    ] {
        let reducer = reducer(text);
        let parts = parts(&reducer, &[], &[0, 0]);
        assert_eq!(reducer.merge(&parts).unwrap().values.first().copied(), wanted);
    }
    let argmax = reducer("op: argmax, ty: f32");
    assert!(matches!(argmax.merge(&parts(&argmax, &[], &[])), Err(Error::Empty { .. })));
    let positive = reducer("op: argmax, ty: f32, filter: |x| x > 2.0, block: 32, passes: [shuffle]");
    let found = positive.merge(&parts(&positive, &elements(100), &[32]));
    assert!(matches!(found, Err(Error::NothingLeft { .. })), "{found:?}");
}

/// Serialised partials of two chunks, with params, an infinity, and several fields.
fn small() -> Vec<u8> {
    let reducer =
        reducer("ty: f32, params: { k: f32 }, map: |x| k * x, op: argmax, block: 32, passes: [shuffle]");
    let data = elements(40);
    let params = [Value::of(f32::INFINITY)];
    reducer.partials(&[&data[..]], &params, Span { first: 0, total: 40 }).unwrap().to_bytes()
}

#[test]
fn damaged_bytes_are_refused() {
    let bytes = small();
    assert_eq!(Partials::from_bytes(&bytes).unwrap().to_bytes(), bytes);
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            assert!(Partials::from_bytes(&damaged).is_err(), "bit {bit} of byte {at}");
        }
        assert!(Partials::from_bytes(&bytes[..at]).is_err(), "{at} bytes");
    }
    let longer = [&bytes[..], b"x"].concat();
    let (found, expected) = (longer.len() as u64, bytes.len() as u64);
    assert_eq!(Partials::from_bytes(&longer).unwrap_err(), PartialsError::Length { found, expected });
    let short = PartialsError::Length { found: expected - 1, expected };
    assert_eq!(Partials::from_bytes(&bytes[..bytes.len() - 1]).unwrap_err(), short);
    let mut flipped = bytes.clone();
    flipped[40] ^= 1;
    assert_eq!(Partials::from_bytes(&flipped).unwrap_err(), PartialsError::Checksum);
    let mut newer = bytes;
    newer[16] = 2;
    assert_eq!(Partials::from_bytes(&newer).unwrap_err(), PartialsError::Format { found: 2, known: 1 });
    assert_eq!(Partials::from_bytes(b"\x93NUMPY").unwrap_err(), PartialsError::NotPartials);
}

/// Returns bytes with the length and the checksum that their contents need: CRC-64/XZ, bit by bit.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 8;
    let length = (end as u64 - 28).to_le_bytes();
    bytes[20..28].copy_from_slice(&length);
    let byte = |sum: u64, byte: &u8| {
        (0..8).fold(sum ^ u64::from(*byte), |sum, _| {
            (sum >> 1) ^ if sum & 1 == 1 { 0xc96c_5795_d787_0f42 } else { 0 }
        })
    };
    let sum = !bytes[..end].iter().fold(!0, byte);
    bytes[end..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// Bytes that no library wrote, with the right checksum: where they make sense, they are read. Merging refuses them or gives a result,
/// and never panics.
#[test]
fn forged_bytes_are_refused_without_large_allocations() {
    let bytes = small();
    assert_eq!(sealed(bytes.clone()), bytes);
    let mut random = Random::new(1);
    let (mut read, mut merged) = (0, 0);
    for at in 28..bytes.len() - 8 {
        for change in [0, 1, 0x7f, 0x80, 0xff, random.bits() as u8] {
            let mut forged = bytes.clone();
            forged[at] = change;
            // A count of many elements in eight bytes.
            if change == 0xff && at + 8 <= bytes.len() - 8 {
                forged[at..at + 8].copy_from_slice(&random.bits().to_le_bytes());
            }
            if let Ok(part) = Partials::from_bytes(&sealed(forged)) {
                read += 1;
                merged += usize::from(Partials::merge(&[part], spec).is_ok());
            }
        }
    }
    // Other accumulators merge; other texts, types and lengths do not.
    assert!(
        0 < merged && merged < read && read < 6 * bytes.len() / 2,
        "{merged} of {read} of {}",
        bytes.len()
    );
}

/// Bytes that fit together, but not with the specification that they hold.
#[test]
fn forged_types_and_chunks_do_not_merge() {
    let reducer =
        reducer("ty: f32, params: { k: f32 }, map: |x| k * x, op: sum, block: 64, passes: [shuffle]");
    let (data, span) = (elements(64), Span { first: 0, total: 64 });
    let bytes = reducer.partials(&[&data[..]], &[Value::of(2.0f32)], span).unwrap().to_bytes();
    let places = |old: &[u8]| -> Vec<usize> {
        let same = |(_, bytes): &(usize, &[u8])| *bytes == old;
        bytes.windows(old.len()).enumerate().filter(same).map(|(at, _)| at).collect()
    };
    let refused = |at: usize, new: &[u8]| {
        let mut forged = bytes.clone();
        forged[at..at + new.len()].copy_from_slice(new);
        let error = refusal(reducer.merge(&[Partials::from_bytes(&sealed(forged)).unwrap()]));
        let PartialsError::Malformed { what } = error else { panic!("{error}") };
        what.split(" of ").next().unwrap()
    };
    let [float, int] = ["f32", "i32"].map(|ty| [&3u64.to_le_bytes(), ty.as_bytes()].concat());
    let types = places(&float);
    assert_eq!(types.len(), 2, "one for the param, and one for the accumulators");
    assert_eq!(refused(types[0], &int), "the params have other types than those");
    assert_eq!(refused(types[1], &int), "the accumulators have other types than those");
    let chunks = |len: u64| [0, 64, 64, len].map(u64::to_le_bytes).concat();
    let chunk = places(&chunks(reducer.chunk_len(64).unwrap()))[0];
    assert_eq!(refused(chunk, &chunks(128)), "the chunks have another length than those");
}

#[test]
fn random_truncations_and_changes_are_refused() {
    let bytes = small();
    let mut random = Random::new(2);
    for _ in 0..20_000 {
        let mut damaged = bytes[..random.below(bytes.len() as u64 + 1) as usize].to_vec();
        for _ in 0..random.below(4) {
            if !damaged.is_empty() {
                let at = random.below(damaged.len() as u64) as usize;
                damaged[at] = random.bits() as u8;
            }
        }
        assert!(Partials::from_bytes(&damaged).is_err() || damaged == bytes);
    }
}

#[test]
fn another_version_does_not_merge() {
    let (reducer, data) = (reducer(BLOCK_64), elements(64));
    let part = parts(&reducer, &data, &[]).remove(0);
    let text = part.association().to_owned();
    let mut bytes = part.to_bytes();
    let at = bytes.windows(text.len()).position(|window| window == text.as_bytes()).unwrap();
    bytes[at] = b'B';
    let other = Partials::from_bytes(&sealed(bytes)).unwrap();
    let found = refusal(reducer.merge(&[other]));
    assert!(matches!(&found, PartialsError::Association { expected, .. } if *expected == text), "{found}");
}

/// Specifications as `reduction!` makes them.
fn dot() -> Spec {
    spec("inputs: { x: f32, y: f32 }, params: { k: f32 }, map: |x, y| k * x * y, op: sum, block: 32, passes: [shuffle]").unwrap()
}

fn columns() -> Spec {
    spec("op: max, ty: i32, axes: i j -> j, block: 32, passes: [shuffle]").unwrap()
}

#[test]
fn typed_reductions_have_partials() {
    let dot: Reduction<(f32, f32), f32, f32> = Reduction::new(|| Ok(dot()));
    let (x, y) = (elements(100), elements(100));
    let whole = dot.with(0.5).reduce((&x, &y)).unwrap();
    let part = |first: usize, end: usize| {
        let span = Span { first: first as u64, total: 100 };
        dot.with(0.5).partials((&x[first..end], &y[first..end]), span).unwrap()
    };
    assert_eq!(dot.chunk_len(100).unwrap(), 32);
    assert_eq!(dot.merge(&[part(64, 100), part(0, 64)]).unwrap().to_bits(), whole.to_bits());
    let compiled = dot.compile(&Device::host()).unwrap();
    assert_eq!(compiled.merge(&[part(0, 32), part(32, 100)]).unwrap().to_bits(), whole.to_bits());

    let columns: Reduction<i32, Array<Option<i32>>> = Reduction::new(|| Ok(columns()));
    let data: Vec<i32> = (0..200).map(|at| at * 37 % 101).collect();
    let view = |rows: std::ops::Range<usize>| {
        let len = rows.len();
        let rows = &data[2 * rows.start..2 * rows.end];
        View { data: rows, offset: 0, lengths: vec![len, 2], steps: vec![2, 1] }
    };
    let halves = [(64..100, 64), (0..64, 0)]
        .map(|(rows, first)| columns.partials(view(rows), Span { first, total: 100 }).unwrap());
    assert_eq!(columns.merge(&halves).unwrap(), columns.reduce(view(0..100)).unwrap());
}

#[test]
fn strided_parts_are_read_where_they_lie() {
    let reducer = reducer("op: sum, ty: f32, layout: strided, block: 32, passes: [shuffle]");
    let data = elements(300);
    let part = |first: usize, len| {
        let part = Strided { data: LanesRef::from(&data[..]), offset: 299 - 3 * first, step: -3, len };
        reducer.partials(&[part], &[], Span { first: first as u64, total: 100 }).unwrap()
    };
    let whole = Strided { data: LanesRef::from(&data[..]), offset: 299, step: -3, len: 100 };
    assert_eq!(
        reducer.merge(&[part(0, 96), part(96, 4)]).unwrap().values,
        reducer.reduce(&[whole]).unwrap().values
    );
}
