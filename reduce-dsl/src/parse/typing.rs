//! Closures to typed functions, with the types of rustc: heads are checked against the role, bodies are
//! inferred.

mod lower;
mod trim;

pub(super) use lower::Definition;

use super::closure::Lambda;
use super::device::{Reader, converted};
use super::diagnostic::{Errors, Extent};
use super::hygiene::Name;
use super::role::Role;
use super::tree::Ex;
use super::types::Ty;
use quote::ToTokens;
use reduce_ir::func::Func;
use reduce_ir::operation::Record;

/// A typed closure.
pub(super) struct Typed {
    /// The function of the parameters of the role and of the free names that it uses. It computes positions along axes.
    pub(super) func: Func,
    /// The same function, of positions along axes.
    pub(super) written: Func,
    pub(super) result: Record,
    /// The types of the written parameters.
    pub(super) params: Vec<Record>,
}

/// Types a closure; `None` if the closure or one of its dependencies is wrong. `definition` reads the texts of
/// methods, which are closures themselves.
pub(super) fn closure(
    lambda: &Lambda,
    role: &Role,
    definition: Definition,
    errors: &mut Errors,
) -> Option<Typed> {
    let before = errors.count();
    let mut reader = Reader::new(role, errors);
    role.free.iter().for_each(|(name, free)| {
        reader.bind(Some(name.clone()), Ty::Scalar(free.ty));
    });
    for (position, param) in lambda.params.iter().enumerate() {
        let ty = role.params.get(position).and_then(|(_, ty)| ty.as_ref());
        let ty = ty.map_or(Ty::Unknown, |ty| reader.types.of_record(ty));
        reader.bind(param.name.as_ref().map(Name::of), ty);
    }
    let body = reader.read(&lambda.body, None, 0);
    let body = result(body, role, &mut reader);
    let (types, ty) = (reader.types, body.ty);
    if !heads_fit(lambda, role, errors) || errors.count() > before {
        return None;
    }
    let params: Option<Vec<_>> =
        role.params.iter().take(lambda.params.len()).map(|(_, ty)| ty.clone()).collect();
    let params = params?;
    let func = lower::function(&body, &types, role, lambda.params.len(), definition, errors)?;
    Some(Typed { written: func.clone(), func, result: types.record(ty), params })
}

/// Checks that the body has the result type of the role.
fn result(body: Ex, role: &Role, reader: &mut Reader<'_>) -> Ex {
    let Some((want, whose)) = &role.result else { return body };
    let want = reader.types.of_record(want);
    let name = role.name;
    reader.expect(&body, want, |found, wanted| {
        (format!("`{name}` gives {whose}, {wanted}, and this is {found}"), converted(found, wanted))
    });
    Ex { ty: want, ..body }
}

/// Checks the number, the types and the order of the parameters against the role.
fn heads_fit(lambda: &Lambda, role: &Role, errors: &mut Errors) -> bool {
    let (most, found) = (role.params.len(), lambda.params.len());
    let least = most - role.optional;
    if !(least..=most).contains(&found) {
        let names: Vec<_> = role.params.iter().map(|(name, _)| name.as_str()).collect();
        let takes = match (least, role.optional) {
            (_, 0) => format!("`|{}|`", names.join(", ")),
            (_, _) => format!("`|{}|` or `|{}|`", names[..least].join(", "), names.join(", ")),
        };
        let message = format!("this closure has {}, and `{}` takes {takes}", counted(found), role.name);
        errors.add(lambda.head, message);
        return false;
    }
    let mut fits = true;
    for (param, (own, ty)) in lambda.params.iter().zip(&role.params) {
        let name = param.name.as_ref().map(ToString::to_string);
        let of_another = |(other, _): &(String, _)| Some(other) == name.as_ref() && other != own;
        if role.params[..most - role.optional].iter().any(of_another) && role.is_ordered() {
            let message = format!("parameters follow the order of the inputs; this one must be `{own}`");
            errors.add(param.place, message);
            fits = false;
        }
        if let (Some(written), Some(ty)) = (&param.ty, ty) {
            let name = ty.name.clone().unwrap_or_else(|| ty.text());
            if written.to_token_stream().to_string() != name {
                errors.add(Extent::of(written), format!("this parameter is {name}; leave its type out"));
                fits = false;
            }
        }
    }
    fits
}

fn counted(count: usize) -> String {
    match count {
        0 => "no parameters".to_owned(),
        1 => "1 parameter".to_owned(),
        count => format!("{count} parameters"),
    }
}
