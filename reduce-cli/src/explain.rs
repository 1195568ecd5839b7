//! `reducegen explain`: the effect of each pass of a reduction.

use crate::args::{Explain, MOST_COUNTED};
use crate::counted::{Counted, lengths, limit};
use crate::cut;
use crate::failure::Failure;
use crate::report::microseconds;
use crate::shape::Shaped;
use crate::source::Source;
use crate::table::{Column, Side, Table};
use crate::timed::{Clock, Time};
use crate::{counts, devices, json, output, timed};
use reduce_codegen::{Stage, Tuning};
use reduce_ir::Spec;
use reduce_report::counts::Scopes;
use reduce_runtime::{Architecture, Device, Error};
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

/// The elements to reduce.
struct Size {
    /// The numbers of reduced and of counted elements.
    n: u64,
    counts_n: u64,
    /// The groups, if there are axes.
    shaped: Option<Shaped>,
}

/// Prints the cost of every stage.
pub(crate) fn explain(args: &Explain) -> Result<(), Failure> {
    let source = Source::read(&args.spec)?;
    let parsed = source.parse(None)?;
    cut::check_kernels(&parsed.spec)?;
    let failed = |error: Error| source.explain(&parsed, error);
    let shaped = shaped(args, &parsed.spec)?;
    let device = devices::open_to_time(args.device)?;
    let size = Size::of(args.n, shaped, &device);
    let tuning = device.architecture().map_or(Tuning::DEFAULT, Architecture::tuning);
    let stages = stages(&parsed.spec, &size, tuning).map_err(|error| failed(error.into()))?;
    let mut clock = Clock::of(&device);
    let explained = stages.iter().map(|stage| explained(stage, &size, &mut clock));
    let explained = explained.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let read = read(bytes(&parsed.spec, &size), args.gb_per_s, &mut clock)?;
    if let Some(wrong) = explained.iter().find_map(|it| it.counted.wrong.as_ref()) {
        return Err(Failure::Wrong(wrong.clone()));
    }
    let text = if args.json { lines(&explained, &size, &read)? } else { text(&explained, &size, &read) };
    output::write(None, text.as_bytes())
}

impl Size {
    /// Returns the elements that the arguments ask for.
    fn of(n: Option<u64>, shaped: Option<Shaped>, device: &Device) -> Size {
        let [n, counts_n] = match &shaped {
            Some(shaped) => [shaped.extent().elements(); 2],
            None => lengths(n, device),
        };
        Size { n, counts_n, shaped }
    }
}

/// Returns the specification for the shapes that the arguments give.
fn shaped(args: &Explain, spec: &Spec) -> Result<Option<Shaped>, Failure> {
    let Some(shape) = &args.shape else {
        if spec.axes.is_some() {
            let message = "the kernels of axes depend on the shape; give one, as in `--shape 64x256`";
            return Err(Failure::request(message));
        }
        return Ok(None);
    };
    let shaped = Shaped::of_lengths(spec, shape, args.fortran)?;
    let n = shaped.extent().elements();
    if !(1..=MOST_COUNTED).contains(&n) {
        let message = format!("{n} elements cannot be counted; give a shape of 1 to {MOST_COUNTED} elements");
        return Err(Failure::request(message));
    }
    Ok(Some(shaped))
}

fn stages(spec: &Spec, size: &Size, tuning: Tuning) -> Result<Vec<Stage>, reduce_codegen::Error> {
    match &size.shaped {
        None => reduce_codegen::runnable_stages(spec, tuning, size.n),
        Some(shaped) => reduce_codegen::runnable_stages(&shaped.spec, tuning, shaped.extent().length),
    }
}

fn bytes(spec: &Spec, size: &Size) -> u64 {
    size.shaped.as_ref().map_or(size.n * spec.operation.element_size() as u64, Shaped::bytes)
}

fn explained(stage: &Stage, size: &Size, clock: &mut Option<Clock>) -> Result<Explained, Error> {
    let name = stage.name();
    if let Some(shaped) = &size.shaped {
        return Ok(Explained { name, counted: Counted::of_groups(&stage.program, shaped)?, time: None });
    }
    let counted = Counted::of(&stage.program, size.counts_n)?;
    let timed = clock.as_mut().map(|clock| clock.time(&stage.program, size.n)).transpose()?;
    let (time, wrong) = timed.unzip();
    let wrong = counted.wrong.clone().or(wrong.flatten());
    Ok(Explained { name, counted: Counted { wrong, ..counted }, time })
}

fn read(bytes: u64, given: Option<f64>, clock: &mut Option<Clock>) -> Result<Read, Error> {
    let at = |gb_per_s| bytes as f64 / (gb_per_s * 1e3);
    let (us, known) = match (clock, given) {
        (Some(clock), _) => (microseconds(clock.read(bytes)?), SpeedSource::Measured),
        (None, Some(given)) => (at(given), SpeedSource::Given),
        (None, None) => (at(H200_GB_PER_S), SpeedSource::Typical),
    };
    Ok(Read { bytes, us, known })
}

fn text(stages: &[Explained], size: &Size, read: &Read) -> String {
    let elements = match &size.shaped {
        None => format!("n = {}", size.n),
        Some(shaped) => {
            shaped.text() + &shaped.advice.as_ref().map_or_else(String::new, |it| format!("\n{it}"))
        }
    };
    let mut text = format!("{}\n{elements}; = as in the stage before\n", table(stages));
    text += &format!("{}{}\n", limit([size.n, size.counts_n]), counts::LEGEND);
    if stages.iter().any(|stage| stage.time.is_some()) {
        text += &format!("\n{}\n{}\n", times(stages), timed::LEGEND);
    }
    text + &read.text()
}

impl Read {
    fn text(&self) -> String {
        let Read { bytes, us, known } = *self;
        let gb_per_s = bytes as f64 / (us * 1e3);
        let (takes, at) = match known {
            SpeedSource::Measured => ("takes", format!("{gb_per_s:.0} GB/s, measured here")),
            SpeedSource::Given => ("takes at least", format!("the given {gb_per_s:.0} GB/s")),
            SpeedSource::Typical => ("takes at least", format!("{gb_per_s:.0} GB/s, measured on an H200")),
        };
        format!("a read of {bytes} bytes, all elements, {takes} {us:.3} us at {at}\n")
    }
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
    counts: Scopes,
    time: Option<timed::Line>,
    read_us: f64,
    read_measured: bool,
}

fn lines(stages: &[Explained], size: &Size, read: &Read) -> Result<String, Failure> {
    let line = |stage: &Explained| {
        json::text(&Line {
            after: &stage.name,
            n: size.n,
            counts_n: size.counts_n,
            counts: Scopes::of(Some(&stage.counted.sums)),
            time: stage.time.as_ref().map(Into::into),
            read_us: read.us,
            read_measured: read.known == SpeedSource::Measured,
        })
    };
    stages.iter().map(|stage| Ok(line(stage)? + "\n")).collect()
}
