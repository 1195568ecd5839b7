//! Specifications of named operators, with or without a `map`.

use super::names::{COMPUTED, Given, Typed};
use super::value::Writer;
use crate::choices::Choices;
use reduce_dsl::operators::{OPERATORS, Operator, Shape};
use reduce_ir::Scalar;

/// Returns the fields, without a schedule.
pub(super) fn fields(choices: &mut Choices<'_>) -> Vec<String> {
    let row = &OPERATORS[choices.below(OPERATORS.len())];
    let mut fields = vec![format!("op: {}", row.name)];
    if row.inputs == 1 && choices.once_in(2) {
        fields.extend(mapped(choices, row));
    } else {
        let (declared, is_float) = elements(choices, row);
        fields.push(declared);
        if is_float && choices.once_in(3) {
            fields.push(format!("nan: {}", choices.pick(&["ignore", "propagate"])));
        }
    }
    if row.ties && choices.once_in(2) {
        fields.push(format!("ties: {}", choices.pick(&["first", "last"])));
    }
    if matches!(row.output, Shape::Scalar(_)) && choices.once_in(6) {
        fields.push("finish: |r| { let same = r; same }".to_owned());
    }
    fields
}

/// Declares inputs that the operator takes without a `map`. Also returns whether they are floats.
fn elements(choices: &mut Choices<'_>, row: &Operator) -> (String, bool) {
    let types: Vec<_> = Scalar::ALL.into_iter().filter(|&ty| row.takes(ty)).collect();
    let ty = choices.pick(&types);
    let names = ["x", "y"].iter().take(row.inputs);
    let inputs: Vec<_> = names.map(|name| format!("{name}: {ty}")).collect();
    let declared =
        if row.inputs == 1 { format!("ty: {ty}") } else { format!("inputs: {{ {} }}", inputs.join(", ")) };
    (declared, ty.is_float())
}

/// Writes a `map` to a type that the operator takes, and the declarations of its inputs.
fn mapped(choices: &mut Choices<'_>, row: &Operator) -> Vec<String> {
    let given = Given::new(choices);
    let types: Vec<_> = COMPUTED.into_iter().filter(|&ty| row.takes(ty)).collect();
    let ty = choices.pick(&types);
    let scope: Vec<Typed> = given.elements().into_iter().chain(given.free()).collect();
    let depth = choices.below(4);
    let value = Writer::new(choices, scope).value(ty, depth);
    let head: Vec<_> = given.inputs.iter().map(|(name, _)| name.as_str()).collect();
    let absent = given.absent(choices);
    let mut fields = given.declared(choices, &(value.clone() + &absent.concat()));
    fields.extend(absent);
    fields.push(format!("map: |{}| {value}", head.join(", ")));
    fields
}
