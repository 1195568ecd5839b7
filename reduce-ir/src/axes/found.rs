//! Finds the length and the steps of each axis in the shapes of the inputs.

use super::nest::{Along, Dim, Nest, Shape};
use super::{Axes, Kept, ShapeError};

/// The axes, as far as the shapes of some inputs tell.
pub(super) struct Found<'a> {
    axes: &'a Axes,
    /// The axes of `..`, and then those of [`Axes::axes`].
    dims: Vec<Known<'a>>,
    /// The number of axes of `..`, once an input has told it.
    leading: Option<usize>,
    inputs: usize,
}

/// An axis, as far as it is known.
#[derive(Clone)]
struct Known<'a> {
    length: Option<u64>,
    /// The input that told the length.
    by: Option<&'a str>,
    steps: Vec<i64>,
}

impl<'a> Found<'a> {
    pub(super) fn new(axes: &'a Axes, inputs: usize) -> Found<'a> {
        let known = |length| Known { length, by: None, steps: vec![0; inputs] };
        let dims = axes.axes.iter().map(|axis| known(axis.length)).collect();
        Found { axes, dims, leading: None, inputs }
    }

    /// Adds the dimensions of an input that are one axis each. The input is given by its place and its name.
    pub(super) fn plain(&mut self, input: (usize, &'a str), shape: &Shape) -> Result<(), ShapeError> {
        let pattern = &self.axes.inputs[input.0];
        let rank = shape.lengths.len();
        let wrong =
            || ShapeError::Rank { input: input.1.to_owned(), axes: self.axes.pattern(input.0), found: rank };
        let leading = rank.checked_sub(pattern.dims.len());
        let leading = leading.filter(|&more| more == 0 || pattern.has_leading).ok_or_else(wrong)?;
        let differs = pattern.has_leading && self.leading.is_some_and(|known| known != leading);
        if rank > Axes::MOST || differs {
            return Err(wrong());
        }
        if pattern.has_leading && self.leading.is_none() {
            self.leading = Some(leading);
            let unknown = Known { length: None, by: None, steps: vec![0; self.inputs] };
            self.dims.splice(0..0, std::iter::repeat_n(unknown, leading));
        }
        let mut dims = shape.lengths.iter().copied().zip(shape.steps.iter().copied());
        for (at, dim) in dims.by_ref().take(leading).enumerate() {
            self.learn(at, input, dim)?;
        }
        pattern.dims.iter().zip(dims).try_for_each(|(axes, dim)| match axes[..] {
            [axis] => self.learn(self.place(axis), input, dim),
            _ => Ok(()),
        })
    }

    /// Adds a dimension of an input that is split. Dimensions that tell lengths of its axes come before.
    pub(super) fn split(
        &mut self,
        input: (usize, &'a str),
        at: usize,
        shape: &Shape,
    ) -> Result<(), ShapeError> {
        let dims = &self.axes.inputs[input.0].dims;
        let place = shape.lengths.len() - dims.len() + at;
        self.split_dim(&dims[at], input, (shape.lengths[place], shape.steps[place]))
    }

    /// Returns the place of an axis among the known ones.
    fn place(&self, axis: usize) -> usize {
        self.leading.unwrap_or(0) + axis
    }

    /// Adds the length and the step of an axis in an input.
    fn learn(
        &mut self,
        at: usize,
        (input, name): (usize, &'a str),
        (length, step): (u64, i64),
    ) -> Result<(), ShapeError> {
        let known = &mut self.dims[at];
        let expected = *known.length.get_or_insert(length);
        if expected != length {
            let first = (known.by.map(str::to_owned), expected);
            return Err(ShapeError::Lengths { axis: self.text(at), first, other: (name.to_owned(), length) });
        }
        known.by.get_or_insert(name);
        known.steps[input] += step;
        Ok(())
    }

    /// Splits a dimension into axes. At most one of them may have an unknown length.
    fn split_dim(
        &mut self,
        axes: &[usize],
        input: (usize, &'a str),
        (length, step): (u64, i64),
    ) -> Result<(), ShapeError> {
        let places: Vec<_> = axes.iter().map(|&axis| self.place(axis)).collect();
        let lengths = places.iter().filter_map(|&at| self.dims[at].length);
        let by = lengths.fold(1, u64::saturating_mul);
        let unknown: Vec<_> = places.iter().copied().filter(|&at| self.dims[at].length.is_none()).collect();
        match unknown[..] {
            [] if by == length => {}
            [] => {
                let (axis, other) = (self.axes.split_text(axes), (input.1.to_owned(), length));
                return Err(ShapeError::Lengths { axis, first: (None, by), other });
            }
            [at] if by == 0 && length == 0 => return Err(ShapeError::Unknown { axis: self.text(at) }),
            [at] if length.is_multiple_of(by) => self.dims[at].length = Some(length / by),
            [_] => {
                let axes = self.axes.split_text(axes);
                return Err(ShapeError::Split { input: input.1.to_owned(), axes, length, by });
            }
            [at, ..] => return Err(ShapeError::Unknown { axis: self.text(at) }),
        }
        let mut step = step;
        for &at in places.iter().rev() {
            let length = self.dims[at].length.unwrap_or(1);
            self.learn(at, input, (length, step))?;
            step = step.saturating_mul(length as i64);
        }
        Ok(())
    }

    /// Returns the text of an axis.
    fn text(&self, at: usize) -> String {
        let axis = at.checked_sub(self.leading.unwrap_or(0));
        axis.map_or_else(|| "..".to_owned(), |axis| self.axes.text(axis))
    }

    /// Returns the loops.
    pub(super) fn nest(&self) -> Result<Nest, ShapeError> {
        let leading = 0..self.leading.unwrap_or(0);
        let (mut kept, mut kept_at, mut result) = (Vec::new(), Vec::new(), Vec::new());
        for place in &self.axes.result {
            let dims = match *place {
                Kept::One => {
                    result.push(1);
                    continue;
                }
                Kept::Leading => leading.clone(),
                Kept::Axis(axis) => self.place(axis)..self.place(axis) + 1,
            };
            for at in dims {
                let dim = self.dim(at)?;
                result.push(dim.length);
                kept.push(dim);
                kept_at.push(at);
            }
        }
        let is_reduced = |&at: &usize| match at.checked_sub(leading.end) {
            None => !self.axes.result.contains(&Kept::Leading),
            Some(axis) => !self.axes.result.contains(&Kept::Axis(axis)),
        };
        let reduced_at: Vec<_> = (0..self.dims.len()).filter(is_reduced).collect();
        let reduced: Vec<_> = reduced_at.iter().map(|&at| self.dim(at)).collect::<Result<_, _>>()?;
        if !is_countable(&kept, &reduced) {
            return Err(ShapeError::TooLarge);
        }
        let mut along = vec![Along { length: 1, inner: 1 }; self.dims.len()];
        place(&kept_at, &kept, &mut along);
        place(&reduced_at, &reduced, &mut along);
        along.drain(leading);
        Ok(Nest { kept, reduced, result, along })
    }

    fn dim(&self, at: usize) -> Result<Dim, ShapeError> {
        let Known { length, steps, .. } = &self.dims[at];
        let length = length.ok_or_else(|| ShapeError::Unknown { axis: self.text(at) })?;
        Ok(Dim { length, steps: steps.clone() })
    }
}

/// Sets the places of axes among the loops over them.
fn place(axes: &[usize], dims: &[Dim], along: &mut [Along]) {
    let mut inner = 1;
    for (&axis, &Dim { length, .. }) in axes.iter().zip(dims).rev() {
        along[axis] = Along { length, inner };
        inner *= length;
    }
}

/// Returns whether positions and numbers of groups fit 64 bits with room to spare.
fn is_countable(kept: &[Dim], reduced: &[Dim]) -> bool {
    let count = |all: u64, dim: &Dim| all.checked_mul(dim.length.max(1)).filter(|&all| all <= 1 << 62);
    kept.iter().chain(reduced).try_fold(1, count).is_some()
}
