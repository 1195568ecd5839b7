//! The cases of `auto` for several groups: the same tiles, so that each group has the bits that it has alone, with a team for each
//! length.

use crate::auto::{self, Case};
use crate::tuning::Tuning;
use reduce_ir::Spec;
use reduce_ir::program::{Program, Size};

/// The longest rows of which each thread takes one.
const OF_A_THREAD: u64 = 16;

/// The cases of rows, by growing length. Blocks that share a row meet in the next launch.
pub(crate) fn cases(spec: &Spec, tuning: Tuning) -> Vec<Case> {
    let tuning = Tuning { cluster: 1, ticket: false, flag: false, ..tuning };
    let mut cases = auto::cases(spec, tuning);
    let Some(first) = cases.first_mut().filter(|case| case.block == Program::WARP) else { return cases };
    first.team = Some(Size::Warp);
    let short = Case { up_to: Some(OF_A_THREAD), team: Some(Size::Thread), ..first.clone() };
    cases.insert(0, short);
    cases
}
