//! Reads tokens into a specification.

use super::constants::{self, Constants};
use super::diagnostic::{Diagnostic, Errors, Extent};
use super::fields::Fields;
use super::parsed::Read;
use super::role::Dialect;
use super::{casts, limits, resolve};
use proc_macro2::TokenStream;
use reduce_ir::Scalar;
use std::rc::Rc;

/// Reads the tokens of a specification as the macro does: the fields alone, or the macro call in any brackets.
/// `from_data` gives the types of the inputs if neither `ty` nor `inputs` is written.
///
/// # Errors
/// All errors of the specification.
pub fn tokens(tokens: TokenStream, from_data: Option<&[Scalar]>) -> Result<Read, Vec<Diagnostic<Extent>>> {
    let open = read(tokens.clone(), Dialect::Rust, &Rc::new(Constants::Open), from_data);
    open.or_else(|errors| constants::deferred(&tokens, from_data).unwrap_or(Err(errors)))
}

/// Reads the tokens of a specification in a dialect.
pub(super) fn read(
    tokens: TokenStream,
    dialect: Dialect,
    constants: &Rc<Constants>,
    from_data: Option<&[Scalar]>,
) -> Result<Read, Vec<Diagnostic<Extent>>> {
    limits::check(&tokens, dialect).map_err(|error| vec![error])?;
    let mut errors = Errors::default();
    let tokens = casts::repaired(tokens, &mut errors);
    let fields = Fields::read(tokens, &mut errors);
    let read = resolve::resolve(&fields, (dialect, constants), from_data, &mut errors);
    read.filter(|_| errors.is_empty()).ok_or_else(|| errors.finish())
}
