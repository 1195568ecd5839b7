//! Patterns, and ranges with `contains`.
#![allow(clippy::wildcard_enum_match_arm, reason = "the enums of syn are not ours, and grow")]

use super::Reader;
use super::convert::converted;
use super::cover::Cover;
use crate::parse::diagnostic::Extent;
use crate::parse::names;
use crate::parse::role::Dialect;
use crate::parse::tree::{Ex, Kind, Let, Step};
use crate::parse::types::Ty;
use reduce_ir::Scalar;
use reduce_ir::ops::{Bin, Cmp};
use syn::punctuated::Punctuated;
use syn::{
    Expr, ExprMethodCall, ExprPath, ExprRange, Member, Pat, PatIdent, PatStruct, Path, RangeLimits, Token,
};

/// A value that a pattern takes apart: a part of a local.
#[derive(Clone)]
pub(super) struct Subject {
    pub(super) local: usize,
    /// The fields that lead to the part, and their types.
    path: Vec<(usize, Ty)>,
    /// The type of the local.
    ty: Ty,
    place: Extent,
}

impl Subject {
    pub(super) fn new(local: usize, ty: Ty, place: Extent) -> Subject {
        Subject { local, path: Vec::new(), ty, place }
    }

    /// Returns the type of the part.
    fn part(&self) -> Ty {
        self.path.last().map_or(self.ty, |(_, ty)| *ty)
    }

    fn field(&self, field: usize, ty: Ty) -> Subject {
        let mut part = self.clone();
        part.path.push((field, ty));
        part
    }

    /// Returns the part as an expression.
    pub(super) fn ex(&self) -> Ex {
        let local = Ex { kind: Kind::Local(self.local), ty: self.ty, place: self.place };
        self.path.iter().fold(local, |base, &(field, ty)| Ex {
            place: base.place,
            kind: Kind::Field(Box::new(base), field),
            ty,
        })
    }
}

/// A pattern that has been read.
pub(super) struct Matched {
    /// The condition; `None` if the pattern always matches.
    pub(super) cond: Option<Ex>,
    pub(super) cover: Cover,
}

impl Matched {
    fn always() -> Matched {
        Matched { cond: None, cover: Cover::all() }
    }
}

/// The condition that both conditions hold.
pub(super) fn both(a: Option<Ex>, b: Option<Ex>) -> Option<Ex> {
    logic(Bin::And, a, b)
}

fn logic(op: Bin, a: Option<Ex>, b: Option<Ex>) -> Option<Ex> {
    match (a, b) {
        (Some(a), Some(b)) => {
            let place = Extent { start: a.place.start, end: b.place.end };
            Some(Ex { kind: Kind::Logic(op, Box::new([a, b])), ty: Ty::Scalar(Scalar::Bool), place })
        }
        (None, None) => None,
        (one, None) | (None, one) => one,
    }
}

fn compare(op: Cmp, a: Ex, b: Ex) -> Ex {
    let place = a.place;
    Ex { kind: Kind::Cmp(op, Box::new([a, b])), ty: Ty::Scalar(Scalar::Bool), place }
}

