//! `reducegen report`: one HTML file that shows a reduction.

mod cut;

use crate::args::{MOST_COUNTED, Report, Request};
use crate::counted::differ;
use crate::cut::Cutter;
use crate::failure::Failure;
use crate::groups::Inputs;
use crate::report::microseconds;
use crate::shape::Shaped;
use crate::source::Source;
use crate::timed::Clock;
use crate::{columns, data, devices, output, params, resources, run};
use reduce_codegen::{Stage, Tuning};
use reduce_ir::program::Program;
use reduce_ir::{Access, Spec, Value};
use reduce_lanes::{Lanes, LanesRef};
use reduce_report::{Data, Document, Outcome, Read, Time, page};

use reduce_runtime::{Architecture, Device, Error, Strided, host};
use std::path::Path;

/// The default number of elements: every step of each kernel fits the page.
const DEFAULT: u64 = 1024;

/// The maximum number of bytes of a file that is read from a pipe: more than the interpreter runs.
const MOST_BYTES: u64 = 1 << 26;

/// The elements, and the groups if there are axes.
struct Elements {
    data: Data,
    shaped: Option<Shaped>,
}

/// Writes the report of a specification.
pub(crate) fn report(args: &Report) -> Result<(), Failure> {
    check_output(args.output.as_deref())?;
    let (source, request) = (Source::read(&args.spec)?, request(args));
    let mut files = run::open(&request)?;
    if files.iter().any(|file| file.present().is_some()) {
        return Err(Failure::request(
            "a report shows elements without gaps, and values are absent; save those that are present",
        ));
    }
    let mut cutter = Cutter::open(&request, args.segments.as_deref(), args.by.as_slice())?;
    let (source, parsed) = match &files[..] {
        [] => source.parse(None).map(|parsed| (source, parsed))?,
        _ => columns::parse(source, &mut files, cutter.as_mut())?,
    };
    if let Some(document) = cut::report(args, (&source, &parsed), &files, cutter.as_ref())? {
        files.iter().try_for_each(data::Data::check_unchanged)?;
        return write(args.output.as_deref(), &document);
    }
    let elements = match &files[..] {
        [] => Elements::generated(args, &parsed.spec)?,
        files => Elements::of_files(&request, &parsed.spec, files)?,
    };
    let device = devices::open_to_time(args.device)?;
    let tuning = device.architecture().map_or(Tuning::DEFAULT, Architecture::tuning);
    let spec = elements.shaped.as_ref().map_or(&parsed.spec, |shaped| &shaped.spec);
    let stages = reduce_codegen::runnable_stages(spec, tuning, elements.data.extent.length);
    let stages = stages.map_err(|error| source.explain(&parsed, error.into()))?;
    let (mut document, outcomes) = Document::of(&parsed, &stages, &elements.data).map_err(failure)?;
    for (stage, outcome) in stages.iter().zip(&outcomes) {
        elements.check(stage, outcome)?;
    }
    document.checked = true;
    measure(&mut document, &stages, &elements, &device)?;
    files.iter().try_for_each(data::Data::check_unchanged)?;
    write(args.output.as_deref(), &document)
}

/// Adds the resources of the last program, and the times of all programs, as far as this machine knows them.
fn measure(
    document: &mut Document,
    stages: &[Stage],
    elements: &Elements,
    device: &Device,
) -> Result<(), Failure> {
    let Some(last) = stages.last() else { return Ok(()) };
    match resources::of(&last.program, device.architecture()) {
        Ok(found) => document.resources = found,
        Err(error) => document.missing = Some(resources::missing(&error)),
    }
    let Some(mut clock) = Clock::of(device).filter(|_| elements.shaped.is_none()) else { return Ok(()) };
    let n = elements.data.extent.length;
    let bytes = n * last.program.operation.element_size() as u64;
    let us = microseconds(clock.read(bytes)?);
    let known = format!("measured on {}", device.description());
    document.read = Some(Read { bytes, us, known });
    for (view, stage) in document.stages.iter_mut().zip(stages) {
        let (time, wrong) = clock.time(&stage.program, n)?;
        if let Some(wrong) = wrong {
            return Err(Failure::Wrong(wrong));
        }
        let (first_us, all_us) = (microseconds(time.first), microseconds(time.all));
        view.time = Some(Time { first_us, all_us, device: device.description() });
    }
    Ok(())
}

/// Refuses to print a page on a terminal.
pub(crate) fn check_output(file: Option<&Path>) -> Result<(), Failure> {
    if output::is_screen(file) {
        return Err(Failure::request(
            "a report is a page for a browser; name a file for it, as with `-o report.html`",
        ));
    }
    Ok(())
}

/// Writes a document as a page.
pub(crate) fn write(file: Option<&Path>, document: &Document) -> Result<(), Failure> {
    let page = page(document).map_err(|error| Failure::Wrong(error.to_string()))?;
    output::write(file, page.as_bytes())
}

