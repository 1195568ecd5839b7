//! Reduces segments between offsets to one result each.

use crate::reducer::Backend;
use crate::{Error, Groups, Reducer, View, groups, host, inputs};
use reduce_ir::axes::{Cut, Nest};
use reduce_ir::{Scalar, Value};
use reduce_lanes::LanesRef;

/// The reason why offsets do not cut the elements into segments.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SegmentsError {
    /// The offsets have another type.
    #[error(
        "the specification has `segments: {expected}`, and the offsets are {found}; convert them, or write `segments: {found}`"
    )]
    Type {
        /// The type of the specification.
        expected: Scalar,
        /// The type of the offsets.
        found: Scalar,
    },
    /// An offset is less than the one before.
    #[error(
        "the offsets descend: offset {at} is {value}, and the one before is {before}; segments are ascending offsets, not lengths"
    )]
    Descends {
        /// The place of the offset.
        at: usize,
        /// The offset.
        value: i128,
        /// The offset before.
        before: i128,
    },
    /// An offset is not a position among the elements, or their number.
    #[error("offset {at} is {value}, and there are {len} elements")]
    Outside {
        /// The place of the offset.
        at: usize,
        /// The offset.
        value: i128,
        /// The number of elements.
        len: u64,
    },
    /// A call with offsets was made for a specification without `segments`.
    #[error("the specification has no segments; write `segments: u32`, or call `reduce_groups`")]
    None,
    /// A call without offsets or keys was made for a specification with `segments` or `by`.
    #[error(
        "the call gives neither offsets nor keys; call `reduce_segments` for `segments`, `reduce_runs` for `groups: runs`, and `reduce_keys` for a number of groups"
    )]
    Missing,
    /// A call with keys was made for a specification without `by`.
    #[error(
        "the specification has no runs of keys; write `by: {{ key: u32 }}, groups: runs`, or call another function"
    )]
    NoKeys,
    /// The keys have another type.
    #[error(
        "the specification has keys of type {expected}, and these are {found}; convert them, or write `by: {{ key: {found} }}`"
    )]
    KeyType {
        /// The type of the specification.
        expected: Scalar,
        /// The type of the keys.
        found: Scalar,
    },
    /// A call with keys that number groups was made for a specification without them.
    #[error(
        "the specification has no number of groups; write `by: {{ key: u32 }}, groups: 64`, or call another function"
    )]
    NoNumbers,
    /// A call gives keys, and the specification computes them.
    #[error("the specification computes its keys; call `reduce_groups`, without keys")]
    Computed,
    /// A key is no group.
    #[error(
        "the key of element {position} is not one of the {groups} groups; write `others: drop` to leave such elements out"
    )]
    Key {
        /// The position of the first such element.
        position: u64,
        /// The number of groups.
        groups: u64,
    },
    /// There is not one key for each element.
    #[error("there are {found} keys for {elements} elements along the reduced axis; give one for each")]
    KeyCount {
        /// The number of elements along the reduced axis.
        elements: u64,
        /// The number of keys.
        found: u64,
    },
    /// The device is a GPU, and the elements lie in a way that its kernels do not read.
    #[error(
        "on a GPU, kept axes beside segments must lie one after the other, and elements beside keys side by side; copy the elements, or use the device `host`"
    )]
    OnDevice,
    /// Results on a device have a value for each segment, also for those without elements.
    #[error("`{operator}` has no result for a segment without elements; write `empty: 0`, or another value")]
    NeedsEmpty {
        /// The operator.
        operator: String,
    },
    /// There are more segments, or columns of segments, than one launch on a GPU can have.
    #[error(
        "there are {segments} results of segments, and a call on a GPU has at most {most}; make several calls"
    )]
    TooMany {
        /// The number of segments.
        segments: u64,
        /// The limit.
        most: u64,
    },
    /// Offsets on a device were wrong.
    #[error(
        "the offsets of segment {segment} descend or leave the data, or it is too long for this operator on a GPU"
    )]
    Wrong {
        /// The first such segment.
        segment: u64,
    },
}

