//! What this process has compiled for each specification, so that a [`Reduction`](super::Reduction) is a plain value.

use crate::{Device, Error, Reducer};
use reduce_ir::Spec;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

/// The reducers of each specification, one for each device. The key is the address of the function that returns the specification: equal
/// functions may have one address, and return equal specifications.
static REDUCERS: LazyLock<RwLock<HashMap<usize, Vec<Arc<Reducer>>>>> = LazyLock::new(RwLock::default);

/// Returns the reducer of a specification for a device, and compiles it at the first call. It stays for the life of the process.
///
/// # Errors
/// See [`Reducer::new`].
pub(super) fn reducer(spec: fn() -> Result<Spec, Error>, device: &Device) -> Result<Arc<Reducer>, Error> {
    if let Some(found) = found(&REDUCERS.read().unwrap_or_else(PoisonError::into_inner), spec, device) {
        return Ok(found);
    }
    // Without the lock, because compiling for a GPU takes long. Another thread may do the same; the first one to finish counts.
    let made = Arc::new(Reducer::new(&spec()?, device)?);
    let mut all = REDUCERS.write().unwrap_or_else(PoisonError::into_inner);
    Ok(found(&all, spec, device).unwrap_or_else(|| {
        all.entry(address(spec)).or_default().push(made.clone());
        made
    }))
}

fn found(
    all: &HashMap<usize, Vec<Arc<Reducer>>>,
    spec: fn() -> Result<Spec, Error>,
    device: &Device,
) -> Option<Arc<Reducer>> {
    all.get(&address(spec))?.iter().find(|it| it.device().is_same(device)).cloned()
}

fn address(spec: fn() -> Result<Spec, Error>) -> usize {
    spec as *const () as usize
}
