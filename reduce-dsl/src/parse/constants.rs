//! Constants of the user in closures. rustc knows their values; the macro does not.
//!
//! Functions have a parameter for each constant, which the program replaces by its value. The bounds of loops, divisors and the laws
//! of `op` need the value itself. Then the macro types the specification with assumed values, and the program reads the text again
//! with the true ones.

use super::diagnostic::{Diagnostic, Extent};
use super::parsed::{Deferred, Read};
use super::role::Dialect;
use super::stack;
use super::tokens::read;
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use reduce_ir::value::Values;
use reduce_ir::{Scalar, Spec, Value, bf16, f16};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use syn::Path;

/// The values that are assumed. A specification is right for the macro if one of them makes it right.
const ASSUMED: [u8; 5] = [1, 2, 3, 7, 64];

/// The values of the constants that closures name.
pub(super) enum Constants {
    /// Functions have a parameter for each.
    Open,
    /// All have one value.
    Assumed(Assumed),
    /// The values, by the paths that name them.
    Known(Vec<(String, Values)>),
}

/// One value for all constants, and the constants met so far.
pub(super) struct Assumed {
    value: u8,
    found: RefCell<Vec<(String, TokenStream)>>,
    /// Whether the laws depend on a constant.
    decides_laws: Cell<bool>,
}

impl Constants {
    fn assumed(value: u8) -> Rc<Constants> {
        Rc::new(Constants::Assumed(Assumed {
            value,
            found: RefCell::default(),
            decides_laws: Cell::default(),
        }))
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
    pub(super) fn note(&self, path: &Path, role: &str) {
        let name = spelled(path);
        let mut found = self.found.borrow_mut();
        if found.iter().all(|(known, _)| *known != name) {
            found.push((name, path.to_token_stream()));
        }
        let decides = matches!(role, "op" | "identity" | "fold" | "fn");
        self.decides_laws.set(self.decides_laws.get() || decides);
    }

    /// Returns the number of elements of constants that are arrays.
    pub(super) fn len(&self) -> usize {
        self.value.into()
    }

    /// Returns the assumed value in a type.
    pub(super) fn value(&self, ty: Scalar) -> Value {
        let number = self.value;
        match ty {
            Scalar::Bool => Value::of(number & 1 == 1),
            Scalar::F16 => Value::of(f16::from(number)),
            Scalar::Bf16 => Value::of(bf16::from(number)),
            Scalar::F32 => Value::of(f32::from(number)),
            Scalar::F64 => Value::of(f64::from(number)),
            Scalar::I8
            | Scalar::I16
            | Scalar::I32
            | Scalar::I64
            | Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::U64 => Value::from_bits(ty, number.into()),
        }
    }
}

/// The word of a text for `$crate`, which text cannot have.
const CRATE: &str = "the_crate_of_the_macro";

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
    for value in ASSUMED {
        let constants = Constants::assumed(value);
        let outcome = read(tokens.clone(), Dialect::Rust, &constants, from_data);
        let Constants::Assumed(Assumed { found, .. }) = &*constants else { return None };
        if found.borrow().is_empty() {
            return None;
        }
        match outcome {
            Ok(read) => return Some(with_text(read, tokens, (value, found.take()), from_data)),
            Err(found) => {
                errors.get_or_insert(found);
            }
        }
    }
    errors.map(Err)
}

/// Adds the text that the program reads again. The text lacks what macros know of its tokens, so it must give the same specification.
fn with_text(
    read: Read,
    tokens: &TokenStream,
    (value, constants): (u8, Vec<(String, TokenStream)>),
    from_data: Option<&[Scalar]>,
) -> Result<Read, Vec<Diagnostic<Extent>>> {
    let text = lexable(tokens.clone()).to_string();
    let lexed = text.parse::<TokenStream>().ok();
    let again = lexed.and_then(|tokens| {
        super::tokens::read(tokens, Dialect::Rust, &Constants::assumed(value), from_data).ok()
    });
    if again.is_some_and(|again| again.parsed.spec == read.parsed.spec) {
        return Ok(Read { deferred: Some(Deferred { text, constants }), ..read });
    }
    let of_constant = |(_, tokens): &(String, TokenStream)| Diagnostic {
        help: Some("write the number, or a `const` in the closure".to_owned()),
        ..Diagnostic::error(
            Extent::of(tokens),
            "its value is needed here, and another macro has made the text",
        )
    };
    Err(constants.iter().map(of_constant).collect())
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
