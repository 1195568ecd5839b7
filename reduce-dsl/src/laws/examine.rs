//! Tries one equation of an operation on many elements.

use super::batch::Batch;
use super::counterexample::Counterexample;
use super::equation::{Equation, Functions};
use super::exact::{Likeness, Real, Reals};
use super::native::{Computed, Difference, Native};
use super::sample::{Kind, draw};
use super::shrink::shrunk;
use super::table::Table;
use super::{Cases, Effort};
use crate::Value;
use crate::lanes::Lanes;
use crate::operation::Operation;

/// How many cases are computed at once.
const CHUNK: usize = 4096;

/// Tries equations.
#[derive(Debug)]
pub(super) struct Examiner<'a> {
    operation: &'a Operation,
    effort: Effort,
    /// As they are written.
    written: Functions<'a>,
    /// As they are computed.
    computed: Functions<'a>,
    /// `op`, where it is small enough for a table and worth it.
    table: Option<Table>,
}

/// What trying an equation showed.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    pub(super) cases: Cases,
    pub(super) broken: Option<Counterexample>,
    pub(super) nan: Option<Counterexample>,
    pub(super) overflow: Option<Counterexample>,
}

/// What is to be said of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Both sides are equal.
    Equal,
    /// Up to a bound.
    Close,
    /// Nothing.
    Open,
    /// Overflow makes it depend on order.
    Overflow,
    /// NaN makes it depend on order.
    Nan,
    /// The equation does not hold.
    Broken,
}

impl<'a> Examiner<'a> {
    pub(super) fn new(operation: &'a Operation, effort: Effort) -> Self {
        let (written, computed) = (Functions::of(operation), Functions::written_out(operation));
        let mut examiner = Examiner { operation, effort, written, computed, table: None };
        if effort != Effort::Sample {
            examiner.table = Table::of(operation, &examiner.computed, &examiner.mapped());
        }
        examiner
    }

    /// What `map` gives of elements, the first field: of all elements, if they are few.
    fn mapped(&self) -> Lanes {
        let batch = match Batch::count(self.operation, 1) {
            Some(count) => Batch::all(self.operation, &[1], 0, count as usize),
            None => draw(self.operation, &[1], Kind::Any, CHUNK),
        };
        let native = self.computed.with(Native { len: batch.len, traced: false });
        native.operands(&batch.shape, &batch.given(Computed::given))[0][0].lanes()
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
            Effort::Thorough => 1 << 16,
            Effort::Exhaustive => 1 << 24,
        };
        let count = Batch::count(self.operation, shape.iter().sum()).filter(|&count| count <= most);
        let end = count.unwrap_or(0);
        for start in (0..end).step_by(CHUNK) {
            let len = CHUNK.min((end - start) as usize);
            self.compute(equation, &Batch::all(self.operation, shape, start, len), outcome);
        }
        outcome.cases.exhaustive = count.is_some();
    }

    fn examine_some(&self, equation: &Equation, outcome: &mut Outcome) {
        for shape in equation.shapes() {
            let batch = draw(self.operation, shape, Kind::Any, self.cases(shape));
            self.compute(equation, &batch, outcome);
        }
        if self.rounds(equation) {
            for shape in equation.shapes() {
                let batch = draw(self.operation, shape, Kind::Small, self.cases(shape) / 4);
                self.note(equation, &batch, outcome, |lane| self.real_verdict(equation, &batch, lane));
            }
        }
    }

    /// A batch, as devices compute it.
    fn compute(&self, equation: &Equation, batch: &Batch, outcome: &mut Outcome) {
        let [left, right] = self.sides(equation, batch, false);
        let differing = Computed::differing(&left, &right);
        outcome.cases.exact += (batch.len - differing.len()) as u64;
        let batch = batch.only(&differing);
        let sides = self.sides(equation, &batch, true);
        self.note(equation, &batch, outcome, |lane| computed_verdict(equation, &sides, lane));
    }

    /// What is to be said of a single case.
    pub(super) fn judge(&self, equation: &Equation, case: &Batch) -> Verdict {
        if self.rounds(equation) && self.real_verdict(equation, case, 0) == Verdict::Broken {
            return Verdict::Broken;
        }
        computed_verdict(equation, &self.sides(equation, case, true), 0)
    }

    /// The more elements an operand has, the fewer cases.
    fn cases(&self, shape: &[usize]) -> usize {
        let all = match self.effort {
            Effort::Sample => 192,
            Effort::Thorough | Effort::Exhaustive => 2048,
        };
        if shape.iter().all(|&elements| elements == 1) { all } else { all / 3 }
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
            let verdict = verdict(lane);
            outcome.cases.count(verdict);
            if let Some(first @ None) = outcome.place(verdict) {
                *first = Some(self.counterexample(equation, batch.only(&[lane]), verdict));
            }
        }
    }

    /// A simple one; where few cases are tried, what is no error is left as it is.
    fn counterexample(&self, equation: &Equation, case: Batch, verdict: Verdict) -> Counterexample {
        let is_remark = verdict != Verdict::Broken && self.effort == Effort::Sample;
        let case = if is_remark { case } else { shrunk(self, equation, case, verdict) };
        Counterexample::of_case(self.operation, &self.computed, equation, &case)
    }

    fn counterexample_of(&self, equation: &Equation, operands: Vec<Value>) -> Counterexample {
        let operands = operands.into_iter().map(|value| vec![value]).collect();
        Counterexample::of_operands(self.operation, &self.computed, equation, operands)
    }

    fn sides(&self, equation: &Equation, batch: &Batch, traced: bool) -> [Vec<Computed>; 2] {
        let given = batch.given(Computed::given);
        self.computed.with(Native { len: batch.len, traced }).sides(equation, &batch.shape, &given)
    }

    /// In real numbers, by the field that says most.
    fn real_verdict(&self, equation: &Equation, batch: &Batch, lane: usize) -> Verdict {
        let given = batch.given(|lanes| Real::of(lanes.get(lane)));
        let [left, right] = self.written.with(Reals).sides(equation, &batch.shape, &given);
        let fields = left.iter().zip(&right).map(|(left, right)| left.likeness(*right));
        match fields.max().unwrap_or(Likeness::Equal) {
            Likeness::Equal => Verdict::Equal,
            Likeness::Close => Verdict::Close,
            Likeness::Open => Verdict::Open,
            Likeness::Different => Verdict::Broken,
        }
    }
}

/// As devices compute it.
fn computed_verdict(equation: &Equation, [left, right]: &[Vec<Computed>; 2], lane: usize) -> Verdict {
    match Computed::difference(left, right, lane) {
        Difference::None => Verdict::Equal,
        _ if equation.is_strict() => Verdict::Broken,
        Difference::Rounding => Verdict::Open,
        Difference::Overflow => Verdict::Overflow,
        Difference::Nan => Verdict::Nan,
        Difference::Real => Verdict::Broken,
    }
}

impl Outcome {
    /// Where the first case of such a verdict is kept.
    fn place(&mut self, verdict: Verdict) -> Option<&mut Option<Counterexample>> {
        match verdict {
            Verdict::Equal | Verdict::Close | Verdict::Open => None,
            Verdict::Overflow => Some(&mut self.overflow),
            Verdict::Nan => Some(&mut self.nan),
            Verdict::Broken => Some(&mut self.broken),
        }
    }
}

impl Cases {
    pub(super) fn count(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Equal => self.exact += 1,
            Verdict::Close => self.bounded += 1,
            Verdict::Open | Verdict::Overflow | Verdict::Nan | Verdict::Broken => self.discarded += 1,
        }
    }
}
