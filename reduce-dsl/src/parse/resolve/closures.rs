//! Operators that are closures of the user.

use super::super::absent::{self, Absent};
use super::super::diagnostic::{Errors, Extent};
use super::super::fields::{Acc, Fields};
use super::super::functions::{self, Functions};
use super::super::scope::{FIELDS, Scope};
use super::super::typing::Typed;
use super::super::value_text::record_text;
use super::super::written::Written;
use super::super::{check_laws, empty, identity};
use super::draft::Draft;
use crate::laws::{Law, Subject};
use crate::recognise::recognise;
use proc_macro2::Ident;
use reduce_ir::func::{Func, Param};
use reduce_ir::operation::{Operation, Order, Record, Starts};
use reduce_ir::spec::Spelling;
use reduce_ir::{Scalar, constants};
use syn::ExprClosure;

/// The name of an operator that is a closure.
const NAME: &str = "closure";

/// Reads the operation. Without `op`, only errors are reported.
pub(super) fn draft(
    op: Option<&ExprClosure>,
    fields: &Fields,
    scope: &Scope,
    errors: &mut Errors,
) -> Option<Draft> {
    let declared = scope.acc.clone().then(|acc| declared(acc, fields, errors));
    let records = declared.value().filter(|record| !record.is_scalar());
    let mut functions = Functions::new(scope, records.cloned().into_iter().collect());
    if op.is_some() {
        no_choices(fields, errors);
    }
    let map = map(&mut functions, &declared, fields, scope, errors);
    let absent = Absent::read(fields, &mut functions, errors);
    let acc = match (declared, &map) {
        (Written::Is(acc), _) => Some(acc),
        (Written::Absent, Some(map)) => Some(map.result.clone()),
        (Written::Absent | Written::Wrong, _) => None,
    };
    if let Some(acc) = acc.as_ref().filter(|acc| acc.fields.len() > FIELDS) {
        let message = format!("an accumulator has at most {FIELDS} scalars, not {}", acc.fields.len());
        let place = fields.map.as_ref().map_or_else(|| fields.op_place(), |map| Extent::of(&map.body));
        errors.add(place, message).help("accumulators live in registers");
        return None;
    }
    if let (Some(ty), Some(acc)) = (fields.op_type, &acc)
        && *acc != Record::scalar(ty)
    {
        let message = format!("this is a function of {ty}, and the accumulator is {}", acc.text());
        errors.add(fields.op_place(), message).help("write the type of the accumulator, or convert in `map`");
        return None;
    }
    let op = fields.lambda("op", op, errors).then(|op| functions.op(&op, acc.as_ref(), errors));
    let fold = fields.lambda("fold", fields.fold.as_ref(), errors);
    let fold = fold.then(|fold| functions.fold(&fold, acc.as_ref(), errors));
    let known = acc.as_ref().filter(|_| fields.op.is_some());
    let identity = known.and_then(|acc| identity::written(fields, acc, &mut functions, errors));
    let finish = fields.lambda("finish", fields.finish.as_ref(), errors);
    let finish = finish.then(|finish| {
        absent::refuse_count(&finish, fields, errors);
        functions.finish(&finish, acc.as_ref(), errors)
    });
    let result = match &finish {
        Written::Is(finish) => Some(&finish.result),
        Written::Absent => acc.as_ref(),
        Written::Wrong => None,
    };
    let empty = empty::read(fields, result, &mut functions, errors);
    let (acc, map, op, identity) = (acc?, map?, op.right()??, identity?);
    let (fold, finish, absent) = (fold.right()?, finish.right()?, absent?);
    let empty = empty.right()?;
    let parts = Parts { acc, map, op: op.func, fold, finish };
    let operation = recognise(parts.operation(scope, identity)?);
    absent.check_nan(fields, &operation.inputs, None, errors);
    let keep = absent.of_closure(&operation.inputs).ok()?.keep;
    let subject = checked(Subject { operation, keep }, fields, scope, errors)?;
    let spelling = parts.spelling(&subject.operation, &absent, fields, scope);
    let (empty, text) = empty.map(|it| (it.values, it.text)).unzip();
    let spelling = Spelling { empty: text, ..spelling };
    let present = subject.keep.clone();
    let closures = functions.closures;
    let lacks_identity = false;
    Some(Draft { subject, present, starts: Starts::FromElement, lacks_identity, empty, spelling, closures })
}

