//! `reducegen explain`: what each pass of a reduction buys.

use crate::cli::args::{Explain, MOST_COUNTED};
use crate::cli::counted::{Counted, lengths};
use crate::cli::failure::Failure;
use crate::cli::report::microseconds;
use crate::cli::source::Source;
use crate::cli::table::{Column, Side, Table};
use crate::cli::timed::{Clock, Time};
use crate::cli::{counts, devices, json, output, timed};
use reduce_codegen::Stage;
use reduce_dsl::Spec;
use reduce_dsl::spec::Passes;
use reduce_runtime::Error;
use serde::Serialize;

/// A program on its way, and what it costs.
struct Explained {
    name: String,
    counted: Counted,
    time: Option<Time>,
}

/// How long a read of all elements takes, and how that is known.
struct Read {
    n: u64,
    bytes: u64,
    us: f64,
    measured: bool,
}

/// Prints what every stage costs.
pub(crate) fn explain(args: &Explain) -> Result<(), Failure> {
    let source = Source::read(&args.spec)?;
    let parsed = source.parse(None)?;
    let failed = |error: Error| source.explain(&parsed, error);
    let stages = reduce_codegen::stages(&parsed.spec).map_err(|error| failed(error.into()))?;
    let device = devices::open_to_time(args.device)?;
    let [n, counts_n] = lengths(args.n, &device);
    let mut clock = Clock::of(&device);
    let explained = stages.iter().map(|stage| explained(stage, &parsed.spec, [n, counts_n], &mut clock));
    let explained = explained.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let read = read(n, &parsed.spec, args.gb_per_s, &mut clock)?;
    if let Some(wrong) = explained.iter().find_map(|it| it.counted.wrong.as_ref()) {
        return Err(Failure::Wrong(wrong.clone()));
    }
    let text =
        if args.json { lines(&explained, counts_n, &read)? } else { text(&explained, counts_n, &read) };
    output::write(None, text.as_bytes())
}

fn explained(
    stage: &Stage,
    spec: &Spec,
    [n, counts_n]: [u64; 2],
    clock: &mut Option<Clock>,
) -> Result<Explained, Error> {
    let counted = Counted::of(&stage.program, counts_n)?;
    let (block, passes) = (Some(stage.program.block), Passes::List(stage.program.passes.clone()));
    let spec = Spec { block, passes, ..spec.clone() };
    let timed = clock.as_mut().map(|clock| clock.time(&spec, n)).transpose()?;
    let (time, wrong) = timed.unzip();
    let wrong = counted.wrong.clone().or(wrong.flatten());
    Ok(Explained { name: stage.name(), counted: Counted { wrong, ..counted }, time })
}

fn read(n: u64, spec: &Spec, gb_per_s: f64, clock: &mut Option<Clock>) -> Result<Read, Error> {
    let bytes = n * spec.operation.element_size() as u64;
    let measured = clock.is_some();
    let us = match clock {
        Some(clock) => microseconds(clock.read(bytes)?),
        None => bytes as f64 / (gb_per_s * 1e3),
    };
    Ok(Read { n, bytes, us, measured })
}

fn text(stages: &[Explained], counts_n: u64, read: &Read) -> String {
    let Read { n, bytes, us, measured } = *read;
    let (gb_per_s, how) =
        (bytes as f64 / (us * 1e3), if measured { "measured here" } else { "measured on an H200, or given" });
    let most = if counts_n < n {
        format!(", since more than {MOST_COUNTED} are not counted")
    } else {
        String::new()
    };
    format!(
        "{}\nn = {counts_n}{most}; = as the stage before\n{}\n\
         a read of {bytes} bytes, those of n = {n}, takes {us:.3} us at {gb_per_s:.0} GB/s, {how}\n",
        table(stages),
        counts::LEGEND
    )
}

fn table(stages: &[Explained]) -> Table {
    let first = Column { heading: "after", side: Side::Left };
    let times = ["us", "of read"].map(|heading| Column { heading, side: Side::Right });
    let mut table = Table::new([first].into_iter().chain(counts::columns()).chain(times).collect());
    let mut before: Vec<String> = Vec::new();
    for stage in stages {
        let cells: Vec<_> = counts::cells(&stage.counted).collect();
        let changed = cells.iter().enumerate().map(|(at, cell)| match before.get(at) {
            Some(old) if old == cell => "=".to_owned(),
            _ => cell.clone(),
        });
        let us = stage.time.map_or(String::new(), |time| format!("{:.1}", microseconds(time.plan)));
        let share = stage.time.map_or(String::new(), |time| counts::percent(Some(time.share_of_read())));
        table.push([stage.name.clone()].into_iter().chain(changed).chain([us, share]).collect());
        before = cells;
    }
    table.without(&["0", "=", "", "-"])
}

/// A stage as JSON.
#[derive(Serialize)]
struct Line<'a> {
    after: &'a str,
    n: u64,
    counts_n: u64,
    launches: usize,
    #[serde(rename = "loop")]
    tree: counts::Line,
    kernel: counts::Line,
    copy: Option<counts::Line>,
    time: Option<timed::Line>,
    read_us: f64,
    read_measured: bool,
}

fn lines(stages: &[Explained], counts_n: u64, read: &Read) -> Result<String, Failure> {
    let line = |stage: &Explained| {
        json::text(&Line {
            after: &stage.name,
            n: read.n,
            counts_n,
            launches: stage.counted.launches,
            tree: (&stage.counted.tree).into(),
            kernel: (&stage.counted.kernel).into(),
            copy: stage.counted.copy.as_ref().map(Into::into),
            time: stage.time.as_ref().map(Into::into),
            read_us: read.us,
            read_measured: read.measured,
        })
    };
    stages.iter().map(|stage| Ok(line(stage)? + "\n")).collect()
}
