//! What an operator is asked for.

use super::{Nan, OperatorError, Ties};
use reduce_ir::Scalar;
use reduce_ir::func::{Func, Param};
use reduce_ir::operation::is_identifier;

/// What an operator is applied to, and how.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The inputs.
    pub inputs: &'a [Param],
    /// Inputs as they are computed with ([`Scalar::compute`]), and by name the position and params that it uses → one
    /// scalar, which is reduced.
    pub map: Option<&'a Func>,
    /// The scalar that the accumulator is made of, where it is not the operator's choice.
    pub acc: Option<Scalar>,
    /// What becomes of NaN.
    pub nan: Nan,
    /// Can elements be absent although none of them is NaN? So it is beside a `filter`.
    pub filtered: bool,
    /// Which of equal elements wins, if that is said.
    pub ties: Option<Ties>,
    /// Scalars that are given at the call. The operator takes those that it has a name for.
    pub params: &'a [Param],
    /// The name of the position.
    pub index: &'a str,
}

impl<'a> Request<'a> {
    /// Those inputs, and everything else as it is if nothing is said.
    pub fn new(inputs: &'a [Param]) -> Request<'a> {
        let (nan, ties) = (Nan::default(), None);
        Request { inputs, map: None, acc: None, nan, filtered: false, ties, params: &[], index: "index" }
    }

    /// Can elements of that type be absent?
    pub(super) fn has_absent(&self, element: Scalar) -> bool {
        self.filtered || self.nan == Nan::Ignore && element.is_float()
    }

    /// Checks that emitted text can print what inputs, params and the position are called.
    pub(super) fn check_names(&self) -> Result<(), OperatorError> {
        let params = self.inputs.iter().chain(self.params).map(|param| param.name.as_str());
        match params.chain([self.index]).find(|name| !is_identifier(name)) {
            Some(name) => Err(OperatorError::Name { name: name.to_owned() }),
            None => Ok(()),
        }
    }
}
