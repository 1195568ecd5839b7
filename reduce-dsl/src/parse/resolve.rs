//! Fields → specification: names become rows of the tables, the closure gets its types, the rest its values.

use super::closure::{Closure, Lambda, LambdaParam, Written};
use super::diagnostic::{Errors, Extent};
use super::fields::Fields;
use super::{Parsed, Places, Read, choices, identity, inputs, names, schedule, typing};
use crate::Scalar;
use crate::func::{Func, Param};
use crate::operation::Operation;
use crate::operators::{Operator, OperatorError, operator};
use crate::spec::Spec;
use quote::ToTokens;

/// What no order of evaluation reduces, and what to write instead.
const NOT_ASSOCIATIVE: [(&str, &str); 6] = [
    ("sub", NEGATE),
    ("subtract", NEGATE),
    ("minus", NEGATE),
    ("div", "reduce the divisors with `op: prod`, and divide once at the end"),
    ("divide", "reduce the divisors with `op: prod`, and divide once at the end"),
    ("mean", "reduce with `op: sum`, and divide by the number of elements at the end"),
];

const NEGATE: &str = "write the sum of negated values, as in `map: |x| -x, op: sum`";

/// Resolves `fields`; what it gives is good if no error was added.
pub(super) fn resolve(
    fields: &Fields,
    map: &Written,
    from_data: Option<&[Scalar]>,
    errors: &mut Errors,
) -> Option<Read> {
    let inputs = inputs::read(fields, from_data, errors);
    let row = named_operator(fields, errors);
    let (layout, order) = (choices::layout(fields, errors), choices::order(fields, errors));
    let block = schedule::block(fields, errors);
    let passes = schedule::passes(fields, errors);
    let inputs = inputs?;
    let map = match map {
        Written::Closure(lambda) => Some(typed(lambda, &inputs, errors)?),
        Written::Absent => None,
        Written::Refused => return None,
    };
    let (map, closure) = map.unzip();
    let operation = operation(fields, row?, &inputs, map.as_ref(), errors)?;
    let operation = Operation { layout: layout?, order: order?, ..operation };
    let (block, passes) = (block?, passes?);
    let spec = Spec::new(operation, map.as_ref(), block, passes);
    let notes = std::mem::take(&mut errors.notes);
    let parsed = Parsed { spec, places: places(fields), notes };
    Some(Read { parsed, closures: closure.into_iter().collect(), structs: vec![], export: None })
}

fn named_operator(fields: &Fields, errors: &mut Errors) -> Option<&'static Operator> {
    let Some(name) = &fields.op else {
        if !fields.has("op") {
            errors.add(Extent::whole(), "the operator is missing; add a field, as in `op: sum`");
        }
        return None;
    };
    let word = name.to_string();
    let row = operator(&word);
    match NOT_ASSOCIATIVE.iter().find(|(known, _)| *known == word) {
        Some((_, help)) if row.is_none() => {
            let message = format!("`{word}` is not associative, so its result would depend on the schedule");
            errors.add(name.span(), message).help(*help);
        }
        None if row.is_none() => names::unknown("operator", name, &names::operators(), errors),
        _ => {}
    }
    row
}

/// The function of a closure on inputs, its parameters renamed to theirs. 16-bit floats arrive as f32.
fn typed(lambda: &Lambda, inputs: &[Param], errors: &mut Errors) -> Option<(Func, Closure)> {
    let (expected, found) = (inputs.len(), lambda.params.len());
    if expected != found {
        let (found, expected) = (counted(found, "parameter"), counted(expected, "input"));
        let message = format!("the closure has {found} for {expected}; it takes one for each");
        errors.add(lambda.head, message);
        return None;
    }
    let params: Vec<_> = inputs.iter().map(|input| Param::new(&*input.name, input.ty.compute())).collect();
    let mut fits = true;
    for (position, param) in lambda.params.iter().enumerate() {
        fits &= param_fits(param, position, &params, errors);
    }
    let func = typing::function(&lambda.body, &params, errors).filter(|_| fits)?;
    let (params, result) = (
        params.iter().map(|param| crate::operation::Record::scalar(param.ty)).collect(),
        crate::operation::Record::scalar(func.result_types()[0]),
    );
    Some((func, Closure { tokens: lambda.tokens.clone(), params, result, free: vec![] }))
}

fn counted(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

/// Parameters have the order of the inputs; one with the name of another input is a mistake.
fn param_fits(param: &LambdaParam, position: usize, inputs: &[Param], errors: &mut Errors) -> bool {
    let Param { name: own, ty } = &inputs[position];
    let name = param.name.as_ref().map(ToString::to_string);
    let other = inputs.iter().any(|input| Some(&input.name) == name.as_ref() && input.name != *own);
    if other {
        errors.add(param.place, format!("parameters have the order of the inputs; this one is `{own}`"));
    }
    let written = param.ty.as_ref().map(|ty| (Extent::of(ty), ty.to_token_stream().to_string()));
    let right_type = written.as_ref().is_none_or(|(_, written)| written == ty.name());
    if let Some((place, _)) = written.filter(|_| !right_type) {
        errors.add(place, format!("this parameter is {ty}; leave its type out"));
    }
    !other && right_type
}

fn operation(
    fields: &Fields,
    row: &Operator,
    inputs: &[Param],
    map: Option<&Func>,
    errors: &mut Errors,
) -> Option<Operation> {
    match row.apply(inputs, map) {
        Ok(operation) => {
            if let Some(written) = &fields.identity {
                identity::check(written, &operation, errors);
            }
            Some(operation)
        }
        Err(error) => {
            errors.add(operator_place(fields, &error), error.to_string());
            None
        }
    }
}

fn operator_place(fields: &Fields, error: &OperatorError) -> Extent {
    let place = match error {
        OperatorError::OwnMap { .. } => fields.map.as_ref().map(Extent::of),
        OperatorError::Mixed { .. } => fields.inputs.as_ref().map(|inputs| inputs.place),
        OperatorError::Undefined { .. } | OperatorError::Inputs { .. } | OperatorError::Row(_) => None,
    };
    place.unwrap_or_else(|| fields.op.as_ref().map_or_else(Extent::whole, Extent::of))
}

fn places(fields: &Fields) -> Places<Extent> {
    let schedule = fields.passes.as_ref();
    let words = schedule.and_then(|schedule| schedule.passes.as_ref());
    Places {
        op: fields.op.as_ref().map_or_else(Extent::whole, Extent::of),
        block: fields.block.as_ref().map_or_else(Extent::whole, Extent::of),
        passes: schedule.map_or_else(Extent::whole, |schedule| schedule.place),
        pass: words.map_or_else(Vec::new, |words| words.iter().map(|word| word.place).collect()),
    }
}
