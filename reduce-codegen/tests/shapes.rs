//! Groups of any shape and steps have the trees that their elements have alone, and read nothing else.

use crate::support::nests::{nest, offset};
use crate::support::rotation::sample;
use crate::support::spec_of;
use reduce_codegen::passes::apply;
use reduce_codegen::{Programs, Tuning, compile, cuda, lower};
use reduce_dsl::parse::text;
use reduce_interpreter::{Input, Options, Provenance, Schedule, run};
use reduce_ir::axes::{Dim, Nest};
use reduce_ir::operation::Operation;
use reduce_ir::pass::Pass;
use reduce_ir::program::Program;
use reduce_ir::{Domain, Spec};
use reduce_lanes::Lanes;

/// With fill, without fill, and one that keeps the order.
const OPERATIONS: [&str; 3] = [
    "ty: f32, op: sum",
    "ty: f32, identity: none, acc: A { v: f32 }, map: |x| A { v: x }, op: |a, b| A { v: a.v + b.v }",
    "ty: f32, identity: none, commutative: false, acc: At { v: f32, w: f32 }, map: |x| At { v: x, w: x }, \
     op: |a, b| if b.v >= a.v { b } else { a }",
];

fn operation(source: &str) -> Operation {
    text(source, None).unwrap_or_else(|error| panic!("{source}: {error}")).spec.operation
}

/// Returns nests with groups of about n elements: columns, sliced and reversed rows, middle axes, repeated elements.
fn nests(n: u64) -> Vec<Nest> {
    let step = n as i64;
    let (a, b) = (n.div_ceil(3), 3);
    let inner = step + 1;
    vec![
        nest(&[(5, step)], &[(n, 1)]),
        nest(&[(3, step + 2)], &[(n, 1)]),
        nest(&[(37, 1)], &[(n, 37)]),
        nest(&[(4, -2 * step)], &[(n, -2)]),
        nest(&[(3, 0)], &[(n, 1)]),
        nest(&[(4, 1)], &[(n, 0)]),
        nest(&[(2, 7 * step), (7, 1)], &[(n, 7)]),
        nest(&[(2, 100 * inner), (3, 10 * inner), (2, 1)], &[(a, 2), (b, 2 * a as i64 + 2)]),
        nest(&[], &[(a, 4 * inner), (b, inner), (2, 3)]),
        nest(&[(130, 3 * step)], &[(n, 3)]),
    ]
}

/// Returns the input whose elements are the positions in memory, and the position of the first one.
fn input(nest: &Nest) -> (Input, i64) {
    let far = |dim: &Dim| (dim.length as i64 - 1) * dim.steps[0];
    let all = || nest.kept.iter().chain(&nest.reduced).map(far);
    let (low, high) = (all().filter(|&it| it < 0).sum::<i64>(), all().filter(|&it| it > 0).sum::<i64>());
    let elements = Lanes::U64((0..(high - low + 1) as u64).collect::<Vec<_>>().into());
    let steps = nest.steps(0).take(nest.domain().steps()).collect();
    (Input { elements, offset: 0, first: -low as u64, steps }, -low)
}

/// Checks that every group has the tree of the association over its own elements.
fn proved(program: &Program, nest: &Nest, schedule: Schedule) {
    let program = Program { domain: nest.domain(), ..program.clone() };
    program.verify().unwrap();
    let lowered = lower(&program).unwrap_or_else(|error| panic!("{error}"));
    let mut domain = Provenance::new(&program.operation);
    let (input, first) = input(nest);
    let sizes: Vec<_> = nest.kept.iter().chain(&nest.reduced).map(|dim| dim.length).collect();
    let options = Options { sizes: &sizes, ..Options::under(schedule) };
    let extent = nest.extent();
    let found = run(&program, &lowered, &mut domain, &[input], extent, options);
    assert_eq!(found.reports, [], "{nest:?}\n{program}\n{lowered}");
    for group in 0..extent.groups {
        let begin = first + offset(&nest.kept, 0, group);
        let place = |at| (begin + offset(&nest.reduced, 0, at)) as u64;
        let leaves = (0..extent.length).map(|at| domain.leaf(place(at))).collect();
        let wanted = program.association().reduce(leaves, |a, b| domain.pair(a, b));
        let found = found.results[group as usize];
        let text = |it| domain.text(it);
        assert_eq!(found.map(text), wanted.map(text), "group {group} of {nest:?}\n{program}\n{lowered}");
    }
}

