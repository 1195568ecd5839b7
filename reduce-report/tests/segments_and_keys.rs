//! Reports of segments and keys: the steps store the results, each group has its own elements, and the page says who reduces it. A rotating
//! quarter of the specifications with few groups; all of them with `REDUCEGEN_FULL=1`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../tests/support/rotation.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod rotation;
mod support;

use serde_json::Value;
use support::{answer, document, stored};

/// Specifications over segments and keys: narrow and wide accumulators, with and without identity, tables of every owner.
const SPECS: [&str; 16] = [
    "op: sum, ty: f32, segments: u32",
    "op: var, ty: f64, segments: i64",
    "op: argmax, ty: f32, segments: u64",
    "op: max, ty: i8, segments: u32, empty: -7",
    "op: mean, ty: f32, segments: u32",
    "op: sum, ty: f32, axes: e f -> f, segments: u32",
    "inputs: { x: f32, y: f32 }, map: |x, y| x * y, op: sum, segments: u32",
    "ty: f32, op: sum, finish: |s, n| s / n as f32, segments: u32",
    "op: sum, ty: f32, by: { k: u32 }, groups: 8",
    "op: mean, ty: f32, by: { k: i8 }, groups: 100",
    "op: argmax, ty: f32, by: { k: u32 }, groups: 5, others: drop",
    "op: sum, ty: f32, by: { k: u32 }, groups: 400",
    "op: sum, ty: i32, by: { k: u16 }, groups: 300",
    "op: sum, ty: f32, by: { k: u32 }, groups: 13000",
    "map: |x| 1u64, ty: f32, op: sum, by: { k: u32 }, groups: 9000",
    "map: |x| 1u64, ty: f32, op: sum, by: |x| (x * 2.0 + 4.0) as u32, groups: 8, others: drop",
];

fn results(document: &Value) -> Vec<String> {
    serde_json::from_value(document["results"].clone()).unwrap()
}

#[test]
fn the_last_stores_of_the_steps_are_the_results() {
    for spec in rotation::sample(SPECS, 4) {
        let is_large = spec.contains("groups: 13000") || spec.contains("groups: 9000");
        if is_large && !rotation::full() {
            continue;
        }
        for &n in if is_large { &[40][..] } else { &[1, 40, 700] } {
            let document = document(spec, n).unwrap_or_else(|error| panic!("{spec}: {error}"));
            let played = &document["stages"][0]["steps_of_run"];
            let (results, stored) = (results(&document), stored(played));
            assert!(!results.is_empty(), "{spec}");
            if played["is_cut"] == true {
                continue;
            }
            for (group, result) in results.iter().enumerate().filter(|(_, result)| *result != "no result") {
                let shown = stored.get(&(group as i64));
                // Large grids show three blocks only.
                assert!(
                    shown.is_none_or(|it| it == result),
                    "{spec}: group {group} of {n}: {shown:?}, {result}"
                );
            }
            assert!(results.iter().all(|it| it == "no result") || !stored.is_empty(), "{spec}");
        }
    }
}

/// Counts the elements of each group in the list that colours the lanes.
fn counts(document: &Value, groups: usize) -> Vec<u64> {
    let mut counts = vec![0; groups];
    for group in document["groups"].as_array().unwrap().iter().filter_map(Value::as_u64) {
        counts[group as usize] += 1;
    }
    counts
}

/// The results of a reduction that counts elements are the numbers of elements that the lanes show.
#[test]
fn groups_have_the_elements_that_lanes_show() {
    for fields in [
        "segments: u32",
        "axes: e f -> f, segments: u32",
        "by: { k: u32 }, groups: 8",
        "by: { k: u8 }, groups: 30, others: drop",
        "by: |x| (x * 2.0 + 4.0) as u32, groups: 8, others: drop",
        "index: i, by: |x| i / 100, groups: 8",
    ] {
        let spec = format!("ty: f32, map: |x| 1u64, op: sum, {fields}");
        let document = document(&spec, 800).unwrap();
        let results: Vec<u64> = results(&document).iter().map(|it| it.parse().unwrap()).collect();
        assert_eq!(counts(&document, results.len()), results, "{spec}");
        assert!(results.iter().sum::<u64>() > 0, "{spec}");
        assert_eq!(document["group"], if fields == "segments: u32" { "segment" } else { "group" });
    }
}

