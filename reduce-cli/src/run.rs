//! `reducegen run`: data files in, a result out.

use crate::args::Run;
use crate::data::{Data, Reading, STANDARD_INPUT};
use crate::devices;
use crate::failure::Failure;
use crate::json;
use crate::order;
use crate::output;
use crate::params;
use crate::report::Report;
use crate::source::Source;
use crate::trace;
use crate::view;
use reduce_ir::func::Param;
use reduce_ir::operation::Operation;
use reduce_lanes::LanesRef;
use reduce_runtime::{Error, Reducer, Strided};
use std::time::Instant;

/// Reduces the files and prints the result.
pub(crate) fn run(args: &Run) -> Result<(), Failure> {
    let start = Instant::now();
    let data = open(args)?;
    let types: Vec<_> = data.iter().map(Data::ty).collect();
    let source = Source::read(&args.spec)?;
    let parsed = source.parse(Some(&types))?;
    fit(&parsed.spec.operation, &data)?;
    let params = params::values(&args.params, &parsed.spec.operation)?;
    let views = view::views(args, &data)?;
    data.windows(2).zip(views.windows(2)).try_for_each(|(files, views)| fit_length(files, views))?;
    order::check(&parsed.spec.operation, &data, &views)?;

    let place = if args.trace { trace::place(args.device)? } else { args.device };
    let (device, why_no_gpu) = devices::open(place)?;
    let reducer = Reducer::new(&parsed.spec, &device).map_err(|error| source.explain(&parsed, error))?;
    if args.trace {
        return trace::trace(&reducer, &views, &params);
    }
    let n = views.first().map_or(0, |view| view.len);
    let program = reducer.programs().of_n(n as u64);
    let outcome = reducer.reduce_with(&views, &params)?;
    data.iter().try_for_each(Data::check_unchanged)?;
    let report = Report {
        operation: &parsed.spec.operation,
        values: &outcome.values,
        n,
        device: &device.name(),
        passes: program.passes.iter().map(ToString::to_string).collect(),
        kernel: outcome.kernel,
        total: start.elapsed(),
    };
    print(args, &report, why_no_gpu.as_ref())
}

fn open(args: &Run) -> Result<Vec<Data>, Failure> {
    let standard = args.files.iter().filter(|path| path.as_os_str() == STANDARD_INPUT);
    if standard.count() > 1 {
        return Err(Failure::request(
            "the standard input, `-`, can be read once; save one of them to a file",
        ));
    }
    let reading = Reading { raw: args.raw, limit: args.limit };
    args.files.iter().map(|path| Ok(Data::open(path, reading)?)).collect()
}

/// Checks that each input has a file, and that their types agree.
fn fit(operation: &Operation, data: &[Data]) -> Result<(), Failure> {
    let inputs = &operation.inputs;
    if inputs.len() != data.len() {
        let names: Vec<_> = inputs.iter().map(|input| format!("`{}`", input.name)).collect();
        let (names, files) = (names.join(" and "), data.len());
        return Err(Failure::request(format!("the inputs are {names}; name one file for each, not {files}")));
    }
    inputs.iter().zip(data).try_for_each(|(input, file)| fit_type(input, file))
}

fn fit_type(input: &Param, file: &Data) -> Result<(), Failure> {
    let (path, found, Param { name, ty }) = (file.path.display(), file.ty(), input);
    if found == *ty {
        return Ok(());
    }
    Err(Failure::request(format!(
        "{path} holds {found}, and the input `{name}` is {ty}; convert the data, or write {found} in the \
         specification"
    )))
}

fn fit_length(files: &[Data], views: &[Strided<LanesRef<'_>>]) -> Result<(), Failure> {
    let (n, m) = (views[0].len, views[1].len);
    if n == m {
        return Ok(());
    }
    let (first, second) = (files[0].path.display(), files[1].path.display());
    Err(Failure::request(format!("{first} gives {n} elements and {second} {m}; inputs must be equally long")))
}

fn print(args: &Run, report: &Report<'_>, why_no_gpu: Option<&Error>) -> Result<(), Failure> {
    if args.json {
        return output::write(None, format!("{}\n", json::line(report)?).as_bytes());
    }
    output::write(None, format!("{}\n", report.text()).as_bytes())?;
    let why = why_no_gpu.map_or(String::new(), |error| format!("; no GPU: {error}"));
    output::note(format!("{}{why}", report.summary()));
    Ok(())
}
