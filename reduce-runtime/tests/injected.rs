//! Makes every call of the driver fail, once or from there on, with many codes. The outcome must be the correct result
//! or an error with advice; nothing may panic, hang or leak. Uses the libcuda that pretends to have GPUs (`driver/`).
#![cfg(all(feature = "cuda", target_os = "linux"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod driver;

use driver::injection::{Fault, compute, entered, failed, name_of, passed};
use driver::with_driver;
use reduce_ir::Spec;
use reduce_lanes::LanesRef;
use reduce_runtime::cudarc::driver::{CudaContext, DriverError};
use reduce_runtime::{Cache, Device, DeviceInput, Error, Reducer};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::panic::catch_unwind;
use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

/// A run takes a few milliseconds.
const DEADLINE: Duration = Duration::from_secs(20);

/// One code for each cause that users can act on, and for each way in which drivers report errors.
const CODES: [u32; 38] = [
    1, 2, 3, 4, 34, 36, 46, 100, 101, 200, 201, 209, 214, 218, 220, 222, 304, 400, 500, 600, 700, 701, 702,
    709, 716, 719, 720, 721, 800, 801, 802, 803, 804, 805, 900, 906, 908, 999,
];

const LENGTH: u64 = 1000;
const SUM: u64 = LENGTH * (LENGTH - 1) / 2;

/// The outcome of a run.
#[derive(Clone, Debug)]
enum Ended {
    Right,
    #[allow(dead_code, reason = "it is printed")]
    Wrong(u64),
    Error(String),
    Panic,
    Hang,
}

impl Ended {
    /// Returns the error without its code, which identifies the failed call.
    fn doing(&self) -> String {
        let text = format!("{self:?}");
        text.split(": ").next().unwrap_or_default().to_owned()
    }
}

/// Replaces every kernel by a sum of 64-bit integers. Its parameters are the input, the partials, the result, and the
/// number of elements.
extern "C" fn kernel(parameters: *const *const c_void) {
    // SAFETY: these are the arguments of that kernel, and memory of the pretended GPU is host memory.
    unsafe {
        let word = |place: usize| (*parameters.add(place)).cast::<u64>().read();
        let x = std::slice::from_raw_parts(word(0) as *const u64, word(3) as usize);
        (word(2) as *mut u64).write(x.iter().sum());
    }
}

/// Opens a device, reduces once to a host result and once queued, and drops everything.
fn scenario(spec: &Spec, cache: &Cache) -> Result<[u64; 2], Error> {
    let x: Vec<u64> = (0..LENGTH).collect();
    let device = Device::cuda(0)?.with_cache(cache.clone());
    device.description();
    let sum = Reducer::new(spec, &device)?;
    let waited = sum.reduce(&[LanesRef::U64(&x)])?.values[0].bits();
    let queued = queued(&sum, &x).map_err(|error| match error {
        Queued::Ours(error) => error,
        Queued::Callers(DriverError(code)) => Error::Driver {
            operation: "a call of the test",
            code: code as u32,
            name: String::new(),
            text: String::new(),
        },
    })?;
    Ok([waited, queued])
}

enum Queued {
    Ours(Error),
    /// An error of cudarc, in a call by the user of the library.
    Callers(DriverError),
}

impl From<Error> for Queued {
    fn from(error: Error) -> Queued {
        Queued::Ours(error)
    }
}

impl From<DriverError> for Queued {
    fn from(error: DriverError) -> Queued {
        Queued::Callers(error)
    }
}

fn queued(sum: &Reducer, x: &[u64]) -> Result<u64, Queued> {
    let context = CudaContext::new(0)?;
    let [own, other] = [context.new_stream()?, context.new_stream()?];
    let slice = own.clone_htod(x)?;
    let mut workspace = sum.workspace(&other, LENGTH)?;
    sum.enqueue(&other, &[DeviceInput::on_stream(&other, &slice)], &[], &mut workspace)?;
    Ok(workspace.read(&other)?[0].bits())
}

/// Runs the scenario on a new thread, because the current context belongs to a thread.
fn run(fault: Fault, spec: &Spec, cache: &Cache) -> Ended {
    fault.inject();
    let (done, result): (Sender<Ended>, _) = channel();
    let (spec, cache) = (spec.clone(), cache.clone());
    std::thread::spawn(move || {
        let ended = match catch_unwind(|| scenario(&spec, &cache)) {
            Ok(Ok([SUM, SUM])) => Ended::Right,
            Ok(Ok([waited, queued])) => Ended::Wrong(if waited == SUM { queued } else { waited }),
            Ok(Err(error)) => Ended::Error(error.to_string()),
            Err(_) => Ended::Panic,
        };
        done.send(ended)
    });
    result.recv_timeout(DEADLINE).unwrap_or(Ended::Hang)
}

/// Functions that create an object, and those that destroy it.
const PAIRS: [(&[&str], &[&str]); 5] = [
    (&["cuMemAlloc_v2", "cuMemAllocAsync"], &["cuMemFree_v2", "cuMemFreeAsync"]),
    (&["cuModuleLoadData"], &["cuModuleUnload"]),
    (&["cuEventCreate"], &["cuEventDestroy_v2"]),
    (&["cuStreamCreate"], &["cuStreamDestroy_v2"]),
    (&["cuDevicePrimaryCtxRetain"], &["cuDevicePrimaryCtxRelease_v2"]),
];

/// Lists objects that were created and not destroyed, unless the driver refused to destroy them.
fn leaks() -> Vec<String> {
    let leaked = |(made, ended): &(&[&str], &[&str])| {
        let left = passed(made) as i64 - passed(ended) as i64 - failed(ended) as i64;
        (left != 0).then(|| format!("{left} of {}", made[0]))
    };
    PAIRS.iter().filter_map(leaked).collect()
}

