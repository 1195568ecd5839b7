//! Where reductions can run on this machine: `reducegen devices`, and what `--device` names.

use crate::args::Place;
use crate::failure::Failure;
use crate::output;
use reduce_runtime::{Device, Error, Listing};

/// Prints one line a device: its name, and what it is or why it cannot be used; then where compiled kernels are kept.
pub(crate) fn devices() -> Result<(), Failure> {
    let lines = reduce_runtime::devices().iter().map(line).chain(cache()).collect::<String>();
    output::write(None, lines.as_bytes())
}

#[cfg(feature = "cuda")]
fn cache() -> Option<String> {
    Some(format!("{:<8}{}\n", "cache", reduce_runtime::Cache::of_environment()))
}

#[cfg(not(feature = "cuda"))]
fn cache() -> Option<String> {
    None
}

/// The device, and why it is not a GPU where one would have been taken.
pub(crate) fn open(place: Place) -> Result<(Device, Option<Error>), Failure> {
    match place {
        Place::Host => Ok((Device::host(), None)),
        Place::Cuda(ordinal) => Ok((Device::cuda(ordinal)?, None)),
        Place::Auto => match Device::cuda(0) {
            Ok(device) => Ok((device, None)),
            Err(error) => Ok((Device::host(), Some(error))),
        },
    }
}

/// The device to take times on, with a word where that is none.
pub(crate) fn open_to_time(place: Place) -> Result<Device, Failure> {
    let (device, why_no_gpu) = open(place)?;
    why_no_gpu
        .into_iter()
        .for_each(|error| output::note(format!("no times: {error}; `--device host` hides this line")));
    Ok(device)
}

fn line(Listing { name, device }: &Listing) -> String {
    match device {
        Ok(device) => format!("{name:<8}{}\n", device.description()),
        Err(error) => format!("{name:<8}not usable: {error}\n"),
    }
}
