//! Mutants of kernels for many groups that are equivalent to their kernel, or that no run here can show, with the reason.

use super::equivalent::Equivalent;

pub(crate) const EQUIVALENT: [Equivalent; 2] = [
    Equivalent {
        mutations: &["group of another block"],
        is_one: |what, _| what.contains("block + 1) % across"),
        reason: "the blocks of each member exchange their groups, and each still has a block",
        survivors: 24,
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
