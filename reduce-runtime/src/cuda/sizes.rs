//! How the memory of a workspace is divided: ticket, results, partials that carry flags, and others.

use super::variants::Variants;
use reduce_ir::Extent;

/// Where the result is: behind the ticket, and in front of the partials, so that both stay where they are whatever the
/// number of elements. Of the partials, those that carry flags come first: they are 0 between calls, as the ticket is.
pub(super) const RESULT: u64 = 16;
/// The alignment of the partials.
pub(super) const ALIGNMENT: u64 = 256;

/// Bytes of a workspace for up to so many elements; the most there is where no memory is that large.
pub(super) fn bytes(variants: &Variants, most: Extent) -> u64 {
    let [_, others] = variants.workspace(most);
    partials(variants, most.groups).saturating_add(flagged(variants, most)).saturating_add(others)
}

/// Bytes of its partials that carry flags.
pub(super) fn flagged(variants: &Variants, most: Extent) -> u64 {
    variants.workspace(most)[0].checked_next_multiple_of(ALIGNMENT).unwrap_or(u64::MAX)
}

/// Where the partials begin.
pub(super) fn partials(variants: &Variants, groups: u64) -> u64 {
    let results = groups.saturating_mul(variants.operation.stored().size() as u64);
    RESULT.saturating_add(results).checked_next_multiple_of(ALIGNMENT).unwrap_or(u64::MAX)
}
