//! Rust expression → device expression: the part of Rust that a device runs, still without types.
//!
//! What rustc accepts and a device cannot do is reported at the offending token. To add a method, add a row
//! to [`METHODS`].
#![allow(clippy::wildcard_enum_match_arm, reason = "the enums of syn are not ours, and grow")]

use super::diagnostic::{Errors, Extent};
use super::limits::OPERATIONS;
use super::literal::Number;
use super::names;
use crate::ops::{Bin, Un};
use proc_macro2::Ident;
use syn::{Attribute, BinOp, Block, Expr, ExprBinary, ExprMethodCall, ExprPath, ExprUnary, Lit, Stmt, UnOp};

/// An expression with its place.
pub(super) struct Ex {
    pub(super) kind: Kind,
    pub(super) place: Extent,
}

/// What an expression is. Everything but a number has a type of its own.
pub(super) enum Kind {
    /// The parameter at that position.
    Param(usize),
    /// A number, typed by what is around it unless it has a suffix.
    Number(Number),
    /// An operation on one operand.
    Un(Un, Box<Ex>),
    /// An operation on two operands; the place is that of the operator or the name of the method.
    Bin(Bin, Extent, Box<[Ex; 2]>),
}

/// A method that devices have.
#[derive(Clone, Copy)]
struct Method {
    name: &'static str,
    what: Operation,
}

/// What a method does.
#[derive(Clone, Copy)]
enum Operation {
    /// Of the receiver.
    Un(Un),
    /// Of the receiver and an argument. Integers only: Rust's `max` of floats ignores NaN, ours propagates it.
    Bin(Bin),
}

/// The table of methods.
const METHODS: [Method; 3] = [
    Method { name: "abs", what: Operation::Un(Un::Abs) },
    Method { name: "min", what: Operation::Bin(Bin::Min) },
    Method { name: "max", what: Operation::Bin(Bin::Max) },
];

/// Translates the body of a closure with those parameters.
pub(super) fn expression(body: &Expr, params: &[Option<&Ident>], errors: &mut Errors) -> Option<Ex> {
    Reader { params, errors, is_too_deep: false }.read(body, 0)
}

struct Reader<'a> {
    params: &'a [Option<&'a Ident>],
    errors: &'a mut Errors,
    /// Has that been reported?
    is_too_deep: bool,
}

