//! Checks that inputs are what an operation takes, wherever they lie.

use crate::Error;
use reduce_dsl::Scalar;
use reduce_dsl::operation::Operation;

/// The number of elements of inputs with those types and lengths.
pub(crate) fn check(operation: &Operation, inputs: &[(Scalar, usize)]) -> Result<u64, Error> {
    let (expected, found) = (operation.inputs.len(), inputs.len());
    let Some(&(_, first)) = inputs.first().filter(|_| expected == found) else {
        return Err(Error::InputCount { expected, found });
    };
    for (input, &(ty, len)) in operation.inputs.iter().zip(inputs) {
        let name = input.name.clone();
        if ty != input.ty {
            return Err(Error::InputType { input: name, expected: input.ty, found: ty });
        }
        if len != first {
            let (first_name, expected) = (operation.inputs[0].name.clone(), first as u64);
            return Err(Error::InputLength { first: first_name, expected, input: name, found: len as u64 });
        }
    }
    Ok(first as u64)
}
