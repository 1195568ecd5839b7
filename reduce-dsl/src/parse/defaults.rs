//! The values that params have if a call does not give them.

use super::closure::Closure;
use super::diagnostic::Errors;
use super::fields::Fields;
use super::functions::Functions;
use super::scope::Scope;
use super::value_text::value_text;
use reduce_ir::Value;
use reduce_ir::operation::Record;
use reduce_ir::spec::ParamDefault;

/// Reads the default of each param, and their closures for rustc. The list is empty if no param has one.
pub(super) fn read(
    fields: &Fields,
    scope: &Scope,
    errors: &mut Errors,
) -> (Vec<Option<ParamDefault>>, Vec<Closure>) {
    let written = fields.params.as_ref().map_or(&[][..], |params| &params.params);
    if written.iter().all(|param| param.default.is_none()) {
        return (Vec::new(), Vec::new());
    }
    let mut functions = Functions::new(scope, Vec::new());
    let defaults = scope.params.iter().map(|(name, ty)| {
        let body = written.iter().find(|param| param.name == *name)?.default.as_ref()?;
        let record = Record::scalar(*ty);
        let value: Value = *functions.constant("params", body, (&record, "the param"), errors)?.first()?;
        Some(ParamDefault { value, text: value_text(value) })
    });
    let defaults = defaults.collect();
    (defaults, functions.closures)
}
