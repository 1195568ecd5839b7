//! Methods of the table, in both forms `a.max(b)` and `f32::max(a, b)`, and `f32::from_bits`.
#![allow(clippy::wildcard_enum_match_arm, reason = "the enums of syn are not ours, and grow")]

use super::convert::converted;
use super::{Reader, refuse};
use crate::parse::diagnostic::Extent;
use crate::parse::methods::{Domain, METHODS, Meaning, Method};
use crate::parse::tree::{Ex, Kind};
use crate::parse::types::Ty;
use crate::parse::{forms, names};
use proc_macro2::Ident;
use reduce_ir::ops::Un;
use reduce_ir::{Scalar, Value};
use syn::{Expr, ExprCall, ExprMethodCall, ExprRange, Path};

impl Reader<'_> {
    pub(super) fn method_call(&mut self, call: &ExprMethodCall, depth: usize) -> Ex {
        if let (Some(range), true) = (range(&call.receiver), call.method == "contains") {
            return self.contains(range, call, depth);
        }
        let receiver = self.value(&call.receiver, None, depth + 1);
        // The closure of `map` and the like is part of the same mistake.
        let is_known = names::is_method(&call.method.to_string());
        let args = call.args.iter().map(|arg| match arg {
            Expr::Closure(_) if !is_known => Ex::wrong(Extent::of(arg)),
            arg => self.value(arg, None, depth + 1),
        });
        let args: Vec<_> = args.collect();
        if let Some(turbofish) = &call.turbofish {
            return self.error(Extent::of(turbofish), "methods here have no type arguments; leave this out");
        }
        let place = Extent { start: receiver.place.start, end: call.paren_token.span.close() };
        self.method(&call.method, receiver, args, place)
    }

    fn method(&mut self, name: &Ident, receiver: Ex, args: Vec<Ex>, place: Extent) -> Ex {
        let word = name.to_string();
        if word == "len" {
            self.assume_array(receiver.ty);
        }
        let ty = match self.types.resolve(receiver.ty) {
            Ty::Scalar(ty) => ty,
            Ty::Number(_) => {
                let other = args.iter().find_map(|arg| match self.types.resolve(arg.ty) {
                    Ty::Scalar(ty) => Some(ty),
                    Ty::Struct(_) | Ty::Number(_) | Ty::Never | Ty::Unknown => None,
                });
                let (message, help) = ambiguous(&receiver, other);
                return self.error_with_help(receiver.place, message, help);
            }
            Ty::Struct(_) if self.types.is_array(receiver.ty) && word == "len" && args.is_empty() => {
                let count = Value::of(self.types.fields(receiver.ty).len() as u64);
                return Ex { kind: Kind::Value(count), ty: Ty::Scalar(Scalar::U64), place };
            }
            Ty::Struct(_) if !self.types.is_named(receiver.ty) => {
                let shown = self.types.show(receiver.ty);
                let help = match self.types.is_array(receiver.ty) {
                    true => format!("call it on an element, as in `a[0].{word}(…)`, or write a loop"),
                    false => format!("call it on a value of the tuple, as in `a.0.{word}(…)`"),
                };
                return self.error_with_help(name.span(), format!("{shown} has no methods here"), help);
            }
            Ty::Struct(_) => {
                let shown = self.types.show(receiver.ty);
                let field = self.types.fields(self.types.resolve(receiver.ty));
                let field = field.first().map_or("lo", |(name, _)| name).to_owned();
                let help = format!("call it on a field, as in `a.{field}.{word}(…)`");
                return self.error_with_help(
                    name.span(),
                    format!("{shown} is a struct, without methods"),
                    help,
                );
            }
            Ty::Unknown | Ty::Never => {
                let is_new = !matches!(receiver.kind, Kind::Wrong);
                if is_new && !METHODS.iter().any(|method| method.name == word) {
                    refuse::unknown_method(name, None, self);
                }
                return Ex::wrong(place);
            }
        };
        match self.find(&word, ty) {
            Some(method) => self.apply(method, name, ty, receiver, args, place),
            None => refuse::unknown_method(name, Some(ty), self),
        }
    }

    /// Returns the method of that name and type, if the dialect may call it.
    fn find(&mut self, name: &str, ty: Scalar) -> Option<&'static Method> {
        let dialect = self.role.dialect;
        METHODS.iter().find(|method| method.name == name && method.of.holds(ty) && dialect.has(method.of))
    }

    fn apply(
        &mut self,
        method: &'static Method,
        name: &Ident,
        ty: Scalar,
        receiver: Ex,
        args: Vec<Ex>,
        place: Extent,
    ) -> Ex {
        if args.len() != method.takes.len() {
            let takes = arguments(method.takes.len());
            let message = format!("`{name}` of {ty} takes {takes}, not {}", args.len());
            return self.error(name.span(), message);
        }
        for (arg, takes) in args.iter().zip(method.takes) {
            self.expect(arg, Ty::Scalar(takes.ty(ty)), |found, wanted| {
                (format!("`{name}` of {ty} takes {wanted}, and this is {found}"), converted(found, wanted))
            });
        }
        let operands: Vec<_> = std::iter::once(receiver).chain(args).collect();
        if operands.iter().any(|operand| operand.ty == Ty::Unknown) {
            return Ex::wrong(place);
        }
        let kind = match (&method.is, <[Ex; 2]>::try_from(operands)) {
            (Meaning::Bin(op), Ok(both)) => Kind::Bin(*op, Box::new(both)),
            (_, Ok(both)) => Kind::Method(method, both.into()),
            (_, Err(operands)) => Kind::Method(method, operands),
        };
        Ex { kind, ty: Ty::Scalar(method.gives.ty(ty)), place }
    }

    /// Reads `f32::from_bits(x)`, or a method with its receiver as the first argument.
    pub(super) fn call(&mut self, call: &ExprCall, depth: usize) -> Ex {
        let mut args: Vec<_> = call.args.iter().map(|arg| self.value(arg, None, depth + 1)).collect();
        let place = Extent { start: Extent::of(&call.func).start, end: call.paren_token.span.close() };
        let path = match &*call.func {
            Expr::Path(path) if path.qself.is_none() => &path.path,
            other => return self.error(Extent::of(other), refuse::NO_CALLS),
        };
        if let Some(helper) = self.helper(path) {
            return self.call_helper(helper, args, path, place, depth);
        }
        let Some((ty, name)) = of_scalar(path) else { return refuse::call(path, self) };
        if name == "from_bits" && matches!(ty, Scalar::F32 | Scalar::F64) {
            return self.float_of(ty, name, args, place);
        }
        let word = name.to_string();
        let Some(method) = self.find(&word, ty) else {
            // The error names the type for which the function exists.
            let is_single = METHODS.iter().any(|it| it.name == word && it.of == Domain::Singles);
            return if is_single {
                refuse::unknown_method(name, Some(ty), self)
            } else {
                refuse::call(path, self)
            };
        };
        let count = 1 + method.takes.len();
        if args.len() != count {
            let message = format!("`{ty}::{name}` takes {}, not {}", arguments(count), args.len());
            return self.error(Extent::of(path), message);
        }
        let receiver = args.remove(0);
        self.expect(&receiver, Ty::Scalar(ty), |found, wanted| {
            (format!("`{ty}::{name}` takes {wanted}, and this is {found}"), converted(found, wanted))
        });
        if receiver.ty == Ty::Unknown {
            return Ex::wrong(place);
        }
        self.apply(method, name, ty, Ex { ty: Ty::Scalar(ty), ..receiver }, args, place)
    }

    fn float_of(&mut self, ty: Scalar, name: &Ident, args: Vec<Ex>, place: Extent) -> Ex {
        let bits = ty.bits_type();
        let Ok([arg]) = <[Ex; 1]>::try_from(args) else {
            return self.error(name.span(), format!("`{ty}::from_bits` takes one argument, a {bits}"));
        };
        self.expect(&arg, Ty::Scalar(bits), |found, wanted| {
            (format!("`{ty}::from_bits` takes {wanted}, and this is {found}"), converted(found, wanted))
        });
        Ex { kind: Kind::Un(Un::FromBits, Box::new(arg)), ty: Ty::Scalar(ty), place }
    }
}

