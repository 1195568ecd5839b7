//! The ladder: every rung as a snapshot of the difference to the rung before. Every rung is proved in the interpreter, for
//! every block, around every boundary, under every schedule.
//!
//! Proved means: the interpreter reports nothing; on positions, the kernels compute the tree of the association; on values,
//! they give the bits of the host. By default, a rotating fifth of the rungs and blocks is proved, and more than 1025 elements run in order and under one other schedule; with
//! `REDUCEGEN_FULL=1` under all schedules.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod cases;
#[allow(dead_code, reason = "no test uses all of it")]
#[path = "differential/data.rs"]
mod data;
#[path = "support/rotation.rs"]
mod rotation;
#[path = "support/splitmix.rs"]
mod splitmix;

use data::Kind;
use rayon::prelude::*;
use reduce_codegen::{compile, cuda, lower};
use reduce_dsl::ladder::{Block, RUNGS, Rung, STEP, Twist};
use reduce_dsl::operators::{Operator, operator};
use reduce_interpreter::{
    Acc, Input, Kind as ReportKind, Options, Provenance, Report, Schedule, Values, run,
};
use reduce_ir::Scalar;
use reduce_ir::program::{Program, Reads};
use reduce_ir::spec::Spec;
use reduce_ir::statements::Lowered;
use reduce_lanes::Lanes;
use reduce_runtime::host;
use rotation::full;
use similar::TextDiff;

const BLOCKS: [u32; 6] = [32, 64, 128, 256, 512, 1024];

/// Returns a rung for n elements. It is the sum of `f32`, unless the rung's twist is different.
fn sum(rung: &Rung, n: u64, block: u32) -> Spec {
    rung.spec(operator("sum").unwrap(), Scalar::F32, n, block).unwrap()
}

#[test]
fn rungs() {
    let mut before = ("nothing".to_owned(), String::new());
    for rung in &RUNGS {
        let spec = sum(rung, 2048, 256);
        let program = compile(&spec).unwrap();
        let cuda = cuda(&program).unwrap();
        let heading = format!("{} {}: {}", rung.number, rung.name, rung.what);
        let diff =
            TextDiff::from_lines(&before.1, &cuda).unified_diff().header(&before.0, rung.name).to_string();
        let association = program.association();
        let text = format!(
            "{heading}\n{}\n\n{program}\n{association}\n{cuda}\n==== from the rung before ====\n{diff}",
            spec.text
        );
        let words = rung.name.replace([' ', ','], "_").replace("__", "_");
        check(&format!("rung_{:02}_{words}", rung.number), &text);
        before = (rung.name.to_owned(), cuda);
    }
}

