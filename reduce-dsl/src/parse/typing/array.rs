//! Elements of arrays. A known index is a place among the scalars. Any other one selects, and asserts that it is in range unless
//! it is for every value.

use super::lower::Lower;
use super::range;
use crate::parse::diagnostic::Extent;
use crate::parse::tree::{Access, Ex, Target};
use crate::parse::types::Ty;
use reduce_ir::Value;
use reduce_ir::func::Id;
use reduce_ir::ops::Cmp;

/// The place of an element.
enum At {
    Known(usize),
    Computed(Id),
}

impl Lower<'_> {
    /// Lowers `array[index]`.
    pub(super) fn element(&mut self, [array, index]: &[Ex; 2], place: Extent) -> Option<Vec<Id>> {
        let ty = array.ty;
        let array = self.lower(array)?;
        let at = self.at(index, ty)?;
        let elements = self.elements(&array, ty);
        match at {
            At::Known(at) => elements.get(at).cloned(),
            At::Computed(index) => {
                self.spend(array.len(), place)?;
                let mut chosen = elements.last()?.clone();
                for (at, element) in elements.iter().enumerate().rev().skip(1) {
                    let is = self.is_at(index, at, place)?;
                    chosen = self.choose(is, element, &chosen, place)?;
                }
                Some(chosen)
            }
        }
    }

    /// Lowers an assignment to a variable or a part of one.
    pub(super) fn assign(&mut self, target: &Target, value: &Ex) -> Option<Vec<Id>> {
        let ids = self.lower(value)?;
        let whole = self.locals.get(target.local).cloned().flatten()?;
        let whole = self.stored(&whole, target.ty, &target.path, &ids, value.place)?;
        self.set(target.local, whole);
        Some(Vec::new())
    }

    /// Returns the scalars of a value after an assignment to the part of it that `path` leads to.
    fn stored(
        &mut self,
        whole: &[Id],
        ty: Ty,
        path: &[Access],
        new: &[Id],
        place: Extent,
    ) -> Option<Vec<Id>> {
        let Some((first, rest)) = path.split_first() else { return Some(new.to_vec()) };
        let mut parts = self.elements(whole, ty);
        let part_ty = |at: usize| self.types.fields(ty).get(at).map(|(_, ty)| *ty);
        match first {
            Access::Field(at) => {
                let part = self.stored(parts.get(*at)?, part_ty(*at)?, rest, new, place)?;
                parts[*at] = part;
            }
            Access::Index(index) => {
                let element = part_ty(0)?;
                match self.at(index, ty)? {
                    At::Known(at) => parts[at] = self.stored(parts.get(at)?, element, rest, new, place)?,
                    At::Computed(index) => {
                        self.spend(whole.len(), place)?;
                        for (at, part) in parts.iter_mut().enumerate() {
                            let stored = self.stored(part, element, rest, new, place)?;
                            let is = self.is_at(index, at, place)?;
                            *part = self.choose(is, &stored, part, place)?;
                        }
                    }
                }
            }
        }
        Some(parts.concat())
    }

    /// Splits the scalars of a value into those of its fields or elements.
    fn elements(&self, ids: &[Id], ty: Ty) -> Vec<Vec<Id>> {
        let mut rest = ids;
        let mut parts = Vec::new();
        for (_, ty) in self.types.fields(ty) {
            let (part, after) = rest.split_at(self.types.width(*ty).min(rest.len()));
            parts.push(part.to_vec());
            rest = after;
        }
        parts
    }

    fn is_at(&mut self, index: Id, at: usize, place: Extent) -> Option<Id> {
        let at = self.builder.constant(Value::of(at as u64));
        let is = self.builder.cmp(Cmp::Eq, index, at);
        self.checked(is, place)
    }

    /// Lowers an index of an array of type `ty`. A known one that is out of range is refused.
    fn at(&mut self, index: &Ex, ty: Ty) -> Option<At> {
        let id = self.one(index)?;
        let count = self.types.fields(ty).len();
        let [_, most] = range::of(&self.builder, id);
        if let Some(known) = range::known(&self.builder, id) {
            let at = usize::try_from(known).unwrap_or(usize::MAX);
            if at < count || self.is_lenient {
                return Some(At::Known(at.min(count - 1)));
            }
            let message = format!("the index is {known}, and the array has {count} elements");
            self.errors.add(index.place, message).help(format!("the last index is {}", count - 1));
            return None;
        }
        if most >= count as i128 {
            let end = self.builder.constant(Value::of(count as u64));
            let is_inside = self.builder.cmp(Cmp::Lt, id, end);
            let is_inside = self.checked(is_inside, index.place)?;
            self.assert(is_inside, index.place)?;
        }
        self.builder.name(id, "at");
        Some(At::Computed(id))
    }
}
