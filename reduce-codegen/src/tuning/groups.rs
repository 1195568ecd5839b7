//! The variants of `auto` for several groups. They have the same tiles as for one group, so each group has the bits
//! that it has alone. The length of a group chooses its team.

use super::Tuning;
use super::tiers::Variant;
use reduce_ir::pass::Pass;
use reduce_ir::program::Program;

/// The greatest length of rows that have one thread each.
const OF_A_THREAD: u64 = 16;

/// Returns the tuning for groups: the blocks of a group combine in the next launch.
pub(crate) fn tuning(tuning: Tuning) -> Tuning {
    Tuning { cluster: 1, ticket: false, flag: false, ..tuning }
}

/// Returns the variants for several groups, by ascending length, from the variants for one group.
pub(crate) fn variants(mut variants: Vec<Variant>) -> Vec<Variant> {
    let Some(first) = variants.first_mut().filter(|variant| variant.block == Program::WARP) else {
        return variants;
    };
    let short = Variant { up_to: Some(OF_A_THREAD), ..with_team(first, "thread") };
    *first = with_team(first, "warp");
    variants.insert(0, short);
    variants
}

fn with_team(variant: &Variant, word: &'static str) -> Variant {
    let team = [Pass::of_word("team", word)];
    Variant { passes: variant.passes.iter().copied().chain(team).collect(), ..variant.clone() }
}
