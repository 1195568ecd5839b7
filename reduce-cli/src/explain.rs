//! `reducegen explain`: the effect of each pass of a reduction.

use crate::args::Explain;
use crate::counted::{Counted, lengths, limit};
use crate::failure::Failure;
use crate::report::microseconds;
use crate::source::Source;
use crate::table::{Column, Side, Table};
use crate::timed::{Clock, Time};
use crate::{counts, devices, json, output, timed};
use reduce_codegen::{Stage, Tuning};
use reduce_ir::Spec;
use reduce_runtime::{Architecture, Error};
use serde::Serialize;

/// A program after some of the passes, and its cost.
struct Explained {
    name: String,
    counted: Counted,
    time: Option<Time>,
}

/// The time of a read of all elements, and the source of that figure.
struct Read {
    bytes: u64,
    us: f64,
    known: SpeedSource,
}

/// The source of a read speed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SpeedSource {
    /// The speed was measured on this GPU.
    Measured,
    /// The user gave the speed.
    Given,
    /// The speed was measured on an H200.
    Typical,
}

/// The read speed measured on an H200, in GB/s.
const H200_GB_PER_S: f64 = 4600.0;

/// Prints the cost of every stage.
pub(crate) fn explain(args: &Explain) -> Result<(), Failure> {
    let source = Source::read(&args.spec)?;
    let parsed = source.parse(None)?;
    let failed = |error: Error| source.explain(&parsed, error);
    let device = devices::open_to_time(args.device)?;
    let [n, counts_n] = lengths(args.n, &device);
    let tuning = device.architecture().map_or(Tuning::DEFAULT, Architecture::tuning);
    let stages = reduce_codegen::stages_for(&parsed.spec, tuning, n);
    let stages = stages.map_err(|error| failed(error.into()))?;
    let mut clock = Clock::of(&device);
    let explained = stages.iter().map(|stage| explained(stage, [n, counts_n], &mut clock));
    let explained = explained.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let read = read(n, &parsed.spec, args.gb_per_s, &mut clock)?;
    if let Some(wrong) = explained.iter().find_map(|it| it.counted.wrong.as_ref()) {
        return Err(Failure::Wrong(wrong.clone()));
    }
    let lengths = [n, counts_n];
    let text = if args.json { lines(&explained, lengths, &read)? } else { text(&explained, lengths, &read) };
    output::write(None, text.as_bytes())
}

fn explained(stage: &Stage, [n, counts_n]: [u64; 2], clock: &mut Option<Clock>) -> Result<Explained, Error> {
    let counted = Counted::of(&stage.program, counts_n)?;
    let timed = clock.as_mut().map(|clock| clock.time(&stage.program, n)).transpose()?;
    let (time, wrong) = timed.unzip();
    let wrong = counted.wrong.clone().or(wrong.flatten());
    Ok(Explained { name: stage.name(), counted: Counted { wrong, ..counted }, time })
}

fn read(n: u64, spec: &Spec, given: Option<f64>, clock: &mut Option<Clock>) -> Result<Read, Error> {
    let bytes = n * spec.operation.element_size() as u64;
    let at = |gb_per_s| bytes as f64 / (gb_per_s * 1e3);
    let (us, known) = match (clock, given) {
        (Some(clock), _) => (microseconds(clock.read(bytes)?), SpeedSource::Measured),
        (None, Some(given)) => (at(given), SpeedSource::Given),
        (None, None) => (at(H200_GB_PER_S), SpeedSource::Typical),
    };
    Ok(Read { bytes, us, known })
}

fn text(stages: &[Explained], lengths: [u64; 2], read: &Read) -> String {
    let mut text = format!("{}\nn = {}; = as in the stage before\n", table(stages), lengths[0]);
    text += &format!("{}{}\n", limit(lengths), counts::LEGEND);
    if stages.iter().any(|stage| stage.time.is_some()) {
        text += &format!("\n{}\n{}\n", times(stages), timed::LEGEND);
    }
    let Read { bytes, us, known } = *read;
    let gb_per_s = bytes as f64 / (us * 1e3);
    let (takes, at) = match known {
        SpeedSource::Measured => ("takes", format!("{gb_per_s:.0} GB/s, measured here")),
        SpeedSource::Given => ("takes at least", format!("the given {gb_per_s:.0} GB/s")),
        SpeedSource::Typical => ("takes at least", format!("{gb_per_s:.0} GB/s, measured on an H200")),
    };
    text + &format!("a read of {bytes} bytes, all elements, {takes} {us:.3} us at {at}\n")
}

const AFTER: Column = Column { heading: "after", side: Side::Left };

fn table(stages: &[Explained]) -> Table {
    let shown: Vec<_> = counts::LOOPS.into_iter().chain(counts::KERNELS).collect();
    let mut table = Table::new([AFTER].into_iter().chain(counts::columns(&shown)).collect());
    let mut before: Vec<String> = Vec::new();
    for stage in stages {
        let cells: Vec<_> = counts::cells(&shown, Some(&stage.counted)).collect();
        let changed = cells.iter().enumerate().map(|(at, cell)| match before.get(at) {
            Some(old) if old == cell => "=".to_owned(),
            _ => cell.clone(),
        });
        table.push([stage.name.clone()].into_iter().chain(changed).collect());
        before = cells;
    }
    table.without(&["0", "=", "", "-"])
}

fn times(stages: &[Explained]) -> Table {
    let mut table = Table::new([AFTER].into_iter().chain(timed::columns()).collect());
    for stage in stages {
        let cells = timed::cells(stage.time.as_ref());
        table.push([stage.name.clone()].into_iter().chain(cells).collect());
    }
    table
}

/// A stage as JSON.
#[derive(Serialize)]
struct Line<'a> {
    after: &'a str,
    n: u64,
    counts_n: u64,
    #[serde(flatten)]
    counts: counts::Scopes,
    time: Option<timed::Line>,
    read_us: f64,
    read_measured: bool,
}

fn lines(stages: &[Explained], [n, counts_n]: [u64; 2], read: &Read) -> Result<String, Failure> {
    let line = |stage: &Explained| {
        json::text(&Line {
            after: &stage.name,
            n,
            counts_n,
            counts: counts::Scopes::of(Some(&stage.counted)),
            time: stage.time.as_ref().map(Into::into),
            read_us: read.us,
            read_measured: read.known == SpeedSource::Measured,
        })
    };
    stages.iter().map(|stage| Ok(line(stage)? + "\n")).collect()
}
