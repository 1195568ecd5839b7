//! Reduces runs of equal neighbouring keys to one result each.

use crate::{Error, Groups, Reducer, SegmentsError, View, host, inputs};
use reduce_ir::Value;
use reduce_ir::axes::Cut;
use reduce_lanes::{Lanes, LanesRef, Places, collect};

/// The results of runs.
#[derive(Clone, Debug, PartialEq)]
pub struct RunGroups {
    /// The key of the first element of each run.
    pub keys: Lanes,
    /// The results. The runs are the slowest axis.
    pub groups: Groups,
}

impl Reducer {
    /// Reduces each run of equal neighbouring keys: the elements of views in host memory along the reduced axis, for each position along
    /// the kept axes. There is one key for each element along the reduced axis.
    ///
    /// Keys are equal if their bits are, and −0 equals +0. So each NaN is a run of its own, unless its neighbour has the same bits. The
    /// result of a run has the bits of a reduction of its elements alone, and positions count from its first element.
    ///
    /// ```
    /// # use reduce_runtime::{Device, Reducer, View};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let sums = reduce_dsl::parse::spec("op: sum, ty: f32, by: { day: u32 }, groups: runs")?;
    /// let (x, days) = ([1.0f32, 2.0, 3.0, 4.0], [7u32, 7, 7, 9]);
    /// let sums = Reducer::new(&sums, &Device::host())?;
    /// let runs = sums.reduce_runs(&[View::new(x.as_slice().into(), [4])], days.as_slice().into(), &[])?;
    /// assert_eq!((runs.keys.get(1), runs.groups.get(1)), (9u32.into(), Some(vec![4.0f32.into()])));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The specification has no `groups: runs`; keys have another type or number; an error of [`Reducer::reduce_groups`].
    pub fn reduce_runs(
        &self,
        inputs: &[View<LanesRef<'_>>],
        keys: LanesRef<'_>,
        params: &[Value],
    ) -> Result<RunGroups, Error> {
        inputs::check_params(self.operation(), params)?;
        let Some(Cut::Runs(expected)) = self.axes().map(|axes| axes.cut) else {
            return Err(SegmentsError::NoKeys.into());
        };
        if keys.ty() != expected {
            return Err(SegmentsError::KeyType { expected, found: keys.ty() }.into());
        }
        let nest =
            self.nest_of(inputs.iter().map(|input| input.with_data((input.data.ty(), input.data.len()))))?;
        let (elements, found) = (nest.reduced[0].length, keys.len() as u64);
        if elements != found {
            return Err(SegmentsError::KeyCount { elements, found }.into());
        }
        let offsets = host::run_offsets(keys);
        let groups = self.reduce_cut(inputs, &nest, &offsets, params)?;
        Ok(RunGroups { keys: firsts(keys, &offsets), groups })
    }
}

/// Returns the first key of each run.
fn firsts(keys: LanesRef<'_>, offsets: &[usize]) -> Lanes {
    let heads = offsets[..offsets.len() - 1].iter().map(|&at| at as isize).collect();
    let mut firsts = Lanes::empty(keys.ty());
    collect(keys, 0, [&Places::Even { first: 0, step: 0, len: 1 }, &Places::Listed(heads)], &mut firsts);
    firsts
}
