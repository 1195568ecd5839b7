//! Names: suggestions for misspelt ones, and the rules for names of inputs, structs and fields.

use super::diagnostic::Errors;
use super::foreign::foreign;
use super::keywords::is_keyword;
use super::methods::METHODS;
use crate::operators::{OPERATORS, Operator};
use proc_macro2::Ident;
use reduce_ir::keywords::{is_c, is_of_cuda, is_taken};
use reduce_ir::operation::Operation;
use reduce_ir::{Scalar, Value, constants};
use reduce_passes::PASSES;
use std::f64::consts;

/// Common words for names of this language. Operators of other libraries have a table of their own,
/// [`foreign`].
const ALIASES: [(&str, &str); 10] = [
    ("maximum", "max"),
    ("minimum", "min"),
    ("half", "f16"),
    ("float", "f32"),
    ("double", "f64"),
    ("int", "i32"),
    ("uint", "u32"),
    ("warp", "shuffle"),
    ("operator", "op"),
    ("dtype", "ty"),
];

/// Returns the known name that was probably meant, ignoring case.
pub fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let small = name.to_lowercase();
    let alias = ALIASES.iter().find(|(alias, _)| *alias == small).map(|(_, ours)| *ours);
    let distance = |ours: &str| strsim::osa_distance(&small, &ours.to_lowercase());
    let near = |ours: &&&str| is_typo(&small, &ours.to_lowercase());
    let closest = || known.iter().filter(near).min_by_key(|ours| distance(ours)).copied();
    alias.filter(|ours| known.contains(ours)).or_else(closest)
}

/// Returns whether `name` is a misspelling of `ours`. Names with different digits are different names, as
/// `norm1`, and so are short names that differ by a letter, as `max`.
fn is_typo(name: &str, ours: &str) -> bool {
    let distance = strsim::osa_distance(name, ours);
    if distance == 0 {
        return true;
    }
    let (letters, most) = (name.len(), ours.len());
    let close = distance <= 1 + letters.min(most).min(12) / 6;
    let sorted = |word: &str, keep: fn(&char) -> bool| {
        let mut chars: Vec<_> = word.chars().filter(keep).collect();
        chars.sort_unstable();
        chars
    };
    let same = |keep| sorted(name, keep) == sorted(ours, keep);
    let replaced = letters == most && !same(|_| true);
    let short = letters.min(most) < 5;
    let starts_alike = name.chars().next() == ours.chars().next() || same(|_| true);
    letters > 1 && close && same(char::is_ascii_digit) && !(short && (replaced || !starts_alike))
}

/// Returns the operator of that name.
///
/// # Errors
/// There is no operator of that name. The error is a sentence that suggests an alternative.
pub fn operator(name: &str) -> Result<&'static Operator, String> {
    crate::operators::operator(name).ok_or_else(|| match foreign(name) {
        Some(known) => match known.operator() {
            Some(ours) => format!("did you mean `{ours}`?"),
            None => known.help().unwrap_or_else(|| known.message(name)),
        },
        None => misspelt("operator", name, &operators()),
    })
}

/// Returns whether a word is written as the name of a constant.
pub(super) fn is_constant(word: &str) -> bool {
    word.chars().any(|c| c.is_ascii_uppercase()) && word == word.to_uppercase()
}

/// Reports an unknown operator.
pub(super) fn unknown_operator(name: &Ident, errors: &mut Errors) {
    let word = name.to_string();
    let Some(known) = foreign(&word) else { return unknown("operator", name, &operators(), errors) };
    let error = errors.add(name.span(), known.message(&word));
    if let Some(help) = known.help() {
        error.help(help);
    }
}

/// Reports an unknown name, and suggests the nearest known name or lists all of them.
pub(super) fn unknown(kind: &str, name: &Ident, known: &[&'static str], errors: &mut Errors) {
    let word = name.to_string();
    let error = errors.add(name.span(), format!("unknown {kind} `{word}`"));
    error.help(misspelt(kind, &word, known));
}

/// Former names of passes, with their current names.
const RENAMED: [(&str, &str); 3] =
    [("near", "narrow_index"), ("rows", "warp_striped"), ("gather", "serial_tail")];

/// Returns the help for an unknown name.
fn misspelt(kind: &str, word: &str, known: &[&'static str]) -> String {
    let renamed = RENAMED.iter().find(|(old, _)| kind == "pass" && *old == word);
    match renamed.map(|&(_, name)| name).or_else(|| nearest(word, known)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let plural = if kind.ends_with('s') { "es" } else { "s" };
            format!("the {kind}{plural} are {}", known.join(", "))
        }
    }
}

pub(super) fn operators() -> Vec<&'static str> {
    OPERATORS.iter().map(|row| row.name).collect()
}

pub(super) fn types() -> Vec<&'static str> {
    Scalar::ALL.iter().map(|ty| ty.name()).collect()
}

pub(super) fn passes() -> Vec<&'static str> {
    PASSES.iter().map(|word| word.name).collect()
}

/// Names with a fixed meaning in functions.
const MEANINGS: [(&str, &str); 4] = [
    ("acc", "the accumulator"),
    (Operation::COUNT, "the number of elements"),
    (Operation::STEP, "the step of a lane"),
    (Operation::INDEX, "the position"),
];

/// Returns the reason why an input cannot have that name.
pub(super) fn refuse_input(name: &str) -> Option<String> {
    refuse(name, "an input")
}

