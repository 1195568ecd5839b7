//! `return`, `for`, `break` and `continue`.
#![allow(clippy::wildcard_enum_match_arm, reason = "the enums of syn are not ours, and grow")]

use super::Reader;
use crate::parse::diagnostic::{Extent, between};
use crate::parse::tree::{Ex, Kind, Leave, Loop, Over};
use crate::parse::types::{Ty, UNIT};
use reduce_ir::Scalar;
use syn::{Expr, ExprForLoop, ExprRange, ExprReturn, Pat, RangeLimits};

impl Reader<'_> {
    pub(super) fn exit(&mut self, exit: &ExprReturn, depth: usize) -> Ex {
        self.effects += 1;
        let place = Extent::of(exit);
        let Some(value) = &exit.expr else {
            return self.error_with_help(
                place,
                "this `return` has no value",
                "write one, as in `return 0.0;`",
            );
        };
        let value = self.value(value, None, depth + 1);
        let value = self.returned(value);
        Ex { kind: Kind::Return(Box::new(value)), ty: Ty::Never, place }
    }

    pub(super) fn leave(&mut self, leave: Leave, place: Extent) -> Ex {
        self.effects += 1;
        if self.loops == 0 {
            return self.error_with_help(
                place,
                "there is no loop here to leave",
                "write `return` with a value",
            );
        }
        Ex { kind: Kind::Leave(leave), ty: Ty::Never, place }
    }

    pub(super) fn repeat(&mut self, repeat: &ExprForLoop, depth: usize) -> Ex {
        let place = between(&repeat.for_token, repeat);
        let outside = self.names.len();
        let over = self.over(&repeat.expr, depth);
        let ty = over.as_ref().map_or(Ty::Unknown, |(_, ty)| *ty);
        let local = match &*repeat.pat {
            Pat::Wild(_) => self.bind(None, ty),
            Pat::Ident(name) => match self.name(name) {
                Some((name, is_mutable)) => self.bind_as(Some(name), ty, is_mutable),
                None => self.bind(None, ty),
            },
            pat => {
                self.error(Extent::of(pat), "a loop here has a plain name, as in `for i in 0..4`");
                self.unbound(pat);
                self.bind(None, ty)
            }
        };
        self.loops += 1;
        let body = self.block(&repeat.body, None, depth + 1);
        self.loops -= 1;
        self.names.truncate(outside);
        if !matches!(self.types.resolve(body.ty), UNIT | Ty::Never | Ty::Unknown) {
            let help = "assign it to a variable, as in `s += x;`";
            return self.error_with_help(body.place, "the value of a loop is not used", help);
        }
        let Some((over, _)) = over else { return Ex::wrong(place) };
        Ex { kind: Kind::For(Box::new(Loop { local, over, body })), ty: UNIT, place }
    }

    /// Reads the values that a loop takes, and their type.
    fn over(&mut self, over: &Expr, depth: usize) -> Option<(Over, Ty)> {
        match over {
            Expr::Paren(inner) => self.over(&inner.expr, depth),
            Expr::Range(range) => self.range(range, false, depth),
            Expr::MethodCall(call) if call.method == "rev" && call.args.is_empty() => {
                match without_parentheses(&call.receiver) {
                    Expr::Range(range) => self.range(range, true, depth),
                    other => self.no_range(other),
                }
            }
            other => {
                let array = self.value(other, None, depth + 1);
                self.assume_array(array.ty);
                if self.types.is_array(array.ty) {
                    let element = self.types.fields(array.ty).first().map(|(_, ty)| *ty)?;
                    return Some((Over::Elements(array), element));
                }
                if array.ty == Ty::Unknown { None } else { self.no_range(other) }
            }
        }
    }

    fn no_range(&mut self, at: &Expr) -> Option<(Over, Ty)> {
        let help = "as in `for i in 0..4`";
        self.error_with_help(Extent::of(at), "a loop here takes a range of numbers, or an array", help);
        None
    }

    fn range(&mut self, range: &ExprRange, is_reversed: bool, depth: usize) -> Option<(Over, Ty)> {
        let (Some(from), Some(to)) = (&range.start, &range.end) else {
            let help = "as in `for i in 0..4`";
            self.error_with_help(Extent::of(range), "a loop here has a range with two ends", help);
            return None;
        };
        let (from, to) = (self.value(from, None, depth + 1), self.value(to, None, depth + 1));
        let fits = self.expect(&to, from.ty, |found, wanted| {
            (
                format!("the start of this range is {wanted}, and its end is {found}"),
                "write one type".to_owned(),
            )
        });
        if from.ty == Ty::Unknown || to.ty == Ty::Unknown || !fits {
            return None;
        }
        if !self.is(from.ty, Scalar::is_integer) {
            let shown = self.types.show(from.ty);
            self.error(from.place, format!("a loop counts integers, and this is {shown}"));
            return None;
        }
        let is_closed = matches!(range.limits, RangeLimits::Closed(_));
        let ty = from.ty;
        Some((Over::Range { ends: [from, to], is_closed, is_reversed }, ty))
    }
}

fn without_parentheses(mut expr: &Expr) -> &Expr {
    while let Expr::Paren(inner) = expr {
        expr = &inner.expr;
    }
    expr
}
