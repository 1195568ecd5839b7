//! Fields → specification: names become rows of the tables, the closure gets its types, the rest its values.

use super::closure::{Closure, Lambda, LambdaParam, Written};
use super::diagnostic::{Errors, Extent};
use super::fields::{Argument, Fields, Inputs, Word};
use super::{Parsed, Places, Read, identity, names, typing};
use crate::Scalar;
use crate::func::{Func, Param};
use crate::operation::Operation;
use crate::operators::{Operator, OperatorError, operator};
use crate::pass::{Pass, PassWord};
use crate::spec::{Passes, Spec};
use proc_macro2::Ident;
use quote::ToTokens;

/// Inputs of a reduction; a kernel's parameters are limited.
const INPUTS: usize = 16;

/// Types of the language that this version does not have.
const LATER_TYPES: [&str; 5] = ["bf16", "i8", "u8", "i16", "u16"];

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
    let inputs = inputs(fields, from_data, errors);
    let row = named_operator(fields, errors);
    let block = block(fields, errors);
    let passes = passes(fields, errors);
    let inputs = inputs?;
    let map = match map {
        Written::Closure(lambda) => Some(typed(lambda, &inputs, errors)?),
        Written::Absent => None,
        Written::Refused => return None,
    };
    let (map, closure) = map.unzip();
    let operation = operation(fields, row?, &inputs, map.as_ref(), errors)?;
    let (block, passes) = (block?, passes?);
    let text = text(&operation, map.as_ref(), block, &passes);
    let spec = Spec { operation, text, block, passes };
    let notes = std::mem::take(&mut errors.notes);
    Some((Parsed { spec, places: places(fields), notes }, closure))
}

fn inputs(fields: &Fields, from_data: Option<&[Scalar]>, errors: &mut Errors) -> Option<Vec<Param>> {
    match (&fields.ty, &fields.inputs) {
        (Some(ty), Some(_)) => {
            errors.add(ty.span(), "write `ty` or `inputs`, not both");
            None
        }
        (Some(ty), None) => Some(vec![Param::new("x", scalar(ty, errors)?)]),
        (None, Some(inputs)) => named_inputs(inputs, errors),
        (None, None) if fields.has("ty") || fields.has("inputs") => None,
        (None, None) => match from_data {
            Some(types) => Some(inputs_of(types)),
            None => {
                errors.add(
                    Extent::whole(),
                    "the type of the elements is missing; add a field, as in `ty: f32`",
                );
                None
            }
        },
    }
}

/// Inputs that only have types: `x`, `y`, `z`, `x3`, …
fn inputs_of(types: &[Scalar]) -> Vec<Param> {
    let letters = ["x", "y", "z"].map(str::to_owned).into_iter();
    let names = letters.chain((3..).map(|i| format!("x{i}")));
    names.zip(types).map(|(name, &ty)| Param::new(name, ty)).collect()
}

fn named_inputs(written: &Inputs, errors: &mut Errors) -> Option<Vec<Param>> {
    let count = written.inputs.len();
    if count == 0 || count > INPUTS {
        errors.add(written.place, format!("there are 1 to {INPUTS} inputs, not {count}"));
        return None;
    }
    let mut inputs: Vec<Param> = Vec::new();
    for (name, ty) in &written.inputs {
        let text = name.to_string();
        if inputs.iter().any(|input| input.name == text) {
            errors.add(name.span(), format!("two inputs are named `{text}`"));
        } else if let Some(message) = names::refuse_input(&text) {
            errors.add(name.span(), message);
        }
        inputs.extend(scalar(ty, errors).map(|ty| Param::new(text, ty)));
    }
    (inputs.len() == count).then_some(inputs)
}

