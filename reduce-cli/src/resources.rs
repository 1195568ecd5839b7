//! The resources of kernels, as NVRTC reports them, and the blocks that a multiprocessor holds at once.

use reduce_ir::program::{Program, Reads};
use reduce_report::{Document, Kernels, Resources};
use reduce_runtime::{Architecture, Error, Nvrtc, Resources as Reported, Target};

/// The architecture without a GPU.
const DEFAULT: Architecture = Architecture::from_number(90);
/// The registers of a multiprocessor, and those that a warp gets at once (CUDA C++ Programming Guide, technical specifications).
const REGISTERS: u32 = 65_536;
const REGISTERS_AT_ONCE: u32 = 256;
/// The bytes of shared memory that a block takes besides its own, from sm_80 on.
const RESERVED: u32 = 1024;
const WARP: u32 = 32;

/// The limits of a multiprocessor: threads, blocks, and bytes of shared memory.
struct Limits {
    threads: u32,
    blocks: u32,
    shared: u32,
}

/// Compiles a program and returns the resources of each kernel that it launches.
pub(crate) fn of(program: &Program, architecture: Option<Architecture>) -> Result<Vec<Resources>, Error> {
    let oldest = Architecture::from_number(program.capability());
    let architecture = architecture.unwrap_or(DEFAULT.max(oldest));
    let image = Nvrtc::get()?.compile_program(program, Target::Cubin(architecture))?;
    let threads = |it: &Reported| {
        let is_first = program.kernel(Reads::Inputs).name == it.kernel;
        program.threads(if is_first { Reads::Inputs } else { Reads::Partials })
    };
    Ok(image.resources.iter().map(|it| view(threads(it), architecture, it)).collect())
}

/// Adds the resources of kernels that no passes make to a document, or the reason why there are none.
pub(crate) fn add_of_kernels(
    document: &mut Document,
    kernels: Kernels<'_>,
    architecture: Option<Architecture>,
) {
    let found = document.stages.last().map(|stage| of_kernels(stage.cuda(), kernels, architecture));
    match found.unwrap_or_else(|| Ok(Vec::new())) {
        Ok(found) => document.resources = found,
        Err(error) => document.missing = Some(missing(&error)),
    }
}

/// Returns the sentence that says why there are no resources.
pub(crate) fn missing(error: &Error) -> String {
    format!("The registers and the occupancy are missing: {error}")
}

fn of_kernels(
    cuda: &str,
    kernels: Kernels<'_>,
    architecture: Option<Architecture>,
) -> Result<Vec<Resources>, Error> {
    let oldest = Architecture::from_number(kernels.capability());
    let architecture = architecture.unwrap_or(DEFAULT.max(oldest));
    let image = Nvrtc::get()?.compile(cuda, Target::Cubin(architecture))?;
    let threads = kernels.threads()?;
    let of =
        |it: &Reported| threads.iter().find(|(name, _)| *name == it.kernel).map_or(WARP, |found| found.1);
    let with_asked =
        |it: &Reported| Reported { shared: it.shared + kernels.asked_shared_bytes(&it.kernel), ..it.clone() };
    Ok(image.resources.iter().map(|it| view(of(it), architecture, &with_asked(it))).collect())
}

fn view(threads: u32, architecture: Architecture, it: &Reported) -> Resources {
    let limits = Limits::of(architecture);
    let blocks = limits.blocks(threads, it.registers, it.shared);
    Resources {
        kernel: it.kernel.clone(),
        architecture: architecture.to_string(),
        threads,
        registers: it.registers,
        shared: it.shared,
        local: it.spill_stores + it.spill_loads,
        blocks,
        occupancy: f64::from(blocks * threads) / f64::from(limits.threads),
    }
}

impl Limits {
    /// Returns the limits of an architecture (CUDA C++ Programming Guide, technical specifications).
    fn of(architecture: Architecture) -> Limits {
        let (threads, blocks, kib) = match architecture.number() {
            ..80 => (1024, 16, 64),
            80 => (2048, 32, 164),
            81..=86 => (1536, 16, 100),
            87 => (1536, 16, 164),
            88..90 => (1536, 24, 100),
            90..110 => (2048, 32, 228),
            110..120 => (1536, 24, 228),
            120.. => (1536, 24, 100),
        };
        Limits { threads, blocks, shared: kib << 10 }
    }

    /// Returns the number of blocks that fit at once.
    fn blocks(&self, threads: u32, registers: u32, shared: u32) -> u32 {
        let warps = threads.div_ceil(WARP).max(1);
        let of_warp = (registers * WARP).next_multiple_of(REGISTERS_AT_ONCE).max(REGISTERS_AT_ONCE);
        let by_registers = REGISTERS / of_warp / warps;
        let by_shared = self.shared / (shared + RESERVED);
        self.blocks.min(self.threads / (warps * WARP)).min(by_registers).min(by_shared)
    }
}

#[cfg(test)]
mod tests {
    use super::Limits;
    use reduce_runtime::Architecture;

    #[test]
    fn the_scarcest_resource_limits_the_blocks() {
        let limits = Limits::of(Architecture::from_number(90));
        assert_eq!(limits.blocks(256, 32, 1024), 8, "threads");
        assert_eq!(limits.blocks(32, 16, 0), 32, "blocks");
        assert_eq!(limits.blocks(256, 64, 1024), 4, "registers");
        assert_eq!(limits.blocks(128, 16, 100 << 10), 2, "shared memory");
        assert_eq!(limits.blocks(1024, 255, 0), 0, "no block fits");
    }
}
