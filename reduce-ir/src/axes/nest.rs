//! The nest of loops that axes become for inputs of given shapes: a loop over each kept axis, and inside them a loop over each
//! reduced axis.

use super::found::Found;
use super::{Axes, Pattern, ShapeError, Untold};
use crate::operation::Operation;
use crate::{Access, Beside, Domain, Extent};
use std::cmp::Reverse;

/// The shape of an input: lengths and steps, slowest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// The lengths.
    pub lengths: Vec<u64>,
    /// The distance to the next element of each dimension, in elements: 0 repeats an element, a negative one leads backwards.
    pub steps: Vec<i64>,
}

impl Shape {
    /// Returns the shape of elements that lie side by side, the last dimension fastest. `None` if there are too many of them.
    pub fn row_major(lengths: &[u64]) -> Option<Shape> {
        let mut step = 1u64;
        let mut steps = vec![0; lengths.len()];
        for (place, &length) in steps.iter_mut().zip(lengths).rev() {
            *place = i64::try_from(step).ok()?;
            step = step.checked_mul(length.max(1))?;
        }
        Some(Shape { lengths: lengths.to_vec(), steps })
    }
}

/// Loops over groups, and over the elements of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nest {
    /// The kept axes, slowest first.
    pub kept: Vec<Dim>,
    /// The reduced axes, slowest first. The position of an element in its group counts over them.
    pub reduced: Vec<Dim>,
    /// The shape of the result.
    pub result: Vec<u64>,
    /// The places of the axes of [`Axes::axes`] among the loops, before they are merged.
    pub along: Vec<Along>,
}

/// The place of an axis among the kept or the reduced axes. Position `p` of group or element number `k` is
/// `k / inner % length`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Along {
    /// The length of the axis.
    pub length: u64,
    /// The number of groups or elements from one position to the next: the product of the lengths of the axes that follow.
    pub inner: u64,
}

/// One loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dim {
    /// The number of turns.
    pub length: u64,
    /// The step of each input.
    pub steps: Vec<i64>,
}

/// The length that stands for any length above 1.
const MANY: u64 = 2;

impl Axes {
    /// Returns the domain of row-major inputs whose axes have many elements. `..` stands for one axis.
    pub fn domain(&self) -> Domain {
        let mut axes = self.clone();
        axes.axes.iter_mut().for_each(|axis| axis.length = axis.length.map(|length| length.min(MANY)));
        let length = |at: &usize| axes.axes[*at].length.unwrap_or(MANY);
        let shape = |pattern: &Pattern| {
            let leading = pattern.has_leading.then_some(MANY);
            let dim = |dim: &Vec<usize>| dim.iter().map(length).fold(1, u64::saturating_mul);
            let lengths: Vec<_> = leading.into_iter().chain(pattern.dims.iter().map(dim)).collect();
            Shape::row_major(&lengths).unwrap_or_default()
        };
        let shapes: Vec<_> = axes.inputs.iter().map(|pattern| ("", shape(pattern))).collect();
        axes.nest(&shapes).map_or(Domain::ROWS, |nest| nest.merged().domain().of_many())
    }

    /// Returns the loops for inputs of these shapes, in the order of the inputs, each with its name.
    ///
    /// # Errors
    /// A shape does not fit the axes, or shapes do not fit each other.
    pub fn nest(&self, inputs: &[(&str, Shape)]) -> Result<Nest, ShapeError> {
        let mut found = Found::new(self, inputs.len());
        for (input, (name, shape)) in inputs.iter().enumerate() {
            found.plain((input, name), shape)?;
        }
        for (input, dim) in self.splits().map_err(|untold| self.unknown(&untold))? {
            let (name, shape) = &inputs[input];
            found.split((input, name), dim, shape)?;
        }
        found.nest()
    }

    fn unknown(&self, untold: &Untold) -> ShapeError {
        ShapeError::Unknown { axis: untold.axes.first().map_or_else(String::new, |&axis| self.text(axis)) }
    }
}

