//! Which elements of a batch the data can hold.

use super::batch::{Batch, Element};
use crate::eval::Evaluator;
use crate::func::Func;
use crate::lanes::{Lanes, LanesRef};
use crate::operation::{Argument, Operation};
use crate::{Scalar, Value};
use std::cell::RefCell;

/// The condition that elements satisfy.
#[derive(Debug)]
pub(super) struct Kept {
    arguments: Vec<Argument>,
    keep: RefCell<Evaluator>,
}

impl Kept {
    /// Takes a function of the inputs of `operation` that may also name the position and params.
    pub(super) fn new(operation: &Operation, keep: &Func) -> Kept {
        let arguments = operation.arguments(keep, 0, operation.inputs.len());
        Kept { arguments, keep: RefCell::new(Evaluator::new(keep)) }
    }

    /// Returns, for each case, whether the element satisfies the condition.
    pub(super) fn of(&self, element: &Element, params: &[Lanes], len: usize) -> Vec<bool> {
        let argument = |k: usize| match self.arguments[k] {
            Argument::Input(input) => element.inputs[input].borrow(),
            Argument::Param(param) => params[param].borrow(),
            Argument::Index => element.position.borrow(),
            Argument::Acc(_) | Argument::Step | Argument::Count => LanesRef::Bool(&[]),
        };
        let mut kept = [Lanes::empty(Scalar::Bool)];
        match self.keep.borrow_mut().run_into(argument, len, &mut kept) {
            Ok(()) => (0..len).map(|lane| kept[0].get(lane) == Value::of(true)).collect(),
            Err(_) => vec![false; len],
        }
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
