//! Structs: literals and fields.

use super::Reader;
use super::convert::converted;
use crate::parse::diagnostic::{Extent, spelled};
use crate::parse::tree::{Ex, Kind};
use crate::parse::types::Ty;
use crate::parse::{names, scope};
use proc_macro2::Ident;
use syn::{ExprField, ExprStruct, Member};

impl Reader<'_> {
    pub(super) fn structure(&mut self, literal: &ExprStruct, depth: usize) -> Ex {
        let place = super::super::diagnostic::between(&literal.path, literal);
        if let Some(rest) = &literal.rest {
            self.error(Extent::of(rest), "a struct here is written with all its fields; leave out the `..`");
        }
        let (mut fields, effects) = (Vec::new(), self.effects);
        for field in &literal.fields {
            let value = self.value(&field.expr, None, depth + 1);
            match &field.member {
                Member::Named(name) if fields.iter().any(|(known, _): &(&Ident, Ex)| *known == name) => {
                    self.error(name.span(), format!("the field `{name}` is written twice"));
                }
                Member::Named(name) => fields.push((name, value)),
                Member::Unnamed(index) => {
                    self.error(index.span, "a field has a name, as in `lo: x`");
                }
            }
        }
        if !self.is_pure(effects, place) {
            return Ex::wrong(place);
        }
        let plain = |path: &syn::Path| path.segments.iter().all(|segment| segment.arguments.is_none());
        let Some(name) = literal.path.segments.last().filter(|_| plain(&literal.path)) else {
            return self
                .error(Extent::of(&literal.path), "a struct here has no type arguments; leave them out");
        };
        let name = &name.ident;
        if literal.rest.is_some() {
            let ty = self.types.named(&name.to_string()).unwrap_or(Ty::Unknown);
            return Ex { kind: Kind::Wrong, ty, place };
        }
        match self.types.named(&name.to_string()) {
            Some(ty) => self.known_struct(name, ty, fields, place),
            None if self.role.lenient => Ex::wrong(place),
            None => match &self.role.defines {
                Some(taken) => self.new_struct(&literal.path, taken, fields, place),
                None => self.unknown_struct(name, &fields),
            },
        }
    }

    fn known_struct(&mut self, name: &Ident, ty: Ty, mut values: Vec<(&Ident, Ex)>, place: Extent) -> Ex {
        let fields = self.types.fields(ty).to_vec();
        let mut ordered = Vec::new();
        let mut missing = Vec::new();
        for (field, want) in &fields {
            let Some(at) = values.iter().position(|(known, _)| *known == field) else {
                missing.push(format!("`{field}`"));
                continue;
            };
            let (_, value) = values.remove(at);
            self.expect(&value, *want, |found, wanted| {
                (
                    format!("the field `{field}` of `{name}` is {wanted}, and this is {found}"),
                    converted(found, wanted),
                )
            });
            ordered.push(value);
        }
        for (unknown, _) in &values {
            self.unknown_field(&unknown.to_string(), unknown.span().into(), ty);
        }
        if !missing.is_empty() {
            let (plural, missing) = (if missing.len() == 1 { "" } else { "s" }, missing.join(", "));
            self.error(name.span(), format!("`{name}` lacks the field{plural} {missing}"));
        } else if values.is_empty() {
            return Ex { kind: Kind::Struct(ordered), ty, place };
        }
        Ex { kind: Kind::Wrong, ty, place }
    }

    /// Reads a struct literal that declares its struct.
    fn new_struct(
        &mut self,
        path: &syn::Path,
        taken: &[String],
        values: Vec<(&Ident, Ex)>,
        place: Extent,
    ) -> Ex {
        let named = scope::named(path);
        if let Some(message) = names::refuse_struct(&named.name, taken) {
            return self.error(Extent::of(path), message);
        }
        let (mut fields, mut ordered) = (Vec::new(), Vec::new());
        for (field, value) in values {
            if let Some(message) = names::refuse_field(&field.to_string()) {
                self.error(field.span(), message);
            }
            if self.types.is_named(value.ty) {
                self.error(value.place, "a field is no struct; write the fields of that struct");
            }
            fields.push((field.to_string(), value.ty));
            ordered.push(value);
        }
        if fields.is_empty() {
            return self.error(place, "a struct here has at least one field");
        }
        let ty = self.types.define(named, fields);
        Ex { kind: Kind::Struct(ordered), ty, place }
    }

    fn unknown_struct(&mut self, name: &Ident, values: &[(&Ident, Ex)]) -> Ex {
        let known: Vec<_> = self.role.records.iter().filter_map(|it| it.name.as_deref()).collect();
        let near = names::nearest(&name.to_string(), &known);
        let help = match (near, self.role.records.first()) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, Some(record)) => format!("write an existing struct, such as `{}`", record.text()),
            (None, None) => {
                let ty = |value: &Ex| match self.types.resolve(value.ty) {
                    ty @ (Ty::Scalar(_) | Ty::Number(_)) => self.types.scalar(ty),
                    Ty::Struct(_) | Ty::Never | Ty::Unknown => self.role.number,
                };
                let fields: Vec<_> =
                    values.iter().map(|(name, value)| format!("{name}: {}", ty(value))).collect();
                format!("declare it: `acc: {name} {{ {} }}`", fields.join(", "))
            }
        };
        self.error_with_help(name.span(), format!("there is no struct `{name}`"), help)
    }

    pub(super) fn field(&mut self, field: &ExprField, depth: usize) -> Ex {
        let base = self.value(&field.base, None, depth + 1);
        let at = Extent::of(&field.member);
        let ty = self.types.resolve(base.ty);
        let name = match &field.member {
            Member::Named(name) => name.to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        };
        match ty {
            Ty::Struct(_) => {}
            Ty::Unknown | Ty::Never => return Ex::wrong(at),
            Ty::Scalar(_) | Ty::Number(_) => {
                let (what, shown) = (spelled(&field.base), self.types.show(ty));
                let help = match names::is_method(&name) {
                    true => format!("a method has parentheses: `.{name}()`"),
                    false => "leave the field out".to_owned(),
                };
                return self.error_with_help(at, format!("{what} is {shown}, which has no fields"), help);
            }
        }
        let found = self.types.fields(ty).iter().position(|(known, _)| name == *known);
        let Some(position) = found.filter(|_| !self.types.is_array(ty)) else {
            return self.unknown_field(&name, at, ty);
        };
        let ty = self.types.fields(ty)[position].1;
        let place = Extent { start: base.place.start, end: at.end };
        Ex { kind: Kind::Field(Box::new(base), position), ty, place }
    }

    pub(super) fn unknown_field(&mut self, name: &str, at: Extent, ty: Ty) -> Ex {
        let known: Vec<_> = self.types.fields(ty).iter().map(|(name, _)| name.as_str()).collect();
        let help = match names::nearest(name, &known) {
            _ if known.is_empty() => "leave the field out".to_owned(),
            _ if self.types.is_array(ty) => "take an element, as in `a[0]`".to_owned(),
            Some(near) if self.types.is_named(ty) => format!("did you mean `{near}`?"),
            _ => format!("its fields are {}", known.join(", ")),
        };
        let message = format!("{} has no field `{name}`", self.types.show(ty));
        self.error_with_help(at, message, help)
    }
}
