//! The variants of `auto` for several groups: the same tiles, so that each group has the bits that it has alone, with a team for each
//! length.

use super::Tuning;
use super::tiers::Variant;
use reduce_ir::pass::Pass;
use reduce_ir::program::Program;

/// The longest rows of which each thread takes one.
const OF_A_THREAD: u64 = 16;

/// The tuning of groups: blocks that share one meet in the next launch.
pub(crate) fn tuning(tuning: Tuning) -> Tuning {
    Tuning { cluster: 1, ticket: false, flag: false, ..tuning }
}

/// The variants of groups, by growing length, of those of a single group.
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
