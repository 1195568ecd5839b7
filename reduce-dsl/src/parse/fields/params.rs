//! The field `params`.

use super::syntax::{DOCUMENTED, error, word};
use crate::parse::diagnostic::Extent;
use proc_macro2::{Ident, TokenStream};
use syn::parse::ParseStream;
use syn::{Expr, Token, braced, token};

const WHOLE: &str = "`params` names scalars and their types, as in `params: { k: f32 }`";
const NAME: &str = "expected the name of a param, as in `k: f32`";
const TYPE: &str = "expected the type of the param, as in `k: f32`";
const NEXT: &str = "expected `,` and the next param";

/// `Bounds { lo: f32, hi: f32 = 1.0 }`, with or without the name.
pub(crate) struct Params {
    /// The name of their struct.
    pub(crate) name: Option<Ident>,
    pub(crate) place: Extent,
    pub(crate) params: Vec<WrittenParam>,
}

/// `hi: f32 = 1.0`.
pub(crate) struct WrittenParam {
    pub(crate) name: Ident,
    pub(crate) ty: Ident,
    pub(crate) default: Option<Expr>,
}

pub(super) fn params(input: ParseStream) -> syn::Result<Params> {
    let name = if input.peek(token::Brace) { None } else { Some(word(input, WHOLE)?) };
    if !input.peek(token::Brace) {
        let place = name.as_ref().map_or_else(|| input.span(), Ident::span);
        return Err(syn::Error::new(place, WHOLE));
    }
    let content;
    let brace = braced!(content in input);
    let params = all(&content);
    // Tokens left over would be reported a second time.
    content.parse::<TokenStream>()?;
    Ok(Params { name, place: brace.span.join().into(), params: params? })
}

fn all(input: ParseStream) -> syn::Result<Vec<WrittenParam>> {
    let mut params = Vec::new();
    while !input.is_empty() {
        params.push(one(input)?);
        if !(input.is_empty() || input.peek(Token![,])) {
            return Err(error(input, NEXT));
        }
        input.parse::<Option<Token![,]>>()?;
    }
    Ok(params)
}

fn one(input: ParseStream) -> syn::Result<WrittenParam> {
    if input.peek(Token![#]) {
        return Err(error(input, DOCUMENTED));
    }
    let name = word(input, NAME)?;
    if !input.peek(Token![:]) {
        return Err(syn::Error::new(name.span(), format!("expected a type too, as in `{name}: f32`")));
    }
    input.parse::<Token![:]>()?;
    let ty = word(input, TYPE)?;
    let default = if input.parse::<Option<Token![=]>>()?.is_some() { Some(input.parse()?) } else { None };
    Ok(WrittenParam { name, ty, default })
}
