//! `identity`: a value that must be the operator's own.
#![allow(clippy::wildcard_enum_match_arm, reason = "the enums of syn are not ours, and grow")]

use super::diagnostic::{Errors, Extent};
use super::literal::Number;
use crate::operation::Operation;
use crate::{Scalar, Value, constants};
use quote::ToTokens;
use syn::{Expr, Lit, UnOp};

/// How an identity can be written.
const FORMS: &str = "an identity is a number, `true`, `false`, a constant like `f32::INFINITY`, or `none`";

/// Reports an identity that is not the one of `operation`.
pub(super) fn check(written: &Expr, operation: &Operation, errors: &mut Errors) {
    let place = Extent::of(written);
    let own = operation.identity.as_ref().and_then(|values| values.first().copied());
    let name = &operation.name;
    let none = matches!(written, Expr::Path(path) if path.path.is_ident("none"));
    match (own, none) {
        (None, true) => {}
        (None, false) => {
            errors.add(place, format!("`{name}` has no identity; write `identity: none`, or leave it out"));
        }
        (Some(own), true) => differs(name, own, "none", place, errors),
        (Some(own), false) => match value(written, own.ty()) {
            Ok(value) if value == own => {}
            Ok(value) if is_zero(value) && is_zero(own) => {
                errors.note(place, "0.0 is taken as -0.0, the identity of float addition");
            }
            Ok(value) => differs(name, own, &text(value), place, errors),
            Err(message) => {
                errors.add(place, message).help(format!("the identity of `{name}` is {}", text(own)));
            }
        },
    }
}

fn differs(name: &str, own: Value, written: &str, place: Extent, errors: &mut Errors) {
    let (ty, own) = (own.ty(), text(own));
    errors
        .add(place, format!("the identity of `{name}` on {ty} is {own}, not {written}"))
        .help("a named operator brings its identity; leave the field out");
}

fn is_zero(value: Value) -> bool {
    value.as_f64() == Some(0.0)
}

/// The value of a literal or constant, in that type.
fn value(written: &Expr, ty: Scalar) -> Result<Value, String> {
    let (negative, operand) = match written {
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => (true, &*unary.expr),
        other => (false, other),
    };
    match operand {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Bool(value) if ty == Scalar::Bool && !negative => Ok(Value::of(value.value)),
            Lit::Bool(value) => Err(format!("`{}` is bool, and {ty} is expected", value.value)),
            number @ (Lit::Int(_) | Lit::Float(_)) => Number::read(number, negative)
                .and_then(|number| number.value(ty))
                .map_err(|(message, _)| message),
            _ => Err(FORMS.to_owned()),
        },
        Expr::Path(path) if !negative => constant(&path.to_token_stream().to_string().replace(' ', ""), ty),
        _ => Err(FORMS.to_owned()),
    }
}

fn constant(path: &str, ty: Scalar) -> Result<Value, String> {
    let (scalar, name) = path.split_once("::").unwrap_or(("", path));
    let value = Scalar::from_name(scalar).and_then(|scalar| constants::constant(scalar, name));
    match value {
        Some(value) if value.ty() == ty => Ok(value),
        Some(value) => Err(format!("`{path}` is {}, and {ty} is expected", value.ty())),
        None => Err(format!("`{path}` is not a constant that is known here")),
    }
}

/// A value as the user writes it.
fn text(value: Value) -> String {
    let ty = value.ty();
    let is = |name: &&str| constants::constant(ty, name) == Some(value);
    let extreme = value.bits() != 0 && (ty.is_integer() || value.as_f64().is_some_and(f64::is_infinite));
    let name = ["INFINITY", "NEG_INFINITY", "MIN", "MAX"].into_iter().find(|name| extreme && is(name));
    name.map_or_else(|| value.to_string(), |name| format!("{ty}::{name}"))
}
