//! Specifications with any passes. The tree of positions that the interpreter finds must be the association of the program.

use super::Verdict;
use reduce_codegen::{Error, Programs, Tuning, lower, stages};
use reduce_dsl::parse;
use reduce_interpreter::{Input, Options, Provenance, Schedule, run};
use reduce_ir::program::{Program, Tree};
use reduce_ir::spec::Passes;
use reduce_ir::{Domain, Spec, constants};
use reduce_lanes::Lanes;

pub(super) const WORDS: &[&str] = &[
    "serial, ",
    "in_place, ",
    "bitmask, ",
    "strided_index, ",
    "strided_index, swizzle, ",
    "sequential, ",
    "last_warp, ",
    "shuffle, ",
    "coarsen(3), ",
    "grid_stride(2), ",
    "unroll, ",
    "vectorize(4), ",
    "vectorize(16), ",
    "lanes(2), ",
    "warp_striped, ",
    "streaming, ",
    "narrow_index, ",
    "redux, ",
    "serial_tail, ",
    "atomic, ",
    "cluster(2), ",
    "cluster(8), ",
    "one_block, ",
    "ticket, ",
    "flag, ",
    "dependent, ",
    "trigger, ",
    "block: 32, ",
    "block: 64, ",
    "block: 128, ",
    "order: any, ",
    "layout: strided, ",
    "commutative: false, ",
    "f16",
    "u64",
    "i8",
    "bool",
    "sum",
    "argmin",
    "var",
    "dot",
    "any",
];

/// The maximum number of elements.
const MOST: u64 = 1500;

/// The maximum number of threads of a grid. The interpreter runs them one by one.
const THREADS: u64 = 1 << 15;

pub(super) fn test_one_input(bytes: &[u8]) -> Verdict {
    let Ok(text) = str::from_utf8(bytes) else { return Ok(false) };
    let Ok(parsed) = parse::text(text, None) else { return Ok(false) };
    let Some(programs) = programs(&parsed.spec)? else { return Ok(false) };
    let salt = bytes.iter().fold(0, |salt: u64, &byte| salt.wrapping_mul(31).wrapping_add(byte.into()));
    programs.iter().try_for_each(|program| check(program, salt))?;
    Ok(true)
}

/// Returns the programs of `auto`, or the program after each pass that is accepted. Returns `None` if the blocks are too
/// large.
fn programs(spec: &Spec) -> Result<Option<Vec<Program>>, String> {
    if spec.passes == Passes::Auto {
        return made(Programs::of(spec, Tuning::DEFAULT).map(|programs| programs.variants().to_vec()));
    }
    let mut spec = spec.clone();
    loop {
        match (stages(&spec), &mut spec.passes) {
            (Err(Error::Refused { index, .. }), Passes::List(passes)) => {
                passes.remove(index);
            }
            (stages, _) => {
                return made(stages.map(|all| all.into_iter().map(|stage| stage.program).collect()));
            }
        }
    }
}

fn made(programs: Result<Vec<Program>, Error>) -> Result<Option<Vec<Program>>, String> {
    match programs {
        Ok(programs) => Ok(Some(programs)),
        Err(Error::Refused { .. } | Error::SharedMemory { .. }) => Ok(None),
        Err(bug) => Err(bug.to_string()),
    }
}

/// Compares the tree of some elements with the association.
fn check(program: &Program, salt: u64) -> Result<(), String> {
    let (n, operation) = (length(program, salt), &program.operation);
    let launches = program.plan().launches(n);
    if launches.iter().any(|launch| launch.grid * u64::from(program.block) > THREADS) {
        return Ok(());
    }
    let lowered = lower(program).map_err(|bug| bug.to_string())?;
    let mut domain = Provenance::new(operation);
    let inputs = inputs(program, n, salt);
    let params: Vec<_> = operation.params.iter().map(|param| constants::one(param.ty)).collect();
    let schedules = Schedule::all(launches[0].grid);
    let schedule = schedules[(salt % schedules.len() as u64) as usize];
    let outcome = run(program, &lowered, &mut domain, &inputs, n, Options::under(schedule).with(&params));
    let failed = |what: &str| Err(format!("n = {n}, {schedule:?}: {what}\n{program}\n{lowered}"));
    if let Some(report) = outcome.reports.first() {
        return failed(&report.to_string());
    }
    let Some(tree) = outcome.acc() else { return failed("there is no result") };
    let leaves: Vec<_> = (0..n).map(|position| domain.leaf(position)).collect();
    let association = program.association();
    let is_right = if association.again.iter().any(|level| level.tree == Tree::Any) {
        let partials = association.partials(leaves, |a, b| domain.pair(a, b));
        domain.is_any_order_of(tree, &partials)
    } else {
        Some(tree) == association.reduce(leaves, |a, b| domain.pair(a, b))
    };
    if is_right { Ok(()) } else { failed("another association") }
}

/// Chooses a length near a boundary of the program, or any other.
fn length(program: &Program, salt: u64) -> u64 {
    let tile = program.plan().tiles()[0];
    let edges = [1, 31, 33, tile - 1, tile, tile + 1, 2 * tile + 1, salt % MOST];
    let most = program.up_to.map_or(MOST, |up_to| up_to.min(MOST));
    edges[(salt / 7 % edges.len() as u64) as usize].clamp(1, most)
}

/// Creates inputs whose elements are their positions, aligned or not, and strided if the layout is.
fn inputs(program: &Program, n: u64, salt: u64) -> Vec<Input> {
    let operation = &program.operation;
    let aligned = salt.is_multiple_of(2);
    if program.domain != Domain::STRIDED {
        return Provenance::inputs(operation, n, aligned);
    }
    let elements = Lanes::U64((0..3 * n).map(|at| at / 3).collect());
    vec![Input { elements, offset: u64::from(!aligned), first: 0, steps: vec![3] }; operation.inputs.len()]
}
