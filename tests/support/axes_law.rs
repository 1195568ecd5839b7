//! The law of reductions with many outputs: each group has the bits of its elements alone, on the host and in the interpreter,
//! whatever its layout and its neighbours.
#![allow(dead_code, reason = "no test uses all of it")]

use super::axes_shapes::Shape;
use super::axes_specs::{Fuzzed, Results, compare};
use super::fuzzed::Pool;
use super::splitmix::Random;
use super::subjects::{NO_RESULT, bits, missing};
use reduce_codegen::{Programs, Tuning, lower};
use reduce_interpreter::{Branches, Input, Options, Schedule, Values, Warps, run};
use reduce_ir::axes::{Kept, Nest};
use reduce_ir::operation::{Argument, Order};
use reduce_ir::program::{Program, Reads};
use reduce_ir::spec::Passes;
use reduce_ir::{Domain, Spec};
use reduce_lanes::{Lanes, LanesRef};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The greatest number of threads that are interpreted.
const THREADS: u64 = 1 << 16;

/// The number of compared samples with each property.
#[derive(Default)]
pub(crate) struct Seen(pub(crate) BTreeMap<String, usize>);

impl Seen {
    pub(crate) fn count(&mut self, property: impl Into<String>) {
        *self.0.entry(property.into()).or_default() += 1;
    }

    pub(crate) fn of(&self, property: &str) -> usize {
        self.0.get(property).copied().unwrap_or(0)
    }

    #[must_use]
    pub(crate) fn plus(mut self, other: Seen) -> Seen {
        other.0.into_iter().for_each(|(property, count)| *self.0.entry(property).or_default() += count);
        self
    }
}

/// Checks the specification of a seed. Returns the first difference, or a panic, as an error.
pub(crate) fn sample(
    seed: u64,
    check: impl FnOnce(&Fuzzed, &mut Random, &mut Seen) -> Result<(), String>,
) -> (Result<(), String>, Seen) {
    let mut seen = Seen::default();
    let checked = || match Fuzzed::of_seed(seed)? {
        None => Ok(()),
        Some(fuzzed) => {
            seen.count("accepted specification");
            (0..fuzzed.refused).for_each(|_| seen.count("refused pass"));
            check(&fuzzed, &mut Random::new(seed), &mut seen)
        }
    };
    let caught = catch_unwind(AssertUnwindSafe(checked));
    let caught = caught.unwrap_or_else(|_| Err("it panics".to_owned()));
    (caught.map_err(|what| format!("seed {seed}: {what}")), seen)
}

impl Fuzzed {
    /// Describes a difference: the specification, the shape and the class of the elements.
    pub(crate) fn described(&self, shape: &Shape, what: &str) -> String {
        format!("{}\n{shape}\n{}: {what}", self.spec.text, self.class())
    }

    /// Checks the law for one shape. Returns the difference as an error.
    pub(crate) fn check(
        &self,
        shape: &Shape,
        pool: &Pool,
        random: &mut Random,
        seen: &mut Seen,
    ) -> Result<(), String> {
        let described = |what: String| self.described(shape, &what);
        let data = self.data(shape, pool);
        let wanted = self.each_alone(shape, &data);
        compare("host", &self.by(&self.groups, shape, &data), &wanted).map_err(described)?;
        self.see(shape, &wanted, seen);
        if wanted.is_err() || shape.groups() * shape.length() == 0 {
            return Ok(());
        }
        match self.interpreted(shape, &data, random).map_err(described)? {
            Some(found) => compare("interpreter", &Ok(found), &wanted).map_err(described),
            None => {
                seen.count("too many threads");
                Ok(())
            }
        }
    }

    /// Returns the programs for groups of this domain.
    pub(crate) fn programs(&self, domain: Domain, tuning: Tuning) -> Result<Programs, String> {
        Programs::of(&Spec { domain, ..self.spec.clone() }, tuning)
            .map_err(|error| format!("{domain:?}: {error}"))
    }

