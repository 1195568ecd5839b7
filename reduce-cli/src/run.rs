//! `reducegen run`: data files in, a result out.

use crate::args::Run;
use crate::data::{Data, Reading, STANDARD_INPUT};
use crate::failure::Failure;
use crate::groups::{self, Inputs};
use crate::report::{Report, Results};
use crate::source::Source;
use crate::{axis, devices, json, npy, order, output, params, trace, view};
use reduce_dsl::parse::{Bytes, Parsed};
use reduce_ir::func::Param;
use reduce_ir::operation::Operation;
use reduce_ir::{Axes, Value};
use reduce_lanes::{Lanes, LanesRef};
use reduce_runtime::{Device, Error, Reducer, Strided};
use std::time::Instant;

/// A specification and its data.
struct Task<'a> {
    args: &'a Run,
    source: &'a Source,
    parsed: &'a Parsed<Bytes>,
    data: &'a [Data],
    params: &'a [Value],
    start: Instant,
}

/// Reduces the files and prints the result, or writes it to a file.
pub(crate) fn run(args: &Run) -> Result<(), Failure> {
    let start = Instant::now();
    let data = open(args)?;
    let types: Vec<_> = data.iter().map(Data::ty).collect();
    let source = Source::read(&args.spec)?;
    let parsed = source.parse(Some(&types))?;
    let operation = &parsed.spec.operation;
    fit(operation, &data)?;
    args.output.as_ref().map_or(Ok(()), |_| npy::check_writable(&operation.output))?;
    let params = params::values(&args.params, operation)?;
    let parsed = Parsed { spec: axis::applied(args, parsed.spec, &data)?, ..parsed };
    let task = Task { args, source: &source, parsed: &parsed, data: &data, params: &params, start };
    match &parsed.spec.axes {
        Some(axes) => task.groups(axes),
        None => task.whole(),
    }
}

impl Task<'_> {
    /// Reduces all elements to one result.
    fn whole(&self) -> Result<(), Failure> {
        let Task { args, data, params, .. } = *self;
        let spec = &self.parsed.spec;
        if args.shape.is_some() {
            return Err(Failure::request(
                "`--shape` is for specifications with `axes`; leave it out, or write `axes`",
            ));
        }
        let views = view::views(args, data)?;
        data.windows(2).zip(views.windows(2)).try_for_each(|(files, views)| fit_length(files, views))?;
        order::check(&spec.operation, data, &views)?;

        let (device, why_no_gpu) = self.device()?;
        let reducer = Reducer::new(spec, &device).map_err(|error| self.source.explain(self.parsed, error))?;
        if args.trace {
            return trace::trace(&reducer, &views, params);
        }
        let n = views.first().map_or(0, |view| view.len as u64);
        let outcome = reducer.reduce_with(&views, params)?;
        data.iter().try_for_each(Data::check_unchanged)?;
        let report = Report {
            operation: &spec.operation,
            results: Results::One(&outcome.values),
            n,
            bytes: n * spec.operation.element_size() as u64,
            device: &device.name(),
            passes: passes(&reducer, n),
            kernel: Some(outcome.kernel),
            total: self.start.elapsed(),
        };
        print(args, &report, why_no_gpu.as_ref())
    }

    /// Reduces the elements of each group to one result.
    fn groups(&self, axes: &Axes) -> Result<(), Failure> {
        let Task { args, data, params, .. } = *self;
        let operation = &self.parsed.spec.operation;
        let inputs = Inputs::of(args, &self.parsed.spec, axes, data)?;
        let shaped = &inputs.shaped;
        let (device, why_no_gpu) = self.device()?;
        let reducer = Reducer::new(&shaped.spec, &device);
        let reducer = reducer.map_err(|error| self.source.explain(self.parsed, error))?;
        if args.trace {
            return trace::trace_groups(&reducer, &inputs, params);
        }
        let (groups, kernel) = inputs.reduce(&reducer, params, device.architecture().is_none())?;
        data.iter().try_for_each(Data::check_unchanged)?;
        args.output.as_ref().map_or(Ok(()), |_| groups::check_present(&groups))?;
        let extent = shaped.extent();
        let report = Report {
            operation,
            results: Results::Groups(&groups, shaped),
            n: extent.elements(),
            bytes: shaped.bytes(),
            device: &device.name(),
            passes: passes(&reducer, extent.length),
            kernel,
            total: self.start.elapsed(),
        };
        print(args, &report, why_no_gpu.as_ref())
    }

    /// Opens the device. A trace needs none.
    fn device(&self) -> Result<(Device, Option<Error>), Failure> {
        let asked = self.args.device;
        devices::open(if self.args.trace { trace::place(asked)? } else { asked })
    }
}

/// Returns the passes of the program for n elements.
fn passes(reducer: &Reducer, n: u64) -> Vec<String> {
    reducer.programs().of_n(n).passes.iter().map(ToString::to_string).collect()
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
    match &args.output {
        Some(path) => output::write(Some(path), &array(report)?)?,
        None => output::write(None, format!("{}\n", report.text()).as_bytes())?,
    }
    let why = why_no_gpu.map_or(String::new(), |error| format!("; no GPU: {error}"));
    output::note(format!("{}{why}", report.summary()));
    Ok(())
}

/// Returns the results as a NumPy file.
fn array(report: &Report<'_>) -> Result<Vec<u8>, Failure> {
    let output = &report.operation.output;
    match report.results {
        Results::Groups(groups, _) => npy::file(output, &groups.shape, &groups.fields),
        Results::One(values) => {
            let fields: Vec<_> = values.iter().map(|&value| Lanes::splat(value, 1)).collect();
            npy::file(output, &[], &fields)
        }
    }
}
