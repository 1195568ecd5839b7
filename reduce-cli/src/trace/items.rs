//! The elements of a trace: their places in memory, and their names.

use super::names::Names;
use reduce_interpreter::{Acc, Domain as _, Input, PerLane, Values};
use reduce_ir::axes::{Dim, Nest};
use reduce_ir::operation::{Argument, Operation};
use reduce_ir::{Extent, Value};
use reduce_lanes::{Lanes, LanesRef};
use reduce_runtime::{Strided, View};
use std::collections::HashMap;

/// The elements of all inputs. Item i is an element of each input; items of one group follow each other.
#[derive(Debug)]
pub(super) struct Items {
    pub(super) extent: Extent,
    /// The lengths of the axes, kept ones first.
    pub(super) sizes: Vec<u64>,
    pub(super) names: Names,
    /// The inputs for the interpreter.
    pub(super) inputs: Vec<Input>,
    /// The place of each item in the elements of each input.
    places: Vec<Vec<u64>>,
    /// The items by their places.
    items: HashMap<Vec<u64>, u64>,
}

impl Items {
    /// Returns the elements of one group, side by side.
    pub(super) fn of_whole(operation: &Operation, views: &[Strided<LanesRef<'_>>]) -> Items {
        let n = views.first().map_or(0, |view| view.len as u64);
        let inputs = views.iter().map(|view| Input { steps: vec![1], ..Input::new(contiguous(view), true) });
        let names = Names::of_items(operation, views);
        let places = (0..n).map(|at| vec![at; views.len()]).collect();
        Items::new(Extent::from(n), Vec::new(), names, inputs.collect(), places)
    }

    /// Returns the elements of all groups, where they lie.
    pub(super) fn of_groups(operation: &Operation, views: &[View<LanesRef<'_>>], nest: &Nest) -> Items {
        let extent = nest.extent();
        let input = |(at, view): (usize, &View<LanesRef<'_>>)| Input {
            steps: nest.steps(at).take(nest.domain().steps()).collect(),
            ..Input::new(owned(view.data), true)
        };
        let inputs = views.iter().enumerate().map(input).collect();
        let place = |item: u64| {
            let (group, position) = (item / extent.length, item % extent.length);
            let of = |input| along(&nest.kept, input, group) + along(&nest.reduced, input, position);
            (0..views.len()).map(of).collect()
        };
        let places = (0..extent.elements()).map(place).collect();
        let sizes = nest.kept.iter().chain(&nest.reduced).map(|dim| dim.length).collect();
        Items::new(extent, sizes, Names::of_groups(operation, views), inputs, places)
    }

    fn new(
        extent: Extent,
        sizes: Vec<u64>,
        names: Names,
        inputs: Vec<Input>,
        places: Vec<Vec<u64>>,
    ) -> Items {
        let items = places.iter().cloned().zip(0..).collect();
        Items { extent, sizes, names, inputs, places, items }
    }

    /// Returns inputs whose elements are their own places.
    pub(super) fn positions(&self) -> Vec<Input> {
        let position = |input: &Input| {
            let count = input.elements.len() as u64;
            Input { elements: Lanes::U64((0..count).collect()), ..input.clone() }
        };
        self.inputs.iter().map(position).collect()
    }

    /// Returns the item that a lane passes to a function, given the places of its elements.
    pub(super) fn at(&self, args: &[PerLane<u64>], lane: usize) -> Option<u64> {
        let place: Vec<_> = args.iter().take(self.inputs.len()).map(|arg| arg[lane]).collect();
        self.items.get(&place).copied()
    }

    /// Returns the accumulator that `map` makes of one item.
    pub(super) fn mapped(
        &self,
        values: &mut Values<'_>,
        operation: &Operation,
        item: u64,
        params: &[Value],
    ) -> Option<Acc> {
        let places = &self.places[item as usize];
        let bits = |argument: &Argument| match *argument {
            Argument::Input(input) => self.inputs[input].elements.get(places[input] as usize).bits(),
            Argument::Param(param) => params[param].bits(),
            Argument::Group => item / self.extent.length,
            Argument::Index | Argument::Acc(_) | Argument::Step | Argument::Count => {
                item % self.extent.length
            }
        };
        let args: Vec<PerLane<u64>> = operation.map_arguments().iter().map(|it| [bits(it); 32]).collect();
        let mut made = [None; 32];
        values.map(&args, 1, &mut made).ok()?;
        made[0]
    }

    /// Returns the name of an item.
    pub(super) fn name(&self, item: u64) -> String {
        self.names.of(item, self.places[item as usize].first().copied().unwrap_or(item))
    }
}

/// Returns the distance of a position along axes from their first element. Steps are positive in arrays.
fn along(dims: &[Dim], input: usize, position: u64) -> u64 {
    let (mut rest, mut sum) = (position, 0);
    for dim in dims.iter().rev() {
        sum += rest % dim.length * dim.steps[input].unsigned_abs();
        rest /= dim.length;
    }
    sum
}

/// Copies the elements of a view into contiguous lanes.
fn contiguous(view: &Strided<LanesRef<'_>>) -> Lanes {
    let mut lanes = Lanes::empty(view.data.ty());
    lanes.resize(view.len);
    let places = (0..view.len).filter_map(|i| view.place(i));
    places.enumerate().for_each(|(i, place)| lanes.set(i, view.data.get(place)));
    lanes
}

fn owned(data: LanesRef<'_>) -> Lanes {
    let mut lanes = Lanes::empty(data.ty());
    lanes.extend(data);
    lanes
}
