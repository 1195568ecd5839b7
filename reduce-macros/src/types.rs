//! Scalars and structs as Rust types, and structs of the user as items.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use reduce_ir::Scalar;
use reduce_ir::func::Param;
use reduce_ir::operation::Record;
use syn::Attribute;

/// Returns the type of an accumulator or result.
pub(crate) fn record(record: &Record) -> TokenStream {
    let Some(name) = record.name.as_deref().map(ident) else { return scalar(record.fields[0].ty) };
    match &record.generics {
        Some(types) => {
            let types = types.iter().copied().map(scalar);
            quote!(__reducegen::#name::<#(#types),*>)
        }
        None => quote!(#name),
    }
}

/// Returns the type of a single param, or a tuple of several.
pub(crate) fn one_or_tuple(params: &[Param]) -> TokenStream {
    let types = params.iter().map(|param| scalar(param.ty));
    match params {
        [one] => scalar(one.ty),
        [..] => quote!((#(#types,)*)),
    }
}

/// Returns the struct of `record` and the code that reads it from a result. `visibility` applies to the struct
/// and its fields, and `conditions` to the items.
pub(crate) fn item(
    record: &Record,
    visibility: &TokenStream,
    doc: &str,
    conditions: &[Attribute],
) -> Option<TokenStream> {
    let name = ident(record.name.as_deref()?);
    let fields: Vec<_> = record.fields.iter().map(|field| ident(&field.name)).collect();
    let docs = record.fields.iter().map(|field| format!("The field `{}` of the specification.", field.name));
    let types = record.fields.iter().map(|field| scalar(field.ty));
    let values: Vec<_> = (0..fields.len()).map(|position| format_ident!("value_{position}")).collect();
    Some(quote! {
        #(#conditions)*
        #[doc = #doc]
        #[allow(dead_code, reason = "some fields may be for closures only, which devices run")]
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug, ::core::cmp::PartialEq)]
        #visibility struct #name {
            #(#[doc = #docs] #visibility #fields: #types,)*
        }

        #(#conditions)*
        impl __reducegen::Output for #name {
            fn of(values: &[__reducegen::__private::Value]) -> ::core::option::Option<#name> {
                let &[#(#values),*] = values else { return ::core::option::Option::None };
                ::core::option::Option::Some(#name { #(#fields: #values.get()?),* })
            }
        }
    })
}

/// Returns the path of a scalar type. It is absolute, because its name may be shadowed where the macro is
/// called.
pub(crate) fn scalar(ty: Scalar) -> TokenStream {
    match ty {
        Scalar::Bool => quote!(::core::primitive::bool),
        Scalar::F16 => quote!(__reducegen::__private::f16),
        Scalar::Bf16 => quote!(__reducegen::__private::bf16),
        Scalar::F32 => quote!(::core::primitive::f32),
        Scalar::F64 => quote!(::core::primitive::f64),
        Scalar::I8 => quote!(::core::primitive::i8),
        Scalar::I16 => quote!(::core::primitive::i16),
        Scalar::I32 => quote!(::core::primitive::i32),
        Scalar::I64 => quote!(::core::primitive::i64),
        Scalar::U8 => quote!(::core::primitive::u8),
        Scalar::U16 => quote!(::core::primitive::u16),
        Scalar::U32 => quote!(::core::primitive::u32),
        Scalar::U64 => quote!(::core::primitive::u64),
    }
}

fn ident(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}