fn scalar(name: &Ident, errors: &mut Errors) -> Option<Scalar> {
    let word = name.to_string();
    let known = names::types();
    match Scalar::from_name(&word) {
        Some(Scalar::Bool) => {
            errors
                .add(name.span(), "bool is the accumulator of `any` and `all`, not a type of elements")
                .help("give numbers: every element that is not 0 counts as true");
            None
        }
        Some(ty) => Some(ty),
        None if LATER_TYPES.contains(&word.as_str()) => {
            errors.add(name.span(), format!("this version does not support the type `{word}` yet"));
            None
        }
        None => {
            unknown("type", "types", name, &known, errors);
            None
        }
    }
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
        None if row.is_none() => unknown("operator", "operators", name, &names::operators(), errors),
        _ => {}
    }
    row
}

fn unknown(kind: &str, kinds: &str, name: &Ident, known: &[&'static str], errors: &mut Errors) {
    let word = name.to_string();
    let error = errors.add(name.span(), format!("unknown {kind} `{word}`"));
    match names::nearest(&word, known) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help(format!("the {kinds} are {}", known.join(", "))),
    };
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
    let (params, result) = (params.iter().map(|param| param.ty).collect(), func.result_types()[0]);
    Some((func, Closure { tokens: lambda.tokens.clone(), params, result }))
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

fn block(fields: &Fields, errors: &mut Errors) -> Option<Option<u32>> {
    let Some(written) = &fields.block else { return (!fields.has("block")).then_some(None) };
    let block = written.base10_parse::<u32>().ok();
    let block = block.filter(|block| (32..=1024).contains(block) && block.is_power_of_two());
    if block.is_none() {
        errors.add(written.span(), "a block has 32, 64, 128, 256, 512 or 1024 threads");
    }
    block.map(Some)
}

fn passes(fields: &Fields, errors: &mut Errors) -> Option<Passes> {
    let Some(schedule) = &fields.passes else { return (!fields.has("passes")).then_some(Passes::Auto) };
    let Some(words) = &schedule.passes else { return Some(Passes::Auto) };
    let passes: Vec<_> = words.iter().map(|word| pass(word, errors)).collect();
    passes.into_iter().collect::<Option<_>>().map(Passes::List)
}

fn pass(word: &Word, errors: &mut Errors) -> Option<Pass> {
    let name = word.name.to_string();
    let Some(row) = PassWord::named(&name) else {
        unknown("pass", "passes", &word.name, &names::passes(), errors);
        return None;
    };
    let argument =
        word.argument.as_ref().filter(|argument| row.argument.is_none() || !argument.tokens.is_empty());
    let (message, place) = match (row.argument, argument) {
        (None, None) => return row.with(0),
        (None, Some(argument)) => (format!("`{name}` takes no argument"), argument.place),
        (Some(rule), None) => (format!("`{name}` takes {}, as in `{name}(4)`", rule.text), word.place),
        (Some(rule), Some(argument)) => match argument_value(argument).and_then(|k| row.with(k)) {
            Some(pass) => return Some(pass),
            None => (format!("`{name}` takes {}, not {}", rule.text, argument.text()), argument.place),
        },
    };
    errors.add(place, message);
    None
}

fn argument_value(argument: &Argument) -> Option<u64> {
    syn::parse2::<syn::LitInt>(argument.tokens.clone()).ok()?.base10_parse().ok()
}

impl Argument {
    /// The argument for a message, if it is short.
    fn text(&self) -> String {
        let text = self.tokens.to_string();
        if text.len() > 32 { "this".to_owned() } else { format!("`{text}`") }
    }
}

/// The canonical spelling: the fields that say something, in order, on one line.
fn text(operation: &Operation, map: Option<&Func>, block: Option<u32>, passes: &Passes) -> String {
    let inputs = operation.inputs.iter().map(|Param { name, ty }| format!("{name}: {ty}"));
    let fields = [
        Some(match operation.inputs.as_slice() {
            [Param { name, ty }] if name == "x" => format!("ty: {ty}"),
            _ => format!("inputs: {{ {} }}", inputs.collect::<Vec<_>>().join(", ")),
        }),
        map.map(|map| format!("map: {map}")),
        Some(format!("op: {}", operation.name)),
        block.map(|block| format!("block: {block}")),
        (*passes != Passes::Auto).then(|| format!("passes: {passes}")),
    ];
    fields.into_iter().flatten().collect::<Vec<_>>().join(", ")
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
