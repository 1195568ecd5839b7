//! `reducegen devices`: where reductions can run on this machine.

use crate::cli::failure::Failure;
use crate::cli::output;
use reduce_runtime::Listing;

/// Prints one line a device: its name, and what it is or why it cannot be used.
pub(crate) fn devices() -> Result<(), Failure> {
    let lines: String = reduce_runtime::devices().iter().map(line).collect();
    output::write(None, lines.as_bytes())
}

fn line(Listing { name, device }: &Listing) -> String {
    match device {
        Ok(device) => format!("{name:<8}{}\n", device.description()),
        Err(error) => format!("{name:<8}not usable: {error}\n"),
    }
}
