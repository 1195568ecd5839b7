//! CSV with a header: columns by name. A column holds integers, other numbers, or `true` and `false`. Empty cells and `NA` are absent.

mod cells;

use super::column::Column;
use super::elements::of_read;
use super::error::{Reason, check_size};
use super::labels::{Labels, Numbering};
use cells::{Cells, is_absent};
use csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder, Trim};
use reduce_ir::Scalar;
use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::rc::Rc;

/// The maximum bytes of a line. A quote that is never closed makes one of the rest of the file.
const LONGEST: u64 = 16 << 20;

/// The maximum characters of a cell in a message.
const SHOWN: usize = 40;

/// What may separate cells.
const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];

/// An open table.
#[derive(Debug)]
pub(super) struct Csv {
    file: File,
    separator: u8,
    names: Vec<String>,
}

impl Csv {
    pub(super) fn open(mut file: File) -> Result<Csv, Reason> {
        let mut first = Vec::new();
        BufReader::new((&file).take(LONGEST)).read_until(b'\n', &mut first)?;
        let count = |separator: u8| first.iter().filter(|&&byte| byte == separator).count();
        // The first of those that are equally frequent.
        let separator =
            SEPARATORS.into_iter().rev().max_by_key(|&separator| count(separator)).unwrap_or(b',');
        let mut table = Csv { file: file.try_clone()?, separator, names: Vec::new() };
        file.rewind()?;
        let mut reader = table.reader(&file);
        let header = reader.0.byte_headers().map_err(|error| reason("the header", error))?;
        table.names = header.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        Ok(table)
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    pub(super) fn column(&mut self, name: &str, limit: u64) -> Result<Column, Reason> {
        let mut cells = Cells::default();
        self.read(name, |line, cell| {
            cells.push(cell).map_err(|mistake| {
                let column = name.to_owned();
                Reason::Cell { line, column, text: shown(cell), mistake: mistake.0 }
            })?;
            cells.check_size(name, limit)
        })?;
        cells.into_column()
    }

    pub(super) fn labels(&mut self, name: &str, limit: u64) -> Result<Labels, Reason> {
        let numbering = Numbering::new(limit);
        let (mut numbers, mut present) = (Vec::new(), Vec::new());
        self.read(name, |line, cell| {
            let text =
                str::from_utf8(cell).map_err(|error| Reason::damaged(format!("line {line}"), error))?;
            let number = if is_absent(text) { Some(0) } else { numbering.of(text) };
            numbering.check_size(name)?;
            let too_many =
                || Reason::damaged(format!("line {line}"), "there are more than 2^32 different texts");
            numbers.push(number.ok_or_else(too_many)?);
            present.push(!is_absent(text));
            check_size(name, numbers.len() as u64, Scalar::U32, limit)
        })?;
        let present = present.contains(&false).then_some(present);
        Ok(numbering.into_labels(numbers, present))
    }

    /// Reads the cells of a column, with the line of each.
    fn read(
        &mut self,
        name: &str,
        mut take: impl FnMut(u64, &[u8]) -> Result<(), Reason>,
    ) -> Result<(), Reason> {
        let place = self.place(name)?;
        self.file.rewind()?;
        let (mut reader, left) = self.reader(&self.file);
        let mut record = ByteRecord::new();
        loop {
            left.set(LONGEST);
            let line = reader.position().line();
            let is_read = reader.read_byte_record(&mut record);
            if !is_read.map_err(|error| reason(&format!("the text from line {line}"), error))? {
                return Ok(());
            }
            let line = record.position().map_or(line, csv::Position::line);
            take(line, record.get(place).unwrap_or_default())?;
        }
    }

    /// Returns the place of a column in each record.
    fn place(&self, name: &str) -> Result<usize, Reason> {
        let mut places = (0..self.names.len()).filter(|&at| self.names[at] == name);
        let Some(place) = places.next() else {
            return Err(Reason::Name { name: name.to_owned(), names: self.names() });
        };
        if places.next().is_some() {
            let cause = format!("it has two columns `{name}`");
            return Err(Reason::Unsupported {
                place: "the header".to_owned(),
                cause,
                advice: "rename one of them",
            });
        }
        Ok(place)
    }

    /// Returns a reader of records, and the bytes that it may read until the next one.
    fn reader<'a>(&self, file: &'a File) -> (Reader<Bounded<&'a File>>, Rc<Cell<u64>>) {
        let left = Rc::new(Cell::new(LONGEST));
        let file = Bounded { file, left: left.clone() };
        (ReaderBuilder::new().delimiter(self.separator).trim(Trim::All).from_reader(file), left)
    }
}

/// A file of which a number of bytes may be read.
struct Bounded<R> {
    file: R,
    left: Rc<Cell<u64>>,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(to)?;
        match self.left.get().checked_sub(read as u64) {
            Some(left) => self.left.set(left),
            None => return Err(io::Error::other("a line has more than 16 MiB; is a quote not closed?")),
        }
        Ok(read)
    }
}

fn reason(place: &str, error: csv::Error) -> Reason {
    let text = error.to_string();
    if let ErrorKind::UnequalLengths { pos, expected_len, len } = error.kind() {
        let line = pos.as_ref().map_or(place.to_owned(), |pos| format!("line {}", pos.line()));
        return Reason::damaged(line, format!("it has {len} cells, and the header has {expected_len}"));
    }
    if let ErrorKind::Io(error) = error.into_kind() {
        of_read(place, error)
    } else {
        Reason::damaged(place, text)
    }
}

/// Returns the part of a cell that a message may quote.
fn shown(cell: &[u8]) -> String {
    String::from_utf8_lossy(cell).chars().take(SHOWN).collect()
}
