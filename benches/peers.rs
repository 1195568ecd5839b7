//! Every reduction compared with its peers, on one GPU in one run. `scripts/bench.sh` builds the peers and starts it.
//!
//! In reading order:
//!
//! 1. `cases`, the reductions, `shapes`, those with several results, and `goals`;
//! 2. `run`, the contestants of a cell, round after round;
//! 3. `clock`, stream and graph timing, with `ours`, `groups`, `cub`, `torch` and `read`;
//! 4. `table`, the results, written by `markdown` and `plot`, and `shape_table` and `shape_plot`; `chart` draws.

#[path = "peers/cases.rs"]
mod cases;
#[path = "peers/chart.rs"]
mod chart;
#[path = "peers/clock.rs"]
mod clock;
#[path = "peers/cub.rs"]
mod cub;
#[path = "peers/goals.rs"]
mod goals;
#[path = "peers/gpu.rs"]
mod gpu;
#[path = "peers/groups.rs"]
mod groups;
#[path = "peers/lines.rs"]
mod lines;
#[path = "peers/machine.rs"]
mod machine;
#[path = "peers/markdown.rs"]
mod markdown;
#[path = "peers/options.rs"]
mod options;
#[path = "peers/ours.rs"]
mod ours;
#[path = "peers/outputs.rs"]
mod outputs;
#[path = "peers/plot.rs"]
mod plot;
#[path = "peers/pool.rs"]
mod pool;
#[path = "peers/read.rs"]
mod read;
#[path = "peers/run.rs"]
mod run;
#[path = "peers/shape_plot.rs"]
mod shape_plot;
#[path = "peers/shape_table.rs"]
mod shape_table;
#[path = "peers/shapes.rs"]
mod shapes;
#[path = "peers/slots.rs"]
mod slots;
#[path = "peers/stats.rs"]
mod stats;
#[path = "peers/table.rs"]
mod table;
#[path = "peers/torch.rs"]
mod torch;
#[path = "peers/warm.rs"]
mod warm;

use clap::Parser;
use clock::Clock;
use cub::Cub;
use gpu::Gpu;
use options::Options;
use ours::Reducers;
use pool::Pool;
use run::{Cell, Runner};
use std::cell::RefCell;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Instant;
use table::{Check, Mode, Row, Table};
use torch::Torch;

/// An error here is only a text: it ends on the terminal or in the table.
pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let options = Options::parse();
    let done = match &options.render {
        Some(path) => render(path, &options),
        None => measure(&options),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the tables of docs/speed.md from a run, and writes table.md and the plots again.
fn render(path: &Path, options: &Options) -> Outcome<ExitCode> {
    let table = serde_json::from_str(&fs::read_to_string(path)?)?;
    write_pages(options, &table)?;
    print!("{}", markdown::short(&table));
    Ok(ExitCode::SUCCESS)
}

/// Measures and writes the results. A wrong result is a failure; a missed goal is not.
fn measure(options: &Options) -> Outcome<ExitCode> {
    let cells = options.cells()?;
    let mut missing = Vec::new();
    let mut torch = noted(&mut missing, "PyTorch", options.torch()).flatten();
    let gpu = Gpu::open()?;
    let cub = options.cub.as_deref().map_or(Err("it was not built".into()), Cub::load);
    let cub = noted(&mut missing, "CUB", cub);
    let ready = torch.as_mut().map(|torch| torch.greet().and_then(|()| warm::compile(options, &cells)));
    if ready.is_some_and(|ready| noted(&mut missing, "PyTorch", ready).is_none()) {
        torch = None;
    }
    let pool = Pool::new(&gpu, options.pool(&gpu)?)?;
    let shares = share(&gpu, &pool, torch.as_mut(), &mut missing);
    let machine = machine::describe(&gpu, cub.as_ref(), torch.as_ref(), options)?;
    let mut runner = Runner {
        clock: Rc::new(Clock::new(gpu)?),
        reducers: Reducers::default(),
        pool,
        cub,
        torch: torch.map(|torch| Rc::new(RefCell::new(torch))),
        torch_shares: shares,
        torch_compiles: !options.no_compile,
        rounds: options.rounds(),
        longest: options.longest(),
        rows: Vec::new(),
        missing,
    };
    run(&mut runner, &cells);
    write(options, &Table { machine, rows: runner.rows, missing: runner.missing })
}

/// Returns a value, or records in the table why it is missing.
fn noted<T>(missing: &mut Vec<String>, who: &str, found: Outcome<T>) -> Option<T> {
    found.map_err(|error| missing.push(format!("{who}: {error}"))).ok()
}

/// Lets PyTorch open the elements. Records in the table if it cannot.
fn share(gpu: &Gpu, pool: &Pool, torch: Option<&mut Torch>, missing: &mut Vec<String>) -> bool {
    let Some(torch) = torch else { return false };
    let reason = match gpu.handle(pool.base).and_then(|handle| torch.open(&handle, pool.bytes)) {
        Ok(None) => return true,
        Ok(Some(reason)) => reason,
        Err(error) => error.to_string(),
    };
    missing.push(format!("PyTorch measures on elements of its own, its results are not compared: {reason}"));
    false
}

fn run(runner: &mut Runner, cells: &[Cell]) {
    let start = Instant::now();
    for (place, &cell) in cells.iter().enumerate() {
        eprintln!("{}/{}  {} s  {}", place + 1, cells.len(), start.elapsed().as_secs(), cell.name());
        if let Err(error) = runner.cell(cell) {
            runner.missing.push(format!("{}: {error}", cell.name()));
        }
    }
}

fn write(options: &Options, table: &Table) -> Outcome<ExitCode> {
    write_pages(options, table)?;
    fs::write(options.results.join("table.json"), serde_json::to_string_pretty(table)?)?;
    print!("{}{}", markdown::short(table), markdown::summary(table));
    let wrong = table.rows.iter().any(|row| matches!(row.check, Check::Wrong(_)));
    Ok(if wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Writes the files for readers.
fn write_pages(options: &Options, table: &Table) -> Outcome<()> {
    fs::create_dir_all(&options.results)?;
    fs::write(options.results.join("table.md"), markdown::full(table))?;
    let has_shapes = table.rows.iter().any(Row::is_shape);
    if has_shapes {
        fs::write(options.results.join("shapes.svg"), shape_plot::fractions(table))?;
    }
    if !has_shapes || !table.rows.iter().all(Row::is_shape) {
        for mode in Mode::ALL {
            fs::write(options.results.join(format!("ratios-{mode}.svg")), plot::ratios(table, mode))?;
        }
    }
    Ok(())
}
