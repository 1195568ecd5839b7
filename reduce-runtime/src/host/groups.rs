//! Groups: one reduction for each, with the bits that its elements have alone.

use super::{HostError, Plan};
use crate::View;
use reduce_ir::Value;
use reduce_ir::axes::{Dim, Nest};
use reduce_ir::program::Association;
use reduce_lanes::{Lanes, LanesRef};

impl Plan {
    /// Reduces each group of a merged nest of at least one group with at least one element, as `association` says. Returns one
    /// vector for each field of the stored output. The inputs lie in their data; types are those of the operation.
    ///
    /// # Errors
    /// Inputs or params that differ from the above.
    pub fn reduce_groups(
        &self,
        association: &Association,
        inputs: &[View<LanesRef<'_>>],
        nest: &Nest,
        params: &[Value],
    ) -> Result<Vec<Lanes>, HostError> {
        let mut results: Vec<_> = self.operation.stored().types().into_iter().map(Lanes::empty).collect();
        for group in 0..nest.extent().groups {
            let begin =
                |input: usize| inputs[input].offset.wrapping_add_signed(offset(&nest.kept, input, group));
            let elements: Vec<_> = (0..inputs.len())
                .map(|input| gathered(inputs[input].data, begin(input), nest, input))
                .collect();
            let elements: Vec<_> = elements.iter().map(Lanes::borrow).collect();
            let values = self.reduce(association, &elements, params)?;
            for (result, value) in results.iter_mut().zip(values) {
                result.extend(Lanes::splat(value, 1).borrow());
            }
        }
        Ok(results)
    }
}

/// Returns the distance of a position along axes from their first element.
fn offset(dims: &[Dim], input: usize, position: u64) -> isize {
    let (mut rest, mut sum) = (position, 0i64);
    for dim in dims.iter().rev() {
        sum += (rest % dim.length) as i64 * dim.steps[input];
        rest /= dim.length;
    }
    sum as isize
}

/// Returns the elements of a group side by side.
fn gathered(data: LanesRef<'_>, begin: usize, nest: &Nest, input: usize) -> Lanes {
    let mut elements = Lanes::empty(data.ty());
    for position in 0..nest.extent().length {
        let place = begin.wrapping_add_signed(offset(&nest.reduced, input, position));
        elements.extend(data.slice(place..place + 1));
    }
    elements
}
