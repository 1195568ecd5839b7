//! Errors for code that rustc accepts and a device cannot run: the token, the reason, and an alternative.
#![allow(clippy::wildcard_enum_match_arm, reason = "the enums of syn are not ours, and grow")]

use super::Reader;
use super::known_methods::{methods_of, nearest_method};
use crate::parse::diagnostic::{Errors, Extent};
use crate::parse::hygiene::Name;
use crate::parse::methods::{Domain, METHODS, Method};
use crate::parse::names;
use crate::parse::tree::Ex;
use proc_macro2::{Ident, TokenTree};
use quote::ToTokens;
use reduce_ir::Scalar;
use syn::{Attribute, Expr, Pat, Path};

pub(super) const NO_CALLS: &str = "functions cannot be called here; write out its computation";

const LOOP: (&str, &str) = (
    "this loop has no constant bounds",
    "write `for i in 0..4`; the loop over the elements is the reduction itself",
);
const LEAVE: (&str, &str) =
    ("a loop here has no label and no value", "leave it out, and assign to a variable");

impl Reader<'_> {
    pub(super) fn refuse(&mut self, expr: &Expr) -> Ex {
        let (at, message, help) = offender(expr);
        self.error_with_help(at, message, help)
    }

    pub(super) fn no_macro(&mut self, path: &Path, name: &str) -> Ex {
        let help = match name {
            "assert_eq" | "debug_assert_eq" => "write `assert!(a == b)`",
            "panic" | "unreachable" | "todo" => "write `assert!` with the condition that must hold",
            "vec" => "write an array, as in `[0.0; 4]`",
            _ => "write an expression, or leave it out",
        };
        self.error_with_help(Extent::of(path), "there are no macros here but `matches!` and `assert!`", help)
    }
}