/// Leaks of cudarc 0.19 itself: `CudaStream::alloc` leaks its memory if it cannot create events for it, and
/// `CudaContext::new` leaks the context if it cannot read its attributes.
const CUDARC_LEAKS: [(&str, &str); 3] = [
    ("cuCtxGetCurrent", "1 of cuMemAlloc_v2"),
    ("cuEventCreate", "1 of cuMemAlloc_v2"),
    ("cuDeviceGetAttribute", "1 of cuDevicePrimaryCtxRetain"),
];

/// The outcomes of the faults of one function.
#[derive(Debug, Default)]
struct FaultCounts {
    calls: u32,
    faults: u32,
    errors: u32,
    right: u32,
    /// Runs that keep memory on purpose: a wait failed, so the device may still write there.
    kept: u32,
    /// Runs in which cudarc leaks.
    cudarc_leaks: u32,
}

impl FaultCounts {
    /// Counts a run in which calls of that function failed, or returns the defect.
    fn add(&mut self, name: &str, ended: &Ended) -> Result<(), String> {
        self.faults += 1;
        match ended {
            Ended::Right => self.right += 1,
            // A message states the error, then the advice.
            Ended::Error(message) if message.contains("; ") => self.errors += 1,
            Ended::Error(message) => return Err(format!("no advice: {message}")),
            Ended::Wrong(result) => return Err(format!("a wrong result: {result}")),
            Ended::Panic | Ended::Hang => return Err(format!("{ended:?}")),
        }
        let leaks = leaks().join(", ");
        if leaks.is_empty() {
            return Ok(());
        }
        if CUDARC_LEAKS.contains(&(name, leaks.as_str())) {
            self.cudarc_leaks += 1;
            return Ok(());
        }
        self.kept += 1;
        // A wait first makes the context current.
        match failed(&["cuStreamSynchronize", "cuCtxSynchronize", "cuCtxSetCurrent"]) {
            0 => Err(format!("{} leaks {leaks}", ended.doing())),
            _ => Ok(()),
        }
    }
}

/// Returns the codes for a call: all of them, or a few that differ from call to call.
fn codes(call: u32) -> Vec<u32> {
    let all = std::env::var_os("REDUCEGEN_FULL").is_some();
    let some = |step: u32| CODES[(call * 3 + step) as usize % CODES.len()];
    if all { CODES.to_vec() } else { (0..3).map(some).collect() }
}

/// Returns the calls of a run without faults, which are the same in every run.
fn calls(spec: &Spec, cache: &Cache) -> Vec<String> {
    for _ in 0..2 {
        let ended = run(Fault::NONE, spec, cache);
        assert!(matches!(ended, Ended::Right) && leaks().is_empty(), "{ended:?}, left: {:?}", leaks());
    }
    (1..=entered()).map(name_of).collect()
}

fn print(rows: &BTreeMap<&str, FaultCounts>) {
    println!("| call | times | faults | errors | right result | memory kept | leaks of cudarc |");
    println!("|---|--:|--:|--:|--:|--:|--:|");
    let line =
        |name: &str, row: [u32; 6]| println!("| {name} | {} |", row.map(|it| it.to_string()).join(" | "));
    let numbers = |it: &FaultCounts| [it.calls, it.faults, it.errors, it.right, it.kept, it.cudarc_leaks];
    rows.iter().for_each(|(name, row)| line(name, numbers(row)));
    let all = rows.values().map(numbers);
    line("all", all.fold([0; 6], |sum, row| std::array::from_fn(|place| sum[place] + row[place])));
}

/// Defects, and the faults that show them.
type Wrong = BTreeMap<String, Vec<Fault>>;

/// Makes one call fail with each code, once and from there on.
fn fail_in_every_way(
    call: u32,
    name: &str,
    row: &mut FaultCounts,
    wrong: &mut Wrong,
    run: impl Fn(Fault) -> Ended,
) {
    row.calls += 1;
    for (code, lasts) in codes(call).into_iter().flat_map(|code| [(code, false), (code, true)]) {
        let fault = Fault { call, code, lasts };
        let ended = run(fault);
        assert_eq!(name_of(call), *name, "call {call} is the same in every run, {fault:?}");
        if let Err(what) = row.add(name, &ended) {
            wrong.entry(format!("call {call}, {name}: {what}")).or_default().push(fault);
        }
        // A hanging thread would disturb the next runs.
        assert!(!matches!(ended, Ended::Hang), "{wrong:#?}");
    }
}

#[test]
fn every_call_may_fail() {
    let Some((device, stream)) = with_driver("every_call_may_fail") else { return };
    drop((device, stream));
    compute(kernel);
    let cache = Cache::at(Path::new(env!("CARGO_TARGET_TMPDIR")).join("injected-cache"));
    let spec = reduce_dsl::parse::spec("ty: u64, op: sum, passes: [shuffle, one_block, ticket]").unwrap();
    let calls = calls(&spec, &cache);
    let (mut rows, mut wrong): (BTreeMap<&str, FaultCounts>, Wrong) = Default::default();
    for (call, name) in (1..).zip(&calls) {
        let row = rows.entry(name).or_default();
        fail_in_every_way(call, name, row, &mut wrong, |fault| run(fault, &spec, &cache));
    }
    print(&rows);
    let line =
        |(what, faults): (&String, &Vec<Fault>)| format!("{what}: {} times, {:?}", faults.len(), faults[0]);
    let wrong: Vec<_> = wrong.iter().map(line).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
