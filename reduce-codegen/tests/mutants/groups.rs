//! Mutants of kernels for many groups: another group, the partial of a neighbour, the step or length of another axis, a missing
//! guard of the last groups, a missing barrier. The verifier, a report of the interpreter, or a tree of a group detects each.

use super::catalogue::Mutation;
use super::equivalent::check_survivors;
use super::group_equivalent::EQUIVALENT;
use super::group_mutations::mutations;
use super::kernels::Subject;
use super::support::nests::numbered;
use super::support::rotation::{full, sample};
use super::support::spec_of;
use rayon::prelude::*;
use reduce_codegen::passes::apply;
use reduce_codegen::{compile, lower};
use reduce_dsl::parse::text;
use reduce_interpreter::{Acc, Input, Options, Provenance, Schedule, run};
use reduce_ir::axes::{Dim, Nest};
use reduce_ir::pass::Pass;
use reduce_ir::program::{Program, Reads};
use reduce_ir::statements::{Lowered, LoweredKernel};
use reduce_ir::{Access, Beside, Domain, Extent};
use std::collections::BTreeSet;

/// With fill, without fill, and of two inputs.
const OPERATIONS: [&str; 3] = [
    "ty: f32, op: sum",
    "ty: f32, identity: none, acc: A { v: f32 }, map: |x| A { v: x }, op: |a, b| A { v: a.v + b.v }",
    "inputs: { x: f32, y: f32 }, op: dot",
];

/// Every team, with blocks for one group and for several, and with the partials of a group in several blocks.
const LISTS: [(u32, &str, &[Pass]); 13] = [
    (32, "shuffle vectorize(2)", &[Pass::of_word("team", "thread")]),
    (32, "shuffle vectorize(2)", &[Pass::with("subwarp", 4)]),
    (32, "shuffle vectorize(2)", &[Pass::with("subwarp", 4), Pass::with("logical", 4)]),
    (32, "shuffle", &[Pass::with("subwarp", 16), Pass::with("logical", 2)]),
    (32, "shuffle", &[Pass::of_word("team", "warp")]),
    (64, "shuffle vectorize(2)", &[Pass::of_word("team", "warp")]),
    (64, "shuffle", &[Pass::of_word("team", "block")]),
    (64, "", &[Pass::of_word("team", "block")]),
    (32, "shuffle", &[]),
    (32, "sequential coarsen(2)", &[]),
    (32, "shuffle", &[Pass::with("beside", 8)]),
    (256, "shuffle unroll", &[Pass::with("beside", 4)]),
    (64, "shuffle one_block", &[Pass::with("beside", 8)]),
];

/// The maximum number of elements of a run.
const MOST: u64 = 8400;

/// Where the elements of groups lie.
const LAYOUTS: [Domain; 4] = [
    Domain::ROWS,
    Domain { kept: 2, access: Access::Adjacent },
    Domain { kept: 1, access: Access::Strided { reduced: 1, beside: Beside::Few } },
    Domain { kept: 2, access: Access::Strided { reduced: 2, beside: Beside::Few } },
];

/// Returns loops over `a × b` groups of `p × q` elements, of two inputs in different layouts, or of one.
fn nest(layout: Domain, [a, b]: [u64; 2], [p, q]: [u64; 2], inputs: usize) -> Nest {
    let (groups, n) = (a * b, p * q);
    let loops = |axes: &[(u64, [u64; 2])]| {
        let dim = |&(length, steps): &(u64, [u64; 2])| Dim {
            length,
            steps: steps[..inputs].iter().map(|&step| step as i64).collect(),
        };
        axes.iter().map(dim).collect()
    };
    let (kept, reduced) = match (layout.access, layout.kept) {
        (Access::Contiguous, _) => (loops(&[(groups, [n, n])]), loops(&[(n, [1, 1])])),
        (Access::Adjacent, _) => {
            let kept = [(a, [b * (n + 1) + 2, n + 3]), (b, [n + 1, a * (n + 3)])];
            (loops(&kept), loops(&[(n, [1, 1])]))
        }
        (Access::Strided { .. }, 1) => (loops(&[(groups, [1, n])]), loops(&[(n, [groups, 1])])),
        (Access::Strided { .. }, _) => {
            let kept = [(a, [b * q, p * b * q]), (b, [1, q])];
            (loops(&kept), loops(&[(p, [a * b * q, b * q]), (q, [b, 1])]))
        }
    };
    Nest { kept, reduced, result: Vec::new(), along: Vec::new() }
}

