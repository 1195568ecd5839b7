//! The laws of an operation, reported at the fields that break them.

use super::diagnostic::Errors;
use super::fields::Fields;
use crate::operation::Operation;

/// The operation with what follows from its laws.
pub(super) fn judged(operation: Operation, fields: &Fields, _: &mut Errors) -> Option<Operation> {
    let written = fields.commutative.as_ref().map(|it| it.value);
    let commutative = written.unwrap_or(operation.commutative);
    Some(Operation { commutative, ..operation })
}
