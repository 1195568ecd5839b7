//! Tries one equation of an operation on many elements.

use super::assertions::Assertions;
use super::batch::Batch;
use super::counterexample::Counterexample;
use super::equation::{Equation, Functions};
use super::exact::{Likeness, Reals};
use super::native::{Computed, Difference, Native};
use super::sample::{Kind, Sampler};
use super::shrink::shrunk;
use super::table::Table;
use super::{Cases, Cause, Effort, Law, Remark};
use reduce_ir::Value;
use reduce_ir::func::Func;
use reduce_ir::operation::Operation;
use std::cell::Cell;

/// The number of cases that are computed at once.
const CHUNK: usize = 4096;
/// The number of elements from which cases are drawn from small values only. Otherwise nearly every case would
/// contain a NaN, an infinity or a value next to the end of its type.
const LONG: usize = 20;
/// The budget of a sample, in operations for each element of its cases. Longer functions get fewer cases.
const SAMPLED: usize = 1 << 19;
/// The minimum number of cases of a sample. Half of their elements are zeros, ones, NaN or ends of their type.
const FEWEST: usize = 16;
/// The budget in operations for trying all cases, unless the effort is [`Effort::Exhaustive`].
const ALL: u64 = 1 << 24;
/// The largest `op`, in operations, that becomes a table of 65,536 entries.
const TABLE: usize = 256;
/// The budget in operations for shrinking counterexamples.
const SIMPLER: u64 = 1 << 20;

/// Tries the equations of one operation.
#[derive(Debug)]
pub(super) struct Examiner<'a> {
    operation: &'a Operation,
    effort: Effort,
    pub(super) sampler: Sampler<'a>,
    /// The functions as written.
    written: Functions<'a>,
    /// The functions as executed.
    computed: Functions<'a>,
    assertions: Assertions,
    /// The table of `op`, if it is small enough and worth its cost.
    table: Option<Table>,
    /// Operations spent so far on shrinking counterexamples.
    simplified: Cell<u64>,
}

/// The result of trying an equation.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    pub(super) cases: Cases,
    pub(super) broken: Option<Counterexample>,
    /// At most one for each cause.
    pub(super) remarks: Vec<Remark>,
    /// The first case that does not confirm the equation.
    discarded: Option<Batch>,
}

/// The verdict on a case, from weakest to strongest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    /// Both sides are equal.
    Equal,
    /// Both sides are equal up to a bound.
    Close,
    /// The case decides nothing.
    Open,
    /// The result depends on order, for a reason that is not an error.
    OrderDependent(Cause),
    /// The equation does not hold.
    Broken,
}

impl<'a> Examiner<'a> {
    pub(super) fn new(operation: &'a Operation, keep: Option<&Func>, effort: Effort) -> Self {
        let (written, computed) = (Functions::of(operation), Functions::written_out(operation));
        let sampler = Sampler::new(operation, keep);
        let (assertions, simplified) = (Assertions::of(operation), Cell::default());
        let mut examiner =
            Examiner { operation, effort, sampler, written, computed, assertions, table: None, simplified };
        let has_table = effort != Effort::Sample && examiner.assertions.is_empty();
        if has_table && examiner.computed.operations_of_op() <= TABLE {
            examiner.table = Table::of(operation, &examiner.computed, &examiner.mapped());
        }
        examiner
    }

    /// Returns the first field of `map` results: of all elements if they are few, otherwise of a sample.
    fn mapped(&self) -> Computed {
        let batch = match Batch::count(self.operation, 1) {
            Some(count) => self.sampler.only(Batch::all(self.operation, &[1], 0, count as usize)),
            None => self.sampler.draw(&[1], Kind::Any, CHUNK.min(self.affordable())),
        };
        let native = self.computed.with(Native { len: batch.len, traced: true });
        native.operands(&batch.shape, &batch.given(Computed::given))[0][0].clone()
    }

