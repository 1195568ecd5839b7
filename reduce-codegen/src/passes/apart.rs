//! Passes that have no place beside each other, whichever is written first.

use Pass::{
    Atomic, Bitmask, Cluster, Coarsen, Flag, Gather, GridStride, InPlace, Lanes, LastWarp, Near, OneBlock,
    Redux, Rows, Sequential, Serial, Shuffle, Streaming, StridedIndex, Ticket, Vectorize,
};
use reduce_ir::pass::Pass;

/// Why a pass does not join those that are there.
pub(super) fn refused(passes: &[Pass], pass: Pass) -> Option<String> {
    let (there, why) =
        passes.iter().find_map(|&there| Some((there, why(there, pass).or(why(pass, there))?)))?;
    Some(format!("{why}; leave `{there}` or `{pass}` out"))
}

/// Why the one leaves nothing to the other.
fn why(one: Pass, other: Pass) -> Option<&'static str> {
    match (one, other) {
        (Serial, _) => Some("one thread folds everything"),
        (
            InPlace,
            LastWarp | Shuffle | Coarsen(_) | GridStride(_) | Vectorize(_) | Lanes(_) | Rows | Streaming
            | Near | Redux | Gather | Atomic | Cluster(_) | OneBlock | Ticket | Flag,
        ) => Some("a tree in place has one item for each element, in global memory"),
        (Bitmask, StridedIndex | Sequential) | (StridedIndex, Sequential) => {
            Some("a tree has one addressing")
        }
        (Bitmask | StridedIndex, LastWarp) => {
            Some("the last steps of a tree are those of one warp where `sequential` addresses it")
        }
        (GridStride(_), Coarsen(_)) => {
            Some("a thread folds so many units, or all that the grid comes across")
        }
        (GridStride(_), Near) => Some("`grid_stride` counts positions in 64 bits"),
        (GridStride(_), Cluster(_)) => Some("the grid is one of so many blocks, or one of clusters"),
        (Atomic, Cluster(_) | OneBlock | Ticket | Flag) => {
            Some("`atomic` leaves one accumulator, in which blocks meet")
        }
        _ => None,
    }
}
