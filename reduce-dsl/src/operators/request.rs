//! The request for an operator.

use super::{Nan, OperatorError, Ties};
use reduce_ir::Scalar;
use reduce_ir::func::{Func, Param};
use reduce_ir::operation::is_identifier;

/// The inputs of an operator and the choices of the user.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The inputs.
    pub inputs: &'a [Param],
    /// The function before the reduction: inputs in their compute type ([`Scalar::compute`]) and, by name, the
    /// position and params that it uses → one scalar.
    pub map: Option<&'a Func>,
    /// The scalar type of the accumulator, if the user chose it.
    pub acc: Option<Scalar>,
    /// The treatment of NaN.
    pub nan: Nan,
    /// Whether elements can be absent without being NaN, because of a `filter`.
    pub filtered: bool,
    /// The rule for equal elements, if the user chose it.
    pub ties: Option<Ties>,
    /// The params of the specification. The operator takes those whose names it declares.
    pub params: &'a [Param],
    /// The name of the position.
    pub index: &'a str,
}

impl<'a> Request<'a> {
    /// Returns a request for those inputs with the defaults for all other choices.
    pub fn new(inputs: &'a [Param]) -> Request<'a> {
        let (nan, ties) = (Nan::default(), None);
        Request { inputs, map: None, acc: None, nan, filtered: false, ties, params: &[], index: "index" }
    }

    /// Returns whether elements of that type can be absent.
    pub(super) fn has_absent(&self, element: Scalar) -> bool {
        self.filtered || self.nan == Nan::Ignore && element.is_float()
    }

    /// Checks that the names of inputs, params and the position are identifiers, which emitted text can print.
    pub(super) fn check_names(&self) -> Result<(), OperatorError> {
        let params = self.inputs.iter().chain(self.params).map(|param| param.name.as_str());
        match params.chain([self.index]).find(|name| !is_identifier(name)) {
            Some(name) => Err(OperatorError::Name { name: name.to_owned() }),
            None => Ok(()),
        }
    }
}
