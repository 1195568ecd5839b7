//! Resolves fields into a specification: names become rows of the tables, and closures become typed functions.

mod closures;
mod draft;
mod named;

use super::closure::{Closure, Lambda};
use super::constants::Constants;
use super::diagnostic::{Errors, Extent};
use super::fields::{By, Fields, Op};
use super::form::Form;
use super::functions::{self, Functions};
use super::parsed::{Parsed, Places, Read};
use super::role::Dialect;
use super::scope::Scope;
use super::{axes, choices, defaults, limits, schedule};
use draft::Draft;
use reduce_ir::func::{Func, Param};
use reduce_ir::operation::{Operation, Record};
use reduce_ir::spec::{Spec, Spelling};
use reduce_ir::{Domain, Scalar};
use std::rc::Rc;

/// Resolves `fields`. The result is valid only if no error was added.
pub(super) fn resolve(
    fields: &Fields,
    (dialect, constants): (Dialect, &Rc<Constants>),
    from_data: Option<&[Scalar]>,
    errors: &mut Errors,
) -> Option<Read> {
    if let (Some(export), Dialect::Text) = (&fields.export, dialect) {
        let message = "`static` and `const` are for Rust code only; leave this out";
        errors.add(export.name.span(), message);
    }
    let scope = Scope::read(fields, (dialect, constants), from_data, errors);
    let (access, order) = (choices::access(fields, errors), choices::order(fields, errors));
    let axes = axes::read(fields, scope.written.as_ref(), errors);
    // The inputs of axes have any strides.
    let is_strided = scope.has_arrays() && axes == Some(None);
    let access = if is_strided { Some(Domain::STRIDED.access) } else { access };
    let scope = match &axes {
        Some(Some(axes)) => scope.with_axes(axes, fields),
        // An unknown name may be the name of an axis.
        None => Scope { lacks_names: true, ..scope },
        Some(None) => scope,
    };
    let block = schedule::block(fields, errors);
    let passes = schedule::passes(fields, errors);
    let draft = match &fields.op {
        Some(Op::Name(name)) => named::draft(name, fields, &scope, errors),
        Some(Op::Closure(op)) => closures::draft(Some(op), fields, &scope, errors),
        Some(Op::Function(_)) | None => {
            if !(fields.has("op") || fields.lacks) {
                errors.add(Extent::whole(), "the operator is missing; add a field, as in `op: sum`");
            }
            closures::draft(None, fields, &scope, errors)
        }
    };
    let key = key(fields, &scope, errors);
    let (defaults, checked) = defaults::read(fields, &scope, errors);
    let mut draft = draft?;
    draft.subject.operation.order = order?;
    let (key, by) = key?;
    draft.subject.operation.params = scope.free_params().collect();
    draft.subject.operation.key = key;
    let operation = draft.operation()?.with_used_measures();
    let Draft { subject, spelling, mut closures, .. } = draft;
    closures.extend(checked);
    let by = by.map(|(text, closure)| {
        closures.extend(closure);
        text
    });
    let domain = Domain { access: access?, ..Domain::WHOLE };
    let spelling = Spelling { axes: axes?, by, defaults, ..spelling };
    let mut forms: Vec<Form> = Vec::new();
    for form in closures.iter().flat_map(|closure| &closure.forms) {
        if !forms.contains(form) {
            forms.push(form.clone());
        }
    }
    let structs = structs(&subject.operation, &forms);
    unused(&operation, &scope, errors);
    let constants = scope.outer.take();
    let is_constant = |param: &Param| constants.iter().any(|constant| constant.param == *param);
    let params = operation.params.clone();
    let given = Operation {
        params: params.iter().filter(|param| !is_constant(param)).cloned().collect(),
        ..operation
    };
    let spec = Spec::new(given, domain, &spelling, block?, passes?);
    let spec = Spec { operation: Operation { params, ..spec.operation }, ..spec };
    if !limits::is_readable(&spec.text) {
        let message = "the closures are too long: reducegen cannot parse their expanded text";
        errors.add(fields.op_place(), message).help("use fewer methods that expand to many operations");
        return None;
    }
    let notes = std::mem::take(&mut errors.notes);
    let parsed = Parsed { spec, places: places(fields), subject, notes };
    let params = fields.params.as_ref().and_then(|params| params.name.clone());
    let helpers = fields.helpers.clone();
    let constants = constants.into_iter().map(|constant| (constant.param, constant.tokens)).collect();
    let export = fields.export.clone();
    let inputs = scope.written.iter().flatten().map(|(_, form)| form.clone()).collect();
    let deferred = None;
    Some(Read { parsed, closures, structs, forms, inputs, helpers, constants, deferred, params, export })
}

/// The text of a closure, and the closure for rustc.
type Checked = (String, Vec<Closure>);

/// Reads the closure of `by`, if it is one.
fn key(fields: &Fields, scope: &Scope, errors: &mut Errors) -> Option<(Option<Func>, Option<Checked>)> {
    let Some(By::Closure(closure)) = &fields.by else { return Some((None, None)) };
    let lambda = Lambda::read(closure, errors)?;
    let mut functions = Functions::new(scope, Vec::new());
    let typed = functions.key(&lambda, errors)?;
    let names = scope.names();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let text = typed.written.closure(&typed.result, &typed.result, &names);
    let func = functions::of_stored(&typed.func, scope.inputs.as_deref()?).ok()?;
    Some((Some(func), Some((text, functions.closures))))
}

/// Reports params and a position that no function uses.
fn unused(operation: &Operation, scope: &Scope, errors: &mut Errors) {
    let functions =
        [Some(&operation.map), operation.fold.as_ref(), Some(&operation.finish), operation.key.as_ref()];
    let uses = |name: &str| {
        functions.into_iter().flatten().any(|func: &Func| func.params().iter().any(|it| it.name == name))
    };
    // The values of constants may decide that a function needs no param.
    if matches!(*scope.constants, Constants::Known(_)) {
        return;
    }
    for name in scope.params.iter().map(|(name, _)| name).chain(&scope.index) {
        if !uses(&name.to_string()) {
            errors.add(name.span(), format!("`{name}` is not used")).help("use it in `map`, or leave it out");
        }
    }
}

/// Returns the structs that the macro makes, in order. Tuples, arrays and existing structs are none.
fn structs(operation: &Operation, forms: &[Form]) -> Vec<Record> {
    let is_struct = |record: &Record| {
        let form = forms.iter().find(|form| form.record() == *record);
        form.is_none_or(|form| matches!(form, Form::Struct(named, _) if named.path.is_none()))
    };
    let mut structs = Vec::new();
    for record in [&operation.acc, &operation.output] {
        let is_own = !record.is_scalar() && record.generics.is_none() && is_struct(record);
        if is_own && !structs.contains(record) {
            structs.push(record.clone());
        }
    }
    structs
}

fn places(fields: &Fields) -> Places<Extent> {
    let schedule = fields.passes.as_ref();
    let words = schedule.and_then(|schedule| schedule.passes.as_ref());
    Places {
        op: fields.op_place(),
        block: fields.block.as_ref().map_or_else(Extent::whole, Extent::of),
        passes: schedule.map_or_else(Extent::whole, |schedule| schedule.place),
        pass: words.map_or_else(Vec::new, |words| words.iter().map(|word| word.place).collect()),
    }
}
