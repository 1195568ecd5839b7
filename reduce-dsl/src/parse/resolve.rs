//! Fields → specification: names become rows of the tables, the closure gets its types, the rest its values.

use super::closure::{Closure, Lambda};
use super::diagnostic::{Errors, Extent};
use super::fields::Fields;
use super::typing::{self, Dialect, Role, Typed};
use super::{Parsed, Places, Read, choices, identity, inputs, names, schedule};
use crate::Scalar;
use crate::func::{Func, Param};
use crate::operation::{Operation, Record};
use crate::operators::{Operator, OperatorError, operator};
use crate::spec::Spec;

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
pub(super) fn resolve(fields: &Fields, from_data: Option<&[Scalar]>, errors: &mut Errors) -> Option<Read> {
    let inputs = inputs::read(fields, from_data, errors);
    let row = named_operator(fields, errors);
    let (layout, order) = (choices::layout(fields, errors), choices::order(fields, errors));
    let block = schedule::block(fields, errors);
    let passes = schedule::passes(fields, errors);
    let map = fields.map.as_ref().and_then(|map| Lambda::read(map, errors));
    let map = map.map(|lambda| typed(&lambda, inputs.as_deref(), errors));
    let inputs = inputs?;
    let map = match map {
        Some(map) => Some(map?),
        None if fields.has("map") => return None,
        None => None,
    };
    let (map, closure) = map.unzip();
    let operation = operation(fields, row?, &inputs, map.as_ref(), errors)?;
    let operation = Operation { layout: layout?, order: order?, ..operation };
    let (block, passes) = (block?, passes?);
    let spec = Spec::new(operation, map.as_ref(), block, passes);
    let notes = std::mem::take(&mut errors.notes);
    Some((Parsed { spec, places: places(fields), notes }, closure))
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
fn typed(lambda: &Lambda, inputs: Option<&[Param]>, errors: &mut Errors) -> Option<(Func, Closure)> {
    let known = inputs.unwrap_or_default().iter();
    let mut params: Vec<_> =
        known.map(|it| (it.name.clone(), Some(Record::scalar(it.ty.compute())))).collect();
    if inputs.is_none() {
        params = lambda.params.iter().map(|_| ("x".to_owned(), None)).collect();
    }
    let role = Role {
        name: "map",
        dialect: Dialect::Text,
        params,
        optional: 0,
        free: Vec::new(),
        hidden: Vec::new(),
        records: &[],
        defines: false,
        result: None,
        number: Scalar::F32,
    };
    let Typed { func, result, params } = typing::closure(lambda, &role, errors)?;
    Some((func, Closure { tokens: lambda.tokens.clone(), params, result, free: Vec::new() }))
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
        OperatorError::Undefined { .. }
        | OperatorError::Inputs { .. }
        | OperatorError::Accumulator { .. } => None,
        OperatorError::Ties { .. } | OperatorError::Param { .. } => None,
        OperatorError::Row { .. } | OperatorError::Type(_) => None,
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