/// A lowered program with its runs, for mutants of one of its kernels.
struct Grouped {
    subject: Subject,
    nests: Vec<Nest>,
}

impl Grouped {
    /// Returns the kernels of a program that run for groups in that layout.
    fn of(program: &Program, layout: Domain) -> Vec<Grouped> {
        let program = Program { domain: layout, ..program.clone() };
        let lowered = lower(&program).unwrap();
        let long = |nest: &Nest| nest.extent().length > program.tile(Reads::Inputs);
        let kernel = |(at, partials): (usize, bool)| {
            let nests: Vec<_> =
                nests(&program, layout).into_iter().filter(|nest| !partials || long(nest)).collect();
            let launched = !partials || program.kernel(Reads::Inputs).team.is_grid();
            let subject = || Subject::grouped(&program, &lowered, at);
            (launched && !nests.is_empty()).then(|| Grouped { subject: subject(), nests })
        };
        [(0, false), (1, true)].into_iter().filter_map(kernel).collect()
    }
}

/// Returns the runs of a program: one group, some, and more than share a block; few elements, and those of several tiles.
fn nests(program: &Program, layout: Domain) -> Vec<Nest> {
    let shared = u64::from(program.groups_of_block(Reads::Inputs));
    let (tile, most) = (program.tile(Reads::Inputs), program.up_to.unwrap_or(u64::MAX));
    let groups = [[2, 3], [3, shared / 2 + 2], [1, shared], [1, 2], [1, 1]];
    let few = most.min(tile);
    let lengths =
        [[few / 4, 4], [3, few / 3], [3, tile + 1], [2, 5], [2, 3 * tile + 7], [tile + 1, tile], [1, 1]];
    let all = lengths.into_iter().flat_map(|length| groups.map(|groups| (groups, length)));
    let inputs = program.operation.inputs.len();
    let fits = |extent: Extent| (1..=most).contains(&extent.length) && extent.elements() <= MOST;
    all.map(|(groups, length)| nest(layout, groups, length, inputs)).filter(|it| fits(it.extent())).collect()
}

/// A run of a program, and the trees of its groups.
struct Run<'a> {
    extent: Extent,
    sizes: Vec<u64>,
    inputs: Vec<Input>,
    domain: Provenance<'a>,
    wanted: Vec<Option<Acc>>,
}

impl<'a> Run<'a> {
    fn new(program: &'a Program, nest: &Nest) -> Run<'a> {
        let (extent, mut domain) = (nest.extent(), Provenance::new(&program.operation));
        let mut tree = |group: u64| {
            let places = group * extent.length..(group + 1) * extent.length;
            let leaves = places.map(|at| domain.leaf(at)).collect();
            program.association().reduce(leaves, |a, b| domain.pair(a, b))
        };
        let wanted = (0..extent.groups).map(&mut tree).collect();
        let inputs = (0..program.operation.inputs.len()).map(|input| numbered(nest, input)).collect();
        let sizes = nest.kept.iter().chain(&nest.reduced).map(|dim| dim.length).collect();
        Run { extent, sizes, inputs, domain, wanted }
    }

    /// Returns whether the kernels are reported, and whether a group has another tree.
    fn judge(&mut self, program: &Program, lowered: &Lowered) -> [bool; 2] {
        let options = Options { sizes: &self.sizes, ..Options::under(Schedule::FORWARD) };
        let found = run(program, lowered, &mut self.domain, &self.inputs, self.extent, options);
        [!found.reports.is_empty(), found.results != self.wanted]
    }
}

/// The mutants of one kind.
#[derive(Clone, Default)]
struct Tally {
    mutants: usize,
    refused: usize,
    reported: usize,
    wrong: usize,
    /// Groups and lengths that showed a mutant to the interpreter.
    shown: BTreeSet<(u64, u64)>,
    survivors: Vec<(String, String)>,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.mutants += other.mutants;
        self.refused += other.refused;
        self.reported += other.reported;
        self.wrong += other.wrong;
        self.shown.extend(other.shown);
        self.survivors.extend(other.survivors);
    }
}

/// Judges mutants of a kernel by its runs.
struct Judge<'a> {
    program: &'a Program,
    lowered: &'a Lowered,
    kernel: usize,
    runs: Vec<Run<'a>>,
}

