//! The body of a device function: its locals, and the value that it returns.

use super::text::Text;
use super::values::Values;
use crate::cuda::spelling::Spell;
use crate::cuda::types::{record, scalar};
use reduce_ir::func::{Func, Id};
use reduce_ir::operation::Record;

/// Returns the lines between the braces.
pub(super) fn body(func: &Func, [acc, result]: [&Record; 2], spell: Spell) -> String {
    let values = Values::of(func, spell);
    let value = whole(&values, func.results(), acc, result).text;
    let local = |(ty, name, value): (_, &str, _)| format!("    const {} {name} = {value};\n", scalar(ty));
    let locals: String = values.locals().into_iter().map(local).collect();
    format!("{locals}    return {value};\n")
}

/// Prints results as one value: a scalar, a whole accumulator, a choice between two such values, or a struct.
fn whole(values: &Values<'_>, results: &[Id], acc: &Record, result: &Record) -> Text {
    if let (true, [scalar]) = (result.is_scalar(), results) {
        return values.text(*scalar);
    }
    let given = if acc == result { accumulator(values.func, results) } else { None };
    if let Some(name) = given {
        return Text::atom(name.to_owned());
    }
    if let Some((cond, branches)) = values.choice(results) {
        let [a, b] = branches.map(|results| whole(values, &results, acc, result));
        return Text::choice(&values.text(cond), &a, &b);
    }
    let fields: Vec<_> = results.iter().map(|&id| values.text(id).text).collect();
    Text::atom(format!("{}{{{}}}", record(result), fields.join(", ")))
}

/// Returns the accumulator with these fields, in order. A scalar parameter is not one, even if the struct has one
/// field.
fn accumulator<'a>(func: &'a Func, fields: &[Id]) -> Option<&'a str> {
    let struct_of = |id: Id| Some(func.params().get(id.0 as usize)?.name.split_once('.')?.0);
    let name = struct_of(*fields.first()?)?;
    let all = (0..func.params().len() as u32).map(Id).filter(|&id| struct_of(id) == Some(name));
    all.eq(fields.iter().copied()).then_some(name)
}