/// Returns the names in a pattern.
pub(super) fn names(pat: &Pat) -> Vec<Name> {
    let mut names = Vec::new();
    let mut open = vec![pat.to_token_stream()];
    while let Some(tokens) = open.pop() {
        for tree in tokens {
            match tree {
                TokenTree::Ident(name) => names.push(Name::of(&name)),
                TokenTree::Group(group) => open.push(group.stream()),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
    names
}

/// Returns the attributes of an expression; empty for expressions that are refused anyway.
pub(super) fn attributes(expr: &Expr) -> &[Attribute] {
    match expr {
        Expr::Paren(e) => &e.attrs,
        Expr::Group(e) => &e.attrs,
        Expr::Block(e) => &e.attrs,
        Expr::Path(e) => &e.attrs,
        Expr::Lit(e) => &e.attrs,
        Expr::Unary(e) => &e.attrs,
        Expr::Binary(e) => &e.attrs,
        Expr::If(e) => &e.attrs,
        Expr::Cast(e) => &e.attrs,
        Expr::MethodCall(e) => &e.attrs,
        Expr::Call(e) => &e.attrs,
        Expr::Struct(e) => &e.attrs,
        Expr::Field(e) => &e.attrs,
        Expr::Tuple(e) => &e.attrs,
        Expr::Array(e) => &e.attrs,
        Expr::Repeat(e) => &e.attrs,
        Expr::Index(e) => &e.attrs,
        Expr::Match(e) => &e.attrs,
        Expr::Macro(e) => &e.attrs,
        Expr::Assign(e) => &e.attrs,
        Expr::Return(e) => &e.attrs,
        Expr::Break(e) => &e.attrs,
        Expr::Continue(e) => &e.attrs,
        Expr::ForLoop(e) => &e.attrs,
        _ => &[],
    }
}

/// Returns the first token that a device cannot run, the error and the alternative.
fn offender(expr: &Expr) -> (Extent, &'static str, &'static str) {
    let (at, (message, help)) = match expr {
        Expr::Await(e) => (Extent::of(&e.await_token), ("nothing here is awaited", "leave the `.await` out")),
        Expr::Block(e) => (Extent::of(e), ("a block here has no label", "leave the label out")),
        Expr::Break(e) => (Extent::of(&e.break_token), LEAVE),
        Expr::Closure(e) => (Extent::of(e), ("closures do not nest", "write out its computation")),
        Expr::Continue(e) => (Extent::of(&e.continue_token), LEAVE),
        Expr::ForLoop(e) => (Extent::of(&e.for_token), LEAVE),
        Expr::Let(e) => {
            (Extent::of(&e.let_token), ("a condition cannot contain `let` here", "compare, as in `x == 0.0`"))
        }
        Expr::Loop(e) => (Extent::of(&e.loop_token), LOOP),
        Expr::Range(e) => (
            Extent::of(&e.limits),
            (
                "a range is no value here",
                "loop over it, as in `for i in 0..4`, or ask `(0.0..1.0).contains(&x)`",
            ),
        ),
        Expr::RawAddr(e) => (Extent::of(e), ("there are no pointers here", "write the value itself")),
        Expr::Reference(e) => (
            Extent::of(&e.and_token),
            ("there are no references here", "values are copied; leave the `&` out"),
        ),
        Expr::Try(e) => (Extent::of(&e.question_token), ("nothing here can fail", "leave the `?` out")),
        Expr::Unsafe(e) => (Extent::of(&e.unsafe_token), ("nothing here is unsafe", "leave `unsafe` out")),
        Expr::While(e) => (Extent::of(&e.while_token), LOOP),
        other => (
            Extent::of(other),
            (
                "this is not possible in a closure here",
                "the language has numbers, `let`, `if`, `match`, `for`, operators, methods, structs and arrays",
            ),
        ),
    };
    (at, message, help)
}

/// Reports an operator that Rust does not have on numbers.
pub(super) fn operator(at: Extent, reader: &mut Reader<'_>) -> Ex {
    reader.error(at, "this operator is not possible here")
}

/// Reports a call of anything other than a method of a scalar.
pub(super) fn call(path: &Path, reader: &mut Reader<'_>) -> Ex {
    let last = path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
    if reader.declared.contains(&last) {
        return Ex::wrong(Extent::of(path));
    }
    let ty = path.segments.first().map(|segment| segment.ident.to_string());
    let ty = ty.filter(|_| path.segments.len() == 2).and_then(|ty| Scalar::from_name(&ty));
    let fields = reader.types.named(&last).map(|ty| reader.types.fields(ty)).unwrap_or_default();
    let fields: Vec<_> = fields.iter().map(|(name, _)| format!("{name}: …")).collect();
    let help = match (ty, last.as_str()) {
        _ if !fields.is_empty() => format!("a struct is written `{last} {{ {} }}`", fields.join(", ")),
        (Some(ty), "from") => format!("convert it, as in `x as {ty}`"),
        _ if names::is_method(&last) => format!("it is a method: write it as in `{}`", example(&last)),
        (Some(_), _) => match nearest_method(&last, ty, reader.role.dialect) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "write out its computation".to_owned(),
        },
        (None, _) if path.get_ident().is_some() => {
            format!("declare it beside the fields, as in `fn {last}(x: f32) -> f32 {{ x * x }}`")
        }
        (None, _) => "write out its computation".to_owned(),
    };
    reader.error_with_help(Extent::of(path), "this function cannot be called here", help)
}

/// Returns an example call of a method, with the right number of arguments.
fn example(name: &str) -> String {
    let takes = METHODS.iter().find(|method| method.name == name).map_or(0, |method| method.takes.len());
    format!("x.{name}({})", ["y", "z"][..takes].join(", "))
}

/// Methods of Rust that closures do not have, with the reason or the alternative. `T` stands for the type of
/// the number.
const KNOWN: [(&str, &str); 21] = [
    ("sin_cos", "write `x.sin()` and `x.cos()`"),
    ("asin", "write `x.atan2((1.0 - x * x).sqrt())` of f32"),
    ("acos", "write `(1.0 - x * x).sqrt().atan2(x)` of f32"),
    ("atan", "write `x.atan2(1.0)` of f32"),
    ("sinh", "write `(x.exp_m1() - (-x).exp_m1()) / 2.0`"),
    ("cosh", "write `(x.exp() + (-x).exp()) / 2.0`"),
    ("asinh", "write `(x.abs() + x.hypot(1.0)).ln().copysign(x)`"),
    ("acosh", "write `(x + (x * x - 1.0).sqrt()).ln()`"),
    ("atanh", "write `(x.ln_1p() - (-x).ln_1p()) / 2.0`"),
    ("log", "write `x.ln() / base.ln()`"),
    ("log10", "write `x.ln() / core::T::consts::LN_10`"),
    ("cbrt", "write `(x.abs().ln() / 3.0).exp().copysign(x)`"),
    ("rem_euclid", "write `x - y * (x / y).floor()` of floats, for y above 0; with `/` and `%` of integers"),
    ("div_euclid", "write `(x / y).floor()` of floats, for y above 0; with `/` and `%` of integers"),
    (
        "checked_add checked_sub checked_mul checked_div overflowing_add",
        "nothing here can fail; integers wrap",
    ),
    (
        "iter fold map sum len reduce into_iter",
        "a closure sees one element; the loop over elements is the reduction itself",
    ),
    ("clone to_owned copied borrow", "values are copied; leave it out"),
    (
        "to_f32 to_f64",
        "16-bit floats are f32 in closures; leave it out, or convert with `as`, as in `x as f64`",
    ),
    ("into try_into", "convert with `as`, as in `x as f64`"),
    ("cmp partial_cmp total_cmp eq lt gt le ge", "compare with an operator, such as `<` or `==`"),
    ("unwrap expect unwrap_or is_some", "nothing here can fail; leave it out"),
];

/// Reports a method that is not in the table, or not for that type.
pub(super) fn unknown_method(name: &Ident, ty: Option<Scalar>, reader: &mut Reader<'_>) -> Ex {
    let word = name.to_string();
    let dialect = reader.role.dialect;
    let is_row = |method: &&Method| method.of == Domain::OthersOfRows;
    let others = METHODS.iter().filter(|it| it.name == word && !is_row(it)).map(|it| it.of.text());
    let others: Vec<_> = others.collect();
    if let (Some(ty), [_, ..]) = (ty, others.as_slice()) {
        return of_other_types(name, ty, &others.join(" and "), reader);
    }
    if ty == Some(Scalar::Bool) {
        let help = "write it with `!`, `&&`, `||` and `if`";
        return reader.error_with_help(name.span(), "bool has no methods here", help);
    }
    let known = KNOWN.iter().find(|(words, _)| words.split(' ').any(|known| known == word));
    let help = match (known, nearest_method(&word, ty, dialect)) {
        (Some((_, help)), _) => help.replace("core::T", &format!("core::{}", ty.unwrap_or(Scalar::F64))),
        (None, Some(near)) => format!("did you mean `{near}`?"),
        (None, None) => format!("the methods are {}", methods_of(ty, dialect).join(", ")),
    };
    let of = ty.map_or_else(String::new, |ty| format!(" of {ty}"));
    reader.error_with_help(name.span(), format!("there is no method `{word}`{of} here"), help)
}

fn of_other_types(name: &Ident, ty: Scalar, types: &str, reader: &mut Reader<'_>) -> Ex {
    let word = name.to_string();
    if let ("minimum" | "maximum", true) = (word.as_str(), ty.is_float()) {
        let short = &word[..3];
        let help = format!("write the operator `op: {short}`; `a.{short}(b)` prefers a number to NaN");
        return reader.error_with_help(
            name.span(),
            format!("`{word}` of floats is not in stable Rust"),
            help,
        );
    }
    let help = match (word.as_str(), ty) {
        ("abs" | "signum" | "is_negative" | "is_positive", ty) if ty.is_unsigned() => {
            format!("{ty} has no sign; leave it out")
        }
        ("pow", ty) if ty.is_float() => "write `powi`".to_owned(),
        (_, Scalar::F64) if types == Domain::Singles.text() => {
            let converted = example(&word).replacen("x.", "(x as f32).", 1).replace("(y)", "(y as f32)");
            format!("convert to f32 and back, as in `{converted} as f64`")
        }
        (_, ty) if types == Domain::Singles.text() && ty.is_integer() => {
            "convert the number first, as in `x as f32`".to_owned()
        }
        ("powi", _) => "write `pow`".to_owned(),
        ("minimum" | "maximum", ty) if ty.is_integer() => format!("write `{}`", &word[..3]),
        ("is_nan" | "is_finite" | "is_infinite", _) => format!("every {ty} is a number; leave it out"),
        (_, Scalar::Bool) => "count with numbers, as in `c as u32`".to_owned(),
        (_, ty) if ty.is_integer() => "convert the number first, as in `x as f64`".to_owned(),
        _ => "`x.to_bits()` gives the bits of a float".to_owned(),
    };
    reader.error_with_help(name.span(), format!("`{word}` is for {types}, and this is {ty}"), help)
}

/// Reports a type that devices do not have.
pub(in crate::parse) fn type_name(name: &Ident, errors: &mut Errors) {
    let word = name.to_string();
    let help = match word.as_str() {
        "i128" | "u128" => "the widest integers are i64 and u64",
        "char" => "write `u32`",
        "str" | "String" => "a closure computes with numbers",
        _ => return names::unknown("type", name, &names::types(), errors),
    };
    errors.add(name.span(), format!("there is no type `{word}` here")).help(help);
}
