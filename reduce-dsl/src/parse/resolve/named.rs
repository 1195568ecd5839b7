//! Operators that are rows of the table.

use super::super::absent::{self, Absent, Kept};
use super::super::closure::Lambda;
use super::super::diagnostic::{Errors, Extent};
use super::super::fields::{Acc, Fields};
use super::super::functions::{self, Functions};
use super::super::scope::Scope;
use super::super::typing::Typed;
use super::super::value_text::record_text;
use super::super::written::Written;
use super::super::{check_laws, choices, empty, identity, names};
use super::draft::Draft;
use crate::laws::Subject;
use crate::operators::{Operator, OperatorError, Request, operator};
use proc_macro2::Ident;
use reduce_ir::Scalar;
use reduce_ir::func::Func;
use reduce_ir::operation::{Operation, Record, Starts};
use reduce_ir::spec::Spelling;

/// Reads the operation.
pub(super) fn draft(name: &Ident, fields: &Fields, scope: &Scope, errors: &mut Errors) -> Option<Draft> {
    let row = row(name, errors);
    let acc = scope.acc.clone().then(|acc| scalar(&acc, name, fields, errors));
    let mut functions = Functions::new(scope, Vec::new());
    let map = fields.lambda("map", fields.map.as_ref(), errors);
    let map = map.then(|map| one(functions.map(&map, None, errors)?, &map, name, errors)).right();
    let absent = Absent::read(fields, &mut functions, errors);
    let own = match (row, acc.right(), &map, &absent) {
        (Some(row), Some(acc), Some(map), Some(absent)) => {
            applied(row, map.as_ref(), acc, absent, fields, scope, errors)
        }
        _ => None,
    };
    let (own, kept) = own.unzip();
    let (acc, output) = own.as_ref().map(|it| (it.acc.computed(), it.output.computed())).unzip();
    let (acc, output) = (acc.as_ref(), output.as_ref());
    functions.add([acc, output]);
    let fold = fields.lambda("fold", fields.fold.as_ref(), errors);
    let fold = fold.then(|fold| functions.fold(&fold, acc, errors));
    let finish = fields.lambda("finish", fields.finish.as_ref(), errors);
    let finish = finish.then(|finish| {
        absent::refuse_count(&finish, fields, errors);
        functions.finish(&finish, output, errors)
    });
    let result = match &finish {
        Written::Is(finish) => Some(&finish.result),
        Written::Absent => own.as_ref().map(|own| &own.output),
        Written::Wrong => None,
    };
    let empty = empty::read(fields, result, &mut functions, errors);
    let (own, kept, absent) = (own?, kept?, absent?);
    // rustc does not check the identity, because its type may be a struct of the library that is not in scope.
    let record = Some(own.acc.clone()).filter(|acc| !acc.is_scalar());
    let mut constants = Functions::new(scope, record.into_iter().collect());
    let identity = identity::other(fields, &own, &mut constants, errors);
    let (map, fold, finish) = (map?, fold.right()?, finish.right()?);
    let (empty, empty_text) = empty.right()?.map(|it| (it.values, it.text)).unzip();
    let names = scope.names();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let spelling = Spelling {
        filter: absent.spelling(&names),
        map: map.map(|it| it.written.closure(&it.result, &it.result, &names)),
        acc: scope.acc.value().map(Record::text),
        op: name.to_string(),
        fold: fold.as_ref().map(|it| it.written.closure(&own.acc, &own.acc, &names)),
        identity: identity.as_ref().map(|identity| match identity {
            Some(values) => record_text(values, &own.acc),
            None => "none".to_owned(),
        }),
        commutative: fields.commutative.as_ref().map(|it| it.value),
        finish: finish.as_ref().map(|it| it.func.closure(&own.output.computed(), &it.result, &names)),
        empty: empty_text,
        nan: fields.nan.as_ref().map(ToString::to_string).filter(|nan| nan != "propagate"),
        ties: fields.ties.as_ref().map(ToString::to_string),
        ..Spelling::default()
    };
    let is_own = fold.is_none() && fields.commutative.is_none();
    let lacks_identity = identity == Some(None);
    let identity = identity.flatten().or_else(|| own.identity.clone());
    let starts = if fold.is_none() { Starts::FromIdentity } else { Starts::FromElement };
    let operation = with(Operation { identity, ..own }, fold, finish)?;
    // `fold` and `finish` may name further constants.
    let operation = Operation { params: scope.free_params().collect(), ..operation };
    let Kept { keep, present, .. } = kept;
    let subject = Subject { operation, keep };
    let subject = if is_own { subject } else { check_laws::check_laws(subject, fields, scope, errors)? };
    Some(Draft { subject, present, starts, lacks_identity, empty, spelling, closures: functions.closures })
}

fn row(name: &Ident, errors: &mut Errors) -> Option<&'static Operator> {
    let row = operator(&name.to_string());
    if row.is_none() {
        names::unknown_operator(name, errors);
    }
    row
}

/// Reports a `map` of several values, which named operators do not take.
fn one(map: Typed, lambda: &Lambda, name: &Ident, errors: &mut Errors) -> Option<Typed> {
    let Some(form) = &map.form else { return Some(map) };
    let message = format!("`{name}` reduces scalars, and this `map` gives `{form}`");
    errors
        .add(Extent::of(&lambda.body), message)
        .help("write `op` as a closure too, as in `op: |a, b| (a.0 + b.0, a.1 + b.1), identity: (0.0, 0.0)`");
    None
}

