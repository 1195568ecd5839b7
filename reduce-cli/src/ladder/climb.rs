//! The measurements of one rung.

use crate::counted::Counted;
use crate::timed::{Clock, Time};
use reduce_dsl::ladder::{Published, Rung, Twist};
use reduce_dsl::operators::Operator;
use reduce_ir::{Scalar, Spec};
use reduce_runtime::Error;

/// The settings of a run of the ladder.
#[derive(Debug)]
pub(crate) struct Climb {
    pub(crate) op: &'static Operator,
    pub(crate) ty: Scalar,
    /// The number of threads of a block, for rungs that do not fix it.
    pub(crate) block: u32,
    /// The numbers of reduced and of counted elements.
    pub(crate) n: u64,
    pub(crate) counts_n: u64,
    /// The clock, if there is a GPU.
    pub(crate) clock: Option<Clock>,
}

/// A rung and its measurements.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) rung: &'static Rung,
    /// The numbers of reduced and of counted elements of this rung.
    pub(crate) n: u64,
    pub(crate) counts_n: u64,
    /// The measurements, or the reason why the rung does not exist for this operator and type.
    pub(crate) outcome: Result<Climbed, String>,
}

/// The measurements of a rung that exists.
#[derive(Debug)]
pub(crate) struct Climbed {
    pub(crate) spec: Spec,
    pub(crate) counted: Counted,
    pub(crate) time: Option<Time>,
    /// A fault of the result in the interpreter or on the GPU: a bug of this project.
    pub(crate) wrong: Option<String>,
}

impl Climb {
    /// Measures a rung.
    pub(crate) fn row(&mut self, rung: &'static Rung) -> Result<Row, Error> {
        let (n, counts_n) = (rung.length(self.n), rung.length(self.counts_n));
        let row = |outcome| Ok(Row { rung, n, counts_n, outcome });
        let [spec, counted] = [n, counts_n].map(|n| rung.spec(self.op, self.ty, n, self.block));
        let specs = match spec.and_then(|spec| Ok([spec, counted?])) {
            Ok(specs) => specs,
            Err(unfit) => return row(Err(unfit.to_string())),
        };
        match self.climbed(specs, [n, counts_n]) {
            Ok(climbed) => row(Ok(climbed)),
            Err(error) if error.is_usage_error() => row(Err(error.to_string())),
            Err(error) => Err(error),
        }
    }

    /// Returns the published figures of a rung, if the ladder reduces `f32` by `sum`, as all sources did.
    pub(crate) fn published(&self, rung: &Rung) -> &'static [Published] {
        let is_theirs = (self.op.name, self.ty) == ("sum", Scalar::F32);
        if is_theirs { rung.published } else { &[] }
    }

    /// Measures a rung from its specifications for n elements, and for the counted elements.
    fn climbed(&mut self, specs: [Spec; 2], lengths: [u64; 2]) -> Result<Climbed, Error> {
        let ([spec, to_count], [n, counts_n]) = (specs, lengths);
        let counted = Counted::of(&reduce_codegen::compile(&to_count)?, counts_n)?;
        let program = reduce_codegen::compile(&spec)?;
        let timed = self.clock.as_mut().map(|clock| clock.time(&program, n)).transpose()?;
        let (time, wrong) = timed.unzip();
        let wrong = counted.wrong.clone().or(wrong.flatten());
        Ok(Climbed { spec, counted, time, wrong })
    }
}

impl Row {
    /// Returns the times, if there are any.
    pub(crate) fn time(&self) -> Option<&Time> {
        self.outcome.as_ref().ok()?.time.as_ref()
    }

    /// Returns whether the rung reduces the same elements by the same operator as the others.
    pub(crate) fn is_comparable(&self) -> bool {
        match self.rung.twist {
            Twist::None | Twist::AnyOrder => true,
            Twist::OtherOperator | Twist::AnyLength | Twist::StridedAbs => false,
        }
    }
}

/// Returns the speed-up over the rung before, if both reduce the same elements.
pub(crate) fn over_rung_before(rows: &[Row], at: usize) -> Option<f64> {
    let before = at.checked_sub(1).filter(|_| rows[at].rung.number != FIRST)?;
    speed_up(&rows[before], &rows[at])
}

/// Returns the speed-up over the first rung of the seven steps.
pub(crate) fn over_rung_5(rows: &[Row], at: usize) -> Option<f64> {
    speed_up(rows.iter().find(|row| row.rung.number == FIRST)?, &rows[at])
}

/// The first rung of the seven steps, with which the others are compared.
const FIRST: u32 = 5;

fn speed_up(from: &Row, to: &Row) -> Option<f64> {
    let first = |row: &Row| row.time().filter(|_| row.is_comparable()).map(|time| time.first.as_secs_f64());
    Some(first(from)? / first(to)?)
}
