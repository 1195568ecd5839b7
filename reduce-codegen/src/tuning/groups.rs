//! The variants of `auto` for several groups. They have the same tiles as for one group, so each group has the bits
//! that it has alone. The length of a group chooses its team.

use super::Tuning;
use super::tiers::Variant;
use reduce_ir::operation::Operation;
use reduce_ir::pass::Pass;
use reduce_ir::program::Program;
use reduce_ir::{Access, Beside, Domain, Spec};

/// The numbers of threads that may share a short group, in ascending order. Each thread has one load unit.
const SHORT: [u32; 5] = [1, 2, 4, 8, 16];
/// The threads of the association that one thread evaluates, if neighbouring groups lie side by side: the threads of a warp then
/// read side by side.
const SHORT_BESIDE: [u32; 3] = [4, 8, 16];
/// The longer groups that lie side by side and share a block. A group with one tile: many, so that a warp reads whole lines, or few,
/// so that there are more blocks. Tiles of longer groups are blocks enough. Measured on an H100 (docs/lab/2026-11-27-axes.md).
const MANY_BESIDE: u32 = 32;
const FEW_BESIDE: u32 = 8;
const TILES_BESIDE: u32 = 64;
/// The bytes of the largest accumulator with which they fit shared memory.
const LARGEST_BESIDE: usize = 16;

/// Returns the tuning for groups: the blocks of a group combine in the next launch.
pub(crate) fn tuning(tuning: Tuning) -> Tuning {
    Tuning { cluster: 1, ticket: false, flag: false, ..tuning }
}

/// Returns the passes of a list that apply to the groups of a call: without `beside` if all kept axes have length 1. It changes no
/// bit, and one group has no neighbours.
pub(crate) fn applying(passes: &[Pass], spec: &Spec) -> Vec<Pass> {
    let keeps = spec.axes.as_ref().is_some_and(|axes| axes.domain().is_grouped());
    let has_one_group = keeps && !spec.domain.is_grouped();
    passes.iter().filter(|pass| !has_one_group || pass.name != "beside").copied().collect()
}

/// Returns the variants for several groups, by ascending length, from the variants for one group.
pub(crate) fn variants(mut variants: Vec<Variant>, operation: &Operation, domain: Domain) -> Vec<Variant> {
    let beside = beside(domain);
    let first = variants.first().filter(|variant| variant.block == Program::WARP).cloned();
    let short: Vec<_> = first.iter().flat_map(|first| short(first, operation, beside.is_some())).collect();
    match (beside, variants.first_mut().filter(|_| first.is_some())) {
        (Some(groups), _) if operation.acc.size() <= LARGEST_BESIDE => {
            variants.iter_mut().for_each(|variant| lay_beside(variant, groups));
        }
        (None, Some(first)) => *first = with(first, Pass::of_word("team", "warp")),
        (Some(_), _) | (None, None) => {}
    }
    variants.splice(0..0, short);
    variants
}

/// Returns the variants for short groups.
fn short(first: &Variant, operation: &Operation, beside: bool) -> Vec<Variant> {
    let number =
        |name: &str| first.passes.iter().find(|pass| pass.name == name).and_then(|pass| pass.number());
    let units = if operation.commutative { 1 } else { number("coarsen").unwrap_or(1) };
    let each = u64::from(number("vectorize").unwrap_or(1) * units);
    let variant = |&threads: &u32| {
        let team = match (beside, threads) {
            (true, _) | (false, 1) => Pass::of_word("team", "thread"),
            (false, _) => Pass::with("subwarp", threads),
        };
        Variant { up_to: Some(u64::from(threads) * each), ..with(first, team) }
    };
    let threads = if beside { &SHORT_BESIDE[..] } else { &SHORT[..] };
    threads.iter().map(variant).collect()
}

/// Returns the numbers of neighbouring groups that share a block, with one tile and with several, if groups lie side by side.
fn beside(domain: Domain) -> Option<[u32; 2]> {
    match domain.access {
        Access::Contiguous | Access::Adjacent | Access::Strided { beside: Beside::No, .. } => None,
        Access::Strided { beside: Beside::Narrow(groups), .. } => {
            Some([groups.into(), u32::from(groups).min(FEW_BESIDE)])
        }
        Access::Strided { beside: Beside::Few, .. } => Some([FEW_BESIDE, TILES_BESIDE]),
        Access::Strided { beside: Beside::Many, .. } => Some([MANY_BESIDE, TILES_BESIDE]),
    }
}

/// Lets neighbouring groups share blocks, unless their operator keeps the order by rows of a warp.
fn lay_beside(variant: &mut Variant, [one_tile, tiles]: [u32; 2]) {
    let has = |name: &str| variant.passes.iter().any(|pass| pass.name == name);
    let is_striped = has("warp_striped");
    let groups = if has("one_block") { tiles } else { one_tile };
    if !is_striped && variant.block >= Program::WARP {
        *variant = with(variant, Pass::with("beside", groups));
    }
}

fn with(variant: &Variant, pass: Pass) -> Variant {
    Variant { passes: variant.passes.iter().copied().chain([pass]).collect(), ..variant.clone() }
}
