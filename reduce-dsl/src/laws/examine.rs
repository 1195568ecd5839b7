//! Tries one equation of an operation on many elements.

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

/// How many cases are computed at once.
const CHUNK: usize = 4096;
/// Of so many elements and more, one is NaN, infinite or next to the end of its type in nearly every case: they are small.
const LONG: usize = 20;
/// Operations of a sample, for each element of its cases: of long functions, fewer cases are tried.
const SAMPLED: usize = 1 << 19;
/// The fewest cases of a sample: half of their elements are zeros, ones, NaN, the ends of their type.
const FEWEST: usize = 16;
/// Operations up to which all cases are tried, unless whoever asks has time.
const ALL: u64 = 1 << 24;
/// Operations of `op` up to which it becomes a table, of 65,536 entries.
const TABLE: usize = 256;
/// Operations in which counterexamples are made simpler.
const SIMPLER: u64 = 1 << 20;

/// Tries equations.
#[derive(Debug)]
pub(super) struct Examiner<'a> {
    operation: &'a Operation,
    effort: Effort,
    pub(super) sampler: Sampler<'a>,
    /// As they are written.
    written: Functions<'a>,
    /// As they are computed.
    computed: Functions<'a>,
    /// `op`, where it is small enough for a table and worth it.
    table: Option<Table>,
    /// Operations that made counterexamples simpler.
    simplified: Cell<u64>,
}

/// What trying an equation showed.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    pub(super) cases: Cases,
    pub(super) broken: Option<Counterexample>,
    /// One for each cause.
    pub(super) remarks: Vec<Remark>,
    /// The first case that says nothing.
    discarded: Option<Batch>,
}

/// What is to be said of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    /// Both sides are equal.
    Equal,
    /// Up to a bound.
    Close,
    /// Nothing.
    Open,
    /// It depends on order, for a reason that is no error.
    Shows(Cause),
    /// The equation does not hold.
    Broken,
}

impl<'a> Examiner<'a> {
    pub(super) fn new(operation: &'a Operation, keep: Option<&Func>, effort: Effort) -> Self {
        let (written, computed) = (Functions::of(operation), Functions::written_out(operation));
        let sampler = Sampler::new(operation, keep);
        let simplified = Cell::default();
        let mut examiner =
            Examiner { operation, effort, sampler, written, computed, table: None, simplified };
        if effort != Effort::Sample && examiner.computed.operations_of_op() <= TABLE {
            examiner.table = Table::of(operation, &examiner.computed, &examiner.mapped());
        }
        examiner
    }

    /// What `map` gives of elements, the first field: of all elements, if they are few.
    fn mapped(&self) -> Computed {
        let batch = match Batch::count(self.operation, 1) {
            Some(count) => self.sampler.only(Batch::all(self.operation, &[1], 0, count as usize)),
            None => self.sampler.draw(&[1], Kind::Any, CHUNK.min(self.affordable())),
        };
        let native = self.computed.with(Native { len: batch.len, traced: true });
        native.operands(&batch.shape, &batch.given(Computed::given))[0][0].clone()
    }

    /// Is the equation one of numbers, not of bits?
    pub(super) fn rounds(&self, equation: &Equation) -> bool {
        !equation.is_strict() && self.written.round(equation)
    }

    /// Tries it until a case breaks it.
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

    /// What no case says to hold does not.
    fn decided(&self, equation: &Equation, mut outcome: Outcome) -> Outcome {
        let holds = outcome.cases.exact + outcome.cases.bounded > 0;
        if let (false, None, Some(case)) = (holds, &outcome.broken, outcome.discarded.take()) {
            let verdict = self.judge(equation, &case);
            outcome.broken = Some(self.simple(equation, case, verdict));
        }
        outcome
    }

    /// Every accumulator, or every element, where that is not too much.
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

    /// Small numbers, in real numbers; where these say nothing, as devices compute.
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

    /// A batch, as devices compute it.
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

    /// The cases of which both sides differ, as devices compute them.
    fn differing(&self, equation: &Equation, batch: &Batch) -> Vec<usize> {
        let [left, right] = self.sides(equation, batch, false);
        Computed::differing(&left, &right, equation.equality())
    }

    /// What is to be said of a single case.
    pub(super) fn judge(&self, equation: &Equation, case: &Batch) -> Verdict {
        if self.sampler.only(case.clone()).len == 0 {
            return Verdict::Equal;
        }
        if self.rounds(equation) && self.real_verdict(equation, case, 0) == Verdict::Broken {
            return Verdict::Broken;
        }
        self.computed_verdict(equation, case, &self.sides(equation, case, true), 0)
    }

    /// The more elements an operand has, the fewer cases.
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

    /// The cases of a sample that functions of so many operations leave time for.
    fn affordable(&self) -> usize {
        (SAMPLED / self.computed.operations().max(1)).max(FEWEST)
    }

    /// Operations that were computed so far.
    pub(super) fn operations(&self) -> u64 {
        self.written.computed() + self.computed.computed()
    }

    /// Counts the verdicts; of the first that says something, also what it says it of.
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
            let (verdict, case) = (verdict(lane), || batch.only(&[lane]));
            outcome.cases.count(verdict);
            match verdict {
                Verdict::Equal | Verdict::Close => continue,
                Verdict::Open => {}
                Verdict::Shows(cause) if outcome.remarks.iter().any(|remark| remark.cause == cause) => {}
                Verdict::Shows(cause) => outcome.remarks.push(self.remark(equation, case(), cause)),
                Verdict::Broken => outcome.broken = Some(self.simple(equation, case(), verdict)),
            }
            outcome.discarded.get_or_insert_with(case);
        }
    }

    /// Where few cases are tried, what is no error is left as it is.
    fn remark(&self, equation: &Equation, case: Batch, cause: Cause) -> Remark {
        let counterexample = match self.effort {
            Effort::Sample => self.counterexample(equation, &case),
            Effort::Thorough | Effort::Exhaustive => self.simple(equation, case, Verdict::Shows(cause)),
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

    /// As devices compute it, by the field that says most.
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
            Difference::Overflow => Verdict::Shows(Cause::Overflow),
            Difference::Wrapping => self.wrapped_verdict(equation, batch, lane, field),
            // The right side of such an equation is the operand.
            Difference::DivisionByZero if is_identity && right.iter().all(|it| it.is_finite(lane)) => {
                Verdict::Broken
            }
            Difference::DivisionByZero => Verdict::Shows(Cause::DivisionByZero),
            Difference::Nan => Verdict::Shows(Cause::Nan),
            Difference::Real => Verdict::Broken,
        };
        (0..left.len()).map(verdict).max().unwrap_or(Verdict::Equal)
    }

    /// Integers that wrap are an excuse where wider ones would not differ.
    fn wrapped_verdict(&self, equation: &Equation, batch: &Batch, lane: usize, field: usize) -> Verdict {
        match self.likeness(equation, batch, lane, Reals { wraps: false })[field] {
            Likeness::Equal | Likeness::Close | Likeness::Open => Verdict::Shows(Cause::Overflow),
            Likeness::Different => Verdict::Broken,
        }
    }

    /// In real numbers, by the field that says most.
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

    /// How the fields of both sides compare in such numbers.
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
            Verdict::Open | Verdict::Shows(_) | Verdict::Broken => self.discarded += 1,
        }
    }
}
