//! Rust expressions to typed trees: the part of Rust that a device can run, with the types that rustc infers.
//!
//! Code that rustc accepts and a device cannot run is reported at the offending token. A wrong expression has a
//! type that unifies with every type, so that one mistake causes one error.
#![allow(clippy::wildcard_enum_match_arm, reason = "the enums of syn are not ours, and grow")]

mod aggregate;
mod assertion;
mod assign;
mod block;
mod call;
mod choice;
mod control;
mod convert;
mod cover;
mod helper;
mod known_methods;
mod name;
mod operator;
mod pattern;
mod record;
mod refuse;
mod returns;

pub(super) use refuse::type_name as unknown_type;
pub(super) use returns::Returns;

use super::diagnostic::{Errors, Extent};
use super::hygiene::Name;
use super::limits::OPERATIONS;
use super::literal::Number;
use super::role::Role;
use super::tree::{Ex, Kind, Step};
use super::types::{Ty, Types, UNIT};
use super::{forms, tree};
use proc_macro2::TokenStream;
use reduce_ir::{Scalar, Value};
use syn::{Expr, Lit};

/// Reads the expressions of one closure.
pub(super) struct Reader<'a> {
    pub(super) role: &'a Role,
    pub(super) types: Types,
    /// The names in scope, innermost last, with the numbers of their locals.
    names: Vec<(Name, usize)>,
    /// Parameters and `let`s.
    pub(super) locals: Vec<Variable>,
    errors: &'a mut Errors,
    /// The functions around the expression, innermost last.
    pub(super) returns: Vec<Returns>,
    /// The helper functions whose bodies are being read.
    open: Vec<String>,
    /// The functions that closures declare, whose errors have been reported.
    declared: Vec<String>,
    /// The constants of the user that the expression names.
    pub(super) constants: Vec<Constant>,
    /// The number of loops around the expression in its function.
    loops: usize,
    /// The number of assignments and exits read so far.
    effects: usize,
    /// The number of helper functions inlined so far.
    calls: usize,
    /// Whether too deep nesting has been reported.
    is_too_deep: bool,
}

/// A constant of the user, whose value the macro passes at run time.
pub(in crate::parse) struct Constant {
    /// The expression that rustc evaluates: its path, or a cast of it.
    pub(in crate::parse) tokens: TokenStream,
    /// The name of the param that stands for it. No name of the user has `__`.
    pub(in crate::parse) name: String,
    pub(in crate::parse) local: usize,
    pub(in crate::parse) ty: Ty,
}

/// A parameter or a `let`.
pub(in crate::parse) struct Variable {
    pub(in crate::parse) ty: Ty,
    /// The name as written; `_` if it has none.
    pub(in crate::parse) word: String,
    pub(in crate::parse) is_mutable: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(role: &'a Role, errors: &'a mut Errors) -> Reader<'a> {
        let types = Types::new(&role.records, &role.forms);
        Reader {
            role,
            types,
            names: Vec::new(),
            locals: Vec::new(),
            errors,
            returns: Vec::new(),
            open: Vec::new(),
            declared: Vec::new(),
            constants: Vec::new(),
            loops: 0,
            effects: 0,
            calls: 0,
            is_too_deep: false,
        }
    }

    /// Declares a parameter or a `let` and returns its number. Without a name, it cannot be referenced.
    pub(super) fn bind(&mut self, name: Option<Name>, ty: Ty) -> usize {
        self.bind_as(name, ty, false)
    }

    /// Declares a variable, which may be mutable.
    pub(super) fn bind_as(&mut self, name: Option<Name>, ty: Ty, is_mutable: bool) -> usize {
        let local = self.locals.len();
        let word = name.as_ref().map_or_else(|| "_".to_owned(), |name| name.word.clone());
        self.locals.push(Variable { ty, word, is_mutable });
        self.names.extend(name.map(|name| (name, local)));
        local
    }

    /// Declares a value that the text does not name. Functions name it, because it is used several times.
    pub(super) fn bind_hidden(&mut self, word: &str, ty: Ty) -> usize {
        let local = self.bind(None, ty);
        self.locals[local].word = word.to_owned();
        local
    }

    /// Reads an expression that has a value. `hint` is as for [`Reader::read`].
    pub(super) fn value(&mut self, expr: &Expr, hint: Option<Ty>, depth: usize) -> Ex {
        let ex = self.read(expr, hint, depth);
        match self.types.resolve(ex.ty) {
            UNIT => self.no_value(&ex),
            Ty::Never => self.error_with_help(
                ex.place,
                "this leaves the code around it, and has no value",
                "write it as a statement of its own",
            ),
            Ty::Scalar(_) | Ty::Struct(_) | Ty::Number(_) | Ty::Unknown => ex,
        }
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
            Expr::Tuple(tuple) => self.tuple(tuple, depth),
            Expr::Array(array) => self.array(array, depth),
            Expr::Repeat(array) => self.repeated(array, depth),
            Expr::Index(index) => self.index(index, depth),
            Expr::Match(choice) => self.choice(choice, depth),
            Expr::Macro(call) => self.macro_call(&call.mac, depth),
            Expr::Assign(assign) => self.assign(assign, depth),
            Expr::Return(exit) => self.exit(exit, depth),
            Expr::Break(exit) if exit.expr.is_none() && exit.label.is_none() => {
                self.leave(tree::Leave::Break, Extent::of(exit))
            }
            Expr::Continue(exit) if exit.label.is_none() => {
                self.leave(tree::Leave::Continue, Extent::of(exit))
            }
            Expr::ForLoop(repeat) if repeat.label.is_none() => self.repeat(repeat, depth),
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
        if self.types.resolve(ex.ty) == UNIT
            && !matches!(self.types.resolve(want), UNIT | Ty::Never | Ty::Unknown)
        {
            self.no_value(ex);
            return false;
        }
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
            Ty::Number(_) => self.types.is_any(ty) || holds(self.types.scalar(ty)),
            Ty::Unknown | Ty::Never => true,
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
        let types = &self.types;
        let known = |name: &str| types.named(name).map(|ty| types.form(ty));
        match forms::read(ty, self.role.dialect, &known, self.errors) {
            Some(form) => self.types.of_form(&form),
            None => Ty::Unknown,
        }
    }

    /// Makes a block of statements and a value; without statements, the value itself.
    fn after(steps: Vec<Step>, value: Ex) -> Ex {
        if steps.is_empty() {
            return value;
        }
        let (ty, place) = (value.ty, value.place);
        Ex { kind: Kind::Block(steps, Box::new(value)), ty, place }
    }
}
