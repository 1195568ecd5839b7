//! A load unit: what a thread reads at once.

use super::Lowerer;
use super::locals::{behind_first, count, first, first_item, plus, row, unit};
use reduce_ir::Scalar;
use reduce_ir::operation::Argument;
use reduce_ir::ops::Bin;
use reduce_ir::program::{Arrangement, Fold};
use reduce_ir::statements::{Expr, Local, Stmt, Ty};

/// How the items of a load unit are read.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Loads {
    /// Whole units, as vectors: the tile is full and the data aligned.
    Vectors,
    /// Whole units, as vectors that lie anywhere; where they are read by words, elements lie around them.
    Unaligned,
    /// One at a time: the tile is full.
    Items,
    /// One at a time, those that are there.
    Guarded,
}

/// Which unit it is.
pub(super) struct Number {
    /// Its number among those of the block.
    pub(super) of_block: Expr,
    /// Its position in the whole input, where that is counted from the first item of its thread.
    pub(super) begin: Option<Expr>,
}

impl From<Expr> for Number {
    fn from(of_block: Expr) -> Number {
        Number { of_block, begin: None }
    }
}

/// A load unit: where its first item is, and how it is read.
pub(super) struct Unit {
    /// The position in the tile, `u32`, or in the whole input, `u64`. Guards and narrow positions ask for it.
    pub(super) at: Expr,
    /// The position in the whole input, `u64`.
    pub(super) begin: Expr,
    pub(super) access: Loads,
    /// How many items each lane has before it, `u64`. The first item of a lane may be assigned and not combined.
    pub(super) before: Before,
    /// Its row, where units lie in rows.
    pub(super) row: u32,
}

/// What the lanes of a thread hold when a unit comes.
#[derive(Clone)]
pub(super) enum Before {
    /// Nothing: the first item of each is assigned.
    Nothing,
    /// So many items, `u64`; where no item is assigned, also the fill.
    Items(Expr),
}

/// Whether unaligned vectors can be read that are read by words, and so with what is around them.
pub(super) enum Margin {
    /// They are not read by words.
    Nothing,
    /// They can, where this holds: the tile is full, and in the input is what is read around it.
    If(Expr),
    /// They cannot: the only tile has nothing before it.
    Absent,
}

impl Unit {
    /// One that begins there in the whole input.
    pub(super) fn whole(at: &Expr, access: Loads, before: Before) -> Unit {
        Unit { at: at.clone(), begin: at.clone(), access, before, row: 0 }
    }

    /// Is that item there?
    pub(super) fn holds(&self, item: u32) -> Expr {
        if self.is_whole() {
            plus(self.at.clone(), item).below(Expr::Items)
        } else {
            self.at.clone().plus(item).below(count().get())
        }
    }

    fn is_whole(&self) -> bool {
        self.at.ty() == Some(Ty::U64)
    }
}

impl Lowerer<'_> {
    /// The unit of that number: where it lies, its loads, and each of its items into its lane. `suffix`
    /// tells its names from those of another unit in sight.
    pub(super) fn unit(&self, number: Number, access: Loads, before: Before, suffix: &str) -> Vec<Stmt> {
        self.unit_in_row(0, number, access, before, suffix)
    }

    /// The same, of a row.
    pub(super) fn unit_in_row(
        &self,
        row: u32,
        Number { of_block, begin }: Number,
        access: Loads,
        before: Before,
        suffix: &str,
    ) -> Vec<Stmt> {
        let (mut body, mut at) = (Vec::new(), self.wide(of_block));
        // A place in the tile has a name where something asks for it: a guard, a narrow position, or the position in the whole input.
        if at != self.thread() && (begin.is_none() || self.asks_for_positions(&before)) {
            let local = Local::new(format!("at{suffix}"), Ty::U32);
            body.push(Stmt::Let(local.clone(), at));
            at = local.get();
        }
        let begin = begin.unwrap_or_else(|| self.in_input(at.clone()));
        body.extend(self.items(&Unit { at, begin, access, before, row }, suffix));
        body
    }

    /// Does a unit behind those ask for narrow positions? `map` has one, which gives the first item of a lane, and `fold` may.
    fn asks_for_positions(&self, before: &Before) -> bool {
        let fold = self.program.operation.fold_arguments();
        let folds = fold.is_some_and(|arguments| !arguments.contains(&Argument::Index));
        self.has_narrow_positions() && !(folds && matches!(before, Before::Items(_)))
    }

    /// The position in the whole input of what has that place in the tile.
    fn in_input(&self, at: Expr) -> Expr {
        let at = at.cast(Scalar::U64);
        if self.kernel.is_one_tile() { at } else { first().get().bin(Bin::Add, at) }
    }

    /// Where the first item of a thread lies.
    pub(super) fn first_item_of_thread(&self, fold: Fold) -> Stmt {
        Stmt::Let(first_item(), self.in_input(self.wide(self.number_of_first(fold))))
    }

    /// Are positions counted from the first item of the thread, and not of the block? What is added to that is known to the
    /// compiler, so that loads take no more instructions. A guard asks for places in the tile, and of one block they are positions.
    pub(super) fn counts_from_first(&self, access: Loads) -> bool {
        access != Loads::Guarded && !self.kernel.is_one_tile()
    }

    /// The number of the first unit of a thread that has several.
    fn number_of_first(&self, fold: Fold) -> Expr {
        match fold.arrangement {
            _ if fold.in_rows => self.unit_of_row(0),
            Arrangement::Striped => self.thread(),
            Arrangement::Blocked => self.thread().times(Expr::Named("UNITS")),
        }
    }

    /// The first unit of a thread that has several.
    pub(super) fn first_of_several(&self, fold: Fold, from_first: bool) -> Number {
        Number { of_block: self.number_of_first(fold), begin: from_first.then(|| first_item().get()) }
    }

    /// The unit of a loop over those of a thread.
    pub(super) fn unit_of_loop(&self, fold: Fold, from_first: bool) -> Number {
        let (unit, first) = (unit().get(), self.number_of_first(fold));
        let (of_block, items) = match fold.arrangement {
            Arrangement::Striped => {
                (unit.clone().times(Expr::Named("BLOCK")).plus(first), unit.times(row(fold)))
            }
            Arrangement::Blocked => (first.plus(unit.clone()), self.wide(unit)),
        };
        Number { of_block, begin: from_first.then(|| behind_first(items)) }
    }

    /// Items of so many units.
    pub(super) fn wide(&self, units: Expr) -> Expr {
        if self.kernel.fold().width > 1 { units.times(Expr::Named("WIDTH")) } else { units }
    }
}