impl Nest {
    /// Returns the number of groups, and of elements in each.
    pub fn extent(&self) -> Extent {
        let count = |dims: &[Dim]| dims.iter().map(|dim| dim.length).product();
        Extent { groups: count(&self.kept), length: count(&self.reduced) }
    }

    /// Returns the number of elements of a group from one position along the first reduced axis to the next.
    pub fn inner(&self) -> u64 {
        self.reduced.iter().skip(1).map(|dim| dim.length).product()
    }

    /// Returns the loops over a part, where positions along axes count as in the whole: each group has `total` elements there. The part
    /// is shorter along the first reduced axis only.
    #[must_use]
    pub fn as_part(mut self, axes: &Axes, total: u64) -> Nest {
        let named: Vec<_> = axes.reduced().flatten().collect();
        // Leading axes come first, and have no names.
        if let Some(&first) = named.first().filter(|_| named.len() == self.reduced.len()) {
            self.along[first].length = total / self.inner().max(1);
        }
        self
    }

    /// Returns the same loops with fewer axes: neighbouring axes that lie one after the other in every input become one.
    #[must_use]
    pub fn merged(&self) -> Nest {
        Nest { kept: merged(&self.kept), reduced: merged(&self.reduced), ..self.clone() }
    }

    /// Returns the same loops with fewer kept axes: neighbouring ones that lie one after the other in every input become one.
    #[must_use]
    pub fn with_kept_merged(&self) -> Nest {
        Nest { kept: merged(&self.kept), ..self.clone() }
    }

    /// Returns the loops in which an operation takes the elements, merged. If it takes them in any order, the reduced axes are sorted
    /// by their steps in the first input, so that its memory is read in order.
    #[must_use]
    pub fn of(&self, operation: &Operation) -> Nest {
        let mut nest = self.clone();
        if operation.takes_any_order() {
            nest.reduced.sort_by_key(|dim| Reverse(dim.steps.first().map(|step| step.unsigned_abs())));
        }
        nest.merged()
    }

    /// Returns the domain of merged loops.
    pub fn domain(&self) -> Domain {
        let length = self.extent().length as i64;
        let all_are = |dims: &[Dim], step: i64| match dims {
            [] => true,
            [dim] => dim.steps.iter().all(|&it| it == step),
            _ => false,
        };
        let access = match (all_are(&self.reduced, 1), all_are(&self.kept, length)) {
            (true, true) => Access::Contiguous,
            (true, false) => Access::Adjacent,
            (false, _) => Access::Strided { reduced: self.reduced.len() as u8, beside: self.beside() },
        };
        Domain { kept: self.kept.len() as u8, access }
    }

    /// Returns how many groups lie side by side in every input.
    fn beside(&self) -> Beside {
        let side_by_side =
            |dim: &&Dim| dim.steps.contains(&1) && dim.steps.iter().all(|step| [0, 1].contains(step));
        let fastest = self.kept.last().filter(side_by_side);
        fastest.map_or(Beside::No, |dim| Beside::of(dim.length, self.extent().groups))
    }

    /// Returns the steps of an input, those of kept axes first.
    pub fn steps(&self, input: usize) -> impl Iterator<Item = i64> {
        self.kept.iter().chain(&self.reduced).map(move |dim| dim.steps[input])
    }
}

/// Merges neighbouring axes, and leaves out those of length 1.
fn merged(dims: &[Dim]) -> Vec<Dim> {
    let mut all: Vec<Dim> = Vec::new();
    for dim in dims.iter().filter(|dim| dim.length != 1) {
        let follows = |outer: &Dim| {
            let mut steps = outer.steps.iter().zip(&dim.steps);
            steps.all(|(outer, inner)| inner.checked_mul(dim.length as i64) == Some(*outer))
        };
        match all.last_mut() {
            Some(outer) if follows(outer) => {
                *outer = Dim { length: outer.length * dim.length, steps: dim.steps.clone() };
            }
            _ => all.push(dim.clone()),
        }
    }
    all
}
