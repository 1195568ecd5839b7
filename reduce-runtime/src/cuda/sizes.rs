//! The layout of a workspace: ticket, results, partials with flags, other partials.

use super::variants::Variants;
use reduce_ir::Extent;

/// The offset of the result. It follows the ticket and precedes the partials, so both stay in place for every number of
/// elements. Partials with flags precede the others: like the ticket, they are 0 between calls.
pub(super) const RESULT: u64 = 16;
/// The alignment of the partials.
pub(super) const ALIGNMENT: u64 = 256;

/// Returns the bytes of a workspace for up to `most` elements; `u64::MAX` on overflow.
pub(super) fn bytes(variants: &Variants, most: Extent) -> u64 {
    let [_, others] = variants.workspace(most);
    partials(variants, most.groups).saturating_add(flagged(variants, most)).saturating_add(others)
}

/// Returns the bytes of the partials with flags.
pub(super) fn flagged(variants: &Variants, most: Extent) -> u64 {
    variants.workspace(most)[0].checked_next_multiple_of(ALIGNMENT).unwrap_or(u64::MAX)
}

/// Returns the offset of the partials.
pub(super) fn partials(variants: &Variants, groups: u64) -> u64 {
    let results = groups.saturating_mul(variants.operation.stored().size() as u64);
    RESULT.saturating_add(results).checked_next_multiple_of(ALIGNMENT).unwrap_or(u64::MAX)
}
