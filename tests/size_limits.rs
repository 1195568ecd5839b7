//! The size limit for NVRTC: every program of the tests is below it. Larger programs are refused, and the error says what
//! to write instead.
//!
//! Measures a rotating sample of the programs, and all of them with `REDUCEGEN_FULL=1`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "only what NVRTC takes is measured"))]

mod cases;
#[path = "support/rotation.rs"]
mod rotation;
#[path = "support/skip.rs"]
mod skip;

use rayon::prelude::*;
use reduce_codegen::{Error, LARGEST, Programs, Tuning, check_size, compile, size};
use reduce_dsl::ladder::RUNGS;
use reduce_dsl::operators::operator;
use reduce_dsl::parse;
use reduce_ir::program::Program;
use reduce_ir::spec::Passes;
use reduce_ir::{Scalar, Spec};

fn spec(text: &str) -> Spec {
    parse::text(text, None).unwrap().spec
}

/// Returns the size of the largest program, and its text.
fn largest(programs: Vec<Program>) -> (u64, String) {
    let sizes = programs.par_iter().map(|program| (size(program).unwrap().total, program));
    let (most, program) = sizes.max_by_key(|it| it.0).unwrap();
    (most, program.to_string())
}

#[test]
fn programs_of_the_tests_are_below_the_limit() {
    let lists = rotation::sample(cases::all().into_iter().chain(cases::operations::all()), 128);
    let listed: Vec<_> = lists.map(|spec| compile(&spec).unwrap()).collect();
    let auto = rotation::sample(cases::all().into_iter().filter(|spec| spec.passes == Passes::Auto), 96)
        .flat_map(|spec| {
            [75, 80, 90, 100]
                .map(|sm| Programs::of(&spec, Tuning::of(sm)).unwrap().variants().to_vec())
                .concat()
        });
    let sum = operator("sum").unwrap();
    let rungs = RUNGS.iter().map(|it| compile(&it.spec(sum, Scalar::F32, 1 << 20, 256).unwrap()).unwrap());
    let (most, program) = largest(listed.into_iter().chain(auto).chain(rungs).collect());
    println!("{most} of {LARGEST}");
    assert!(most <= LARGEST * 4 / 5, "{most}\n{program}");
}

/// Returns a closure of `count` lines. Each line uses the line before.
fn lines(count: usize, line: &str) -> String {
    let names = std::iter::once("x".to_owned()).chain((0..).map(|at| format!("a{at}")));
    let lets = names.zip(0..count).map(|(name, at)| format!("let a{at} = {};", line.replace('_', &name)));
    format!("map: |x| {{ {} a{} }}", lets.collect::<Vec<_>>().join(" "), count - 1)
}

/// Returns the error of a specification that is too large.
fn refused(text: &str) -> String {
    let error = check_size(&compile(&spec(text)).unwrap()).unwrap_err();
    assert!(matches!(&error, Error::TooLarge { size, .. } if size.total > LARGEST), "{error}");
    error.to_string()
}

#[test]
fn what_would_take_nvrtc_minutes_is_refused_with_its_cause() {
    let op = "op: |a, b| a + b, identity: 0.0";
    let passes = "passes: [vectorize(16), coarsen(1024), unroll]";
    let roots = refused(&format!("ty: f64, {}, {op}, {passes}", lines(9, "(_ + 1.5).sqrt()")));
    assert!(
        roots.contains("most of it `map`, with 9 `sqrt` of f64, in 112 copies; leave out `unroll`, write"),
        "{roots}"
    );
    assert!(roots.contains("a smaller `vectorize` than 16, a smaller `coarsen` than 1024"), "{roots}");
    let quotients = refused(&format!("ty: f32, {}, {op}", lines(59, "1.5 / (_ + 1.5)")));
    assert!(quotients.contains("`map`, with 59 `/` of f32, in 26 copies; leave out `unroll`"), "{quotients}");
    let many = refused(&format!("ty: f64, {}, {op}", lines(500, "1.5 / (_ + 1.5)")));
    assert!(many.ends_with("`map`, with 500 `/` of f64, in 26 copies; compute less in `map`"), "{many}");
}

/// NVRTC 13.0 takes twice as long for each further division: more than a minute for 20 in one copy.
#[test]
fn unsigned_divisions_of_quotients_are_refused() {
    let sum = |count| {
        let map = lines(count, "(_ + 5) / 7");
        compile(&spec(&format!("ty: u64, {map}, op: |a, b| a ^ b, identity: 0, passes: [shuffle]"))).unwrap()
    };
    assert!(check_size(&sum(8)).is_ok());
    let error = check_size(&sum(20)).unwrap_err().to_string();
    assert!(
        error.contains("most of it `map`, with 16 `/` of u64, in 1 copy; compute less in `map`"),
        "{error}"
    );
}

