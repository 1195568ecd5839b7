//! `match` and `matches!`.
#![allow(clippy::wildcard_enum_match_arm, reason = "the enums of syn are not ours, and grow")]

use super::Reader;
use super::cover::Cover;
use super::pattern::{Matched, Subject, both};
use crate::parse::diagnostic::{Extent, between};
use crate::parse::tree::{Ex, Kind, Let, Step};
use crate::parse::types::Ty;
use reduce_ir::{Scalar, Value};
use syn::parse::{ParseStream, Parser};
use syn::{Arm, Expr, ExprMatch, Macro, Pat, Token};

/// A case of a `match`: the names that its pattern binds, its condition, and its value.
struct Case {
    steps: Vec<Step>,
    cond: Option<Ex>,
    body: Ex,
}

impl Reader<'_> {
    /// Reads `match` as a chain of conditions.
    pub(super) fn choice(&mut self, choice: &ExprMatch, depth: usize) -> Ex {
        let value = self.value(&choice.expr, None, depth + 1);
        let place = between(&choice.match_token, choice);
        let (ty, at) = (value.ty, value.place);
        let subject = Subject::new(self.bind_hidden("matched", ty), ty, at);
        let mut arms = Vec::new();
        let mut covered = Cover::none();
        for arm in &choice.arms {
            let outside = self.names.len();
            arms.push(self.arm(arm, &subject, &mut covered, depth));
            self.names.truncate(outside);
        }
        let Some(arms) = arms.into_iter().collect::<Option<Vec<_>>>().filter(|arms| !arms.is_empty()) else {
            return Ex::wrong(place);
        };
        if !covered.is_complete(self.types.resolve(ty)) {
            let help = "add a last case, as in `_ => 0.0`";
            return self.error_with_help(
                Extent::of(&choice.match_token),
                "this `match` does not cover every value",
                help,
            );
        }
        self.chain(arms, Let { local: subject.local, value }, place)
    }

    fn arm(&mut self, arm: &Arm, subject: &Subject, covered: &mut Cover, depth: usize) -> Option<Case> {
        let mut steps = Vec::new();
        let (pat, guard) = match &arm.pat {
            Pat::Guard(guarded) => (&*guarded.pat, Some(&*guarded.guard)),
            pat => (pat, None),
        };
        let matched = self.matched(pat, subject, &mut steps);
        let guard = guard.map(|guard| self.condition(guard, depth + 1));
        if let Some(attribute) = arm.attrs.first() {
            self.error(Extent::of(attribute), "a case here has no attributes; leave this out");
        }
        let body = self.read(&arm.body, None, depth + 1);
        let Matched { cond, cover } = matched?;
        if guard.is_none() {
            covered.add(cover);
        }
        Some(Case { steps, cond: both(cond, guard), body })
    }

    /// Makes a chain of conditions of the cases. The last one needs none, because the cases cover every value.
    fn chain(&mut self, mut arms: Vec<Case>, subject: Let, place: Extent) -> Ex {
        let ty = self.type_of_cases(&arms);
        let Some(last) = arms.pop() else { return Ex::wrong(place) };
        let mut rest = Self::after(last.steps, last.body);
        for Case { steps, cond, body } in arms.into_iter().rev() {
            rest = match cond {
                Some(cond) => {
                    Self::after(steps, Ex { kind: Kind::If(Box::new([cond, body, rest])), ty, place })
                }
                None => Self::after(steps, body),
            };
        }
        let rest = Box::new(Ex { ty, ..rest });
        Ex { kind: Kind::Block(vec![Step::Let(subject)], rest), ty, place }
    }

    /// Returns the type of the cases, which must be one.
    fn type_of_cases(&mut self, arms: &[Case]) -> Ty {
        let leaves = |arm: &&Case| arm.body.ty == Ty::Never;
        let first = arms.iter().take_while(leaves).count();
        let Some(lead) = arms.get(first) else { return Ty::Never };
        for arm in &arms[first + 1..] {
            if self.one_type(&lead.body, &arm.body, "cases of this `match`") == Ty::Unknown {
                return Ty::Unknown;
            }
        }
        lead.body.ty
    }

    /// Reads `matches!(x, 0 | 1)` or an assertion. Other macros are reported.
    pub(super) fn macro_call(&mut self, call: &Macro, depth: usize) -> Ex {
        let name = call.path.segments.last().map(|it| it.ident.to_string()).unwrap_or_default();
        match name.as_str() {
            "matches" => {}
            "assert" | "debug_assert" => return self.assertion(call, depth),
            _ => return self.no_macro(&call.path, &name),
        }
        let parser = |input: ParseStream| {
            let value: Expr = input.parse()?;
            input.parse::<Token![,]>()?;
            let pat = Pat::parse_multi_with_leading_vert(input)?;
            let guard = match input.parse::<Option<Token![if]>>()? {
                Some(_) => Some(input.parse::<Expr>()?),
                None => None,
            };
            input.parse::<Option<Token![,]>>()?;
            Ok((value, pat, guard))
        };
        let (value, pat, guard) = match parser.parse2(call.tokens.clone()) {
            Ok(parsed) => parsed,
            Err(_) => {
                let help = "write it as in `matches!(x, 0 | 1)`";
                return self.error_with_help(
                    Extent::of(&call.path),
                    "`matches!` takes a value and a pattern",
                    help,
                );
            }
        };
        let place = Extent::of(call);
        let outside = self.names.len();
        let value = self.value(&value, None, depth + 1);
        let subject = Subject::new(self.bind_hidden("matched", value.ty), value.ty, value.place);
        let mut steps = vec![Step::Let(Let { local: subject.local, value })];
        let matched = self.matched(&pat, &subject, &mut steps);
        let guard = guard.map(|guard| self.condition(&guard, depth + 1));
        self.names.truncate(outside);
        let Some(matched) = matched else { return Ex::wrong(place) };
        let cond = both(matched.cond, guard).unwrap_or_else(|| Ex {
            kind: Kind::Value(Value::of(true)),
            ty: Ty::Scalar(Scalar::Bool),
            place,
        });
        Self::after(steps, Ex { place, ..cond })
    }
}
