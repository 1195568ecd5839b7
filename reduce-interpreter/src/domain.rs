//! What accumulators are while a kernel runs: a choice of the caller.

use super::warp::PerLane;
use std::num::NonZeroU32;

/// An accumulator: the number under which its [`Domain`] keeps it. One that holds no element, where the
/// operation has no fill, is `None` everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Acc(NonZeroU32);

impl Acc {
    /// The accumulator of a number; from 2³² − 2 on all are the same.
    pub fn number(number: usize) -> Acc {
        Acc(NonZeroU32::MIN.saturating_add(u32::try_from(number).unwrap_or(u32::MAX)))
    }

    /// Its number.
    pub fn get(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A representation of accumulators.
pub trait Domain {
    /// What stands for no element: the fill, if there is one.
    fn empty(&mut self) -> Option<Acc>;

    /// The accumulators of single elements, in the lanes of a mask: `args[k]` holds the bits of the `k`-th
    /// argument of `map` in each lane.
    ///
    /// # Errors
    /// The elements do not belong together.
    fn map(
        &mut self,
        args: &[PerLane<u64>],
        lanes: u32,
        out: &mut PerLane<Option<Acc>>,
    ) -> Result<(), Refused>;

    /// Two accumulators as one, in the lanes of a mask where both are defined.
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

    /// Accumulators with one element added to each, in the lanes of a mask where they are defined: `args[k]` holds
    /// the bits of the `k`-th argument of `fold` behind its accumulator.
    ///
    /// # Errors
    /// The elements do not belong together, or the operation is ill typed.
    fn fold(
        &mut self,
        acc: &PerLane<Option<Acc>>,
        args: &[PerLane<u64>],
        lanes: u32,
        out: &mut PerLane<Option<Acc>>,
    ) -> Result<(), Refused>;

    /// What the accumulators in the lanes of a mask combine to, all of them defined; nothing, if there are none.
    ///
    /// # Errors
    /// They do not belong together, or the operation has no [redux](reduce_ir::redux).
    fn redux(
        &mut self,
        accs: &PerLane<Option<Acc>>,
        lanes: u32,
        out: &mut Option<Acc>,
    ) -> Result<(), Refused>;
}

/// The tree that one instruction stands for, over the accumulators in the lanes of a mask: it halves. `pair` joins those of
/// a lane and of one further up.
///
/// # Errors
/// Those of `pair`.
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

/// Why a domain cannot do what it is asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Elements of different positions met in one `map`.
    #[error("elements {0} and {1} met in one `map`")]
    MixedPositions(u64, u64),
    /// The hardware has no instruction for the operation.
    #[error("the operation has no redux")]
    NoRedux,
    /// An operation on lanes of wrong types, which the verifier would have refused.
    #[error(transparent)]
    Lanes(#[from] reduce_lanes::LaneError),
}
