//! Generated elements for a reduction, the same at the same position, and params.

use reduce_interpreter::Input;
use reduce_ir::operation::Operation;
use reduce_ir::{Domain, Value};
use reduce_lanes::{Lanes, LanesRef};
pub(crate) use reduce_report::elements::{lanes, params};
use reduce_runtime::Strided;

/// The inputs of a reduction.
#[derive(Debug)]
pub(crate) struct Elements {
    /// The params.
    pub(crate) params: Vec<Value>,
    lanes: Vec<Lanes>,
    n: u64,
    step: u64,
}

impl Elements {
    /// Generates n elements of each input, `step` apart if the input is strided.
    pub(crate) fn new(operation: &Operation, domain: Domain, n: u64, step: u64) -> Elements {
        let step = if domain.steps() > 0 { step } else { 1 };
        let len = n.saturating_sub(1) * step + n.min(1);
        let lanes = lanes(operation, std::iter::repeat(len));
        Elements { params: params(operation), lanes, n, step }
    }

    /// Returns the inputs for the interpreter.
    pub(crate) fn inputs(&self) -> Vec<Input> {
        let input = |lanes: &Lanes| Input {
            elements: lanes.clone(),
            offset: 0,
            first: 0,
            steps: vec![self.step as i64],
        };
        self.lanes.iter().map(input).collect()
    }

    /// Returns the inputs for devices.
    pub(crate) fn views(&self) -> Vec<Strided<LanesRef<'_>>> {
        let (len, step) = (self.n as usize, self.step as isize);
        self.lanes.iter().map(|lanes| Strided { data: lanes.borrow(), offset: 0, step, len }).collect()
    }
}
