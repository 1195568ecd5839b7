//! Mapped files that shrink. A read beyond their new end is answered with the signal SIGBUS, which ends the process without a
//! word; here it becomes an error.
//!
//! Files could be read instead, but reductions take whole slices: the data would be in memory twice. The library installs no
//! handler, as signals belong to the program.

use crate::data::changed;
use libc::{c_int, c_void, siginfo_t};
use std::io;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// A mapped file, until the process ends. The handler may walk the list at any time, so it only grows.
#[derive(Debug)]
struct Watched {
    start: usize,
    len: usize,
    message: Vec<u8>,
    next: Next,
}

type Next = OnceLock<Box<Watched>>;

static FIRST: Next = OnceLock::new();
static ENDS: AtomicBool = AtomicBool::new(false);

/// From now on, a read of `bytes` that the file at `path` has lost ends the process with a sentence and status 1.
pub(crate) fn watch(path: &Path, bytes: &[u8]) -> io::Result<()> {
    static INSTALLED: OnceLock<()> = OnceLock::new();
    let message = format!("error: {}: {}\n", path.display(), changed()).into_bytes();
    let (start, len, next) = (bytes.as_ptr().addr(), bytes.len(), Next::new());
    add(Box::new(Watched { start, len, message, next }));
    if INSTALLED.set(()).is_ok() { install() } else { Ok(()) }
}

/// Crates for signals run the handler that was there before, too: that of Rust takes this signal for its own and sets the
/// default action, by which another thread may end the process first.
#[allow(unsafe_code, reason = "the system is called")]
fn install() -> io::Result<()> {
    // SAFETY: zeros are an action, the default; the handler has the signature that SA_SIGINFO asks for. It loads atomics and
    // calls only functions that are async-signal-safe (POSIX).
    let installed = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handle as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigaction(libc::SIGBUS, &raw const action, std::ptr::null_mut())
    };
    if installed == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn add(mut watched: Box<Watched>) {
    let mut place = &FIRST;
    while let Err(refused) = place.set(watched) {
        watched = refused;
        let Some(taken) = place.get() else { return };
        place = &taken.next;
    }
}

#[allow(unsafe_code, reason = "the system calls it")]
extern "C" fn handle(signal: c_int, info: *mut siginfo_t, _: *mut c_void) {
    // SAFETY: the system gives the structure, with an address for this signal.
    let at = unsafe { (*info).si_addr() }.addr();
    let mut place = FIRST.get();
    while let Some(watched) = place {
        if at.wrapping_sub(watched.start) < watched.len {
            end(&watched.message);
        }
        place = watched.next.get();
    }
    // SAFETY: sets the default action, by which the signal comes again behind this handler, and ends the process.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
    // SAFETY: the read is tried again; a signal that another process sent is not.
    unsafe { libc::raise(signal) };
}

#[allow(unsafe_code, reason = "a signal handler has nothing else to call")]
fn end(message: &[u8]) -> ! {
    if ENDS.swap(true, Ordering::SeqCst) {
        loop {
            // SAFETY: waits for a signal; the thread that came first ends the process.
            unsafe { libc::pause() };
        }
    }
    // SAFETY: the message lives as long as the process.
    unsafe {
        libc::write(libc::STDERR_FILENO, message.as_ptr().cast(), message.len());
        libc::_exit(1)
    }
}
