//! Tuples and arrays.

use super::Reader;
use super::convert::converted;
use crate::parse::diagnostic::Extent;
use crate::parse::forms;
use crate::parse::tree::{Ex, Kind};
use crate::parse::types::Ty;
use syn::{ExprArray, ExprIndex, ExprRepeat, ExprTuple};

impl Reader<'_> {
    pub(super) fn tuple(&mut self, tuple: &ExprTuple, depth: usize) -> Ex {
        let place = tuple.paren_token.span.join().into();
        if tuple.elems.is_empty() {
            return self.error(place, "this tuple has no values; write a value");
        }
        let parts: Vec<_> = tuple.elems.iter().map(|part| self.part(part, depth)).collect();
        let ty = self.types.tuple(parts.iter().map(|part| part.ty).collect());
        Ex { kind: Kind::Struct(parts), ty, place }
    }

    /// Reads a part of a tuple or an array, which is no struct.
    fn part(&mut self, part: &syn::Expr, depth: usize) -> Ex {
        let part = self.value(part, None, depth + 1);
        if self.types.is_named(part.ty) {
            return self.error(part.place, "a part of a tuple or an array is no struct; take its fields");
        }
        part
    }

    pub(super) fn array(&mut self, array: &ExprArray, depth: usize) -> Ex {
        let place = array.bracket_token.span.join().into();
        let parts: Vec<_> = array.elems.iter().map(|part| self.part(part, depth)).collect();
        let Some(first) = parts.first() else {
            return self.error(place, "this array has no elements; write its values");
        };
        let ty = first.ty;
        for part in &parts[1..] {
            self.expect(part, ty, |found, wanted| {
                (
                    format!("the elements of this array differ: the first is {wanted}, and this is {found}"),
                    converted(found, wanted),
                )
            });
        }
        let ty = self.types.array(ty, parts.len());
        Ex { kind: Kind::Struct(parts), ty, place }
    }

    /// Reads `[0; 16]`. The value is evaluated once.
    pub(super) fn repeated(&mut self, array: &ExprRepeat, depth: usize) -> Ex {
        let place: Extent = array.bracket_token.span.join().into();
        let part = self.part(&array.expr, depth);
        let Some(count) = forms::count(&array.len, self.errors) else { return Ex::wrong(place) };
        if part.ty == Ty::Unknown || self.types.width(part.ty) * count > forms::ELEMENTS {
            if part.ty != Ty::Unknown {
                let message = format!("this array has more than {} scalars", forms::ELEMENTS);
                self.error(place, message);
            }
            return Ex::wrong(place);
        }
        let ty = self.types.array(part.ty, count);
        Ex { kind: Kind::Repeat(Box::new(part), count), ty, place }
    }

    /// Reads `h.bins[i]`.
    pub(super) fn index(&mut self, index: &ExprIndex, depth: usize) -> Ex {
        let base = self.value(&index.expr, None, depth + 1);
        let at = Extent::from(index.bracket_token.span.join());
        let place = Extent { start: base.place.start, end: at.end };
        let element = self.element(base.ty, &index.expr, at);
        let index = self.index_value(&index.index, depth + 1);
        match (element, index) {
            (Some(ty), Some(index)) => Ex { kind: Kind::Index(Box::new([base, index])), ty, place },
            _ => Ex::wrong(place),
        }
    }
}
