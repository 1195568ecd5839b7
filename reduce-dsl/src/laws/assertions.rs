//! Cases in which an assertion of the functions fails. The call then has no result, so sides that differ break no law.

use super::batch::Batch;
use super::equation::{Equation, Functions, Neutral};
use super::native::{Computed, Native};
use reduce_ir::Value;
use reduce_ir::operation::Operation;

/// The operation whose accumulators say whether an assertion failed, and the field that does; `None` without assertions.
#[derive(Debug)]
pub(super) struct Assertions {
    asserting: Option<(Operation, usize)>,
    /// Whether the accumulators of the operation itself have the field.
    is_own: bool,
}

impl Assertions {
    pub(super) fn of(operation: &Operation) -> Assertions {
        let is_own = operation.asserts;
        // The types of functions are checked, so an error would be a bug.
        let asserting = operation.clone().asserting(None).ok().map(|(operation, _)| operation);
        let with_field = |operation: Operation| operation.failed_field().map(|field| (operation, field));
        Assertions { asserting: asserting.and_then(with_field), is_own }
    }

    /// Returns whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.asserting.is_none()
    }

    /// Returns whether one fails while either side of the equation is computed for a single case.
    pub(super) fn fail(&self, equation: &Equation, case: &Batch) -> bool {
        let Some((operation, field)) = &self.asserting else { return false };
        let functions = Functions::written_out(operation);
        let native = functions.with(Native { len: case.len, traced: false });
        let equation = if self.is_own { equation.clone() } else { flagged(equation) };
        let sides = native.sides(&equation, &case.shape, &case.given(Computed::given));
        sides.iter().any(|side| side.get(*field).is_some_and(|flag| flag.get(0).bits() != 0))
    }
}

/// Returns the equation for accumulators with the flag.
fn flagged(equation: &Equation) -> Equation {
    let passed = |neutral: &Neutral| {
        let values = [neutral.values(), &[Value::of(0u32)]].concat();
        match neutral {
            Neutral::Identity(_) => Neutral::Identity(values),
            Neutral::Fill(_) => Neutral::Fill(values),
        }
    };
    match equation {
        Equation::Left(neutral) => Equation::Left(passed(neutral)),
        Equation::Right(neutral) => Equation::Right(passed(neutral)),
        Equation::Associative | Equation::Commutative | Equation::Fold => equation.clone(),
    }
}
