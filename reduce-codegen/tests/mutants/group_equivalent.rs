//! Mutants of kernels for many groups that are equivalent to their kernel, with the reason.

use super::equivalent::Equivalent;

pub(crate) const EQUIVALENT: [Equivalent; 4] = [
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
    Equivalent {
        mutations: &["block barrier deleted"],
        is_one: |_, kernel| kernel.contains("beside(") && !kernel.contains("block 32"),
        reason: "between two levels of rounds, each thread reads accumulators of its own only",
        survivors: 16,
    },
];
