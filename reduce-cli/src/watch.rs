//! Mapped files that shrink. A read beyond their new end raises the signal SIGBUS, which ends the process without a
//! message. The handler here turns it into an error.
//!
//! Reading files instead would keep the data in memory twice, because reductions take whole slices. The library
//! installs no handler, because signals belong to the program.

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
static ENDING: AtomicBool = AtomicBool::new(false);

/// Watches `bytes`: from now on, a read of bytes that the file at `path` has lost ends the process with a sentence
/// and status 1.
pub(crate) fn watch(path: &Path, bytes: &[u8]) -> io::Result<()> {
    static INSTALLED: OnceLock<()> = OnceLock::new();
    let message = format!("error: {}: {}\n", path.display(), changed()).into_bytes();
    let (start, len, next) = (bytes.as_ptr().addr(), bytes.len(), Next::new());
    add(Box::new(Watched { start, len, message, next }));
    if INSTALLED.set(()).is_ok() { install() } else { Ok(()) }
}

/// Installs the handler. Crates for signals also run the previous handler. The one of Rust treats this signal as
/// its own and sets the default action, so that another thread may end the process first.
#[allow(unsafe_code, reason = "the system is called")]
fn install() -> io::Result<()> {
    // SAFETY: zeros are a valid action, the default one. The handler has the signature that SA_SIGINFO requires. It
    // loads atomics and calls only functions that are async-signal-safe (POSIX).
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
    // SAFETY: the system passes the structure, with an address for this signal.
    let at = unsafe { (*info).si_addr() }.addr();
    let mut place = FIRST.get();
    while let Some(watched) = place {
        if at.wrapping_sub(watched.start) < watched.len {
            end(&watched.message);
        }
        place = watched.next.get();
    }
    // SAFETY: sets the default action. The signal that comes again after this handler ends the process.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
    // SAFETY: a failed read is repeated and raises the signal again; a signal that another process sent is not, so
    // it is raised here.
    unsafe { libc::raise(signal) };
}

#[allow(unsafe_code, reason = "a signal handler has nothing else to call")]
fn end(message: &[u8]) -> ! {
    if ENDING.swap(true, Ordering::SeqCst) {
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
