//! Reports of segments and keys: the elements and what cuts them, from files or generated, and the comparison with the host.

use super::{check_count, failure, owned, request};
use crate::args::Report;
use crate::counted::differ;
use crate::cut::Cutter;
use crate::data;
use crate::failure::Failure;
use crate::groups::Inputs;
use crate::shape::{Lengths, Shaped};
use crate::source::Source;
use crate::{cut, devices, params, resources, run};
use reduce_codegen::Tuning;
use reduce_dsl::parse::{Bytes, Parsed};
use reduce_ir::axes::{Cut, Keys, Nest};
use reduce_ir::operation::Operation;
use reduce_ir::{Axes, Scalar, Spec, Value};
use reduce_lanes::{Lanes, LanesRef};
use reduce_report::{CutProgram, Cutting, Data, Document, Outcome, elements};
use reduce_runtime::{Architecture, Device, Groups, Reducer, View};

/// The default number of elements with keys: a block loads whole rows of them.
const DEFAULT_OF_KEYS: u64 = 4096;

/// Returns the report of segments or keys; none for other groups.
pub(super) fn report(
    args: &Report,
    (source, parsed): (&Source, &Parsed<Bytes>),
    files: &[data::Data],
    cutter: Option<&Cutter>,
) -> Result<Option<Document>, Failure> {
    let spec = match cutter {
        Some(_) => cut::applied(parsed.spec.clone(), cutter, files.len())?,
        None => parsed.spec.clone(),
    };
    let Some(axes) = spec.axes.as_ref().filter(|axes| axes.cut != Cut::Whole) else { return Ok(None) };
    let reducer = Reducer::new(&spec, &Device::host()).map_err(|error| source.explain(parsed, error))?;
    let elements = Elements::of(args, &spec, axes, files)?;
    let (data, host) = elements.cut(axes, &reducer, cutter)?;
    let architecture = devices::open_to_time(args.device)?.architecture();
    let tuning = architecture.map_or(Tuning::DEFAULT, Architecture::tuning);
    let program = CutProgram::of(&spec, &data, tuning).map_err(failure)?;
    let Some(program) = program else { return Ok(None) };
    let parsed = Parsed { spec, ..parsed.clone() };
    let (mut document, outcome) = Document::of_kernels(&parsed, program.kernels(), &data).map_err(failure)?;
    compare(&outcome, &host)?;
    cutter.map_or(Ok(()), Cutter::check_unchanged)?;
    document.checked = true;
    document.notes.extend((files.is_empty()).then(|| note(&data)));
    resources::add_of_kernels(&mut document, program.kernels(), architecture);
    Ok(Some(document))
}

/// Names the generated data, and the options that read it from files instead.
fn note(data: &Data) -> String {
    let files = match data.cut {
        Cutting::Segments(_) => " Name files of elements, and `--segments offsets.npy`, to see your own.",
        Cutting::Keys { are_given: true } => " Name files of elements, and `--by keys.npy`, to see your own.",
        Cutting::Keys { are_given: false } | Cutting::Even => " Name files of elements to see your own.",
    };
    elements::note(data).to_owned() + files
}

/// The elements of the inputs.
struct Elements<'a> {
    operation: &'a Operation,
    shaped: Shaped,
    nest: Nest,
    lanes: Vec<Lanes>,
    params: Vec<Value>,
}

