//! Closures → typed functions, as rustc types them: heads against what the field says, bodies by inference.

mod lower;
mod tree;
mod types;

pub(super) use tree::{Ex, Kind, Let};
pub(super) use types::{Ty, Types};

use super::closure::Lambda;
use super::device::{Reader, converted};
use super::diagnostic::{Errors, Extent};
use super::hygiene::Name;
use quote::ToTokens;
use reduce_ir::Scalar;
use reduce_ir::func::{Func, Param};
use reduce_ir::operation::Record;

/// Whose text it is, and so what it may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// That of the macro, which rustc reads too.
    Rust,
    /// That of the command line and of files.
    Text,
    /// That of the table of operators.
    Row,
}

impl Dialect {
    pub(super) fn is_row(self) -> bool {
        self == Dialect::Row
    }
}

/// What a closure is for, and so what it sees.
pub(super) struct Role {
    /// The field.
    pub(super) name: &'static str,
    pub(super) dialect: Dialect,
    /// What its parameters stand for, in order, with their types; no type is one that is wrong elsewhere.
    pub(super) params: Vec<(String, Option<Record>)>,
    /// How many parameters at the end may be left out.
    pub(super) optional: usize,
    /// Scalars that are in scope by their names.
    pub(super) free: Vec<(Name, Param)>,
    /// Is one of them the position?
    pub(super) has_index: bool,
    /// Are there others, which are wrong elsewhere, so that a name that is unknown is no error?
    pub(super) lacks_names: bool,
    /// Names that other closures see.
    pub(super) hidden: Vec<Hidden>,
    /// The structs.
    pub(super) records: Vec<Record>,
    /// Are there structs that are wrong elsewhere, so that one that is unknown is no error?
    pub(super) lenient: bool,
    /// A struct that is unknown becomes one, if it has none of these names; `None`: it is wrong.
    pub(super) defines: Option<Vec<String>>,
    /// The type of its result, and whose type that is; `None`: any.
    pub(super) result: Option<(Record, &'static str)>,
    /// A type for examples.
    pub(super) number: Scalar,
}

/// A name that other closures see.
pub(super) struct Hidden {
    pub(super) name: String,
    pub(super) help: &'static str,
}

impl Hidden {
    pub(super) fn message(&self, role: &str) -> String {
        format!("`{role}` does not see `{}`", self.name)
    }
}

/// A closure with its types.
pub(super) struct Typed {
    /// The function of what the role says and of the free names that it uses.
    pub(super) func: Func,
    pub(super) result: Record,
    /// The types of the parameters that are written.
    pub(super) params: Vec<Record>,
}

/// Types a closure; `None` if something is wrong, in it or in what it depends on.
pub(super) fn closure(lambda: &Lambda, role: &Role, errors: &mut Errors) -> Option<Typed> {
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
    let func = lower::function(&body, &types, role, lambda.params.len(), errors)?;
    Some(Typed { func, result: types.record(ty), params })
}

/// The body, which must have the type that the role says.
fn result(body: Ex, role: &Role, reader: &mut Reader<'_>) -> Ex {
    let Some((want, whose)) = &role.result else { return body };
    let want = reader.types.of_record(want);
    let name = role.name;
    reader.expect(&body, want, |found, wanted| {
        (format!("`{name}` gives {whose}, {wanted}, and this is {found}"), converted(found, wanted))
    });
    Ex { ty: want, ..body }
}

/// Are there as many parameters as the role has, of the types and in the order that it says?
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
            let message = format!("parameters have the order of the inputs; this one is `{own}`");
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

impl Role {
    /// Do its parameters have names that users gave?
    fn is_ordered(&self) -> bool {
        matches!(self.name, "map" | "fold")
    }
}

fn counted(count: usize) -> String {
    match count {
        0 => "no parameters".to_owned(),
        1 => "1 parameter".to_owned(),
        count => format!("{count} parameters"),
    }
}
