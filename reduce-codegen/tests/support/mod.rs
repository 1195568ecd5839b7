//! Shared by the tests of this crate: programs and sizes.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    reason = "shared by tests, which fail by panicking"
)]

pub mod corpus;
pub mod grouped;
pub mod nests;
pub mod operations;
pub mod provenance;
pub mod random;
#[path = "../../../tests/support/rotation.rs"]
pub mod rotation;
#[path = "../../../tests/support/splitmix.rs"]
pub mod splitmix;
pub mod standalone;

use reduce_codegen::passes::named;
use reduce_codegen::{Stage, stages};
use reduce_dsl::operators::Operator;
use reduce_ir::func::Param;
use reduce_ir::operation::Operation;
use reduce_ir::pass::Pass;
use reduce_ir::program::{Program, Reads};
use reduce_ir::spec::Passes;
use reduce_ir::{Domain, Scalar, Spec};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// The pass lists for every operator and type, with the block size of each.
pub const LISTS: [(u32, &str); 52] = [
    (256, ""),
    (32, "coarsen(4)"),
    (128, "sequential"),
    (64, "unroll"),
    (256, "sequential unroll"),
    (256, "shuffle"),
    (32, "shuffle unroll"),
    (64, "shuffle coarsen(4)"),
    (32, "vectorize(4)"),
    (64, "sequential vectorize(2) coarsen(3)"),
    (128, "shuffle vectorize(4) coarsen(2) unroll"),
    (64, "shuffle vectorize(8) coarsen(5)"),
    (32, "vectorize(16) shuffle"),
    (128, "coarsen(7) sequential unroll"),
    (1024, "shuffle coarsen(1) vectorize(2)"),
    (512, "shuffle vectorize(4) coarsen(16) unroll"),
    (32, "serial"),
    (64, "in_place"),
    (128, "in_place sequential"),
    (32, "in_place bitmask unroll"),
    (64, "in_place strided_index"),
    (256, "bitmask coarsen(2)"),
    (128, "strided_index unroll"),
    (128, "strided_index swizzle unroll"),
    (1024, "strided_index swizzle coarsen(2) one_block ticket"),
    (256, "sequential coarsen(2) last_warp"),
    (32, "sequential last_warp grid_stride(3) unroll"),
    (64, "shuffle vectorize(4) grid_stride(2)"),
    (64, "shuffle one_block ticket dependent trigger"),
    (32, "shuffle vectorize(2) coarsen(3) unroll one_block ticket flag"),
    (64, "sequential last_warp one_block ticket"),
    (128, "one_block unroll grid_stride(3) ticket"),
    (64, "shuffle vectorize(4) unroll cluster(4)"),
    (32, "cluster(2) coarsen(3) sequential"),
    (64, "shuffle cluster(8) one_block ticket flag trigger dependent"),
    (64, "narrow_index"),
    (32, "narrow_index coarsen(3) vectorize(4) unroll"),
    (128, "shuffle vectorize(4) coarsen(2) narrow_index unroll one_block ticket flag"),
    (64, "sequential last_warp narrow_index one_block ticket"),
    (64, "shuffle vectorize(2) narrow_index cluster(4)"),
    (32, "cluster(8) narrow_index strided_index coarsen(2) one_block ticket"),
    (128, "shuffle redux vectorize(4) coarsen(2) unroll one_block ticket flag"),
    (64, "shuffle redux cluster(4)"),
    (64, "shuffle vectorize(2) narrow_index redux cluster(4)"),
    (128, "shuffle serial_tail vectorize(4) unroll one_block ticket"),
    (256, "shuffle coarsen(2) cluster(4) serial_tail"),
    (64, "shuffle vectorize(8) lanes(2) coarsen(3) unroll one_block ticket"),
    (32, "vectorize(4) lanes(1) grid_stride(2)"),
    (64, "shuffle coarsen(2) warp_striped"),
    (32, "shuffle coarsen(4) warp_striped vectorize(2) unroll"),
    (128, "shuffle coarsen(4) vectorize(4) warp_striped unroll streaming one_block ticket flag"),
    (64, "shuffle coarsen(8) warp_striped unroll cluster(2)"),
];

/// Parses the passes of a list.
pub fn passes(list: &str) -> Vec<Pass> {
    let pass = |word: &str| {
        let (name, argument) = word.split_once('(').unwrap_or((word, "0)"));
        let (rule, argument) = (named(name).unwrap(), argument.trim_end_matches(')'));
        rule.with_word(argument).unwrap_or_else(|| rule.with(argument.parse().unwrap()).unwrap())
    };
    list.split_whitespace().map(pass).collect()
}

/// Returns the specification of an operator on inputs of one type.
pub fn spec(operator: &Operator, ty: Scalar, block: u32, list: &str) -> Spec {
    let operation = operation(operator, ty);
    let text = format!("op: {}, ty: {ty}, block: {block}, passes: [{list}]", operator.name);
    Spec {
        operation,
        domain: Domain::WHOLE,
        axes: None,
        defaults: Vec::new(),
        text,
        block: Some(block),
        passes: Passes::List(passes(list)),
    }
}

/// Returns an operator on inputs of one type. Kept, because its text is parsed, and every list of passes asks for it.
fn operation(operator: &Operator, ty: Scalar) -> Operation {
    static KEPT: Mutex<BTreeMap<(&str, Scalar), Operation>> = Mutex::new(BTreeMap::new());
    let make = || {
        let inputs: Vec<_> = ["x", "y"][..operator.inputs].iter().map(|&name| Param::new(name, ty)).collect();
        operator.apply(&inputs, None).unwrap()
    };
    KEPT.lock().unwrap().entry((operator.name, ty)).or_insert_with(make).clone()
}

/// Returns the specification of an operation.
pub fn spec_of(operation: &Operation, block: u32, list: &str) -> Spec {
    let text = format!("op: {}, block: {block}, passes: [{list}]", operation.name);
    Spec {
        operation: operation.clone(),
        domain: Domain::WHOLE,
        axes: None,
        defaults: Vec::new(),
        text,
        block: Some(block),
        passes: Passes::List(passes(list)),
    }
}

/// Returns the program of every stage of every list that the operator accepts.
pub fn programs(operator: &Operator, ty: Scalar) -> Vec<Program> {
    distinct(LISTS.iter().filter_map(|&(block, list)| stages(&spec(operator, ty, block, list)).ok()))
}

/// Returns the program of every stage of every list that an operation accepts.
pub fn programs_of(operation: &Operation) -> Vec<Program> {
    distinct(LISTS.iter().filter_map(|&(block, list)| stages(&spec_of(operation, block, list)).ok()))
}

fn distinct(lists: impl IntoIterator<Item = Vec<Stage>>) -> Vec<Program> {
    let mut programs: Vec<Program> = Vec::new();
    for stage in lists.into_iter().flatten() {
        let same =
            |other: &Program| other.block == stage.program.block && other.kernels == stage.program.kernels;
        if !programs.iter().any(same) {
            programs.push(stage.program);
        }
    }
    programs
}

/// Returns the sizes around all boundaries of a program, up to a few tiles.
pub fn boundaries(program: &Program) -> Vec<u64> {
    let [tile, partials] = [program.tile(Reads::Inputs), program.tile(Reads::Partials)];
    let edges =
        [1, 2, 3, 5].map(|k| k * tile).into_iter().chain([program.block.into(), 32, 64, tile * partials]);
    let around = edges.flat_map(|edge| [edge - 1, edge, edge + 1]);
    let mut sizes: Vec<u64> = around.filter(|&n| n <= 40_000).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}
