//! Values for params, by name.

use super::Spec;
use crate::Value;
use crate::func::Param;

/// The reason why named values are not the params of a specification.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParamError {
    /// The specification has no param of that name.
    #[error("there is no param `{name}`; {}", known_text(known))]
    Unknown {
        /// The name.
        name: String,
        /// The params of the specification.
        known: Vec<String>,
    },
    /// A name is given twice.
    #[error("the param `{name}` is given twice; leave one out")]
    Twice {
        /// The name.
        name: String,
    },
    /// A param without default has no value.
    #[error(
        "the param `{name}` has no value; give it, or write its default in the specification: `{name}: {ty} = {example}`"
    )]
    Missing {
        /// The param.
        name: String,
        /// Its type.
        ty: crate::Scalar,
        /// A value of that type.
        example: Value,
    },
}

fn known_text(known: &[String]) -> String {
    if known.is_empty() {
        "the specification has none".to_owned()
    } else {
        format!("the params are {}", known.join(", "))
    }
}

impl Spec {
    /// Returns the values of all params in their order, from values by name. A param that is not given has its default.
    /// The types are checked at the call.
    ///
    /// # Errors
    /// A name is unknown or given twice, or a param without default is not given.
    pub fn params(&self, given: &[(&str, Value)]) -> Result<Vec<Value>, ParamError> {
        let params = self.operation.given_params();
        for (at, (name, _)) in given.iter().enumerate() {
            if !params.iter().any(|param| param.name == *name) {
                let known = params.iter().map(|param| param.name.clone()).collect();
                return Err(ParamError::Unknown { name: (*name).to_owned(), known });
            }
            if given[..at].iter().any(|(before, _)| before == name) {
                return Err(ParamError::Twice { name: (*name).to_owned() });
            }
        }
        params.iter().enumerate().map(|(at, param)| self.param(at, param, given)).collect()
    }

    /// Returns the default of the param at an index.
    pub fn default_of(&self, at: usize) -> Option<Value> {
        self.defaults.get(at).copied().flatten()
    }

    fn param(
        &self,
        at: usize,
        Param { name, ty }: &Param,
        given: &[(&str, Value)],
    ) -> Result<Value, ParamError> {
        let found = given.iter().find(|(other, _)| other == name).map(|(_, value)| *value);
        found.or_else(|| self.default_of(at)).ok_or_else(|| {
            let example = Value::from_bits(*ty, 0);
            ParamError::Missing { name: name.clone(), ty: *ty, example }
        })
    }
}
