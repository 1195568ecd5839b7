//! Teams of every size evaluate the association of their block. Each of several groups has the tree that its elements have
//! alone.

use crate::support::rotation::sample;
use crate::support::spec_of;
use reduce_codegen::passes::apply;
use reduce_codegen::{compile, cuda, lower};
use reduce_dsl::parse::text;
use reduce_interpreter::{Options, Provenance, Schedule, run};
use reduce_ir::operation::Operation;
use reduce_ir::pass::Pass;
use reduce_ir::program::Program;
use reduce_ir::{Domain, Extent};

/// Threads of the association, and lists of passes that each size of a team accepts.
const LISTS: [(u32, &str); 7] = [
    (32, "shuffle"),
    (64, "shuffle"),
    (32, "shuffle vectorize(4) coarsen(4) unroll"),
    (128, "shuffle vectorize(2) coarsen(2) lanes(1)"),
    (256, "shuffle vectorize(4)"),
    (64, ""),
    (64, "sequential coarsen(3)"),
];

/// With fill, without fill, and one that keeps the order.
const OPERATIONS: [&str; 4] = [
    "ty: f32, op: sum",
    "ty: f32, identity: none, acc: A { v: f32 }, map: |x| A { v: x }, op: |a, b| A { v: a.v + b.v }",
    "ty: f32, identity: none, commutative: false, acc: At { v: f32, w: f32 }, map: |x| At { v: x, w: x }, \
     op: |a, b| if b.v >= a.v { b } else { a }",
    "ty: f32, op: sum, finish: |s, n| s / n as f32",
];

fn operation(source: &str) -> Operation {
    text(source, None).unwrap_or_else(|error| panic!("{source}: {error}")).spec.operation
}

/// Returns the program of a list for a team, or `None` if one of them does not support the other.
fn program(operation: &Operation, block: u32, list: &str, team: Option<&'static str>) -> Option<Program> {
    let program = compile(&spec_of(operation, block, list)).ok()?;
    team.map_or(Some(program.clone()), |word| apply(program, Pass::of_word("team", word)).ok())
}

/// Checks that every group has the tree of the association over its own elements.
fn proved(program: &Program, extent: Extent, schedule: Schedule) {
    let lowered = lower(program).unwrap_or_else(|error| panic!("{error}"));
    let mut domain = Provenance::new(&program.operation);
    let inputs = Provenance::inputs(&program.operation, extent.elements(), true);
    let found = run(program, &lowered, &mut domain, &inputs, extent, Options::under(schedule));
    assert_eq!(found.reports, [], "{extent:?}\n{program}\n{lowered}");
    for group in 0..extent.groups {
        let leaves = (0..extent.length).map(|at| domain.leaf(group * extent.length + at)).collect();
        let wanted = program.association().reduce(leaves, |a, b| domain.pair(a, b));
        let found = found.results[group as usize];
        let text = |it| domain.text(it);
        assert_eq!(found.map(text), wanted.map(text), "group {group} of {extent:?}\n{program}\n{lowered}");
    }
}

/// Returns lengths around the boundaries of a tile.
fn lengths(program: &Program) -> Vec<u64> {
    let tile = program.tile(reduce_ir::program::Reads::Inputs);
    let all = [1, 2, 3, 5, 8, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, tile / 2 + 1, tile - 1, tile];
    let most = program.up_to.unwrap_or(u64::MAX);
    let mut all: Vec<_> = all.into_iter().filter(|&n| n > 0 && n <= most).collect();
    all.extend(program.up_to.is_none().then_some([tile + 1, 3 * tile + 7]).into_iter().flatten());
    all.sort_unstable();
    all.dedup();
    all
}

#[test]
fn a_team_has_the_association_of_its_block() {
    let mut proofs = 0;
    for source in OPERATIONS {
        let operation = operation(source);
        for (block, list) in LISTS {
            for team in ["thread", "warp", "block"] {
                let Some(program) = program(&operation, block, list, Some(team)) else { continue };
                let alone = compile(&spec_of(&operation, block, list)).unwrap();
                assert_eq!(program.association().first, alone.association().first, "{list}");
                for n in lengths(&program) {
                    proved(&program, n.into(), Schedule::FORWARD);
                    proofs += 1;
                }
            }
        }
    }
    assert!(proofs > 500, "{proofs}");
}

#[test]
fn rows_have_the_trees_that_they_have_alone() {
    let mut proofs = 0;
    for source in OPERATIONS {
        let operation = operation(source);
        for (block, list) in sample(LISTS, 2) {
            for team in [Some("thread"), Some("warp"), Some("block"), None] {
                let Some(program) = program(&operation, block, list, team) else { continue };
                let program = Program { domain: Domain::ROWS, ..program };
                program.verify().unwrap();
                for length in lengths(&program) {
                    for groups in [1, 5] {
                        proved(&program, Extent { groups, length }, Schedule::FORWARD);
                        proofs += 1;
                    }
                }
            }
        }
    }
    assert!(proofs > 400, "{proofs}");
}

/// The partials of long rows are combined by the next launch: in one block, or by several launches.
#[test]
fn long_rows_meet_in_the_next_launch() {
    let operation = operation("ty: f32, op: sum");
    for list in ["shuffle vectorize(2)", "shuffle one_block unroll", "coarsen(2)"] {
        let program = compile(&spec_of(&operation, 32, list)).unwrap();
        let program = Program { domain: Domain::ROWS, ..program };
        for length in [1, 64, 65, 1000, 5000] {
            proved(&program, Extent { groups: 3, length }, Schedule::FORWARD);
        }
    }
}

#[test]
fn a_warp_has_no_tree_in_shared_memory() {
    let program = compile(&spec_of(&operation(OPERATIONS[0]), 64, "")).unwrap();
    let error = apply(program, Pass::of_word("team", "warp")).unwrap_err().to_string();
    assert!(error.contains("write `shuffle` before it"), "{error}");
}

/// The CUDA of rows by thread, warp and block names its group.
#[test]
fn the_text_names_the_group() {
    let operation = operation("ty: f32, op: sum");
    for team in ["thread", "warp", "block"] {
        let program = program(&operation, 32, "shuffle vectorize(4)", Some(team)).unwrap();
        let cuda = cuda(&Program { domain: Domain::ROWS, ..program }).unwrap();
        assert!(cuda.contains("result[group]") && cuda.contains("unsigned long long groups"), "{cuda}");
    }
}