impl<'a> Judge<'a> {
    fn of(grouped: &'a Grouped) -> Judge<'a> {
        let (program, lowered, kernel) = grouped.subject.program.as_ref().unwrap();
        let mut runs: Vec<_> = grouped.nests.iter().map(|nest| Run::new(program, nest)).collect();
        for run in &mut runs {
            let faults = run.judge(program, lowered);
            assert_eq!(faults, [false; 2], "{:?} of {program}\n{lowered}", run.extent);
        }
        Judge { program, lowered, kernel: *kernel, runs }
    }

    fn judge(&mut self, mutant: &LoweredKernel, tally: &mut Tally) -> bool {
        let mut lowered = self.lowered.clone();
        lowered.kernels[self.kernel] = mutant.clone();
        let refused = lowered.verify(self.program).is_err();
        (tally.mutants, tally.refused) = (tally.mutants + 1, tally.refused + usize::from(refused));
        for run in &mut self.runs {
            let [reported, wrong] = run.judge(self.program, &lowered);
            if reported || wrong {
                tally.shown.insert((run.extent.groups, run.extent.length));
                tally.reported += usize::from(reported);
                tally.wrong += usize::from(wrong);
                return true;
            }
        }
        refused
    }
}

/// Returns the tally of each kind for a kernel.
fn tallies_of(grouped: &Grouped) -> Vec<Tally> {
    let mut judge = Judge::of(grouped);
    let mut tally_of = |mutation: &Mutation| {
        let mut tally = Tally::default();
        for mutant in mutation.mutants(&grouped.subject) {
            if !judge.judge(&mutant.kernel, &mut tally) {
                tally.survivors.push((grouped.subject.name.clone(), mutant.what));
            }
        }
        tally
    };
    mutations().iter().map(&mut tally_of).collect()
}

/// Returns each kernel of a rotating quarter of the programs once.
fn kernels() -> Vec<Grouped> {
    let mut found: Vec<Grouped> = Vec::new();
    let programs = OPERATIONS.into_iter().flat_map(|source| LISTS.map(|list| (source, list)));
    for (source, (block, list, team)) in sample(programs, 4) {
        let operation = text(source, None).unwrap().spec.operation;
        let program = compile(&spec_of(&operation, block, list)).unwrap();
        let program = Program { domain: Domain::ROWS, ..program };
        let program = team.iter().fold(program, |program, pass| apply(program, *pass).unwrap());
        for grouped in LAYOUTS.into_iter().flat_map(|layout| Grouped::of(&program, layout)) {
            let is_same = |other: &Grouped| other.subject.kernel == grouped.subject.kernel;
            if !found.iter().any(is_same) {
                found.push(grouped);
            }
        }
    }
    found
}

#[test]
fn mutants_for_groups_are_killed() {
    let kernels: Vec<_> = sample(kernels(), 8).collect();
    let mut tallies = vec![Tally::default(); mutations().len()];
    for of_kernel in kernels.par_iter().map(tallies_of).collect::<Vec<_>>() {
        tallies.iter_mut().zip(of_kernel).for_each(|(tally, other)| tally.add(other));
    }
    println!("| kind | mutants | refused | reported | wrong tree | survivors | shapes |");
    println!("|---|--:|--:|--:|--:|--:|--:|");
    for (mutation, it) in mutations().iter().zip(&tallies) {
        let (name, survivors, shapes) = (mutation.name, it.survivors.len(), it.shown.len());
        println!(
            "| {name} | {} | {} | {} | {} | {survivors} | {shapes} |",
            it.mutants, it.refused, it.reported, it.wrong
        );
    }
    let all = mutations();
    let survivors = all.iter().zip(&tallies).flat_map(|(mutation, tally)| {
        tally.survivors.iter().map(move |(kernel, what)| (mutation.name, what.as_str(), kernel.as_str()))
    });
    check_survivors(&EQUIVALENT, survivors, full());
    let unseen = |(_, it): &(&Mutation, &Tally)| it.mutants == 0 || it.shown.len() < 2;
    let unseen: Vec<_> = all.iter().zip(&tallies).filter(unseen).map(|(mutation, _)| mutation.name).collect();
    // A sample may miss a rare kind.
    assert!(
        unseen.is_empty() || !full() && unseen.len() * 3 < all.len(),
        "the interpreter shows none of {unseen:?}"
    );
}
