//! The role of a closure in a specification: its language, parameters, scope and result.

use super::constants::Constants;
use super::form::Form;
use super::helpers::Helpers;
use super::hygiene::Name;
use reduce_ir::Scalar;
use reduce_ir::func::Param;
use reduce_ir::operation::Record;
use std::rc::Rc;

/// The origin of a text, which decides its language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Text of the macro, which rustc checks as well.
    Rust,
    /// Text of the command line and of files.
    Text,
    /// Text of the table of operators.
    Row,
}

impl Dialect {
    pub(super) fn is_row(self) -> bool {
        self == Dialect::Row
    }
}

/// The role of a closure: its parameters, scope and result.
pub(super) struct Role {
    /// The name of the field.
    pub(super) name: &'static str,
    pub(super) dialect: Dialect,
    /// The values of constants.
    pub(super) constants: Rc<Constants>,
    /// The names and types of the parameters, in order. A type that was reported elsewhere is `None`.
    pub(super) params: Vec<(String, Option<Record>)>,
    /// The number of parameters at the end that may be omitted.
    pub(super) optional: usize,
    /// Scalars that are in scope by their names.
    pub(super) free: Vec<(Name, Param)>,
    /// Whether one of them is the position.
    pub(super) has_index: bool,
    /// Whether further names exist that could not be read, so that an unknown name is not an error.
    pub(super) lacks_names: bool,
    /// Names that are in scope of other closures only.
    pub(super) hidden: Vec<Hidden>,
    /// The structs.
    pub(super) records: Vec<Record>,
    /// The Rust types of records that are no plain structs.
    pub(super) forms: Vec<Form>,
    /// The helper functions.
    pub(super) helpers: Helpers,
    /// Whether further structs exist that could not be read, so that an unknown struct is not an error.
    pub(super) lenient: bool,
    /// The names that a new struct may not have; `None` if an unknown struct is an error.
    pub(super) defines: Option<Vec<String>>,
    /// The type of the result with a description of its origin; `None` allows any type.
    pub(super) result: Option<(Record, &'static str)>,
    /// A type for examples.
    pub(super) number: Scalar,
}

/// A name that is in scope of other closures only.
pub(super) struct Hidden {
    pub(super) name: String,
    pub(super) help: &'static str,
}

impl Hidden {
    pub(super) fn message(&self, role: &str) -> String {
        format!("`{role}` does not see `{}`", self.name)
    }
}

impl Role {
    /// Returns whether users gave the names of its parameters.
    pub(super) fn is_ordered(&self) -> bool {
        matches!(self.name, "map" | "fold")
    }
}
