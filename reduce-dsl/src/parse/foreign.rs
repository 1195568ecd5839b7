//! Names of operators in other libraries, with the equivalent specification.

mod table;

#[cfg(all(test, feature = "text"))]
mod tests;

use crate::operators::operator;
use table::{NAMES, NO_REDUCTION, NOT_ASSOCIATIVE};

/// The answer to a foreign name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Foreign {
    /// A specification computes it.
    Spec {
        /// The fields to write, without `ty`.
        fields: &'static str,
        /// A restriction or an alternative; empty if there is none.
        note: &'static str,
    },
    /// The operator is not associative.
    NotAssociative {
        /// The specification to write instead.
        help: &'static str,
    },
    /// No operator on a state of fixed size computes it.
    NoReduction {
        /// The reason, as a clause after "it".
        reason: &'static str,
        /// An alternative; empty if there is none.
        help: &'static str,
    },
}

/// Returns the answer to a name, ignoring case; `None` if no row has the name.
pub(super) fn foreign(name: &str) -> Option<Foreign> {
    let name = name.to_lowercase();
    let has = |names: &str| names.split(' ').any(|known| known == name);
    let spec = NAMES.iter().find(|(names, ..)| has(names));
    let spec = spec.map(|&(_, fields, note)| Foreign::Spec { fields, note });
    let order = || NOT_ASSOCIATIVE.iter().find(|(names, _)| has(names));
    let order = || order().map(|&(_, help)| Foreign::NotAssociative { help });
    let none = || NO_REDUCTION.iter().find(|(names, ..)| has(names));
    let none = || none().map(|&(_, reason, help)| Foreign::NoReduction { reason, help });
    spec.or_else(order).or_else(none)
}

impl Foreign {
    /// The error for an operator of that name.
    pub(super) fn message(self, name: &str) -> String {
        match self {
            Foreign::Spec { .. } => format!("unknown operator `{name}`"),
            Foreign::NotAssociative { .. } => {
                format!("`{name}` is not associative, so its result would depend on the schedule")
            }
            Foreign::NoReduction { reason, .. } => format!("`{name}` is not a reduction: it {reason}"),
        }
    }

    /// Returns the operator that is equivalent without any other field.
    pub(super) fn operator(self) -> Option<&'static str> {
        let Foreign::Spec { fields, .. } = self else { return None };
        fields.strip_prefix("op: ").filter(|name| operator(name).is_some())
    }

    /// The text to write instead; `None` if there is none.
    pub(super) fn help(self) -> Option<String> {
        match self {
            Foreign::Spec { fields, note: "" } => Some(format!("write `{fields}`")),
            Foreign::Spec { fields, note } => Some(format!("write `{fields}`; {note}")),
            Foreign::NotAssociative { help } => Some(help.to_owned()),
            Foreign::NoReduction { help: "", .. } => None,
            Foreign::NoReduction { help, .. } => Some(help.to_owned()),
        }
    }
}
