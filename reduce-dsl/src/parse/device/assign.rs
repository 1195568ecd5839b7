//! Assignments: `=`, `+=` and the like.
#![allow(clippy::wildcard_enum_match_arm, reason = "the enums of syn are not ours, and grow")]

use super::Reader;
use super::convert::converted;
use crate::parse::diagnostic::{Extent, spelled};
use crate::parse::hygiene::Name;
use crate::parse::tree::{Access, Ex, Kind, Target};
use crate::parse::types::{Ty, UNIT};
use reduce_ir::Scalar;
use syn::{Expr, ExprAssign, Member};

impl Reader<'_> {
    pub(super) fn assign(&mut self, assign: &ExprAssign, depth: usize) -> Ex {
        let value = self.value(&assign.right, None, depth + 1);
        self.store(&assign.left, value, depth)
    }

    /// Returns whether an expression has no effects, or reports an error: its operands may not assign or exit, because they are not
    /// evaluated in the order of the text. `before` is the number of effects before the expression.
    pub(super) fn is_pure(&mut self, before: usize, place: Extent) -> bool {
        let is_pure = self.effects == before;
        if !is_pure {
            let help = "assign in a statement of its own, before this one";
            self.error_with_help(place, "this assigns inside an expression", help);
        }
        is_pure
    }

    /// Assigns a value to a variable or a part of one.
    pub(super) fn store(&mut self, left: &Expr, value: Ex, depth: usize) -> Ex {
        self.effects += 1;
        let place = Extent { start: Extent::of(left).start, end: value.place.end };
        let Some((target, ty)) = self.target(left, depth + 1) else { return Ex::wrong(place) };
        let fits = self.expect(&value, ty, |found, wanted| {
            (format!("{} is {wanted}, and this is {found}", spelled(left)), converted(found, wanted))
        });
        if !fits || value.ty == Ty::Unknown {
            return Ex::wrong(place);
        }
        Ex { kind: Kind::Assign(Box::new(target), Box::new(value)), ty: UNIT, place }
    }

    /// Reads the left side of an assignment. Returns its type as well.
    fn target(&mut self, left: &Expr, depth: usize) -> Option<(Target, Ty)> {
        match left {
            Expr::Paren(inner) => self.target(&inner.expr, depth),
            Expr::Group(inner) => self.target(&inner.expr, depth),
            Expr::Path(path) if path.path.get_ident().is_some() => {
                let name = Name::of(path.path.get_ident()?);
                let Kind::Local(local) = self.local_name(&name, Extent::of(path)).kind else { return None };
                self.mutable(local, left)?;
                let ty = self.locals[local].ty;
                (ty != Ty::Unknown).then(|| (Target { local, ty, path: Vec::new() }, ty))
            }
            Expr::Field(field) => {
                let (mut target, ty) = self.target(&field.base, depth + 1)?;
                let name = match &field.member {
                    Member::Named(name) => name.to_string(),
                    Member::Unnamed(index) => index.index.to_string(),
                };
                let fields = self.types.fields(ty);
                let Some(at) = fields.iter().position(|(known, _)| *known == name) else {
                    self.unknown_field(&name, Extent::of(&field.member), ty);
                    return None;
                };
                let ty = fields[at].1;
                target.path.push(Access::Field(at));
                Some((target, ty))
            }
            Expr::Index(index) => {
                let (mut target, ty) = self.target(&index.expr, depth + 1)?;
                let element = self.element(ty, &index.expr, index.bracket_token.span.join().into())?;
                let at = self.index_value(&index.index, depth + 1)?;
                target.path.push(Access::Index(at));
                Some((target, element))
            }
            Expr::Tuple(_) => {
                let help = "write an assignment for each value";
                self.error_with_help(Extent::of(left), "this assigns to several variables at once", help);
                None
            }
            _ => {
                self.error(Extent::of(left), "only variables, their fields and elements can be assigned");
                None
            }
        }
    }

    /// Reports a variable that cannot change.
    fn mutable(&mut self, local: usize, left: &Expr) -> Option<()> {
        let variable = &self.locals[local];
        if variable.is_mutable || variable.ty == Ty::Unknown {
            return Some(());
        }
        let is_free = local < self.role.free.len();
        let (name, copy) = (variable.word.clone(), format!("let mut {0} = {0};", variable.word));
        let help = match (is_free, self.is_parameter(local)) {
            (true, _) => format!("copy it first: `{copy}`"),
            (false, true) => format!("write `mut {name}` in the head, as in `|mut {name}| …`"),
            (false, false) => format!("write `let mut {name}`"),
        };
        // Later assignments to it are not reported again.
        self.locals[local].is_mutable = true;
        self.error_with_help(Extent::of(left), format!("`{name}` is not declared as `mut`"), help);
        None
    }

    /// Returns whether a local is a parameter of the closure.
    fn is_parameter(&self, local: usize) -> bool {
        local < self.role.free.len() + self.role.params.len()
    }

    /// Returns the type of the elements of an array; anything else is reported.
    pub(super) fn element(&mut self, ty: Ty, base: &Expr, at: Extent) -> Option<Ty> {
        if ty == Ty::Unknown {
            return None;
        }
        self.assume_array(ty);
        if !self.types.is_array(ty) {
            let (what, shown) = (spelled(base), self.types.show(ty));
            let help = match self.types.resolve(ty) {
                Ty::Struct(_) => "take a field, as in `a.0` or `a.lo`",
                _ => "a closure sees one element; several arrays are `inputs: { x: f32, y: f32 }`",
            };
            self.error_with_help(at, format!("{what} is {shown}, which is no array"), help);
            return None;
        }
        self.types.fields(ty).first().map(|(_, ty)| *ty)
    }

    /// Reads the index of an element.
    pub(super) fn index_value(&mut self, index: &Expr, depth: usize) -> Option<Ex> {
        let at = self.value(index, None, depth);
        let fits = self.expect(&at, Ty::Scalar(Scalar::U64), |found, _| {
            let help = match Scalar::from_name(found).is_some_and(Scalar::is_number) {
                true => "convert it, as in `h.bins[i as usize]`".to_owned(),
                false => "write a number, as in `h.bins[0]`".to_owned(),
            };
            (format!("an index is usize, and this is {found}"), help)
        });
        (fits && at.ty != Ty::Unknown).then_some(at)
    }
}
