//! What `reduction!` becomes: the closure for rustc to check, and a function that builds the specification.

use crate::rebuild::Rebuild;
use crate::report::{compile_errors, refusal};
use proc_macro2::TokenStream;
use quote::quote;
use reduce_dsl::parse::{self, Closure, Diagnostic, Extent, Read};
use reduce_dsl::{Scalar, Spec};

/// The expansion for the tokens between the brackets of the call.
pub(crate) fn expand(tokens: TokenStream) -> TokenStream {
    let Read { closure, parsed } = parse::tokens(tokens, None);
    let check = closure.as_ref().map(check);
    let parsed = match parsed {
        Ok(parsed) => parsed,
        Err(errors) => return failure(&errors, check),
    };
    match reduce_codegen::compile(&parsed.spec) {
        Ok(_) => constant(&parsed.spec, check),
        Err(error) => failure(&[refusal(&error, &parsed.places)], check),
    }
}

/// The reduction as a constant.
fn constant(spec: &Spec, check: Option<TokenStream>) -> TokenStream {
    let inputs: Vec<_> = spec.operation.inputs.iter().map(|input| rust_type(input.ty)).collect();
    let outputs: Vec<_> = spec.operation.output.types().into_iter().map(rust_type).collect();
    let (inputs, outputs) = (one_or_tuple(&inputs), one_or_tuple(&outputs));
    let spec = spec.rebuild();
    quote!({
        #check
        fn build() -> ::reducegen::__private::Spec {
            #spec
        }
        ::reducegen::__private::Reduction::<#inputs, #outputs>::new(build)
    })
}

/// The errors. Where rustc reports all of them itself, in its own words, it gets the closure to do so; the
/// panic, at compile time, is for the case that it does not.
fn failure(errors: &[Diagnostic<Extent>], check: Option<TokenStream>) -> TokenStream {
    match check {
        Some(check) if errors.iter().all(|error| error.by_rustc) => {
            let messages: Vec<_> = errors.iter().map(|error| error.message.as_str()).collect();
            let messages = messages.join("; ");
            quote!({
                #check
                const { ::core::panic!("{}", #messages) }
            })
        }
        Some(_) | None => compile_errors(errors),
    }
}

/// The user's closure, as written, where a function of the right type must stand. The lints are those that
/// only the place among generated code would trigger.
fn check(closure: &Closure) -> TokenStream {
    let params = closure.params.iter().copied().map(rust_type);
    let (result, tokens) = (rust_type(closure.result), &closure.tokens);
    quote! {
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, reason = "the closure is only type-checked")]
        const _: fn(#(#params),*) -> #result = #tokens;
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
        Scalar::F32 => quote!(::core::primitive::f32),
        Scalar::F64 => quote!(::core::primitive::f64),
        Scalar::I32 => quote!(::core::primitive::i32),
        Scalar::U32 => quote!(::core::primitive::u32),
        Scalar::I64 => quote!(::core::primitive::i64),
        Scalar::U64 => quote!(::core::primitive::u64),
    }
}
