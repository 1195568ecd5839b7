//! Blocks, `let` and `if`.
#![allow(clippy::wildcard_enum_match_arm, reason = "the enums of syn are not ours, and grow")]

use super::convert::converted;
use super::{Reader, refuse};
use crate::parse::diagnostic::{Extent, between};
use crate::parse::hygiene::Name;
use crate::parse::keywords;
use crate::parse::tree::{Ex, Kind, Let};
use crate::parse::types::Ty;
use reduce_ir::Scalar;
use syn::{Block, Expr, ExprIf, Local, Pat, Stmt};

impl Reader<'_> {
    pub(super) fn block(&mut self, block: &Block, hint: Option<Ty>, depth: usize) -> Ex {
        let outside = self.names.len();
        let value = self.statements(block, hint, depth);
        self.names.truncate(outside);
        value
    }

    fn statements(&mut self, block: &Block, hint: Option<Ty>, depth: usize) -> Ex {
        let braces = Extent::from(block.brace_token.span.join());
        let (value, before) = match block.stmts.split_last() {
            Some((Stmt::Expr(value, None), before)) => (Some(value), before),
            Some(_) | None => (None, block.stmts.as_slice()),
        };
        let (last, before) = match before.split_last() {
            // The value, followed by a superfluous `;`.
            Some((Stmt::Expr(last, Some(_)), before)) if value.is_none() => (Some(last), before),
            _ => (None, before),
        };
        let lets: Vec<_> = before.iter().filter_map(|it| self.statement(it, depth)).collect();
        let Some(value) = value else {
            let what = if last.is_some() { "leave out its last `;`" } else { "end it with an expression" };
            last.into_iter().for_each(|last| drop(self.read(last, None, depth + 1)));
            return self.error(braces, format!("this block gives no value; {what}"));
        };
        let value = self.read(value, hint, depth + 1);
        let ty = value.ty;
        // A value without `let`s keeps its own place.
        let place = if lets.is_empty() { value.place } else { braces };
        Ex { kind: Kind::Block(lets, Box::new(value)), ty, place }
    }

    fn statement(&mut self, statement: &Stmt, depth: usize) -> Option<Let> {
        match statement {
            Stmt::Local(local) => self.local(local, depth),
            Stmt::Expr(expr, _) => {
                if self.read(expr, None, depth + 1).ty != Ty::Unknown {
                    let help = "give it a name, as in `let y = …;`, or leave it out";
                    self.error_with_help(Extent::of(expr), "the value of this is not used", help);
                }
                None
            }
            Stmt::Macro(call) => {
                self.no_macro(&call.mac.path);
                None
            }
            Stmt::Item(item) => {
                self.error(Extent::of(item), "a closure has `let`s and a value; write nothing else here");
                None
            }
        }
    }

    fn local(&mut self, local: &Local, depth: usize) -> Option<Let> {
        if let Some(attribute) = local.attrs.first() {
            self.error(Extent::of(attribute), "a `let` here has no attributes; leave this out");
        }
        let value = match &local.init {
            Some(init) => self.read(&init.expr, None, depth + 1),
            None => self.error(Extent::of(local), "a `let` here has a value, as in `let y = x * x;`"),
        };
        if let Some((token, _)) = local.init.as_ref().and_then(|init| init.diverge.as_ref()) {
            self.error(Extent::of(token), "a `let` here cannot fail; leave the `else` out");
        }
        let (pat, ty) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            other => (other, None),
        };
        let ty = match ty.map(|ty| self.ty(ty)) {
            Some(declared) => {
                self.expect(&value, declared, |found, wanted| {
                    (format!("this is {found}, and the `let` says {wanted}"), converted(found, wanted))
                });
                declared
            }
            None => value.ty,
        };
        let Some(name) = self.pattern(pat) else {
            refuse::names(pat).into_iter().for_each(|name| {
                self.bind(Some(name), Ty::Unknown);
            });
            return None;
        };
        let word = name.as_ref().map_or_else(|| "_".to_owned(), |name| name.word.clone());
        let local = self.bind(name, ty);
        Some(Let { local, name: word, value })
    }

    /// Returns the name that a `let` binds, or `Some(None)` for `_`. Other patterns are reported.
    fn pattern(&mut self, pat: &Pat) -> Option<Option<Name>> {
        match pat {
            Pat::Wild(_) => Some(None),
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                if let Some(mutable) = &name.mutability {
                    let help = "write a new `let` for every value, as in `let y = y + 1.0;`";
                    self.error_with_help(Extent::of(mutable), "variables cannot change here", help);
                }
                let word = name.ident.to_string();
                if keywords::is_keyword(&word) {
                    self.error(Extent::of(&name.ident), keywords::keyword(&word));
                    return None;
                }
                Some(Some(Name::of(&name.ident)))
            }
            Pat::Struct(_) => {
                let help = "write one for each field, as in `let lo = r.lo;`";
                self.error_with_help(Extent::of(pat), "a `let` here binds one name", help);
                None
            }
            _ => {
                let help = "write one for each value, as in `let y = x * x;`";
                self.error_with_help(Extent::of(pat), "a `let` here binds one name", help);
                None
            }
        }
    }

    pub(super) fn branches(&mut self, branches: &ExprIf, depth: usize) -> Ex {
        let cond = self.condition(&branches.cond, depth);
        let holds = self.block(&branches.then_branch, None, depth + 1);
        let Some((_, otherwise)) = &branches.else_branch else {
            let help = "add the value of the other case, as in `if x > 0.0 { x } else { 0.0 }`";
            return self.error_with_help(Extent::of(&branches.if_token), "this `if` has no `else`", help);
        };
        let otherwise = self.read(otherwise, None, depth + 1);
        self.expect(&otherwise, holds.ty, |found, wanted| {
            (
                format!("the branches of this `if` differ: the first is {wanted}, and this is {found}"),
                converted(found, wanted),
            )
        });
        let ty = if holds.ty == Ty::Unknown { otherwise.ty } else { holds.ty };
        let place = between(&branches.if_token, branches);
        Ex { kind: Kind::If(Box::new([cond, holds, otherwise])), ty, place }
    }

    fn condition(&mut self, cond: &Expr, depth: usize) -> Ex {
        if let Expr::Let(pattern) = cond {
            let help = "compare instead, as in `if x == 0.0`";
            refuse::names(&pattern.pat).into_iter().for_each(|name| {
                self.bind(Some(name), Ty::Unknown);
            });
            return self.error_with_help(
                Extent::of(&pattern.let_token),
                "`if let` is not possible here",
                help,
            );
        }
        let cond = self.read(cond, None, depth + 1);
        let bool = Ty::Scalar(Scalar::Bool);
        self.expect(&cond, bool, |found, _| {
            let zero = if found.starts_with('f') || found == "a float" { "0.0" } else { "0" };
            (format!("a condition is bool, and this is {found}"), format!("compare it, as in `… != {zero}`"))
        });
        cond
    }
}