    /// Returns whether the equation compares numbers rather than bits.
    pub(super) fn rounds(&self, equation: &Equation) -> bool {
        !equation.is_strict() && self.written.round(equation)
    }

    /// Tries an equation until a case breaks it.
    pub(super) fn examine(&self, equation: &Equation) -> Outcome {
        let mut outcome = Outcome::default();
        self.examine_all(equation, &mut outcome);
        self.examine_some(equation, &mut outcome);
        if self.rounds(equation) && outcome.broken.is_none() {
            let mut small = Outcome::default();
            self.examine_small(equation, &mut small);
            outcome.add(self.decided(equation, small));
        }
        self.decided(equation, outcome)
    }

    /// Rejects an equation that no case confirms; its first undecided case becomes the counterexample.
    fn decided(&self, equation: &Equation, mut outcome: Outcome) -> Outcome {
        let holds = outcome.cases.exact + outcome.cases.bounded > 0;
        if let (false, None, Some(case)) = (holds, &outcome.broken, outcome.discarded.take()) {
            let verdict = self.judge(equation, &case);
            outcome.broken = Some(self.simple(equation, case, verdict));
        }
        outcome
    }

    /// Tries every accumulator or every element, if the effort allows it.
    fn examine_all(&self, equation: &Equation, outcome: &mut Outcome) {
        if self.written.round(equation) {
            return;
        }
        match &self.table {
            Some(table) if *equation != Equation::Fold => match table.examine(equation) {
                Ok(cases) => outcome.cases = cases,
                Err(operands) => outcome.broken = Some(self.counterexample_of(equation, operands)),
            },
            _ => self.examine_elements(equation, outcome),
        }
    }

    fn examine_elements(&self, equation: &Equation, outcome: &mut Outcome) {
        let shape = equation.shapes()[0];
        let most = match self.effort {
            Effort::Sample => 0,
            Effort::Thorough => (ALL / self.computed.operations().max(1) as u64).min(1 << 16),
            Effort::Exhaustive => 1 << 24,
        };
        let count = Batch::count(self.operation, shape.iter().sum()).filter(|&count| count <= most);
        let end = count.unwrap_or(0);
        for start in (0..end).step_by(CHUNK) {
            let len = CHUNK.min((end - start) as usize);
            let all = self.sampler.only(Batch::all(self.operation, shape, start, len));
            self.compute(equation, &all, outcome);
        }
        outcome.cases.exhaustive = count.is_some();
    }

    fn examine_some(&self, equation: &Equation, outcome: &mut Outcome) {
        for shape in equation.shapes() {
            let kind = if shape.iter().sum::<usize>() < LONG { Kind::Any } else { Kind::Small };
            self.compute(equation, &self.sampler.draw(shape, kind, self.cases(shape)), outcome);
        }
    }

    /// Tries small values in real numbers. Cases that this leaves open are decided by device arithmetic.
    fn examine_small(&self, equation: &Equation, outcome: &mut Outcome) {
        for shape in equation.shapes() {
            let batch = self.sampler.draw(shape, Kind::Small, self.cases(shape).div_ceil(4));
            let differing = self.differing(equation, &batch);
            let verdict = |lane| {
                let verdict = self.real_verdict(equation, &batch, lane);
                let is_equal = verdict == Verdict::Open && !differing.contains(&lane);
                if is_equal { Verdict::Equal } else { verdict }
            };
            self.note(equation, &batch, outcome, verdict);
        }
    }

    /// Tries a batch in device arithmetic.
    fn compute(&self, equation: &Equation, batch: &Batch, outcome: &mut Outcome) {
        let differing = self.differing(equation, batch);
        outcome.cases.exact += (batch.len - differing.len()) as u64;
        if differing.is_empty() {
            return;
        }
        let batch = batch.only(&differing);
        let sides = self.sides(equation, &batch, true);
        self.note(equation, &batch, outcome, |lane| self.computed_verdict(equation, &batch, &sides, lane));
    }

