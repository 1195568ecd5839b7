//! The cases of `auto` for several groups: the same tiles, so that each group has the bits that it has alone, with a team for each
//! length.

use crate::auto::Case;
use crate::tuning::Tuning;
use reduce_ir::pass::Pass;
use reduce_ir::program::Program;

/// The longest rows of which each thread takes one.
const OF_A_THREAD: u64 = 16;

/// The tuning of groups: blocks that share one meet in the next launch.
pub(crate) fn tuning(tuning: Tuning) -> Tuning {
    Tuning { cluster: 1, ticket: false, flag: false, ..tuning }
}

/// The cases of groups, by growing length, of those of a single group.
pub(crate) fn cases(mut cases: Vec<Case>) -> Vec<Case> {
    let Some(first) = cases.first_mut().filter(|case| case.block == Program::WARP) else { return cases };
    let short = Case { up_to: Some(OF_A_THREAD), ..with_team(first, "thread") };
    *first = with_team(first, "warp");
    cases.insert(0, short);
    cases
}

fn with_team(case: &Case, word: &'static str) -> Case {
    let team = [Pass::of_word("team", word)];
    Case { passes: case.passes.iter().copied().chain(team).collect(), ..case.clone() }
}
