//! Representations of accumulators while a kernel runs. The caller chooses one.

use super::warp::PerLane;
use std::num::NonZeroU32;

/// An accumulator, as its number in its [`Domain`]. Where the operation has no fill, an accumulator of no element
/// is `None` everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Acc(NonZeroU32);

impl Acc {
    /// Returns the accumulator of a number. All numbers from 2³² − 2 on give the same one.
    pub fn number(number: usize) -> Acc {
        Acc(NonZeroU32::MIN.saturating_add(u32::try_from(number).unwrap_or(u32::MAX)))
    }

    /// Returns its number.
    pub fn get(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A representation of accumulators.
pub trait Domain {
    /// Returns the accumulator of no element: the fill, if there is one.
    fn empty(&mut self) -> Option<Acc>;

    /// Makes accumulators of single elements, in the lanes of a mask: `args[k]` holds the bits of the `k`-th
    /// argument of `map` in each lane.
    ///
    /// # Errors
    /// The elements in one lane have different positions.
    fn map(
        &mut self,
        args: &[PerLane<u64>],
        lanes: u32,
        out: &mut PerLane<Option<Acc>>,
    ) -> Result<(), Refused>;

    /// Combines two accumulators, in the lanes of a mask where both are defined.
    ///
    /// # Errors
    /// The operation is ill typed.
    fn combine(
        &mut self,
        a: &PerLane<Option<Acc>>,
        b: &PerLane<Option<Acc>>,
        lanes: u32,
        out: &mut PerLane<Option<Acc>>,
    ) -> Result<(), Refused>;

    /// Adds one element to each accumulator, in the lanes of a mask where they are defined: `args[k]` holds the
    /// bits of the `k`-th argument of `fold` after its accumulator.
    ///
    /// # Errors
    /// The elements in one lane have different positions, or the operation is ill typed.
    fn fold(
        &mut self,
        acc: &PerLane<Option<Acc>>,
        args: &[PerLane<u64>],
        lanes: u32,
        out: &mut PerLane<Option<Acc>>,
    ) -> Result<(), Refused>;

    /// Combines the accumulators in the lanes of a mask, all of them defined, into one; `None` if the mask is
    /// empty.
    ///
    /// # Errors
    /// The elements do not belong together, or the operation has no [redux](reduce_ir::redux).
    fn redux(
        &mut self,
        accs: &PerLane<Option<Acc>>,
        lanes: u32,
        out: &mut Option<Acc>,
    ) -> Result<(), Refused>;
}

/// Combines the accumulators in the lanes of a mask, in the tree of one instruction: with strides of 16, 8, 4, 2
/// and 1 lanes. `pair` combines the accumulator of a lane with the one of a lane further up.
///
/// # Errors
/// The errors of `pair`.
pub fn halved(
    accs: &PerLane<Option<Acc>>,
    lanes: u32,
    mut pair: impl FnMut(usize, Acc, Acc) -> Result<Option<Acc>, Refused>,
) -> Result<Option<Acc>, Refused> {
    let mut tree: PerLane<_> = std::array::from_fn(|lane| accs[lane].filter(|_| lanes >> lane & 1 == 1));
    for stride in [16, 8, 4, 2, 1] {
        for lane in 0..stride {
            tree[lane] = match (tree[lane], tree[lane + stride]) {
                (Some(a), Some(b)) => pair(lane, a, b)?,
                (a, b) => a.or(b),
            };
        }
    }
    Ok(tree[0])
}

/// The reason why a domain cannot execute an operation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Elements of different positions in one `map`.
    #[error("one `map` takes elements {0} and {1}")]
    MixedPositions(u64, u64),
    /// The hardware has no instruction for the operation.
    #[error("no redux instruction computes the operation")]
    NoRedux,
    /// An operation on lanes of wrong types, which the verifier would have refused.
    #[error(transparent)]
    Lanes(#[from] reduce_lanes::LaneError),
}
