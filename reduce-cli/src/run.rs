//! `reducegen run`: data files in, a result out.

use crate::args::{DeviceName, Request, Run};
use crate::cut::{self, Cutter};
use crate::data::{Data, Pipe, Reading, STANDARD_INPUT};
use crate::failure::Failure;
use crate::groups::{self, Inputs};
use crate::report::{self, Report, Results};
use crate::source::Source;
use crate::stream::{self, Windows};
use crate::{axis, columns, devices, json, npy_file, order, output, params, ranks, trace, view};
use reduce_dsl::parse::{Bytes, Parsed};
use reduce_ir::axes::Cut;
use reduce_ir::func::Param;
use reduce_ir::operation::Operation;
use reduce_ir::{Axes, Spec, Value};
use reduce_lanes::{Lanes, LanesRef};
use reduce_runtime::{Device, Error, Outcome, Reducer, Strided};
use std::path::Path;
use std::time::{Duration, Instant};

/// A specification and its data.
struct Task<'a> {
    args: &'a Run,
    source: &'a Source,
    parsed: &'a Parsed<Bytes>,
    data: &'a [Data],
    /// What cuts the elements into groups of any length.
    cutter: Option<&'a Cutter>,
    params: &'a [Value],
    start: Instant,
}

/// Reduces the files and prints the result, or writes it to a file.
pub(crate) fn run(args: &Run) -> Result<(), Failure> {
    if ranks::are_several() {
        return ranks::run(args);
    }
    let start = Instant::now();
    let (mut data, mut cutter) = (begin(&args.request)?, cutter(args)?);
    let source = Source::read(&args.request.spec)?;
    let (source, parsed) = columns::parse(source, &mut data, cutter.as_mut())?;
    let operation = &parsed.spec.operation;
    fit(operation, &data)?;
    args.output.as_ref().map_or(Ok(()), |_| npy_file::check(&operation.output))?;
    let params = params::values(&args.request.params, &parsed.spec)?;
    let pipe = stream::suits(args, &parsed.spec).then(|| data[0].take_pipe()).flatten();
    let data = load(&args.request, data)?;
    let spec = axis::applied(&args.request, parsed.spec, &data)?;
    let cutter = cutter.as_ref();
    let parsed = Parsed { spec: cut::applied(spec, cutter, data.len())?, ..parsed };
    let task = Task { args, source: &source, parsed: &parsed, data: &data, cutter, params: &params, start };
    if let Some(pipe) = pipe {
        return task.pipe(pipe);
    }
    match (&parsed.spec.axes, cutter) {
        (Some(axes), None) if !matches!(axes.cut, Cut::Keys(_)) => task.groups(axes),
        (Some(axes), _) => task.cut(axes),
        (None, _) => task.whole(),
    }
}

/// Opens the file that cuts the elements, if there is one.
fn cutter(args: &Run) -> Result<Option<Cutter>, Failure> {
    Cutter::open(&args.request, args.segments.as_deref(), &args.by)
}

/// A device, the reducer on it, and the reason why it is no GPU.
struct Opened {
    device: Device,
    reducer: Reducer,
    why_no_gpu: Option<Error>,
}

