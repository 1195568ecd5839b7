//! The verifier of programs reports each rule that is broken on purpose.

use crate::support::spec;
use reduce_codegen::compile;
use reduce_dsl::operators::operator;
use reduce_ir::program::{
    Arrangement, Combine, Exchange, Fold, Lowering, Medium, Program, Share, Size, Step, Team, Tree,
};
use reduce_ir::{Domain, Scalar, Value};
use std::collections::BTreeSet;

fn program(list: &str) -> Program {
    compile(&spec(operator("max").unwrap(), Scalar::F32, 256, list)).unwrap()
}

/// A change that breaks a rule of the program with these passes.
type Broken = (u32, &'static str, fn(&mut Program));

fn fold(program: &mut Program, change: impl Fn(&mut Fold)) {
    if let Step::Fold(fold) = &mut program.kernels[0].steps[0] {
        change(fold);
    }
}

fn units(program: &mut Program, units: u32, width: u32) {
    fold(program, |fold| (fold.share, fold.width, fold.lanes) = (Share::Units(units), width, width));
}

fn combine(program: &mut Program, at: usize, change: impl Fn(&mut Combine)) {
    if let Step::Combine(combine) = &mut program.kernels[0].steps[at] {
        change(combine);
    }
}

fn atomic(program: &mut Program) {
    program.kernels[0].steps[2] = Step::Exchange(Exchange::Atomic);
}

#[test]
fn every_rule_of_programs_is_checked() {
    let broken = [of_steps(), of_combinations()].concat();
    let rules: BTreeSet<u32> = broken.iter().map(|(rule, ..)| *rule).collect();
    assert_eq!(rules, (1..=17).collect());
    for (rule, list, change) in broken {
        let mut it = program(list);
        it.verify().unwrap();
        change(&mut it);
        assert_eq!(it.verify().unwrap_err().rule, rule, "{it}");
    }
}

fn of_steps() -> Vec<Broken> {
    vec![
        (1, "", |it| it.kernels.swap(0, 1)),
        (2, "", |it| it.block = 96),
        (3, "", |it| it.kernels[0].steps.swap(0, 1)),
        (3, "shuffle", |it| it.kernels[0].steps.swap(1, 2)),
        (4, "", |it| units(it, 0, 1)),
        (4, "vectorize(4)", |it| units(it, 1, 3)),
        (5, "shuffle", |it| combine(it, 1, |combine| combine.items = 16)),
        (5, "shuffle", |it| {
            it.kernels[0].steps =
                [it.kernels[0].steps[..2].to_vec(), it.kernels[0].steps[3..].to_vec()].concat()
        }),
        (5, "shuffle", |it| combine(it, 2, |combine| combine.items = 1 << 31)),
        (6, "", |it| combine(it, 1, |combine| combine.medium = Medium::Registers)),
        (7, "shuffle", |it| combine(it, 1, |combine| combine.tree = Tree::Serial)),
        (8, "shuffle", |it| it.operation.commutative = false),
        (9, "coarsen(2) shuffle", |it| units(it, 1 << 30, 1)),
        (9, "coarsen(2) vectorize(4) shuffle", |it| {
            // 2⁶⁴ items, which overflow to 0 in 64 bits.
            units(it, 1 << 30, 1 << 26);
            combine(it, 1, |combine| combine.items = 1 << 26);
        }),
        (10, "", |it| it.operation.acc.fields = vec![it.operation.acc.fields[0].clone(); 100]),
        (3, "in_place", |it| it.kernels[0].steps[1] = Step::Exchange(Exchange::NextLaunch)),
        (3, "", |it| it.kernels[0].steps = vec![Step::Fold(Fold::NAIVE), Step::Keep]),
        (3, "in_place", |it| it.kernels[1].steps.insert(0, Step::Fold(Fold::NAIVE))),
        (4, "grid_stride(4)", |it| it.kernels[0].team.size = Size::Grid { most: Some(0) }),
        (4, "grid_stride(4)", |it| it.kernels[0].team = Team::GRID),
        (4, "", |it| it.kernels[0].team.size = Size::Grid { most: Some(4) }),
        (3, "", |it| it.kernels[0].team = Team::BLOCK),
        (4, "serial", |it| it.kernels[0].team = Team::BLOCK),
        (9, "grid_stride(4) shuffle", |it| it.kernels[0].team.size = Size::Grid { most: Some(u32::MAX) }),
        (5, "in_place", |it| match &mut it.kernels[1].steps[0] {
            Step::Combine(tree) => tree.items = 256,
            Step::Fold(_) | Step::Keep | Step::Exchange(_) => {}
        }),
        (6, "", |it| combine(it, 1, |combine| combine.last_warp = true)),
        (8, "grid_stride(4) shuffle", |it| it.operation.commutative = false),
        (12, "", |it| {
            atomic(it);
            it.operation.exact = false;
        }),
        (12, "", |it| {
            atomic(it);
            it.operation.fill = None;
        }),
        (11, "", |it| it.operation.identity = Some(vec![Value::of(0u32)])),
        (11, "", |it| it.operation.fill = Some(vec![Value::of(0u32)])),
        (11, "", |it| it.operation.fold = Some(it.operation.map.clone())),
        (4, "grid_stride(4)", |it| fold(it, |fold| fold.arrangement = Arrangement::Blocked)),
        (4, "vectorize(4)", |it| fold(it, |fold| fold.arrangement = Arrangement::Blocked)),
        (4, "vectorize(4)", |it| fold(it, |fold| fold.lanes = 3)),
        (4, "vectorize(4)", |it| fold(it, |fold| fold.lanes = 8)),
        (5, "vectorize(4)", |it| fold(it, |fold| fold.lanes = 2)),
        (8, "coarsen(4)", |it| it.operation.commutative = false),
        (1, "dependent", |it| it.kernels[1].dependent = false),
    ]
}

/// Rules about the lowering of combinations, tickets and narrow positions.
fn of_combinations() -> Vec<Broken> {
    vec![
        // Rows in registers are not a tree of the threads of a warp.
        (5, "shuffle", |it| {
            combine(it, 1, |combine| (combine.medium, combine.tree) = (Medium::Registers, Tree::Pairs))
        }),
        (13, "shuffle one_block ticket", |it| {
            if let Step::Fold(fold) = &mut it.kernels[1].steps[0] {
                (fold.share, fold.hints.unrolled) = (Share::Units(1), false);
            }
        }),
        (13, "shuffle one_block ticket", |it| {
            let tree = |combine: &mut Combine| combine.tree = Tree::Pairs;
            combine(it, 1, tree);
        }),
        (14, "shuffle", |it| it.operation.position = Scalar::U32),
        (15, "", |it| combine(it, 1, |combine| combine.lowering = Lowering::WarpReduce)),
        (15, "shuffle", |it| {
            it.operation = compile(&spec(operator("sum").unwrap(), Scalar::F32, 256, "")).unwrap().operation;
            combine(it, 1, |combine| combine.lowering = Lowering::WarpReduce);
        }),
        (16, "shuffle", |it| combine(it, 1, |combine| combine.lowering = Lowering::SerialTail)),
        (16, "", |it| combine(it, 1, |combine| combine.lowering = Lowering::SerialTail)),
        (16, "shuffle", |it| {
            it.operation.fill = None;
            combine(it, 2, |combine| combine.lowering = Lowering::SerialTail);
        }),
        (17, "team(thread)", |it| it.kernels[0].team.logical = 128),
        (17, "shuffle team(warp)", |it| fold(it, |fold| fold.share = Share::Rest)),
        (17, "shuffle one_block ticket", |it| it.domain = Domain::ROWS),
        (17, "", |it| it.kernels[0].team.beside = 32),
        (17, "", |it| {
            it.domain = Domain::ROWS;
            (it.kernels[0].team.beside, it.kernels[0].team.logical) = (32, 128);
        }),
    ]
}
