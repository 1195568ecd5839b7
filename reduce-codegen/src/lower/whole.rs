//! Whole units: rows that are aligned and as long as a number of units. A thread loads all its units before it adds their items,
//! so that the loads are in flight together. A unit behind the end loads the last one instead, and adds nothing.

use super::Lowerer;
use super::fold::before;
use super::locals::count;
use super::unit::{Before, Loads, Unit};
use reduce_ir::Scalar;
use reduce_ir::ops::Bin;
use reduce_ir::program::{Arrangement, Fold, Reads};
use reduce_ir::statements::{Expr, Local, Stmt, Ty};

/// The maximum number of units of a thread.
const MOST: u32 = 4;

impl Lowerer<'_> {
    /// Returns whether threads load all their units first, if these are whole: there are few, in the only tile of a group.
    pub(super) fn loads_first(&self, units: u32) -> bool {
        let fold = self.kernel.fold();
        let grouped = self.program.domain.is_grouped() && self.kernel.reads == Reads::Inputs;
        let unrolled = fold.hints.unrolled && fold.arrangement == Arrangement::Striped;
        grouped
            && self.kernel.is_one_tile()
            && self.has_vectors()
            && (units == 1 || units <= MOST && unrolled)
    }

    /// Returns whether all units of the group are whole, and aligned.
    pub(super) fn all_whole(&self) -> Expr {
        let whole = count().get().bin(Bin::Rem, Expr::Named("WIDTH")).equals(0);
        self.aligned().fold(whole, Expr::and)
    }

    /// Reads the whole units of a thread.
    pub(super) fn whole_units(&self, fold: Fold, units: u32) -> Vec<Stmt> {
        let (mut loads, mut adds) = (Vec::new(), Vec::new());
        for unit in 0..units {
            let row = Expr::Named("BLOCK").times(unit);
            let number = if unit == 0 { self.thread() } else { row.plus(self.thread()) };
            let held = if unit == 0 { Before::Nothing } else { before(fold, unit.into()) };
            let suffix = if units == 1 { String::new() } else { format!("_{unit}") };
            let (load, add) = self.whole_unit(number, held, &suffix);
            loads.extend(load);
            adds.extend(add);
        }
        [loads, adds].concat()
    }

    /// Returns the statements that load a whole unit, and those that add its items.
    pub(super) fn whole_unit(&self, number: Expr, held: Before, suffix: &str) -> (Vec<Stmt>, Vec<Stmt>) {
        let [at, from] = ["at", "from"].map(|name| Local::new(format!("{name}{suffix}"), Ty::U32));
        let unit = |at: &Local| Unit {
            at: at.get(),
            begin: at.get().cast(Scalar::U64),
            access: Loads::Vectors,
            before: held.clone(),
            row: 0,
        };
        let last = count().get().bin(Bin::Sub, Expr::Named("WIDTH"));
        let mut loads = vec![
            Stmt::Let(at.clone(), self.wide(number)),
            Stmt::Let(from.clone(), at.get().bin(Bin::Min, last)),
        ];
        loads.extend(self.vectors(&unit(&from), suffix, Stmt::Load));
        let adds = self.added_items(&unit(&at), suffix);
        (loads, vec![Stmt::when(unit(&at).holds(0), adds)])
    }
}
