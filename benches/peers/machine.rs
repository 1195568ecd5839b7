//! The machine, and the versions of the contestants.

use super::Outcome;
use super::cub::Cub;
use super::gpu::Gpu;
use super::options::Options;
use super::table::Machine;
use super::torch::Torch;
use reducegen::Nvrtc;
use std::process::Command;

pub(crate) fn describe(
    gpu: &Gpu,
    cub: Option<&Cub>,
    torch: Option<&Torch>,
    options: &Options,
) -> Outcome<Machine> {
    let mut versions =
        vec![("reducegen".to_owned(), env!("CARGO_PKG_VERSION").to_owned()), ("NVRTC".to_owned(), nvrtc()?)];
    if let Some(cub) = cub {
        versions.extend(cub.versions()?);
    }
    versions.extend(torch.map(|torch| ("PyTorch".to_owned(), torch.version.clone())));
    Ok(Machine {
        gpu: gpu.device.description(),
        driver: driver().unwrap_or_else(|| "unknown".to_owned()),
        versions,
        method: method(options),
    })
}

/// Returns the file name of the library, which ends in its version.
fn nvrtc() -> Outcome<String> {
    let name = Nvrtc::get()?.path().file_name();
    Ok(name.map_or(String::new(), |name| name.to_string_lossy().into_owned()))
}

/// Returns the version of the driver.
fn driver() -> Option<String> {
    let arguments = ["--query-gpu=driver_version", "--format=csv,noheader", "--id=0"];
    let output = Command::new("nvidia-smi").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.lines().next()?.trim().to_owned())
}

fn method(options: &Options) -> Vec<String> {
    let (rounds, longest) = (options.rounds(), options.longest().as_secs());
    vec![
        "Inputs rotate over several GiB, and four times the L2 cache is read before each sample.".to_owned(),
        "A sample is up to 500 calls in a row between two events: back to back on a stream, with what the host does \
         for each, or captured in one graph."
            .to_owned(),
        format!("Contestants alternate for {rounds} rounds; numbers are medians, and ratios those of one round."),
        format!(
            "Where a ratio is nearer to its goal than twice its standard error, there are more rounds, for up to {longest} s."
        ),
        "Results are compared: ours with the bits of the host backend, the others with ours.".to_owned(),
    ]
}
