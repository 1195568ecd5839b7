//! Compares a mutant with its kernel: the verifier, the reports of the interpreter, and the memory after each launch.

use super::kernels::{Launch, Leaves, Subject};
use super::sites::variants;
use reduce_interpreter::{
    Acc, Domain, Input, Launched, Memory, Options, Provenance, Report, Schedule, Shapes, launch,
};
use reduce_ir::program::Reads;
use reduce_ir::statements::{Buffer, Expr, LoweredKernel, Stmt};
use reduce_ir::{Scalar, Value};

/// The checks that killed a mutant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Verdict {
    /// The verifier refuses it.
    pub(crate) refused: bool,
    /// The reports of the interpreter.
    pub(crate) reports: Vec<Report>,
    /// Its memory after a launch differs from the kernel's.
    pub(crate) wrong: bool,
}

impl Verdict {
    pub(crate) fn is_killed(&self) -> bool {
        self.refused || self.is_seen()
    }

    /// Returns whether it was killed by running it.
    pub(crate) fn is_seen(&self) -> bool {
        !self.reports.is_empty() || self.wrong
    }
}

/// A kernel, and the memory after each of its launches.
pub(crate) struct Judge<'a> {
    subject: &'a Subject,
    launches: Vec<Expected<'a>>,
}

struct Expected<'a> {
    setup: Setup<'a>,
    domain: Provenance<'a>,
    left: Left,
    /// The partials of the blocks, for an atomic that combines them in any order.
    parts: Vec<Acc>,
}

/// A launch of a kernel or of its mutants.
struct Setup<'a> {
    subject: &'a Subject,
    launch: Launch,
    inputs: Vec<Input>,
}

/// The memory after a launch. The first ticket stands for all.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Left {
    result: Option<Acc>,
    partials: Vec<Option<Acc>>,
    ticket: Option<u32>,
}

/// The number of launches that differ most. They are the first ones.
const FEW: usize = 8;

/// Returns the interpreter's report about the kernel or a mutant, for the first launch and schedule that show it.
pub(crate) fn report(subject: &Subject, kernel: &LoweredKernel) -> Option<Report> {
    subject.launches.iter().take(FEW).find_map(|&launch| {
        let setup = Setup::of(subject, launch);
        let mut shapes = Shapes::new(&subject.operation);
        let mut run = |schedule| setup.run(kernel, subject.leaves, &mut shapes, schedule);
        Schedule::all(launch.grid).into_iter().find_map(|schedule| run(schedule).reports.into_iter().next())
    })
}