/// Checks the laws. If the identity is wrong and the operator is recognised, the help states the right
/// identity.
fn checked(subject: Subject, fields: &Fields, scope: &Scope, errors: &mut Errors) -> Option<Subject> {
    let Operation { fill, acc, .. } = &subject.operation;
    let own = fill.as_ref().map(|own| record_text(own, acc));
    let subject = check_laws::check_laws(subject, fields, scope, errors);
    if let (None, Some(own), Some(error)) = (&subject, own, errors.last())
        && error.broken.as_ref().is_some_and(|broken| broken.law == Law::Identity)
    {
        error.help = Some(format!("write `identity: {own}`, which is neutral"));
    }
    subject
}

/// The typed functions, before they are converted for an [`Operation`].
struct Parts {
    acc: Record,
    map: Map,
    op: Func,
    fold: Option<Typed>,
    finish: Option<Typed>,
}

/// Inputs in their compute types → accumulator.
struct Map {
    func: Func,
    /// As in [`Typed`].
    written: Func,
    result: Record,
    is_written: bool,
}

impl Parts {
    fn operation(&self, scope: &Scope, identity: Option<Vec<reduce_ir::Value>>) -> Option<Operation> {
        let inputs = scope.inputs.clone()?;
        let folded = [&self.acc.params(functions::ACC), &*inputs].concat();
        let fold = self.fold.as_ref().map(|fold| functions::of_stored(&fold.func, &folded));
        let finish = match &self.finish {
            Some(finish) => functions::canonical(&finish.func),
            None => functions::canonical(&functions::unchanged(&self.acc, "acc")),
        };
        Some(Operation {
            name: NAME.to_owned(),
            params: scope.free_params().collect(),
            measures: scope.along.measures(),
            index: scope.index.as_ref().map_or_else(|| Operation::INDEX.to_owned(), Ident::to_string),
            key: None,
            position: Scalar::U64,
            map: functions::of_stored(&self.map.func, &inputs).ok()?,
            combine: self.op.clone(),
            fold: fold.transpose().ok()?,
            identity,
            fill: None,
            commutative: false,
            exact: false,
            named: false,
            searches: Vec::new(),
            order: Order::default(),
            finish: finish.ok()?,
            output: self.finish.as_ref().map_or_else(|| self.acc.clone(), |finish| finish.result.clone()),
            empty: None,
            nothing: None,
            asserts: false,
            acc: self.acc.clone(),
            inputs,
        })
    }

    fn spelling(&self, operation: &Operation, absent: &Absent, fields: &Fields, scope: &Scope) -> Spelling {
        let names = scope.names();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let identity = operation.identity.as_ref().map(|values| record_text(values, &self.acc));
        Spelling {
            filter: absent.spelling(&names),
            nan: fields.nan.as_ref().map(ToString::to_string).filter(|nan| nan != "propagate"),
            map: self.map.is_written.then(|| self.map.written.closure(&self.acc, &self.acc, &names)),
            acc: (!self.acc.is_scalar()).then(|| self.acc.text()),
            op: self.op.closure(&self.acc, &self.acc, &[]),
            fold: self.fold.as_ref().map(|fold| fold.written.closure(&self.acc, &self.acc, &names)),
            identity: Some(identity.unwrap_or_else(|| "none".to_owned())),
            commutative: fields.commutative.as_ref().map(|it| it.value),
            finish: self.finish.as_ref().map(|finish| finish.func.closure(&self.acc, &finish.result, &names)),
            ..Spelling::default()
        }
    }
}

