//! Scalars and structs as Rust types, and structs of the user as items.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use reduce_dsl::parse::{Form, Named};
use reduce_ir::Scalar;
use reduce_ir::operation::Record;
use syn::Attribute;

/// Returns the type of an accumulator or result. `forms` are the Rust types of records that are no plain structs.
pub(crate) fn record(record: &Record, forms: &[Form]) -> TokenStream {
    let Some(name) = record.name.as_deref().map(ident) else { return scalar(record.fields[0].ty) };
    match (&record.generics, forms.iter().find(|it| it.record() == *record)) {
        (Some(types), _) => {
            let types = types.iter().copied().map(scalar);
            quote!(__reducegen::#name::<#(#types),*>)
        }
        (None, Some(it)) => form(it),
        (None, None) => quote!(#name),
    }
}

/// Returns the Rust type.
fn form(it: &Form) -> TokenStream {
    match it {
        Form::Scalar(ty) => scalar(*ty),
        Form::Array(element, count) => {
            let element = form(element);
            quote!([#element; #count])
        }
        Form::Tuple(parts) => {
            let parts = parts.iter().map(form);
            quote!((#(#parts,)*))
        }
        Form::Struct(Named { name, path }, _) => {
            let path = path.as_ref().and_then(|path| path.parse().ok());
            path.unwrap_or_else(|| ident(name).to_token_stream())
        }
    }
}

/// Returns the type of a single input, or a tuple of several.
pub(crate) fn one_or_tuple(inputs: &[Form]) -> TokenStream {
    match inputs {
        [one] => form(one),
        [..] => {
            let types = inputs.iter().map(form);
            quote!((#(#types,)*))
        }
    }
}

/// Returns the struct of `record` and the code that reads it from a result. `visibility` applies to the struct
/// and its fields, and `conditions` to the items.
pub(crate) fn item(
    record: &Record,
    forms: &[Form],
    (visibility, doc, conditions): (&TokenStream, &str, &[Attribute]),
) -> Option<TokenStream> {
    let name = ident(record.name.as_deref()?);
    let parts = parts(record, forms);
    let fields: Vec<_> = parts.iter().map(|(name, _)| ident(name)).collect();
    let docs = parts.iter().map(|(name, _)| format!("The field `{name}` of the specification."));
    let types: Vec<_> = parts.iter().map(|(_, it)| form(it)).collect();
    let ends: Vec<_> = parts
        .iter()
        .scan(0, |end, (_, it)| {
            *end += it.width();
            Some(*end)
        })
        .collect();
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let ranges = starts.zip(&ends).map(|(start, end)| quote!(values.get(#start..#end)?));
    let width = record.fields.len();
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
                if values.len() != #width {
                    return ::core::option::Option::None;
                }
                ::core::option::Option::Some(#name {
                    #(#fields: <#types as __reducegen::Output>::of(#ranges)?),*
                })
            }

            fn width() -> ::core::primitive::usize {
                #width
            }
        }
    })
}

/// Returns the fields of a struct with their types.
fn parts(record: &Record, forms: &[Form]) -> Vec<(String, Form)> {
    match forms.iter().find(|it| it.record() == *record) {
        Some(Form::Struct(_, fields)) => fields.clone(),
        Some(Form::Scalar(_) | Form::Array(..) | Form::Tuple(_)) | None => {
            record.fields.iter().map(|field| (field.name.clone(), Form::Scalar(field.ty))).collect()
        }
    }
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

pub(crate) fn ident(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}