#[test]
fn segments_are_short_empty_and_long() {
    let document = document("ty: f32, map: |x| 1u64, op: sum, segments: u32", 1024).unwrap();
    let lengths = results(&document);
    assert!(lengths.contains(&"0".to_owned()) && lengths.contains(&"1".to_owned()));
    assert_eq!(lengths.iter().map(|it| it.parse::<u64>().unwrap()).sum::<u64>(), 1024);
    assert_eq!(document["size"]["text"], "15 segments of 0 to 530 elements, 1024 in all");
    let threads = sentence(&document, "Threads");
    assert!(threads.contains("a warp (") && threads.contains("several blocks"), "{threads}");
    let counted: u64 =
        threads.split('(').skip(1).map(|it| it.split(' ').next().unwrap().parse::<u64>().unwrap()).sum();
    assert_eq!(counted, 15, "{threads}");
    assert_eq!(sentence(&document, "Segments").split('.').next().unwrap(), "`segments: u32`");
}

fn sentence(document: &Value, term: &str) -> String {
    let all = document["about"].as_array().unwrap();
    let found = all.iter().find(|it| it["term"] == term).unwrap_or_else(|| panic!("no {term} in {all:?}"));
    found["text"].as_str().unwrap().to_owned()
}

/// Every access to an input names a line of CUDA that reads it.
#[test]
fn every_read_of_an_input_names_its_line() {
    for spec in ["op: sum, ty: f32, segments: u32", "op: sum, ty: f32, by: { k: u32 }, groups: 8"] {
        let document = document(spec, 500).unwrap();
        let stage = &document["stages"][0];
        let (played, lines) =
            (&stage["steps_of_run"], stage["cuda"].as_str().unwrap().lines().collect::<Vec<_>>());
        let inputs: Vec<(String, usize)> = serde_json::from_value(played["inputs"].clone()).unwrap();
        let mut reads = 0;
        for frame in played["frames"].as_array().unwrap() {
            let launch = &played["launches"][frame["l"].as_u64().unwrap() as usize];
            let kernel = &played["kernels"][launch["kernel"].as_u64().unwrap() as usize];
            let line = kernel["lines"][frame["s"].as_u64().unwrap() as usize].as_u64();
            for access in frame.get("g").into_iter().flat_map(|it| it.as_array().unwrap()) {
                let buffer = access["buffer"].as_str().unwrap();
                if inputs.iter().any(|(input, _)| input == buffer) {
                    let line = lines[line.unwrap() as usize];
                    assert!(line.contains(buffer), "{spec}: {line}");
                    assert_eq!(kernel["reads_inputs"], true);
                    reads += 1;
                }
            }
        }
        assert!(reads > 10, "{spec}: {reads}");
    }
}

#[test]
fn counts_are_those_of_all_launches() {
    for (spec, launches) in [
        ("op: sum, ty: f32, segments: u32", 3),
        ("op: sum, ty: f32, by: { k: u32 }, groups: 8", 2),
        ("map: |x| 1u64, ty: f32, op: sum, by: { k: u32 }, groups: 9000", 3),
    ] {
        let document = document(spec, 500).unwrap();
        let kernel = &document["stages"][0]["counts"]["kernel"];
        assert_eq!(kernel["launches"], launches, "{spec}");
        assert!(kernel["sectors"].as_u64().unwrap() >= 500 * 4 / 32, "{spec}: {kernel}");
    }
}

#[test]
fn groups_without_a_report_are_refused_in_a_sentence() {
    for (spec, words) in [
        ("op: sum, ty: f32, by: { k: u32 }, groups: runs", "not runs of keys"),
        ("op: sum, ty: f32, by: { k: u32 }, groups: 70000", "at most 16384 groups"),
        ("op: sum, ty: f32, by: |x| 9u32, groups: 8", "the key of element 0 is not one of the 8 groups"),
        ("op: sum, ty: f32, axes: e f g -> f g, segments: u32", "one kept axis"),
        ("op: sum, ty: f32, segments: u32, passes: [shuffle]", "passes: auto"),
    ] {
        let message = answer(spec, 300)["errors"][0]["message"].to_string();
        assert!(message.contains(words), "{spec}: {message}");
    }
}
