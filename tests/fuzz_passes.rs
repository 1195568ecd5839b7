//! Passes compose: random lists of passes over random specifications, sizes, alignments and schedules. Every intermediate
//! program is verified, lowered, verified again, and executed on provenance and on values.
//!
//! The tree of positions must be the association read from the program (if blocks combine by an atomic, with some order of
//! their partials). It has every element once, and in order if the operator does not commute. The interpreter must report
//! nothing. Values must have the bits of the host backend, and of a plain loop if the association does not affect them. A
//! pass that does not apply must say what to write instead, and is left out.
//!
//! Runs 1,500 cases by default, and 200,000 with `REDUCEGEN_FULL=1`, best with `cargo test --release --test fuzz_passes`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "differential/data.rs"]
#[allow(dead_code, reason = "prefixes are for another test")]
mod data;
#[path = "../reduce-codegen/tests/support/operations.rs"]
mod operations;
#[path = "differential/plain.rs"]
mod plain;
#[path = "../reduce-codegen/tests/support/random.rs"]
#[allow(dead_code, reason = "specifications are for another test")]
mod random;
#[path = "support/splitmix.rs"]
mod splitmix;

use data::Kind;
use plain::Rules;
use random::{Case, Random};
use rayon::prelude::*;
use reduce_codegen::lower;
use reduce_interpreter::{Acc, Input, Kind as Fault, Options, Outcome, Provenance, Schedule, Values, run};
use reduce_ir::operation::Operation;
use reduce_ir::program::{Combine, Kernel, Lowering, Program, Reads, Tree};
use reduce_ir::statements::Lowered;
use reduce_ir::{Access, Domain};
use reduce_lanes::Lanes;
use reduce_runtime::host;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The maximum number of elements of a case.
const MOST: u64 = 6000;

/// The data and the schedule of a case.
#[derive(Clone, Debug)]
struct Setting {
    n: u64,
    aligned: bool,
    kind: Kind,
    /// Selects one of the schedules of the first launch.
    schedule: u64,
}

/// Statistics of the cases.
#[derive(Clone, Copy, Default)]
struct Totals {
    cases: u64,
    refused: u64,
    executed: u64,
    atomic: u64,
    mismatches: u64,
}

impl Totals {
    fn plus(self, other: Totals) -> Totals {
        Totals {
            cases: self.cases + other.cases,
            refused: self.refused + other.refused,
            executed: self.executed + other.executed,
            atomic: self.atomic + other.atomic,
            mismatches: self.mismatches + other.mismatches,
        }
    }
}

#[test]
fn random_passes_over_random_specifications() {
    let cases = if std::env::var_os("REDUCEGEN_FULL").is_some() { 200_000 } else { 1_500 };
    let totals = (0..cases).into_par_iter().map(of_seed).reduce(Totals::default, Totals::plus);
    let Totals { cases, refused, executed, atomic, mismatches } = totals;
    println!(
        "{cases} cases, {refused} passes refused, {executed} programs executed on provenance and on values, \
         {atomic} of them atomic, {mismatches} mismatches"
    );
    assert_eq!(mismatches, 0);
    assert!(refused > cases / 2 && executed > 2 * cases && atomic > cases / 50);
}

fn of_seed(seed: u64) -> Totals {
    let mut random = Random::new(seed);
    let case = Case::new(&mut random);
    let setting = Setting::new(&case, &mut random);
    match checked(&case, &setting) {
        Ok(totals) => totals,
        Err(failure) => {
            let (case, setting, failure) = shrunk(case, setting, failure);
            println!("seed {seed}: {case}\n{setting:?}\n{failure}");
            Totals { cases: 1, mismatches: 1, ..Totals::default() }
        }
    }
}

impl Setting {
    fn new(case: &Case, random: &mut Random) -> Setting {
        let made = case.programs().unwrap();
        let last = &made.programs[made.programs.len() - 1];
        let sizes = boundaries(last);
        let n = match random.below(4) {
            0 => random.below(MOST),
            1 => random.below(200),
            _ => random.pick(&sizes),
        };
        // A team reduces one tile at most.
        let n = last.up_to.map_or(n, |most| n.min(most));
        let kind = random.pick(&Kind::ALL);
        Setting { n, aligned: random.below(2) == 0, kind, schedule: random.bits() }
    }
}

