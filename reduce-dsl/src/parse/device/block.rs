//! Blocks, statements, `let` and `if`.
#![allow(clippy::wildcard_enum_match_arm, reason = "the enums of syn are not ours, and grow")]

use super::convert::converted;
use super::pattern::Subject;
use super::{Reader, refuse};
use crate::parse::diagnostic::{Extent, between};
use crate::parse::hygiene::Name;
use crate::parse::keywords;
use crate::parse::tree::{Ex, Kind, Lack, Let, Step};
use crate::parse::types::{Ty, UNIT};
use proc_macro2::Ident;
use reduce_ir::Scalar;
use syn::{Block, Expr, ExprIf, ExprMacro, Local, Pat, PatIdent, Stmt};

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
            Some((Stmt::Expr(value, None), before)) => (Some(value.clone()), before),
            Some((Stmt::Macro(call), before)) if call.semi_token.is_none() => {
                (Some(Expr::Macro(ExprMacro { attrs: call.attrs.clone(), mac: call.mac.clone() })), before)
            }
            Some(_) | None => (None, block.stmts.as_slice()),
        };
        let mut steps = Vec::new();
        let (mut leaves, mut lack) = (false, Lack::End);
        for (at, statement) in before.iter().enumerate() {
            let is_last = value.is_none() && at + 1 == before.len();
            let kept = steps.len();
            self.statement(statement, is_last, &mut steps, depth);
            leaves |= steps[kept..].iter().any(|step| matches!(step, Step::Do(ex) if ex.ty == Ty::Never));
            if is_last && matches!(statement, Stmt::Expr(..)) && steps.len() == kept {
                lack = Lack::Semicolon;
            }
        }
        let value = match value {
            Some(value) => self.read(&value, hint, depth + 1),
            None => Ex { kind: Kind::Nothing(lack), ty: UNIT, place: braces },
        };
        let is_nothing = matches!(value.kind, Kind::Nothing(_));
        let ty = if leaves && (is_nothing || value.ty == UNIT) { Ty::Never } else { value.ty };
        // A value without statements keeps its own place.
        let place = if steps.is_empty() && !is_nothing { value.place } else { braces };
        Ex { kind: Kind::Block(steps, Box::new(value)), ty, place }
    }

    /// Reads a statement. The last one may give the value of the block.
    fn statement(&mut self, statement: &Stmt, is_last: bool, steps: &mut Vec<Step>, depth: usize) {
        match statement {
            Stmt::Local(local) => self.local(local, steps, depth),
            Stmt::Expr(expr, _) => {
                let ex = self.read(expr, None, depth + 1);
                match self.types.resolve(ex.ty) {
                    UNIT | Ty::Never => steps.push(Step::Do(ex)),
                    Ty::Unknown => {}
                    Ty::Scalar(_) | Ty::Struct(_) | Ty::Number(_) if is_last => {}
                    Ty::Scalar(_) | Ty::Struct(_) | Ty::Number(_) => {
                        let help = "give it a name, as in `let y = …;`, or leave it out";
                        self.error_with_help(Extent::of(expr), "the value of this is not used", help);
                    }
                }
            }
            Stmt::Macro(call) => {
                let ex = self.macro_call(&call.mac, depth);
                if ex.ty == UNIT {
                    steps.push(Step::Do(ex));
                }
            }
            Stmt::Item(syn::Item::Fn(function)) => {
                let help = "write it beside the fields, as in `fn sq(x: f32) -> f32 { x * x }, op: sum`";
                self.declared.push(function.sig.ident.to_string());
                self.error_with_help(Extent::of(&function.sig), "a closure here declares no functions", help);
            }
            Stmt::Item(item) => {
                self.error(Extent::of(item), "a closure has `let`s and a value; write nothing else here");
            }
        }
    }

    fn local(&mut self, local: &Local, steps: &mut Vec<Step>, depth: usize) {
        if let Some(attribute) = local.attrs.first() {
            self.error(Extent::of(attribute), "a `let` here has no attributes; leave this out");
        }
        let value = match &local.init {
            Some(init) => self.value(&init.expr, None, depth + 1),
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
        self.destructure(pat, ty, value, steps);
    }

    /// Binds the names of a pattern that always matches to a value.
    fn destructure(&mut self, pat: &Pat, ty: Ty, value: Ex, steps: &mut Vec<Step>) {
        match pat {
            Pat::Wild(_) => {
                let local = self.bind(None, ty);
                steps.push(Step::Let(Let { local, value }));
            }
            Pat::Ident(name) => {
                let Some((name, is_mutable)) = self.name(name) else {
                    self.unbound(pat);
                    return;
                };
                let local = self.bind_as(Some(name), ty, is_mutable);
                steps.push(Step::Let(Let { local, value }));
            }
            _ => {
                let subject = Subject::new(self.bind(None, ty), ty, value.place);
                steps.push(Step::Let(Let { local: subject.local, value }));
                self.always(pat, &subject, steps);
            }
        }
    }

    /// Reads the name in a pattern, and whether it is mutable. Other patterns of one name are reported.
    pub(super) fn name(&mut self, pat: &PatIdent) -> Option<(Name, bool)> {
        if pat.by_ref.is_some() || pat.subpat.is_some() {
            self.error(Extent::of(pat), "a pattern here binds a plain name; leave out `ref` and `@`");
            self.unbound(&Pat::Ident(pat.clone()));
            return None;
        }
        self.plain(&pat.ident).then(|| (Name::of(&pat.ident), pat.mutability.is_some()))
    }

    /// Declares the names of a pattern whose error has been reported.
    pub(super) fn unbound(&mut self, pat: &Pat) {
        for name in refuse::names(pat) {
            self.bind(Some(name), Ty::Unknown);
        }
    }

    /// Reports a name that has a meaning in Rust.
    fn plain(&mut self, name: &Ident) -> bool {
        let word = name.to_string();
        let is_keyword = keywords::is_keyword(&word);
        if is_keyword {
            self.error(Extent::of(name), keywords::keyword(&word));
        }
        !is_keyword
    }

    pub(super) fn branches(&mut self, branches: &ExprIf, depth: usize) -> Ex {
        let cond = self.condition(&branches.cond, depth);
        let holds = self.block(&branches.then_branch, None, depth + 1);
        let place = between(&branches.if_token, branches);
        let otherwise = match &branches.else_branch {
            Some((_, otherwise)) => self.read(otherwise, None, depth + 1),
            None => Ex { kind: Kind::Nothing(Lack::Else), ty: UNIT, place },
        };
        let ty = if branches.else_branch.is_none() {
            self.without_else(branches, &holds)
        } else {
            self.one_type(&holds, &otherwise, "branches of this `if`")
        };
        Ex { kind: Kind::If(Box::new([cond, holds, otherwise])), ty, place }
    }

    /// Returns the type of an `if` without `else`, which has no value.
    fn without_else(&mut self, branches: &ExprIf, holds: &Ex) -> Ty {
        match self.types.resolve(holds.ty) {
            UNIT | Ty::Never => UNIT,
            Ty::Unknown => Ty::Unknown,
            Ty::Scalar(_) | Ty::Struct(_) | Ty::Number(_) => {
                let help = "add the value of the other case, as in `if x > 0.0 { x } else { 0.0 }`";
                self.error_with_help(Extent::of(&branches.if_token), "this `if` has no `else`", help);
                Ty::Unknown
            }
        }
    }

    /// Returns the type of two branches, which must be one.
    pub(super) fn one_type(&mut self, first: &Ex, other: &Ex, what: &str) -> Ty {
        if self.types.resolve(first.ty) == UNIT && self.types.resolve(other.ty) != UNIT {
            if !matches!(other.ty, Ty::Never | Ty::Unknown) {
                self.no_value(first);
                return Ty::Unknown;
            }
            return first.ty;
        }
        self.expect(other, first.ty, |found, wanted| {
            (
                format!("the {what} differ: the first is {wanted}, and this is {found}"),
                converted(found, wanted),
            )
        });
        if matches!(first.ty, Ty::Unknown | Ty::Never) { other.ty } else { first.ty }
    }

    pub(super) fn condition(&mut self, cond: &Expr, depth: usize) -> Ex {
        if let Expr::Let(pattern) = cond {
            let help = "compare instead, as in `if x == 0.0`";
            self.unbound(&pattern.pat);
            return self.error_with_help(
                Extent::of(&pattern.let_token),
                "`if let` is not possible here",
                help,
            );
        }
        let cond = self.value(cond, None, depth + 1);
        let bool = Ty::Scalar(Scalar::Bool);
        self.expect(&cond, bool, |found, _| {
            let zero = if found.starts_with('f') || found == "a float" { "0.0" } else { "0" };
            (format!("a condition is bool, and this is {found}"), format!("compare it, as in `… != {zero}`"))
        });
        cond
    }
}
