//! The threads of rayon, where there are some: a machine may have none to give.

use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use std::error::Error;
use std::sync::LazyLock;

/// Can the pool be used that calls outside any pool go to? It is made by whoever asks first, and only once.
static IS_THERE: LazyLock<bool> = LazyLock::new(|| match ThreadPoolBuilder::new().build_global() {
    Ok(()) => true,
    // An error of the system has a source; that it was made before has none.
    Err(error) => error.source().is_none(),
});

/// Is this a thread of a pool, or can one be used?
fn are_there() -> bool {
    rayon::current_thread_index().is_some() || *IS_THERE
}

/// How many threads share the work of a call.
pub(super) fn count() -> usize {
    if are_there() { rayon::current_num_threads() } else { 1 }
}

/// What `run` gives for each item, in their order, on all of them, or else on this one.
pub(super) fn map<T: Send, R: Send, E: Send>(
    items: Vec<T>,
    run: impl Fn(T) -> Result<R, E> + Sync + Send,
) -> Result<Vec<R>, E> {
    match are_there() {
        true => items.into_par_iter().map(run).collect(),
        false => items.into_iter().map(run).collect(),
    }
}
