//! An operation that is compiled for the host.

use super::error::HostError;
use super::finish::Finish;
use super::functions::CompiledFunctions;
use super::isa::Isa;
use super::pass::Pass;
use super::pool::Pool;
use super::schedule;
use super::search::{self, Searched};
use super::source::Source;
use crate::inputs;
use crate::strided::Strided;
use reduce_ir::operation::Operation;
use reduce_ir::program::Association;
use reduce_ir::{Domain, Value};
use reduce_lanes::eval::Evaluator;
use reduce_lanes::{Lanes, LanesRef};

/// An operation that is compiled for the host, and the memory that its calls use again. Threads may share it.
#[derive(Debug)]
pub struct Plan {
    pub(super) operation: Operation,
    pub(super) elements: Pass,
    pub(super) partials: Pass,
    pub(super) searches: Vec<Searched>,
    finish: Pool<Evaluator>,
    pub(super) finish_groups: Finish,
    /// Elements of groups that do not lie as the loops read them.
    pub(super) collected: Pool<Vec<Lanes>>,
}

impl Plan {
    /// A plan for the best instruction set of this processor.
    ///
    /// # Errors
    /// The functions of the operation do not fit together.
    pub fn new(operation: &Operation) -> Result<Plan, HostError> {
        Plan::at(Isa::best(), operation)
    }

    /// A plan for an instruction set; all give the same bits.
    ///
    /// # Errors
    /// The functions of the operation do not fit together.
    pub fn at(isa: Isa, operation: &Operation) -> Result<Plan, HostError> {
        let types = |source| HostError::Types { operator: operation.name.clone(), source };
        let elements = CompiledFunctions::elements(isa.loops, operation).map_err(types)?;
        let partials = (&operation.acc, &operation.combine);
        let partials = CompiledFunctions::partials(isa.loops, partials).map_err(types)?;
        Ok(Plan {
            elements: Pass::new(isa, elements),
            partials: Pass::new(isa, partials),
            searches: search::of(isa, operation).map_err(types)?,
            finish: Pool::of(Evaluator::new(&operation.finish)),
            finish_groups: Finish::new(isa, operation),
            collected: Pool::of(operation.inputs.iter().map(|input| Lanes::empty(input.ty)).collect()),
            operation: operation.clone(),
        })
    }

    /// Reduces `inputs` as `association` says. Returns one value for each field of the output. The inputs have the types of the
    /// operation and one length, and lie in their data; the params have the types of the operation.
    ///
    /// # Errors
    /// No elements and no identity; inputs or params that differ from the above.
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
        if source.len() == 0 {
            return super::empty_result(&self.operation, params);
        }
        let acc = self.accumulate(association, &source)?;
        let args = self.operation.finish_values(&acc, source.len() as u64, params);
        Ok(self.finish.with(|finish| finish.run_once(&args))?)
    }

    pub(super) fn takes(&self, inputs: &[Strided<LanesRef<'_>>], params: &[Value]) -> bool {
        let shapes = inputs.iter().map(|it| it.with_data((it.data.ty(), it.data.len())));
        inputs::check(&self.operation, Domain::STRIDED, shapes).is_ok()
            && inputs::check_values(&self.operation.params, params).is_ok()
    }

    /// The accumulator of at least one element.
    pub(super) fn accumulate(
        &self,
        association: &Association,
        source: &Source<'_>,
    ) -> Result<Vec<Value>, HostError> {
        let items = if self.searches.is_empty() {
            self.elements.run(source, &association.first)?
        } else {
            let ranges = search::ranges(&self.searches, source)?;
            self.elements.run_on(source, &schedule::wide(source.len()), ranges)?
        };
        let one = self.partials.until_one(&association.again, items)?;
        Ok(one.iter().map(|field| field.get(0)).collect())
    }
}

/// The accumulator of no elements.
pub(super) fn empty_accumulator(operation: &Operation) -> Result<Vec<Value>, HostError> {
    operation.identity.clone().ok_or_else(|| HostError::Empty { operator: operation.name.clone() })
}
