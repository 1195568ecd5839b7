//! What `reduction!` becomes: the closure for rustc to check, and a function that builds the specification.

use crate::rebuild::Rebuild;
use crate::report::{compile_errors, refusal};
use proc_macro2::TokenStream;
use quote::quote;
use reduce_dsl::operation::Record;
use reduce_dsl::parse::{self, Closure};
use reduce_dsl::{Scalar, Spec};

/// The expansion for the tokens between the brackets of the call.
pub(crate) fn expand(tokens: TokenStream) -> TokenStream {
    let (parsed, closure) = match parse::tokens(tokens, None) {
        Ok(read) => read,
        Err(errors) => return compile_errors(errors),
    };
    match reduce_codegen::compile(&parsed.spec) {
        Ok(_) => constant(&parsed.spec, closure.as_ref()),
        Err(error) => compile_errors(vec![refusal(&error, &parsed.places)]),
    }
}

/// The reduction as a constant.
fn constant(spec: &Spec, closure: Option<&Closure>) -> TokenStream {
    let inputs: Vec<_> = spec.operation.inputs.iter().map(|input| rust_type(input.ty)).collect();
    let outputs: Vec<_> = spec.operation.output.types().into_iter().map(rust_type).collect();
    let (inputs, outputs) = (one_or_tuple(&inputs), one_or_tuple(&outputs));
    let (check, spec) = (closure.map(check), spec.rebuild());
    quote!({
        #check
        fn build() -> ::reducegen::__private::Spec {
            #spec
        }
        ::reducegen::__private::Reduction::<#inputs, #outputs>::new(build)
    })
}

/// The user's closure, as written, where a function of the right type must stand. The lints are those that
/// only the place among generated code would trigger.
fn check(closure: &Closure) -> TokenStream {
    let params = closure.params.iter().flat_map(Record::types).map(rust_type);
    let (result, tokens) = (closure.result.types().into_iter().map(rust_type), &closure.tokens);
    quote! {
        #[allow(arithmetic_overflow, clippy::all, clippy::pedantic, clippy::nursery, reason = "only type-checked; integers wrap")]
        const _: fn(#(#params),*) -> #(#result)* = #tokens;
    }
}

fn one_or_tuple(types: &[TokenStream]) -> TokenStream {
    match types {
        [one] => one.clone(),
        [..] => quote!((#(#types,)*)),
    }
}

fn rust_type(ty: Scalar) -> TokenStream {
    match ty {
        Scalar::Bool => quote!(::core::primitive::bool),
        Scalar::F16 => quote!(::reducegen::__private::f16),
        Scalar::Bf16 => quote!(::reducegen::__private::bf16),
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
