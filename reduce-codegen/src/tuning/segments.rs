//! The variants of `auto` for segments: groups whose lengths only the device knows. They have the same tiles as for one group, so each
//! segment has the bits that it has alone.

use super::tiers::{self, Variant};
use super::{Tuning, groups};
use reduce_ir::Spec;
use reduce_ir::pass::Pass;
use reduce_ir::program::Program;

/// The variants for segments.
pub(crate) struct Variants {
    /// Those of teams that are smaller than a block, by ascending length: a thread, some lanes, a warp.
    pub(crate) short: Vec<Variant>,
    /// Those of a block, by ascending length. The last one has no limit.
    pub(crate) tiers: Vec<Variant>,
}

/// Returns the variants. With `narrow`, positions have 32 bits where the operation allows it.
pub(crate) fn variants(spec: &Spec, tuning: Tuning, narrow: bool) -> Variants {
    let mut tiers = tiers::auto(spec, groups::tuning(tuning), narrow);
    if narrow {
        // The last tier has wide positions if the others have narrow ones.
        let is_narrow = |variant: &Variant| variant.passes.iter().any(|pass| pass.name == "narrow_index");
        let some = tiers.iter().any(is_narrow);
        tiers.retain(|variant| !some || is_narrow(variant));
    }
    let Some(first) = tiers.first().filter(|variant| variant.block == Program::WARP).cloned() else {
        return Variants { short: Vec::new(), tiers };
    };
    tiers.remove(0);
    let units = if spec.operation.commutative { 1 } else { number(&first, "coarsen") };
    let each = u64::from(number(&first, "vectorize") * units);
    let shorter = |passes: &[Pass], threads: u64| Variant {
        up_to: first.up_to.map(|most| most.min(threads * each)),
        passes: [&first.passes[..], passes].concat(),
        ..first.clone()
    };
    let (thread, warp) = (Pass::of_word("team", "thread"), Pass::of_word("team", "warp"));
    let lanes = |lanes| [Pass::with("subwarp", lanes), Pass::with("logical", 4)];
    let mut short = match spec.operation.commutative {
        true => vec![shorter(&[thread], 2), shorter(&lanes(2), 8), shorter(&lanes(8), 32)],
        false => vec![shorter(&[thread], 1), shorter(&[Pass::with("subwarp", 8)], 8)],
    };
    short.push(Variant { up_to: first.up_to, ..shorter(&[warp], 1) });
    short.dedup_by_key(|variant| variant.up_to);
    Variants { short, tiers }
}

/// Returns the variant of the longest groups, on every GPU.
pub(crate) fn longest(spec: &Spec) -> Option<Variant> {
    tiers::auto(spec, groups::tuning(Tuning::DEFAULT), false).pop()
}

/// Returns the argument of a pass of a variant, or 1.
fn number(variant: &Variant, name: &str) -> u32 {
    variant.passes.iter().find(|pass| pass.name == name).and_then(|pass| pass.number()).unwrap_or(1)
}
