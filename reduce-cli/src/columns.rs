//! `--column distance`: the columns of Parquet and CSV files, the tensors of safetensors, and the arrays of `.npz`. Absent values become
//! one more input, which `filter` asks.

use crate::args::Request;
use crate::cut::Cutter;
use crate::data::Data;
use crate::failure::Failure;
use crate::npy::Shape;
use crate::source::Source;
use reduce_dsl::parse::{self, Bytes, Parsed};
use reduce_lanes::Lanes;
use std::path::Path;

#[cfg(feature = "formats")]
pub(crate) use with_formats::{begin, keys};
#[cfg(not(feature = "formats"))]
pub(crate) use without_formats::{begin, keys};

/// Parses the specification for the data. If values are absent, it has one more input: whether the others are present.
pub(crate) fn parse(
    source: Source,
    data: &mut Vec<Data>,
    cutter: Option<&mut Cutter>,
) -> Result<(Source, Parsed<Bytes>), Failure> {
    let types: Vec<_> = data.iter().map(Data::ty).collect();
    let parsed = source.parse(Some(&types))?;
    let spec = &parsed.spec;
    let groups = match cutter {
        Some(cutter) => cutter.number(spec)?,
        None => None,
    };
    let columns: Vec<_> = data.iter().collect();
    let mask = present(&columns, groups.as_ref().and_then(|groups| groups.present.as_deref()))?;
    if mask.is_none() && groups.as_ref().is_none_or(|groups| groups.count.is_none()) {
        return Ok((source, parsed));
    }
    let mut text = spec.text.clone();
    if let Some(mask) = mask {
        text = parse::masked(&text, &spec.operation.inputs).ok_or_else(|| {
            Failure::request(
                "values are absent, and the specification does not say how the others are combined; write `map`, as in \
                 `map: |x, y| x * y, op: sum`",
            )
        })?;
        let (path, lengths) = (data[0].path.clone(), vec![mask.len() as u64]);
        data.push(Data::of_lanes(path, Lanes::from(mask), Shape { lengths, is_fortran: false }, None));
    }
    let count = groups.and_then(|groups| groups.count);
    let groups = count.map_or(String::new(), |count| format!(", by: {{ key: u32 }}, groups: {count}"));
    let source = Source::of_text(format!("{text}{groups}"));
    let parsed = source.parse(None)?;
    Ok((source, parsed))
}

/// Returns which elements are present in all columns and have a key; `None` if all are and have.
pub(crate) fn present(columns: &[&Data], keyed: Option<&[bool]>) -> Result<Option<Vec<bool>>, Failure> {
    let mut mask: Option<Vec<bool>> = None;
    for present in columns.iter().filter_map(|column| column.present()).chain(keyed) {
        match &mut mask {
            None => mask = Some(present.to_vec()),
            Some(mask) if mask.len() == present.len() => {
                mask.iter_mut().zip(present).for_each(|(all, &one)| *all &= one);
            }
            Some(mask) => {
                let (n, m) = (mask.len(), present.len());
                let message =
                    format!("one column has {n} values and another {m}; inputs must be equally long");
                return Err(Failure::request(message));
            }
        }
    }
    Ok(mask)
}

#[cfg(feature = "formats")]
mod with_formats {
    use super::{Data, Failure, Path, Request, Shape};
    use crate::data::{DataError, Reason};
    use crate::distinct::KeyColumn;
    use reduce_files::{Column, DataFile, FileError, Format, Labels, Reason as FileReason};
    use std::panic;
    use std::path::PathBuf;

    /// Opens the files of a request: the columns that `--column` names, and other files by `open`.
    pub(crate) fn begin(
        args: &Request,
        open: impl Fn(&Path) -> Result<Data, Failure>,
    ) -> Result<Vec<Data>, Failure> {
        let tables: Vec<_> = args.files.iter().map(|path| args.raw.is_none() && is_table(path)).collect();
        let count = tables.iter().filter(|is_table| **is_table).count();
        check(args, count)?;
        let (mut data, mut columns) = (Vec::new(), args.column.iter().map(String::as_str));
        for (path, is_table) in args.files.iter().zip(tables) {
            if !is_table {
                data.push(open(path)?);
                continue;
            }
            let most = if count == 1 { columns.len() } else { 1 };
            let names: Vec<_> = columns.by_ref().take(most).collect();
            data.extend(read(path, &names, args.limit)?);
        }
        Ok(data)
    }

    /// Checks that each table has a column: any number of them, if there is one table.
    fn check(args: &Request, tables: usize) -> Result<(), Failure> {
        let columns = args.column.len();
        if tables == 0 && columns > 0 {
            return Err(Failure::request(
                "`--column` is for Parquet, safetensors, .npz and CSV files; leave it out",
            ));
        }
        if tables > 1 && columns > 0 && columns != tables {
            return Err(Failure::request(format!(
                "`--column` is given {columns} times for {tables} files; give it once for each, or one file"
            )));
        }
        Ok(())
    }

    fn is_table(path: &Path) -> bool {
        path.is_file() && Format::of(path).is_ok_and(|format| format.is_some())
    }