/// Returns the accumulator, unless closures cannot compute in its types.
fn declared(acc: Record, fields: &Fields, errors: &mut Errors) -> Option<Record> {
    let Some(field) = acc.fields.iter().find(|field| field.ty.is_half()) else { return Some(acc) };
    let place = fields.acc.as_ref().map_or_else(Extent::whole, Acc::place);
    let message = format!("{} is for elements; closures compute in f32", field.ty);
    errors.add(place, message).help("write `acc: f32`");
    None
}

/// Reports `ties`, which only rows offer.
fn no_choices(fields: &Fields, errors: &mut Errors) {
    let is_last = fields.ties.as_ref().is_some_and(|ties| ties == "last");
    let winner = if is_last { "`if b >= a { b } else { a }`" } else { "`if b > a { b } else { a }`" };
    if let Some(place) = fields.name("ties") {
        let message = "`ties` is for named operators; write it in the closure";
        errors.add(place.span(), message).help(format!("as in {winner}"));
    }
}

/// Reads `map`; without it, returns the function that keeps the element.
fn map(
    functions: &mut Functions<'_>,
    declared: &Written<Record>,
    fields: &Fields,
    scope: &Scope,
    errors: &mut Errors,
) -> Option<Map> {
    let want = declared.value();
    match fields.lambda("map", fields.map.as_ref(), errors) {
        Written::Is(map) => {
            let Typed { func, written, result, .. } = functions.map(&map, want, errors)?;
            Some(Map { func, written, result, is_written: true })
        }
        Written::Wrong => None,
        Written::Absent => {
            let inputs = scope.inputs.as_ref()?;
            let [Param { name, ty }] = inputs.as_slice() else {
                let names: Vec<_> = inputs.iter().map(|input| input.name.as_str()).collect();
                let (head, product) = (names.join(", "), names.join(" * "));
                let help = format!("write one, as in `map: |{head}| {product}`");
                errors
                    .add(
                        fields.op_place(),
                        "several inputs need a `map` that combines them into an accumulator",
                    )
                    .help(help);
                return None;
            };
            let element = Record::scalar(ty.compute());
            if let Some(acc) = want.filter(|acc| **acc != element) {
                let (message, help) = no_map(name, &element, acc);
                errors.add(fields.acc.as_ref().map_or_else(Extent::whole, Acc::place), message).help(help);
                return None;
            }
            let func = functions::unchanged(&element, name);
            Some(Map { written: func.clone(), func, result: element, is_written: false })
        }
    }
}

/// Returns the text that converts an element to the accumulator's type.
fn converted(input: &str, element: Scalar, acc: Scalar) -> String {
    match (element, acc) {
        (_, Scalar::Bool) => format!("{input} != {}", constants::zero(element)),
        (Scalar::Bool, acc) if acc.is_float() => format!("if {input} {{ 1.0 }} else {{ 0.0 }}"),
        (_, acc) => format!("{input} as {acc}"),
    }
}

/// Returns the error and its help for an accumulator that differs from the element without a `map`.
fn no_map(input: &str, element: &Record, acc: &Record) -> (String, String) {
    let name = acc.name.clone().unwrap_or_else(|| acc.text());
    let message =
        format!("the accumulator is {name}, and an element is {}: `map` is missing", element.text());
    let help = match &acc.name {
        None => {
            let value = converted(input, element.fields[0].ty, acc.fields[0].ty);
            format!("write it, as in `map: |{input}| {value}`")
        }
        Some(_) => {
            let fields: Vec<_> = acc.fields.iter().map(|field| format!("{}: {input}", field.name)).collect();
            format!("write it, as in `map: |{input}| {name} {{ {} }}`", fields.join(", "))
        }
    };
    (message, help)
}
