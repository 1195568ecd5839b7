//! The time that callers wait for NVRTC, with an NVRTC that only simulates a slow compilation.
#![cfg(all(feature = "cuda", target_os = "linux"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../tests/support/skip.rs"]
mod skip;

use reduce_codegen::compile;
use reduce_dsl::parse;
use reduce_ir::program::Program;
use reduce_runtime::{Architecture, Cache, Compiler, Error, Image, Nvrtc, Target};
use skip::needed;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

const TARGET: Target = Target::Ptx(Architecture::from_number(90));

/// An NVRTC that returns the number of started compilations as PTX. Its destructor aborts during a compilation.
const SLOW: &str = r#"
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <unistd.h>
static volatile int begun, running;
static char text[64];
int nvrtcVersion(int* major, int* minor) { *major = 13; *minor = 0; return 0; }
int nvrtcGetNumSupportedArchs(int* count) { *count = 1; return 0; }
int nvrtcGetSupportedArchs(int* list) { *list = 90; return 0; }
int nvrtcCreateProgram(void** it, const char* s, const char* n, int c, const char** h, const char** i) { *it = text; return 0; }
int nvrtcCompileProgram(void* it, int count, const char** flags) {
    __sync_fetch_and_add(&begun, 1);
    __sync_fetch_and_add(&running, 1);
    usleep(1000 * atoi(getenv("PRETENDED_MS")));
    __sync_fetch_and_sub(&running, 1);
    return 0;
}
int nvrtcDestroyProgram(void** it) { return 0; }
const char* nvrtcGetErrorString(int code) { return "SAMPLE"; }
int nvrtcGetProgramLogSize(void* it, size_t* size) { *size = 1; return 0; }
int nvrtcGetProgramLog(void* it, char* log) { *log = 0; return 0; }
int nvrtcGetPTXSize(void* it, size_t* size) { sprintf(text, "compiled %d", begun); *size = strlen(text) + 1; return 0; }
int nvrtcGetPTX(void* it, char* ptx) { strcpy(ptx, text); return 0; }
int nvrtcGetCUBINSize(void* it, size_t* size) { return nvrtcGetPTXSize(it, size); }
int nvrtcGetCUBIN(void* it, char* cubin) { return nvrtcGetPTX(it, cubin); }
__attribute__((destructor)) static void end(void) { if (running) abort(); }
"#;

/// Runs a test in a child process whose NVRTC takes that long. Returns `true` in the child and `false` in the parent.
fn with_slow_nvrtc(test: &str, milliseconds: u64, variables: &[(&str, &str)]) -> bool {
    if std::env::var_os("PRETENDED_MS").is_some() {
        return true;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("slow-{test}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("slow.c"), SLOW).unwrap();
    let library = folder.join("libnvrtc.so");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-w", "-o"]).arg(&library).arg(folder.join("slow.c"));
    assert!(compiler.status().unwrap().success(), "cc makes the pretended NVRTC");
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", test, "--nocapture"]).env("REDUCEGEN_NVRTC", library);
    child.env("PRETENDED_MS", milliseconds.to_string()).env("REDUCEGEN_CACHE_DIR", folder.join("cache"));
    succeeded(&child.envs(variables.iter().copied()).output().unwrap());
    false
}

fn succeeded(output: &Output) {
    let [out, err] = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it));
    assert!(output.status.success() && out.contains("1 passed"), "{}\n{out}\n{err}", output.status);
}

/// Returns a different program for each number.
fn program(number: u32) -> Program {
    let text =
        format!("ty: f32, map: |x| x * {number}.5, op: |a, b| a + b, identity: 0.0, passes: [shuffle]");
    compile(&parse::text(&text, None).unwrap().spec).unwrap()
}

fn cache() -> Cache {
    Cache::at(PathBuf::from(std::env::var_os("REDUCEGEN_CACHE_DIR").unwrap()))
}

fn waiting(milliseconds: u64) -> Compiler {
    Compiler::new(cache()).with_deadline(Duration::from_millis(milliseconds))
}

fn text(image: Image) -> String {
    String::from_utf8(image.bytes).unwrap()
}

