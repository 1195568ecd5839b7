//! Specifications whose operator is a closure.

use super::form::{Form, Rule};
use super::names::{Given, Typed, record};
use super::value::Writer;
use crate::choices::Choices;
use reduce_ir::Scalar;

/// Returns the fields, without a schedule.
pub(super) fn fields(choices: &mut Choices<'_>) -> Vec<String> {
    let (given, form) = (Given::new(choices), Form::new(choices));
    let depth = if form.fields.len() > 6 { 1 } else { 1 + choices.below(3) };
    let is_element =
        form.name.is_none() && given.elements()[..] == [(given.inputs[0].0.clone(), form.fields[0].1)];
    let map = (!is_element || choices.once_in(2)).then(|| mapped(choices, &given, &form, depth));
    let absent = given.absent(choices);
    let finish = choices.once_in(2).then(|| finish(choices, &given, &form, depth, absent.is_empty()));
    let fold = match &map {
        Some(map) if choices.once_in(4) => Some(folded(choices, &given, &form, map)),
        _ => None,
    };
    let closures = [&map, &finish].map(|it| it.clone().unwrap_or_default()).concat();
    let mut fields = given.declared(choices, &(closures + &absent.concat()));
    fields.extend(absent);
    let head = inputs_head(&given);
    fields.extend(map.map(|map| format!("map: |{head}| {map}")));
    fields.extend(form.declared(choices));
    fields.push(operator(choices, &form));
    fields.extend(fold);
    let identity = form.identity().filter(|_| choices.below(4) > 0);
    fields.push(format!("identity: {}", identity.unwrap_or_else(|| "none".to_owned())));
    fields.extend(commutative(choices, &form));
    fields.extend(finish);
    fields
}

/// Returns the closure parameters, as in `x, y`.
fn inputs_head(given: &Given) -> String {
    given.inputs.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Writes the body of `map`: the accumulator of an element.
fn mapped(choices: &mut Choices<'_>, given: &Given, form: &Form, depth: usize) -> String {
    let scope = given.elements().into_iter().chain(given.free()).collect();
    let mut writer = Writer::new(choices, scope);
    if form.name.is_some() && depth > 1 && writer.choices.once_in(6) {
        let condition = writer.value(Scalar::Bool, depth - 1);
        let [a, b] = [(); 2].map(|()| element(&mut writer, form, 1));
        return format!("if {condition} {{ {a} }} else {{ {b} }}");
    }
    if writer.choices.once_in(4) {
        let ty = form.fields[0].1;
        let (line, name) = writer.binding(ty, depth);
        writer.scope.push((name, ty));
        return format!("{{ {line} {} }}", element(&mut writer, form, depth));
    }
    element(&mut writer, form, depth)
}

/// Writes an accumulator with its fields. Some fields are names or literals.
fn element(writer: &mut Writer<'_, '_>, form: &Form, depth: usize) -> String {
    let value = |(at, (_, ty)): (usize, &Typed)| {
        if at == 0 && form.rule == Rule::Counted {
            return "1".to_owned();
        }
        let depth = if writer.choices.once_in(4) { 0 } else { depth };
        writer.value(*ty, depth)
    };
    let values: Vec<_> = form.fields.iter().enumerate().map(value).collect();
    form.made(&values)
}

fn operator(choices: &mut Choices<'_>, form: &Form) -> String {
    let [a, b] = choices.pick(&[["a", "b"], ["left", "right"], ["p", "q"], ["b", "a"]]);
    let value = form.combined(a, b);
    let value =
        if value.starts_with("if ") || !choices.once_in(5) { value } else { format!("{{ {value} }}") };
    let block = choices.once_in(6) && form.rule == Rule::Fields && form.name.is_some();
    if !block {
        return format!("op: |{a}, {b}| {value}");
    }
    let lines = form
        .ops
        .iter()
        .enumerate()
        .map(|(at, op)| format!("let m{at} = {};", op.text(&form.part(a, at), &form.part(b, at))));
    let lines: Vec<_> = lines.collect();
    let values: Vec<_> = (0..lines.len()).map(|at| format!("m{at}")).collect();
    format!("op: |{a}, {b}| {{ {} {} }}", lines.join(" "), form.made(&values))
}

/// Writes `op(acc, map(x))` as a `fold`.
fn folded(choices: &mut Choices<'_>, given: &Given, form: &Form, map: &str) -> String {
    let head = inputs_head(given);
    let step = choices.pick(&["", "", ", _step"]);
    format!("fold: |total, {head}{step}| {{ let other = {map}; {} }}", form.combined("total", "other"))
}

fn commutative(choices: &mut Choices<'_>, form: &Form) -> Option<String> {
    match choices.below(6) {
        0 if form.commutes() => Some("commutative: true".to_owned()),
        1 => Some("commutative: false".to_owned()),
        _ => None,
    }
}

/// Writes `finish` for an accumulator of this form.
fn finish(choices: &mut Choices<'_>, given: &Given, form: &Form, depth: usize, counts: bool) -> String {
    let fields = form.fields.iter().enumerate().map(|(at, (_, ty))| (form.part("r", at), *ty));
    let (fields, params) = (fields.collect::<Vec<_>>(), given.params.clone());
    finish_of(choices, [fields, params].concat(), depth, form, counts)
}

/// Writes `finish` to a scalar, to the struct of the accumulator, or to another struct. It may use the number of elements
/// if `counts`.
fn finish_of(
    choices: &mut Choices<'_>,
    mut scope: Vec<Typed>,
    depth: usize,
    form: &Form,
    counts: bool,
) -> String {
    let head = if counts && choices.once_in(3) {
        scope.push(("n".to_owned(), Scalar::U64));
        "r, n"
    } else {
        "r"
    };
    let mut writer = Writer::new(choices, scope);
    let body = match writer.choices.below(4) {
        0 if form.name.is_some() => element(&mut writer, form, depth.min(2)),
        1 => {
            let count = 1 + writer.choices.below(4);
            let (_, names) = record(writer.choices, count);
            let types = names.into_iter().map(|name| (name, writer.choices.pick(&super::names::COMPUTED)));
            let types: Vec<_> = types.collect();
            let values =
                types.iter().map(|(name, ty)| format!("{name}: {}", writer.value(*ty, depth.min(2))));
            format!("Result {{ {} }}", values.collect::<Vec<_>>().join(", "))
        }
        _ => {
            let ty = writer.choices.pick(&super::names::COMPUTED);
            let value = writer.value(ty, depth);
            if writer.choices.below(6) > 0 {
                return format!("finish: |{head}| {value}");
            }
            let (condition, early) = (writer.value(Scalar::Bool, 1), writer.value(ty, 1));
            format!("{{ if {condition} {{ return {early}; }} {value} }}")
        }
    };
    format!("finish: |{head}| {body}")
}
