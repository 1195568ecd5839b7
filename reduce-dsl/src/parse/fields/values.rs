//! The values of fields.

use super::syntax::{DOCUMENTED, error, word};
use crate::parse::diagnostic::Extent;
use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Expr, ExprClosure, LitBool, LitInt, Path, Token, Type, TypePath, braced, bracketed, token};

/// `{ x: f32, y: f32 }`.
pub(crate) struct Names {
    pub(crate) place: Extent,
    pub(crate) names: Vec<(Ident, Element)>,
}

/// The type of an element: `f32` or `[f32; 2]`.
pub(crate) struct Element {
    pub(crate) ty: Ident,
    /// The length of an array.
    pub(crate) count: Option<Expr>,
}

/// The value of `acc`.
pub(crate) enum Acc {
    /// `f64`, `(f32, u64)` or `[u32; 16]`.
    Type(Box<Type>),
    /// `Range { lo: f64, hi: f64 }`, and the place of the fields.
    Struct(Path, Vec<(Ident, Type)>, Extent),
}

impl Acc {
    /// Returns the place.
    pub(crate) fn place(&self) -> Extent {
        match self {
            Acc::Type(ty) => Extent::of(&**ty),
            Acc::Struct(path, _, place) => Extent { start: Extent::of(path).start, end: place.end },
        }
    }
}

/// The value of `op`.
pub(crate) enum Op {
    /// `sum`.
    Name(Ident),
    /// `f32::max`.
    Function(Path),
    /// `|a, b| a + b`.
    Closure(Box<ExprClosure>),
}

/// The messages for one kind of names.
pub(super) struct Thing {
    pub(super) whole: &'static str,
    pub(super) name: &'static str,
    pub(super) ty: &'static str,
    pub(super) next: &'static str,
}

pub(super) const INPUTS: Thing = Thing {
    whole: "`inputs` names inputs and their types, as in `inputs: { x: f32, y: f32 }`",
    name: "expected the name of an input, as in `x: f32`",
    ty: "expected the type of the input, as in `x: f32`",
    next: "expected `,` and the next input",
};

const STRUCT: Thing = Thing {
    whole: "`acc` is a type, as in `acc: f64`, or a struct, as in `acc: Range { lo: f64, hi: f64 }`",
    name: "expected the name of a field, as in `lo: f64`",
    ty: "expected the type of the field, as in `lo: f64`",
    next: "expected `,` and the next field",
};

/// Reads `{ x: f32, y: f32 }`.
pub(super) fn names(input: ParseStream, thing: &Thing) -> syn::Result<Names> {
    let (names, place) = typed(input, thing, element)?;
    Ok(Names { place, names })
}

/// Reads `f32` or `[f32; 2]`.
pub(super) fn element(input: ParseStream, expected: &'static str) -> syn::Result<Element> {
    if !input.peek(token::Bracket) {
        return Ok(Element { ty: word(input, expected)?, count: None });
    }
    let content;
    bracketed!(content in input);
    let ty = word(&content, expected)?;
    if !content.peek(Token![;]) {
        return Err(error(&content, "an array has a length, as in `[f32; 2]`"));
    }
    content.parse::<Token![;]>()?;
    Ok(Element { ty, count: Some(content.parse()?) })
}

/// Reads names with types. Also returns the place of the braces.
fn typed<T>(
    input: ParseStream,
    thing: &Thing,
    ty: impl Fn(ParseStream, &'static str) -> syn::Result<T>,
) -> syn::Result<(Vec<(Ident, T)>, Extent)> {
    if !input.peek(token::Brace) {
        return Err(error(input, thing.whole));
    }
    let content;
    let brace = braced!(content in input);
    let names = named_types(&content, thing, ty);
    // Tokens left over would be reported a second time.
    content.parse::<TokenStream>()?;
    Ok((names?, brace.span.join().into()))
}

fn named_types<T>(
    input: ParseStream,
    thing: &Thing,
    ty: impl Fn(ParseStream, &'static str) -> syn::Result<T>,
) -> syn::Result<Vec<(Ident, T)>> {
    let mut names = Vec::new();
    while !input.is_empty() {
        if input.peek(Token![#]) {
            return Err(error(input, DOCUMENTED));
        }
        let name = word(input, thing.name)?;
        if !input.peek(Token![:]) {
            return Err(syn::Error::new(name.span(), format!("expected a type too, as in `{name}: f32`")));
        }
        input.parse::<Token![:]>()?;
        names.push((name, ty(input, thing.ty)?));
        if !(input.is_empty() || input.peek(Token![,])) {
            return Err(error(input, thing.next));
        }
        input.parse::<Option<Token![,]>>()?;
    }
    Ok(names)
}

/// Reads a scalar by its name, a tuple or an array.
fn scalar_or_parts(input: ParseStream, expected: &str) -> syn::Result<Type> {
    if input.peek(token::Paren) || input.peek(token::Bracket) {
        return input.parse();
    }
    let name = word(input, expected)?;
    Ok(Type::Path(TypePath { attrs: Vec::new(), qself: None, path: name.into() }))
}

pub(super) fn acc(input: ParseStream) -> syn::Result<Acc> {
    let is_path = input.peek(Token![::]) || input.peek(Ident::peek_any) && input.peek2(Token![::]);
    let path = if is_path {
        input.call(Path::parse_mod_style)?
    } else {
        let ty = scalar_or_parts(input, STRUCT.whole)?;
        let Type::Path(ty) = ty else { return Ok(Acc::Type(Box::new(ty))) };
        ty.path
    };
    if input.peek(token::Brace) {
        let (fields, place) = typed(input, &STRUCT, scalar_or_parts)?;
        return Ok(Acc::Struct(path, fields, place));
    }
    Ok(Acc::Type(Box::new(Type::Path(TypePath { attrs: Vec::new(), qself: None, path }))))
}

pub(super) fn op(input: ParseStream) -> syn::Result<Op> {
    if starts_closure(input) {
        return Ok(Op::Closure(Box::new(input.parse()?)));
    }
    if input.peek(Ident::peek_any) && input.peek2(Token![::]) {
        return input.call(Path::parse_mod_style).map(Op::Function);
    }
    let expected =
        "`op` is the name of an operator, as in `op: sum`, or a closure, as in `op: |a, b| a.max(b)`";
    let name = word(input, expected)?;
    if input.peek(token::Paren) {
        return Err(error(input, format!("an operator is a name alone; write `op: {name}`")));
    }
    Ok(Op::Name(name))
}

pub(super) fn closure(input: ParseStream, expected: &str) -> syn::Result<ExprClosure> {
    if starts_closure(input) { input.parse() } else { Err(error(input, expected)) }
}

fn starts_closure(input: ParseStream) -> bool {
    input.peek(Token![|]) || input.peek(Token![||]) || input.peek(Token![move])
}

pub(super) fn bool(input: ParseStream) -> syn::Result<LitBool> {
    if input.peek(LitBool) {
        input.parse()
    } else {
        Err(error(input, "`commutative` is `true` or `false`, as in `commutative: false`"))
    }
}

pub(super) fn number(input: ParseStream) -> syn::Result<LitInt> {
    if input.peek(LitInt) {
        input.parse()
    } else {
        Err(error(input, "`block` is a number, as in `block: 256`"))
    }
}