impl Reader<'_> {
    fn read(&mut self, expr: &Expr, depth: usize) -> Option<Ex> {
        if depth > OPERATIONS {
            return self.too_deep(expr);
        }
        if let Some(attribute) = attributes(expr).first() {
            return self.error(Extent::of(attribute), "attributes are not supported in closures");
        }
        match expr {
            Expr::Paren(inner) => self.read(&inner.expr, depth + 1),
            Expr::Group(inner) => self.read(&inner.expr, depth + 1),
            Expr::Block(block) if block.label.is_none() => self.block(&block.block, depth),
            Expr::Path(path) => self.param(path),
            Expr::Lit(literal) => self.number(&literal.lit, None),
            Expr::Unary(unary) => self.unary(unary, depth),
            Expr::Binary(binary) => self.binary(binary, depth),
            Expr::MethodCall(call) => self.method(call, depth),
            other => self.refuse(other),
        }
    }

    fn block(&mut self, block: &Block, depth: usize) -> Option<Ex> {
        let braces = block.brace_token.span.join();
        match block.stmts.as_slice() {
            [Stmt::Expr(value, None)] => self.read(value, depth + 1),
            [] => self.error(braces, "the closure gives no value; end it with an expression"),
            [Stmt::Local(first), ..] => {
                self.error(Extent::of(&first.let_token), "`let` is not supported in closures by this version")
            }
            [..] => self.error(braces, "the block of a closure is one expression, without `;`"),
        }
    }

    fn param(&mut self, path: &ExprPath) -> Option<Ex> {
        let place = Extent::of(path);
        let Some(name) = path.path.get_ident() else {
            return self
                .error(place, "paths are not supported in closures by this version; write the number");
        };
        let position = self.params.iter().position(|param| *param == Some(name));
        if position.is_none() {
            self.errors.add(place, format!("`{name}` is not a parameter of this closure")).help(
                "a closure sees only its parameters; scalars given at the call go in the field `params`, \
                 which a later version brings",
            );
        }
        Some(Ex { kind: Kind::Param(position?), place })
    }

    /// A number after its minus sign, if it has one.
    fn number(&mut self, literal: &Lit, minus: Option<Extent>) -> Option<Ex> {
        let end = Extent::of(literal);
        let place = Extent { start: minus.unwrap_or(end).start, ..end };
        match Number::read(literal, minus.is_some()) {
            Ok(number) => Some(Ex { kind: Kind::Number(number), place }),
            Err(message) => self.error(end, message),
        }
    }

    fn unary(&mut self, unary: &ExprUnary, depth: usize) -> Option<Ex> {
        let at = Extent::of(&unary.op);
        let UnOp::Neg(_) = unary.op else { return self.error(at, unsupported(&unary.op)) };
        // `-2147483648` is a number, although `2147483648` is none.
        if let Expr::Lit(literal) = without_parentheses(&unary.expr) {
            return self.number(&literal.lit, Some(at));
        }
        let operand = self.read(&unary.expr, depth + 1)?;
        let place = Extent { start: at.start, end: operand.place.end };
        Some(Ex { kind: Kind::Un(Un::Neg, Box::new(operand)), place })
    }

    fn binary(&mut self, binary: &ExprBinary, depth: usize) -> Option<Ex> {
        let at = Extent::of(&binary.op);
        let op = match binary.op {
            BinOp::Add(_) => Some(Bin::Add),
            BinOp::Sub(_) => Some(Bin::Sub),
            BinOp::Mul(_) => Some(Bin::Mul),
            _ => self.error(at, unsupported(&binary.op)),
        };
        let left = self.read(&binary.left, depth + 1);
        let right = self.read(&binary.right, depth + 1);
        let (left, right) = (left?, right?);
        let place = Extent { start: left.place.start, end: right.place.end };
        Some(Ex { kind: Kind::Bin(op?, at, Box::new([left, right])), place })
    }

    fn method(&mut self, call: &ExprMethodCall, depth: usize) -> Option<Ex> {
        let name = call.method.to_string();
        let at = Extent::from(call.method.span());
        let method = METHODS.iter().find(|method| method.name == name);
        let receiver = self.read(&call.receiver, depth + 1);
        let args: Vec<_> = call.args.iter().map(|arg| self.read(arg, depth + 1)).collect();
        let Some(method) = method else { return self.unknown_method(&name, at) };
        let (takes, words) = match method.what {
            Operation::Un(_) => (0, "no argument"),
            Operation::Bin(_) => (1, "one argument"),
        };
        if args.len() != takes || call.turbofish.is_some() {
            self.errors.add(at, format!("`{name}` takes {words}"));
            return None;
        }
        let receiver = receiver?;
        let place = Extent { start: receiver.place.start, end: call.paren_token.span.close() };
        let kind = match (method.what, args.into_iter().next()) {
            (Operation::Un(op), _) => Kind::Un(op, Box::new(receiver)),
            (Operation::Bin(op), arg) => Kind::Bin(op, at, Box::new([receiver, arg??])),
        };
        Some(Ex { kind, place })
    }

    fn unknown_method<T>(&mut self, name: &str, at: Extent) -> Option<T> {
        let known: Vec<_> = METHODS.iter().map(|method| method.name).collect();
        match names::nearest(name, &known) {
            Some(near) => self
                .errors
                .add(at, format!("unknown method `{name}`"))
                .help(format!("did you mean `{near}`?")),
            None => self
                .errors
                .add(at, format!("the method `{name}` is not supported in closures by this version"))
                .help(format!("the methods are {}", known.join(", "))),
        };
        None
    }

    fn too_deep<T>(&mut self, expr: &Expr) -> Option<T> {
        if !std::mem::replace(&mut self.is_too_deep, true) {
            self.errors
                .add(Extent::of(expr), format!("an expression nests at most {OPERATIONS} operations deep"));
        }
        None
    }

    fn refuse<T>(&mut self, expr: &Expr) -> Option<T> {
        let (at, what) = offender(expr);
        self.error(at, format!("{what} not supported in closures by this version"))
    }

    fn error<T>(&mut self, at: impl Into<Extent>, message: impl Into<String>) -> Option<T> {
        self.errors.add(at, message);
        None
    }
}