fn check(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_snapshot_path("snapshots/ladder");
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// The text of each rung's specification parses to that specification.
#[test]
fn specifications_can_be_written() {
    for rung in &RUNGS {
        for (op, ty) in [("sum", Scalar::F32), ("max", Scalar::F64), ("prod", Scalar::I32)] {
            let spec = rung.spec(operator(op).unwrap(), ty, 1000, 128).unwrap();
            let parsed = reduce_dsl::parse::text(&spec.text, None).unwrap().spec;
            assert_eq!(parsed, spec, "{}", spec.text);
        }
    }
}

#[test]
fn rungs_are_in_order_and_differ() {
    for (rung, number) in RUNGS.iter().zip(1..) {
        assert_eq!(rung.number, number);
        let same =
            |other: &&Rung| (other.passes, other.twist, other.block) == (rung.passes, rung.twist, rung.block);
        assert_eq!(RUNGS.iter().filter(same).count(), 1, "{}", rung.name);
    }
}

/// A rung with a number of elements.
struct Case {
    program: Program,
    lowered: Lowered,
    n: u64,
    /// The distance between neighbouring elements.
    step: u64,
}

impl Case {
    fn new(spec: &Spec, n: u64) -> Case {
        let program = compile(spec).unwrap();
        let lowered = lower(&program).unwrap();
        let step = if program.domain.steps() > 0 { STEP } else { 1 };
        Case { program, lowered, n, step }
    }

    fn input(&self, elements: &Lanes) -> Input {
        let elements = data::spread(elements, 0, self.step as isize).data;
        Input { elements, offset: 0, first: 0, steps: vec![self.step as i64] }
    }

    /// Returns the schedules: in order, and all others or one of them.
    fn schedules(&self) -> Vec<Schedule> {
        let all = Schedule::all(self.program.plan().launches(self.n)[0].grid);
        let one = all[self.n as usize % all.len()];
        if full() || self.n <= 1025 { all } else { vec![Schedule::FORWARD, one] }
    }

    /// Checks that nothing is reported, except that no elements have no result.
    fn check_reports(&self, schedule: Schedule, reports: &[Report]) {
        let has_no_result = self.n == 0 && !self.program.operation.has_result_of_nothing();
        let expected = |it: &&Report| has_no_result && it.kind == ReportKind::Undefined;
        if let Some(report) = reports.iter().find(|it| !expected(it)) {
            panic!("{report}\n{schedule:?}, n = {}\n{}", self.n, self.program);
        }
    }

    fn prove(&self, turn: u64) {
        for schedule in self.schedules() {
            self.prove_association(schedule);
            self.prove_bits(schedule, Kind::ALL[(self.n + turn) as usize % Kind::ALL.len()]);
        }
    }

    fn prove_association(&self, schedule: Schedule) {
        let (program, n) = (&self.program, self.n);
        let mut domain = Provenance::new(&program.operation);
        let positions = Lanes::U64((0..n).collect());
        let inputs = vec![self.input(&positions); program.operation.inputs.len()];
        let outcome = run(program, &self.lowered, &mut domain, &inputs, n, Options::under(schedule));
        self.check_reports(schedule, &outcome.reports);
        let leaves: Vec<_> = (0..n).map(|position| domain.leaf(position)).collect();
        let Some(found) = outcome.acc() else { return assert_eq!(n, 0, "{program}") };
        let same = if program.kernel(Reads::Inputs).is_atomic() {
            let parts = leaves.chunks(program.tile(Reads::Inputs) as usize);
            let tree = |part: &[Acc]| program.association().reduce(part.to_vec(), |a, b| domain.pair(a, b));
            let parts: Vec<_> = parts.filter_map(tree).collect();
            domain.is_any_order_of(found, &parts)
        } else {
            let wanted = program.association().reduce(leaves, |a, b| domain.pair(a, b));
            found == wanted.unwrap_or_else(|| domain.identity())
        };
        assert!(same, "{schedule:?}, n = {n}\n{program}\n{}", domain.text(found));
    }

    /// Checks values. Atomics combine blocks in any order, so they get data that is exact in every order.
    fn prove_bits(&self, schedule: Schedule, kind: Kind) {
        let (operation, n) = (&self.program.operation, self.n);
        let atomic = self.program.kernel(Reads::Inputs).is_atomic();
        let kind = if atomic && !operation.exact { Kind::Exact } else { kind };
        let inputs = operation.inputs.iter().zip(0..);
        let inputs: Vec<_> = inputs.map(|(it, place)| data::elements(it.ty, n, kind, place)).collect();
        let views: Vec<_> = inputs.iter().map(Lanes::borrow).collect();
        let host = host::reduce(operation, &self.program.association(), &views).ok();
        let inputs: Vec<_> = inputs.iter().map(|elements| self.input(elements)).collect();
        let mut domain = Values::new(operation);
        let outcome = run(&self.program, &self.lowered, &mut domain, &inputs, n, Options::under(schedule));
        let found = outcome.acc().map(|acc| domain.finish(acc, n, &[]).unwrap());
        // No kernel is launched for no elements, because it would finish the fill.
        let is_launched = n > 0 || operation.fill.is_none() || operation.has_result_of_nothing();
        assert!(
            !is_launched || found == host,
            "{found:?}, not {host:?}, {schedule:?}, {kind:?}, n = {n}\n{}",
            self.program
        );
    }
}

/// Returns the lengths around the boundaries of a rung with a block.
fn lengths(rung: &Rung, op: &'static Operator, ty: Scalar, block: u32) -> Option<Vec<u64>> {
    let n = if rung.block == Block::HalfOfElements { 2 * u64::from(block) } else { 1 << 20 };
    let program = compile(&rung.spec(op, ty, n, block).ok()?).ok()?;
    let most = if full() { 20_000 } else { 5000 };
    let mut lengths: Vec<_> = cases::lengths(&program, most).iter().map(|&n| rung.length(n as u64)).collect();
    lengths.dedup();
    Some(lengths)
}

fn prove(op: &'static str, ty: Scalar) {
    let op = operator(op).unwrap();
    let all = RUNGS.iter().flat_map(|rung| BLOCKS.map(|block| (rung, block)));
    let all: Vec<_> = rotation::sample(all, 5).collect();
    // An atomic starts from the identity, which `arg…` operators lack. Every other rung exists for every operator.
    let missing = |rung: &Rung| rung.twist == Twist::AnyOrder && op.name.starts_with("arg");
    let proved = all.par_iter().map(|&(rung, block)| {
        let lengths = lengths(rung, op, ty, block);
        assert_eq!(lengths.is_none(), missing(rung), "rung {} with {block} threads", rung.number);
        let prove = |&n: &u64| Case::new(&rung.spec(op, ty, n, block).unwrap(), n).prove(block.into());
        lengths.iter().flatten().for_each(prove);
        lengths.map_or(0, |lengths| lengths.len())
    });
    let proved: usize = proved.sum();
    println!("{proved} reductions of {ty} by {}", op.name);
    assert!(proved > 200, "{proved}");
}

#[test]
fn every_rung_is_proved() {
    prove("sum", Scalar::F32);
}

/// Without an identity, absent elements are not combined.
#[test]
fn every_rung_is_proved_without_an_identity() {
    prove("argmax", Scalar::F64);
}