    /// Reads the key columns that `--by` names. Returns `None` if a `--by` is the path of a file, or the data are not in one table.
    pub(crate) fn keys(args: &Request, by: &[PathBuf]) -> Result<Option<Vec<KeyColumn>>, Failure> {
        let mut tables = args.files.iter().filter(|path| args.raw.is_none() && is_table(path));
        let (Some(table), None) = (tables.next(), tables.next()) else { return Ok(None) };
        let name = |by: &PathBuf| by.to_str().filter(|_| !by.exists()).map(str::to_owned);
        match by.iter().map(name).collect::<Option<Vec<_>>>() {
            Some(names) if !names.is_empty() => {
                guarded(table, || read_keys(table, &names, args.limit)).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn read_keys(path: &Path, names: &[String], limit: u64) -> Result<Vec<KeyColumn>, Failure> {
        let mut file = DataFile::open(path).map_err(failure)?.with_limit(limit);
        let mut column = |name: &String| match file.column(name) {
            Err(FileError { reason: FileReason::Type { .. } | FileReason::Cell { .. }, .. }) => {
                let Labels { numbers, names, present } = file.labels(name).map_err(failure)?;
                let shape = vec![numbers.len() as u64];
                let values = numbers.into();
                let data = data(path, name, Column { values, present, shape, is_fortran: false });
                Ok(KeyColumn { data, names: Some(names) })
            }
            column => Ok(KeyColumn { data: data(path, name, column.map_err(failure)?), names: None }),
        };
        let columns = names.iter().map(&mut column).collect::<Result<Vec<_>, Failure>>()?;
        let length = |column: &KeyColumn| column.data.shape().map(|shape| shape.lengths.clone());
        match columns.iter().find(|column| length(column) != length(&columns[0])) {
            Some(other) => Err(Failure::request(format!(
                "{} is not as long as {}; columns of keys must be equally long",
                other.data.path.display(),
                columns[0].data.path.display()
            ))),
            None => Ok(columns),
        }
    }

    /// Reads columns of a file; without names the only one there is.
    fn read(path: &Path, names: &[&str], limit: u64) -> Result<Vec<Data>, Failure> {
        guarded(path, || read_columns(path, names, limit))
    }

    /// Calls a reader of a file, and says that the file is damaged if the reader panics.
    fn guarded<T>(path: &Path, read: impl FnOnce() -> T) -> T {
        let hook = panic::take_hook();
        let damaged = path.to_owned();
        // The readers are other crates. Where a panic ends the process, this is the only place for its message.
        panic::set_hook(Box::new(move |_| {
            if cfg!(panic = "abort") {
                crate::output::error(format!(
                    "error: {}: the file is damaged; get it again",
                    damaged.display()
                ));
                std::process::exit(2);
            }
        }));
        let data = read();
        panic::set_hook(hook);
        data
    }

    fn read_columns(path: &Path, names: &[&str], limit: u64) -> Result<Vec<Data>, Failure> {
        let mut file = DataFile::open(path).map_err(failure)?.with_limit(limit);
        let all = file.names();
        let names = match (names, &all[..]) {
            ([], [only]) => vec![only.as_str()],
            ([], _) => {
                let (path, all) = (path.display(), all.join("`, `"));
                return Err(Failure::request(format!(
                    "{path} has several columns; name those to reduce, as in `--column x`: `{all}`"
                )));
            }
            (names, _) => names.to_vec(),
        };
        let column = |name: &&str| Ok(data(path, name, file.column(name).map_err(failure)?));
        names.iter().map(column).collect()
    }

    fn data(path: &Path, name: &str, column: Column) -> Data {
        let Column { values, present, shape: lengths, is_fortran } = column;
        let path = PathBuf::from(format!("{}: `{name}`", path.display()));
        Data::of_lanes(path, values, Shape { lengths, is_fortran }, present)
    }

    fn failure(FileError { path, reason, .. }: FileError) -> Failure {
        DataError { path, reason: Reason::File(reason) }.into()
    }
}

#[cfg(not(feature = "formats"))]
mod without_formats {
    use super::{Data, Failure, Path, Request};
    use crate::distinct::KeyColumn;
    use std::path::PathBuf;

    /// The ends of the names of files that need the feature.
    const ENDS: [&str; 6] = ["parquet", "pq", "safetensors", "npz", "csv", "tsv"];

    /// Opens the files of a request by `open`, and refuses those that need the feature `formats`.
    pub(crate) fn begin(
        args: &Request,
        open: impl Fn(&Path) -> Result<Data, Failure>,
    ) -> Result<Vec<Data>, Failure> {
        let needs = |path: &&std::path::PathBuf| {
            let end = path.extension().and_then(|end| end.to_str()).unwrap_or_default();
            args.raw.is_none() && ENDS.iter().any(|name| end.eq_ignore_ascii_case(name))
        };
        match args.files.iter().find(needs) {
            Some(path) => Err(lacking(&path.display().to_string())),
            None if args.column.is_empty() => args.files.iter().map(|path| open(path)).collect(),
            None => Err(lacking("`--column`")),
        }
    }

    fn lacking(subject: &str) -> Failure {
        Failure::request(format!(
            "{subject} needs a reducegen with the feature `formats`: `cargo install reducegen-cli --features formats`"
        ))
    }

    /// Returns no columns: this build reads none.
    pub(crate) fn keys(_: &Request, _: &[PathBuf]) -> Result<Option<Vec<KeyColumn>>, Failure> {
        Ok(None)
    }
}
