//! Closures as written: the head, and the body before typing.
#![allow(clippy::wildcard_enum_match_arm, reason = "the enums of syn are not ours, and grow")]

use super::diagnostic::{Errors, Extent, between};
use super::form::Form;
use super::keywords;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use reduce_ir::Scalar;
use reduce_ir::operation::Record;
use syn::{Expr, ExprClosure, Pat, ReturnType, Type};

/// A closure of the user with its required types, for rustc to check.
#[derive(Clone, Debug)]
pub struct Closure {
    /// The closure as written; for `identity`, one without parameters.
    pub tokens: TokenStream,
    /// The types of its parameters.
    pub params: Vec<Record>,
    /// The type of its result.
    pub result: Record,
    /// The names that `params` and `index` add to its scope.
    pub free: Vec<(Ident, Scalar)>,
    /// The Rust types of records that are no plain structs.
    pub forms: Vec<Form>,
}

/// A closure as written.
pub(super) struct Lambda {
    pub(super) tokens: TokenStream,
    pub(super) params: Vec<LambdaParam>,
    /// From `|` to `|`.
    pub(super) head: Extent,
    pub(super) body: Expr,
}

/// A parameter of a closure.
pub(super) struct LambdaParam {
    /// The name; `None` for `_` and for patterns.
    pub(super) name: Option<Ident>,
    pub(super) is_mutable: bool,
    /// A pattern that takes the parameter apart.
    pub(super) pat: Option<Pat>,
    /// The type the user wrote, if any.
    pub(super) ty: Option<Type>,
    pub(super) place: Extent,
}

impl Lambda {
    /// Reads a closure; `None` if its head is wrong.
    pub(super) fn read(closure: &ExprClosure, errors: &mut Errors) -> Option<Lambda> {
        let plain = plain(closure, errors);
        let params: Vec<_> = closure.inputs.iter().map(|pat| LambdaParam::read(pat, errors)).collect();
        let params: Option<Vec<_>> = params.into_iter().collect();
        let names: Vec<_> = params.iter().flatten().filter_map(|param| param.name.as_ref()).collect();
        let distinct = distinct(&names, errors);
        let head = between(&closure.inputs_begin, &closure.inputs_end);
        let (tokens, body) = (closure.to_token_stream(), (*closure.body).clone());
        (plain && distinct).then_some(Lambda { tokens, params: params?, head, body })
    }

    /// Wraps an expression without parameters.
    pub(super) fn constant(body: &Expr) -> Lambda {
        Lambda { tokens: quote!(|| #body), params: Vec::new(), head: Extent::of(body), body: body.clone() }
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
            Pat::Wild(_) => Some(LambdaParam { name: None, is_mutable: false, pat: None, ty, place }),
            Pat::Tuple(_) | Pat::Slice(_) | Pat::Struct(_) => {
                Some(LambdaParam { name: None, is_mutable: false, pat: Some(pat.clone()), ty, place })
            }
            Pat::Ident(name) if keywords::is_keyword(&name.ident.to_string()) => {
                errors.add(place, keywords::keyword(&name.ident.to_string()));
                None
            }
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                let is_mutable = name.mutability.is_some();
                Some(LambdaParam { name: Some(name.ident.clone()), is_mutable, pat: None, ty, place })
            }
            _ => {
                errors.add(place, "a parameter is a plain name, as in `|x|`");
                None
            }
        }
    }
}

/// Reports every part of the head other than a bare `|x| body`.
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
