//! Compiled kernels, and the resources that the assembler reports for each.

use crate::architecture::Target;

/// A compiled program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Image {
    /// The target that it was compiled for.
    pub target: Target,
    /// The cubin, or the text of the PTX.
    pub bytes: Vec<u8>,
    /// The log of the compiler: warnings, and the lines of `--ptxas-options=-v`.
    pub log: String,
    /// The resources of each kernel, in the order of the log. Empty for PTX, which is not assembled yet.
    pub resources: Vec<Resources>,
}

/// The resources of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// The name of the kernel.
    pub kernel: String,
    /// Registers per thread.
    pub registers: u32,
    /// Bytes of shared memory per block.
    pub shared: u32,
    /// Bytes of spill stores per thread: registers ran out, and values went to local memory.
    pub spill_stores: u32,
    /// Bytes of spill loads per thread.
    pub spill_loads: u32,
}

impl Resources {
    /// Parses the log of `--ptxas-options=-v`, or of `ptxas -v`.
    #[must_use]
    pub fn parse(log: &str) -> Vec<Resources> {
        let mut kernels: Vec<Resources> = Vec::new();
        for line in log.lines() {
            if let Some(kernel) = quoted_after(line, "Compiling entry function ") {
                kernels.push(Resources { kernel: kernel.to_owned(), ..Resources::default() });
            } else if let Some(kernel) = kernels.last_mut() {
                kernel.read(line);
            }
        }
        kernels
    }

    fn read(&mut self, line: &str) {
        let fields = [
            (&mut self.registers, " registers"),
            (&mut self.shared, " bytes smem"),
            (&mut self.spill_stores, " bytes spill stores"),
            (&mut self.spill_loads, " bytes spill loads"),
        ];
        for (field, unit) in fields {
            *field = number_before(line, unit).unwrap_or(*field);
        }
    }
}

fn quoted_after<'a>(line: &'a str, words: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(words)?;
    rest.strip_prefix('\'')?.split('\'').next()
}

fn number_before(line: &str, unit: &str) -> Option<u32> {
    let (before, _) = line.split_once(unit)?;
    before.rsplit(' ').next()?.parse().ok()
}
