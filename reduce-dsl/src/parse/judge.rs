//! The laws of an operation, reported at the fields that break them.

use super::diagnostic::{Errors, Extent};
use super::fields::Fields;
use super::resolve::op_place;
use crate::laws::{self, Broken, Effort, Law};
use crate::operation::Operation;

/// The operation with what follows from its laws: whether it is commutative and exact, unless that is known.
pub(super) fn judged(operation: Operation, fields: &Fields, errors: &mut Errors) -> Option<Operation> {
    let written = fields.commutative.as_ref().map(|it| it.value);
    let is_known = operation.commutative;
    let operation = Operation { commutative: written.unwrap_or(is_known), ..operation };
    let found = match laws::check(&operation, Effort::Sample) {
        Ok(found) => found,
        Err(broken) => {
            report(broken, fields, errors);
            return None;
        }
    };
    for remark in found.remarks.iter().filter(|_| !is_known) {
        errors.note(op_place(fields), remark.to_string());
    }
    let commutative = written.unwrap_or(is_known || found.commutative);
    let exact = if is_known { operation.exact } else { found.exact };
    Some(Operation { commutative, exact: exact && commutative, ..operation })
}

fn report(broken: Box<Broken>, fields: &Fields, errors: &mut Errors) {
    let place = match broken.law {
        Law::Associative => None,
        Law::Identity => fields.identity.as_ref().map(Extent::of),
        Law::Commutative => fields.commutative.as_ref().map(Extent::of),
        Law::Fold => fields.fold.as_ref().map(Extent::of),
    };
    let help = match broken.law {
        Law::Associative => {
            "elements are grouped as the schedule likes; keep in the accumulator what every grouping needs, and do the \
             rest in `finish`"
        }
        Law::Identity => "write `identity: none`, if nothing is neutral",
        Law::Commutative => "leave the field out; then elements keep their order",
        Law::Fold => "`fold` adds one element: it is `op(acc, map(x))`, written cheaper",
    };
    let place = place.unwrap_or_else(|| op_place(fields));
    errors.add(place, broken.to_string()).broken(broken).help(help);
}
