//! Closures to typed functions, with the types of rustc: heads are checked against the role, bodies are
//! inferred.

mod array;
mod exits;
mod flow;
mod lower;
mod method;
mod range;
mod trim;

pub(super) use lower::Definition;

use super::closure::Lambda;
use super::constants::Constants;
use super::device::{Constant, Reader};
use super::diagnostic::{Errors, Extent, spelled};
use super::form::Form;
use super::hygiene::Name;
use super::role::Role;
use super::types::{Ty, Types};
use proc_macro2::TokenStream;
use quote::ToTokens;
use reduce_ir::func::{Func, Param};
use reduce_ir::operation::Record;

/// A typed closure.
pub(super) struct Typed {
    /// The function of the parameters of the role and of the free names that it uses. It computes positions along axes.
    pub(super) func: Func,
    /// The same function, of positions along axes.
    pub(super) written: Func,
    pub(super) result: Record,
    /// The Rust type of the result, unless it is a scalar or a plain struct.
    pub(super) form: Option<Form>,
    /// The types of the written parameters.
    pub(super) params: Vec<Record>,
    /// The constants of the user, which are parameters by name.
    pub(super) constants: Vec<Outer>,
}

/// A constant of the user. Functions have a parameter for it, whose value the expansion of the macro passes.
#[derive(Clone)]
pub(super) struct Outer {
    /// The expression that rustc evaluates.
    pub(super) tokens: TokenStream,
    pub(super) param: Param,
    /// The number of scalars, if its value is assumed.
    count: usize,
    local: usize,
}

impl Outer {
    fn new(constant: Constant, types: &Types) -> Outer {
        let Constant { tokens, name, local, ty } = constant;
        let element = types.fields(ty).first().map_or(ty, |(_, element)| *element);
        Outer { tokens, param: Param::new(name, types.scalar(element)), count: types.width(ty), local }
    }
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
    let mut apart = Vec::new();
    for (position, param) in lambda.params.iter().enumerate() {
        let ty = role.params.get(position).and_then(|(_, ty)| ty.as_ref());
        let ty = ty.map_or(Ty::Unknown, |ty| reader.types.of_record(ty));
        let local = reader.bind_as(param.name.as_ref().map(Name::of), ty, param.is_mutable);
        apart.extend(param.pat.as_ref().map(|pat| (local, ty, pat)));
    }
    let (body, ty) = reader.body(&lambda.body, role, &apart);
    let (types, locals, constants) = (reader.types, reader.locals, reader.constants);
    // Unless the result has its type, the program knows better.
    let is_unknown = |constant: &&Constant| {
        types.is_open(constant.ty) && (matches!(*role.constants, Constants::Open) || types.is_open(ty))
    };
    for constant in constants.iter().filter(is_unknown) {
        let name = spelled(&constant.tokens);
        errors
            .add(Extent::of(&constant.tokens), format!("the type of {name} is not known here"))
            .help("give it to a `let` with a type, as in `let k: f32 = K;`");
    }
    let constants: Vec<_> = constants.into_iter().map(|it| Outer::new(it, &types)).collect();
    if !heads_fit(lambda, role, errors) || errors.count() > before {
        return None;
    }
    let params: Option<Vec<_>> =
        role.params.iter().take(lambda.params.len()).map(|(_, ty)| ty.clone()).collect();
    let params = params?;
    let func =
        lower::function(&body, (&types, &locals, &constants), role, lambda.params.len(), definition, errors)?;
    let form = Some(types.form(ty)).filter(|form| !form.is_flat());
    let constants = if matches!(*role.constants, Constants::Open) { constants } else { Vec::new() };
    Some(Typed { written: func.clone(), func, result: types.record(ty), form, params, constants })
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
            let form = role.forms.iter().find(|form| form.record() == *ty);
            let spelled = written.to_token_stream().to_string().replace(' ', "");
            let is_form = form.is_some_and(|form| form.to_string().replace(' ', "") == spelled);
            if spelled != name && !is_form {
                let shown = form.map_or(name, Form::to_string);
                errors.add(Extent::of(written), format!("this parameter is {shown}; leave its type out"));
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