/// The attributes of an expression that is not refused anyway.
fn attributes(expr: &Expr) -> &[Attribute] {
    match expr {
        Expr::Paren(e) => &e.attrs,
        Expr::Group(e) => &e.attrs,
        Expr::Block(e) => &e.attrs,
        Expr::Path(e) => &e.attrs,
        Expr::Lit(e) => &e.attrs,
        Expr::Unary(e) => &e.attrs,
        Expr::Binary(e) => &e.attrs,
        Expr::MethodCall(e) => &e.attrs,
        _ => &[],
    }
}

fn without_parentheses(mut expr: &Expr) -> &Expr {
    while let Expr::Paren(inner) = expr
        && inner.attrs.is_empty()
    {
        expr = &inner.expr;
    }
    expr
}

fn unsupported(operator: &impl quote::ToTokens) -> String {
    format!(
        "`{}` is not supported in closures by this version, which has `+`, `-` and `*`",
        operator.to_token_stream()
    )
}

/// The token at which an expression stops being one for a device, and the words for it.
fn offender(expr: &Expr) -> (Extent, &'static str) {
    match expr {
        Expr::Array(e) => (Extent::of(e), "arrays are"),
        Expr::Assign(e) => (Extent::of(&e.eq_token), "assignments are"),
        Expr::Await(e) => (Extent::of(&e.await_token), "`await` is"),
        Expr::Break(e) => (Extent::of(&e.break_token), "`break` is"),
        Expr::Call(e) => (Extent::of(&e.func), "calls of functions are"),
        Expr::Cast(e) => (Extent::of(&e.as_token), "`as` is"),
        Expr::Closure(e) => (Extent::of(e), "another closure is"),
        Expr::Continue(e) => (Extent::of(&e.continue_token), "`continue` is"),
        Expr::Field(e) => (Extent::of(&e.member), "fields are"),
        Expr::ForLoop(e) => (Extent::of(&e.for_token), "loops are"),
        Expr::If(e) => (Extent::of(&e.if_token), "`if` is"),
        Expr::Index(e) => (e.bracket_token.span.join().into(), "indexing is"),
        Expr::Loop(e) => (Extent::of(&e.loop_token), "loops are"),
        Expr::Macro(e) => (Extent::of(&e.mac.path), "macros are"),
        Expr::Match(e) => (Extent::of(&e.match_token), "`match` is"),
        Expr::Range(e) => (Extent::of(&e.limits), "ranges are"),
        Expr::Reference(e) => (Extent::of(&e.and_token), "references are"),
        Expr::Return(e) => (Extent::of(&e.return_token), "`return` is"),
        Expr::Struct(e) => (Extent::of(&e.path), "structs are"),
        Expr::Try(e) => (Extent::of(&e.question_token), "`?` is"),
        Expr::Tuple(e) => (Extent::of(e), "tuples are"),
        Expr::Unsafe(e) => (Extent::of(&e.unsafe_token), "`unsafe` is"),
        Expr::While(e) => (Extent::of(&e.while_token), "loops are"),
        other => (Extent::of(other), "this is"),
    }
}
