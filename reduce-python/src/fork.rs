//! Threads after a fork: the child has none of the pool of its parent, and would wait for them.

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// Whether this process, or one that it was forked from, called [`forked`].
static IS_CHILD: AtomicBool = AtomicBool::new(false);
/// The pool of this child. The pool of a parent is leaked: its threads do not exist here.
static POOL: AtomicPtr<ThreadPool> = AtomicPtr::new(ptr::null_mut());

/// Tells the child of a fork that it is one.
#[pyfunction]
pub(crate) fn _forked() {
    IS_CHILD.store(true, Ordering::Release);
    POOL.store(ptr::null_mut(), Ordering::Release);
}

/// Runs work on the threads of this process.
pub(crate) fn run<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    if !IS_CHILD.load(Ordering::Acquire) {
        return work();
    }
    match pool() {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// Returns the pool of this child. `None`: the system gives no threads.
fn pool() -> Option<&'static ThreadPool> {
    let existing = POOL.load(Ordering::Acquire);
    if existing.is_null() {
        let made = Box::into_raw(Box::new(ThreadPoolBuilder::new().build().ok()?));
        // Another thread may have made one: then that one stays, and this one is leaked.
        let _ = POOL.compare_exchange(ptr::null_mut(), made, Ordering::AcqRel, Ordering::Acquire);
    }
    // SAFETY: a box that was leaked, here or by another thread.
    unsafe { POOL.load(Ordering::Acquire).as_ref() }
}
