//! The command line, and its description for the table.

use super::Outcome;
use super::cases::{CASES, Case};
use super::gpu::Gpu;
use super::run::Cell;
use super::shapes::SHAPES;
use super::torch::Torch;
use regex::Regex;
use std::path::PathBuf;
use std::time::Duration;

/// Measures every reduction and its peers on the GPU of this machine.
#[derive(clap::Parser)]
pub(crate) struct Options {
    /// A few sizes and fewer rounds
    #[arg(long)]
    quick: bool,
    /// Shapes, such as rows and columns, instead of reductions with one result
    #[arg(long)]
    pub(crate) shapes: bool,
    /// Only cells whose name matches, such as `sum f32, 2^28` or `rows of 4`
    #[arg(long, value_name = "REGEX")]
    only: Option<String>,
    /// Samples of each contestant and mode [default: 9, quick 5]
    #[arg(long)]
    rounds: Option<usize>,
    /// The Python that has PyTorch
    #[arg(long, default_value = "python3")]
    pub(crate) python: String,
    /// Without PyTorch
    #[arg(long)]
    no_torch: bool,
    /// Without torch.compile, which takes a second for each function and size
    #[arg(long)]
    pub(crate) no_compile: bool,
    /// The library of `scripts/bench.sh --build`
    #[arg(long, value_name = "PATH")]
    pub(crate) cub: Option<PathBuf>,
    /// The folder for table.json, table.md and the plots
    #[arg(long, value_name = "FOLDER", default_value = ".gpu/results")]
    pub(crate) results: PathBuf,
    /// Measures nothing: prints the tables of docs/speed.md from the table.json of a run, and writes table.md and the plots again
    #[arg(long, value_name = "TABLE")]
    pub(crate) render: Option<PathBuf>,
    /// The option that cargo passes to every benchmark
    #[arg(long, hide = true)]
    bench: bool,
}

/// Sizes of a quick run.
const QUICK: [u32; 5] = [12, 16, 20, 24, 28];
/// Bytes of elements: more than the largest case has.
const POOL: usize = (4 << 30) + (64 << 20);

impl Options {
    pub(crate) fn rounds(&self) -> usize {
        self.rounds.unwrap_or(if self.quick { 5 } else { 9 }).max(1)
    }

    /// Returns the maximum time of the rounds of a cell and mode.
    pub(crate) fn longest(&self) -> Duration {
        Duration::from_secs(if self.shapes { 1 } else { 3 })
    }

    /// Returns the cells to measure, in order.
    pub(crate) fn cells(&self) -> Outcome<Vec<Cell>> {
        let only = Regex::new(self.only.as_deref().unwrap_or(""))?;
        let of_case = |case: &'static Case| case.lengths().into_iter().map(move |n| Cell { case, n });
        let is_quick = |cell: &Cell| cell.case.sizes.len() <= 1 || QUICK.contains(&cell.n.ilog2());
        let cells = if self.shapes { SHAPES } else { CASES }.iter().flat_map(of_case);
        let cells: Vec<_> =
            cells.filter(|cell| (!self.quick || is_quick(cell)) && only.is_match(&cell.name())).collect();
        if cells.is_empty() { Err("no cell has such a name".into()) } else { Ok(cells) }
    }

    /// Starts the process of PyTorch, which initializes itself in parallel.
    pub(crate) fn torch(&self) -> Outcome<Option<Torch>> {
        if self.no_torch { Ok(None) } else { Torch::start(&self.python).map(Some) }
    }

    /// Returns the bytes of elements that this GPU holds, with room for the same number in each process of PyTorch.
    pub(crate) fn pool(&self, gpu: &Gpu) -> Outcome<usize> {
        let (free, _) = gpu.context.mem_get_info()?;
        Ok(POOL.min(free / 3) / 256 * 256)
    }
}
