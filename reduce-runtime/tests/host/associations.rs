//! The associations that the host is tested with.

use reduce_ir::program::{Arrangement, Association, Level, Tree, Unit};

pub(crate) const fn level(chunk: u64, lanes: u64, tree: Tree) -> Level {
    Level { lanes, ..Level::every(chunk, tree) }
}

/// All items, in `lanes` consecutive runs.
const fn runs(lanes: u64) -> Level {
    Level { arrangement: Arrangement::Blocked, ..level(Level::ALL, lanes, Tree::Serial) }
}

/// The items of a load unit share lanes.
const fn shared(chunk: u64, lanes: u64, unit: Unit) -> Level {
    Level { unit, ..level(chunk, lanes, Tree::Serial) }
}

const SIXTEEN: Unit = Unit { width: 16, lanes: 4 };
const FOUR: Unit = Unit { width: 4, lanes: 1 };
pub(crate) const WARP: Level = level(32, 1, Tree::Halving);
pub(crate) const PAIRS: Level = level(256, 1, Tree::Pairs);

pub(crate) fn association(first: &[Level], again: &[Level]) -> Association {
    Association { first: first.to_vec(), again: again.to_vec() }
}

/// Lists the tested associations: naive; without a level over the elements; warps; narrow and wide folds, and folds with
/// more lanes than one batch; lanes combined by trees; serial items; runs of few lanes, and runs whose lanes fill a row
/// that is read in place; and lanes that load units share.
pub(crate) fn associations() -> Vec<Association> {
    use Tree::{Halving, Pairs, Serial};
    let warps = [WARP, level(8, 1, Halving)];
    vec![
        association(&[PAIRS], &[PAIRS]),
        association(&[], &[level(2, 1, Pairs)]),
        association(&warps, &warps),
        association(&[level(128, 32, Serial), WARP], &[WARP]),
        association(&[level(512, 128, Serial), level(4, 1, Pairs), WARP], &[level(64, 32, Serial), WARP]),
        association(&[level(64, 8, Pairs), level(16, 2, Halving)], &[level(2, 1, Halving)]),
        association(&[level(3, 1, Serial)], &[level(5, 1, Serial)]),
        association(&[level(16_384, 4096, Serial), level(4096, 1, Pairs)], &[PAIRS]),
        association(&[level(24_576, 24, Serial)], &[level(21, 3, Serial), level(3, 1, Serial)]),
        association(&[level(3, 1, Serial)], &[runs(32), level(32, 1, Pairs)]),
        association(&[level(2, 1, Pairs)], &[runs(128), level(128, 1, Pairs)]),
        association(&[shared(96, 8, SIXTEEN), level(4, 1, Pairs)], &[level(2, 1, Pairs)]),
        association(&[shared(16_384, 2048, SIXTEEN), level(4, 1, Pairs), WARP], &[WARP]),
        association(&[shared(256, 32, FOUR), WARP], &[WARP]),
        association(&[shared(Level::ALL, 64, FOUR), WARP, level(2, 1, Halving)], &[WARP]),
    ]
}
