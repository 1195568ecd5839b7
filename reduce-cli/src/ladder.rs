//! `reducegen ladder`: counts every rung, checks its result and, on a GPU, times it.

mod climb;
mod lines;
mod tables;

use crate::args::Ladder;
use crate::counted::lengths;
use crate::failure::Failure;
use crate::timed::Clock;
use crate::{devices, json, output};
use climb::Climb;
use reduce_dsl::ladder::RUNGS;

/// Runs all rungs and prints their figures.
pub(crate) fn ladder(args: &Ladder) -> Result<(), Failure> {
    if args.shape.is_some() {
        return Err(Failure::request("the ladder reduces one row of elements; give their number with `--n`"));
    }
    if let Err(error) = RUNGS[0].spec(args.op, args.ty, 1, args.block) {
        return Err(Failure::request(error.to_string()));
    }
    let device = devices::open_to_time(args.device)?;
    let [n, counts_n] = lengths(args.n, &device);
    let clock = Clock::of(&device);
    let mut climb = Climb { op: args.op, ty: args.ty, block: args.block, n, counts_n, clock };
    let rows = RUNGS.iter().map(|rung| climb.row(rung)).collect::<Result<Vec<_>, _>>()?;
    let text = if args.json {
        let name = device.name();
        let lines = (0..rows.len()).map(|at| json::text(&lines::line(&climb, &name, &rows, at)));
        lines.map(|line| Ok(line? + "\n")).collect::<Result<String, Failure>>()?
    } else {
        tables::text(&climb, &device.description(), &rows)
    };
    output::write(None, text.as_bytes())?;
    let wrong = rows.iter().find_map(|row| row.outcome.as_ref().ok()?.wrong.clone());
    wrong.map_or(Ok(()), |wrong| Err(Failure::Wrong(wrong)))
}
