//! Runs a target on stable Rust: replays files, or mutates a corpus for a number of seconds.

use crate::choices::Choices;
use crate::mutate::mutated;
use crate::targets::{Target, Verdict};
use cpu_time::ProcessTime;
use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{ExitCode, exit};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

/// The maximum size of the pool of inputs to mutate.
const POOL: usize = 4096;

/// The exit status of a target that cannot run on this machine.
const SKIPPED: u8 = 3;

const USAGE: &str = "usage: [--seconds N] [--corpus DIR] [--seed N], or files to run again";

/// The command-line options of a run.
struct Request {
    seconds: u64,
    corpus: PathBuf,
    seed: u64,
    files: Vec<PathBuf>,
}

/// The statistics of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Inputs that were run.
    pub inputs: u64,
    /// Inputs that were accepted.
    pub accepted: u64,
}

/// An input that breaks a property.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The input.
    pub input: Vec<u8>,
    /// The property that is broken.
    pub what: String,
}

/// Runs the command line of a target.
pub fn main(target: &Target) -> ExitCode {
    if let Some(reason) = (target.missing)() {
        eprintln!("{}: skipped, {reason}", target.name);
        return ExitCode::from(SKIPPED);
    }
    match request(target).and_then(|request| outcome(target, &request)) {
        Ok(counts) => {
            println!(
                "{} | {} inputs | {} accepted | 0 findings",
                target.name, counts.inputs, counts.accepted
            );
            ExitCode::SUCCESS
        }
        Err(what) => {
            eprintln!("{what}");
            ExitCode::FAILURE
        }
    }
}

fn outcome(target: &Target, request: &Request) -> Result<Counts, String> {
    let watchdog = Watchdog::start(*target);
    let until = Instant::now() + Duration::from_secs(request.seconds);
    let found = if request.files.is_empty() {
        let pool =
            folder(&request.corpus).map_err(|error| format!("{}: {error}", request.corpus.display()))?;
        fuzzed(target, pool, request.seed, &watchdog, |_| Instant::now() < until)
    } else {
        let read = |path: &PathBuf| fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
        replayed(target, request.files.iter().map(read).collect::<Result<_, _>>()?, &watchdog)
    };
    found.map_err(|finding| report(target, &finding))
}

fn request(target: &Target) -> Result<Request, String> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name);
    let mut request = Request { seconds: 60, corpus, seed: 0, files: Vec::new() };
    let mut args = env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} has no value\n{USAGE}"));
        let number = |text: String| text.parse().map_err(|_| format!("{text} is not a number\n{USAGE}"));
        match arg.as_str() {
            "--seconds" => request.seconds = number(value()?)?,
            "--seed" => request.seed = number(value()?)?,
            "--corpus" => request.corpus = value()?.into(),
            _ if arg.starts_with("--") => return Err(format!("{arg} is unknown\n{USAGE}")),
            _ => request.files.push(arg.into()),
        }
    }
    Ok(request)
}

/// Reads the files of a folder, in the order of their names.
///
/// # Errors
/// Fails if the folder cannot be read.
pub fn folder(path: &Path) -> io::Result<Vec<Vec<u8>>> {
    let mut paths = path.read_dir()?.map(|file| Ok(file?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    paths.into_iter().map(fs::read).collect()
}

/// Runs inputs unchanged.
///
/// # Errors
/// Returns the first finding.
pub fn replayed(target: &Target, inputs: Vec<Vec<u8>>, watchdog: &Watchdog) -> Result<Counts, Finding> {
    let mut counts = Counts::default();
    for input in inputs {
        counts.add(watchdog.run(target, &input)?);
    }
    Ok(counts)
}

/// Runs a pool and then mutations of it, while `goes_on` accepts the number of inputs so far. Accepted inputs join the
/// pool.
///
/// # Errors
/// Returns the first finding.
pub fn fuzzed(
    target: &Target,
    mut pool: Vec<Vec<u8>>,
    seed: u64,
    watchdog: &Watchdog,
    goes_on: impl Fn(u64) -> bool,
) -> Result<Counts, Finding> {
    let mut counts = replayed(target, pool.clone(), watchdog)?;
    pool.push(Vec::new());
    let mut choices = Choices::of_seed(seed);
    while goes_on(counts.inputs) {
        let input = mutated(&mut choices, &pool, target.words);
        let accepted = watchdog.run(target, &input)?;
        counts.add(accepted);
        if accepted && pool.len() < POOL {
            pool.push(input);
        }
    }
    Ok(counts)
}

impl Counts {
    fn add(&mut self, accepted: bool) {
        self.inputs += 1;
        self.accepted += u64::from(accepted);
    }
}

/// The current input, with the start of its run on two clocks. Processor time does not count the waits on a busy machine.
type Running = (ProcessTime, Instant, Vec<u8>);

/// A target that waits forever uses no processor time, so it gets this many times its time limit on the wall clock.
const IDLE: u32 = 60;

/// Ends the process if an input takes too long.
pub struct Watchdog(Arc<Mutex<Option<Running>>>);

impl Watchdog {
    /// Starts to watch a target.
    pub fn start(target: Target) -> Watchdog {
        let current = Arc::new(Mutex::new(None));
        let seen = Arc::clone(&current);
        // The thread ends with the process. It does nothing while no input runs.
        thread::spawn(move || {
            loop {
                thread::sleep(Duration::from_millis(200));
                let is_slow = |(busy, since, _): &mut Running| {
                    busy.elapsed() > target.time_limit || since.elapsed() > IDLE * target.time_limit
                };
                if let Some((.., input)) = lock(&seen).take_if(is_slow) {
                    let what = format!("it takes longer than {:?}", target.time_limit);
                    eprintln!("{}", report(&target, &Finding { input, what }));
                    exit(1);
                }
            }
        });
        Watchdog(current)
    }

    /// Runs a target on one input. Returns whether the input is accepted.
    ///
    /// # Errors
    /// Returns the finding.
    pub fn run(&self, target: &Target, input: &[u8]) -> Result<bool, Finding> {
        *lock(&self.0) = Some((ProcessTime::now(), Instant::now(), input.to_vec()));
        let verdict = catch_unwind(AssertUnwindSafe(|| (target.test_one_input)(input)));
        *lock(&self.0) = None;
        let verdict: Verdict =
            verdict.unwrap_or_else(|panic| Err(format!("it panics: {}", message(&*panic))));
        verdict.map_err(|what| Finding { input: input.to_vec(), what })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a message")
}

/// Writes the input of a finding to a file, and returns a message with its path.
fn report(target: &Target, finding: &Finding) -> String {
    let number = finding.input.iter().fold(0u64, |all, &byte| all.wrapping_mul(31).wrapping_add(byte.into()));
    let folder = Path::new("fuzz-findings");
    let path = folder.join(format!("{}-{number:016x}", target.name));
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, &finding.input));
    let place = written.map_or_else(|error| error.to_string(), |()| path.display().to_string());
    format!(
        "{} | FINDING in {place} | {}\n{}",
        target.name,
        finding.what,
        String::from_utf8_lossy(&finding.input)
    )
}
