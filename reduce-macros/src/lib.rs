//! `reduction!`: a specification in Rust code, checked at compile time, as a constant expression.
//!
//! rustc checks the tokens of the user's closure, and the same tokens become the typed expression that
//! devices run. In reading order: `expand` (what the macro becomes) → `types` (Rust types and structs) → `rebuild` (a
//! specification as tokens) → `report` (errors at their places).
#![forbid(unsafe_code)]

mod expand;
mod rebuild;
mod report;
mod types;

use proc_macro::TokenStream;

/// A reduction, as a constant expression that a `static` or `let` can hold. (In a `const` it would be lowered
/// anew at every use.)
///
/// The fields are those of a specification, which the front page of `reducegen` describes: `ty` or `inputs`,
/// `layout`, `map`, `op`, `identity`, `order`, `block`, `passes`.
/// Everything that is wrong, an illegal list of passes too, is a compile error at its place.
///
/// ```text
/// static MAX: Reduction<f32, f32> = reduction! { op: max, ty: f32, passes: [shuffle, coarsen(4)] };
/// let dot = reduction! { inputs: { x: f32, y: f32 }, map: |x, y| x * y, op: sum };
/// ```
///
/// The parameters of a closure are the inputs, in their order; 16-bit floats arrive as `f32`. rustc checks
/// the closure and never calls it: host and GPU evaluate the same typed expression.
///
/// The expansion names the crate `::reducegen`, so a crate that calls the macro depends on it by that name.
#[proc_macro]
pub fn reduction(tokens: TokenStream) -> TokenStream {
    expand::expand(tokens.into()).into()
}
