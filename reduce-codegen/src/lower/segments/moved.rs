//! Moves the statements of a group into a loop over segments.

use super::locals::{Bounds, feature};
use reduce_ir::Scalar;
use reduce_ir::ops::Bin;
use reduce_ir::statements::{Buffer, Expr, Place, Rewriting, Stmt, Ty, rewrite, rewrite_expr};

/// The values that the statements of a group have in a segment.
pub(super) struct Moved {
    pub(super) bounds: Bounds,
    /// The number of items, `u64`: elements, or partials.
    pub(super) items: Expr,
    /// The number of groups: those of lanes beyond it deliver nothing, `u64`.
    pub(super) groups: Expr,
    /// The thread of the association, if a thread evaluates several.
    pub(super) thread: Option<Expr>,
    /// Constants of a tier, and their values.
    pub(super) constants: Vec<(&'static str, Expr)>,
    /// The position of the first partial.
    pub(super) partials: Expr,
}

impl Moved {
    /// Returns the values for a segment of `items` elements or partials, whose place among its neighbours does not matter.
    pub(super) fn new(bounds: Bounds, items: Expr) -> Moved {
        let none = || super::number(0);
        let (groups, partials) = (none(), none());
        Moved { bounds, items, groups, thread: None, constants: Vec::new(), partials }
    }

    /// Returns the statements of a group, for the elements from `begin` on.
    pub(super) fn apply(mut self, body: Vec<Stmt>) -> Vec<Stmt> {
        rewrite(body, &mut self)
    }

    /// Returns an expression of a group, for the elements from `begin` on.
    pub(super) fn apply_to(mut self, expr: Expr) -> Expr {
        rewrite_expr(expr, &mut self)
    }

    /// Returns the place of an element of the group in an input.
    fn element(&self, input: usize, of_group: Expr) -> Expr {
        let begin = self.bounds.wide(self.bounds.begin().get());
        let Expr::Offset(_, terms) = of_group else { return begin.bin(Bin::Add, of_group) };
        let along = terms.into_iter().map(|(axis, at)| (axis, begin.clone().bin(Bin::Add, at)));
        Expr::Offset(input, [(0, feature().get())].into_iter().chain(along).collect())
    }

    /// Returns the value that a word of the group has here.
    fn word(&self, expr: &Expr) -> Option<Expr> {
        let length = || self.bounds.wide(self.bounds.length().get());
        // `finish` takes the number of elements.
        let fixed = [
            (Expr::Items, self.items.clone()),
            (Expr::Groups, self.groups.clone()),
            (Expr::Elements, length()),
            (Expr::Thread, self.thread.clone().unwrap_or(Expr::Thread)),
        ];
        let constants = self.constants.iter().map(|(name, value)| (Expr::Named(name), value.clone()));
        fixed.into_iter().chain(constants).find(|(of_group, _)| of_group == expr).map(|(_, here)| here)
    }
}

impl Rewriting for Moved {
    fn expr(&mut self, expr: Expr) -> Expr {
        if let Expr::Aligned(buffer, bytes) = expr {
            let begin = self.bounds.wide(self.bounds.begin().get());
            return Expr::AlignedAt(buffer, bytes, Box::new(begin));
        }
        narrowed(self.word(&expr).unwrap_or(expr))
    }

    fn place(&mut self, place: Place) -> Place {
        match place.buffer {
            Buffer::Input(input) => Place { index: self.element(input, place.index), ..place },
            Buffer::Items => Place { index: self.partials.clone().bin(Bin::Add, place.index), ..place },
            Buffer::Partials | Buffer::Result | Buffer::Ticket | Buffer::Shared(_) | Buffer::List(_) => place,
            Buffer::Offsets(_) | Buffer::Tiles | Buffer::LongSegments => place,
            Buffer::Marks | Buffer::Keys(_) | Buffer::Number => place,
        }
    }
}

/// Leaves out a conversion to 64 bits and back, also of a sum of positions.
fn narrowed(expr: Expr) -> Expr {
    let Expr::Cast(Scalar::U32, inner) = expr else { return expr };
    if let Expr::Cast(Scalar::U64, narrow) = *inner {
        return if narrow.ty() == Some(Ty::U32) { *narrow } else { Expr::Cast(Scalar::U32, narrow) };
    }
    if let Expr::Bin(Bin::Add, a, b) = *inner {
        let [a, b] = [a, b].map(|it| Box::new(narrowed(Expr::Cast(Scalar::U32, it))));
        return Expr::Bin(Bin::Add, a, b);
    }
    if let Expr::Const(value) = *inner {
        return Expr::from(value.bits() as u32);
    }
    Expr::Cast(Scalar::U32, inner)
}