/// Returns sizes around the boundaries of a program.
fn boundaries(program: &Program) -> Vec<u64> {
    let [tile, partials] = [Reads::Inputs, Reads::Partials].map(|reads| program.tile(reads));
    let round = tile.saturating_mul(program.most_blocks(Reads::Inputs));
    let edges = [1, 2, 3].map(|k| k * tile).into_iter().chain([1, 32, program.block.into()]);
    let edges = edges.chain([round, tile.saturating_mul(partials)]);
    let around = edges.flat_map(|edge| [edge - 1, edge, edge.saturating_add(1)]);
    around.filter(|&n| n <= MOST).collect()
}

/// Checks every program of a case. Returns the failure, or the statistics.
fn checked(case: &Case, setting: &Setting) -> Result<Totals, String> {
    let check = || -> Result<Totals, String> {
        let made = case.programs().map_err(|bug| bug.to_string())?;
        let vague = made.refused.iter().map(ToString::to_string).find(|reason| !names_the_fix(reason));
        vague.map_or(Ok(()), |reason| Err(format!("a refusal does not say what to write: {reason}")))?;
        made.programs.iter().try_for_each(|program| check_program(case, program, setting))?;
        let is_atomic = |program: &&Program| program.kernel(Reads::Inputs).is_atomic();
        Ok(Totals {
            cases: 1,
            refused: made.refused.len() as u64,
            executed: made.programs.len() as u64,
            atomic: made.programs.iter().filter(is_atomic).count() as u64,
            mismatches: 0,
        })
    };
    catch_unwind(AssertUnwindSafe(check)).unwrap_or_else(|_| Err("it panics".to_owned()))
}

fn names_the_fix(reason: &str) -> bool {
    ["leave", "write", "instead", "use a smaller"].iter().any(|word| reason.contains(word))
}

/// Shrinks a failing case to fewer passes and elements, as far as it still fails.
fn shrunk(mut case: Case, mut setting: Setting, mut failure: String) -> (Case, Setting, String) {
    loop {
        let without = (0..case.passes.len()).map(|at| {
            let mut fewer = case.clone();
            fewer.passes.remove(at);
            (fewer, setting.clone())
        });
        let smaller = [setting.n / 2, setting.n.saturating_sub(1)]
            .map(|n| (case.clone(), Setting { n, ..setting.clone() }));
        let smaller = smaller.into_iter().filter(|(_, less)| less.n < setting.n);
        let next = without.chain(smaller).find_map(|(case, setting)| {
            checked(&case, &setting).err().map(|failure| (case, setting, failure))
        });
        let Some(next) = next else { return (case, setting, failure) };
        (case, setting, failure) = next;
    }
}

fn check_program(case: &Case, program: &Program, setting: &Setting) -> Result<(), String> {
    let lowered = lower(program).map_err(|bug| bug.to_string())?;
    let grid = program.plan().launches(setting.n)[0].grid;
    let schedules = Schedule::all(grid);
    let schedule = schedules[(setting.schedule % schedules.len() as u64) as usize];
    let with_program = |failure| format!("{failure}\n{schedule:?}\n{program}\n{lowered}");
    check_provenance(case, program, &lowered, setting, schedule).map_err(with_program)?;
    check_values(case, program, &lowered, setting, schedule).map_err(with_program)
}

/// Returns whether a correct program has a result for n elements.
fn has_result(operation: &Operation, n: u64) -> bool {
    n > 0 || operation.has_result_of_nothing()
}

/// Returns the accumulator of a run without reports, or `None` if n is 0 and there is no identity.
fn accumulator(operation: &Operation, n: u64, outcome: Outcome) -> Result<Option<Acc>, String> {
    match (outcome.acc(), outcome.reports.first()) {
        // No kernel is launched for no elements, because it would finish the fill.
        _ if n == 0 && operation.fill.is_some() && !has_result(operation, n) => Ok(None),
        (acc, _) if !has_result(operation, n) => {
            let other = outcome.reports.iter().find(|report| report.kind != Fault::Undefined);
            match (acc, other) {
                (None, None) => Ok(None),
                (Some(_), _) => Err("nothing has a value".to_owned()),
                (None, Some(report)) => Err(report.to_string()),
            }
        }
        (_, Some(report)) => Err(report.to_string()),
        (None, None) => Err("there is no result".to_owned()),
        (acc, None) => Ok(acc),
    }
}