impl Reducer {
    /// Reduces each segment of views in host memory: the elements from one offset to the next along the reduced axis, for each position
    /// along the kept axes. The result has the segments as its slowest axis.
    ///
    /// There is one offset more than segments. Offsets ascend; equal ones make an empty segment. They may begin after the first element
    /// and end before the last one. The result of a segment has the bits of a reduction of its elements alone, and positions count
    /// from its first element.
    ///
    /// ```
    /// # use reduce_runtime::{Device, Reducer, View};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let sums = Reducer::new(&reduce_dsl::parse::spec("op: sum, ty: f32, segments: u32")?, &Device::host())?;
    /// let (x, offsets) = ([1.0f32, 2.0, 3.0, 4.0], [0u32, 3, 3, 4]);
    /// let sums = sums.reduce_segments(&[View::new(x.as_slice().into(), [4])], offsets.as_slice().into(), &[])?;
    /// assert_eq!(sums.shape, [3]);
    /// assert_eq!((0..3).map(|at| sums.get(at)).collect::<Vec<_>>(), [6.0f32, 0.0, 4.0].map(|sum| Some(vec![sum.into()])));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The specification has no `segments`; offsets have another type, descend or leave the data; an error of
    /// [`Reducer::reduce_groups`].
    pub fn reduce_segments(
        &self,
        inputs: &[View<LanesRef<'_>>],
        offsets: LanesRef<'_>,
        params: &[Value],
    ) -> Result<Groups, Error> {
        inputs::check_params(self.operation(), params)?;
        let Some(Cut::Offsets(expected)) = self.axes().map(|axes| axes.cut) else {
            return Err(SegmentsError::None.into());
        };
        let nest =
            self.nest_of(inputs.iter().map(|input| input.with_data((input.data.ty(), input.data.len()))))?;
        let offsets = ascending(offsets, expected, nest.reduced[0].length)?;
        self.reduce_cut(inputs, &nest, &offsets, params)
    }

    /// Reduces the elements between checked offsets along the only reduced axis of a nest that is not merged.
    pub(crate) fn reduce_cut(
        &self,
        inputs: &[View<LanesRef<'_>>],
        nest: &Nest,
        offsets: &[usize],
        params: &[Value],
    ) -> Result<Groups, Error> {
        let longest = || offsets.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
        if self.within(nest.reduced[0].length).is_err() {
            self.within(longest() as u64)?;
        }
        let segments = offsets.len().saturating_sub(1) as u64;
        groups::check_room(self.operation(), segments.saturating_mul(nest.extent().groups))?;
        let params = nest.params(self.operation(), params);
        let shape = [&[segments], &nest.result[..]].concat();
        let Backend::Host { plan, associations } = &self.backend else {
            let stored = self.reduce_cut_copied(inputs, nest, offsets, &params)?;
            return Ok(self.with_absent(Groups::new(self.operation(), shape, stored)?, offsets));
        };
        let most = self.programs().variants().iter().map(|program| program.up_to.unwrap_or(u64::MAX));
        let associations: Vec<_> = most.zip(associations).collect();
        let nest = nest.with_kept_merged();
        let empty = self.empty_segment(&params)?;
        let stored = plan.reduce_segments(&associations, inputs, &nest, offsets, (&params, &empty))?;
        Ok(self.with_absent(Groups::new(self.operation(), shape, stored)?, offsets))
    }

    /// Returns the stored result of a segment without elements; zeros if it has no result.
    fn empty_segment(&self, params: &[Value]) -> Result<Vec<Value>, Error> {
        if self.has_result_of_nothing() {
            return Ok(host::empty_result(self.operation(), params)?);
        }
        let types = self.operation().stored().types();
        Ok(types.into_iter().map(|ty| Value::from_bits(ty, 0)).collect())
    }

    /// Marks the results of segments without elements as absent, if the operation has no result of no elements.
    fn with_absent(&self, groups: Groups, offsets: &[usize]) -> Groups {
        if self.has_result_of_nothing() || offsets.windows(2).all(|pair| pair[0] < pair[1]) {
            return groups;
        }
        let each = groups.len() / (offsets.len() - 1).max(1);
        let is_empty = |at: usize| offsets[at / each] == offsets[at / each + 1];
        let present =
            (0..groups.len()).map(|at| !is_empty(at) && groups.present.as_ref().is_none_or(|all| all[at]));
        Groups { present: Some(present.collect()), ..groups }
    }

    pub(crate) fn has_result_of_nothing(&self) -> bool {
        self.operation().identity.is_some() || self.operation().empty.is_some()
    }
}

/// Checks offsets among `len` elements.
fn ascending(offsets: LanesRef<'_>, expected: Scalar, len: u64) -> Result<Vec<usize>, SegmentsError> {
    if offsets.ty() != expected {
        return Err(SegmentsError::Type { expected, found: offsets.ty() });
    }
    let fault = || fault(offsets, len).unwrap_or(SegmentsError::None);
    host::places_of(offsets, len).ok_or_else(fault)
}

/// Returns the first fault of offsets among `len` elements.
fn fault(offsets: LanesRef<'_>, len: u64) -> Option<SegmentsError> {
    let value = |at: usize| {
        let bits = offsets.get(at).bits();
        match (offsets.ty().is_signed(), offsets.ty().size()) {
            (true, 4) => i128::from(bits as u32 as i32),
            (true, _) => i128::from(bits as i64),
            (false, _) => i128::from(bits),
        }
    };
    let fault = |at: usize| {
        let (before, value) = (at.checked_sub(1).map_or(0, value), value(at));
        if value < 0 || value > i128::from(len) {
            return Some(SegmentsError::Outside { at, value, len });
        }
        (value < before).then_some(SegmentsError::Descends { at, value, before })
    };
    (0..offsets.len()).find_map(fault)
}
