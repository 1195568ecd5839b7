//! Dimensions that are split into axes, and the order in which their lengths can be computed.

use super::Axes;

/// A dimension that is split into several axes of unknown length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untold {
    /// The place of its input.
    pub input: usize,
    /// Its place in [`Pattern::dims`](super::Pattern::dims).
    pub dim: usize,
    /// Its axes of unknown length, by their places in [`Axes::axes`].
    pub axes: Vec<usize>,
}

impl Axes {
    /// Returns the split dimensions, each by the place of its input and its place in
    /// [`Pattern::dims`](super::Pattern::dims). In this order, each has at most one axis whose length neither the
    /// specification nor a dimension before it tells. Dimensions of one axis tell its length.
    ///
    /// # Errors
    /// There is no such order.
    pub fn splits(&self) -> Result<Vec<(usize, usize)>, Untold> {
        let mut known: Vec<_> = self.axes.iter().map(|axis| axis.length.is_some()).collect();
        let dims = self.inputs.iter().enumerate().flat_map(|(input, pattern)| {
            pattern.dims.iter().enumerate().map(move |(dim, axes)| ((input, dim), axes))
        });
        let (plain, mut waiting): (Vec<_>, Vec<_>) = dims.partition(|(_, axes)| axes.len() == 1);
        plain.iter().flat_map(|(_, axes)| *axes).for_each(|&axis| known[axis] = true);
        let mut order = Vec::new();
        while let Some(&((input, dim), axes)) = waiting.first() {
            let unknown =
                |axes: &[usize]| axes.iter().copied().filter(|&axis| !known[axis]).collect::<Vec<_>>();
            let next = waiting.iter().position(|(_, axes)| unknown(axes).len() <= 1);
            let Some(next) = next else { return Err(Untold { input, dim, axes: unknown(axes) }) };
            let (at, axes) = waiting.remove(next);
            axes.iter().for_each(|&axis| known[axis] = true);
            order.push(at);
        }
        Ok(order)
    }
}
