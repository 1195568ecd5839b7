//! Rows of items that the lanes of a warp read side by side, wherever the group begins.
//!
//! A load unit has some consecutive items, and its thread reads them by a vector if they are aligned. Groups of any length rarely are. So
//! here lane l reads the items l, l + 32, … of each row of a warp: neighbouring lanes read neighbouring items at any alignment. The items
//! of a unit are then in neighbouring lanes, which combine them by shuffles. The association is the same.

use super::Lowerer;
use super::locals::{count, row};
use super::place::lane;
use super::unit::{Before, Loads, Unit};
use reduce_ir::ops::Bin;
use reduce_ir::program::{Arrangement, Program, Reads, Scope, Step, Tree};
use reduce_ir::statements::{Expr, FULL, Local, Loop, Stmt, Ty, Unroll};

/// The beginning of the names of items that may be absent. The emitter writes each of them as one expression.
pub(crate) const ITEM: &str = "item_";

/// The most bytes of items that a lane loads before it combines them.
const IN_FLIGHT: u32 = 64;
/// The most items of a unit: each of them is combined by shuffles of its own.
const WIDEST: u32 = 4;

/// Returns whether the warps of a program can read their rows side by side: absent items are the fill, the items of a unit have
/// accumulators of their own, and these are combined by pairs, and then those of a warp by halves.
pub(crate) fn reads_across(program: &Program) -> bool {
    let (operation, kernel) = (&program.operation, program.kernel(Reads::Inputs));
    let fold = kernel.fold();
    let is = |step: Option<&Step>, scope, tree| matches!(step, Some(Step::Combine(it)) if it.scope == scope && it.tree == tree);
    operation.commutative
        && operation.fill.is_some()
        && operation.fold.is_none()
        && program.domain.is_adjacent()
        && fold.arrangement == Arrangement::Striped
        && (2..=WIDEST).contains(&fold.width)
        && fold.lanes == fold.width
        && fold.rows() == 1
        && is(kernel.steps.get(1), Scope::Thread, Tree::Pairs)
        && is(kernel.steps.get(2), Scope::Warp, Tree::Halving)
}

impl Lowerer<'_> {
    /// Reads the rows of a warp, whose first item in each row is `first`, and combines them. Leaves the accumulator in the first lane.
    pub(super) fn across(&mut self, first: &Expr) {
        let fold = self.kernel.fold();
        self.declare_lanes(fold);
        let (rows, begun) = (self.rows_in_flight(), Local::new("begun_rows", Ty::U32));
        let rounded = count().get().plus(row(fold).bin(Bin::Sub, 1)).over(row(fold));
        let from = Local::new("from_row", Ty::U32);
        let (loads, joins): (Vec<_>, Vec<_>) =
            (0..rows).map(|at| self.row_across(&from.get().plus(at), at, first)).unzip();
        self.body.push(Stmt::Let(begun.clone(), rounded));
        self.body.push(Stmt::For(Box::new(Loop {
            from: 0.into(),
            test: from.get().below(begun.get()),
            next: from.get().plus(rows),
            unroll: Unroll::Unsaid,
            body: [loads.concat(), joins.concat()].concat(),
            local: from,
        })));
        self.tree_across();
    }

    /// Returns the number of rows that a lane loads before it combines their items.
    fn rows_in_flight(&self) -> u32 {
        let operation = &self.program.operation;
        let loaded: usize = operation.inputs.iter().map(|input| input.ty.size()).sum();
        let item = loaded.max(operation.acc.size()) as u32;
        (IN_FLIGHT / (item * self.kernel.fold().width)).clamp(1, 4)
    }

    /// Returns the statements that load the items of a row, and those that combine them with the accumulators.
    fn row_across(&self, number: &Expr, suffix: u32, first: &Expr) -> (Vec<Stmt>, Vec<Stmt>) {
        let at = Local::new(format!("at_{suffix}"), Ty::U32);
        let place = number.clone().times(row(self.kernel.fold())).plus(first.clone()).plus(lane().get());
        let (mut loads, mut joins) = (vec![Stmt::Let(at.clone(), place)], Vec::new());
        for (item, acc) in (0..).zip(&self.lanes) {
            let at = at.get().plus(item * Program::WARP);
            let begin = self.in_input(at.clone());
            let unit = Unit { at, begin, access: Loads::Guarded, before: Before::Nothing, row: 0 };
            let (mut body, value) = self.element(&unit, 0, &format!("{item}_{suffix}"));
            let local = Local::new(format!("{ITEM}{item}_{suffix}"), Ty::Acc);
            body.push(Stmt::Set(local.clone(), value));
            loads.extend([Stmt::Var(local.clone(), Expr::Empty), Stmt::when(unit.holds(0), body)]);
            joins.push(Stmt::Set(acc.clone(), acc.get().combine(local.get())));
        }
        (loads, joins)
    }

    /// Combines the items of each unit, which are in neighbouring lanes, then the units.
    fn tree_across(&mut self) {
        let width = self.kernel.fold().width;
        for stride in Tree::Pairs.strides(width) {
            self.shuffled_down(stride);
        }
        for stride in Tree::Halving.strides(width) {
            for left in 0..stride {
                let [a, b] = [left, left + stride].map(|at| self.lanes[at as usize].clone());
                self.body.push(Stmt::Set(a.clone(), a.get().combine(b.get())));
            }
        }
        self.lanes.truncate(1);
        for stride in Tree::Halving.strides(Program::WARP).into_iter().filter(|&stride| stride >= width) {
            self.shuffled_down(stride);
        }
    }

    /// Combines each accumulator with the one of the lane `down` places higher.
    fn shuffled_down(&mut self, down: u32) {
        for (at, acc) in self.lanes.clone().into_iter().enumerate() {
            let into = Local::new(format!("other_{down}_{at}"), Ty::Acc);
            let (value, down) = (acc.get(), down.into());
            self.body.push(Stmt::Shuffle { into: into.clone(), value, down, mask: FULL });
            self.body.push(Stmt::Set(acc.clone(), acc.get().combine(into.get())));
        }
    }
}
