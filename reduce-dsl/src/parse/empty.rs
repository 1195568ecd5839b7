//! The field `empty`: the result of no elements.

use super::diagnostic::{Errors, Extent};
use super::fields::Fields;
use super::functions::Functions;
use super::value_text::record_text;
use super::written::Written;
use half::{bf16, f16};
use reduce_ir::operation::Record;
use reduce_ir::{Scalar, Value, constants};
use syn::Expr;

/// The value of `empty`.
pub(super) struct Empty {
    /// One value for each field of the result.
    pub(super) values: Vec<Value>,
    /// Its canonical spelling.
    pub(super) text: String,
}

/// Reads the field, for results of the type `output`. An unknown type was reported elsewhere.
pub(super) fn read(
    fields: &Fields,
    output: Option<&Record>,
    functions: &mut Functions<'_>,
    errors: &mut Errors,
) -> Written<Empty> {
    let body = fields.value("empty", fields.empty.as_ref());
    body.then(|body| value(body, output?, functions, errors))
}

fn value(body: &Expr, output: &Record, functions: &mut Functions<'_>, errors: &mut Errors) -> Option<Empty> {
    // As in closures, 16-bit floats are written as f32.
    let written = output.computed();
    let checked = functions.closures.len();
    let values = functions.constant("empty", body, (&written, "the result"), errors)?;
    if output.generics.is_some() {
        // rustc does not check a struct of the library, which may not be in scope.
        functions.closures.truncate(checked);
    }
    let stored = stored(&values, output)?;
    let is_lost = |(wide, narrow): (&Value, &Value)| is_finite(*wide) && !is_finite(*narrow);
    if let Some(at) = values.iter().zip(&stored).position(is_lost) {
        let ty = output.fields[at].ty;
        errors
            .add(Extent::of(body), format!("`empty` is out of range for {ty}"))
            .help(format!("{ty} goes up to {}", constants::constant(ty, "MAX")?));
        return None;
    }
    Some(Empty { text: record_text(&values, &written), values: stored })
}

/// Converts values to the types of the result, in which every NaN is the canonical one.
fn stored(values: &[Value], output: &Record) -> Option<Vec<Value>> {
    values.iter().zip(output.types()).map(|(&value, ty)| one(value, ty)).collect()
}

fn one(value: Value, ty: Scalar) -> Option<Value> {
    match value.as_f64() {
        Some(float) if float.is_nan() => constants::constant(ty, "NAN"),
        Some(float) if ty == Scalar::F16 => Some(Value::of(f16::from_f64(float))),
        Some(float) if ty == Scalar::Bf16 => Some(Value::of(bf16::from_f64(float))),
        _ => Some(value),
    }
}

fn is_finite(value: Value) -> bool {
    value.as_f64().is_none_or(f64::is_finite)
}
