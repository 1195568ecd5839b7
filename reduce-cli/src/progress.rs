//! A progress bar on a terminal, for reductions that take longer than a second.

use crate::output;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal, Read};
use std::time::{Duration, Instant};

/// The time before the bar appears.
const DELAY: Duration = Duration::from_secs(1);

/// The bytes that were reduced.
#[derive(Debug)]
pub(crate) struct Progress {
    start: Instant,
    /// The bytes of all elements, if their number is known.
    total: Option<u64>,
    done: u64,
    is_shown: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Begins now. The bar is for a terminal, unless the user wants no notes.
    pub(crate) fn of(total: Option<u64>) -> Progress {
        let is_shown = io::stderr().is_terminal() && !output::is_quiet();
        Progress { start: Instant::now(), total, done: 0, is_shown, bar: None }
    }

    /// Returns the number of bytes so far.
    pub(crate) fn done(&self) -> u64 {
        self.done
    }

    /// Adds bytes.
    pub(crate) fn add(&mut self, bytes: u64) {
        self.done += bytes;
        if self.is_shown && self.bar.is_none() && self.start.elapsed() > DELAY {
            self.bar = Some(bar(self.total));
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.done);
        }
    }

    /// Counts the bytes of a reader.
    pub(crate) fn reading(&mut self, reader: impl Read) -> impl Read {
        Counted { reader, progress: self }
    }
}

/// Removes the bar, so that results and errors follow each other.
impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar(total: Option<u64>) -> ProgressBar {
    let bar = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
    let template = match total {
        Some(_) => "{bar:40} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left",
        None => "{spinner} {bytes}, {bytes_per_sec}",
    };
    // The template is known to be well-formed, and another style would be as good.
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// A reader whose bytes are counted.
struct Counted<'p, R> {
    reader: R,
    progress: &'p mut Progress,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(bytes)?;
        self.progress.add(read as u64);
        Ok(read)
    }
}
