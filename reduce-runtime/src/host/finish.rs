//! `finish` of many groups at once: one vector of lanes for each field.

use super::isa::Isa;
use super::pool::Pool;
use super::source::is_uniform;
use reduce_ir::Value;
use reduce_ir::operation::{Argument, Operation};
use reduce_lanes::eval::Evaluator;
use reduce_lanes::{LaneError, Lanes, SHARED};

/// `finish`, compiled.
#[derive(Debug)]
pub(super) struct Finish {
    arguments: Vec<Argument>,
    evaluators: Pool<Evaluator>,
    /// The stored fields of no groups.
    none: Vec<Lanes>,
}

/// The values of a call that all groups share, for each argument of `finish`.
pub(super) struct Shared(Vec<Option<Lanes>>);

impl Finish {
    /// The `finish` of an operation.
    pub(super) fn new(isa: Isa, operation: &Operation) -> Finish {
        let arguments = operation.finish_arguments();
        let uniform: Vec<_> = arguments.iter().map(is_shared).collect();
        Finish {
            evaluators: Pool::of(Evaluator::with(&operation.finish, &uniform, isa.loops)),
            none: operation.finish.result_types().into_iter().map(Lanes::empty).collect(),
            arguments,
        }
    }

    /// Whether it uses the number of elements.
    pub(super) fn counts(&self) -> bool {
        self.arguments.contains(&Argument::Count)
    }

    /// The values of groups of `n` elements, with those params.
    pub(super) fn shared(&self, n: u64, params: &[Value]) -> Shared {
        let value = |argument: &Argument| match *argument {
            Argument::Count => Some(Value::of(n)),
            Argument::Param(param) => params.get(param).copied(),
            Argument::Acc(_) | Argument::Input(_) | Argument::Index | Argument::Group | Argument::Step => {
                None
            }
        };
        let block = |value: Value| Lanes::splat(value, SHARED);
        Shared(self.arguments.iter().map(|argument| value(argument).map(block)).collect())
    }

    /// The stored fields of no groups, with room for `groups`.
    pub(super) fn room(&self, groups: usize) -> Vec<Lanes> {
        let mut fields = self.none.clone();
        fields.iter_mut().for_each(|field| field.reserve(groups));
        fields
    }

    /// Appends the stored fields of accumulators, one vector of lanes for each of their fields.
    pub(super) fn append(&self, accs: &[Lanes], shared: &Shared, out: &mut [Lanes]) -> Result<(), LaneError> {
        let len = accs.first().map_or(0, Lanes::len);
        let arg = |k: usize| match (&shared.0[k], self.arguments[k]) {
            (Some(value), _) => value.borrow(),
            (None, Argument::Acc(field)) => accs[field].borrow(),
            (None, _) => reduce_lanes::LanesRef::Bool(&[]),
        };
        let mut finished = self.none.clone();
        self.evaluators.with(|finish| finish.run_into(arg, len, &mut finished))?;
        out.iter_mut().zip(&finished).for_each(|(out, field)| out.extend(field.borrow()));
        Ok(())
    }
}

/// Whether an argument has one value for all groups.
fn is_shared(argument: &Argument) -> bool {
    is_uniform(argument) || *argument == Argument::Count
}
