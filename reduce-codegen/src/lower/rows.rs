//! Rows of units. Neighbouring threads have neighbouring units of a row. Striped units lie in rows of the whole block,
//! one after the other. Warp-striped units lie in rows of one warp.

use super::Lowerer;
use super::fold::before_unit;
use super::locals::{after_first, count, first, full_tile, number, row, unit};
use super::unit::{Before, Loads, UnitIndex};
use reduce_ir::ops::Bin;
use reduce_ir::program::{Fold, Program};
use reduce_ir::statements::{Expr, Local, Loop, Stmt, Ty, Unroll};

impl Lowerer<'_> {
    /// Reads striped units. If the tile is full and the data aligned, reads a constant number of vectors. Otherwise
    /// reads the whole rows without guards, then the partial row with a guard for each item.
    pub(super) fn striped(&self, fold: Fold, units: u32) -> Vec<Stmt> {
        let access = if self.has_vectors() { Loads::Vectors } else { Loads::Items };
        let aligned = self.aligned().filter(|_| self.has_vectors()).fold(full_tile(), Expr::and);
        vec![Stmt::If(aligned, self.units(fold, units, access), self.rows(fold))]
    }

    /// Reads the whole rows, by vectors if units are wider than one item, then the partial row.
    pub(super) fn rows(&self, fold: Fold) -> Vec<Stmt> {
        let [rows, whole, begun] = ["rows", "whole_rows", "begun_rows"].map(|name| Local::new(name, Ty::U32));
        let read = |access| self.row_after_row(fold, access, 0.into(), rows.get());
        let mut body = vec![Stmt::Let(rows.clone(), count().get().over(row(fold)))];
        let mut done = rows.clone();
        match self.aligned().reduce(Expr::and).filter(|_| self.has_vectors()) {
            None => body.extend(read(Loads::Items)),
            // The rows of groups are whole and aligned, or few of them are.
            Some(_) if self.loads_first(self.units_of_thread()) && !self.reads_words() => {
                body.extend(read(Loads::Unaligned))
            }
            Some(aligned) if !self.reads_words() => {
                body.push(Stmt::If(aligned, read(Loads::Vectors), read(Loads::Unaligned)));
            }
            Some(aligned) => {
                let vectors = [read(Loads::Vectors), vec![Stmt::Set(whole.clone(), rows.get())]].concat();
                body.push(Stmt::Var(whole.clone(), 0.into()));
                body.push(Stmt::If(aligned, vectors, self.rows_by_words(fold, &whole)));
                done = whole.clone();
            }
        }
        let rounded = count().get().plus(row(fold).bin(Bin::Sub, 1)).over(row(fold));
        body.push(Stmt::Let(begun.clone(), rounded));
        body.extend(self.row_after_row(fold, Loads::Guarded, done.get(), begun.get()));
        body
    }

    /// Reads by words the rows that have elements on both sides: at least one before, and a unit after. The first row
    /// of the group has none before it, and is read item by item. Sets `whole` to the number of rows read.
    fn rows_by_words(&self, fold: Fold, whole: &Local) -> Vec<Stmt> {
        let before = if self.begins_with_item() { Before::Nothing } else { Before::Items(number(0)) };
        let mut first_row = self.unit(self.thread().into(), Loads::Guarded, before, "_begin");
        first_row.push(Stmt::Set(whole.clone(), 1.into()));
        let is_first = first().get().equals(number(0));
        let mut body =
            if self.kernel.is_one_tile() { first_row } else { vec![Stmt::when(is_first, first_row)] };
        let (around, unit) = (Local::new("rows_around", Ty::U32), Expr::Named("WIDTH"));
        let most = Expr::Named("TILE").bin(Bin::Add, unit.clone());
        let left = self.remaining(most).bin(Bin::Max, unit.clone());
        body.push(Stmt::Let(around.clone(), left.bin(Bin::Sub, unit).over(row(fold))));
        body.extend(self.row_after_row(fold, Loads::Unaligned, whole.get(), around.get()));
        body.push(Stmt::Set(whole.clone(), whole.get().bin(Bin::Max, around.get())));
        body
    }

    /// Reads the unit of a thread in each row of a range. If lanes begin with their first item, row 0 is read before
    /// the loop. Of a group with few rows, the loop has a constant number of turns, so that all loads are in flight together.
    fn row_after_row(&self, fold: Fold, access: Loads, from: Expr, end: Expr) -> Vec<Stmt> {
        let number = unit().get().times(Expr::Named("BLOCK")).plus(self.thread());
        let (mut body, mut from) = (Vec::new(), from);
        let from_start = from == Expr::from(0);
        if self.begins_with_item() {
            let some = Expr::from(0).below(end.clone());
            let is_first = match (from_start, access == Loads::Guarded) {
                (true, _) => some,
                // Every item has a guard, so an empty range needs no check.
                (false, true) => from.clone().equals(0),
                (false, false) => from.clone().equals(0).and(some),
            };
            body.push(Stmt::when(
                is_first,
                self.unit(self.thread().into(), access, Before::Nothing, "_first"),
            ));
            from = if from_start { 1.into() } else { from.bin(Bin::Max, 1) };
        }
        let read = self.unit(number.into(), access, before_unit(fold), "");
        let few = from_start && access != Loads::Guarded && self.unrolling(fold) == Unroll::All;
        let (end, read) = match few && self.program.domain.is_grouped() {
            true => (Expr::Named("UNITS"), vec![Stmt::when(unit().get().below(end), read)]),
            false => (end, read),
        };
        body.push(Stmt::For(Box::new(Loop {
            from,
            test: unit().get().below(end),
            next: unit().get().plus(1),
            unroll: if access == Loads::Guarded { Unroll::Unsaid } else { self.unrolling(fold) },
            body: read,
            local: unit(),
        })));
        body
    }
}

impl Lowerer<'_> {
    /// Declares the first unit of a thread, if its warp has rows of units.
    pub(super) fn first_of_rows(&mut self, fold: Fold) {
        if fold.in_rows {
            let rows = Expr::Named("UNITS").times(Program::WARP);
            let in_row = Expr::Thread.bin(Bin::Rem, Program::WARP);
            let number = Expr::Thread.over(Program::WARP).times(rows).plus(in_row);
            self.body.push(Stmt::Let(first_unit(), number));
        }
    }

    /// Returns the number, in the block, of a thread's unit in a row of its warp. Without rows, this is the number of
    /// the thread.
    pub(super) fn unit_of_row(&self, row: u32) -> Expr {
        match (self.lanes.len(), row) {
            (1, _) => self.thread(),
            _ if self.is_logical() => self.thread().plus(row * self.lanes_of_team()),
            (_, 0) => first_unit().get(),
            (_, row) => first_unit().get().plus(row * Program::WARP),
        }
    }

    /// Reads the thread's unit of each row. Each begins an accumulator of its own.
    pub(super) fn unit_of_each_row(&self, rows: u32, access: Loads) -> Vec<Stmt> {
        let from_first = self.counts_from_first(access);
        let unit = |row: u32| {
            let number = match row {
                0 => self.first_of_several(self.kernel.fold(), from_first),
                _ => {
                    let items = || self.wide((row * Program::WARP).into());
                    let begin = from_first.then(|| after_first(items()));
                    UnitIndex { in_block: self.unit_of_row(row), begin }
                }
            };
            self.unit_in_row(row, number, access, Before::Nothing, &format!("_{row}"))
        };
        (0..rows).flat_map(unit).collect()
    }
}

/// The first unit of a thread whose units lie in rows of its warp.
fn first_unit() -> Local {
    Local::new("first_unit", Ty::U32)
}
