//! Checks the laws of an operation, and reports violations at the fields that cause them.

use super::diagnostic::{Errors, Extent};
use super::fields::Fields;
use super::scope::Scope;
use crate::laws::{Broken, Effort, Law, Subject};
use reduce_ir::Scalar;
use reduce_ir::func::Param;
use reduce_ir::operation::Operation;

/// Checks the laws, and sets `commutative` and `exact` from the result unless they are known.
pub(super) fn check_laws(
    subject: Subject,
    fields: &Fields,
    scope: &Scope,
    errors: &mut Errors,
) -> Option<Subject> {
    if scope.constants.decide_laws() {
        return Some(subject);
    }
    let Subject { operation, keep } = subject;
    let written = fields.commutative.as_ref().map(|it| it.value);
    let is_known = operation.commutative;
    let operation = Operation { commutative: written.unwrap_or(is_known), ..operation };
    let mut subject = Subject { operation, keep };
    let found = match subject.check(Effort::Sample) {
        Ok(found) => found,
        Err(broken) => {
            report(broken, &subject.operation.inputs, fields, errors);
            return None;
        }
    };
    if found.is_vacuous() {
        let place = fields.filter.as_ref().map_or_else(|| fields.op_place(), Extent::of);
        errors.note(place, "no sampled element satisfies `filter`, so the laws of `op` were not checked");
    }
    for remark in found.remarks.iter().filter(|_| !is_known) {
        errors.note(fields.op_place(), remark.to_string());
    }
    let commutative = written.unwrap_or(is_known || found.commutative);
    let exact = if is_known { subject.operation.exact } else { found.exact };
    subject.operation.commutative = commutative;
    subject.operation.exact = exact && commutative;
    Some(subject)
}

fn report(broken: Box<Broken>, inputs: &[Param], fields: &Fields, errors: &mut Errors) {
    let place = match broken.law {
        Law::Associative => None,
        Law::Identity => fields.identity.as_ref().map(Extent::of),
        Law::Commutative => fields.commutative.as_ref().map(Extent::of),
        Law::Fold => fields.fold.as_ref().map(Extent::of),
    };
    let help = match broken.law {
        Law::Associative => {
            "the schedule chooses the grouping; make `op` independent of it, and do the rest in `finish`"
        }
        Law::Identity => "write `identity: none`, if no value is neutral",
        Law::Commutative => "leave the field out; then elements keep their order",
        Law::Fold => "`fold` adds one element; it must equal `op(acc, map(x))`",
    };
    let place = place.unwrap_or_else(|| fields.op_place());
    let depends = broken.law == Law::Identity || broken.counterexample.names_elements();
    let excluded =
        || format!("; or exclude elements that your data never hold, as in `filter: {}`", example(inputs));
    let help = help.to_owned() + &if depends { excluded() } else { String::new() };
    errors.add(place, broken.to_string()).broken(broken).help(help);
}

/// Returns an example condition on the last input.
fn example(inputs: &[Param]) -> String {
    let names: Vec<_> = inputs.iter().map(|input| input.name.as_str()).collect();
    let condition = inputs.last().map_or_else(String::new, |last| {
        let zero = if last.ty.is_float() { "0.0" } else { "0" };
        if last.ty == Scalar::Bool { last.name.clone() } else { format!("{} > {zero}", last.name) }
    });
    format!("|{}| {condition}", names.join(", "))
}
