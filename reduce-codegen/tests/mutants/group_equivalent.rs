//! Mutants of kernels for many groups that are equivalent to their kernel, or that no run here can show, with the reason.

use super::equivalent::Equivalent;

pub(crate) const EQUIVALENT: [Equivalent; 3] = [
    Equivalent {
        mutations: &["group of another block"],
        is_one: |what, _| what.contains("block + 1) % across"),
        reason: "the blocks of each member exchange their groups, and each still has a block",
        survivors: 24,
    },
    Equivalent {
        mutations: &["step of another axis or input", "length of another axis"],
        is_one: |what, kernel| kernel.contains("subwarp") && what.starts_with("if count == TILE"),
        reason: "no group of a part of a warp fills a tile",
        survivors: 86,
    },
    Equivalent {
        mutations: &["partial of a neighbour"],
        is_one: |what, kernel| {
            what.contains("partials[u64(block)]")
                && kernel.starts_with("reduce_partials")
                && kernel.contains("block 256")
        },
        reason: "no group here has more than 256 partials; the same kernel in a smaller block has",
        survivors: 12,
    },
];
