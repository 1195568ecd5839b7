//! The variants of `auto` for several groups. They have the same tiles as for one group, so each group has the bits
//! that it has alone. The length of a group chooses its team.

use super::Tuning;
use super::tiers::Variant;
use reduce_ir::operation::Operation;
use reduce_ir::pass::Pass;
use reduce_ir::program::Program;
use reduce_ir::{Access, Beside, Domain, Spec};

/// The lanes that may share a short group, the logical threads of each, and how many elements fewer than these can read the group
/// has at least, in ascending order. Each logical thread reads one load unit. With two, a lane has two loads in flight, and a warp
/// has more groups; with one, 4 or 8 lanes read a whole group at once (docs/lab/2026-11-27-axes.md).
const SHORT: [(u32, u32, u64); 8] =
    [(1, 1, 0), (2, 1, 0), (2, 2, 1), (4, 1, 0), (4, 2, 1), (8, 1, 0), (8, 2, 0), (16, 2, 0)];
/// The same for an operator that keeps the order of neighbouring lanes.
const SHORT_ORDERED: [(u32, u32, u64); 5] = [(1, 1, 0), (2, 1, 0), (4, 1, 0), (8, 1, 0), (16, 1, 0)];
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
    let shorter = |passes: Vec<Pass>, threads: u32, fewer: u64| Variant {
        up_to: Some(u64::from(threads) * each - fewer),
        ..passes.into_iter().fold(first.clone(), |variant, pass| with(&variant, pass))
    };
    if beside {
        return SHORT_BESIDE
            .map(|threads| shorter(vec![Pass::of_word("team", "thread")], threads, 0))
            .to_vec();
    }
    let of_lanes = |&(lanes, logical, fewer): &(u32, u32, u64)| {
        let passes = match (lanes, logical) {
            (1, _) => vec![Pass::of_word("team", "thread")],
            (_, 1) => vec![Pass::with("subwarp", lanes)],
            (_, _) => vec![Pass::with("subwarp", lanes), Pass::with("logical", logical)],
        };
        shorter(passes, lanes * logical, fewer)
    };
    let short: &[_] = if operation.commutative { &SHORT } else { &SHORT_ORDERED };
    short.iter().map(of_lanes).collect()
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