impl Reader<'_> {
    /// Binds the names of a pattern that must always match.
    pub(super) fn always(&mut self, pat: &Pat, subject: &Subject, steps: &mut Vec<Step>) {
        let before = self.errors.count();
        let matched = self.matched(pat, subject, steps);
        if matched.is_some_and(|it| it.cond.is_some()) && self.errors.count() == before {
            let help = "write `match`, with a case for every value";
            self.error_with_help(Extent::of(pat), "this pattern does not match every value", help);
        }
    }

    /// Reads a pattern. Its names are bound in `steps`, whether it matches or not.
    pub(super) fn matched(&mut self, pat: &Pat, subject: &Subject, steps: &mut Vec<Step>) -> Option<Matched> {
        match pat {
            Pat::Wild(_) => Some(Matched::always()),
            Pat::Paren(inner) => self.matched(&inner.pat, subject, steps),
            Pat::Ident(name) if self.is_constant_pattern(name) => {
                let path = Path::from(name.ident.clone());
                let path = ExprPath { attrs: Vec::new(), qself: None, path };
                let value = self.read(&Expr::Path(path), None, 0);
                self.equal(value, subject)
            }
            Pat::Ident(name) => {
                let (name, is_mutable) = self.name(name)?;
                let local = self.bind_as(Some(name), subject.part(), is_mutable);
                steps.push(Step::Let(Let { local, value: subject.ex() }));
                Some(Matched::always())
            }
            Pat::Lit(literal) => {
                let value = self.read(&Expr::Lit(literal.clone()), None, 0);
                self.equal(value, subject)
            }
            Pat::Path(path) => {
                let value = self.read(&Expr::Path(path.clone()), None, 0);
                self.equal(value, subject)
            }
            Pat::Range(range) => self.within(range, subject),
            Pat::Or(or) => {
                let parts: Vec<_> = or.cases.iter().map(|case| self.case(case, subject)).collect();
                let parts: Vec<Matched> = parts.into_iter().collect::<Option<_>>()?;
                Some(any(parts))
            }
            Pat::Tuple(tuple) => self.parts(pat, &tuple.elems, subject, steps),
            Pat::Slice(slice) => self.parts(pat, &slice.elems, subject, steps),
            Pat::Struct(pat) => self.named_parts(pat, subject, steps),
            _ => {
                let help = "write a number, a range, `_`, a name, or several of them with `|`";
                self.error_with_help(Extent::of(pat), "this pattern is not possible here", help);
                self.unbound(pat);
                None
            }
        }
    }

    /// Returns whether a pattern is written like a constant. If no such constant exists, rustc reports it.
    fn is_constant_pattern(&self, name: &PatIdent) -> bool {
        let is_plain = name.by_ref.is_none() && name.mutability.is_none() && name.subpat.is_none();
        is_plain && self.role.dialect == Dialect::Rust && names::is_constant(&name.ident.to_string())
    }

    /// Reads one of several alternatives, which bind no names.
    fn case(&mut self, pat: &Pat, subject: &Subject) -> Option<Matched> {
        let mut steps = Vec::new();
        let matched = self.matched(pat, subject, &mut steps);
        if !steps.is_empty() {
            self.error(Extent::of(pat), "alternatives with `|` bind no names here; write a case for each");
            return None;
        }
        matched
    }

    /// Compares the subject with a constant of a pattern.
    fn equal(&mut self, value: Ex, subject: &Subject) -> Option<Matched> {
        self.constant_of(&value, subject)?;
        let cover = Cover::of(known(&value), known(&value));
        Some(Matched { cond: Some(compare(Cmp::Eq, subject.ex(), value)), cover })
    }

    /// Checks the type of a constant in a pattern.
    fn constant_of(&mut self, value: &Ex, subject: &Subject) -> Option<()> {
        let fits = self.expect(value, subject.part(), |found, wanted| {
            (format!("the value is {wanted}, and this pattern is {found}"), converted(found, wanted))
        });
        (fits && value.ty != Ty::Unknown).then_some(())
    }

    fn within(&mut self, range: &ExprRange, subject: &Subject) -> Option<Matched> {
        let mut end = |end: &Option<Box<Expr>>| {
            end.as_ref().map(|end| {
                let value = self.read(end, None, 0);
                self.constant_of(&value, subject).map(|()| value)
            })
        };
        let (from, to) = (end(&range.start), end(&range.end));
        let (from, to) =
            (from.map_or(Some(None), |it| it.map(Some))?, to.map_or(Some(None), |it| it.map(Some))?);
        let is_closed = matches!(range.limits, RangeLimits::Closed(_));
        let [least, most] = [&from, &to].map(|end| end.as_ref().map(known));
        let most = most.map(|most| most.map(|most| if is_closed { most } else { most - 1 }));
        let cover = Cover::of(least.unwrap_or(Some(i128::MIN)), most.unwrap_or(Some(i128::MAX)));
        let from = from.map(|from| compare(Cmp::Ge, subject.ex(), from));
        let op = if is_closed { Cmp::Le } else { Cmp::Lt };
        let to = to.map(|to| compare(op, subject.ex(), to));
        Some(Matched { cond: both(from, to), cover })
    }

    /// Reports a pattern that does not fit, and binds its names.
    fn no_pattern(&mut self, pat: &Pat, subject: &Subject, message: String) -> Option<Matched> {
        if self.types.resolve(subject.part()) != Ty::Unknown {
            self.error(Extent::of(pat), message);
        }
        self.unbound(pat);
        None
    }

    /// Reads the parts of a tuple or an array.
    fn parts(
        &mut self,
        pat: &Pat,
        elems: &Punctuated<Pat, Token![,]>,
        subject: &Subject,
        steps: &mut Vec<Step>,
    ) -> Option<Matched> {
        let part = subject.part();
        let fields: Vec<_> = self.types.fields(part).iter().map(|(_, ty)| *ty).collect();
        let is_array = matches!(pat, Pat::Slice(_));
        let fits = !self.types.is_named(part) && self.types.is_array(part) == is_array;
        if !fits || fields.len() != elems.len() {
            let (shown, what) = (self.types.show(part), if is_array { "an array" } else { "a tuple" });
            let message = format!("this pattern is {what} of {}, and the value is {shown}", elems.len());
            return self.no_pattern(pat, subject, message);
        }
        let pairs = elems.iter().enumerate().zip(fields);
        let parts = pairs.map(|((at, pat), ty)| self.matched(pat, &subject.field(at, ty), steps));
        let parts: Vec<_> = parts.collect();
        all(parts)
    }

    fn named_parts(&mut self, pat: &PatStruct, subject: &Subject, steps: &mut Vec<Step>) -> Option<Matched> {
        let fields = self.types.fields(subject.part()).to_vec();
        let is_whole = pat.rest.is_some() || pat.fields.len() == fields.len();
        let named = pat.path.segments.last().and_then(|name| self.types.named(&name.ident.to_string()));
        if !is_whole || named != Some(self.types.resolve(subject.part())) {
            let shown = self.types.show(subject.part());
            let message = format!("the value is {shown}, and this pattern does not name all its fields");
            return self.no_pattern(&Pat::Struct(pat.clone()), subject, message);
        }
        let mut parts = Vec::new();
        for field in &pat.fields {
            let at = match &field.member {
                Member::Named(name) => fields.iter().position(|(known, _)| name == known),
                Member::Unnamed(_) => None,
            };
            let Some(at) = at else {
                let message = format!("{} has no such field", self.types.show(subject.part()));
                parts.push(self.no_pattern(&field.pat, subject, message));
                continue;
            };
            parts.push(self.matched(&field.pat, &subject.field(at, fields[at].1), steps));
        }
        all(parts)
    }

    /// Reads `(a..b).contains(&x)`.
    pub(super) fn contains(&mut self, range: &ExprRange, call: &ExprMethodCall, depth: usize) -> Ex {
        let place = Extent { start: Extent::of(&call.receiver).start, end: call.paren_token.span.close() };
        let arg = match call.args.first() {
            Some(Expr::Reference(arg)) if call.args.len() == 1 && arg.mutability.is_none() => &arg.expr,
            _ => {
                let help = "write it as in `(0.0..1.0).contains(&x)`";
                return self.error_with_help(
                    call.method.span(),
                    "`contains` takes a reference to a value",
                    help,
                );
            }
        };
        let effects = self.effects;
        let value = self.value(arg, None, depth + 1);
        let mut fits = true;
        let mut ends = [&range.start, &range.end].map(|end| {
            let end = self.value(end.as_ref()?, None, depth + 1);
            fits = fits
                && self.expect(&end, value.ty, |found, wanted| {
                    (
                        format!("the value is {wanted}, and this end of the range is {found}"),
                        converted(found, wanted),
                    )
                });
            Some(if fits { end } else { Ex::wrong(end.place) })
        });
        let is_wrong = |ex: &Ex| ex.ty == Ty::Unknown;
        if !self.is_pure(effects, place) || is_wrong(&value) || ends.iter().flatten().any(is_wrong) {
            return Ex::wrong(place);
        }
        if !self.is(value.ty, Scalar::is_number) {
            let shown = self.types.show(value.ty);
            return self.error(value.place, format!("a range contains numbers, and this is {shown}"));
        }
        let subject = Subject::new(self.bind_hidden("inside", value.ty), value.ty, value.place);
        let op = if matches!(range.limits, RangeLimits::Closed(_)) { Cmp::Le } else { Cmp::Lt };
        let from = ends[0].take().map(|from| compare(Cmp::Le, from, subject.ex()));
        let to = ends[1].take().map(|to| compare(op, subject.ex(), to));
        let Some(cond) = both(from, to) else {
            return self.error(Extent::of(range), "this range has no end, so it contains every value");
        };
        let step = Step::Let(Let { local: subject.local, value });
        Self::after(vec![step], Ex { place, ..cond })
    }
}

/// Returns the integer that a constant in a pattern stands for.
fn known(ex: &Ex) -> Option<i128> {
    match &ex.kind {
        Kind::Number(number) => number.integer(),
        Kind::Value(value) => value.as_int(),
        _ => None,
    }
}

/// Returns the pattern that matches if any of its alternatives does.
fn any(parts: Vec<Matched>) -> Matched {
    let mut cover = Cover::none();
    let is_always = parts.iter().any(|part| part.cond.is_none());
    let mut cond = None;
    for part in parts {
        cover.add(part.cover);
        cond = logic(Bin::Or, cond, part.cond);
    }
    Matched { cond: cond.filter(|_| !is_always), cover }
}

/// Returns the pattern that matches if all its parts do.
fn all(parts: Vec<Option<Matched>>) -> Option<Matched> {
    let parts: Vec<Matched> = parts.into_iter().collect::<Option<_>>()?;
    let is_always = parts.iter().all(|part| part.cond.is_none());
    let cover = if is_always { Cover::all() } else { Cover::none() };
    let cond = parts.into_iter().fold(None, |cond, part| both(cond, part.cond));
    Some(Matched { cond, cover })
}
