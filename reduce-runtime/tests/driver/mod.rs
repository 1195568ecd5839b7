//! A libcuda that pretends to have GPUs (`pretend.c`), and tests that run with it in a child process.
#![allow(dead_code, reason = "not every test asks for everything")]

pub(crate) mod injection;
#[path = "../../../tests/support/skip.rs"]
pub(crate) mod skip;

use reduce_dsl::operators::operator;
use reduce_ir::func::Param;
use reduce_ir::spec::Passes;
use reduce_ir::{Domain, Scalar, Spec};
use reduce_runtime::cudarc::driver::{CudaContext, CudaStream, sys};
use reduce_runtime::{Cache, Device, Nvrtc};
use skip::needed;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

pub(crate) fn spec(name: &str, ty: Scalar, passes: Passes) -> Spec {
    let operation = operator(name).unwrap().apply(&[Param::new("x", ty)], None).unwrap();
    Spec {
        operation,
        domain: Domain::WHOLE,
        axes: None,
        defaults: Vec::new(),
        text: String::new(),
        block: None,
        passes,
    }
}

/// The calls that the driver counts.
#[derive(Clone, Copy)]
pub(crate) enum Calls {
    Loads,
    Launches,
    Allocations,
    Waits,
    Events,
    Copies,
    Unloads,
    Attributes,
    Frees,
}

impl Calls {
    pub(crate) const ALL: [Calls; 9] = [
        Calls::Loads,
        Calls::Launches,
        Calls::Allocations,
        Calls::Waits,
        Calls::Events,
        Calls::Copies,
        Calls::Unloads,
        Calls::Attributes,
        Calls::Frees,
    ];

    pub(crate) fn count(self) -> u32 {
        let calls: unsafe extern "C" fn(i32) -> u32 = function("calls");
        // SAFETY: it reads a number.
        unsafe { calls(self as i32) }
    }

    /// Returns how often each was called during `work`.
    pub(crate) fn during(work: impl FnOnce()) -> [u32; 9] {
        let before = Calls::ALL.map(Calls::count);
        work();
        let mut after = Calls::ALL.map(Calls::count);
        after.iter_mut().zip(before).for_each(|(after, before)| *after -= before);
        after
    }
}

/// Returns a function of the pretended driver.
fn function<T: Copy>(name: &str) -> T {
    // SAFETY: each is requested with the type that `pretend.c` gives it.
    unsafe { *sys::culib().get::<T>(name).unwrap() }
}

/// Returns grid and block of the last launch, whether it is a dependent one, and its arguments.
pub(crate) fn last_launch() -> [u64; 11] {
    let last = Calls::Launches.count() - 1;
    let argument: unsafe extern "C" fn(u32, u32) -> u64 = function("argument");
    // SAFETY: it reads recorded numbers.
    std::array::from_fn(|place| unsafe { argument(last, place as u32) })
}

/// Sets the compute capability, `major.0`, of GPUs that are opened from now on.
pub(crate) fn set_capability(major: i32) {
    let set_capability: unsafe extern "C" fn(i32) = function("set_capability");
    // SAFETY: it sets a number.
    unsafe { set_capability(major) }
}

/// Sets the most blocks of a cluster on these GPUs.
pub(crate) fn limit_clusters(blocks: i32) {
    let limit_clusters: unsafe extern "C" fn(i32) = function("limit_clusters");
    // SAFETY: it sets a number.
    unsafe { limit_clusters(blocks) }
}

/// Makes the next `images` images fail with that error.
pub(crate) fn refuse_images(images: i32, error: i32) {
    let refuse_images: unsafe extern "C" fn(i32, i32) = function("refuse_images");
    // SAFETY: it sets numbers.
    unsafe { refuse_images(images, error) }
}

/// Makes the next `launches` launches fail.
pub(crate) fn fail_launches(launches: i32) {
    let fail_launches: unsafe extern "C" fn(i32) = function("fail_launches");
    // SAFETY: it sets a number.
    unsafe { fail_launches(launches) }
}

