//! How the elements of a batch become items: where rows of them lie, and what joins them.

use super::stage::Stage;
use reduce_ir::program::{Level, Tree, Unit};
use reduce_lanes::Summed;
use std::ops::Range;

/// Lanes and chunks from which a fold reads its rows in place; below, whole batches are mapped first.
const WIDE: Range<u64> = 128..8192;

/// How the elements of a batch become items.
#[derive(Clone, Copy, Debug)]
pub(super) enum Start {
    /// Each by itself.
    Mapped,
    /// By this level: rows of the source are folded as they lie there.
    Rows(Level),
    /// By this level, and then by pairs: whole chunks of the source are summed as they lie there.
    Summed(Level, Summed),
    /// By this level: rows of the batch are gathered and folded.
    Gathered(Level),
    /// By this level: rows of the source are dealt out, of whose units several items go to a lane.
    Shared(Level),
}

impl Start {
    /// How it is for these levels, and the levels after it.
    pub(super) fn of<'l>(stage: &Stage, levels: &'l [Level]) -> (Start, &'l [Level]) {
        match levels.split_first() {
            Some((&first, rest)) if first.unit != Unit::ONE => (Start::Shared(first), rest),
            Some((&first, rest)) if first.tree == Tree::Serial && !first.is_cut_in_runs() => {
                match first.lanes >= WIDE.start || first.chunk >= WIDE.end {
                    true if stage.sums => Start::summed(first, rest),
                    true => (Start::Rows(first), rest),
                    false if stage.folds => (Start::Gathered(first), rest),
                    false => (Start::Mapped, levels),
                }
            }
            _ => (Start::Mapped, levels),
        }
    }

    /// How it is for sums that begin with that level.
    fn summed(first: Level, rest: &[Level]) -> (Start, &[Level]) {
        let [chunk, lanes] = [first.chunk, first.lanes].map(|it| it as usize);
        let how = |pairs| Summed::new(chunk, lanes, pairs).map(|how| Start::Summed(first, how));
        if let [pairs, rest @ ..] = rest
            && *pairs == Level::every(pairs.chunk, Tree::Pairs)
            && let Some(start) = how(pairs.chunk as usize)
        {
            return (start, rest);
        }
        (how(1).unwrap_or(Start::Rows(first)), rest)
    }
}
