//! The condition that restricts the elements of a batch to those that the data can hold.

use super::batch::{Batch, Element};
use super::column::Column;
use reduce_ir::Value;
use reduce_ir::func::Func;
use reduce_ir::operation::{Argument, Operation};

/// A condition on elements.
#[derive(Debug)]
pub(super) struct Condition {
    arguments: Vec<Argument>,
    keep: Func,
}

impl Condition {
    /// Takes a function of the inputs of `operation` that may also name the position and params.
    pub(super) fn new(operation: &Operation, keep: &Func) -> Condition {
        let arguments = operation.arguments(keep, 0, operation.inputs.len());
        Condition { arguments, keep: keep.clone() }
    }

    /// Returns, for each case, whether the element satisfies the condition.
    pub(super) fn of(&self, element: &Element, params: &[Column], len: usize) -> Vec<bool> {
        let given = |argument: &Argument, case: usize| match *argument {
            Argument::Input(input) => element.inputs[input].get(case),
            Argument::Param(param) => params[param].get(case),
            Argument::Index | Argument::Group => element.position.get(case),
            // A condition has no accumulator, step or count.
            Argument::Acc(_) | Argument::Step | Argument::Count => Value::of(false),
        };
        let keeps = |case: usize| {
            let args: Vec<_> = self.arguments.iter().map(|argument| given(argument, case)).collect();
            self.keep.evaluate(&args).is_ok_and(|kept| kept == [Value::of(true)])
        };
        (0..len).map(keeps).collect()
    }

    /// Returns the cases in which every element satisfies the condition.
    pub(super) fn only(&self, batch: Batch) -> Batch {
        let mut all = vec![true; batch.len];
        for element in &batch.elements {
            let kept = self.of(element, &batch.params, batch.len);
            all.iter_mut().zip(kept).for_each(|(all, kept)| *all &= kept);
        }
        let cases: Vec<_> = (0..batch.len).filter(|&case| all[case]).collect();
        if cases.len() == batch.len { batch } else { batch.only(&cases) }
    }
}
