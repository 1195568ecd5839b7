//! Checks that inputs and params are what an operation takes, wherever the inputs lie.

use crate::{Error, Strided};
use reduce_ir::func::Param;
use reduce_ir::operation::Operation;
use reduce_ir::{Domain, Scalar, Value};

/// The number of elements of inputs in data of those types and lengths.
pub(crate) fn check(
    operation: &Operation,
    domain: Domain,
    mut inputs: impl ExactSizeIterator<Item = Strided<(Scalar, usize)>> + Clone,
) -> Result<u64, Error> {
    let (expected, found) = (operation.inputs.len(), inputs.len());
    let all = inputs.clone();
    let Some(first) = inputs.next().filter(|_| expected == found) else {
        return Err(Error::InputCount { expected, found });
    };
    for (param, input) in operation.inputs.iter().zip(all) {
        fits(domain, param, &input)?;
        if input.len != first.len {
            return Err(Error::InputLength {
                first: operation.inputs[0].name.clone(),
                expected: first.len as u64,
                input: param.name.clone(),
                found: input.len as u64,
            });
        }
    }
    Ok(first.len as u64)
}

/// Are there params for those of the operation, of their types?
pub(crate) fn check_params(operation: &Operation, params: &[Value]) -> Result<(), Error> {
    let names = || operation.params.iter().map(|param| param.name.clone()).collect();
    if params.len() != operation.params.len() {
        return Err(Error::ParamCount { names: names(), found: params.len() });
    }
    let mut pairs = operation.params.iter().zip(params);
    match pairs.find(|(param, value)| value.ty() != param.ty) {
        Some((param, value)) => {
            Err(Error::ParamType { param: param.name.clone(), expected: param.ty, found: value.ty() })
        }
        None => Ok(()),
    }
}

/// Has an input the type of its parameter and a step that the domain allows, and does it lie inside its data?
fn fits(domain: Domain, param: &Param, input: &Strided<(Scalar, usize)>) -> Result<(), Error> {
    let (ty, data) = input.data;
    let name = || param.name.clone();
    if ty != param.ty {
        return Err(Error::InputType { input: name(), expected: param.ty, found: ty });
    }
    if !domain.is_strided() && input.step != 1 {
        return Err(Error::NotContiguous { input: name(), step: input.step });
    }
    if input.span().is_none_or(|span| span.end > data) {
        return Err(Error::OutsideData { input: name(), view: input.of(()), data });
    }
    if input.step == 0 && input.len as u64 > Strided::<()>::MOST_REPEATED {
        return Err(Error::TooManyRepeated { input: name(), len: input.len });
    }
    Ok(())
}
