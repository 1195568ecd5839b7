//! Values for the params of a reduction, from `--param k=3`.

use crate::failure::Failure;
use reduce_dsl::operators::operator;
use reduce_dsl::parse;
use reduce_ir::func::Param;
use reduce_ir::operation::Operation;
use reduce_ir::{Spec, Value};

/// An argument `k=3` as given.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    /// The name of the param.
    pub(crate) name: String,
    /// The text of its value.
    pub(crate) text: String,
}

/// Returns the values of all params, in the order of the specification.
pub(crate) fn values(given: &[Given], spec: &Spec) -> Result<Vec<Value>, Failure> {
    let operation = &spec.operation;
    let params = operation.given_params();
    for (position, Given { name, .. }) in given.iter().enumerate() {
        if !params.iter().any(|param| param.name == *name) {
            return Err(unknown(name, operation));
        }
        if given[..position].iter().any(|before| before.name == *name) {
            return Err(Failure::request(format!("the param `{name}` is given twice; leave one out")));
        }
    }
    let value = |(at, param)| {
        value(param, given).unwrap_or_else(|| spec.default_of(at).ok_or_else(|| missing(param)))
    };
    params.iter().enumerate().map(value).collect()
}

fn example(Param { name, ty }: &Param) -> String {
    format!("`--param {name}={}`", Value::from_bits(*ty, 0))
}

fn missing(param: &Param) -> Failure {
    Failure::request(format!("the param `{}` has no value; give it, as in {}", param.name, example(param)))
}

/// Returns the value of a param, if it is given.
fn value(param: &Param, given: &[Given]) -> Option<Result<Value, Failure>> {
    let Given { text, .. } = given.iter().find(|it| it.name == param.name)?;
    Some(parsed(param, text))
}

fn parsed(param: &Param, text: &str) -> Result<Value, Failure> {
    let (Param { name, ty }, example) = (param, example(param));
    let wrong = || format!("`{text}` is not {ty}, the type of the param `{name}`; write it as in {example}");
    let out_of_range = || format!("`{text}` is out of range for {ty}, the type of the param `{name}`");
    let Some(value) = Value::parse(*ty, text) else {
        let number = ty.is_number() && text.parse::<i128>().is_ok();
        return Err(Failure::request(if number { out_of_range() } else { wrong() }));
    };
    // Infinity is a word. A number that becomes infinity is too large.
    if value.as_f64().is_some_and(f64::is_infinite) && text.contains(|c: char| c.is_ascii_digit()) {
        return Err(Failure::request(out_of_range() + "; write `inf` for infinity"));
    }
    Ok(value)
}

fn unknown(name: &str, operation: &Operation) -> Failure {
    let params = operation.given_params();
    let known: Vec<_> = params.iter().map(|param| param.name.as_str()).collect();
    // The param has its default as long as the specification does not declare it.
    let optional = operator(&operation.name).and_then(|row| row.params.iter().find(|param| param.0 == name));
    if let Some((_, ty, _)) = optional {
        return Failure::request(format!(
            "the specification does not declare the param `{name}`; write `params: {{ {name}: {ty} }}` in it"
        ));
    }
    Failure::request(match parse::nearest(name, &known) {
        Some(near) => format!("there is no param `{name}`; did you mean `{near}`?"),
        None if known.is_empty() => format!("the reduction has no params; leave `--param {name}=…` out"),
        None => format!("there is no param `{name}`; the params are {}", known.join(", ")),
    })
}
