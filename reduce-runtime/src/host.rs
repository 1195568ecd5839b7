//! The host backend: evaluates the association of a program, or one that cannot be told from it, on all cores, with the
//! bits of every device.
//!
//! A pass takes items through the levels of one kernel; passes repeat until one item is left. Accumulators
//! are kept as one vector of lanes for each field, so that one operation is one loop over contiguous lanes.

mod isa;
mod pass;
mod pool;
mod search;
mod source;
mod stage;
mod start;
mod threads;
mod trial;
mod worker;

pub use isa::Isa;

use crate::{Error, Strided, inputs};
use pool::Pool;
use reduce_ir::operation::Operation;
use reduce_ir::ops::TypeError;
use reduce_ir::program::Association;
use reduce_ir::{Domain, Value};
use reduce_lanes::eval::Evaluator;
use reduce_lanes::{LaneError, LanesRef};
use search::Searched;
use source::Source;
use stage::Stage;

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// The input is empty and the operator has no identity.
    #[error("`{operator}` of no elements has no value; give it at least one element")]
    Empty {
        /// The operator.
        operator: String,
    },
    /// The functions of the operation do not fit together: a bug of this project.
    #[error("bug: the functions of `{operator}` do not fit together: {source}")]
    Types {
        /// The operator.
        operator: String,
        /// Where they differ.
        source: TypeError,
    },
    /// Inputs or params of another number or type than the operation takes, or inputs that differ in length or go on where
    /// their data has ended: a bug of the caller.
    #[error("bug: `{operator}` was given inputs or params that it does not take")]
    Given {
        /// The operator.
        operator: String,
    },
    /// An operation met lanes of a wrong type: a bug of this project.
    #[error(transparent)]
    Lanes(#[from] LaneError),
    /// The levels over partials leave as many as there were: a bug of this project.
    #[error("bug: the association leaves {items} items as they are")]
    Stuck {
        /// How many.
        items: usize,
    },
}

impl From<HostError> for Error {
    fn from(error: HostError) -> Error {
        match error {
            HostError::Empty { operator } => Error::Empty { operator },
            HostError::Types { .. }
            | HostError::Given { .. }
            | HostError::Lanes(_)
            | HostError::Stuck { .. } => Error::Host(error),
        }
    }
}

/// An operation, ready to run on the host any number of times: its functions, and for each core that it ever ran on at once
/// the memory that they take. Threads may share it.
#[derive(Debug)]
pub struct Plan {
    operation: Operation,
    elements: Stage,
    partials: Stage,
    searches: Vec<Searched>,
    finish: Pool<Evaluator>,
}

impl Plan {
    /// For the best instructions that this processor has.
    ///
    /// # Errors
    /// The functions of the operation do not fit together.
    pub fn new(operation: &Operation) -> Result<Plan, HostError> {
        Plan::at(Isa::best(), operation)
    }

    /// For those instructions, which give the bits of all others.
    ///
    /// # Errors
    /// The functions of the operation do not fit together.
    pub fn at(isa: Isa, operation: &Operation) -> Result<Plan, HostError> {
        let types = |source| HostError::Types { operator: operation.name.clone(), source };
        Ok(Plan {
            elements: Stage::elements(isa, operation).map_err(types)?,
            partials: Stage::partials(isa, (&operation.acc, &operation.combine)).map_err(types)?,
            searches: search::of(isa, operation).map_err(types)?,
            finish: Pool::of(Evaluator::new(&operation.finish)),
            operation: operation.clone(),
        })
    }

    /// The result over `inputs`, one value for each field of the output, combined as `association` says. The inputs have
    /// the types that the operation names, and one length, and lie in their data; the params have the types that it names.
    ///
    /// # Errors
    /// No elements and no identity; what is not as said above.
    pub fn reduce<'a>(
        &self,
        association: &Association,
        inputs: &[impl Copy + Into<Strided<LanesRef<'a>>>],
        params: &[Value],
    ) -> Result<Vec<Value>, HostError> {
        let inputs: Vec<_> = inputs.iter().map(|&input| input.into()).collect();
        if !self.takes(&inputs, params) {
            return Err(HostError::Given { operator: self.operation.name.clone() });
        }
        let source = Source::elements(inputs, params);
        let acc =
            if source.len() > 0 { self.accumulate(association, &source)? } else { nothing(&self.operation)? };
        let args = self.operation.finish_values(&acc, source.len() as u64, params);
        Ok(self.finish.with(|finish| finish.run_once(&args))?)
    }

    fn takes(&self, inputs: &[Strided<LanesRef<'_>>], params: &[Value]) -> bool {
        let shapes = inputs.iter().map(|it| it.of((it.data.ty(), it.data.len())));
        inputs::check(&self.operation, Domain::STRIDED, shapes).is_ok()
            && inputs::check_params(&self.operation, params).is_ok()
    }

    /// The accumulator of at least one element.
    fn accumulate(&self, association: &Association, source: &Source<'_>) -> Result<Vec<Value>, HostError> {
        let items = if self.searches.is_empty() {
            pass::run(&self.elements, source, &association.first)?
        } else {
            let ranges = search::ranges(&self.searches, source)?;
            pass::run_on(&self.elements, source, &pass::wide(source.len()), ranges)?
        };
        let one = pass::until_one(&self.partials, &association.again, items)?;
        Ok(one.iter().map(|field| field.get(0)).collect())
    }
}

/// The accumulator of no elements.
fn nothing(operation: &Operation) -> Result<Vec<Value>, HostError> {
    operation.identity.clone().ok_or_else(|| HostError::Empty { operator: operation.name.clone() })
}

/// The result of no elements.
///
/// # Errors
/// There is none.
pub fn reduce_nothing(operation: &Operation, params: &[Value]) -> Result<Vec<Value>, HostError> {
    Ok(operation.finished(&nothing(operation)?, 0, params)?)
}

/// The result of an `operation` without params, of which no [`Plan`] is kept.
///
/// # Errors
/// As [`Plan::reduce`].
pub fn reduce<'a>(
    operation: &Operation,
    association: &Association,
    inputs: &[impl Copy + Into<Strided<LanesRef<'a>>>],
) -> Result<Vec<Value>, HostError> {
    reduce_with(operation, association, inputs, &[])
}

/// The same with values for the params.
///
/// # Errors
/// As [`Plan::reduce`].
pub fn reduce_with<'a>(
    operation: &Operation,
    association: &Association,
    inputs: &[impl Copy + Into<Strided<LanesRef<'a>>>],
    params: &[Value],
) -> Result<Vec<Value>, HostError> {
    Plan::new(operation)?.reduce(association, inputs, params)
}