/// Returns the range in parentheses.
fn range(receiver: &Expr) -> Option<&ExprRange> {
    match receiver {
        Expr::Paren(inner) => match &*inner.expr {
            Expr::Range(range) => Some(range),
            other => range(other),
        },
        _ => None,
    }
}

/// Splits `f32::max` into `f32` and `max`.
fn of_scalar(path: &Path) -> Option<(Scalar, &Ident)> {
    let segments: Vec<_> = path.segments.iter().collect();
    let [ty, name] = segments.as_slice() else { return None };
    (ty.arguments.is_none() && name.arguments.is_none())
        .then(|| forms::scalar(&ty.ident.to_string()))
        .flatten()
        .map(|ty| (ty, &name.ident))
}

/// Returns the number of arguments in words.
fn arguments(count: usize) -> String {
    match count {
        0 => "no argument".to_owned(),
        1 => "one argument".to_owned(),
        count => format!("{count} arguments"),
    }
}

/// Returns the error for a receiver of unknown type, which Rust refuses as well. The help suggests the type of
/// another argument.
fn ambiguous(receiver: &Ex, other: Option<Scalar>) -> (String, String) {
    match receiver.number() {
        Some(number) => {
            let own = if number.is_float { Scalar::F32 } else { Scalar::I32 };
            let ty = other.filter(|ty| ty.is_float() || ty.is_integer() && !number.is_float).unwrap_or(own);
            (
                "the type of this number is not known here".to_owned(),
                format!("write it, as in `{}`", number.typed(ty)),
            )
        }
        None => {
            let help = "give one of its numbers a type, as in `2.0f32`, or the `let` that names it";
            ("the type of this is not known here".to_owned(), help.to_owned())
        }
    }
}
