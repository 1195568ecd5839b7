//! The methods that a dialect may call.

use crate::parse::methods::{Domain, METHODS, Method};
use crate::parse::names;
use crate::parse::role::Dialect;
use reduce_ir::Scalar;

impl Dialect {
    /// Returns whether the dialect may call methods of that domain.
    pub(super) fn has(self, domain: Domain) -> bool {
        match domain {
            Domain::Floats | Domain::Singles | Domain::Integers | Domain::Signed | Domain::Unsigned => true,
            Domain::FloatsOfText => !matches!(self, Dialect::Rust),
            Domain::OthersOfRows => self.is_row(),
        }
    }
}

/// Returns the names of the methods that a type has; `None` stands for any type.
pub(super) fn methods_of(ty: Option<Scalar>, dialect: Dialect) -> Vec<&'static str> {
    let has = |method: &&Method| dialect.has(method.of) && ty.is_none_or(|ty| method.of.holds(ty));
    let mut names: Vec<_> = METHODS.iter().filter(has).map(|method| method.name).collect();
    names.dedup();
    names
}

/// Returns the method that was probably meant.
pub(super) fn nearest_method(name: &str, ty: Option<Scalar>, dialect: Dialect) -> Option<&'static str> {
    names::nearest(name, &methods_of(ty, dialect))
}
