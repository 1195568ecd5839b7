//! Values as users write them.

use reduce_ir::operation::Record;
use reduce_ir::{Value, constants};

/// Formats a value as the user writes it.
pub(super) fn value_text(value: Value) -> String {
    let ty = value.ty();
    let is = |name: &&str| constants::constant(ty, name) == Some(value);
    let float = value.as_f64();
    let extreme = value.bits() != 0 && (ty.is_integer() || float.is_some_and(|value| !value.is_finite()));
    let name = ["INFINITY", "NEG_INFINITY", "NAN", "MIN", "MAX"].into_iter().find(|name| extreme && is(name));
    name.map_or_else(|| value.to_string(), |name| format!("{ty}::{name}"))
}

/// Formats the values of a record as the user writes them.
pub(super) fn record_text(values: &[Value], record: &Record) -> String {
    let values: Vec<_> = values.iter().map(|&value| value_text(value)).collect();
    let Some(name) = &record.name else { return values.join(", ") };
    let fields: Vec<_> =
        record.fields.iter().zip(&values).map(|(field, value)| format!("{}: {value}", field.name)).collect();
    format!("{name} {{ {} }}", fields.join(", "))
}
