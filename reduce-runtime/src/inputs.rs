//! Checks inputs and params against an operation, for inputs on the host and on devices.

use crate::{Error, Strided};
use reduce_ir::func::Param;
use reduce_ir::operation::Operation;
use reduce_ir::{Domain, Scalar, Value};

/// Checks the inputs, given the type and length of the data of each, and returns their number of elements.
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
        check_input(domain, param, &input)?;
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

/// Checks the number and the types of the params that a call gives.
pub(crate) fn check_params(operation: &Operation, params: &[Value]) -> Result<(), Error> {
    check_values(operation.given_params(), params)
}

/// Checks the number and the types of values for params.
pub(crate) fn check_values(expected: &[Param], params: &[Value]) -> Result<(), Error> {
    let names = || expected.iter().map(|param| param.name.clone()).collect();
    if params.len() != expected.len() {
        return Err(Error::ParamCount { names: names(), found: params.len() });
    }
    let mut pairs = expected.iter().zip(params);
    match pairs.find(|(param, value)| value.ty() != param.ty) {
        Some((param, value)) => {
            Err(Error::ParamType { param: param.name.clone(), expected: param.ty, found: value.ty() })
        }
        None => Ok(()),
    }
}

/// Checks that an input has the type of its parameter.
pub(crate) fn check_type(param: &Param, ty: Scalar) -> Result<(), Error> {
    if ty == param.ty {
        return Ok(());
    }
    Err(Error::InputType { input: param.name.clone(), expected: param.ty, found: ty })
}

/// Checks that an input has the type of its parameter and a step that the domain allows, and lies inside its data.
pub(crate) fn check_input(
    domain: Domain,
    param: &Param,
    input: &Strided<(Scalar, usize)>,
) -> Result<(), Error> {
    let (ty, data) = input.data;
    let name = || param.name.clone();
    check_type(param, ty)?;
    if domain != Domain::STRIDED && input.step != 1 {
        return Err(Error::NotContiguous { input: name(), step: input.step });
    }
    if input.span().is_none_or(|span| span.end > data) {
        return Err(Error::OutsideData { input: name(), view: input.with_data(()), data });
    }
    if input.step == 0 && input.len as u64 > Strided::<()>::MOST_REPEATED {
        return Err(Error::TooManyRepeated { input: name(), len: input.len });
    }
    Ok(())
}