/// Makes the next `waits` waits for a stream fail.
pub(crate) fn fail_waits(waits: i32) {
    let fail_waits: unsafe extern "C" fn(i32) = function("fail_waits");
    // SAFETY: it sets a number.
    unsafe { fail_waits(waits) }
}

/// Sets a function that is called at every launch.
pub(crate) fn call_at_launch(call: extern "C" fn()) {
    let call_at_launch: unsafe extern "C" fn(extern "C" fn()) = function("call_at_launch");
    // SAFETY: it stores a function, which lives as long as the process.
    unsafe { call_at_launch(call) }
}

/// Returns how often memory was freed or written while a launch may have been using it.
pub(crate) fn unordered_accesses() -> u32 {
    let unordered_accesses: unsafe extern "C" fn() -> u32 = function("unordered_accesses");
    // SAFETY: it reads a number.
    unsafe { unordered_accesses() }
}

/// Returns how often a launch may have overlapped a copy on another stream.
pub(crate) fn unordered_launches() -> u32 {
    let unordered_launches: unsafe extern "C" fn() -> u32 = function("unordered_launches");
    // SAFETY: it reads a number.
    unsafe { unordered_launches() }
}

/// Sets whether a graph captures the streams from now on.
pub(crate) fn capture(is_active: bool) {
    let capture: unsafe extern "C" fn(i32) = function("capture");
    // SAFETY: it sets a number.
    unsafe { capture(is_active.into()) }
}

/// Runs a test in a child process with the pretended driver. Returns `None` in the parent.
pub(crate) fn with_driver(test: &str) -> Option<(Device, Arc<CudaStream>)> {
    with_driver_and(test, &[])
}

/// As [`with_driver`], with environment variables.
pub(crate) fn with_driver_and(test: &str, variables: &[(&str, &str)]) -> Option<(Device, Arc<CudaStream>)> {
    if std::env::var_os("REDUCEGEN_PRETENDED").is_some() {
        let device = Device::cuda(0).unwrap().with_cache(Cache::off());
        return Some((device, CudaContext::new(0).unwrap().new_stream().unwrap()));
    }
    needed(test, "REDUCEGEN_REQUIRE_NVRTC", Nvrtc::get())?;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("pretended-{test}"));
    std::fs::create_dir_all(&folder).unwrap();
    build(&folder);
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", test, "--nocapture"]).env("REDUCEGEN_PRETENDED", "1");
    child.env("LD_LIBRARY_PATH", &folder).env("REDUCEGEN_CACHE", "off").envs(variables.iter().copied());
    let output = child.output().unwrap();
    print!("{}", String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    None
}

/// Compiles the pretended driver, with its entry points from `inject.c`.
fn build(folder: &Path) {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/driver");
    let text = std::fs::read_to_string(sources.join("pretend.c")).unwrap();
    let names = text.lines().filter_map(|line| line.strip_prefix("int cu")?.split_once('(')).map(|it| it.0);
    let names: Vec<_> = names.collect();
    assert!(names.len() > 30, "{} entry points", names.len());
    let renamed = names.iter().map(|name| format!("-Dcu{name}=pretended_cu{name}"));
    let entries: String = names.iter().map(|name| format!("X(cu{name}) ")).collect();
    let object = folder.join("pretend.o");
    cc(Command::new("cc").args(renamed).arg("-c").arg("-o").arg(&object).arg(sources.join("pretend.c")));
    let mut link = Command::new("cc");
    link.arg(format!("-DENTRIES={entries}")).args(["-shared", "-o"]).arg(folder.join("libcuda.so"));
    cc(link.arg(sources.join("inject.c")).arg(object));
}

fn cc(compiler: &mut Command) {
    let status = compiler.args(["-O2", "-fPIC", "-w"]).status().unwrap();
    assert!(status.success(), "cc makes the pretended driver");
}