/// Lines of closures, with the type of their elements: one for each kind of operation that needs many instructions or
/// branches.
const FAMILIES: [(&str, &str); 18] = [
    ("f32", "1.5 / (_ + 1.5)"),
    ("f32", "(_ + 1.5).sqrt()"),
    ("f32", "(_ + 1.5).ln()"),
    ("f32", "if _ > 1.5 { _ + x } else { _ * x }"),
    ("f32", "if _ > 1.5 { (_ + x).sqrt() } else { x / (_ + 2.5) }"),
    ("f32", "(_ + 1.5) * 2.5"),
    ("f64", "1.5 / (_ + 1.5)"),
    ("f64", "(_ + 1.5).sqrt()"),
    ("f64", "(_ + 1.5).exp()"),
    ("f64", "(_ + 1.5).ln()"),
    ("f32", "(_ + 1.5).tan()"),
    ("f32", "(_ + 1.5).powf(x)"),
    ("f64", "(_ + 1.5).sin()"),
    ("f64", "(_ + 1.5).tanh()"),
    ("f64", "(_ + 1.5).minimum(x)"),
    ("u64", "(_ ^ 5) * 7"),
    ("u64", "(_ + 5) % (x | 1)"),
    ("i8", "(_ + 5) / 7"),
];

const SCHEDULES: [&str; 3] =
    ["[shuffle, vectorize(4), coarsen(4)]", "[shuffle, vectorize(16), coarsen(16), unroll]", "auto"];

/// Returns the specification with the largest accepted number of such lines, and its size.
fn just_accepted(ty: &str, line: &str, schedule: &str) -> Option<(String, u64)> {
    let op =
        if ty.starts_with('f') { "op: |a, b| a + b, identity: 0.0" } else { "op: |a, b| a ^ b, identity: 0" };
    let of = |count| {
        let text = format!("ty: {ty}, {}, {op}, passes: {schedule}", lines(count, line));
        let size = size(&compile(&parse::text(&text, None).ok()?.spec).unwrap()).unwrap().total;
        (size <= LARGEST).then_some((text, size))
    };
    let mut most = 1;
    while of(most * 2).is_some() {
        most *= 2;
    }
    (most..most * 2).step_by((most / 8).max(1)).filter_map(of).next_back()
}

/// Measures processor time and memory of the compilation, in a process of its own.
#[cfg(all(feature = "cuda", target_os = "linux"))]
#[test]
fn what_is_just_accepted_compiles_in_seconds() {
    use reduce_runtime::{Architecture, Nvrtc, Target};
    let test = "what_is_just_accepted_compiles_in_seconds";
    if let Some(text) = std::env::var_os("LIMITS_SPEC") {
        let program = compile(&spec(text.to_str().unwrap())).unwrap();
        let target = Target::Cubin(Architecture::from_number(90));
        let start = cpu_time::ProcessTime::now();
        Nvrtc::get().unwrap().compile_program(&program, target).unwrap();
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        return println!("took {:.2} {}", start.elapsed().as_secs_f64(), peak.trim());
    }
    if skip::needed(test, "REDUCEGEN_REQUIRE_NVRTC", Nvrtc::get()).is_none() {
        return;
    }
    let full = std::env::var_os("REDUCEGEN_FULL").is_some();
    let all = SCHEDULES.into_iter().flat_map(|schedule| FAMILIES.map(|(ty, line)| (ty, line, schedule)));
    for (ty, line, schedule) in all.step_by(if full { 1 } else { 47 }) {
        let Some((text, size)) = just_accepted(ty, line, schedule) else { continue };
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        let output = child.args(["--exact", test, "--nocapture"]).env("LIMITS_SPEC", text).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let took = said.lines().find_map(|line| line.split("took ").nth(1)).expect("it compiles");
        let mut words = took.split_whitespace();
        let [seconds, kib] = [(); 2].map(|()| words.next().unwrap().parse::<f64>().unwrap());
        println!("| {ty} | `{line}` | `{schedule}` | {size} | {seconds:.1} | {:.0} |", kib / 1024.0);
        assert!(seconds < 10.0 && kib < 1_048_576.0, "{took}");
    }
}