impl Task<'_> {
    /// Reduces all elements to one result.
    fn whole(&self) -> Result<(), Failure> {
        let (spec, params) = (&self.parsed.spec, self.params);
        let views = views(&self.args.request, &spec.operation, self.data)?;
        let n = views.first().map_or(0, |view| view.len as u64);
        let bytes = n * spec.operation.element_size() as u64;
        let opened = self.open(spec, [n, bytes])?;
        if self.args.trace {
            return trace::trace(&opened.reducer, &views, params);
        }
        let outcome = match Windows::of(&opened.reducer, self.data, &views) {
            Some(windows) => windows.reduce(&opened.reducer, params)?,
            None => opened.reducer.reduce_with(&views, params)?,
        };
        self.report_one(&opened, n, &outcome)
    }

    /// Reduces the elements of a pipe to one result, while they arrive. They need no copy to reach the host.
    fn pipe(&self, pipe: Pipe) -> Result<(), Failure> {
        let opened = self.open_device(&self.parsed.spec, DeviceName::Host, [0; 2])?;
        let (outcome, n) = stream::reduce_pipe(&opened.reducer, (&self.data[0], pipe), self.params)?;
        self.report_one(&opened, n, &outcome)
    }

    fn report_one(&self, opened: &Opened, n: u64, outcome: &Outcome) -> Result<(), Failure> {
        let operation = &self.parsed.spec.operation;
        let size = Size { n, length: n, bytes: n * operation.element_size() as u64 };
        let elements = report::elements(operation, n);
        self.report(opened, (size, elements), Results::One(&outcome.values), Some(outcome.kernel))
    }

    /// Reduces the elements of each group to one result.
    fn groups(&self, axes: &Axes) -> Result<(), Failure> {
        let inputs = Inputs::of(&self.args.request, &self.parsed.spec, axes, self.data)?;
        let shaped = &inputs.shaped;
        groups::check_json(self.args.json, shaped.extent().groups)?;
        let opened = self.open(&shaped.spec, [shaped.extent().elements(), shaped.bytes()])?;
        if self.args.trace {
            return trace::trace_groups(&opened.reducer, &inputs, self.params);
        }
        let (groups, kernel) = inputs.reduce(&opened.reducer, self.params, &opened.device)?;
        self.args.output.as_ref().map_or(Ok(()), |_| groups::check_present(&groups))?;
        let extent = shaped.extent();
        let size = Size { n: extent.elements(), length: extent.length, bytes: shaped.bytes() };
        self.report(&opened, (size, shaped.text()), Results::Groups(&groups), kernel)
    }

    /// Reduces the elements of each segment, run or numbered group to one result.
    fn cut(&self, axes: &Axes) -> Result<(), Failure> {
        let mut inputs = Inputs::of(&self.args.request, &self.parsed.spec, axes, self.data)?;
        let shaped = &inputs.shaped;
        let opened = self.open(&self.parsed.spec, [shaped.extent().elements(), shaped.bytes()])?;
        let start = Instant::now();
        if self.args.trace {
            return Err(Failure::request(
                "a trace shows one group or groups of one length; leave `--trace` out",
            ));
        }
        let (keys, groups) = match self.cutter {
            Some(cutter) => cutter.reduce(&opened.reducer, &inputs, self.params)?,
            None => (None, opened.reducer.reduce_groups(&inputs.views, self.params)?),
        };
        let kernel = Some(start.elapsed());
        self.args.output.as_ref().map_or(Ok(()), |_| groups::check_present(&groups))?;
        groups::check_json(self.args.json, groups.len() as u64)?;
        cut::write_keys(self.args, keys.as_deref())?;
        let n = inputs.shaped.extent().elements();
        inputs.shaped.nest.result.clone_from(&groups.shape);
        let size = Size { n, length: n, bytes: inputs.shaped.bytes() };
        let results = match &keys {
            Some(keys) => Results::Keys(keys, &groups),
            None => Results::Groups(&groups),
        };
        self.report(&opened, (size, inputs.shaped.text()), results, kernel)
    }

    /// Opens the device for that many elements and bytes, and compiles the specification for it. A trace needs no GPU.
    fn open(&self, spec: &Spec, size: [u64; 2]) -> Result<Opened, Failure> {
        // The host reduces a specification without GPU kernels. A GPU that the user names refuses it.
        let is_left_to_us = self.args.request.device == DeviceName::Auto;
        let on_host = self.cutter.is_some() && !cut::has_kernels(spec);
        let asked = if on_host && is_left_to_us { DeviceName::Host } else { self.args.request.device };
        self.open_device(spec, if self.args.trace { trace::place(asked)? } else { asked }, size)
    }

    fn open_device(&self, spec: &Spec, asked: DeviceName, size: [u64; 2]) -> Result<Opened, Failure> {
        let (device, why_no_gpu) = devices::open_for(asked, spec, size)?;
        let reducer = Reducer::new(spec, &device);
        let reducer = reducer.map_err(|error| self.source.explain(self.parsed, error))?;
        Ok(Opened { device, reducer, why_no_gpu })
    }

    /// Prints results of data that has not changed, or writes them to a file.
    fn report(
        &self,
        Opened { device, reducer, why_no_gpu }: &Opened,
        (Size { n, length, bytes }, elements): (Size, String),
        results: Results<'_>,
        kernel: Option<Duration>,
    ) -> Result<(), Failure> {
        self.data.iter().try_for_each(Data::check_unchanged)?;
        let report = Report {
            operation: &self.parsed.spec.operation,
            results,
            elements,
            n,
            bytes,
            device: &device.name(),
            passes: passes(reducer, length),
            kernel,
            total: self.start.elapsed(),
        };
        print((self.args.json, self.args.output.as_deref()), &report, why_no_gpu.as_ref())
    }
}

