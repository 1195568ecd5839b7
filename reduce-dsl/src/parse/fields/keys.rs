//! The values of `by` and `groups`: keys, and the groups of equal keys.

use super::syntax::{error, word};
use super::values::{self, Names, Thing};
use crate::parse::diagnostic::Extent;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{ExprClosure, Ident, LitInt, token};

/// The value of `by`.
pub(crate) enum By {
    /// The call gives the keys: `{ key: u32 }`.
    Given(Names),
    /// The specification computes them: `|x| x as u32`.
    Closure(Box<ExprClosure>),
}

impl By {
    /// Returns the place.
    pub(crate) fn place(&self) -> Extent {
        match self {
            By::Given(names) => names.place,
            By::Closure(closure) => Extent::of(closure),
        }
    }
}

/// The value of `groups`.
pub(crate) enum Groups {
    /// Neighbours of equal keys are a group.
    Runs,
    /// The key is the number of the group, less than this.
    Number(LitInt),
}

const KEY: Thing = Thing {
    whole: "`by` is the name and the type of a key, as in `by: { key: u32 }`, or a closure that computes it",
    name: "expected the name of the key, as in `key: u32`",
    ty: "expected the type of the key, as in `key: u32`",
    next: "expected `}`; there is one key",
};

pub(super) fn by(input: ParseStream) -> syn::Result<By> {
    if input.peek(token::Brace) {
        return values::names(input, &KEY).map(By::Given);
    }
    values::closure(input, KEY.whole).map(|closure| By::Closure(Box::new(closure)))
}

pub(super) fn groups(input: ParseStream) -> syn::Result<Groups> {
    const EXPECTED: &str = "`groups` is the number of groups, as in `groups: 64`, or `runs`, for runs of equal neighbouring keys";
    if input.peek(LitInt) {
        return input.parse().map(Groups::Number);
    }
    let is_runs = input.fork().call(Ident::parse_any).is_ok_and(|word| word == "runs");
    if !is_runs {
        return Err(error(input, EXPECTED));
    }
    word(input, EXPECTED).map(|_| Groups::Runs)
}
