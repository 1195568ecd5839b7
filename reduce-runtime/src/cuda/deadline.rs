//! Compilations with a deadline for their callers.
//!
//! NVRTC cannot be interrupted, and a library cannot restart its host program as a child process. So NVRTC compiles in
//! a thread, which a caller abandons at its deadline. Another caller with the same source waits for that thread. At
//! most [`MOST_ABANDONED`] threads are abandoned at a time. The limit on program size bounds the memory of each.

use crate::Error;
use crate::architecture::Target;
use crate::cache::Key;
use crate::image::Image;
use std::collections::HashMap;
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// The default time that callers wait.
const DEFAULT: Duration = Duration::from_secs(10);

/// The limit on compilations that no caller waits for: they would accumulate if several programs time out.
const MOST_ABANDONED: usize = 4;

/// The result of a compilation, set when it ends.
type SharedResult = Arc<Mutex<Option<Result<Image, Error>>>>;

/// The compilations that have not ended.
static RUNNING: LazyLock<Mutex<HashMap<Key, Running>>> = LazyLock::new(Mutex::default);

/// Notified whenever a compilation ends.
static ENDED: Condvar = Condvar::new();

struct Running {
    result: SharedResult,
    waiting: usize,
}

/// Returns the given deadline, or the one of the environment, or the default.
pub(super) fn or_default(deadline: Option<Duration>) -> Result<Duration, Error> {
    if let Some(deadline) = deadline {
        return Ok(deadline);
    }
    match std::env::var_os(Error::COMPILE_SECONDS).filter(|text| !text.is_empty()) {
        None => Ok(DEFAULT),
        Some(text) => seconds(&text.to_string_lossy()),
    }
}

fn seconds(text: &str) -> Result<Duration, Error> {
    let duration = text.trim().parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let malformed = || Error::MalformedSeconds(text.to_owned());
    duration.filter(|it| !it.is_zero()).ok_or_else(malformed)
}

/// Runs `work`, or joins running work of the same name. Returns [`Error::CompileTime`] after `most`.
pub(super) fn run_within(
    most: Duration,
    name: Key,
    target: Target,
    work: impl FnOnce() -> Result<Image, Error> + Send + 'static,
) -> Result<Image, Error> {
    let start = Instant::now();
    let result = match begin(most, name, work) {
        Start::Running(result) => result,
        Start::Finished(result) => return result,
        Start::TooMany => return Err(Error::CompileTime { target, waited: most }),
    };
    let left = most.saturating_sub(start.elapsed());
    let (mut running, _) = ENDED
        .wait_timeout_while(lock(&RUNNING), left, |_| lock(&result).is_none())
        .unwrap_or_else(PoisonError::into_inner);
    if let Some(entry) = running.get_mut(&name).filter(|it| Arc::ptr_eq(&it.result, &result)) {
        entry.waiting -= 1;
    }
    let result = lock(&result).clone();
    result.unwrap_or_else(|| {
        at_exit::skip_destructors();
        Err(Error::CompileTime { target, waited: most })
    })
}

enum Start {
    Running(SharedResult),
    Finished(Result<Image, Error>),
    TooMany,
}

/// Joins running work or starts it in a new thread; runs it in this thread if no thread can be created.
fn begin(most: Duration, name: Key, work: impl FnOnce() -> Result<Image, Error> + Send + 'static) -> Start {
    let crowded = |running: &mut HashMap<Key, Running>| {
        !running.contains_key(&name)
            && running.values().filter(|it| it.waiting == 0).count() >= MOST_ABANDONED
    };
    let waited = ENDED.wait_timeout_while(lock(&RUNNING), most, crowded);
    let (mut running, waited) = waited.unwrap_or_else(PoisonError::into_inner);
    if waited.timed_out() {
        return Start::TooMany;
    }
    if let Some(entry) = running.get_mut(&name) {
        entry.waiting += 1;
        return Start::Running(entry.result.clone());
    }
    let (result, work) = (SharedResult::default(), Arc::new(Mutex::new(Some(work))));
    let (result_of_thread, work_of_thread) = (result.clone(), work.clone());
    let compile = move || {
        let compiled = lock(&work_of_thread).take().map(|work| work());
        *lock(&result_of_thread) = compiled;
        lock(&RUNNING).remove(&name);
        ENDED.notify_all();
    };
    if Builder::new().name("reducegen-nvrtc".to_owned()).spawn(compile).is_ok() {
        running.insert(name, Running { result: result.clone(), waiting: 1 });
        return Start::Running(result);
    }
    drop(running);
    let work = lock(&work).take();
    work.map_or(Start::Running(result), |work| Start::Finished(work()))
}

/// Prevents a crash at process exit: the destructors of NVRTC must not run while it compiles.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod at_exit {
    use super::{RUNNING, lock};
    use std::ffi::{c_int, c_void};
    use std::ptr::null_mut;

    unsafe extern "C" {
        /// glibc: as `atexit`, with the exit status.
        fn on_exit(call: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
    }

    /// From now on, a process that exits while NVRTC compiles skips its destructors. Handlers run in reverse order of
    /// registration, and NVRTC registers some at its first use. So this must be called after that use.
    pub(super) fn skip_destructors() {
        // SAFETY: the function has the signature with which it is called.
        unsafe { on_exit(end, null_mut()) };
    }

    extern "C" fn end(status: c_int, _: *mut c_void) {
        if lock(&RUNNING).is_empty() {
            return;
        }
        // SAFETY: flushes the buffers of C, as `exit` would, and ends the process.
        unsafe {
            libc::fflush(null_mut());
            libc::_exit(status);
        }
    }
}

/// Other platforms end threads before they unload libraries, or do not have NVRTC.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod at_exit {
    pub(super) fn skip_destructors() {}
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
