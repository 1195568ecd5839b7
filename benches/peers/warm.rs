//! torch.compile ahead of time, on all cores: processes that fill its cache on disk and end before the measurement.

use super::Outcome;
use super::options::Options;
use super::run::Cell;
use super::torch::Torch;
use serde_json::{Value as Json, json};
use std::thread;

/// The maximum number of processes at a time: each has a context on the GPU.
const PROCESSES: usize = 8;

/// Compiles every function for every size.
pub(crate) fn compile(options: &Options, cells: &[Cell]) -> Outcome<()> {
    let commands: Vec<Json> =
        cells.iter().filter(|cell| !cell.case.torch[1].is_empty()).map(command).collect();
    if options.no_compile || commands.is_empty() {
        return Ok(());
    }
    eprintln!("torch.compile of {} functions", commands.len());
    let processes = thread::available_parallelism()?.get().saturating_sub(1).clamp(1, PROCESSES);
    thread::scope(|scope| {
        for first in 0..processes.min(commands.len()) {
            let share: Vec<_> = commands.iter().skip(first).step_by(processes).collect();
            scope.spawn(move || warm(&options.python, &share));
        }
    });
    Ok(())
}

fn command(cell: &Cell) -> Json {
    json!({
        "do": "warm", "ty": cell.case.ty.name(), "shape": cell.lengths(), "inputs": cell.case.inputs(),
        "python": cell.case.torch[1],
    })
}

/// Ignores errors: a failure occurs again at the measurement, and is reported there.
fn warm(python: &str, commands: &[&Json]) {
    let Ok(mut torch) = Torch::start(python) else { return };
    if torch.greet().is_ok() {
        commands.iter().for_each(|command| drop(torch.lines.ask(command)));
    }
}
