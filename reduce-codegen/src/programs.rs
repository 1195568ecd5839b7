//! The programs of a specification: one for each range of n.

use crate::auto::{self, Case};
use crate::error::Error;
use crate::lower::lower;
use crate::passes;
use crate::tuning::Tuning;
use reduce_ir::operation::Operation;
use reduce_ir::program::Program;
use reduce_ir::{Domain, Spec};

/// The programs of a specification, by growing n. An explicit list of passes gives one, for every n.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Programs {
    /// The operation as specified. The programs may have narrow positions in its place.
    operation: Operation,
    /// Of which elements.
    domain: Domain,
    /// At least one; of a specification, the last one has no end.
    cases: Vec<Program>,
    /// The same of `auto` without clusters, where there are some.
    unclustered: Vec<Option<Program>>,
}

impl Programs {
    /// The programs of a specification, verified.
    ///
    /// # Errors
    /// A pass that does not apply, or a kernel that does not fit a block.
    pub fn of(spec: &Spec, tuning: Tuning) -> Result<Programs, Error> {
        let compile = |case: &Case| compile(spec, case);
        let (cases, unclustered) = (auto::cases(spec, tuning), auto::cases(spec, tuning.without_clusters()));
        // Tuning changes no range.
        let other = |(case, other): (&Case, &Case)| (case != other).then(|| compile(other)).transpose();
        Ok(Programs {
            operation: spec.operation.clone(),
            domain: spec.domain,
            cases: cases.iter().map(compile).collect::<Result<_, _>>()?,
            unclustered: cases.iter().zip(&unclustered).map(other).collect::<Result<_, _>>()?,
        })
    }

    /// What is computed, by every program.
    pub fn operation(&self) -> &Operation {
        &self.operation
    }

    /// Of which elements, by every program.
    pub fn domain(&self) -> Domain {
        self.domain
    }

    /// The most elements that there is a program for, if there is an end.
    pub fn up_to(&self) -> Option<u64> {
        self.cases.last().and_then(|program| program.up_to)
    }

    /// The program for n elements, of which there are not more than [`Programs::up_to`].
    pub fn of_n(&self, n: u64) -> &Program {
        &self.cases[self.place(n)]
    }

    /// Which of the [cases](Programs::cases) n elements are.
    pub fn place(&self, n: u64) -> usize {
        place(&self.cases, |program| program.up_to, n)
    }

    /// What takes the place of a case with clusters, where a GPU cannot make them: it gives the same bits.
    pub fn unclustered(&self, place: usize) -> Option<&Program> {
        self.unclustered[place].as_ref()
    }

    /// All programs, by growing [`Program::up_to`].
    pub fn cases(&self) -> &[Program] {
        &self.cases
    }
}

/// A program by itself, for as many elements as it is for.
impl From<Program> for Programs {
    fn from(program: Program) -> Programs {
        Programs {
            operation: program.operation.clone(),
            domain: program.domain,
            cases: vec![program],
            unclustered: vec![None],
        }
    }
}

/// The case of n elements.
pub(crate) fn case_of(spec: &Spec, tuning: Tuning, n: u64) -> Case {
    let mut cases = auto::cases(spec, tuning);
    cases.swap_remove(place(&cases, |case| case.up_to, n))
}

/// Which of the cases n elements are: the last one has no end.
fn place<T>(cases: &[T], up_to: impl Fn(&T) -> Option<u64>, n: u64) -> usize {
    cases.partition_point(|case| up_to(case).is_some_and(|most| most < n)).min(cases.len() - 1)
}

/// The program of a case, after all its passes.
pub(crate) fn compile(spec: &Spec, case: &Case) -> Result<Program, Error> {
    case.passes.iter().try_fold(naive(spec, case)?, |program, &pass| passes::apply(program, pass))
}

/// The program of a case, before its passes.
pub(crate) fn naive(spec: &Spec, case: &Case) -> Result<Program, Error> {
    Ok(Program { domain: spec.domain, up_to: case.up_to, ..lower(&spec.operation, case.block)? })
}
