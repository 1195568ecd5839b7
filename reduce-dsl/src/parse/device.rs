//! Rust expressions to typed trees: the part of Rust that a device can run, with the types that rustc infers.
//!
//! Code that rustc accepts and a device cannot run is reported at the offending token. A wrong expression has a
//! type that unifies with every type, so that one mistake causes one error.
#![allow(clippy::wildcard_enum_match_arm, reason = "the enums of syn are not ours, and grow")]

mod block;
mod call;
mod convert;
mod known_methods;
mod name;
mod operator;
mod record;
mod refuse;

pub(super) use convert::converted;

use super::diagnostic::{Errors, Extent};
use super::hygiene::Name;
use super::limits::OPERATIONS;
use super::literal::Number;
use super::role::Role;
use super::tree::{Ex, Kind};
use super::types::{Ty, Types};
use proc_macro2::Ident;
use reduce_ir::{Scalar, Value};
use syn::{Expr, Lit};

/// Reads the expressions of one closure.
pub(super) struct Reader<'a> {
    pub(super) role: &'a Role,
    pub(super) types: Types,
    /// The names in scope, innermost last, with the numbers of their locals.
    names: Vec<(Name, usize)>,
    /// The types of parameters and `let`s.
    pub(super) locals: Vec<Ty>,
    errors: &'a mut Errors,
    /// Whether too deep nesting has been reported.
    is_too_deep: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(role: &'a Role, errors: &'a mut Errors) -> Reader<'a> {
        let types = Types::new(&role.records);
        Reader { role, types, names: Vec::new(), locals: Vec::new(), errors, is_too_deep: false }
    }

    /// Declares a parameter or a `let` and returns its number. Without a name, it cannot be referenced.
    pub(super) fn bind(&mut self, name: Option<Name>, ty: Ty) -> usize {
        let local = self.locals.len();
        self.locals.push(ty);
        self.names.extend(name.map(|name| (name, local)));
        local
    }

    /// Reads an expression. `hint` is the type of an enclosing `as`, which a literal without suffix takes.
    pub(super) fn read(&mut self, expr: &Expr, hint: Option<Ty>, depth: usize) -> Ex {
        if depth > OPERATIONS {
            return self.too_deep(expr);
        }
        if let Some(attribute) = refuse::attributes(expr).first() {
            return self.error(Extent::of(attribute), "an expression here has no attributes; leave this out");
        }
        match expr {
            Expr::Paren(inner) => {
                let place = inner.paren_token.span.join().into();
                Ex { place, ..self.read(&inner.expr, hint, depth + 1) }
            }
            Expr::Group(inner) => self.read(&inner.expr, hint, depth + 1),
            Expr::Block(block) if block.label.is_none() => self.block(&block.block, hint, depth),
            Expr::Path(path) => self.path(path),
            Expr::Lit(literal) => self.literal(&literal.lit, None, hint),
            Expr::Unary(unary) => self.unary(unary, hint, depth),
            Expr::Binary(binary) => self.binary(binary, depth),
            Expr::If(branches) => self.branches(branches, depth),
            Expr::Cast(cast) => self.cast(cast, depth),
            Expr::MethodCall(call) => self.method_call(call, depth),
            Expr::Call(call) => self.call(call, depth),
            Expr::Struct(literal) => self.structure(literal, depth),
            Expr::Field(field) => self.field(field, depth),
            other => self.refuse(other),
        }
    }

    /// Reads a literal, together with the minus sign before it if there is one.
    fn literal(&mut self, literal: &Lit, minus: Option<Extent>, hint: Option<Ty>) -> Ex {
        let end = Extent::of(literal);
        let place = Extent { start: minus.unwrap_or(end).start, ..end };
        if let (Lit::Bool(value), None) = (literal, minus) {
            let ty = Ty::Scalar(Scalar::Bool);
            return Ex { kind: Kind::Value(Value::of(value.value)), ty, place };
        }
        match Number::read(literal, minus.is_some()) {
            Ok(number) => {
                let ty = self.types.of_number(&number);
                hint.into_iter().for_each(|hint| {
                    self.types.unify(ty, hint);
                });
                Ex { kind: Kind::Number(number), ty, place }
            }
            Err((message, help)) => {
                self.errors.add(end, message).help(help);
                Ex::wrong(place)
            }
        }
    }

    /// Unifies the type of `ex` with `want`, or reports `message`, which is built from both types.
    pub(super) fn expect(
        &mut self,
        ex: &Ex,
        want: Ty,
        message: impl FnOnce(&str, &str) -> (String, String),
    ) -> bool {
        if self.types.unify(ex.ty, want) {
            return true;
        }
        let (found, wanted) = (self.types.show(ex.ty), self.types.show(want));
        let (message, help) = match (ex.number(), self.types.is_float(want)) {
            (Some(number), Some(true)) if !number.is_float && number.suffix.is_none() => (
                format!("`{number}` is an integer, and {wanted} is expected"),
                format!("write `{}`", number.float()),
            ),
            (Some(number), Some(is_float)) => {
                let (message, _) = message(&found, &wanted);
                let help = match number.suffix {
                    Some(_) if number.is_float == is_float => format!("write `{number}{wanted}`"),
                    _ if is_float => {
                        format!("write a float, as in `1.0`, which is {wanted} here")
                    }
                    _ => format!("write an integer, as in `1`, which is {wanted} here"),
                };
                (message, help)
            }
            (Some(_), None) if wanted == "bool" => {
                (message(&found, &wanted).0, "write `true`, `false` or a comparison".to_owned())
            }
            _ => message(&found, &wanted),
        };
        self.errors.add(ex.place, message).help(help);
        false
    }

    fn is(&self, ty: Ty, holds: fn(Scalar) -> bool) -> bool {
        match self.types.resolve(ty) {
            Ty::Scalar(scalar) => holds(scalar),
            Ty::Number(_) => holds(self.types.scalar(ty)),
            Ty::Unknown => true,
            Ty::Struct(_) => false,
        }
    }

    fn too_deep(&mut self, expr: &Expr) -> Ex {
        let place = Extent::of(expr);
        if !std::mem::replace(&mut self.is_too_deep, true) {
            self.errors.add(place, format!("an expression nests at most {OPERATIONS} operations deep"));
        }
        Ex::wrong(place)
    }

    fn error(&mut self, at: impl Into<Extent>, message: impl Into<String>) -> Ex {
        let at = at.into();
        self.errors.add(at, message);
        Ex::wrong(at)
    }

    fn error_with_help(
        &mut self,
        at: impl Into<Extent>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Ex {
        let at = at.into();
        self.errors.add(at, message).help(help);
        Ex::wrong(at)
    }

    /// Reads a type. Types that devices do not have are reported with an alternative.
    pub(super) fn ty(&mut self, ty: &syn::Type) -> Ty {
        let place = Extent::of(ty);
        let name = match ty {
            syn::Type::Paren(inner) => return self.ty(&inner.elem),
            syn::Type::Path(path) if path.qself.is_none() => path.path.get_ident(),
            _ => None,
        };
        let Some(name) = name else {
            self.error(place, "a type here is a scalar, as in `f32`, or a struct by its name");
            return Ty::Unknown;
        };
        self.named_type(name)
    }

    fn named_type(&mut self, name: &Ident) -> Ty {
        let word = name.to_string();
        match Scalar::from_name(&word) {
            Some(ty) if ty.is_half() && !self.role.dialect.is_row() => {
                let help = "a result is f32, which the caller can round";
                self.error_with_help(
                    name.span(),
                    format!("{ty} is for elements; closures compute in f32"),
                    help,
                );
                Ty::Unknown
            }
            Some(ty) => Ty::Scalar(ty),
            None => self.types.named(&word).unwrap_or_else(|| {
                refuse::type_name(name, self.errors);
                Ty::Unknown
            }),
        }
    }
}
