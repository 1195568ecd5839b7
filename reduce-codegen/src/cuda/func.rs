//! The functions of an operation as device functions: `map`, `combine`, `fold`, `identity`, `finish`.

mod body;
mod text;
mod values;

use super::helpers;
use super::spelling::{Spell, library_spelling, spelling};
use super::types::{literal, record, scalar};
use body::body;
use reduce_ir::func::{Func, Param};
use reduce_ir::operation::{Argument, Operation, Record};
use reduce_ir::{Scalar, Value};

/// The qualifiers of every device function.
pub(super) const INLINE: &str = "__device__ __forceinline__";

/// Returns the functions that the kernels call, after the helpers that these call. Kernels without accumulators call `slot_of` only.
pub(super) fn functions(operation: &Operation, has_accs: bool) -> String {
    if !has_accs {
        return operation.key.as_ref().map_or_else(String::new, |key| slot_of(key, &operation.acc));
    }
    let Operation { acc, map, combine, fold, finish, fill, .. } = operation;
    let output = &operation.stored();
    let mut text = helpers::helpers(printed(operation));
    text.push_str(&on_elements([map, combine], fold.as_ref(), acc));
    text.extend(operation.key.as_ref().map(|key| slot_of(key, acc)));
    text.extend(fill.as_ref().map(|values| identity("identity", acc, values)));
    if !gives_acc(operation) {
        text.push_str(&function("finish", finish, acc, output));
    }
    text
}

/// Returns the functions that make accumulators of elements, and one accumulator of two.
fn on_elements([map, combine]: [&Func; 2], fold: Option<&Func>, acc: &Record) -> String {
    let map = (!is_plain(map, acc)).then(|| function("map", map, acc, acc));
    let fold = fold.map(|fold| function("fold", fold, acc, acc));
    let all = [map, Some(function("combine", combine, acc, acc)), fold];
    all.into_iter().flatten().collect()
}

/// Returns the function that gives the number of an element's group.
fn slot_of(key: &Func, acc: &Record) -> String {
    function("slot_of", key, acc, &Record::scalar(Scalar::U32))
}

/// Returns whether `map` returns its only scalar, so that no call is printed.
pub(super) fn is_plain(map: &Func, acc: &Record) -> bool {
    map.is_identity() && acc.is_scalar()
}

/// Returns whether `finish` returns the accumulator, so that no call is printed.
pub(super) fn gives_acc(operation: &Operation) -> bool {
    operation.finish.is_identity() && operation.acc.name == operation.stored().name
}

/// Returns a device function. Parameters with fields are accumulators.
pub(super) fn function(name: &str, func: &Func, acc: &Record, result: &Record) -> String {
    spelled(name, func, [acc, result], spelling)
}

/// Returns the device function of a function of the library.
pub(super) fn library_function(name: &str, func: &Func) -> String {
    let scalar = Record::scalar(func.params()[0].ty);
    spelled(name, func, [&scalar, &scalar], library_spelling)
}

fn spelled(name: &str, func: &Func, [acc, result]: [&Record; 2], spell: Spell) -> String {
    let (params, body) = (parameters(func, acc), body(func, [acc, result], spell));
    format!("\n{INLINE} {} {name}({params})\n{{\n{body}}}\n", record(result))
}

/// Returns the functions that are printed.
fn printed(operation: &Operation) -> impl Iterator<Item = &Func> {
    let finish = (!gives_acc(operation)).then_some(&operation.finish);
    [&operation.map, &operation.combine]
        .into_iter()
        .chain(&operation.fold)
        .chain(&operation.key)
        .chain(finish)
}

/// Returns `Best a, Best b`, or `float x, unsigned long long index`.
fn parameters(func: &Func, acc: &Record) -> String {
    let mut all: Vec<String> = Vec::new();
    for Param { name, ty } in func.params() {
        let declared = match name.split_once('.') {
            None => format!("{} {}", scalar(*ty), name),
            Some((of, _)) => format!("{} {}", record(acc), of),
        };
        if all.last() != Some(&declared) {
            all.push(declared);
        }
    }
    all.join(", ")
}

/// Returns the function for the fill of absent elements. If only its bits are printed, a remark shows the value.
fn identity(function: &str, acc: &Record, values: &[Value]) -> String {
    let fields: Vec<_> = values.iter().map(|&value| literal(value)).collect();
    let shown: Vec<_> = values.iter().map(ToString::to_string).collect();
    let name = record(acc);
    let value = if acc.is_scalar() { fields.join(", ") } else { format!("{name}{{{}}}", fields.join(", ")) };
    let remark = if value.contains("0x") { format!("  // {}", shown.join(", ")) } else { String::new() };
    format!("\n{INLINE} {name} {function}() {{ return {value}; }}{remark}\n")
}

/// Returns the function that gives the result of a segment without elements: the value of `empty`, or the finished identity.
pub(super) fn nothing(operation: &Operation) -> String {
    let stored = operation.stored();
    let params: Vec<_> = operation.params.iter().map(|it| format!("{} {}", scalar(it.ty), it.name)).collect();
    let head = format!("\n{INLINE} {} nothing({})", record(&stored), params.join(", "));
    let body = match (operation.stored_empty(), &operation.identity) {
        (Some(values), _) => value_of(&stored, &values),
        (None, Some(values)) if gives_acc(operation) => value_of(&operation.acc, values),
        (None, values) => {
            let acc = value_of(&operation.acc, values.as_deref().unwrap_or_default());
            let given = |argument: &Argument| match *argument {
                Argument::Count => Some("0".to_owned()),
                Argument::Param(param) => Some(operation.params[param].name.clone()),
                Argument::Acc(_)
                | Argument::Input(_)
                | Argument::Index
                | Argument::Group
                | Argument::Step => None,
            };
            let rest = operation.finish_arguments();
            let all: Vec<_> = [acc].into_iter().chain(rest.iter().filter_map(given)).collect();
            format!("finish({})", all.join(", "))
        }
    };
    format!("{head} {{ return {body}; }}\n")
}

/// Returns a record of these values.
fn value_of(of: &Record, values: &[Value]) -> String {
    let fields: Vec<_> = values.iter().map(|&value| literal(value)).collect();
    if of.is_scalar() { fields.join(", ") } else { format!("{}{{{}}}", record(of), fields.join(", ")) }
}