#[test]
fn a_caller_waits_no_longer_and_finds_the_result_later() {
    if !with_slow_nvrtc("a_caller_waits_no_longer_and_finds_the_result_later", 3000, &[]) {
        return;
    }
    let start = Instant::now();
    let error = waiting(100).image(&program(1), TARGET).unwrap_err();
    assert!(start.elapsed() < Duration::from_millis(2000), "{:?}", start.elapsed());
    assert_eq!(error, Error::CompileTime { target: TARGET, waited: Duration::from_millis(100) });
    let message = error.to_string();
    assert!(
        message.contains("within 0.1 s; set REDUCEGEN_COMPILE_SECONDS") && !error.is_usage_error(),
        "{message}"
    );
    // A second caller with the same program joins the running compilation, and the result is kept.
    assert_eq!(text(waiting(10_000).image(&program(1), TARGET).unwrap()), "compiled 1");
    assert_eq!(text(waiting(1).image(&program(1), TARGET).unwrap()), "compiled 1");
}

#[test]
fn a_compilation_that_was_left_is_kept_when_it_ends() {
    if !with_slow_nvrtc("a_compilation_that_was_left_is_kept_when_it_ends", 300, &[]) {
        return;
    }
    assert!(waiting(1).image(&program(1), TARGET).is_err());
    let start = Instant::now();
    let found = std::iter::from_fn(|| {
        std::thread::sleep(Duration::from_millis(50));
        (start.elapsed() < Duration::from_secs(20)).then(|| waiting(1).image(&program(1), TARGET))
    });
    assert_eq!(text(found.flatten().next().unwrap()), "compiled 1");
}

#[test]
fn few_are_left_at_a_time() {
    if !with_slow_nvrtc("few_are_left_at_a_time", 2000, &[]) {
        return;
    }
    (1..=8).for_each(|number| assert!(waiting(20).image(&program(number), TARGET).is_err()));
    // The ninth waits until one of the four has ended.
    assert_eq!(text(waiting(20_000).image(&program(9), TARGET).unwrap()), "compiled 5");
}

#[test]
fn a_process_may_end_while_nvrtc_compiles() {
    if with_slow_nvrtc("a_process_may_end_while_nvrtc_compiles", 60_000, &[]) {
        assert!(waiting(50).image(&program(1), TARGET).is_err());
    }
}

#[test]
fn the_environment_says_how_long() {
    let test = "the_environment_says_how_long";
    if !with_slow_nvrtc(test, 5000, &[("REDUCEGEN_COMPILE_SECONDS", "0.05")]) {
        return;
    }
    let waited = Duration::from_millis(50);
    let error = Compiler::new(cache()).image(&program(1), TARGET).unwrap_err();
    assert_eq!(error, Error::CompileTime { target: TARGET, waited });
    let error = Nvrtc::get().unwrap().compile_program(&program(2), TARGET).unwrap_err();
    assert_eq!(error, Error::CompileTime { target: TARGET, waited });
}

#[test]
fn a_time_that_is_none_is_an_error() {
    for text in ["ten", "0", "-1", "inf", "NaN"] {
        let test = "a_time_that_is_none_is_an_error";
        if !with_slow_nvrtc(test, 0, &[("REDUCEGEN_COMPILE_SECONDS", text)]) {
            continue;
        }
        let text = std::env::var("REDUCEGEN_COMPILE_SECONDS").unwrap();
        let error = Compiler::new(cache()).image(&program(1), TARGET).unwrap_err();
        assert_eq!(error, Error::MalformedSeconds(text));
        assert!(error.is_usage_error() && error.to_string().ends_with("such as 30"), "{error}");
        return;
    }
}

/// The real NVRTC crashed in some processes that exited during a compilation.
#[test]
fn a_process_may_end_while_the_real_one_compiles() {
    let test = "a_process_may_end_while_the_real_one_compiles";
    if std::env::var_os("LEAVES").is_some() {
        let roots = "map: |x| { let a = (x + 1.5).exp(); let b = (a + 1.5).exp(); (b + 1.5).exp() }";
        let text = format!("ty: f64, {roots}, op: |a, b| a + b, identity: 0.0, passes: [vectorize(16)]");
        let program = compile(&parse::text(&text, None).unwrap().spec).unwrap();
        let compiler = Compiler::new(Cache::off()).with_deadline(Duration::from_millis(200));
        let error = compiler.image(&program, Target::Cubin(Architecture::from_number(90))).unwrap_err();
        assert!(matches!(error, Error::CompileTime { .. }), "{error}");
        return;
    }
    if needed(test, "REDUCEGEN_REQUIRE_NVRTC", Nvrtc::get()).is_some() {
        for _ in 0..5 {
            let mut child = Command::new(std::env::current_exe().unwrap());
            succeeded(&child.args(["--exact", test, "--nocapture"]).env("LEAVES", "1").output().unwrap());
        }
    }
}
