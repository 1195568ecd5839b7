//! The results of functions, and expressions without a value.

use super::Reader;
use super::convert::converted;
use super::pattern::Subject;
use crate::parse::diagnostic::Extent;
use crate::parse::role::Role;
use crate::parse::tree::{Ex, Kind, Lack};
use crate::parse::types::{Ty, UNIT};
use syn::{Expr, Pat};

/// The result of a function whose body is being read.
pub(in crate::parse) struct Returns {
    /// The type, if it is known: from the specification, or from the first value.
    pub(in crate::parse) ty: Option<Ty>,
    /// The start of the message for a value of another type.
    pub(in crate::parse) what: String,
}

impl Reader<'_> {
    /// Reads the body of a closure, whose parameters are bound. `apart` are those that patterns take apart. Returns the type of its
    /// result as well.
    pub(in crate::parse) fn body(
        &mut self,
        body: &Expr,
        role: &Role,
        apart: &[(usize, Ty, &Pat)],
    ) -> (Ex, Ty) {
        let ty = role.result.as_ref().map(|(record, _)| self.types.of_record(record));
        let what = match &role.result {
            Some((_, whose)) => format!("`{}` gives {whose}, ", role.name),
            None => format!("another result of `{}` is ", role.name),
        };
        self.returns.push(Returns { ty, what });
        let mut steps = Vec::new();
        for &(local, ty, pat) in apart {
            self.always(pat, &Subject::new(local, ty, Extent::of(pat)), &mut steps);
        }
        let value = self.read(body, None, 0);
        let value = self.returned(value);
        let ty = self.returns.pop().and_then(|returns| returns.ty).unwrap_or(value.ty);
        let place = value.place;
        (Ex { kind: Kind::Function(steps, Box::new(value)), ty, place }, ty)
    }

    /// Checks a value that a function returns. It has the type of the function in the result.
    pub(in crate::parse) fn returned(&mut self, value: Ex) -> Ex {
        let Some(Returns { ty, what }) = self.returns.last() else { return value };
        match *ty {
            Some(want) => {
                let what = what.clone();
                self.expect(&value, want, |found, wanted| {
                    (format!("{what}{wanted}, and this is {found}"), converted(found, wanted))
                });
                Ex { ty: want, ..value }
            }
            None if self.types.resolve(value.ty) == UNIT => self.no_value(&value),
            None => {
                if let (Some(returns), true) = (self.returns.last_mut(), value.ty != Ty::Never) {
                    returns.ty = Some(value.ty);
                }
                value
            }
        }
    }

    /// Reports an expression without a value where one is needed.
    pub(super) fn no_value(&mut self, ex: &Ex) -> Ex {
        let (place, message, help) = lack(ex);
        let error = self.errors.add(place, message);
        if let Some(help) = help {
            error.help(help);
        }
        Ex::wrong(ex.place)
    }
}

const NO_ELSE: &str = "add the value of the other case, as in `if x > 0.0 { x } else { 0.0 }`";

/// Returns the reason why an expression has no value: the place, the message and the help.
fn lack(ex: &Ex) -> (Extent, &'static str, Option<&'static str>) {
    let start = Extent { start: ex.place.start, end: ex.place.start };
    match (&ex.kind, lack_of(ex)) {
        (Kind::If(_), Some(Lack::Else)) => (start, "this `if` has no `else`", Some(NO_ELSE)),
        (Kind::If(branches), _) => {
            lack(if branches[1].ty == Ty::Never { &branches[2] } else { &branches[1] })
        }
        (Kind::Block(..), Some(Lack::Semicolon)) => {
            (ex.place, "this block gives no value; leave out its last `;`", None)
        }
        (Kind::Block(..), Some(Lack::End | Lack::Else)) => {
            (ex.place, "this block gives no value; end it with an expression", None)
        }
        (Kind::Block(_, value), None) => lack(value),
        (Kind::Assign(..), _) => (
            ex.place,
            "an assignment has no value",
            Some("assign in a statement, and name the variable here"),
        ),
        (Kind::For(_), _) => {
            (start, "a loop has no value", Some("assign to a variable in the loop, and end with its name"))
        }
        _ => (ex.place, "this has no value", None),
    }
}

/// Returns the reason that the last part of an expression names.
fn lack_of(ex: &Ex) -> Option<Lack> {
    let last = match &ex.kind {
        Kind::Block(_, value) => value,
        Kind::If(branches) => &branches[2],
        _ => return None,
    };
    if let Kind::Nothing(lack) = &last.kind { Some(*lack) } else { None }
}
