//! The macro `reduction!`: a specification in Rust code, checked at compile time, as a constant expression.
//!
//! rustc checks the tokens of the user's closure, and the same tokens become the typed expression that devices
//! run. Reading order: `expand` (the expansion) → `types` (Rust types and structs), `params` → `rebuild` (a specification
//! as tokens) → `facade` (the path of the facade crate) → `report` (errors at their places).
#![forbid(unsafe_code)]

mod expand;
mod facade;
mod params;
mod rebuild;
mod report;
mod types;

use proc_macro::TokenStream;

/// The implementation of `reducegen::reduction!`, which passes its own `$crate` before the tokens of its call.
#[proc_macro]
pub fn reduction(tokens: TokenStream) -> TokenStream {
    expand::expand(tokens.into()).into()
}
