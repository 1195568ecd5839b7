//! Compiled kernels, and what the assembler says each of them uses.

use crate::architecture::Target;

/// A compiled program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// What it was compiled for.
    pub target: Target,
    /// The cubin, or the text of the PTX.
    pub bytes: Vec<u8>,
    /// What the compiler said: warnings, and the lines of `--ptxas-options=-v`.
    pub log: String,
    /// What each kernel uses, in the order of the log. Empty for PTX, which is not assembled yet.
    pub resources: Vec<Resources>,
}

/// What a kernel uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// The kernel.
    pub kernel: String,
    /// Registers of a thread.
    pub registers: u32,
    /// Bytes of shared memory of a block.
    pub shared: u32,
    /// Bytes that a thread writes to local memory because registers ran out.
    pub spill_stores: u32,
    /// Bytes that a thread reads back.
    pub spill_loads: u32,
}

impl Resources {
    /// Reads them from the log of `--ptxas-options=-v`, or of `ptxas -v`.
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
