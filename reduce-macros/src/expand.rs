//! Expands `reduction!` into the user's structs, the closures for rustc to check, and a function that builds
//! the specification. The expansion is an expression or, with `pub static NAME;` at the head, items.

use crate::facade;
use crate::params::Given;
use crate::rebuild::Rebuild;
use crate::report::{compile_errors, refusal, unsupported};
use crate::types;
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use reduce_dsl::parse::{self, Closure, Deferred, Export, Read};
use reduce_ir::Spec;
use reduce_ir::axes::{Cut, Keys};
use reduce_ir::operation::Record;
use syn::Attribute;

/// Expands `$crate` followed by the tokens between the brackets of the user's call.
pub(crate) fn expand(tokens: TokenStream) -> TokenStream {
    let mut tokens = tokens.into_iter();
    match tokens.next() {
        Some(facade) => facade::named(&facade, expansion(tokens.collect())),
        None => TokenStream::new(),
    }
}

fn expansion(tokens: TokenStream) -> TokenStream {
    let is_item = is_item(&tokens);
    let read = match parse::tokens(tokens, None) {
        Ok(read) => read,
        Err(errors) => return compile_errors(errors, is_item),
    };
    // With assumed values of constants, what passes may do is not known.
    let refused = match &read.deferred {
        None => reduce_codegen::compile(&read.parsed.spec).err().map(|it| refusal(&it, &read.parsed.places)),
        Some(deferred) => unsupported(deferred),
    };
    if let Some(refused) = refused {
        return compile_errors(vec![refused], is_item);
    }
    match &read.export {
        Some(export) => items(export, &read),
        None => block(&read),
    }
}

/// Returns whether the tokens start as an item does; no field starts like that.
fn is_item(tokens: &TokenStream) -> bool {
    let first = tokens.clone().into_iter().next().map(|tree: TokenTree| tree.to_string());
    first.is_some_and(|first| ["#", "pub", "static", "const"].contains(&first.as_str()))
}

