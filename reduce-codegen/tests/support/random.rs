//! Random specifications, the same for the same seed.

pub(crate) use super::splitmix::Random;

use super::operations::{self, Subject};
use reduce_codegen::schedule::naive;
use reduce_codegen::{
    Error,
    passes::{PASSES, apply},
};
use reduce_dsl::operators::{OPERATORS, Operator};
use reduce_ir::func::Param;
use reduce_ir::operation::{Operation, Order};
use reduce_ir::pass::Pass;
use reduce_ir::program::Program;
use reduce_ir::spec::{Listed, Passes};
use reduce_ir::{Domain, Scalar, Spec};
use std::fmt;

/// An operation, and passes that may include refused ones.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) subject: Subject,
    pub(crate) domain: Domain,
    /// The operator, if the operation has a name.
    pub(crate) operator: Option<&'static Operator>,
    pub(crate) block: u32,
    pub(crate) passes: Vec<Pass>,
}

/// The programs of a case, and the refusals on the way.
pub(crate) struct Made {
    pub(crate) programs: Vec<Program>,
    pub(crate) refused: Vec<Error>,
}

impl Case {
    pub(crate) fn new(random: &mut Random) -> Case {
        let (mut subject, operator) = if random.below(3) == 0 { unnamed(random) } else { named(random) };
        subject.operation.order = random.pick(&[Order::Fixed, Order::Any]);
        let domain = if random.below(6) > 0 { Domain::WHOLE } else { Domain::STRIDED };
        let block = random.pick(&[32, 64, 128, 256, 512, 1024]);
        let words = random.below(6);
        Case { subject, domain, operator, block, passes: (0..words).map(|_| pass(random)).collect() }
    }

    /// Returns the naive program and the program after each pass. A pass that is refused is left out.
    pub(crate) fn programs(&self) -> Result<Made, Error> {
        let mut made = Made {
            programs: vec![Program { domain: self.domain, ..naive(&self.subject.operation, self.block)? }],
            refused: Vec::new(),
        };
        for &pass in &self.passes {
            match apply(made.programs[made.programs.len() - 1].clone(), pass) {
                Ok(program) => made.programs.push(program),
                // The accumulators of all threads may not fit into the shared memory of a block.
                Err(refused @ (Error::Refused { .. } | Error::SharedMemory { .. })) => {
                    made.refused.push(refused)
                }
                Err(bug) => return Err(bug),
            }
        }
        Ok(made)
    }

    /// Returns the specification with the passes that are not refused.
    pub(crate) fn spec(&self) -> Spec {
        let made = self.programs().unwrap();
        let passes = made.programs[made.programs.len() - 1].passes.clone();
        let (operation, block) = (self.subject.operation.clone(), Some(self.block));
        Spec {
            operation,
            domain: self.domain,
            axes: None,
            defaults: Vec::new(),
            text: self.to_string(),
            block,
            passes: Passes::List(passes),
        }
    }
}

/// Picks a row of the operator table. Named operators commute; some cases declare that they do not.
fn named(random: &mut Random) -> (Subject, Option<&'static Operator>) {
    let all: Vec<_> = OPERATORS.iter().flat_map(|row| Scalar::ALL.map(|ty| (row, ty))).collect();
    let legal: Vec<_> = all.into_iter().filter(|(row, ty)| row.takes(*ty)).collect();
    let (operator, ty) = random.pick(&legal);
    let inputs: Vec<_> = ["x", "y"][..operator.inputs].iter().map(|&name| Param::new(name, ty)).collect();
    let mut operation = operator.apply(&inputs, None).unwrap();
    operation.commutative &= random.below(8) > 0;
    (Subject { operation, params: Vec::new(), plain: None }, Some(operator))
}

/// Picks an operation that only closures can express.
fn unnamed(random: &mut Random) -> (Subject, Option<&'static Operator>) {
    let mut all: Vec<_> = operations::ordered().into_iter().chain(operations::folded()).collect();
    let which = random.below(all.len() as u64) as usize;
    (all.swap_remove(which), None)
}

/// Picks any pass, with an argument that it allows.
pub(crate) fn pass(random: &mut Random) -> Pass {
    let word = random.pick(&PASSES);
    let arguments: Vec<u64> = match word.argument() {
        None => (0..word.words().len().max(1) as u64).collect(),
        Some(rule) => {
            let few = [1, 2, 3, 4, 5, 7, 8, 13, 16, 64, 1024, 65536];
            few.into_iter().filter(|&it| (rule.allowed)(it)).collect()
        }
    };
    word.with(random.pick(&arguments)).unwrap()
}

/// Prints the case as a specification.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Operation { name, inputs, order, commutative, .. } = &self.subject.operation;
        let (ty, layout) = (inputs[0].ty, self.domain.access);
        write!(f, "op: {name}, ty: {ty}, order: {order}, layout: {layout}, block: {}, ", self.block)?;
        write!(f, "passes: {}", Listed(&self.passes))?;
        if *commutative { Ok(()) } else { f.write_str(", in order") }
    }
}
