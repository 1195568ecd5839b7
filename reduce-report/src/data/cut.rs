//! Elements that are cut into groups of any length: at offsets, or by keys.

use super::{Data, LISTED};
use crate::{Error, elements};
use reduce_interpreter::Input;
use reduce_ir::axes::{Dim, Keys, Nest};
use reduce_ir::operation::{Argument, Operation};
use reduce_ir::{Extent, Value};
use reduce_lanes::Lanes;

/// How elements are cut into groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Cutting {
    /// All groups have one length.
    #[default]
    Even,
    /// Segments between these ascending offsets, one more than there are segments.
    Segments(Vec<u64>),
    /// Each element has the key of its group.
    Keys {
        /// Whether the call gives the keys. Otherwise, the specification computes them.
        are_given: bool,
    },
}

impl Cutting {
    /// Returns the offsets of segments; without segments, those of none.
    pub(crate) fn offsets(&self) -> &[u64] {
        if let Cutting::Segments(offsets) = self { offsets } else { &[0] }
    }
}

impl Data {
    /// Returns segments of elements along the reduced axis of a nest that is not merged. Offsets ascend up to its length.
    ///
    /// # Errors
    /// There is more than one kept axis.
    pub fn segments(
        nest: &Nest,
        lanes: Vec<Lanes>,
        offsets: Vec<u64>,
        params: Vec<Value>,
    ) -> Result<Data, Error> {
        let columns = nest.extent().groups;
        if nest.kept.len() > 1 {
            return Err(Error::KeptAxes);
        }
        let input = |(at, elements)| Input { elements, offset: 0, first: 0, steps: nest.steps(at).collect() };
        let inputs: Vec<_> = lanes.into_iter().enumerate().map(input).collect();
        let extent = Extent {
            groups: (offsets.len() as u64).saturating_sub(1) * columns,
            length: nest.extent().length,
        };
        let groups = of_segments(nest, &offsets, inputs.first().map_or(0, |input| input.elements.len()));
        let sizes = nest.kept.iter().map(|dim| dim.length).collect();
        Ok(Data { inputs, params, extent, sizes, groups, cut: Cutting::Segments(offsets) })
    }

    /// Returns elements with keys. If the call gives the keys, they are the last of the lanes.
    ///
    /// # Errors
    /// The operation is ill typed: a bug.
    pub fn keyed(
        operation: &Operation,
        keys: Keys,
        lanes: Vec<Lanes>,
        params: Vec<Value>,
    ) -> Result<Data, Error> {
        let operation =
            operation.clone().keyed(keys.given).map_err(|error| Error::Wrong(error.to_string()))?;
        let length = lanes.first().map_or(0, |first| first.len() as u64);
        let groups = of_keys(&operation, keys, &lanes, &params);
        let inputs =
            lanes.into_iter().map(|elements| Input { elements, offset: 0, first: 0, steps: vec![1] });
        let extent = Extent { groups: keys.groups, length };
        Ok(Data {
            inputs: inputs.collect(),
            params,
            extent,
            sizes: Vec::new(),
            groups,
            cut: Cutting::Keys { are_given: keys.given.is_some() },
        })
    }

    /// Returns generated elements with keys.
    ///
    /// # Errors
    /// The same as for [`Data::keyed`].
    pub fn generated_keys(operation: &Operation, keys: Keys, n: u64) -> Result<Data, Error> {
        let mut lanes = elements::lanes(operation, std::iter::repeat(n));
        lanes.extend(keys.given.map(|ty| elements::keys(ty, keys, n)));
        Data::keyed(operation, keys, lanes, elements::params(operation))
    }

    /// Returns the number of elements that kernels read of each input.
    pub(crate) fn elements(&self) -> u64 {
        self.extent.length * self.sizes.first().filter(|_| self.cut != Cutting::Even).unwrap_or(&1)
    }

    /// Returns the number of elements in a group.
    pub(crate) fn length_of(&self, group: usize) -> u64 {
        let offsets = self.cut.offsets();
        let columns = self.sizes.first().copied().unwrap_or(1).max(1) as usize;
        match (&self.cut, offsets.get(group / columns..=group / columns + 1)) {
            (Cutting::Segments(_), Some(&[from, to])) => to - from,
            _ => self.extent.length,
        }
    }

    /// Returns the number of elements in the longest group of one association: a segment, or all elements.
    pub(crate) fn longest(&self) -> u64 {
        let lengths = self.cut.offsets().windows(2).map(|pair| pair[1] - pair[0]);
        if let Cutting::Segments(_) = self.cut { lengths.max().unwrap_or(0) } else { self.extent.length }
    }
}

/// Returns the group of each element that lies in a segment.
fn of_segments(nest: &Nest, offsets: &[u64], len: usize) -> Option<Vec<Option<u64>>> {
    let (columns, mut groups) = (nest.extent().groups, vec![None; len]);
    let step = |dims: &[Dim]| dims.first().map_or(0, |dim| dim.steps[0].unsigned_abs());
    let steps = [step(&nest.kept), step(&nest.reduced)];
    for (segment, pair) in offsets.windows(2).enumerate().filter(|_| len <= LISTED) {
        for (row, column) in (pair[0]..pair[1]).flat_map(|row| (0..columns).map(move |column| (row, column)))
        {
            let place = row * steps[1] + column * steps[0];
            if let Some(group) = groups.get_mut(place as usize) {
                *group = Some(segment as u64 * columns + column);
            }
        }
    }
    (len <= LISTED).then_some(groups)
}

/// Returns the group of each element by its key.
fn of_keys(operation: &Operation, keys: Keys, lanes: &[Lanes], params: &[Value]) -> Option<Vec<Option<u64>>> {
    let len = lanes.first().map_or(0, Lanes::len);
    let (key, arguments) = (operation.key.as_ref()?, operation.key_arguments());
    let value = |argument: &Argument, element: usize| match *argument {
        Argument::Input(input) => lanes.get(input).map(|it| it.get(element)),
        Argument::Index => Some(Value::from_bits(operation.position, element as u64)),
        Argument::Param(param) => params.get(param).copied(),
        Argument::Acc(_) | Argument::Group | Argument::Step | Argument::Count => None,
    };
    let group = |element| {
        let values: Option<Vec<_>> = arguments.iter().map(|it| value(it, element)).collect();
        let number = key.evaluate(&values?).ok()?.first()?.bits();
        (number < keys.groups).then_some(number)
    };
    (len <= LISTED).then(|| (0..len).map(group).collect())
}