/// Returns the reduction as an expression.
fn block(read: &Read) -> TokenStream {
    let (structs, value) = (structs(read, &quote!(pub), "this reduction", &[]), value(read));
    quote!({ #structs #value })
}

/// Returns the reduction as an item, with its structs in the same visibility.
fn items(export: &Export, read: &Read) -> TokenStream {
    let Export { attributes, visibility, name } = export;
    // Structs need the `cfg` conditions of their reduction.
    let conditions: Vec<_> = attributes.iter().filter(|it| it.path().is_ident("cfg")).cloned().collect();
    let structs = structs(read, &visibility.to_token_stream(), &format!("[`{name}`]"), &conditions);
    let (ty, value) = (ty(read), value(read));
    quote! {
        #structs
        #(#attributes)*
        #visibility static #name: #ty = { #value };
    }
}

fn structs(read: &Read, visibility: &TokenStream, of: &str, conditions: &[Attribute]) -> TokenStream {
    let operation = &read.parsed.spec.operation;
    let doc = |record: &Record| match (*record == operation.acc, *record == operation.output) {
        (_, false) => format!("The accumulator of {of}."),
        (false, true) => format!("The result of {of}."),
        (true, true) => format!("The accumulator and the result of {of}."),
    };
    let item = |record: &Record| types::item(record, &read.forms, (visibility, &doc(record), conditions));
    let params = Given::of(read).items(visibility, of, conditions);
    read.structs.iter().filter_map(item).chain([params]).collect()
}

/// Returns the contents of the block that evaluates to the reduction.
fn value(read: &Read) -> TokenStream {
    let checks = read.closures.iter().map(check);
    let (ty, spec) = (ty(read), spec(read));
    let helpers = &read.helpers;
    quote! {
        #(#[allow(dead_code, clippy::all, clippy::pedantic, clippy::nursery, reason = "only type-checked")] #helpers)*
        #(#checks)*
        fn build() -> ::core::result::Result<__reducegen::__private::Spec, __reducegen::Error> {
            #spec
        }
        <#ty>::new(build)
    }
}

/// Returns the specification with the values of constants, as a `Result`.
fn spec(read: &Read) -> TokenStream {
    if let Some(Deferred { text, constants }) = &read.deferred {
        let values = constants
            .iter()
            .map(|(name, value)| quote!((#name, __reducegen::__private::ConstantOrArray::values(#value))));
        return quote!(__reducegen::__private::specification(#text, &[#(#values),*]));
    }
    let spec = read.parsed.spec.rebuild();
    let values = read.constants.iter().map(|(param, value)| {
        let (name, ty) = (&param.name, types::scalar(param.ty));
        quote!((#name, __reducegen::__private::Value::of_constant::<#ty>(#value)))
    });
    let constants = (!read.constants.is_empty()).then(|| quote!(.with_constants(&[#(#values),*])));
    quote!(::core::result::Result::Ok(#spec #constants))
}

/// Returns the type of the reduction.
fn ty(read: &Read) -> TokenStream {
    let Spec { operation, axes, .. } = &read.parsed.spec;
    let (inputs, params) = (types::one_or_tuple(&read.inputs), Given::of(read).ty());
    let inputs = match axes.as_ref().map(|axes| axes.cut) {
        Some(Cut::Offsets(offset)) => {
            let offset = types::scalar(offset);
            quote!(__reducegen::Ragged<#inputs, #offset>)
        }
        Some(Cut::Runs(key)) => {
            let key = types::scalar(key);
            quote!(__reducegen::Keyed<#inputs, #key>)
        }
        Some(Cut::Keys(Keys { given: Some(key), .. })) => {
            let key = types::scalar(key);
            quote!(__reducegen::Numbered<#inputs, #key>)
        }
        None | Some(Cut::Whole | Cut::Keys(Keys { given: None, .. })) => inputs,
    };
    let output = types::record(&operation.output, &read.forms);
    let may_be_absent = operation.may_lack_result();
    let output = match (axes, may_be_absent) {
        (None, _) => output,
        (Some(_), false) => quote!(__reducegen::Array<#output>),
        (Some(_), true) => quote!(__reducegen::Array<::core::option::Option<#output>>),
    };
    quote!(__reducegen::Reduction<#inputs, #output, #params>)
}

/// Puts the user's closure, as written, where rustc expects a function of the right type, with only the free
/// names in scope. The allowed lints would fire only because of the generated code around it.
fn check(Closure { tokens, params, result, free, forms }: &Closure) -> TokenStream {
    let params = params.iter().map(|param| types::record(param, forms));
    let result = types::record(result, forms);
    let (names, scalars): (Vec<_>, Vec<_>) = free.iter().map(|(name, ty)| (name, types::scalar(*ty))).unzip();
    quote! {
        #[allow(arithmetic_overflow, overflowing_literals, reason = "only type-checked; integers wrap, and literals are in range")]
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, reason = "only type-checked")]
        const _: fn(#(#scalars),*) = |#(#names),*| {
            let _ = (#(#names,)*);
            let _: &dyn ::core::ops::Fn(#(#params),*) -> #result = &#tokens;
        };
    }
}

#[cfg(test)]
mod tests {
    use super::expand;
    use quote::quote;

    #[test]
    fn the_crate_has_no_name_but_the_one_that_is_handed_on() {
        let specifications = [
            quote!(op: max, ty: f16, passes: [shuffle, coarsen(4)]),
            quote!(op: argmax, ty: bf16, params: { k: f32 }, map: |x| x * k),
            quote!(
                pub static RANGE;
                inputs: { x: f32, y: f32 },
                acc: Range { lo: f32, hi: f32 },
                map: |x, y| Range { lo: x.min(y), hi: x.max(y) },
                op: |a, b| Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) },
                identity: none,
                finish: |acc, n| acc.hi - acc.lo,
            ),
        ];
        for specification in specifications {
            let expansion = expand(quote!(elsewhere #specification)).to_string();
            assert!(expansion.contains("elsewhere :: Reduction"), "{expansion}");
            assert!(!expansion.contains("reducegen"), "{expansion}");
        }
    }
}
