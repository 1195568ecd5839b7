//! Objects that hold memory, kept for the next call.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// As many copies of an object as were ever in use at once. Threads may share the pool.
#[derive(Debug)]
pub(super) struct Pool<T> {
    new: T,
    idle: Mutex<Vec<T>>,
}

impl<T: Clone> Pool<T> {
    /// A pool of copies of `new`.
    pub(super) fn of(new: T) -> Pool<T> {
        Pool { new, idle: Mutex::default() }
    }

    /// Calls `f` with a copy that no other thread uses.
    pub(super) fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        let idle = self.idle().pop();
        let mut one = idle.unwrap_or_else(|| self.new.clone());
        let result = f(&mut one);
        self.idle().push(one);
        result
    }

    fn idle(&self) -> MutexGuard<'_, Vec<T>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
