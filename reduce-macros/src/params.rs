//! The types of params: a scalar, or a struct that the call fills by name.

use crate::rebuild::Rebuild;
use crate::types::{ident, scalar};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use reduce_dsl::parse::Read;
use reduce_ir::Value;
use reduce_ir::func::Param;
use syn::Attribute;

/// The params that a call gives.
pub(crate) enum Given {
    None,
    /// One param without default. There is nothing to confuse it with.
    One(Param),
    Struct(Struct),
}

/// The struct of several params.
pub(crate) struct Struct {
    name: Ident,
    fields: Vec<Field>,
}

struct Field {
    name: Ident,
    ty: TokenStream,
    default: Option<TokenStream>,
    doc: String,
    /// The type parameter of a param without default, and its value while the param is not set.
    slot: Ident,
    missing: Ident,
}

impl Field {
    fn new(at: usize, Param { name, ty }: &Param, default: Option<Value>) -> Field {
        let doc = match default {
            Some(default) => format!("The param `{name}`. Its default is {default}."),
            None => format!("The param `{name}`."),
        };
        Field {
            name: ident(name),
            ty: scalar(*ty),
            default: default.map(literal),
            doc,
            slot: format_ident!("Slot{at}"),
            missing: format_ident!("{name}_is_missing"),
        }
    }
}

impl Given {
    pub(crate) fn of(read: &Read) -> Given {
        let spec = &read.parsed.spec;
        let is_given = |param: &&Param| read.constants.iter().all(|(constant, _)| constant != *param);
        let params: Vec<_> = spec.operation.given_params().iter().filter(is_given).cloned().collect();
        match (&params[..], spec.default_of(0), &read.params) {
            ([], ..) => Given::None,
            ([one], None, None) => Given::One(one.clone()),
            (_, _, name) => {
                let name = name.clone().unwrap_or_else(|| Ident::new("Params", Span::call_site()));
                let field = |(at, param)| Field::new(at, param, spec.default_of(at));
                Given::Struct(Struct { name, fields: params.iter().enumerate().map(field).collect() })
            }
        }
    }

    /// Returns the type.
    pub(crate) fn ty(&self) -> TokenStream {
        match self {
            Given::None => quote!(()),
            Given::One(param) => scalar(param.ty),
            Given::Struct(Struct { name, .. }) => quote!(#name),
        }
    }

    /// Returns the struct, if there is one, with the code that reads it.
    pub(crate) fn items(&self, visibility: &TokenStream, of: &str, conditions: &[Attribute]) -> TokenStream {
        let Given::Struct(given) = self else { return TokenStream::new() };
        let setters = given.setters();
        let setters = quote!(const _: () = { #setters };);
        let items = [given.item(visibility, of), given.values(), setters].into_iter().chain(given.defaults());
        items.map(|item| quote!(#(#conditions)* #item)).collect()
    }
}

impl Struct {
    fn item(&self, visibility: &TokenStream, of: &str) -> TokenStream {
        let (name, doc) = (&self.name, format!("The params of {of}."));
        let fields = self
            .fields
            .iter()
            .map(|Field { name, ty, doc, .. }| quote!(#[doc = #doc] #visibility #name: #ty));
        quote! {
            #[doc = #doc]
            #[allow(dead_code, reason = "a call may set the params by name")]
            #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug, ::core::cmp::PartialEq)]
            #visibility struct #name { #(#fields),* }
        }
    }

    fn values(&self) -> TokenStream {
        let (name, names) = (&self.name, self.names());
        quote! {
            impl __reducegen::Params for #name {
                fn values(&self) -> __reducegen::__private::Vec<__reducegen::__private::Value> {
                    <__reducegen::__private::Vec<_> as ::core::convert::From<[_; _]>>::from(
                        [#(__reducegen::__private::Value::of(self.#names)),*],
                    )
                }
            }
        }
    }

    /// Returns `Default`, if every param has one. Then a call need not give any.
    fn defaults(&self) -> Vec<TokenStream> {
        let (name, names) = (&self.name, self.names());
        let values: Option<Vec<_>> = self.fields.iter().map(|field| field.default.as_ref()).collect();
        let items = values.map(|values| {
            [
                quote!(impl ::core::default::Default for #name {
                    fn default() -> #name {
                        #name { #(#names: #values),* }
                    }
                }),
                quote!(impl __reducegen::NoParams for #name {}),
            ]
        });
        items.into_iter().flatten().collect()
    }

    /// Returns the type whose methods set the params. The type of a param without default is a type parameter, which
    /// says whether the param is set.
    fn setters(&self) -> TokenStream {
        let (name, names) = (&self.name, self.names());
        let markers = self.required(|_, Field { missing, .. }| quote!(#missing));
        let slots = self.required(|_, Field { slot, .. }| quote!(#slot));
        let types = self.required(|_, Field { ty, .. }| ty.clone());
        let fields = self.fields.iter().map(|Field { name, ty, default, slot, .. }| match default {
            Some(_) => quote!(#name: #ty),
            None => quote!(#name: #slot),
        });
        let initial = self.fields.iter().map(|Field { name, default, missing, .. }| match default {
            Some(default) => quote!(#name: #default),
            None => quote!(#name: #missing),
        });
        let setters = (0..self.fields.len()).map(|at| self.setter(at));
        quote! {
            #(
                #[doc = "The param has no value yet."]
                #[allow(non_camel_case_types, reason = "the name is part of an error message")]
                pub struct #markers;
            )*
            #[doc = "The params that are set."]
            pub struct Given<#(#slots),*> { #(#fields),* }
            #(#setters)*
            impl __reducegen::NamedParams for #name {
                type Given = Given<#(#markers),*>;
                fn given() -> Self::Given {
                    Given { #(#initial),* }
                }
            }
            impl __reducegen::CompleteParams<#name> for Given<#(#types),*> {
                fn complete(self) -> #name {
                    #name { #(#names: self.#names),* }
                }
            }
        }
    }

    /// Returns the method that sets one param. A param without default is set once.
    fn setter(&self, at: usize) -> TokenStream {
        let Field { name, ty, missing, .. } = &self.fields[at];
        let others = self.names().into_iter().filter(|other| other != name);
        let slots = |by: &TokenStream| {
            self.required(|other, Field { slot, .. }| if other == at { by.clone() } else { quote!(#slot) })
        };
        let (before, after) = (slots(&quote!(#missing)), slots(ty));
        let mut free = slots(&TokenStream::new());
        free.retain(|slot| !slot.is_empty());
        let doc = format!("Sets the param `{name}`.");
        quote! {
            #[allow(dead_code, reason = "a call may leave defaults")]
            impl<#(#free),*> Given<#(#before),*> {
                #[doc = #doc]
                pub fn #name(self, value: #ty) -> Given<#(#after),*> {
                    Given { #name: value, #(#others: self.#others),* }
                }
            }
        }
    }

    fn required(&self, of: impl Fn(usize, &Field) -> TokenStream) -> Vec<TokenStream> {
        let fields = self.fields.iter().enumerate().filter(|(_, field)| field.default.is_none());
        fields.map(|(at, field)| of(at, field)).collect()
    }

    fn names(&self) -> Vec<Ident> {
        self.fields.iter().map(|field| field.name.clone()).collect()
    }
}

/// Returns the value as an expression of its Rust type.
fn literal(value: Value) -> TokenStream {
    let (ty, value) = (scalar(value.ty()), value.rebuild());
    // The type is the one of the value.
    quote!(#value.get::<#ty>().unwrap_or_default())
}
