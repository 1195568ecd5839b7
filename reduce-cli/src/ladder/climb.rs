//! What is found out about a rung.

use crate::counted::Counted;
use crate::timed::{Clock, Time};
use reduce_dsl::ladder::{Published, Rung, Twist};
use reduce_dsl::operators::Operator;
use reduce_ir::{Scalar, Spec};
use reduce_runtime::Error;

/// How the ladder is climbed.
#[derive(Debug)]
pub(crate) struct Climb {
    pub(crate) op: &'static Operator,
    pub(crate) ty: Scalar,
    /// Threads of a block, where a rung does not say.
    pub(crate) block: u32,
    /// Elements, and those that are counted.
    pub(crate) n: u64,
    pub(crate) counts_n: u64,
    /// Takes times, if there is a GPU.
    pub(crate) clock: Option<Clock>,
}

/// A rung, and what was found out about it.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) rung: &'static Rung,
    /// Its elements, and those that were counted.
    pub(crate) n: u64,
    pub(crate) counts_n: u64,
    /// What there is, or why the rung does not exist for this operator and type.
    pub(crate) outcome: Result<Climbed, String>,
}

/// A rung that exists.
#[derive(Debug)]
pub(crate) struct Climbed {
    pub(crate) spec: Spec,
    pub(crate) counted: Counted,
    pub(crate) time: Option<Time>,
    /// What is wrong with the result in the interpreter or on the GPU: a bug of this project.
    pub(crate) wrong: Option<String>,
}

impl Climb {
    /// Finds out about a rung.
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
            Err(error) if error.is_users_fault() => row(Err(error.to_string())),
            Err(error) => Err(error),
        }
    }

    /// The figures of the sources, which all reduced as the ladder does where nothing else is said.
    pub(crate) fn published(&self, rung: &Rung) -> &'static [Published] {
        let is_theirs = (self.op.name, self.ty) == ("sum", Scalar::F32);
        if is_theirs { rung.published } else { &[] }
    }

    /// What there is of a rung: its specification for n elements, and for those that are counted.
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
    /// The times, if there are any.
    pub(crate) fn time(&self) -> Option<&Time> {
        self.outcome.as_ref().ok()?.time.as_ref()
    }

    /// Does it reduce what the other rungs reduce?
    pub(crate) fn is_comparable(&self) -> bool {
        match self.rung.twist {
            Twist::None | Twist::AnyOrder => true,
            Twist::OtherOperator | Twist::AnyLength | Twist::StridedAbs => false,
        }
    }
}

/// The speed-up over the rung before, where both reduce the same.
pub(crate) fn over_rung_before(rows: &[Row], at: usize) -> Option<f64> {
    let before = at.checked_sub(1).filter(|_| rows[at].rung.number != FIRST)?;
    speed_up(&rows[before], &rows[at])
}

/// The speed-up over the first rung of the seven steps.
pub(crate) fn over_rung_5(rows: &[Row], at: usize) -> Option<f64> {
    speed_up(rows.iter().find(|row| row.rung.number == FIRST)?, &rows[at])
}

/// The rung that the seven steps begin with, and that others are compared with.
const FIRST: u32 = 5;

fn speed_up(from: &Row, to: &Row) -> Option<f64> {
    let first = |row: &Row| row.time().filter(|_| row.is_comparable()).map(|time| time.first.as_secs_f64());
    Some(first(from)? / first(to)?)
}