impl<'a> Elements<'a> {
    /// Reads the elements from files, or generates the number that the arguments give.
    fn of(args: &Report, spec: &'a Spec, axes: &Axes, files: &[data::Data]) -> Result<Elements<'a>, Failure> {
        let operation = &spec.operation;
        let (shaped, lanes, params) = if files.is_empty() {
            let lengths = lengths(args, axes)?;
            let shaped = Shaped::of_lengths(spec, &lengths, args.fortran)?;
            check_count(shaped.counts().max().unwrap_or(0))?;
            let lanes = elements::lanes(operation, shaped.counts());
            (shaped, lanes, elements::params(operation))
        } else {
            run::fit(operation, files)?;
            let request = request(args);
            let params = params::values(&request.params, spec)?;
            let Inputs { shaped, views } = Inputs::of(&request, spec, axes, files)?;
            (shaped, views.iter().map(|view| owned(view.data)).collect(), params)
        };
        check_count(shaped.extent().elements())?;
        let nest = shaped.written(axes)?;
        Ok(Elements { operation, shaped, nest, lanes, params })
    }

    /// Cuts the elements. Returns them with the results of the host, which checks offsets and keys.
    fn cut(self, axes: &Axes, reducer: &Reducer, cutter: Option<&Cutter>) -> Result<(Data, Groups), Failure> {
        let given = cutter.map(Cutter::lanes).transpose()?.map(owned);
        match axes.cut {
            Cut::Keys(keys) => self.with_keys(keys, reducer, given),
            Cut::Offsets(ty) => self.with_offsets(ty, reducer, given),
            Cut::Whole | Cut::Runs(_) => Err(failure(reduce_report::Error::Runs)),
        }
    }

    fn with_offsets(
        self,
        ty: Scalar,
        reducer: &Reducer,
        given: Option<Lanes>,
    ) -> Result<(Data, Groups), Failure> {
        let generated = || numbers(ty, &elements::offsets(self.nest.extent().length));
        let offsets = given.unwrap_or_else(generated);
        let host = reducer.reduce_segments(&self.views(), offsets.borrow(), &self.params)?;
        let places = (0..offsets.len()).map(|at| offsets.get(at).bits()).collect();
        let params = self.nest.params(self.operation, &self.params);
        Ok((Data::segments(&self.nest, self.lanes, places, params).map_err(failure)?, host))
    }

    fn with_keys(
        mut self,
        keys: Keys,
        reducer: &Reducer,
        given: Option<Lanes>,
    ) -> Result<(Data, Groups), Failure> {
        let n = self.nest.extent().length;
        let given = given.or_else(|| keys.given.map(|ty| elements::keys(ty, keys, n)));
        let host = match &given {
            Some(given) => {
                let keys = View::new(given.borrow(), [given.len()]);
                reducer.reduce_keys(&self.views(), keys, &self.params)?
            }
            None => reducer.reduce_groups(&self.views(), &self.params)?,
        };
        self.lanes.extend(given);
        Ok((Data::keyed(self.operation, keys, self.lanes, self.params).map_err(failure)?, host))
    }

    fn views(&self) -> Vec<View<LanesRef<'_>>> {
        self.shaped.views(self.lanes.iter().map(Lanes::borrow))
    }
}

/// Returns the lengths of the axes, from the arguments or from the number of elements if there is one axis.
fn lengths(args: &Report, axes: &Axes) -> Result<Lengths, Failure> {
    let is_line = axes.axes.len() == 1;
    match &args.shape {
        Some(shape) => Ok(shape.clone()),
        None if is_line => {
            let default = if let Cut::Keys(_) = axes.cut { DEFAULT_OF_KEYS } else { super::DEFAULT };
            Ok(Lengths::OfInputs(vec![args.n.unwrap_or(default)]))
        }
        None => {
            Err(Failure::request("axes beside segments have lengths; give them, as in `--shape e=256,f=4`"))
        }
    }
}

fn numbers(ty: Scalar, numbers: &[u64]) -> Lanes {
    let mut lanes = Lanes::empty(ty);
    lanes.resize(numbers.len());
    numbers.iter().enumerate().for_each(|(at, &number)| lanes.set(at, Value::from_bits(ty, number)));
    lanes
}

/// Compares the results of the interpreter with those of the host, bit for bit.
fn compare(outcome: &Outcome, host: &Groups) -> Result<(), Failure> {
    if outcome.results.len() != host.len() {
        let (found, host) = (outcome.results.len(), host.len());
        return Err(Failure::Wrong(format!("the interpreter has {found} results, and the host {host}")));
    }
    let wrong = outcome.results.iter().enumerate().find_map(|(group, found)| {
        let host = host.get(group).unwrap_or_default();
        let difference = differ("the interpreter", found.as_deref().unwrap_or_default(), &host)?;
        Some(format!("group {group}: {difference}"))
    });
    wrong.map_or(Ok(()), |wrong| Err(Failure::Wrong(wrong)))
}
