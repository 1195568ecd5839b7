//! Replays every file of the corpora, and mutations of each. Longer runs: `scripts/fuzz.sh`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../tests/support/skip.rs"]
mod skip;

use fuzz::drive::{Watchdog, folder, fuzzed};
use fuzz::targets::{self, Target};
use std::path::Path;
use std::time::Duration;

/// The number of inputs per target: files and mutations.
const INPUTS: u64 = 600;

/// The time limit is long: all targets run in one process, whose processor time counts for each.
fn watchdog(target: Target) -> Watchdog {
    Watchdog::start(Target { time_limit: Duration::from_secs(600), ..target })
}

fn runs(target: &Target) {
    let files = folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name)).unwrap();
    assert!((10..100).contains(&files.len()), "{} files", files.len());
    let counts = fuzzed(target, files, 1, &watchdog(*target), |inputs| inputs < INPUTS);
    let counts =
        counts.unwrap_or_else(|found| panic!("{}\n{:?}", found.what, String::from_utf8_lossy(&found.input)));
    println!("{}: {counts:?}", target.name);
    // A target that accepts nothing or everything would find nothing.
    assert!(counts.accepted > 10 && counts.accepted < counts.inputs, "{counts:?}");
}

#[test]
fn spec_text() {
    runs(&targets::SPEC_TEXT);
}

#[test]
fn program_text() {
    runs(&targets::PROGRAM_TEXT);
}

#[test]
fn npy_header() {
    runs(&targets::NPY_HEADER);
}

#[test]
fn cache_entry() {
    runs(&targets::CACHE_ENTRY);
}

#[test]
fn partials() {
    runs(&targets::PARTIALS);
}

#[test]
fn random_passes() {
    runs(&targets::RANDOM_PASSES);
}

#[test]
fn report_request() {
    runs(&targets::REPORT_REQUEST);
}

#[cfg(feature = "cuda")]
#[test]
fn typed_spec() {
    let found = reduce_runtime::Nvrtc::get();
    if skip::needed("typed_spec", "REDUCEGEN_REQUIRE_NVRTC", found).is_some() {
        let target = &targets::TYPED_SPEC;
        let files = folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name)).unwrap();
        let counts = fuzz::drive::replayed(target, files, &watchdog(*target));
        let counts = counts.unwrap_or_else(|found| panic!("{}", found.what));
        assert!(counts.accepted > 10, "{counts:?}");
    }
}

/// A panic and an error of a target are both reported as findings.
#[test]
fn findings_are_reported() {
    let panics = Target { test_one_input: |input| panic!("of {} bytes", input.len()), ..targets::NPY_HEADER };
    let found = Watchdog::start(panics).run(&panics, b"four").unwrap_err();
    assert_eq!((found.what.as_str(), &found.input[..]), ("it panics: of 4 bytes", &b"four"[..]));
    let errs = Target { test_one_input: |_| Err("wrong".to_owned()), ..panics };
    assert_eq!(Watchdog::start(errs).run(&errs, b"").unwrap_err().what, "wrong");
}