/// Returns the failure of the command.
pub(crate) fn failure(error: reduce_report::Error) -> Failure {
    match error {
        reduce_report::Error::Codegen(error) => Failure::Runtime(error.into()),
        reduce_report::Error::Wrong(wrong) => Failure::Wrong(wrong),
        error @ (reduce_report::Error::Key { .. }
        | reduce_report::Error::TooManyGroups { .. }
        | reduce_report::Error::Runs
        | reduce_report::Error::KeptAxes) => Failure::request(error.to_string()),
    }
}

impl Elements {
    /// Reads the elements of files.
    fn of_files(request: &Request, spec: &Spec, files: &[data::Data]) -> Result<Elements, Failure> {
        let operation = &spec.operation;
        run::fit(operation, files)?;
        let params = params::values(&request.params, spec)?;
        if let Some(axes) = &spec.axes {
            let Inputs { shaped, views } = Inputs::of(request, spec, axes, files)?;
            check_count(shaped.extent().elements())?;
            let lanes = views.iter().map(|view| owned(view.data)).collect();
            let data = Data::nested(operation, &shaped.nest, lanes, &params);
            return Ok(Elements { data, shaped: Some(shaped) });
        }
        if spec.domain.access != Access::Contiguous {
            let message =
                "a report takes whole files; leave `layout: strided` out, or FILE for generated elements";
            return Err(Failure::request(message));
        }
        let views = run::views(request, operation, files)?;
        let n = views.first().map_or(0, |view| view.len as u64);
        check_count(n)?;
        let lanes = views.iter().map(|view| owned(view.data)).collect();
        Ok(Elements { data: Data::whole(lanes, 1, n, params), shaped: None })
    }

    /// Generates the elements that the arguments ask for.
    fn generated(args: &Report, spec: &Spec) -> Result<Elements, Failure> {
        let Some(shape) = &args.shape else {
            if spec.axes.is_some() {
                let message = "the kernels of axes depend on the shape; give one, as in `--shape 8x256`";
                return Err(Failure::request(message));
            }
            let n = args.n.unwrap_or(DEFAULT);
            check_count(n)?;
            return Ok(Elements { data: Data::generated(&spec.operation, spec.domain, n), shaped: None });
        };
        let shaped = Shaped::of_lengths(spec, shape, args.fortran)?;
        check_count(shaped.extent().elements())?;
        let data = Data::shaped(&spec.operation, &shaped.nest, shaped.counts());
        Ok(Elements { data, shaped: Some(shaped) })
    }

    /// Compares the results of a stage with those of the host, bit for bit.
    fn check(&self, stage: &Stage, outcome: &Outcome) -> Result<(), Failure> {
        let host = match &self.shaped {
            None => vec![self.on_host(&stage.program)?],
            Some(shaped) => self.groups_on_host(&stage.program, shaped)?,
        };
        let values = |values: &Option<Vec<Value>>| values.clone().unwrap_or_default();
        let mut pairs = outcome.results.iter().zip(&host);
        let wrong = pairs.find_map(|(found, host)| differ("the interpreter", &values(found), host));
        wrong.map_or(Ok(()), |wrong| Err(Failure::Wrong(wrong)))
    }

    fn on_host(&self, program: &Program) -> Result<Vec<Value>, Error> {
        let (len, inputs) = (self.data.extent.length as usize, &self.data.inputs);
        let step = |steps: &[i64]| steps.first().copied().unwrap_or(1) as isize;
        let views: Vec<_> = inputs
            .iter()
            .map(|it| Strided { data: it.elements.borrow(), offset: 0, step: step(&it.steps), len })
            .collect();
        Ok(host::reduce_with(&program.operation, &program.association(), &views, &self.data.params)?)
    }

    fn groups_on_host(&self, program: &Program, shaped: &Shaped) -> Result<Vec<Vec<Value>>, Error> {
        let (nest, inputs) = (&shaped.nest, self.data.inputs.iter());
        let views = shaped.views(inputs.map(|input| input.elements.borrow()));
        let plan = host::Plan::new(&program.operation)?;
        let fields: Vec<Lanes> =
            plan.reduce_groups(&program.association(), &views, nest, &self.data.params)?;
        let group = |at: usize| fields.iter().map(|field| field.get(at)).collect();
        Ok((0..nest.extent().groups as usize).map(group).collect())
    }
}

/// Returns the arguments of `run` for the files of a report.
fn request(args: &Report) -> Request {
    Request {
        spec: args.spec.clone(),
        files: args.files.clone(),
        column: Vec::new(),
        raw: None,
        offset: vec![0],
        step: vec![1],
        len: None,
        axis: Vec::new(),
        keepdims: false,
        shape: None,
        limit: MOST_BYTES,
        params: args.params.clone(),
        device: args.device,
    }
}

fn owned(data: LanesRef<'_>) -> Lanes {
    let mut lanes = Lanes::empty(data.ty());
    lanes.extend(data);
    lanes
}

fn check_count(n: u64) -> Result<(), Failure> {
    if (1..=MOST_COUNTED).contains(&n) {
        return Ok(());
    }
    Err(Failure::request(format!(
        "a report runs 1 to {MOST_COUNTED} elements in the interpreter, not {n}; take fewer"
    )))
}
