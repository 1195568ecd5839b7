//! The threads of rayon, where there are some: a machine may have none to give.
//!
//! Threads of rayon that have nothing to do look into the queues of all others before they sleep, again and again: of
//! many more threads than cores this takes seconds. So no more are used than there are cores, whatever
//! `RAYON_NUM_THREADS` says.

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::error::Error;
use std::sync::LazyLock;
use std::thread::available_parallelism;

/// Can the pool be used that calls outside any pool go to? It is made by whoever asks first, and only once.
static IS_THERE: LazyLock<bool> = LazyLock::new(|| match ThreadPoolBuilder::new().build_global() {
    Ok(()) => true,
    // An error of the system has a source; that it was made before has none.
    Err(error) => error.source().is_none(),
});

/// What takes the place of that pool, where that has, or would have, more threads than there are cores.
static OWN: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    let is_larger = asked().is_some_and(|threads| threads > cores())
        || *IS_THERE && rayon::current_num_threads() > cores();
    is_larger.then(|| ThreadPoolBuilder::new().num_threads(cores()).build().ok()).flatten()
});

/// Threads that can run at once.
fn cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// What rayon reads when it makes its pool.
fn asked() -> Option<usize> {
    std::env::var("RAYON_NUM_THREADS").ok()?.parse().ok()
}

/// The threads that share the work of a call.
enum Threads {
    /// Those of the pool that this one is in, or of the global one.
    OfPool,
    Own(&'static ThreadPool),
    This,
}

fn threads() -> Threads {
    // Neither pool is made where there is one already.
    if rayon::current_thread_index().is_some() {
        return Threads::OfPool;
    }
    match &*OWN {
        Some(pool) => Threads::Own(pool),
        None if *IS_THERE => Threads::OfPool,
        None => Threads::This,
    }
}

/// How many of them are of use.
pub(super) fn count() -> usize {
    match threads() {
        Threads::OfPool => rayon::current_num_threads().min(cores()),
        Threads::Own(pool) => pool.current_num_threads(),
        Threads::This => 1,
    }
}

/// What `run` gives for each item, in their order, on all of them.
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
