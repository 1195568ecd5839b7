//! A closure as written: its parameters and its body as a device expression, without types.
#![allow(clippy::wildcard_enum_match_arm, reason = "the enums of syn are not ours, and grow")]

use super::device::{self, Ex};
use super::diagnostic::{Errors, Extent, between};
use super::fields::Fields;
use crate::Scalar;
use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{ExprClosure, Pat, ReturnType, Type};

/// A closure of the user with the types it must have.
#[derive(Clone, Debug)]
pub struct Closure {
    /// The closure, as written.
    pub tokens: TokenStream,
    /// The types of its parameters.
    pub params: Vec<crate::operation::Record>,
    /// The type of its result.
    pub result: crate::operation::Record,
    /// Names in scope.
    pub free: Vec<(Ident, Scalar)>,
}

/// What `map` says.
pub(super) enum Written {
    /// There is no `map`.
    Absent,
    /// It is no closure, or not one for a device; that has been reported.
    Refused,
    /// A closure.
    Closure(Lambda),
}

/// A closure whose body a device can run.
pub(super) struct Lambda {
    pub(super) tokens: TokenStream,
    pub(super) params: Vec<LambdaParam>,
    /// From `|` to `|`.
    pub(super) head: Extent,
    pub(super) body: Ex,
}

/// A parameter of a closure.
pub(super) struct LambdaParam {
    /// Its name; `_` has none.
    pub(super) name: Option<Ident>,
    /// The type the user wrote, if any.
    pub(super) ty: Option<Type>,
    pub(super) place: Extent,
}

impl Written {
    pub(super) fn read(fields: &Fields, errors: &mut Errors) -> Written {
        match &fields.map {
            Some(closure) => Lambda::read(closure, errors).map_or(Written::Refused, Written::Closure),
            None if fields.has("map") => Written::Refused,
            None => Written::Absent,
        }
    }
}

impl Lambda {
    fn read(closure: &ExprClosure, errors: &mut Errors) -> Option<Lambda> {
        let plain = plain(closure, errors);
        let params: Vec<_> = closure.inputs.iter().map(|pat| LambdaParam::read(pat, errors)).collect();
        let params: Option<Vec<_>> = params.into_iter().collect();
        let names: Vec<_> = params.iter().flatten().filter_map(|param| param.name.as_ref()).collect();
        let distinct = distinct(&names, errors);
        // Without its parameters every use of one would look like a capture.
        let names: Vec<_> = params.as_ref()?.iter().map(|param| param.name.as_ref()).collect();
        let body = device::expression(&closure.body, &names, errors)?;
        let head = between(&closure.inputs_begin, &closure.inputs_end);
        let tokens = closure.to_token_stream();
        (plain && distinct).then_some(Lambda { tokens, params: params?, head, body })
    }
}

impl LambdaParam {
    fn read(pat: &Pat, errors: &mut Errors) -> Option<LambdaParam> {
        let (pat, ty) = match pat {
            Pat::Type(typed) => (&*typed.pat, Some((*typed.ty).clone())),
            other => (other, None),
        };
        let place = Extent::of(pat);
        match pat {
            Pat::Wild(_) => Some(LambdaParam { name: None, ty, place }),
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                Some(LambdaParam { name: Some(name.ident.clone()), ty, place })
            }
            _ => {
                errors.add(place, "a parameter is a plain name, as in `|x|`");
                None
            }
        }
    }
}

/// Reports everything between a bare `|x| body` and what is written.
fn plain(closure: &ExprClosure, errors: &mut Errors) -> bool {
    let extra = [
        closure.attrs.first().map(Extent::of),
        closure.lifetimes.as_ref().map(Extent::of),
        closure.constness.as_ref().map(Extent::of),
        closure.asyncness.as_ref().map(Extent::of),
        closure.capture.as_ref().map(Extent::of),
        matches!(closure.output, ReturnType::Type(..)).then(|| Extent::of(&closure.output)),
    ];
    for &at in extra.iter().flatten() {
        errors.add(at, "a closure here is plain, as in `|x| x.abs()`");
    }
    extra.iter().all(Option::is_none)
}

fn distinct(names: &[&Ident], errors: &mut Errors) -> bool {
    let again = |(i, name): &(usize, &&Ident)| names[..*i].contains(*name);
    let mut repeated = names.iter().enumerate().filter(again).map(|(_, name)| name).peekable();
    let distinct = repeated.peek().is_none();
    for name in repeated {
        errors.add(name.span(), format!("two parameters are named `{name}`"));
    }
    distinct
}
