//! The threads that batches run on: those of rayon, or the calling thread where the system gives no others.
//!
//! Idle threads of rayon search the queues of all others before they sleep. With many more threads than cores this takes
//! seconds, so no more threads are used than there are cores, whatever `RAYON_NUM_THREADS` says.

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::error::Error;
use std::sync::LazyLock;
use std::thread::available_parallelism;

/// Whether rayon's global pool can be used. The first call that needs it builds it.
static IS_THERE: LazyLock<bool> = LazyLock::new(|| match ThreadPoolBuilder::new().build_global() {
    Ok(()) => true,
    // An error of the system has a source; the error that the pool exists already has none.
    Err(error) => error.source().is_none(),
});

/// A pool in place of the global one, if that has, or would have, more threads than there are cores.
static OWN: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    let is_larger = requested().is_some_and(|threads| threads > cores())
        || *IS_THERE && rayon::current_num_threads() > cores();
    is_larger.then(|| ThreadPoolBuilder::new().num_threads(cores()).build().ok()).flatten()
});

/// The number of threads that can run at once.
fn cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// The number of threads that rayon reads when it builds its pool.
fn requested() -> Option<usize> {
    std::env::var("RAYON_NUM_THREADS").ok()?.parse().ok()
}

/// The threads that share the work of a call.
enum Threads {
    /// The pool that this thread is in, or the global one.
    OfPool,
    Own(&'static ThreadPool),
    This,
}

fn threads() -> Threads {
    // A thread of a pool needs no other one.
    if rayon::current_thread_index().is_some() {
        return Threads::OfPool;
    }
    match &*OWN {
        Some(pool) => Threads::Own(pool),
        // The only thread of a pool is no faster than this one, which would wait for it.
        None if *IS_THERE && rayon::current_num_threads() > 1 => Threads::OfPool,
        None => Threads::This,
    }
}

/// The number of threads that share the work of a call.
pub(super) fn count() -> usize {
    match threads() {
        Threads::OfPool => rayon::current_num_threads().min(cores()),
        Threads::Own(pool) => pool.current_num_threads(),
        Threads::This => 1,
    }
}

/// Runs `run` for every item on these threads. Returns the results in the order of the items.
pub(super) fn map<T: Send, R: Send, E: Send>(
    items: Vec<T>,
    run: impl Fn(T) -> Result<R, E> + Sync + Send,
) -> Result<Vec<R>, E> {
    match threads() {
        Threads::OfPool => items.into_par_iter().map(run).collect(),
        Threads::Own(pool) => pool.install(|| items.into_par_iter().map(run).collect()),
        Threads::This => items.into_iter().map(run).collect(),
    }
}