/// Returns the scalar of `acc`; a named operator defines the rest of its accumulator itself.
fn scalar(acc: &Record, name: &Ident, fields: &Fields, errors: &mut Errors) -> Option<Scalar> {
    if acc.is_scalar() {
        return Some(acc.fields[0].ty);
    }
    let place = fields.acc.as_ref().map_or_else(Extent::whole, Acc::place);
    let message =
        format!("`{name}` defines its accumulator; `acc` of a named operator is a scalar, as in `acc: f64`");
    errors.add(place, message).help("leave it out, or write `op` as a closure");
    None
}

/// Applies the row to the fields. Returns the operation and the conditions on its elements.
fn applied(
    row: &Operator,
    map: Option<&Typed>,
    acc: Option<Scalar>,
    absent: &Absent,
    fields: &Fields,
    scope: &Scope,
    errors: &mut Errors,
) -> Option<(Operation, Kept)> {
    let ties = choices::ties(fields, errors)?;
    let widening = widening(fields, scope);
    let inputs = scope.inputs.as_ref()?;
    let mapped = map.map(|it| &it.func).or(widening.as_ref());
    absent.check_nan(fields, inputs, mapped.map(|map| map.result_types()[0]), errors);
    let kept = absent.of_row(row, inputs, mapped).ok()?;
    let params: Vec<_> = scope.free_params().collect();
    let index = scope.index.as_ref().map(Ident::to_string);
    let request = Request {
        map: mapped,
        acc,
        nan: kept.nan,
        filtered: kept.keep.is_some(),
        ties,
        params: &params,
        index: index.as_deref().unwrap_or(Operation::INDEX),
        ..Request::new(inputs)
    };
    match row.applied(&request) {
        Ok(operation) => Some((Operation { measures: scope.along.measures(), ..operation }, kept)),
        // The name has been reported already.
        Err(OperatorError::Name { .. }) => None,
        Err(error) => {
            let added = errors.add(place(fields, &error), error.to_string());
            if let OperatorError::Undefined { ty: Scalar::Bool, .. } = error
                && let Some(help) = of_bool(row, map, scope)
            {
                added.help(help);
            }
            None
        }
    }
}

/// Suggests a conversion for an operator of one input that takes numbers, while the elements are `bool`.
fn of_bool(row: &Operator, map: Option<&Typed>, scope: &Scope) -> Option<String> {
    let number = |body: &str| match row.takes(Scalar::U8) {
        true => format!("{body} as u8"),
        false => format!("if {body} {{ 1.0 }} else {{ 0.0 }}"),
    };
    let Some(map) = map else {
        return (row.inputs == 1).then(|| format!("write `map: |x| {}`", number("x")));
    };
    let names = scope.names();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let closure = map.written.closure(&map.result, &map.result, &names);
    let body = closure.splitn(3, '|').nth(2).map(str::trim).unwrap_or_default();
    // A block or a long expression is not repeated.
    let body = if body.starts_with('{') || body.len() > MOST_REPEATED { "…" } else { body };
    Some(format!("write `{}`, which is 0 or 1", number(&format!("({body})"))))
}

/// The longest closure, in bytes, that a message repeats.
const MOST_REPEATED: usize = 48;

/// Returns the implicit `map` of 16-bit floats for a `fold` without a `map`: closures compute in f32, so their
/// accumulator is f32.
fn widening(fields: &Fields, scope: &Scope) -> Option<Func> {
    let [input] = scope.inputs.as_deref()? else { return None };
    let element = Record::scalar(input.ty.compute());
    (input.ty.is_half() && fields.has("fold")).then(|| functions::unchanged(&element, &input.name))
}

fn place(fields: &Fields, error: &OperatorError) -> Extent {
    let place = match error {
        OperatorError::OwnMap { .. } => fields.map.as_ref().map(Extent::of),
        OperatorError::Mixed { .. } => fields.inputs.as_ref().map(|inputs| inputs.place),
        OperatorError::Accumulator { .. } => fields.acc.as_ref().map(Acc::place),
        OperatorError::Ties { .. } => fields.ties.as_ref().map(Extent::of),
        OperatorError::Param { .. } | OperatorError::Position { .. } => {
            fields.params.as_ref().map(|params| params.place)
        }
        OperatorError::Undefined { .. } | OperatorError::Inputs { .. } | OperatorError::Name { .. } => None,
        OperatorError::Row { .. } | OperatorError::Type(_) => None,
    };
    place.unwrap_or_else(|| fields.op_place())
}

/// Replaces `fold` by that of the user, and applies the user's `finish` to the result.
fn with(own: Operation, fold: Option<Typed>, finish: Option<Typed>) -> Option<Operation> {
    let folded = [own.acc.params(functions::ACC), own.inputs.clone()].concat();
    let fold = match fold {
        Some(fold) => Some(functions::of_stored(&fold.func, &folded).ok()?),
        None => own.fold.clone(),
    };
    let Some(Typed { func, result, .. }) = finish else { return Some(Operation { fold, ..own }) };
    let finish = functions::of_stored(&func, &own.output.params(functions::ACC));
    let finish = finish.and_then(|finish| functions::compose(&own.finish, &finish));
    let finish = finish.and_then(|finish| functions::canonical(&finish));
    Operation { fold, ..own }.finishing(finish.ok()?, result).ok()
}
