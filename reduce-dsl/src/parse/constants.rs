//! Constants of the user in closures. rustc knows their values; the macro does not.
//!
//! Functions have a parameter for each constant, which the program replaces by its value. The bounds of loops, divisors and the laws
//! of `op` need the value itself. Then the macro types the specification with assumed values, and the program reads the text again
//! with the true ones.

use super::diagnostic::{Diagnostic, Extent};
use super::forms;
use super::hygiene::Name;
use super::keywords::is_keyword;
use super::names::is_constant;
use super::parsed::{Deferred, Read};
use super::role::Dialect;
use super::stack;
use super::tokens::read;
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use reduce_ir::constants::one;
use reduce_ir::func::Param;
use reduce_ir::value::Values;
use reduce_ir::{Scalar, Spec, Value};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use syn::Path;

/// The assumptions, in the order in which they are tried. The macro accepts a specification if one of them makes it right.
const ASSUMPTIONS: [Assumption; 6] = [
    Assumption { first: 2, step: 1, len: 16, is_lenient: false },
    Assumption { first: 9, step: -1, len: 16, is_lenient: false },
    Assumption { first: 1, step: 0, len: 4, is_lenient: false },
    Assumption { first: 64, step: 0, len: 8, is_lenient: false },
    Assumption { first: 1000, step: 0, len: 128, is_lenient: false },
    Assumption { first: 1, step: 0, len: 1, is_lenient: true },
];

/// An assumption about all constants of a specification.
#[derive(Clone, Copy)]
struct Assumption {
    /// The value of the first constant.
    first: i64,
    /// The difference between the values of one constant and the next.
    step: i64,
    /// The length of constants that are arrays.
    len: usize,
    /// Whether indices may be out of range, and divisors 0: those of the true values may be right.
    is_lenient: bool,
}

/// The values of the constants that closures name.
pub(super) enum Constants {
    /// Functions have a parameter for each.
    Open,
    /// They have these values.
    Assumed(Assumed),
    /// The values, by the paths that name them.
    Known(Vec<(String, Values)>),
}

/// An assumption, and the constants met so far.
pub(super) struct Assumed {
    assumption: Assumption,
    found: RefCell<Vec<Found>>,
    /// Whether the laws depend on a constant.
    decides_laws: Cell<bool>,
}

/// A constant that closures name.
struct Found {
    /// The name of the param that would stand for it.
    param: String,
    /// The name in [`Constants::Known`].
    name: String,
    /// The expression that rustc evaluates.
    tokens: TokenStream,
}

impl Constants {
    fn assumed(assumption: Assumption) -> Rc<Constants> {
        let (found, decides_laws) = (RefCell::default(), Cell::default());
        Rc::new(Constants::Assumed(Assumed { assumption, found, decides_laws }))
    }

    /// Returns whether the laws of `op` have to wait for the values of constants.
    pub(super) fn decide_laws(&self) -> bool {
        matches!(self, Constants::Assumed(assumed) if assumed.decides_laws.get())
    }

    /// Returns whether the closure of that role may name constants.
    pub(super) fn are_seen_by(&self, role: &str) -> bool {
        match self {
            Constants::Open => matches!(role, "map" | "filter" | "by" | "fold" | "finish"),
            Constants::Assumed(_) | Constants::Known(_) => role != "params",
        }
    }
}

impl Assumed {
    /// Notes that a closure of that role names a constant.
    pub(super) fn note(&self, param: &str, path: &Path, role: &str) {
        let mut found = self.found.borrow_mut();
        if found.iter().all(|known| known.param != param) {
            let (param, name, tokens) = (param.to_owned(), spelled(path), path.to_token_stream());
            found.push(Found { param, name, tokens });
        }
        // A condition may be what makes a law hold.
        let decides = matches!(role, "op" | "identity" | "fold" | "filter");
        self.decides_laws.set(self.decides_laws.get() || decides);
    }

    /// Returns whether indices and divisors may be wrong.
    pub(super) fn is_lenient(&self) -> bool {
        self.assumption.is_lenient
    }

    /// Returns the number of elements of constants that are arrays.
    pub(super) fn len(&self) -> usize {
        self.assumption.len
    }

    /// Returns the assumed value of the constant that a param would stand for.
    pub(super) fn value(&self, Param { name, ty }: &Param) -> Value {
        let at = self.found.borrow().iter().position(|known| known.param == *name).unwrap_or(0);
        let number = self.number(at);
        if *ty == Scalar::Bool {
            return Value::of(number & 1 == 1);
        }
        // 8 bits do not hold every assumed number.
        Value::parse(*ty, &number.to_string()).unwrap_or_else(|| one(*ty))
    }

    fn number(&self, at: usize) -> i64 {
        let Assumption { first, step, .. } = self.assumption;
        (first + step * at as i64).max(1)
    }

    /// Says of broken laws with which values they are broken.
    fn explain(&self, errors: &mut [Diagnostic<Extent>]) {
        let found = self.found.borrow();
        let shown = |(at, Found { name, .. }): (usize, &Found)| format!("{name} = {}", self.number(at));
        let values: Vec<_> = found.iter().enumerate().map(shown).collect();
        for error in errors.iter_mut().filter(|error| error.broken.is_some()) {
            error.message += &format!("; this assumes {}", values.join(", "));
        }
    }
}

/// The word of a text for `$crate`, which text cannot have.
const CRATE: &str = "the_crate_of_the_macro";

/// Returns a word of the name of a param that stands for a constant. Macros of several crates have a `$crate` each.
pub(super) fn word(ident: &Ident) -> String {
    match ident.to_string().as_str() {
        "$crate" => format!("crate{}", Name::of(ident).context.unwrap_or_default()),
        word => word.to_lowercase(),
    }
}