/// Returns the reason why an input, a param or the position cannot have that name. Names that are reserved in
/// CUDA are allowed, because kernels rename them.
pub(super) fn refuse(name: &str, what: &str) -> Option<String> {
    if !is_plain(name) {
        return Some(not_plain(what));
    }
    if is_keyword(name) {
        return Some(format!("{what} cannot be called `{name}`, which has a meaning in Rust"));
    }
    let (_, meaning) = MEANINGS.iter().find(|(word, meaning)| *word == name && *meaning != what)?;
    Some(format!("{what} cannot be called `{name}`, which is {meaning}"))
}

/// Returns the reason why an axis cannot have that name. Inputs and params may have the same name.
pub(super) fn refuse_axis(name: &str) -> Option<String> {
    if !is_plain(name) {
        return Some(not_plain("an axis"));
    }
    is_keyword(name).then(|| format!("an axis cannot be called `{name}`, which has a meaning in Rust"))
}

/// Returns the message for a name that is not [plain](is_plain).
fn not_plain(what: &str) -> String {
    format!("the name of {what} is a letter, then at most 31 letters and digits, and single `_` between them")
}

/// Returns whether a name consists of ASCII letters and digits, with single `_` inside, and has at most 32
/// bytes.
fn is_plain(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !(name.contains("__") || name.ends_with('_'))
        && name.len() <= 32
}

/// Returns the reason why a struct cannot have that name, given the names of inputs, params and position.
pub(super) fn refuse_struct(name: &str, others: &[String]) -> Option<String> {
    let plain = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric())
        && name.len() <= 32;
    if !plain {
        return Some(
            "the name of a struct is a capital letter, then at most 31 letters and digits".to_owned(),
        );
    }
    if others.iter().any(|other| other == name) {
        return Some(format!("the name `{name}` is taken; rename the struct"));
    }
    let whose = if is_keyword(name) { "Rust" } else { "the CUDA kernel" };
    (is_taken(name) || is_keyword(name))
        .then(|| format!("a struct cannot be called `{name}`, which has a meaning in {whose}"))
}

/// Returns the reason why a field of a struct cannot have that name.
pub(super) fn refuse_field(name: &str) -> Option<String> {
    if !is_plain(name) {
        return Some(not_plain("a field"));
    }
    (is_c(name) || is_keyword(name))
        .then(|| format!("a field cannot be called `{name}`, which has a meaning in CUDA or Rust"))
}

/// Converts the name of a `let` to one that CUDA allows: ASCII only, and not reserved. Returns an empty name
/// for `_`, because a value without a name is printed again at each use.
pub(super) fn in_cuda(written: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut plain: String = written.trim_start_matches("r#").chars().map(plain).take(32).collect();
    while plain.contains("__") {
        plain = plain.replace("__", "_");
    }
    let mut name = plain.trim_start_matches('_').to_owned();
    let is_nameless = name.is_empty() && written != "_";
    if is_nameless || name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, 'v');
    }
    // Names in capitals look like macros.
    if name.len() > 1 && name == name.to_uppercase() {
        name = name.to_lowercase();
    }
    // Names that only kernels use are free inside a function.
    if is_of_cuda(&name) || !name.is_empty() && is_keyword(&name) {
        name.push('_');
    }
    name
}

/// Returns whether a method has that name.
pub(super) fn is_method(name: &str) -> bool {
    METHODS.iter().any(|method| method.name == name)
}

/// The mathematical constants of `core::f64::consts`; for `f32`, they are rounded to the nearest value.
const MATHEMATICAL: [(&str, f64); 19] = [
    ("E", consts::E),
    ("FRAC_1_PI", consts::FRAC_1_PI),
    ("FRAC_1_SQRT_2", consts::FRAC_1_SQRT_2),
    ("FRAC_2_PI", consts::FRAC_2_PI),
    ("FRAC_2_SQRT_PI", consts::FRAC_2_SQRT_PI),
    ("FRAC_PI_2", consts::FRAC_PI_2),
    ("FRAC_PI_3", consts::FRAC_PI_3),
    ("FRAC_PI_4", consts::FRAC_PI_4),
    ("FRAC_PI_6", consts::FRAC_PI_6),
    ("FRAC_PI_8", consts::FRAC_PI_8),
    ("LN_10", consts::LN_10),
    ("LN_2", consts::LN_2),
    ("LOG10_2", consts::LOG10_2),
    ("LOG10_E", consts::LOG10_E),
    ("LOG2_10", consts::LOG2_10),
    ("LOG2_E", consts::LOG2_E),
    ("PI", consts::PI),
    ("SQRT_2", consts::SQRT_2),
    ("TAU", consts::TAU),
];

/// Returns the mathematical constant of that name.
pub(super) fn mathematical(ty: Scalar, name: &str) -> Option<Value> {
    let &(_, value) = MATHEMATICAL.iter().find(|(known, _)| *known == name)?;
    match ty {
        Scalar::F32 => Some(Value::of(value as f32)),
        Scalar::F64 => Some(Value::of(value)),
        Scalar::Bool | Scalar::F16 | Scalar::Bf16 => None,
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => None,
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => None,
    }
}

/// Returns the names of the constants of a type; without a type, those of the mathematical constants.
pub(super) fn constants_of(ty: Option<Scalar>) -> Vec<&'static str> {
    match ty {
        Some(ty) => {
            constants::NAMES.into_iter().filter(|name| constants::constant(ty, name).is_some()).collect()
        }
        None => MATHEMATICAL.iter().map(|(name, _)| *name).collect(),
    }
}
