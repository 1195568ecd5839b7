//! Moves the statements of a group into a loop over segments.

use super::locals::{begin, length};
use reduce_ir::ops::Bin;
use reduce_ir::statements::{Buffer, Expr, Place, Rewriting, Stmt, rewrite, rewrite_expr};

/// The values that the statements of a group have in a segment.
pub(super) struct Moved {
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
    /// Returns the statements of a group, for the elements from `begin` on.
    pub(super) fn apply(mut self, body: Vec<Stmt>) -> Vec<Stmt> {
        rewrite(body, &mut self)
    }

    /// Returns an expression of a group, for the elements from `begin` on.
    pub(super) fn apply_to(mut self, expr: Expr) -> Expr {
        rewrite_expr(expr, &mut self)
    }

    /// Returns the values for a segment of `length` elements, whose place among its neighbours does not matter.
    pub(super) fn new(items: Expr) -> Moved {
        let none = || super::number(0);
        Moved { items, groups: none(), thread: None, constants: Vec::new(), partials: none() }
    }
}

impl Rewriting for Moved {
    fn expr(&mut self, expr: Expr) -> Expr {
        if let Expr::Aligned(buffer, bytes) = expr {
            return Expr::AlignedAt(buffer, bytes, Box::new(begin().get()));
        }
        // `finish` takes the number of elements.
        let fixed = [
            (Expr::Items, self.items.clone()),
            (Expr::Groups, self.groups.clone()),
            (Expr::Elements, length().get()),
            (Expr::Thread, self.thread.clone().unwrap_or(Expr::Thread)),
        ];
        let constants = self.constants.iter().map(|(name, value)| (Expr::Named(name), value.clone()));
        let found = fixed.into_iter().chain(constants).find(|(of_group, _)| *of_group == expr);
        found.map_or(expr, |(_, here)| here)
    }

    fn place(&mut self, place: Place) -> Place {
        let from = match place.buffer {
            Buffer::Input(_) => begin().get(),
            Buffer::Items => self.partials.clone(),
            Buffer::Partials | Buffer::Result | Buffer::Ticket | Buffer::Shared(_) | Buffer::List(_) => {
                return place;
            }
            Buffer::Offsets(_) | Buffer::Tiles | Buffer::LongSegments => return place,
        };
        Place { index: from.bin(Bin::Add, place.index), ..place }
    }
}
