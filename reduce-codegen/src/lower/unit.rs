//! A load unit: the items that a thread loads together.

use super::Lowerer;
use super::locals::{after_first, count, first, first_item, plus, row, unit};
use reduce_ir::Scalar;
use reduce_ir::operation::Argument;
use reduce_ir::ops::Bin;
use reduce_ir::program::{Arrangement, Fold};
use reduce_ir::statements::{Expr, Local, Stmt, Ty};

/// How the items of a load unit are read.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Loads {
    /// Whole units, by aligned vectors: the tile is full and the data is aligned.
    Vectors,
    /// Whole units, by vectors at any address. If they are read by words, the group has elements on both sides.
    Unaligned,
    /// One by one, without guards: the tile is full.
    Items,
    /// One by one, each guarded by a bounds check.
    Guarded,
}

/// The number of a unit, and its position if it is known already.
pub(super) struct UnitIndex {
    /// The number among the units of the block.
    pub(super) in_block: Expr,
    /// The position in the group, if positions count from the first item of the thread.
    pub(super) begin: Option<Expr>,
}

impl From<Expr> for UnitIndex {
    fn from(in_block: Expr) -> UnitIndex {
        UnitIndex { in_block, begin: None }
    }
}

/// A load unit: where its first item is, and how its items are read.
pub(super) struct Unit {
    /// The position in the tile, `u32`, or in the group, `u64`. Guards and narrow positions use it.
    pub(super) at: Expr,
    /// The position in the group, `u64`.
    pub(super) begin: Expr,
    pub(super) access: Loads,
    /// The number of items that each lane holds before this unit, `u64`. If a lane holds none, its first item may be
    /// assigned instead of combined.
    pub(super) before: Before,
    /// The row of the unit, if units lie in rows.
    pub(super) row: u32,
}

/// The items that the lanes of a thread hold before a unit.
#[derive(Clone)]
pub(super) enum Before {
    /// No items: the first item of each lane is assigned.
    Nothing,
    /// This number of items, `u64`. If no item is assigned, the lane begins with the fill.
    Items(Expr),
}

/// Whether unaligned vectors can be read by words, which also touches elements around them.
pub(super) enum Margin {
    /// They are not read by words.
    NotNeeded,
    /// They can if this holds: the tile is full, and the elements around it are inside the group.
    If(Expr),
    /// They cannot: the only tile has no element before it.
    Never,
}

impl Unit {
    /// Returns the unit at a position in the group.
    pub(super) fn whole(at: &Expr, access: Loads, before: Before) -> Unit {
        Unit { at: at.clone(), begin: at.clone(), access, before, row: 0 }
    }

    /// Returns whether an item of the unit exists.
    pub(super) fn holds(&self, item: u32) -> Expr {
        if self.is_whole() {
            plus(self.at.clone(), item).below(Expr::Items)
        } else {
            self.at.clone().plus(item).below(count().get())
        }
    }

    /// Returns the unit at the same place, to be read otherwise.
    pub(super) fn at_same_place(&self) -> Unit {
        let (at, begin, before) = (self.at.clone(), self.begin.clone(), self.before.clone());
        Unit { at, begin, access: self.access, before, row: self.row }
    }

    /// Returns whether its position counts from the first item of the group.
    pub(super) fn is_whole(&self) -> bool {
        self.at.ty() == Some(Ty::U64)
    }
}

impl Lowerer<'_> {
    /// Reads a unit: names its position, loads it, and adds each item to its lane. `suffix` keeps its locals apart from
    /// the locals of another unit in the same scope.
    pub(super) fn unit(&self, number: UnitIndex, access: Loads, before: Before, suffix: &str) -> Vec<Stmt> {
        self.unit_in_row(0, number, access, before, suffix)
    }

    /// Reads a unit of a row.
    pub(super) fn unit_in_row(
        &self,
        row: u32,
        UnitIndex { in_block, begin }: UnitIndex,
        access: Loads,
        before: Before,
        suffix: &str,
    ) -> Vec<Stmt> {
        let (mut body, mut at) = (Vec::new(), self.wide(in_block));
        // Names the position in the tile if it is used: by a guard, a narrow position, or the position in the group.
        if at != self.thread() && (begin.is_none() || self.asks_for_positions(&before)) {
            let local = Local::new(format!("at{suffix}"), Ty::U32);
            body.push(Stmt::Let(local.clone(), at));
            at = local.get();
        }
        let begin = begin.unwrap_or_else(|| self.in_input(at.clone()));
        body.extend(self.items(&Unit { at, begin, access, before, row }, suffix));
        body
    }

    /// Returns whether a unit after `before` needs narrow positions. `map` takes the index, but makes only the first
    /// item of a lane if there is a `fold`; `fold` may take it too.
    fn asks_for_positions(&self, before: &Before) -> bool {
        let fold = self.program.operation.fold_arguments();
        let folds = fold.is_some_and(|arguments| !arguments.contains(&Argument::Index));
        self.has_narrow_positions() && !(folds && matches!(before, Before::Items(_)))
    }

    /// Returns the position in the group of a position in the tile.
    pub(super) fn in_input(&self, at: Expr) -> Expr {
        let at = at.cast(Scalar::U64);
        if self.kernel.is_one_tile() { at } else { first().get().bin(Bin::Add, at) }
    }

    /// Declares the position of the thread's first item.
    pub(super) fn first_item_of_thread(&self, fold: Fold) -> Stmt {
        Stmt::Let(first_item(), self.in_input(self.wide(self.number_of_first(fold))))
    }

    /// Returns whether positions count from the thread's first item instead of the block's. The compiler knows the
    /// distance from there to each unit, so loads take no extra instructions. A guard compares positions in the tile,
    /// which are the positions in the group if there is one tile.
    pub(super) fn counts_from_first(&self, access: Loads) -> bool {
        access != Loads::Guarded && !self.kernel.is_one_tile()
    }

    /// Returns the number of the first unit of a thread that has several units.
    fn number_of_first(&self, fold: Fold) -> Expr {
        match fold.arrangement {
            _ if fold.in_rows => self.unit_of_row(0),
            Arrangement::Striped => self.thread(),
            Arrangement::Blocked => self.thread().times(Expr::Named("UNITS")),
        }
    }

    /// Returns the first unit of a thread that has several units.
    pub(super) fn first_of_several(&self, fold: Fold, from_first: bool) -> UnitIndex {
        UnitIndex { in_block: self.number_of_first(fold), begin: from_first.then(|| first_item().get()) }
    }

    /// Returns the unit of a turn, in a loop over the units of a thread.
    pub(super) fn unit_of_loop(&self, fold: Fold, from_first: bool) -> UnitIndex {
        let (unit, first) = (unit().get(), self.number_of_first(fold));
        let (in_block, items) = match fold.arrangement {
            Arrangement::Striped => {
                (unit.clone().times(Expr::Named("BLOCK")).plus(first), unit.times(row(fold)))
            }
            Arrangement::Blocked => (first.plus(unit.clone()), self.wide(unit)),
        };
        UnitIndex { in_block, begin: from_first.then(|| after_first(items)) }
    }

    /// Returns the number of items in that many units.
    pub(super) fn wide(&self, units: Expr) -> Expr {
        if self.kernel.fold().width > 1 { units.times(Expr::Named("WIDTH")) } else { units }
    }
}
