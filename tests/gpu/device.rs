//! The GPU that the tests share.

use crate::skip::needed;
use reduce_runtime::Device;
use std::ops::Deref;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The GPU, while a test uses it.
pub(crate) struct Gpu<Turn> {
    device: Device,
    _turn: Turn,
}

impl<Turn> Deref for Gpu<Turn> {
    type Target = Device;

    fn deref(&self) -> &Device {
        &self.device
    }
}

/// Held while a test uses the GPU, shared with other tests or exclusively.
static TURNS: RwLock<()> = RwLock::new(());

/// Returns the GPU, or `None` after printing why it is missing.
pub(crate) fn gpu(test: &str) -> Option<Gpu<RwLockReadGuard<'static, ()>>> {
    let device = open(test)?;
    Some(Gpu { device, _turn: TURNS.read().unwrap_or_else(PoisonError::into_inner) })
}

/// Returns the GPU for a test that measures or captures a stream: no other test runs meanwhile.
pub(crate) fn gpu_alone(test: &str) -> Option<Gpu<RwLockWriteGuard<'static, ()>>> {
    let device = open(test)?;
    Some(Gpu { device, _turn: TURNS.write().unwrap_or_else(PoisonError::into_inner) })
}

fn open(test: &str) -> Option<Device> {
    needed(test, "REDUCEGEN_REQUIRE_GPU", Device::cuda(0))
}
