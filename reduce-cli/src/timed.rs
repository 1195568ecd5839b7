//! Times of a reduction on a GPU, and of a kernel that only reads.

use crate::counted::differ;
use crate::counts::percent;
use crate::elements::Elements;
use crate::report::microseconds;
use crate::table::{Column, Side};
use reduce_dsl::ladder::STEP;
use reduce_ir::program::{Program, Reads};
use reduce_runtime::{Device, Error, Reducer, host};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// A GPU on which times are taken.
#[derive(Debug)]
pub(crate) struct Clock {
    device: Device,
    /// The measured times of reads, by bytes.
    reads: BTreeMap<u64, Duration>,
}

/// Times on a GPU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Time {
    /// The time of the copy on which a tree in place works.
    pub(crate) copy: Option<Duration>,
    /// The time of the launch that reads the elements and leaves one partial a block; the sources of the ladder
    /// time this launch. For a tree in place, the time of all launches except the copy.
    pub(crate) first: Duration,
    /// The time of all launches.
    pub(crate) all: Duration,
    /// The time of a kernel that reads the same number of bytes and does nothing else.
    pub(crate) read: Duration,
    /// The bytes of the elements.
    pub(crate) bytes: u64,
}

impl Clock {
    /// Returns the clock of a GPU; `None` for the host.
    pub(crate) fn of(device: &Device) -> Option<Clock> {
        device.architecture().map(|_| Clock { device: device.clone(), reads: BTreeMap::new() })
    }

    /// Returns the times of a program on n elements, and the fault of its result, if it has one.
    pub(crate) fn time(&mut self, program: &Program, n: u64) -> Result<(Time, Option<String>), Error> {
        let bytes = n * program.operation.element_size() as u64;
        // If the GPU has no room for the elements, this fails before they are generated.
        let read = self.read(bytes)?;
        let reducer = Reducer::of(program.clone().into(), &self.device)?;
        let elements = Elements::new(&program.operation, program.domain, n, STEP);
        let (views, params) = (elements.views(), &elements.params);
        let found = reducer.reduce_with(&views, params)?.values;
        let host = host::reduce_with(&program.operation, &program.association(), &views, params)?;
        let timing = reducer.time_with(&views, params)?;
        let in_place = program.kernel(Reads::Partials).in_place().is_some();
        let (copy, kernels) = timing.launches.split_at(usize::from(in_place));
        let first = if in_place { kernels.iter().sum() } else { kernels[0] };
        let time = Time { copy: copy.first().copied(), first, all: timing.plan, read, bytes };
        Ok((time, differ(&self.device.name(), &found, &host)))
    }

    /// Returns the time of a read of that size, which is measured once.
    pub(crate) fn read(&mut self, bytes: u64) -> Result<Duration, Error> {
        if let Some(&time) = self.reads.get(&bytes) {
            return Ok(time);
        }
        let time = self.device.time_read(bytes)?;
        self.reads.insert(bytes, time);
        Ok(time)
    }
}

impl Time {
    /// Returns the bytes of the elements divided by the nanoseconds of the first launch.
    fn gb_per_s(&self) -> f64 {
        self.bytes as f64 / self.first.as_nanos().max(1) as f64
    }

    /// Returns the time of the read divided by the time of the first launch.
    fn share_of_read(&self) -> f64 {
        self.read.as_secs_f64() / self.first.as_secs_f64()
    }
}

/// A column of times: its heading, and the function for its cells.
type Shown = (&'static str, fn(&Time) -> String);

const SHOWN: [Shown; 4] = [
    ("first_us", |it| format!("{:.1}", microseconds(it.first))),
    ("all_us", |it| format!("{:.1}", microseconds(it.all))),
    ("gb_per_s", |it| format!("{:.1}", it.gb_per_s())),
    ("share_of_read", |it| percent(Some(it.share_of_read()))),
];

/// The meaning of the columns, in lines below a table.
pub(crate) const LEGEND: &str = "\
first_us: the launch that leaves one partial per block (for a tree in place, all launches except the copy), as the
sources of the ladder measure it; all_us: every launch; gb_per_s: the read speed of the first launch;
share_of_read: the time of a kernel that only reads the same bytes, divided by first_us";

/// Returns the columns of times.
pub(crate) fn columns() -> impl Iterator<Item = Column> {
    SHOWN.iter().map(|&(heading, _)| Column { heading, side: Side::Right })
}

/// Returns the cells of those columns; blank if no time was taken.
pub(crate) fn cells(time: Option<&Time>) -> impl Iterator<Item = String> {
    SHOWN.iter().map(move |(_, cell)| time.map_or(String::new(), cell))
}

/// Times as JSON.
#[derive(Serialize)]
pub(crate) struct Line {
    copy_us: Option<f64>,
    first_us: f64,
    all_us: f64,
    gb_per_s: f64,
    read_us: f64,
    share_of_read: f64,
}

impl From<&Time> for Line {
    fn from(time: &Time) -> Line {
        Line {
            copy_us: time.copy.map(microseconds),
            first_us: microseconds(time.first),
            all_us: microseconds(time.all),
            gb_per_s: time.gb_per_s(),
            read_us: microseconds(time.read),
            share_of_read: time.share_of_read(),
        }
    }
}