fn check_provenance(
    case: &Case,
    program: &Program,
    lowered: &Lowered,
    setting: &Setting,
    schedule: Schedule,
) -> Result<(), String> {
    let (operation, n) = (&program.operation, setting.n);
    let mut domain = Provenance::new(operation);
    let positions = Provenance::inputs(operation, n, setting.aligned).into_iter().map(|input| input.elements);
    let inputs = in_memory(program.domain, setting, positions.collect());
    let outcome =
        run(program, lowered, &mut domain, &inputs, n, Options::under(schedule).with(&case.subject.params));
    let Some(tree) = accumulator(operation, n, outcome)? else { return Ok(()) };
    let leaves: Vec<_> = (0..n).map(|position| domain.leaf(position)).collect();
    let association = program.association();
    // The instruction halves. Its operations give the same bits in every order, also where the specification asks to keep it.
    let halves = |combine: Combine| combine.lowering == Lowering::WarpReduce && combine.tree == Tree::Pairs;
    let reorders = program.kernels.iter().flat_map(Kernel::combines).any(halves);
    let is_right = if reorders {
        true
    } else if association.again.iter().any(|level| level.tree == Tree::Any) {
        let partials = association.partials(leaves, |a, b| domain.pair(a, b));
        domain.is_any_order_of(tree, &partials)
    } else {
        let wanted = association.reduce(leaves, |a, b| domain.pair(a, b));
        tree == wanted.unwrap_or_else(|| domain.identity())
    };
    let mut positions = domain.leaves(tree);
    if operation.commutative || reorders {
        positions.sort_unstable();
    }
    match (is_right, positions.into_iter().eq(0..n)) {
        (true, true) => Ok(()),
        (false, _) => Err("another association".to_owned()),
        (_, false) => Err("not every element once, or out of order".to_owned()),
    }
}

/// Places the elements of each input in memory: side by side, or a step apart.
fn in_memory(domain: Domain, setting: &Setting, elements: Vec<Lanes>) -> Vec<Input> {
    let aligned = setting.aligned;
    let place = |(elements, step): (Lanes, usize)| match domain.access {
        Access::Contiguous | Access::Adjacent => Input::new(elements, aligned),
        Access::Strided { .. } => Input {
            elements: data::spread(&elements, 0, step as isize).data,
            offset: u64::from(!aligned),
            first: 0,
            steps: vec![step as i64],
        },
    };
    elements.into_iter().zip(2..).map(place).collect()
}

fn check_values(
    case: &Case,
    program: &Program,
    lowered: &Lowered,
    setting: &Setting,
    schedule: Schedule,
) -> Result<(), String> {
    let (operation, n) = (&program.operation, setting.n);
    let association = program.association();
    let any_order = association.again.iter().any(|level| level.tree == Tree::Any);
    // Results are compared bit for bit only if they do not depend on the order.
    let kind = if any_order && !operation.exact { Kind::Exact } else { setting.kind };
    let kind = case.operator.map_or(kind, |it| plain::suited(it.name, operation.inputs[0].ty, kind));
    let elements =
        operation.inputs.iter().zip(0..).map(|(input, place)| data::elements(input.ty, n, kind, place));
    let elements: Vec<Lanes> = elements.collect();
    let inputs = in_memory(program.domain, setting, elements.clone());
    let mut domain = Values::new(operation);
    let outcome =
        run(program, lowered, &mut domain, &inputs, n, Options::under(schedule).with(&case.subject.params));
    let acc = accumulator(operation, n, outcome)?;
    let params = &case.subject.params;
    let found = acc.map(|acc| domain.finish(acc, n, params).unwrap());
    let borrowed: Vec<_> = elements.iter().map(Lanes::borrow).collect();
    let on_host = host::reduce_with(operation, &association, &borrowed, params).ok();
    if found != on_host && has_result(operation, n) {
        return Err(format!("the interpreter gives {found:?} and the host {on_host:?}"));
    }
    // Both are equal, except for n = 0, where no kernel is launched.
    let found = on_host.as_deref();
    let difference = match (case.operator, case.subject.plain) {
        (Some(operator), _) => {
            plain::compare(program, operator.name, kind, &elements, found, Rules::default()).err()
        }
        (None, Some(plain)) if n > 0 && found != Some(&plain(&elements)[..]) => {
            Some(format!("{found:?}, and a loop {:?}", plain(&elements)))
        }
        (None, _) => None,
    };
    difference.map_or(Ok(()), |difference| Err(format!("the interpreter gives {difference}")))
}
