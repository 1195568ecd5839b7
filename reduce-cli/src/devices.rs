//! The devices of this machine: `reducegen devices`, and the values of `--device`.

use crate::args::{self, DeviceName};
use crate::failure::Failure;
use crate::json;
use crate::output;
use reduce_ir::Spec;
use reduce_runtime::{Device, Error, Listing};

/// Prints a line for each device, with its name and description, or the reason why it cannot be used; then the
/// folder of compiled kernels.
pub(crate) fn devices(args: &args::Devices) -> Result<(), Failure> {
    let devices = reduce_runtime::devices();
    if args.json {
        let devices = devices.iter().map(entry).collect::<Vec<_>>();
        let line = json::text(&serde_json::json!({ "devices": devices, "cache": cache() }))?;
        return output::write(None, format!("{line}\n").as_bytes());
    }
    let cache = cache().map(|cache| format!("{:<8}{cache}\n", "cache"));
    output::write(None, devices.iter().map(line).chain(cache).collect::<String>().as_bytes())
}

fn entry(Listing { name, device, .. }: &Listing) -> serde_json::Value {
    match device {
        Ok(device) => {
            serde_json::json!({ "name": name, "usable": true, "description": device.description() })
        }
        Err(error) => serde_json::json!({ "name": name, "usable": false, "why": error.to_string() }),
    }
}

#[cfg(feature = "cuda")]
fn cache() -> Option<String> {
    Some(reduce_runtime::Cache::from_env().to_string())
}

#[cfg(not(feature = "cuda"))]
fn cache() -> Option<String> {
    None
}

/// The environment variables for the number of a rank on its machine: of Open MPI, MPICH and its relatives, and Slurm.
const LOCAL_RANK: [&str; 3] = ["OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"];

/// Returns the number of the GPU of this process: each rank of a machine has its own, as long as there are enough. Without ranks it is 0.
pub(crate) fn own_gpu() -> usize {
    let rank = LOCAL_RANK.iter().find_map(|name| std::env::var(name).ok()?.parse::<usize>().ok());
    match rank.unwrap_or(0) {
        0 => 0,
        rank => rank % Device::cuda_all().map_or(1, |gpus| gpus.len().max(1)),
    }
}

/// Opens a device. For `auto` without a usable GPU, it is the host, with the reason.
pub(crate) fn open(place: DeviceName) -> Result<(Device, Option<Error>), Failure> {
    match place {
        DeviceName::Host => Ok((Device::host(), None)),
        DeviceName::Cuda(ordinal) => Ok((Device::cuda(ordinal)?, None)),
        DeviceName::Auto => match Device::cuda(own_gpu()) {
            Ok(device) => Ok((device, None)),
            Err(error) => Ok((Device::host(), Some(error))),
        },
    }
}

/// As [`open`]. For `auto`, it is the host unless a GPU is worth the copy of that many elements and bytes, as for the calls of the library.
pub(crate) fn open_for(
    place: DeviceName,
    spec: &Spec,
    [elements, bytes]: [u64; 2],
) -> Result<(Device, Option<Error>), Failure> {
    let is_worth = || Device::gpu_is_worth_a_copy(&spec.operation, elements as usize, bytes as usize);
    open(if place == DeviceName::Auto && !is_worth() { DeviceName::Host } else { place })
}

/// Opens the device to take times on, with a note if it is not a GPU.
pub(crate) fn open_to_time(place: DeviceName) -> Result<Device, Failure> {
    let (device, why_no_gpu) = open(place)?;
    why_no_gpu
        .into_iter()
        .for_each(|error| output::note(format!("no times: {error}; `--device host` hides this line")));
    Ok(device)
}

fn line(Listing { name, device, .. }: &Listing) -> String {
    match device {
        Ok(device) => format!("{name:<8}{}\n", device.description()),
        Err(error) => format!("{name:<8}not usable: {error}\n"),
    }
}
