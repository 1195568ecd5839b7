//! The device of calls that name none.

use crate::{Device, Error};
use reduce_ir::func::{Func, Node};
use reduce_ir::operation::Operation;
use reduce_ir::ops::Un;
use std::str::FromStr;
use std::sync::OnceLock;

/// The environment variable that names the device.
const VARIABLE: &str = "REDUCEGEN_DEVICE";

// Measured on an H100 with 16 cores of its host (docs/lab/2026-11-28-default-device.md), in nanoseconds.
/// A step of one element on one core.
const HOST_STEP: f64 = 0.4;
/// The steps of an exponential or a logarithm.
const LIBRARY: f64 = 12.0;
/// A byte that is copied from pageable memory to the GPU.
const COPY: f64 = 0.15;
/// A call on the GPU, without the copy.
const CALL: f64 = 50_000.0;

/// The name of a device, as the command and the environment variable `REDUCEGEN_DEVICE` take it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceName {
    /// `auto`: the first GPU if it is usable, otherwise the host.
    Auto,
    /// `host`: the processor.
    Host,
    /// `cuda:N`, or `cuda` for 0: the CUDA device of that number.
    Cuda(usize),
}

impl FromStr for DeviceName {
    type Err = Error;

    fn from_str(name: &str) -> Result<DeviceName, Error> {
        match name {
            "auto" => Ok(DeviceName::Auto),
            "host" => Ok(DeviceName::Host),
            "cuda" => Ok(DeviceName::Cuda(0)),
            _ => name
                .strip_prefix("cuda:")
                .and_then(|ordinal| ordinal.parse().ok())
                .map(DeviceName::Cuda)
                .ok_or_else(|| Error::NoSuchName(name.to_owned())),
        }
    }
}

impl Device {
    /// Returns the device that the environment variable `REDUCEGEN_DEVICE` names: `host`, `cuda`, `cuda:1`, or `auto`, as without the
    /// variable: the first GPU if it is usable, and the host otherwise. The variable is read once.
    ///
    /// Calls that name no device, such as [`Reduction::reduce`](crate::Reduction::reduce), use this device, with one difference for data in
    /// host memory: where the variable leaves the choice, they use the host unless a copy to the GPU is worth it: where the functions of
    /// the operation take longer on the cores than the copy.
    ///
    /// # Errors
    /// The variable names no device, or one that cannot be used.
    pub fn from_env() -> Result<Device, Error> {
        Ok(chosen()?.unwrap_or_else(automatic))
    }

    /// Returns whether a call on that many elements in host memory, which take that many bytes, is probably faster on a GPU than on the
    /// cores of this process: where the functions of the operation take longer than the copy. A host reads its memory faster than it
    /// copies to a GPU, so this is rare. It is the rule of calls that name no device, also of the command.
    #[must_use]
    pub fn gpu_is_worth_a_copy(operation: &Operation, elements: usize, bytes: usize) -> bool {
        is_worth_a_copy(operation, elements, bytes, rayon::current_num_threads())
    }
}

/// Returns the first usable GPU if a call with that number of elements in host memory, and of their bytes, is probably faster there.
pub(crate) fn worthwhile_gpu(operation: &Operation, elements: usize, bytes: usize) -> Option<Device> {
    let is_worth_it = Device::gpu_is_worth_a_copy(operation, elements, bytes);
    is_worth_it.then(automatic).filter(|device| !device.is_same(&Device::host()))
}

/// Returns the device that the environment names; `None` if it leaves the choice.
///
/// # Errors
/// As [`Device::from_env`].
pub(crate) fn chosen() -> Result<Option<Device>, Error> {
    static CHOSEN: OnceLock<Result<Option<Device>, Error>> = OnceLock::new();
    CHOSEN.get_or_init(|| named(std::env::var(VARIABLE).as_deref().unwrap_or("auto"))).clone()
}

fn automatic() -> Device {
    static AUTOMATIC: OnceLock<Device> = OnceLock::new();
    AUTOMATIC.get_or_init(Device::auto).clone()
}

fn named(name: &str) -> Result<Option<Device>, Error> {
    match name.parse()? {
        DeviceName::Auto => Ok(None),
        DeviceName::Host => Ok(Some(Device::host())),
        DeviceName::Cuda(ordinal) => Device::cuda(ordinal).map(Some),
    }
}

/// Returns whether a GPU is probably faster than the host, although the elements must be copied to it: where the functions of the operation
/// take long. A host reads its memory faster than it copies to a GPU.
fn is_worth_a_copy(operation: &Operation, elements: usize, bytes: usize, threads: usize) -> bool {
    let on_host = elements as f64 * steps(operation) * HOST_STEP / threads as f64;
    on_host > CALL + bytes as f64 * COPY
}

/// Returns the steps of an element in the functions of an operation.
fn steps(operation: &Operation) -> f64 {
    let of = |func: &Func| func.lines().iter().map(|line| step(&line.node)).sum::<f64>();
    of(&operation.map) + of(operation.fold.as_ref().unwrap_or(&operation.combine))
}

fn step(node: &Node) -> f64 {
    if matches!(node, Node::Un(Un::Exp | Un::Ln, _)) { LIBRARY } else { 1.0 }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::{is_worth_a_copy, named};

    #[test]
    fn names_of_devices() {
        assert!(named("auto").unwrap().is_none());
        assert_eq!(named("host").unwrap().unwrap().name(), "host");
        for wrong in ["", "gpu", "cuda:", "cuda:x", "Host"] {
            let error = named(wrong).unwrap_err();
            assert!(error.to_string().contains(&format!("`{wrong}`")) && error.is_usage_error(), "{error}");
        }
    }

    #[test]
    fn only_long_functions_on_few_cores_are_worth_a_copy() {
        let is_worth = |text: &str, elements: usize, size: usize, threads: usize| {
            let operation = reduce_dsl::parse::spec(text).unwrap().operation;
            is_worth_a_copy(&operation, elements, elements * size, threads)
        };
        let long = "ty: f64, map: |x| ((x * 0.5).exp() + 1.0).ln(), op: sum";
        assert!(
            is_worth(long, 1 << 24, 8, 2) && !is_worth(long, 1 << 24, 8, 16) && !is_worth(long, 1000, 8, 1)
        );
        assert!((0..64).all(|threads| !is_worth("op: sum, ty: f32", 1 << 28, 4, threads + 2)));
    }
}
