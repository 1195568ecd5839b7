//! A process that can create no threads reduces on the calling thread.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use reduce_dsl::parse;
use reduce_lanes::LanesRef;
use reduce_runtime::{Device, Reducer};
use std::process::Command;

/// Returns the bits of sums of few elements and of many.
fn sums() -> String {
    let spec = parse::text("op: sum, ty: f32", None).ok().unwrap().spec;
    let sum = Reducer::new(&spec, &Device::host()).unwrap();
    let x: Vec<_> = (0..1 << 22).map(|i| (i % 1000) as f32).collect();
    let of = |n: usize| sum.reduce(&[LanesRef::F32(&x[..n])]).unwrap().values[0].bits();
    format!("sums: {:?}", [100, 1 << 18, x.len()].map(of))
}

/// The part of the other tests that runs in child processes.
#[test]
fn report() {
    println!("{}", sums());
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    println!("{}", status.lines().find(|line| line.starts_with("Threads:")).unwrap());
}

#[test]
fn without_threads_the_bits_are_the_same() {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "report", "--nocapture"]);
    // No memory can hold a stack of this size, so creating a thread fails.
    let output = child.env("RUST_MIN_STACK", (1_u64 << 60).to_string()).output().unwrap();
    let [said, errors] = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it));
    assert!(output.status.success() && said.contains(&sums()), "{said}\n{errors}");
}

/// More threads than cores would only search for work.
#[test]
fn there_are_no_more_threads_than_cores() {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "report", "--nocapture"]).env("RAYON_NUM_THREADS", "300");
    let output = child.output().unwrap();
    let [said, errors] = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it));
    assert!(output.status.success() && said.contains(&sums()), "{said}\n{errors}");
    let threads = said.lines().find_map(|line| line.strip_prefix("Threads:")).unwrap();
    let cores = std::thread::available_parallelism().unwrap().get();
    // Plus the calling thread and the one that waits for the tests.
    assert!(threads.trim().parse::<usize>().unwrap() <= cores + 2, "{threads} threads");
}