/// A rotating third of the lists.
#[test]
fn groups_of_any_shape_have_the_trees_that_they_have_alone() {
    let lists: [(u32, &str, &[Pass]); 17] = [
        (32, "shuffle vectorize(4) coarsen(4) unroll", &[Pass::of_word("team", "thread")]),
        (32, "shuffle vectorize(4) coarsen(4) unroll", &[Pass::of_word("team", "warp")]),
        (128, "shuffle vectorize(2) coarsen(2) lanes(1)", &[Pass::of_word("team", "warp")]),
        (64, "shuffle vectorize(4)", &[Pass::of_word("team", "block")]),
        (64, "sequential coarsen(3)", &[]),
        (32, "sequential grid_stride(1)", &[]),
        (32, "shuffle vectorize(4) grid_stride(3)", &[]),
        (32, "shuffle vectorize(2) one_block", &[]),
        (64, "shuffle vectorize(4) coarsen(2)", &[Pass::with("beside", 8)]),
        (256, "shuffle unroll", &[Pass::with("beside", 4)]),
        (32, "shuffle vectorize(2) one_block", &[Pass::with("beside", 32)]),
        (128, "sequential", &[Pass::with("beside", 32)]),
        (32, "shuffle vectorize(4) coarsen(4) unroll", &[Pass::with("subwarp", 2)]),
        (32, "shuffle vectorize(4) coarsen(4)", &[Pass::with("subwarp", 8)]),
        (32, "shuffle redux", &[Pass::with("subwarp", 16)]),
        (32, "shuffle vectorize(4)", &[Pass::with("subwarp", 16), Pass::with("logical", 2)]),
        (32, "shuffle vectorize(2) lanes(1)", &[Pass::with("subwarp", 4), Pass::with("logical", 4)]),
    ];
    let mut proofs = 0;
    for source in OPERATIONS {
        let operation = operation(source);
        for (block, list, team) in sample(lists, 3) {
            let Ok(program) = compile(&spec_of(&operation, block, list)) else { continue };
            let program = Program { domain: Domain::ROWS, ..program };
            let Ok(program) = team.iter().try_fold(program, |program, pass| apply(program, *pass)) else {
                continue;
            };
            let most = program.up_to.unwrap_or(u64::MAX);
            for n in [1, 2, 5, 8, 30, 31, 64, 65, 127, 128, 300, 513] {
                for nest in
                    nests(n).into_iter().filter(|nest| nest.extent().length <= most && !nest.kept.is_empty())
                {
                    proved(&program, &nest, Schedule::FORWARD);
                    proofs += 1;
                }
            }
        }
    }
    assert!(proofs > 200, "{proofs}");
}

/// Every length up to 300, by the programs of `auto`.
#[test]
fn every_short_length_has_its_tree() {
    let operation = operation(OPERATIONS[0]);
    let parsed = text("ty: f32, op: sum", None).unwrap().spec;
    for n in 0..300 {
        let all = nests(n + 1);
        let nest = &all[n as usize % all.len()];
        let spec = Spec { domain: nest.domain(), ..parsed.clone() };
        let programs = Programs::of(&spec, Tuning::of(90)).unwrap();
        let length = nest.extent().length;
        let tuned = programs.for_len(length);
        let alone = Programs::of(&Spec { domain: Domain::WHOLE, ..parsed.clone() }, Tuning::of(90)).unwrap();
        assert_eq!(tuned.operation, operation);
        let leaves = || (0..length).map(|at| at.to_string()).collect();
        let tree = |program: &Program| program.association().reduce(leaves(), |a, b| format!("({a} {b})"));
        assert_eq!(tree(tuned), tree(alone.for_len(length)), "{n}");
        proved(tuned, nest, Schedule::FORWARD);
    }
}

#[test]
fn the_text_names_the_axes() {
    let operation = operation("ty: f32, op: sum");
    let program = compile(&spec_of(&operation, 32, "shuffle vectorize(4)")).unwrap();
    let nest = nest(&[(2, 1000), (7, 1)], &[(5, 100), (5, 10)]);
    let cuda = cuda(&Program { domain: nest.domain(), ..program }).unwrap();
    for words in ["x += along_0 * x_step + along_1 * x_step_1;", "unsigned long long size_1", "% size_3"] {
        assert!(cuda.contains(words), "{words}\n{cuda}");
    }
}

/// The elements of a Fortran matrix, by columns and by rows.
#[test]
fn only_exact_operations_follow_memory() {
    let fortran = nest(&[], &[(3, 1), (4, 3)]);
    let of = |source: &str| fortran.of(&operation(source)).domain();
    for source in ["ty: i32, op: sum", "ty: f32, op: max", "ty: f64, op: all, filter: |x| x > 0.5"] {
        assert_eq!(of(source), Domain::WHOLE, "{source}");
    }
    for source in
        ["ty: f32, op: sum", "ty: i32, op: argmax", "ty: i32, index: i, map: |x| x ^ i as i32, op: sum"]
    {
        assert_ne!(of(source), Domain::WHOLE, "{source}");
    }
}

/// A call may have one group although the specification keeps an axis: the other kept axes have length 1.
#[test]
fn one_group_has_no_neighbours() {
    let parsed = text("ty: f32, op: sum, axes: i j -> j, block: 64, passes: [shuffle, beside(8)]", None);
    let spec = parsed.unwrap().spec;
    let (one, several) = (nest(&[(1, 1)], &[(300, 1)]), nest(&[(9, 1)], &[(300, 9)]));
    for nest in [one, several] {
        let programs = Programs::of(&Spec { domain: nest.domain(), ..spec.clone() }, Tuning::of(90)).unwrap();
        proved(programs.for_len(300), &nest, Schedule::FORWARD);
    }
    let alone = Spec { domain: Domain::WHOLE, axes: None, ..spec };
    assert!(Programs::of(&alone, Tuning::of(90)).is_err(), "there are no axes");
}

#[test]
fn the_text_has_the_number_of_blocks() {
    let operation = operation("ty: f32, op: sum");
    let nest = nest(&[(9, 1)], &[(3000, 9)]);
    for (list, team, words) in [
        ("shuffle", None, "blocks = groups * max(1, ceil(n / 32))"),
        ("shuffle grid_stride(3)", None, "blocks = groups * min(3, max(1, ceil(n / 32)))"),
        ("shuffle", Some(Pass::with("beside", 8)), "blocks = ceil(groups / 8) * max(1, ceil(n / 32))"),
        ("shuffle coarsen(2)", Some(Pass::of_word("team", "warp")), "blocks = ceil(groups / 16),"),
    ] {
        let program = Program { domain: nest.domain(), ..compile(&spec_of(&operation, 32, list)).unwrap() };
        let program = team.map_or(Ok(program.clone()), |pass| apply(program, pass)).unwrap();
        let cuda = cuda(&program).unwrap();
        assert!(cuda.contains(words), "{words}\n{cuda}");
    }
}
