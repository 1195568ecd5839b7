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

/// A reduction: a constant expression that a `static` or `let` can hold, or an item. (In a `const` it would be lowered
/// anew at every use.)
///
/// The fields are those of a specification, which the front page of `reducegen` describes.
/// Everything that is wrong, an illegal list of passes or an operator that is not associative too, is a compile error at
/// its place.
///
/// ```text
/// static MAX: Reduction<f32, f32> = reduction! { op: max, ty: f32, passes: [shuffle, coarsen(4)] };
/// let dot = reduction! { inputs: { x: f32, y: f32 }, map: |x, y| x * y, op: sum };
/// ```
///
/// rustc checks the closures and never calls them: host and GPU evaluate the same typed expressions. They see their
/// parameters, and the names of `params` and `index`; a struct of the accumulator is a type inside of the expression.
///
/// With `pub static NAME;` at the head, or `const`, and with any attributes and visibility, the macro makes items, for
/// libraries: the reduction, and the structs of its accumulator and result, which are as visible.
///
/// ```text
/// reduction! {
///     /// The smallest and the largest element.
///     pub static RANGE;
///     ty: f64,
///     acc: Range { lo: f64, hi: f64 },
///     map: |x| Range { lo: x, hi: x },
///     op: |a, b| Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) },
///     identity: none,
/// }
/// ```
///
/// The expansion names the crate `::reducegen`, so a crate that calls the macro depends on it by that name.
#[proc_macro]
pub fn reduction(tokens: TokenStream) -> TokenStream {
    expand::expand(tokens.into()).into()
}
