//! The table of rungs.

use super::{Block, Published, Rung, Twist};
use reduce_ir::passes;

const fn b(us: f64) -> Published {
    Published { source: 'B', n: 25_600_000, us }
}

const fn e(us: f64) -> Published {
    Published { source: 'E', n: 1 << 22, us }
}

const NAIVE: Rung = Rung {
    number: 0,
    name: "",
    what: "",
    passes: &[],
    block: Block::Given,
    twist: Twist::None,
    published: &[],
};

/// The twenty rungs.
pub const RUNGS: [Rung; 20] = [
    Rung {
        number: 1,
        name: "serial",
        what: "one thread folds everything",
        passes: &passes![serial],
        block: Block::Warp,
        published: &[b(1_140_126.0)],
        ..NAIVE
    },
    Rung {
        number: 2,
        name: "in-place interleaved",
        what: "a tree in global memory: thread t owns element 2t, and the stride doubles",
        passes: &passes![in_place],
        block: Block::HalfOfElements,
        ..NAIVE
    },
    Rung {
        number: 3,
        name: "in-place converged",
        what: "the same with thread t owning element t, and the stride halving",
        passes: &passes![in_place, sequential],
        block: Block::HalfOfElements,
        ..NAIVE
    },
    Rung {
        number: 4,
        name: "shared converged",
        what: "first add while loading, then the tree in shared memory: the input is read once",
        passes: &passes![coarsen(2), sequential],
        block: Block::HalfOfElements,
        ..NAIVE
    },
    Rung {
        number: 5,
        name: "interleaved, modulo",
        what: "one element a thread into shared memory; active where thread % (2 * stride) == 0",
        passes: &[],
        published: &[b(767.104), e(520.0)],
        ..NAIVE
    },
    Rung {
        number: 6,
        name: "interleaved, bit mask",
        what: "active where (thread & (2 * stride - 1)) == 0: no division",
        passes: &passes![bitmask],
        published: &[b(399.520)],
        ..NAIVE
    },
    Rung {
        number: 7,
        name: "strided index",
        what: "item 2 * stride * thread: no divergence, bank conflicts instead",
        passes: &passes![strided_index],
        published: &[e(353.0)],
        ..NAIVE
    },
    Rung {
        number: 8,
        name: "sequential",
        what: "the stride halves: no divergence, no bank conflict",
        passes: &passes![sequential],
        published: &[b(399.232), e(333.0)],
        ..NAIVE
    },
    Rung {
        number: 9,
        name: "first add during load",
        what: "each thread loads two elements, a block apart: half the blocks",
        passes: &passes![coarsen(2), sequential],
        published: &[b(286.848), e(186.0)],
        ..NAIVE
    },
    Rung {
        number: 10,
        name: "unroll the last warp",
        what: "below 32 threads no block barrier; a warp barrier at each step",
        passes: &passes![coarsen(2), sequential, last_warp],
        published: &[b(271.200), e(131.0)],
        ..NAIVE
    },
    Rung {
        number: 11,
        name: "completely unrolled",
        what: "all levels written out",
        passes: &passes![coarsen(2), sequential, last_warp, unroll],
        published: &[b(272.960), e(123.0)],
        ..NAIVE
    },
    Rung {
        number: 12,
        name: "many adds per thread",
        what: "a grid-stride loop before the tree",
        passes: &passes![grid_stride(1024), sequential, last_warp, unroll],
        published: &[b(261.632)],
        ..NAIVE
    },
    Rung {
        number: 13,
        name: "shuffle",
        what: "the tree of a warp through registers, one block barrier",
        passes: &passes![grid_stride(1024), shuffle],
        published: &[b(285.952)],
        ..NAIVE
    },
    Rung {
        number: 14,
        name: "shuffle, unrolled",
        what: "the five shuffles written out",
        passes: &passes![grid_stride(1024), shuffle, unroll],
        published: &[b(285.952)],
        ..NAIVE
    },
    Rung {
        number: 15,
        name: "vectorize",
        what: "16-byte loads, two in flight for 4-byte elements",
        passes: &passes![grid_stride(1024), vectorize(8), shuffle, unroll],
        ..NAIVE
    },
    Rung {
        number: 16,
        name: "segmented, atomic",
        what: "every block reduces its segment and adds it to one output with an atomic",
        passes: &passes![coarsen(2), sequential, atomic],
        twist: Twist::AnyOrder,
        ..NAIVE
    },
    Rung {
        number: 17,
        name: "coarsened",
        what: "each thread folds eight elements before the tree",
        passes: &passes![coarsen(8), sequential],
        ..NAIVE
    },
    Rung {
        number: 18,
        name: "any operator, any type",
        what: "the kernel of rung 15 for another operator on another type",
        passes: &passes![grid_stride(1024), vectorize(8), shuffle, unroll],
        twist: Twist::OtherOperator,
        ..NAIVE
    },
    Rung {
        number: 19,
        name: "any length",
        what: "the kernel of rung 11 on an odd number of elements, level after level",
        passes: &passes![coarsen(2), sequential, last_warp, unroll],
        twist: Twist::AnyLength,
        ..NAIVE
    },
    Rung {
        number: 20,
        name: "asum",
        what: "the sum of the absolute values of strided elements",
        passes: &passes![coarsen(8), shuffle, unroll],
        twist: Twist::StridedAbs,
        ..NAIVE
    },
];
