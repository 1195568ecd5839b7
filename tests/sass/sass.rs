//! Machine code, as nvdisasm prints it: loops and their loads.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The program `nvdisasm`.
pub(crate) struct Disassembler(PathBuf);

impl Disassembler {
    /// Finds the disassembler of the toolkit or wheels that contain a library, or the one on the PATH.
    pub(crate) fn for_library(library: &Path) -> Result<Disassembler, String> {
        let next_to_it = library.ancestors().skip(2).take(2).map(|root| root.join("bin/nvdisasm"));
        let mut all = next_to_it.chain([PathBuf::from("nvdisasm")]);
        let runs = |path: &PathBuf| Command::new(path).arg("--version").output().is_ok();
        let found = all.find(runs);
        found.map(Disassembler).ok_or_else(|| {
            format!("no nvdisasm next to {}; install the wheel nvidia-cuda-nvdisasm there", library.display())
        })
    }

    /// Returns the instructions of a cubin. `name` is the name of a temporary file.
    pub(crate) fn text(&self, name: &str, cubin: &[u8]) -> String {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.cubin"));
        std::fs::write(&file, cubin).unwrap();
        let output = Command::new(&self.0).arg("--print-code").arg(&file).output().unwrap();
        std::fs::remove_file(&file).unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

/// The instructions of one iteration of a loop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loop {
    pub(crate) instructions: usize,
    /// Instructions that load 16 bytes from global memory.
    pub(crate) loads: usize,
}

impl Loop {
    /// Finds the loop over elements: among the loops that load vectors, the one with the fewest instructions per load. An
    /// outer loop has more, and so has the loop for misaligned data.
    pub(crate) fn main(text: &str) -> Option<Loop> {
        let lines: Vec<_> = text.lines().map(str::trim).collect();
        let label = |name: &str| lines.iter().position(|line| line.strip_suffix(':') == Some(name));
        let branches = lines.iter().enumerate().filter_map(|(at, line)| Some((label(target(line)?)?, at)));
        let loops = branches.filter(|(from, at)| from < at).map(|(from, at)| Loop::of(&lines[from..=at]));
        loops.filter(|it| it.loads > 0).min_by(|a, b| {
            (a.instructions * b.loads).cmp(&(b.instructions * a.loads)).then(b.loads.cmp(&a.loads))
        })
    }

    fn of(lines: &[&str]) -> Loop {
        Loop {
            instructions: lines.iter().filter(|line| is_instruction(line)).count(),
            loads: lines.iter().filter(|line| is_load(line)).count(),
        }
    }
}

/// Counts the instructions that load 16 bytes from global memory.
pub(crate) fn loads(text: &str) -> usize {
    text.lines().filter(|line| is_load(line)).count()
}

/// Returns whether each kernel waits for the previous launch (`griddepcontrol.wait` in PTX) before it accesses global
/// memory.
pub(crate) fn wait_first(text: &str) -> Vec<bool> {
    let kernels = text.split(".section\t.text.").skip(1);
    kernels.map(waits_first).collect()
}

fn waits_first(text: &str) -> bool {
    let touches =
        |line: &&str| ["LDG", "STG", "ATOM", "RED", " LD.", " ST."].iter().any(|it| line.contains(it));
    let mut steps = text.lines().filter(|line| is_instruction(line));
    steps.find(|line| line.contains("ACQBULK") || touches(line)).is_some_and(|line| line.contains("ACQBULK"))
}

/// Returns the target of a branch: `.L_x_1` in ``@P0 BRA `(.L_x_1) ;``.
fn target(line: &str) -> Option<&str> {
    let (_, to) = line.split_once("BRA")?;
    let (_, name) = to.split_once("`(")?;
    name.split(')').next()
}

fn is_instruction(line: &str) -> bool {
    line.trim_start().starts_with("/*") && line.contains(';')
}

fn is_load(line: &str) -> bool {
    is_instruction(line) && line.contains("LDG.E") && line.contains(".128")
}
