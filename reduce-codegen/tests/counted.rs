//! The interpreter's counts of kernels, compared with the figures in textbooks.

use crate::support::spec;
use reduce_codegen::{compile, lower};
use reduce_dsl::operators::operator;
use reduce_interpreter::{Counts, LaunchCounts, Options, Provenance, Shapes, run};
use reduce_ir::Scalar;
use reduce_ir::statements::Part;

/// Returns the counts of the last launch of a sum of n `f32`.
fn last_launch(block: u32, list: &str, n: u64) -> LaunchCounts {
    last_launch_of("sum", Scalar::F32, block, list, n)
}

/// Returns the counts of the last launch of a reduction of n elements.
fn last_launch_of(name: &str, ty: Scalar, block: u32, list: &str, n: u64) -> LaunchCounts {
    let program = compile(&spec(operator(name).unwrap(), ty, block, list)).unwrap();
    let lowered = lower(&program).unwrap();
    let inputs = Provenance::inputs(&program.operation, n, true);
    let mut domain = Shapes::new(&program.operation);
    let mut outcome = run(&program, &lowered, &mut domain, &inputs, n, Options::FORWARD);
    assert_eq!(outcome.reports, []);
    outcome.counts.pop().unwrap()
}

/// Returns the execution slots, and the slots in which a lane combines.
fn slots(counts: &Counts) -> (u64, u64) {
    (counts.slots, counts.active)
}

/// Counts requests as the textbook does: cache lines of each load and of each store.
fn requests(counts: &Counts) -> u64 {
    counts.global_loads.requests + counts.global_stores.requests
}

/// Source D of the ladder, rungs 2 and 3: the reduction loop alone, in one block with one thread for two elements. All
/// figures are as printed, except the slots of the interleaved tree: 736 counts five levels in which all four warps are
/// active. There are six (strides 1 to 32), so the slots are 864, and their utilization is 30 % and not 35 %.
#[test]
fn a_tree_in_global_memory() {
    let tree = |list, n: u32| *last_launch(n / 2, list, n.into()).part(Part::Tree);
    let interleaved = tree("in_place", 256);
    assert_eq!((slots(&interleaved), requests(&interleaved)), ((864, 255), 141));
    let converged = tree("in_place sequential", 256);
    assert_eq!((slots(&converged), requests(&converged)), ((384, 255), 36));
    assert_eq!(requests(&tree("in_place", 2048)), 1149);
    assert_eq!(requests(&tree("in_place sequential", 2048)), 204);
}

/// Source D, rung 4: the whole kernel reads each line once, and writes one.
#[test]
fn a_tree_in_shared_memory_touches_each_line_once() {
    let counts = last_launch(128, "coarsen(2) sequential", 256).total();
    assert_eq!((counts.global_loads.requests, counts.global_stores.requests), (8, 1));
    assert_eq!(counts.global_loads.bytes + counts.global_stores.bytes, 4 * (256 + 1));
}

/// Source C: levels that need a barrier, and the utilization of warp slots. The source estimates 50 %, 85 % and 100 %; the
/// counts are 17 %, 66 % and 100 %.
#[test]
fn barriers_and_use_of_three_trees_of_256() {
    let tree = |list| *last_launch(256, list, 256).part(Part::Tree);
    let figures = |list| (tree(list).block_barriers, slots(&tree(list)));
    assert_eq!(figures(""), (8, (1504, 255)));
    assert_eq!(figures("sequential"), (8, (384, 255)));
    assert_eq!(figures("shuffle"), (1, (1376, 1376)));
    let [loads, stores] = [tree("shuffle").shared_loads, tree("shuffle").shared_stores];
    assert_eq!([loads.per_thread, stores.per_thread], [1, 1]);
    assert_eq!(tree("shuffle").shuffles, 8 * 5 + 3);
}

/// Interleaved by stride, a tree has no divergence, but conflicts of up to 8 words in one bank. Converged, it has neither.
#[test]
fn conflicts_and_divergence_of_trees_in_shared_memory() {
    let figures = |list| {
        let tree = *last_launch(256, list, 256).part(Part::Tree);
        let [loads, stores] = [tree.shared_loads, tree.shared_stores];
        (loads.conflicts + stores.conflicts, loads.worst.max(stores.worst), tree.divergent_branches)
    };
    assert_eq!(figures(""), (0, 1, 47));
    assert_eq!(figures("strided_index"), (105, 8, 5));
    assert_eq!(figures("sequential"), (0, 1, 5));
}

/// Conflicts and the worst access of the tree of a block, with a strided index and swizzled, for items of 4, 8 and 16
/// bytes.
#[test]
fn swizzled_trees_have_fewer_conflicts() {
    let figures = |name, ty, block: u32, list| {
        let tree = *last_launch_of(name, ty, block, list, block.into()).part(Part::Tree);
        let [loads, stores] = [tree.shared_loads, tree.shared_stores];
        (loads.conflicts + stores.conflicts, loads.worst.max(stores.worst))
    };
    for (name, ty, block, strided, swizzled) in [
        ("sum", Scalar::F32, 256, (105, 8), (0, 1)),
        ("sum", Scalar::F32, 1024, (465, 32), (0, 1)),
        ("sum", Scalar::F64, 256, (180, 16), (0, 1)),
        ("argmax", Scalar::F32, 256, (669, 32), (129, 4)),
        ("argmax", Scalar::F32, 1024, (2757, 32), (597, 8)),
    ] {
        let found = ["strided_index", "strided_index swizzle"].map(|list| figures(name, ty, block, list));
        assert_eq!(found, [strided, swizzled], "{name} of {ty}, block {block}");
    }
}

#[test]
fn the_last_warp_meets_at_its_own_barriers() {
    let tree = *last_launch(256, "sequential last_warp", 256).part(Part::Tree);
    assert_eq!((tree.block_barriers, tree.warp_barriers), (2, 5));
}

/// With a vector of 16 bytes per lane, the same lines need a quarter of the accesses.
#[test]
fn vectors_ask_for_the_same_bytes_in_fewer_accesses() {
    let loads = |list| last_launch(256, list, 1024).total().global_loads;
    let (single, vectors) = (loads("coarsen(4)"), loads("vectorize(4)"));
    assert_eq!(
        (single.bytes, single.sectors, single.requests),
        (vectors.bytes, vectors.sectors, vectors.requests)
    );
    assert_eq!((single.accesses, vectors.accesses), (32, 8));
}