/// The size of a reduction.
struct Size {
    /// The number of elements of each input or, with axes, of all groups.
    n: u64,
    /// The number of elements of one result.
    length: u64,
    /// The bytes of all inputs.
    bytes: u64,
}

/// Returns the passes of the program for n elements.
pub(crate) fn passes(reducer: &Reducer, n: u64) -> Vec<String> {
    reducer.programs().for_len(n).passes.iter().map(ToString::to_string).collect()
}

/// Opens the files, and reads pipes to their end.
pub(crate) fn open(args: &Request) -> Result<Vec<Data>, Failure> {
    load(args, begin(args)?)
}

/// Reads pipes to their end.
fn load(args: &Request, data: Vec<Data>) -> Result<Vec<Data>, Failure> {
    data.into_iter().map(|data| Ok(data.loaded(reading(args))?)).collect()
}

fn reading(args: &Request) -> Reading {
    Reading { raw: args.raw, limit: args.limit }
}

/// Opens the files, and reads the beginning of long pipes.
fn begin(args: &Request) -> Result<Vec<Data>, Failure> {
    let standard = args.files.iter().filter(|path| path.as_os_str() == STANDARD_INPUT);
    if standard.count() > 1 {
        return Err(Failure::request(
            "the standard input, `-`, can be read once; save one of them to a file",
        ));
    }
    columns::begin(args, |path| Ok(Data::begin(path, reading(args))?))
}

/// Checks that each input has a file, and that their types agree.
pub(crate) fn fit(operation: &Operation, data: &[Data]) -> Result<(), Failure> {
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

/// Returns the elements of a reduction to one result.
pub(crate) fn views<'a>(
    args: &Request,
    operation: &Operation,
    data: &'a [Data],
) -> Result<Vec<Strided<LanesRef<'a>>>, Failure> {
    if args.shape.is_some() {
        return Err(Failure::request(
            "`--shape` is for specifications with `axes`; leave it out, or write `axes`",
        ));
    }
    let views = view::views(args, data)?;
    let mut pairs = data.windows(2).zip(views.windows(2));
    pairs.try_for_each(|(files, views)| fit_length(files, views))?;
    order::check(operation, data, &views)?;
    Ok(views)
}

fn fit_length(files: &[Data], views: &[Strided<LanesRef<'_>>]) -> Result<(), Failure> {
    let (n, m) = (views[0].len, views[1].len);
    if n == m {
        return Ok(());
    }
    let (first, second) = (files[0].path.display(), files[1].path.display());
    Err(Failure::request(format!("{first} gives {n} elements and {second} {m}; inputs must be equally long")))
}

/// Prints the results, as one line of JSON if asked, or writes them to a file.
pub(crate) fn print(
    (json, file): (bool, Option<&Path>),
    report: &Report<'_>,
    why_no_gpu: Option<&Error>,
) -> Result<(), Failure> {
    if json {
        return output::write(None, format!("{}\n", json::line(report)?).as_bytes());
    }
    match file {
        Some(path) => output::write(Some(path), &array(report)?)?,
        None => output::write(None, format!("{}\n", report.text()).as_bytes())?,
    }
    let why = if why_no_gpu.is_some() { "; no GPU (`reducegen devices` says why)" } else { "" };
    output::note(format!("{}{why}", report.summary()));
    Ok(())
}

/// Returns the results as a NumPy file.
fn array(report: &Report<'_>) -> Result<Vec<u8>, Failure> {
    let output = &report.operation.output;
    match report.results {
        Results::Groups(groups) | Results::Keys(_, groups) => {
            npy_file::file(output, &groups.shape, &groups.fields)
        }
        Results::One(values) => {
            let fields: Vec<_> = values.iter().map(|&value| Lanes::splat(value, 1)).collect();
            npy_file::file(output, &[], &fields)
        }
    }
}
