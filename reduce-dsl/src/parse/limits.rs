//! Limits on the size of a specification, checked before anything recurses over it.

use super::{Diagnostic, Extent};
use proc_macro2::{TokenStream, TokenTree};

/// Tokens of a specification. syn recurses up to once a token, in the macro on the stack of rustc.
const TOKENS: usize = 1024;

/// Brackets inside brackets.
pub(super) const BRACKETS: usize = 64;

/// Operations inside operations of an expression. C compilers guarantee 256 nested parentheses.
pub(super) const OPERATIONS: usize = 128;

/// Refuses streams that are too long or nested too deeply, without recursion.
pub(super) fn check(tokens: &TokenStream) -> Result<(), Diagnostic<Extent>> {
    let mut open = vec![tokens.clone().into_iter()];
    let mut count = 0;
    while let Some(inner) = open.last_mut() {
        let Some(token) = inner.next() else {
            open.pop();
            continue;
        };
        count += 1;
        let at = Extent::from(token.span());
        if count > TOKENS {
            return Err(Diagnostic::error(at, format!("a specification has at most {TOKENS} tokens")));
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
