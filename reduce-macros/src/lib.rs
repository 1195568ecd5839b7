//! `reduction!`: a specification in Rust code, checked at compile time, as a constant expression.
//!
//! rustc checks the tokens of the user's closure, and the same tokens become the typed expression that
//! devices run. In reading order: `expand` (what the macro becomes) → `types` (Rust types and structs) → `rebuild` (a
//! specification as tokens) → `facade` (how they name the crate) → `report` (errors at their places).
#![forbid(unsafe_code)]

mod expand;
mod facade;
mod rebuild;
mod report;
mod types;

use proc_macro::TokenStream;

/// The macro behind `reducegen::reduction!`, which hands on its call behind its own `$crate`.
#[proc_macro]
pub fn reduction(tokens: TokenStream) -> TokenStream {
    expand::expand(tokens.into()).into()
}
