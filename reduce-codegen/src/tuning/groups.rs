//! The variants of `auto` for several groups. They have the same tiles as for one group, so each group has the bits
//! that it has alone. The length of a group chooses its team.

use super::Tuning;
use super::tiers::Variant;
use reduce_ir::pass::Pass;
use reduce_ir::program::Program;
use reduce_ir::{Access, Domain};

/// The greatest length of groups that have one thread each.
const OF_A_THREAD: u64 = 16;
/// The same if neighbouring groups lie side by side: the threads of a warp then read side by side.
const OF_A_THREAD_BESIDE: u64 = 64;
/// The warps that share longer groups that lie side by side.
const WARPS_BESIDE: u32 = 8;

/// Returns the tuning for groups: the blocks of a group combine in the next launch.
pub(crate) fn tuning(tuning: Tuning) -> Tuning {
    Tuning { cluster: 1, ticket: false, flag: false, ..tuning }
}

/// Returns the variants for several groups, by ascending length, from the variants for one group.
pub(crate) fn variants(mut variants: Vec<Variant>, domain: Domain) -> Vec<Variant> {
    let beside = matches!(domain.access, Access::Strided { beside: true, .. });
    let most = if beside { OF_A_THREAD_BESIDE } else { OF_A_THREAD };
    let short = variants.first().filter(|variant| variant.block == Program::WARP);
    let short =
        short.map(|first| Variant { up_to: Some(most), ..with(first, Pass::of_word("team", "thread")) });
    match (variants.first_mut().filter(|_| short.is_some()), beside) {
        (_, true) => variants.iter_mut().for_each(lay_beside),
        (Some(first), false) => *first = with(first, Pass::of_word("team", "warp")),
        (None, false) => {}
    }
    variants.splice(0..0, short);
    variants
}

/// Lets neighbouring groups share blocks, unless their operator keeps the order by rows of a warp.
fn lay_beside(variant: &mut Variant) {
    let is_striped = variant.passes.iter().any(|pass| pass.name == "warp_striped");
    if !is_striped && variant.block > WARPS_BESIDE {
        *variant = with(variant, Pass::with("beside", WARPS_BESIDE));
    }
}

fn with(variant: &Variant, pass: Pass) -> Variant {
    Variant { passes: variant.passes.iter().copied().chain([pass]).collect(), ..variant.clone() }
}
