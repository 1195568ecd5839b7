//! `reducegen merge`: files of partials in, the result of the whole out.

use crate::args::Merge;
use crate::failure::Failure;
use crate::report::{self, Report, Results};
use crate::{groups, npy_file, run, shape};
use reduce_dsl::parse;
use reduce_ir::Spec;
use reduce_ir::operation::Operation;
use reduce_runtime::{Device, Error, Partials, PartialsError, Reducer};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::Instant;

/// Merges the files and prints the result, or writes it to a file.
pub(crate) fn merge(args: &Merge) -> Result<(), Failure> {
    let start = Instant::now();
    let parts = read_all(args)?;
    let results = Printed { limit: args.limit, json: args.json, output: args.output.as_deref() };
    print(&parts, results, start)
}

/// How results are printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Printed<'a> {
    /// The most bytes of the results.
    pub(crate) limit: u64,
    /// Whether they are a line of JSON.
    pub(crate) json: bool,
    /// The file that they go to.
    pub(crate) output: Option<&'a Path>,
}

/// Merges at least one part, and prints the result.
pub(crate) fn print(parts: &[Partials], args: Printed<'_>, start: Instant) -> Result<(), Failure> {
    let spec = spec_of(&parts[0])?;
    let operation = &spec.operation;
    args.output.as_ref().map_or(Ok(()), |_| npy_file::check(&operation.output))?;
    let reducer = Reducer::new(&spec, &Device::host())?;
    let (total, shape) = (parts[0].total(), parts[0].shape());
    let count = shape.iter().product::<u64>();
    check_results(args, operation, count)?;
    let (values, groups);
    let results = if reducer.axes().is_some() {
        groups = reducer.merge_groups(parts)?;
        args.output.as_ref().map_or(Ok(()), |_| groups::check_present(&groups))?;
        Results::Groups(&groups)
    } else {
        values = reducer.merge(parts)?.values;
        Results::One(&values)
    };
    let elements = report::elements(operation, total);
    let to = if shape.is_empty() { String::new() } else { format!(" -> {}", shape::text(shape)) };
    let n = total.saturating_mul(count);
    let report = Report {
        operation,
        results,
        elements: format!("{} parts of {elements}{to}", parts.len()),
        n,
        bytes: n.saturating_mul(operation.element_size() as u64),
        device: &reducer.device().name(),
        passes: run::passes(&reducer, total),
        kernel: None,
        total: start.elapsed(),
    };
    run::print((args.json, args.output), &report, None)
}

/// Reads the files, at least one.
fn read_all(args: &Merge) -> Result<Vec<Partials>, Failure> {
    let mut left = args.limit;
    let read = |path: &Path| {
        let about = |what: String| Failure::request(format!("{}: {what}", path.display()));
        let bytes = read(path, left).map_err(|error| about(format!("it cannot be read: {error}")))?;
        left = left.checked_sub(bytes.len() as u64).ok_or_else(|| {
            about(format!("all files have more bytes than `--limit {}` allows; raise it", args.limit))
        })?;
        Partials::from_bytes(&bytes).map_err(|error| about(error.to_string()))
    };
    args.files.iter().map(|path| path.as_path()).map(read).collect()
}

/// Reads a file, and one byte beyond the limit at most.
fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the specification that partials hold.
fn spec_of(part: &Partials) -> Result<Spec, Failure> {
    let unreadable = |reason| Error::from(PartialsError::Unreadable { reason });
    Ok(parse::spec(part.spec()).map_err(|error| unreadable(error.to_string()))?)
}

/// Refuses more results than memory or a line of JSON should hold.
fn check_results(args: Printed<'_>, operation: &Operation, groups: u64) -> Result<(), Failure> {
    groups::check_json(args.json, groups)?;
    groups::check_limit(operation, groups, args.limit)
}
