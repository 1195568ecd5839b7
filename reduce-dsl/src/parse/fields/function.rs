//! Functions as operators: `op: f32::max`, or the name of a helper function. They become closures.

use super::{Fields, Op};
use crate::parse::diagnostic::{Errors, Extent};
use crate::parse::{forms, names};
use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Expr, ExprClosure, Path};

/// Functions with two arguments of the type that they belong to, and the constant of the type that is neutral.
const NEUTRAL: [(&str, [&str; 2]); 3] =
    [("max", ["NAN", "MIN"]), ("min", ["NAN", "MAX"]), ("hypot", ["0.0", "0"])];

/// Replaces a function by a closure that calls it, and adds the identity of a function of the standard library.
pub(super) fn expand(fields: &mut Fields, errors: &mut Errors) {
    match &fields.op {
        Some(Op::Name(name)) if fields.helpers.iter().any(|helper| helper.sig.ident == *name) => {
            fields.op = closure(name).map(|it| Op::Closure(Box::new(it)));
        }
        Some(Op::Function(path)) => {
            let path = path.clone();
            expand_path(fields, &path, errors);
        }
        Some(Op::Name(_) | Op::Closure(_)) | None => {}
    }
}

fn expand_path(fields: &mut Fields, path: &Path, errors: &mut Errors) {
    let segments: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    let scalar = match segments.as_slice() {
        [ty, name] => forms::scalar(ty).filter(|_| names::is_method(name)),
        _ => None,
    };
    fields.op = None;
    let Some(ty) = scalar else {
        let name = segments.last().map(String::as_str).unwrap_or_default();
        let help =
            match names::operator(OPERATORS.iter().find(|(own, _)| *own == name).map_or(name, |it| it.1)) {
                Ok(row) => format!("write `op: {}`", row.name),
                Err(_) => "write the name of an operator, as in `op: sum`, or a closure".to_owned(),
            };
        errors.add(Extent::of(path), "this function is no operator here").help(help);
        return;
    };
    fields.op = closure(path).map(|it| Op::Closure(Box::new(it)));
    fields.op_type = Some(ty);
    let neutral = NEUTRAL.iter().find(|(name, _)| segments.last().is_some_and(|last| last == name));
    if let (Some((_, [float, integer])), false) = (neutral, fields.has("identity")) {
        let constant = if ty.is_float() { float } else { integer };
        let text =
            if constant.starts_with('0') { (*constant).to_owned() } else { format!("{ty}::{constant}") };
        let tokens: Option<TokenStream> = text.parse().ok();
        fields.identity = tokens.and_then(|tokens| syn::parse2::<Expr>(tokens).ok());
        fields.written.push(Ident::new("identity", path.span()));
    }
}

/// Functions of `std::ops`, and the operators that they are.
const OPERATORS: [(&str, &str); 6] = [
    ("add", "sum"),
    ("mul", "prod"),
    ("bitand", "and"),
    ("bitor", "or"),
    ("bitxor", "xor"),
    ("wrapping_add", "sum"),
];

fn closure(function: &(impl quote::ToTokens + Spanned)) -> Option<ExprClosure> {
    syn::parse2(quote_spanned!(function.span()=> |a, b| #function(a, b))).ok()
}