impl<'a> Judge<'a> {
    /// Runs the kernel itself, which must have no reports and the same memory under every schedule. Only the launches that
    /// differ most run under all schedules.
    pub(crate) fn of(subject: &'a Subject) -> Judge<'a> {
        let launches = subject.launches.iter().map(|&launch| Expected::of(subject, launch)).collect();
        let mut judge = Judge { subject, launches };
        let verdict = judge.run(&subject.kernel, FEW);
        assert!(!verdict.is_seen(), "{}: {verdict:?}\n{}", subject.name, subject.kernel);
        judge
    }

    /// Runs a mutant until a launch shows a fault. A mutant that the verifier refuses is run on few launches.
    pub(crate) fn judge(&mut self, mutant: &LoweredKernel) -> Verdict {
        let refused = self.subject.program.as_ref().is_some_and(|(program, lowered, at)| {
            let mut lowered = lowered.clone();
            lowered.kernels[*at] = mutant.clone();
            lowered.verify(program).is_err()
        });
        Verdict { refused, ..self.run(mutant, if refused { FEW } else { usize::MAX }) }
    }

    fn run(&mut self, kernel: &LoweredKernel, most: usize) -> Verdict {
        let mut verdicts = self.launches.iter_mut().take(most).map(|expected| expected.run(kernel));
        verdicts.find(Verdict::is_seen).unwrap_or_default()
    }
}

impl<'a> Expected<'a> {
    fn of(subject: &'a Subject, launch: Launch) -> Expected<'a> {
        let setup = Setup::of(subject, launch);
        let mut domain = Provenance::new(&subject.operation);
        let mut run = |kernel: &LoweredKernel, leaves| {
            let launched = setup.run(kernel, leaves, &mut domain, Schedule::FORWARD);
            assert!(launched.reports.is_empty(), "{}: {:?}\n{kernel}", subject.name, launched.reports);
            Left::of(launched)
        };
        let left = run(&subject.kernel, subject.leaves);
        let parts = match subject.leaves {
            Leaves::One => run(&with_partials_per_block(&subject.kernel), Leaves::Blocks).partials,
            Leaves::Blocks | Leaves::Items | Leaves::Tickets(_) => Vec::new(),
        };
        Expected { setup, domain, left, parts: parts.into_iter().flatten().collect() }
    }

    /// Runs it under each schedule, until there is a report and a wrong result. A launch that does not end has no result.
    fn run(&mut self, kernel: &LoweredKernel) -> Verdict {
        let Subject { operation, leaves, .. } = self.setup.subject;
        let shape = self.setup.run(kernel, *leaves, &mut Shapes::new(operation), Schedule::FORWARD);
        let mut verdict = Verdict { reports: shape.reports, ..Verdict::default() };
        let schedules = if shape.ended { Schedule::all(self.setup.launch.grid) } else { Vec::new() };
        for schedule in schedules {
            let launched = self.setup.run(kernel, *leaves, &mut self.domain, schedule);
            verdict.reports.extend(launched.reports.iter().cloned());
            verdict.wrong |= launched.ended && !self.is_right(&Left::of(launched));
            if verdict.wrong && !verdict.reports.is_empty() {
                break;
            }
        }
        verdict
    }

    fn is_right(&self, left: &Left) -> bool {
        if self.setup.subject.leaves != Leaves::One {
            return *left == self.left;
        }
        let sum = left.partials.first().copied().flatten();
        sum.is_some_and(|sum| self.domain.is_any_order_of(sum, &self.parts))
    }
}

impl<'a> Setup<'a> {
    fn of(subject: &'a Subject, launch: Launch) -> Setup<'a> {
        let elements = if subject.kernel.reads == Reads::Inputs { launch.items } else { 0 };
        let inputs = Provenance::inputs(&subject.operation, elements, launch.aligned);
        Setup { subject, launch, inputs }
    }

    /// Runs one launch and, with tickets, another one with the tickets that the first left.
    fn run(
        &self,
        kernel: &LoweredKernel,
        leaves: Leaves,
        domain: &mut dyn Domain,
        schedule: Schedule,
    ) -> Launched<'_> {
        let Launch { grid, items, .. } = self.launch;
        let fresh = self.memory(leaves, domain);
        // No tree and no report depends on the values of params.
        let params = &self.subject.operation.params;
        let params: Vec<_> = params.iter().map(|param| Value::from_bits(param.ty, 0)).collect();
        let mut one = |memory| {
            let options = Options::under(schedule).with(&params);
            launch(&self.subject.operation, kernel, domain, memory, grid, items, options)
        };
        let first = one(fresh.clone());
        if !matches!(leaves, Leaves::Tickets(_)) || !first.ended {
            return first;
        }
        let mut second = one(Memory { ticket: first.memory.ticket, ..fresh });
        second.reports.extend(first.reports);
        second
    }

    /// Returns the memory before the launch. Each partial that it reads is a distinct element.
    fn memory(&self, leaves: Leaves, domain: &mut dyn Domain) -> Memory<'_> {
        let Launch { grid, items, .. } = self.launch;
        let (partials, tickets) = match leaves {
            Leaves::Blocks => (grid, 1),
            Leaves::Items => (items, 1),
            Leaves::One => (1, 1),
            Leaves::Tickets(of_block) => (grid * of_block, 1 + grid),
        };
        let mut memory = Memory::new(&self.inputs, partials as usize);
        memory.ticket = vec![0; tickets as usize];
        if leaves == Leaves::One {
            memory.partials = vec![domain.empty()];
        }
        if self.subject.kernel.reads == Reads::Partials {
            memory.items = (0..items).map(|at| self.element(domain, at)).collect();
        }
        memory
    }

    /// Returns the accumulator of the element at a position.
    fn element(&self, domain: &mut dyn Domain, position: u64) -> Option<Acc> {
        let mut out = [None; 32];
        let arguments = vec![[position; 32]; self.subject.operation.map.params().len()];
        domain.map(&arguments, 1, &mut out).unwrap();
        out[0]
    }
}

impl Left {
    fn of(launched: Launched<'_>) -> Left {
        let Memory { results, partials, ticket, .. } = launched.memory;
        Left { result: results[0], partials, ticket: ticket.first().copied() }
    }
}

/// Returns the kernel with a partial for each block in place of an atomic.
fn with_partials_per_block(kernel: &LoweredKernel) -> LoweredKernel {
    let store = |stmt: &Stmt| match stmt {
        Stmt::AtomicCombine { value, .. } => {
            let own = Buffer::Partials.at(Expr::Block.cast(Scalar::U64));
            vec![vec![Stmt::Store(own, value.clone())]]
        }
        _ => Vec::new(),
    };
    variants(kernel, &store).remove(0).kernel
}
