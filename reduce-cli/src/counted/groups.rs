//! Counts of a program for several groups.

use super::{Counted, differ};
use crate::elements;
use crate::shape::Shaped;
use reduce_interpreter::{Input, Options, Values, run};
use reduce_ir::Value;
use reduce_ir::axes::Nest;
use reduce_ir::program::Program;
use reduce_lanes::Lanes;
use reduce_report::counts::Sums;
use reduce_runtime::{Error, host};

impl Counted {
    /// Runs the program on row-major inputs in the interpreter, with all warps in order, and on the host. There is at
    /// least one group, with at least one element.
    pub(crate) fn of_groups(program: &Program, shaped: &Shaped) -> Result<Counted, Error> {
        let (operation, extent) = (&program.operation, shaped.extent());
        let params = shaped.nest.params(operation, &elements::params(operation));
        let lanes = elements::lanes(operation, shaped.counts());
        let sizes = sizes(&shaped.nest);
        let options = Options { sizes: &sizes, ..Options::FORWARD.with(&params) };
        let lowered = reduce_codegen::lower(program)?;
        let mut values = Values::new(operation);
        let outcome = run(program, &lowered, &mut values, &inputs(&lanes, &shaped.nest), extent, options);
        let finish = |acc| values.finish(acc, extent.length, &params).map_err(host::HostError::from);
        let found = outcome.results.iter().map(|acc| acc.map(finish).transpose());
        let found = found.collect::<Result<Vec<_>, _>>()?;
        let wanted = on_host(program, &lanes, shaped, &params)?;
        let wrong = outcome.reports.first().map(ToString::to_string);
        let wrong = wrong.or_else(|| first_difference(&found, &wanted));
        Ok(Counted { sums: Sums::of(program, &outcome.counts), wrong })
    }
}

/// Returns the lengths of the axes, kept ones first.
pub(crate) fn sizes(nest: &Nest) -> Vec<u64> {
    nest.kept.iter().chain(&nest.reduced).map(|dim| dim.length).collect()
}

/// Returns the inputs for the interpreter: elements that lie at their steps, from the first one on.
pub(crate) fn inputs(lanes: &[Lanes], nest: &Nest) -> Vec<Input> {
    let steps = nest.domain().steps();
    let input = |(at, lanes): (usize, &Lanes)| Input {
        elements: lanes.clone(),
        offset: 0,
        first: 0,
        steps: nest.steps(at).take(steps).collect(),
    };
    lanes.iter().enumerate().map(input).collect()
}

/// Returns the results of the host, one vector for each field.
fn on_host(
    program: &Program,
    lanes: &[Lanes],
    shaped: &Shaped,
    params: &[Value],
) -> Result<Vec<Lanes>, Error> {
    let views = shaped.views(lanes.iter().map(Lanes::borrow));
    let plan = host::Plan::new(&program.operation)?;
    Ok(plan.reduce_groups(&program.association(), &views, &shaped.nest, params)?)
}

/// Describes the first group whose results differ.
fn first_difference(found: &[Option<Vec<Value>>], wanted: &[Lanes]) -> Option<String> {
    found.iter().enumerate().find_map(|(group, found)| {
        let wanted: Vec<_> = wanted.iter().map(|field| field.get(group)).collect();
        differ("the interpreter", found.as_deref().unwrap_or_default(), &wanted)
    })
}
