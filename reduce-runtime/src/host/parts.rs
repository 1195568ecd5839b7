//! A reduction in two steps: the partials of a part of the elements, and their combination. These are the two halves of a whole
//! reduction: the levels over elements, and the levels over partials.

use super::collect::Inputs;
use super::error::HostError;
use super::groups::{Call, SHARES, has_neighbours};
use super::plan::Plan;
use super::source::pieces;
use super::threads;
use crate::View;
use reduce_ir::Value;
use reduce_ir::axes::Nest;
use reduce_ir::program::Association;
use reduce_lanes::{Lanes, LanesRef, Places, collect};
use std::ops::Range;

/// A part of the elements of each group.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// The elements of the part.
    pub views: &'a [View<LanesRef<'a>>],
    /// The loops over them, merged.
    pub nest: &'a Nest,
    /// All params of the operation, as [`Nest::params`] returns them for the whole.
    pub params: &'a [Value],
    /// The position in its group of the first element of the part.
    pub first: u64,
    /// The number of elements of a partial: [`Association::chunk`], or all elements of a group.
    pub chunk: u64,
}

impl Plan {
    /// Returns the partials of a part, one vector for each field of the accumulator: those of the first chunk of every group, then
    /// those of the second one.
    ///
    /// # Errors
    /// Inputs or params that differ from those of the operation.
    pub fn partials(&self, association: &Association, part: Part<'_>) -> Result<Vec<Lanes>, HostError> {
        let Part { views, nest, params, first, chunk } = part;
        if !self.takes_views(views, params) {
            return Err(HostError::Given { operator: self.operation.name.clone() });
        }
        let (first, chunk) = (first as usize, usize::try_from(chunk).unwrap_or(usize::MAX));
        let inputs = Inputs { views, nest, params, first, segments: None };
        let extent = nest.extent();
        if extent.elements() == 0 {
            return Ok(self.operation.acc.types().into_iter().map(Lanes::empty).collect());
        }
        match extent.length as usize {
            // The only chunk, which is reduced as a whole is.
            length if first == 0 && length <= chunk => {
                Call::new(self, association, inputs, extent).accumulators()
            }
            _ if nest.reduced.len() == 1 && (extent.groups == 1 || has_neighbours(nest)) => {
                self.partials_alone(association, inputs, extent.groups as usize, chunk)
            }
            length => self.partials_side_by_side(association, inputs, length, chunk),
        }
    }

    /// Takes one group after the other.
    fn partials_alone(
        &self,
        association: &Association,
        inputs: Inputs<'_>,
        groups: usize,
        chunk: usize,
    ) -> Result<Vec<Lanes>, HostError> {
        let alone =
            |group| Ok(self.elements.run_chunks(&inputs.alone(group), &association.first, chunk as u64)?);
        if groups == 1 {
            return alone(0);
        }
        let share = groups.div_ceil(threads::count() * SHARES);
        let of_share = |groups: Range<usize>| {
            let all = groups.map(alone).collect::<Result<Vec<_>, HostError>>()?;
            Ok::<_, HostError>(self.partials.concat(&all))
        };
        let shares = threads::map(pieces(0..groups, share).collect(), of_share)?;
        Ok(side_by_side(&self.partials.concat(&shares), groups))
    }

    /// Takes one chunk of some groups after the other.
    fn partials_side_by_side(
        &self,
        association: &Association,
        inputs: Inputs<'_>,
        length: usize,
        chunk: usize,
    ) -> Result<Vec<Lanes>, HostError> {
        let calls: Vec<_> = pieces(0..length, chunk)
            .map(|elements| Call::of_chunk(self, association, inputs, elements))
            .collect();
        let batches: Vec<_> = calls
            .iter()
            .flat_map(|call| call.batches().into_iter().map(move |batch| (call, batch)))
            .collect();
        let parts = threads::map(batches, |(call, batch)| call.accumulate(batch))?;
        Ok(self.partials.concat(&parts))
    }

    /// Combines all partials of groups of `n` elements, in the order of [`Plan::partials`]. Returns one vector for each field of the
    /// stored output.
    ///
    /// # Errors
    /// Partials or params that differ from those of the operation.
    pub fn merge(
        &self,
        association: &Association,
        partials: Vec<Lanes>,
        (groups, n): (usize, u64),
        params: &[Value],
    ) -> Result<Vec<Lanes>, HostError> {
        let accs = match groups {
            1 => self.partials.until_one(&association.again, partials)?,
            _ => self.partials.until_one_each(&association.again, partials, groups)?,
        };
        let mut stored = self.finish_groups.room(groups);
        self.finish_groups.append(&accs, &self.finish_groups.shared(n, params), &mut stored)?;
        Ok(stored)
    }
}

/// Returns the items of groups side by side, which lie one group after the other.
fn side_by_side(items: &[Lanes], groups: usize) -> Vec<Lanes> {
    let each = items.first().map_or(0, Lanes::len) / groups;
    let outer = Places::Even { first: 0, step: 1, len: each };
    let inner = Places::Even { first: 0, step: each as isize, len: groups };
    let turned = items.iter().map(|field| {
        let mut turned = Lanes::empty(field.ty());
        collect(field.borrow(), 0, [&outer, &inner], &mut turned);
        turned
    });
    turned.collect()
}
