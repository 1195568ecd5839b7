//! `reducegen ladder`: counts every rung, checks its result and, on a GPU, times it.

mod climb;
mod lines;
mod page;
mod tables;

use crate::args::Ladder;
use crate::counted::lengths;
use crate::failure::Failure;
use crate::timed::Clock;
use crate::{devices, html, json, output};
use climb::{Climb, Row};
use reduce_dsl::ladder::RUNGS;

/// Runs all rungs and prints their figures.
pub(crate) fn ladder(args: &Ladder) -> Result<(), Failure> {
    if args.shape.is_some() {
        return Err(Failure::request("the ladder reduces one row of elements; give their number with `--n`"));
    }
    if let Err(error) = RUNGS[0].spec(args.op, args.ty, 1, args.block) {
        return Err(Failure::request(error.to_string()));
    }
    if args.html {
        html::check_output(args.output.as_deref())?;
    }
    let device = devices::open_to_time(args.device)?;
    let [n, counts_n] = lengths(args.n.or(args.html.then_some(page::DEFAULT)), &device);
    let clock = Clock::of(&device);
    let mut climb = Climb { op: args.op, ty: args.ty, block: args.block, n, counts_n, clock };
    let rows = RUNGS.iter().map(|rung| climb.row(rung)).collect::<Result<Vec<_>, _>>()?;
    if args.html {
        html::write(args.output.as_deref(), &page::document(&climb, &device.description(), &rows)?)?;
        return verdict(&rows);
    }
    let text = if args.json {
        let name = device.name();
        let lines = (0..rows.len()).map(|at| json::text(&lines::line(&climb, &name, &rows, at)));
        lines.map(|line| Ok(line? + "\n")).collect::<Result<String, Failure>>()?
    } else {
        tables::text(&climb, &device.description(), &rows)
    };
    output::write(None, text.as_bytes())?;
    verdict(&rows)
}

/// Fails if a rung gives a wrong result.
fn verdict(rows: &[Row]) -> Result<(), Failure> {
    let wrong = rows.iter().find_map(|row| row.outcome.as_ref().ok()?.wrong.clone());
    wrong.map_or(Ok(()), |wrong| Err(Failure::Wrong(wrong)))
}
