//! A specification on the host and in the interpreter, with elements at any place in memory.
#![allow(dead_code, reason = "no test uses all of it")]

use super::subjects::{bits, missing, params};
use reduce_codegen::lower;
use reduce_interpreter::{Input, Options, Values, run};
use reduce_ir::statements::Lowered;
use reduce_ir::{Spec, Value};
use reduce_lanes::{Lanes, LanesRef};
use reduce_runtime::{Device, Reducer, Strided};

/// A specification, ready to run.
pub(crate) struct Reference {
    pub(crate) spec: Spec,
    /// The reducer of the host. All other devices must have its bits.
    pub(crate) host: Reducer,
    /// The kernels of each of its programs.
    lowered: Vec<Lowered>,
    params: Vec<Value>,
}

/// The layout of the elements of every input in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The number of elements.
    pub(crate) n: usize,
    /// The number of skipped elements, which misalign the first one.
    pub(crate) start: usize,
    /// The distance between elements, negative for descending addresses.
    pub(crate) step: isize,
}

impl Reference {
    pub(crate) fn new(spec: Spec) -> Reference {
        let host = Reducer::new(&spec, &Device::host()).unwrap();
        let lowered = host.programs().variants().iter().map(|program| lower(program).unwrap()).collect();
        let params = params(&spec.operation);
        Reference { spec, host, lowered, params }
    }

    /// Returns the bits on the host.
    pub(crate) fn on_host(&self, memory: &[Lanes], place: Place) -> String {
        let views: Vec<_> = memory.iter().map(|lanes| place.view(lanes.borrow())).collect();
        bits(self.host.reduce_with(&views, &self.params).map(|outcome| outcome.values))
    }

    /// Returns the bits in the interpreter, or `None` for no elements, which devices never reduce.
    pub(crate) fn interpreted(&self, memory: &[Lanes], place: Place) -> Option<String> {
        if place.n == 0 {
            return None;
        }
        let (programs, n) = (self.host.programs(), place.n as u64);
        let (program, lowered) = (programs.for_len(n), &self.lowered[programs.place(n)]);
        let inputs: Vec<_> = memory.iter().map(|lanes| place.input(lanes)).collect();
        let mut domain = Values::new(&program.operation);
        let options = Options::FORWARD.with(&self.params);
        let outcome = run(program, lowered, &mut domain, &inputs, n, options);
        let (None, Some(acc)) = (outcome.reports.first(), outcome.acc()) else {
            return Some(format!("{:?}", outcome.reports));
        };
        let values = domain.finish(acc, n, &self.params).unwrap();
        let result = program.operation.unstored(values);
        Some(result.map_or_else(missing, |values| bits(Ok(values))))
    }
}

impl Place {
    /// Returns the number of elements of memory that the layout needs.
    pub(crate) fn len(&self) -> usize {
        self.start + self.n * self.step.unsigned_abs()
    }

    /// Returns the position of the first element, which is after all others if the step is negative.
    pub(crate) fn first(&self) -> usize {
        let back = if self.step < 0 { self.n.saturating_sub(1) * self.step.unsigned_abs() } else { 0 };
        self.start + back
    }

    fn view<'a>(&self, data: LanesRef<'a>) -> Strided<LanesRef<'a>> {
        Strided { data, offset: self.first(), step: self.step, len: self.n }
    }

    fn input(&self, lanes: &Lanes) -> Input {
        let mut elements = Lanes::empty(lanes.ty());
        elements.extend(lanes.borrow().slice(self.start..lanes.len()));
        let first = (self.first() - self.start) as u64;
        Input { elements, offset: self.start as u64, first, steps: vec![self.step as i64] }
    }
}