    /// Returns the cases whose sides differ in device arithmetic.
    fn differing(&self, equation: &Equation, batch: &Batch) -> Vec<usize> {
        let [left, right] = self.sides(equation, batch, false);
        Computed::differing(&left, &right, equation.equality())
    }

    /// Returns the verdict on a single case.
    pub(super) fn judge(&self, equation: &Equation, case: &Batch) -> Verdict {
        if self.sampler.only(case.clone()).len == 0 {
            return Verdict::Equal;
        }
        if self.assertions.fail(equation, case) {
            return Verdict::Open;
        }
        if self.rounds(equation) && self.real_verdict(equation, case, 0) == Verdict::Broken {
            return Verdict::Broken;
        }
        self.computed_verdict(equation, case, &self.sides(equation, case, true), 0)
    }

    /// Returns the number of cases for a shape: the more elements, the fewer cases.
    fn cases(&self, shape: &[usize]) -> usize {
        let all = match self.effort {
            Effort::Sample => 192,
            Effort::Thorough | Effort::Exhaustive => 2048,
        };
        let all = all.min(self.affordable());
        match shape.iter().sum() {
            elements if elements == shape.len() => all,
            ..LONG => all / 3,
            elements => (all / elements).max(4),
        }
    }

    /// Returns the number of cases that the budget of a sample allows.
    fn affordable(&self) -> usize {
        (SAMPLED / self.computed.operations().max(1)).max(FEWEST)
    }

    /// Returns the number of operations computed so far.
    pub(super) fn operations(&self) -> u64 {
        self.written.computed() + self.computed.computed()
    }

    /// Counts the verdicts, and records the first broken case, the first of each cause and the first undecided
    /// one.
    fn note(
        &self,
        equation: &Equation,
        batch: &Batch,
        outcome: &mut Outcome,
        verdict: impl Fn(usize) -> Verdict,
    ) {
        for lane in 0..batch.len {
            if outcome.broken.is_some() {
                return;
            }
            let case = || batch.only(&[lane]);
            let mut verdict = verdict(lane);
            if verdict != Verdict::Equal && self.assertions.fail(equation, &case()) {
                verdict = Verdict::Open;
            }
            outcome.cases.count(verdict);
            match verdict {
                Verdict::Equal | Verdict::Close => continue,
                Verdict::Open => {}
                Verdict::OrderDependent(cause)
                    if outcome.remarks.iter().any(|remark| remark.cause == cause) => {}
                Verdict::OrderDependent(cause) => outcome.remarks.push(self.remark(equation, case(), cause)),
                Verdict::Broken => outcome.broken = Some(self.simple(equation, case(), verdict)),
            }
            outcome.discarded.get_or_insert_with(case);
        }
    }

    /// Builds a remark. A sample leaves its counterexample unshrunk to save time.
    fn remark(&self, equation: &Equation, case: Batch, cause: Cause) -> Remark {
        let counterexample = match self.effort {
            Effort::Sample => self.counterexample(equation, &case),
            Effort::Thorough | Effort::Exhaustive => {
                self.simple(equation, case, Verdict::OrderDependent(cause))
            }
        };
        Remark { cause, counterexample }
    }

    fn simple(&self, equation: &Equation, case: Batch, verdict: Verdict) -> Counterexample {
        let before = self.operations();
        let left = SIMPLER.saturating_sub(self.simplified.get());
        let is_time = || self.operations() - before < left;
        let simple = shrunk(self, equation, case, verdict, is_time);
        self.simplified.set(self.simplified.get() + self.operations() - before);
        self.counterexample(equation, &simple)
    }

    fn counterexample(&self, equation: &Equation, case: &Batch) -> Counterexample {
        Counterexample::of_case(self.operation, &self.computed, equation, case)
    }

    fn counterexample_of(&self, equation: &Equation, operands: Vec<Value>) -> Counterexample {
        let operands = operands.into_iter().map(|value| vec![value]).collect();
        Counterexample::of_operands(self.operation, &self.computed, equation, operands)
    }