/// Returns the name of a constant in [`Constants::Known`].
pub(super) fn spelled(path: &Path) -> String {
    path.to_token_stream().to_string().replace(' ', "").replace("$crate", CRATE)
}

/// Reads a specification that needs the values of constants. `None` if it names no constant.
pub(super) fn deferred(
    tokens: &TokenStream,
    from_data: Option<&[Scalar]>,
) -> Option<Result<Read, Vec<Diagnostic<Extent>>>> {
    let mut errors = None;
    for assumption in ASSUMPTIONS {
        let constants = Constants::assumed(assumption);
        let outcome = read(tokens.clone(), Dialect::Rust, &constants, from_data);
        let Constants::Assumed(assumed) = &*constants else { return None };
        if assumed.found.borrow().is_empty() {
            return None;
        }
        match outcome {
            Ok(read) => return Some(with_text(read, tokens, (assumption, assumed.found.take()), from_data)),
            Err(mut found) => {
                assumed.explain(&mut found);
                errors.get_or_insert(found);
            }
        }
    }
    errors.map(Err)
}

/// Adds the text that the program reads again. The text lacks what macros know of its tokens: it must not need that, and must give the
/// same specification.
fn with_text(
    read: Read,
    tokens: &TokenStream,
    (assumption, constants): (Assumption, Vec<Found>),
    from_data: Option<&[Scalar]>,
) -> Result<Read, Vec<Diagnostic<Extent>>> {
    let text = lexable(tokens.clone()).to_string();
    let lexed = text.parse::<TokenStream>().ok();
    let again = lexed.and_then(|tokens| {
        super::tokens::read(tokens, Dialect::Rust, &Constants::assumed(assumption), from_data).ok()
    });
    if again.is_some_and(|again| again.parsed.spec == read.parsed.spec) && !is_ambiguous(tokens) {
        let constants = constants.into_iter().map(|it| (it.name, it.tokens)).collect();
        return Ok(Read { deferred: Some(Deferred { text, constants }), ..read });
    }
    let of_constant = |Found { tokens, .. }: &Found| Diagnostic {
        help: Some("write the number, or a `const` in the closure".to_owned()),
        ..Diagnostic::error(
            Extent::of(tokens),
            "its value is needed here, and another macro has made the text",
        )
    };
    Err(constants.iter().map(of_constant).collect())
}

/// Returns whether two names differ only in hygiene, which text lacks. Constants are items, which have none.
fn is_ambiguous(tokens: &TokenStream) -> bool {
    let mut names = Vec::new();
    names_of(tokens, &mut names);
    let is_other = |a: &Name, b: &Name| a.word == b.word && a != b;
    names.iter().enumerate().any(|(at, a)| names[..at].iter().any(|b| is_other(a, b)))
}

/// Adds every name that may be one of a variable, or the crate of a macro.
fn names_of(tokens: &TokenStream, names: &mut Vec<Name>) {
    let mut is_after_dot = false;
    for tree in tokens.clone() {
        match &tree {
            TokenTree::Group(group) => names_of(&group.stream(), names),
            TokenTree::Ident(ident) if !is_after_dot => {
                let name = Name::of(ident);
                let word = name.word.as_str();
                let is_fixed = is_constant(word) || is_keyword(word) || forms::scalar(word).is_some();
                if !is_fixed && !names.contains(&name) {
                    names.push(name);
                }
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
        is_after_dot = matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == '.');
    }
}

/// Returns tokens whose text can be read: the invisible groups of macros become parentheses, and `$crate` a word.
fn lexable(tokens: TokenStream) -> TokenStream {
    let one = |tree: TokenTree| -> TokenStream {
        let group = match tree {
            TokenTree::Group(group) => group,
            TokenTree::Ident(word) if word == "$crate" => {
                return Ident::new(CRATE, word.span()).into_token_stream();
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => return tree.into(),
        };
        let inside = lexable(group.stream());
        match group.delimiter() {
            Delimiter::None if inside.clone().into_iter().nth(1).is_none() => inside,
            Delimiter::None => TokenTree::from(Group::new(Delimiter::Parenthesis, inside)).into(),
            shown @ (Delimiter::Parenthesis | Delimiter::Brace | Delimiter::Bracket) => {
                TokenTree::from(Group::new(shown, inside)).into()
            }
        }
    };
    tokens.into_iter().map(one).collect()
}

/// Reads the text of a specification of the macro, with the values of its constants: [`Deferred`].
///
/// # Errors
/// The specification is wrong for these values. The error is a message that names them.
pub fn with_constants(text: &str, constants: &[(&str, Values)]) -> Result<Spec, String> {
    let parse = || {
        let known = constants.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let tokens = text.parse::<TokenStream>().map_err(|error| error.to_string())?;
        let read = read(tokens, Dialect::Rust, &Rc::new(Constants::Known(known)), None);
        read.map(|read| read.parsed.spec).map_err(|errors| message(&errors))
    };
    let outcome = stack::with_room_for(text, parse).unwrap_or_else(|error| Err(error.to_string()));
    let values: Vec<_> = constants.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    outcome.map_err(|message| format!("with {}: {message}", values.join(", ").replace(CRATE, "$crate")))
}

fn message(errors: &[Diagnostic<Extent>]) -> String {
    let one = |error: &Diagnostic<Extent>| match &error.help {
        Some(help) => format!("{}; {help}", error.message),
        None => error.message.clone(),
    };
    errors.iter().map(one).collect::<Vec<_>>().join("\n")
}
