//! The field `identity`: the accumulator of an empty input.

use super::diagnostic::{Errors, Extent};
use super::fields::Fields;
use super::functions::Functions;
use super::value_text::record_text;
use reduce_ir::Value;
use reduce_ir::constants;
use reduce_ir::operation::{Operation, Record};
use syn::Expr;

/// Reads the identity of a closure, which is required; the inner `None` stands for `identity: none`.
pub(super) fn written(
    fields: &Fields,
    acc: &Record,
    functions: &mut Functions<'_>,
    errors: &mut Errors,
) -> Option<Option<Vec<Value>>> {
    let Some(identity) = &fields.identity else {
        if !fields.has("identity") {
            let zeros: Vec<_> = acc.types().into_iter().map(constants::zero).collect();
            let example = record_text(&zeros, acc);
            errors.add(fields.op_place(), "a closure needs `identity`, the neutral accumulator").help(
                format!("write it, as in `identity: {example}`; or `identity: none`, if no value is neutral"),
            );
        }
        return None;
    };
    if is_none(identity) { Some(None) } else { constant(identity, acc, functions, errors).map(Some) }
}

/// Returns the written identity of a named operator if it is `none`, which is the inner `None`, or differs from the operator's own
/// only in the signs of zeros. Any other difference is an error.
pub(super) fn other(
    fields: &Fields,
    operation: &Operation,
    functions: &mut Functions<'_>,
    errors: &mut Errors,
) -> Option<Option<Vec<Value>>> {
    let written = fields.identity.as_ref()?;
    let place = Extent::of(written);
    let (name, acc) = (&operation.name, &operation.acc);
    match &operation.identity {
        None if is_none(written) => {}
        None => {
            errors
                .add(place, format!("`{name}` has no identity"))
                .help("write `identity: none`, or leave it out");
        }
        Some(_) if is_none(written) => return Some(None),
        Some(own) => match constant(written, acc, functions, errors) {
            None => {}
            Some(values) if values == *own => {}
            Some(values) if are_zeros(&values, own) => return Some(Some(values)),
            Some(values) => differs(operation, own, &record_text(&values, acc), place, errors),
        },
    }
    None
}

fn constant(
    written: &Expr,
    acc: &Record,
    functions: &mut Functions<'_>,
    errors: &mut Errors,
) -> Option<Vec<Value>> {
    functions.constant("identity", written, (acc, "the accumulator"), errors)
}

fn is_none(written: &Expr) -> bool {
    matches!(written, Expr::Path(path) if path.path.is_ident("none"))
}

fn differs(operation: &Operation, own: &[Value], written: &str, place: Extent, errors: &mut Errors) {
    let (name, acc, own) = (&operation.name, operation.acc.text(), record_text(own, &operation.acc));
    errors
        .add(place, format!("the identity of `{name}` on {acc} is {own}, not {written}"))
        .help("a named operator defines its identity; leave the field out");
}

/// Returns whether the numbers are the same, apart from the signs of zeros.
fn are_zeros(values: &[Value], own: &[Value]) -> bool {
    let is_zero = |value: &Value| value.as_f64() == Some(0.0);
    values.len() == own.len() && values.iter().zip(own).all(|(a, b)| a == b || is_zero(a) && is_zero(b))
}