    fn sides(&self, equation: &Equation, batch: &Batch, traced: bool) -> [Vec<Computed>; 2] {
        let given = batch.given(Computed::given);
        self.computed.with(Native { len: batch.len, traced }).sides(equation, &batch.shape, &given)
    }

    /// Returns the verdict in device arithmetic, the strongest over all fields.
    fn computed_verdict(
        &self,
        equation: &Equation,
        batch: &Batch,
        [left, right]: &[Vec<Computed>; 2],
        lane: usize,
    ) -> Verdict {
        let is_identity = equation.law() == Law::Identity;
        let verdict = |field: usize| match left[field].difference(&right[field], lane, equation.equality()) {
            Difference::None => Verdict::Equal,
            _ if equation.is_strict() => Verdict::Broken,
            Difference::Rounding => Verdict::Open,
            Difference::Overflow => Verdict::OrderDependent(Cause::Overflow),
            Difference::Wrapping => self.wrapped_verdict(equation, batch, lane, field),
            // In an identity equation, the right side is the operand.
            Difference::DivisionByZero if is_identity && right.iter().all(|it| it.is_finite(lane)) => {
                Verdict::Broken
            }
            Difference::DivisionByZero => Verdict::OrderDependent(Cause::DivisionByZero),
            Difference::Nan => Verdict::OrderDependent(Cause::Nan),
            Difference::Real => Verdict::Broken,
        };
        (0..left.len()).map(verdict).max().unwrap_or(Verdict::Equal)
    }

    /// Excuses a difference after integers wrapped, unless unbounded integers differ as well.
    fn wrapped_verdict(&self, equation: &Equation, batch: &Batch, lane: usize, field: usize) -> Verdict {
        match self.likeness(equation, batch, lane, Reals { wraps: false })[field] {
            Likeness::Equal | Likeness::Close | Likeness::Open => Verdict::OrderDependent(Cause::Overflow),
            Likeness::Different => Verdict::Broken,
        }
    }

    /// Returns the verdict in real numbers, the strongest over all fields.
    fn real_verdict(&self, equation: &Equation, batch: &Batch, lane: usize) -> Verdict {
        let wrapped = self.likeness(equation, batch, lane, Reals { wraps: true });
        match wrapped.iter().max() {
            None | Some(Likeness::Equal) => Verdict::Equal,
            Some(Likeness::Close) => Verdict::Close,
            Some(Likeness::Open) => Verdict::Open,
            Some(Likeness::Different) => {
                let unbounded = self.likeness(equation, batch, lane, Reals { wraps: false });
                let differ = |it: (&Likeness, Likeness)| *it.0.min(&it.1) == Likeness::Different;
                if wrapped.iter().zip(unbounded).any(differ) { Verdict::Broken } else { Verdict::Open }
            }
        }
    }

    /// Compares the fields of both sides in the given numbers.
    fn likeness(&self, equation: &Equation, batch: &Batch, lane: usize, numbers: Reals) -> Vec<Likeness> {
        let given = batch.given(|lanes| numbers.of(lanes.get(lane)));
        let [left, right] = self.written.with(numbers).sides(equation, &batch.shape, &given);
        left.iter().zip(&right).map(|(left, right)| left.likeness(*right)).collect()
    }
}

impl Outcome {
    fn add(&mut self, more: Outcome) {
        let Outcome { cases, broken, remarks, discarded } = more;
        self.cases.add(cases);
        self.broken = self.broken.take().or(broken);
        self.remarks.extend(remarks);
        self.discarded = self.discarded.take().or(discarded);
    }
}

impl Cases {
    pub(super) fn count(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Equal => self.exact += 1,
            Verdict::Close => self.bounded += 1,
            Verdict::Open | Verdict::OrderDependent(_) | Verdict::Broken => self.discarded += 1,
        }
    }
}
