//! Errors as tokens: `compile_error!` at the places of the errors.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use reduce_codegen::Error;
use reduce_dsl::parse::{Deferred, Diagnostic, Extent, Places};

/// Returns all errors in source order: as items, or in a block, because a sequence of macro calls is not an
/// expression.
pub(crate) fn compile_errors(mut errors: Vec<Diagnostic<Extent>>, as_items: bool) -> TokenStream {
    errors.sort_by_key(|error| {
        let start = error.span.start.unwrap();
        (start.line(), start.column())
    });
    let errors = errors.iter().map(|error| {
        let Extent { start, end } = error.span;
        // `syn` places an error from the first to the last token of a stream.
        let (first, last) = (Ident::new("a", start), Ident::new("z", end));
        syn::Error::new_spanned(quote!(#first #last), text(error)).into_compile_error()
    });
    if as_items { quote!(#(#errors)*) } else { quote!({ #(#errors)* }) }
}

/// Returns the error of codegen at the part of the specification that causes it.
pub(crate) fn refusal(error: &Error, places: &Places<Extent>) -> Diagnostic<Extent> {
    let place = match error {
        Error::Refused { index, .. } => places.pass(*index),
        Error::SharedMemory { .. } => places.block,
        Error::Program { .. } | Error::Lowered { .. } | _ => Extent::whole(),
    };
    Diagnostic::error(place, error.to_string())
}

/// Returns the error for a specification that the program reads again, if programs cannot.
pub(crate) fn unsupported(deferred: &Deferred) -> Option<Diagnostic<Extent>> {
    let (name, tokens) = deferred.constants.first().filter(|_| !cfg!(feature = "constants"))?;
    let message =
        format!("the program would have to read this specification again with the value of `{name}`");
    let help = "turn the feature `constants` of reducegen on, or write the number";
    Some(Diagnostic { help: Some(help.to_owned()), ..Diagnostic::error(Extent::of(tokens), message) })
}

fn text(error: &Diagnostic<Extent>) -> String {
    match &error.help {
        Some(help) => format!("{}\nhelp: {help}", error.message),
        None => error.message.clone(),
    }
}
