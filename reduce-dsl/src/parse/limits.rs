//! Limits on the size of a specification, checked before anything recurses over it.

use super::diagnostic::{Diagnostic, Extent};
use super::role::Dialect;
use proc_macro2::{TokenStream, TokenTree};

/// Returns the limit on tokens. syn may recurse once per token; the macro runs on the stack of rustc, and text
/// on a stack of its own. Canonical texts are longer, because they write methods out.
fn tokens(dialect: Dialect) -> usize {
    if dialect == Dialect::Rust { 1024 } else { TOKENS }
}

/// The limit on tokens of a text.
pub(super) const TOKENS: usize = 8192;

/// The limit on bytes of a specification.
pub(super) const BYTES: usize = 64 * 1024;

/// The limit on nested brackets.
pub(super) const BRACKETS: usize = 64;

/// The limit on nested operations of an expression. C compilers guarantee 256 nested parentheses.
pub(super) const OPERATIONS: usize = 128;

/// Refuses streams that are too long or nested too deeply. Does not recurse.
pub(super) fn check(tokens: &TokenStream, dialect: Dialect) -> Result<(), Diagnostic<Extent>> {
    let most = self::tokens(dialect);
    let mut open = vec![tokens.clone().into_iter()];
    let mut count = 0;
    while let Some(inner) = open.last_mut() {
        let Some(token) = inner.next() else {
            open.pop();
            continue;
        };
        count += 1;
        let at = Extent::from(token.span());
        if count > most {
            return Err(Diagnostic::error(at, format!("a specification has at most {most} tokens")));
        }
        let TokenTree::Group(group) = token else { continue };
        if open.len() > BRACKETS {
            return Err(Diagnostic::error(at, too_deep()));
        }
        open.push(group.stream().into_iter());
    }
    Ok(())
}

pub(super) fn too_deep() -> String {
    format!("brackets nest at most {BRACKETS} deep")
}

/// Returns whether a canonical text is within the limits of the parser.
pub(super) fn is_readable(text: &str) -> bool {
    text.len() <= BYTES
        && text.parse::<TokenStream>().is_ok_and(|tokens| check(&tokens, Dialect::Text).is_ok())
}
