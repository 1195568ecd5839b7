//! Limits on the size of a specification, checked before anything recurses over it.

use super::typing::Dialect;
use super::{Diagnostic, Extent};
use proc_macro2::{TokenStream, TokenTree};

/// Tokens of a specification. syn recurses up to once a token, in the macro on the stack of rustc. Text has a stack of
/// its own, and is also what canonical spellings are, which write out what methods mean.
fn tokens(dialect: Dialect) -> usize {
    if dialect == Dialect::Rust { 1024 } else { TOKENS }
}

/// Tokens of a text.
pub(super) const TOKENS: usize = 8192;

/// Bytes of a specification.
pub(super) const BYTES: usize = 64 * 1024;

/// Brackets inside brackets.
pub(super) const BRACKETS: usize = 64;

/// Operations inside operations of an expression. C compilers guarantee 256 nested parentheses.
pub(super) const OPERATIONS: usize = 128;

/// Refuses streams that are too long or nested too deeply, without recursion.
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

/// Is a canonical text short enough to be read?
pub(super) fn is_readable(text: &str) -> bool {
    text.len() <= BYTES
        && text.parse::<TokenStream>().is_ok_and(|tokens| check(&tokens, Dialect::Text).is_ok())
}