    /// Returns the results in the interpreter, for a random GPU and schedule. `None`: it would take too long.
    fn interpreted(
        &self,
        shape: &Shape,
        data: &[LanesRef<'_>],
        random: &mut Random,
    ) -> Result<Option<Vec<String>>, String> {
        let nest = self.nest(shape)?;
        let programs = self.programs(nest.domain(), Tuning::of(random.pick(&[75, 80, 90, 100])))?;
        let program = programs.for_len(nest.extent().length);
        if threads(program, &nest) > THREADS {
            return Ok(None);
        }
        let inputs = data.iter().enumerate().map(|(at, data)| input(shape, &nest, at, *data));
        let inputs: Vec<_> = inputs.collect();
        self.run(program, &nest, &inputs, schedule(program, random)).map(Some)
    }

    fn run(
        &self,
        program: &Program,
        nest: &Nest,
        inputs: &[Input],
        schedule: Schedule,
    ) -> Result<Vec<String>, String> {
        let lowered = lower(program).map_err(|error| error.to_string())?;
        let mut domain = Values::new(&program.operation);
        let sizes: Vec<_> = nest.kept.iter().chain(&nest.reduced).map(|dim| dim.length).collect();
        let params = nest.params(&program.operation, &self.params);
        let options = Options { sizes: &sizes, ..Options::under(schedule).with(&params) };
        let outcome = run(program, &lowered, &mut domain, inputs, nest.extent(), options);
        if let Some(report) = outcome.reports.first() {
            return Err(format!("{report:?}\n{program}"));
        }
        let result = |acc| {
            let values = domain.finish(acc, nest.extent().length, &params).unwrap();
            let values = program.operation.unstored(values);
            values.map_or_else(missing, |values| bits(Ok(values)))
        };
        Ok(outcome.results.iter().map(|acc| acc.map_or_else(|| "not stored".to_owned(), result)).collect())
    }

    /// Counts the properties of a sample.
    fn see(&self, shape: &Shape, results: &Results, seen: &mut Seen) {
        self.see_shape(shape, seen);
        match results {
            Err(_) => seen.count("refused by the call"),
            Ok(results) if results.iter().any(|it| it == NO_RESULT) => seen.count("without result"),
            Ok(results) if shape.length() == 0 && !results.is_empty() => {
                seen.count("a result of no elements")
            }
            Ok(_) => seen.count("with results"),
        }
        if let Ok(nest) = self.nest(shape) {
            seen.count(format!("kept {}", nest.domain().kept));
            seen.count(nest.domain().access.to_string());
        }
        let programs = self.groups.programs();
        let passes = &programs.for_len(shape.length() as u64).passes;
        passes.iter().for_each(|pass| seen.count(pass.name));
    }

    fn see_shape(&self, shape: &Shape, seen: &mut Seen) {
        let axes = self.axes();
        let steps = || shape.inputs.iter().flat_map(|input| input.steps.iter().zip(&input.lengths));
        let moves = |by: fn(isize) -> bool| steps().any(|(&step, &length)| length > 1 && by(step));
        let properties = [
            ("no groups", shape.groups() == 0),
            ("no elements", shape.length() == 0),
            ("one element", shape.length() == 1),
            ("a step back", moves(|step| step < 0)),
            ("a step of 0", moves(|step| step == 0)),
            ("a long step", moves(|step| step > 1)),
            ("inputs with axes of their own", axes.is_by_input),
            ("leading axes", axes.inputs.iter().any(|pattern| pattern.has_leading)),
            ("a split", axes.inputs.iter().flat_map(|pattern| &pattern.dims).any(|dim| dim.len() > 1)),
            ("an axis of length 1 in the result", axes.result.contains(&Kept::One)),
            ("auto", self.spec.passes == Passes::Auto),
            ("a position along a kept axis", self.spec.operation.uses(Argument::Group)),
            ("a position along a reduced axis", self.alone.operation().index == "index_in_group"),
        ];
        properties.iter().filter(|property| property.1).for_each(|property| seen.count(property.0));
    }
}

/// Returns the number of threads of the first launch.
fn threads(program: &Program, nest: &Nest) -> u64 {
    program.plan().launches(nest.extent())[0].grid * u64::from(program.threads(Reads::Inputs))
}

/// Returns an input of the interpreter.
fn input(shape: &Shape, nest: &Nest, at: usize, data: LanesRef<'_>) -> Input {
    let layout = &shape.inputs[at];
    let mut elements = Lanes::empty(data.ty());
    elements.extend(data);
    let steps = nest.steps(at).take(nest.domain().steps()).collect();
    Input { elements, offset: layout.start as u64, first: layout.offset as u64, steps }
}

/// Returns a random schedule, or the forward one if the order of blocks affects the bits.
fn schedule(program: &Program, random: &mut Random) -> Schedule {
    let warps = random.pick(&[Warps::Forward, Warps::Backward, Warps::Random(random.clone().bits())]);
    let branches = random.pick(&[Branches::Converging, Branches::Diverging]);
    let schedule = Schedule { warps, branches, last: None };
    if is_unordered(program) { Schedule::FORWARD } else { schedule }
}

/// Returns whether the order of blocks affects the bits.
pub(crate) fn is_unordered(program: &Program) -> bool {
    let operation = &program.operation;
    program.kernel(Reads::Inputs).is_atomic() && operation.order == Order::Any && !operation.exact
}
