//! The elements that a report reduces.

mod cut;

pub use cut::Cutting;

use crate::elements;
use reduce_dsl::ladder::STEP;
use reduce_interpreter::Input;
use reduce_ir::axes::{Dim, Nest};
use reduce_ir::operation::Operation;
use reduce_ir::{Domain, Extent, Value};
use reduce_lanes::Lanes;

/// The elements of all inputs, and the params of the call.
#[derive(Clone, Debug)]
pub struct Data {
    /// The inputs for the interpreter.
    pub inputs: Vec<Input>,
    /// The params.
    pub params: Vec<Value>,
    /// The number of groups, and of elements in each.
    pub extent: Extent,
    /// The lengths of the axes, kept ones first; empty for one group.
    pub sizes: Vec<u64>,
    /// The group of each element of the first input, if there are several groups and not too many elements.
    pub groups: Option<Vec<Option<u64>>>,
    /// How the elements are cut into groups.
    pub cut: Cutting,
}

/// The maximum number of elements whose groups are listed.
const LISTED: usize = 1 << 14;

impl Data {
    /// Returns n generated elements of each input, in one group.
    pub fn generated(operation: &Operation, domain: Domain, n: u64) -> Data {
        let step = if domain.steps() > 0 { STEP } else { 1 };
        let len = n.saturating_sub(1) * step + n.min(1);
        let lanes = elements::lanes(operation, std::iter::repeat(len));
        Data::whole(lanes, step as i64, n, elements::params(operation))
    }

    /// Returns the elements of one group, `step` apart.
    pub fn whole(lanes: Vec<Lanes>, step: i64, n: u64, params: Vec<Value>) -> Data {
        let input = |elements| Input { elements, offset: 0, first: 0, steps: vec![step] };
        let inputs = lanes.into_iter().map(input).collect();
        Data { inputs, params, extent: n.into(), sizes: Vec::new(), groups: None, cut: Cutting::Even }
    }

    /// Returns generated elements of the groups of a nest; `counts` are the numbers of elements of the inputs.
    pub fn shaped(operation: &Operation, nest: &Nest, counts: impl Iterator<Item = u64>) -> Data {
        Data::nested(operation, nest, elements::lanes(operation, counts), &elements::params(operation))
    }

    /// Returns the groups of a nest over the given elements.
    pub fn nested(operation: &Operation, nest: &Nest, lanes: Vec<Lanes>, params: &[Value]) -> Data {
        let params = nest.params(operation, params);
        let axes = nest.domain().steps();
        let groups = lanes.first().and_then(|first| groups(nest, first.len()));
        let input = |(at, elements)| {
            let steps = nest.steps(at).take(axes).collect();
            Input { elements, offset: 0, first: 0, steps }
        };
        let inputs = lanes.into_iter().enumerate().map(input).collect();
        let sizes = nest.kept.iter().chain(&nest.reduced).map(|dim| dim.length).collect();
        Data { inputs, params, extent: nest.extent(), sizes, groups, cut: Cutting::Even }
    }
}

/// Returns the group of each of the `len` elements of the first input. An element that several groups share has the last of them.
fn groups(nest: &Nest, len: usize) -> Option<Vec<Option<u64>>> {
    let extent = nest.extent();
    if len > LISTED || extent.elements() > LISTED as u64 {
        return None;
    }
    let mut groups = vec![None; len];
    for item in 0..extent.elements() {
        let (group, position) = (item / extent.length, item % extent.length);
        let place = along(&nest.kept, group) + along(&nest.reduced, position);
        if let Some(of_element) = usize::try_from(place).ok().and_then(|place| groups.get_mut(place)) {
            *of_element = Some(group);
        }
    }
    Some(groups)
}

/// Returns the distance in the first input of a position along axes from their first element.
fn along(dims: &[Dim], position: u64) -> u64 {
    let (mut rest, mut sum) = (position, 0);
    for dim in dims.iter().rev() {
        sum += rest % dim.length * dim.steps.first().map_or(0, |step| step.unsigned_abs());
        rest /= dim.length;
    }
    sum
}
