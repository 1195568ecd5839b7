//! The field `empty`: a value of the type of the result.

use super::literal;
use crate::choices::Choices;
use reduce_dsl::parse;
use reduce_ir::operation::Record;

/// Returns the field for a specification of these fields, if the parser accepts them.
pub(super) fn field(choices: &mut Choices<'_>, fields: &[String]) -> Option<String> {
    // The type of the result is the work of the parser.
    let parsed = parse::text(&fields.join(", "), None).ok()?;
    Some(format!("empty: {}", value(choices, &parsed.spec.operation.output.computed())))
}

fn value(choices: &mut Choices<'_>, result: &Record) -> String {
    let values: Vec<_> = result.fields.iter().map(|field| literal::typed(choices, field.ty)).collect();
    let Some(name) = &result.name else { return values.concat() };
    let fields = result.fields.iter().zip(values).map(|(field, value)| format!("{}: {value}", field.name));
    format!("{name} {{ {} }}", fields.collect::<Vec<_>>().join(", "))
}
