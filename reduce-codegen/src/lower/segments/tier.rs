//! The numbers of the tier of a segment: its association.

use super::{Draft, number};
use crate::lower::across::reads_across;
use crate::segments::Tier;
use reduce_ir::Scalar;
use reduce_ir::ops::Bin;
use reduce_ir::program::{Arrangement, Program, Reads};
use reduce_ir::statements::{Expr, Local, Stmt, Ty};

/// The threads of the association, `u32`.
pub(super) fn threads() -> Local {
    Local::new("threads", Ty::U32)
}

/// The load units of each, `u32`.
fn units() -> Local {
    Local::new("units", Ty::U32)
}

/// The elements of a tile of the association, `u64`.
pub(super) fn tile() -> Local {
    Local::new("tile", Ty::U64)
}

impl Draft<'_> {
    /// Names the numbers of the tier of a segment with one of these numbers of elements.
    pub(super) fn tier(&self, reads: Reads, lengths: (u64, u64)) -> Vec<Stmt> {
        let of = |number_of: fn(&Tier) -> u32| self.chosen(lengths, number_of);
        let mut all = vec![self.threads_of(lengths)];
        // Rows that lanes read side by side are counted by the items.
        if reads == Reads::Inputs && !self.program.blocks.iter().all(reads_across) {
            all.push(Stmt::Let(units(), of(|tier| tier.units)));
        }
        all.push(Stmt::Let(tile(), of(|tier| tier.tile).cast(Scalar::U64)));
        all
    }

    /// Names the threads of the association of a segment with one of these numbers of elements.
    pub(super) fn threads_of(&self, lengths: (u64, u64)) -> Stmt {
        Stmt::Let(threads(), self.chosen(lengths, |tier| tier.threads))
    }

    /// Returns the condition that the tier of a segment has that program.
    pub(super) fn is_of(&self, program: usize, (least, most): (u64, u64)) -> Expr {
        self.chosen((least, most), |tier| u32::from(tier.program == program)).equals(1)
    }

    /// Returns a number of the tier of a segment, by its length.
    fn chosen(&self, (least, most): (u64, u64), number_of: impl Fn(&Tier) -> u32) -> Expr {
        let before = |tier: &Tier| tier.up_to.is_some_and(|up_to| up_to < least);
        let tiers: Vec<_> = self.program.tiers.iter().filter(|tier| !before(tier)).collect();
        let count = tiers.iter().position(|tier| tier.up_to.is_none_or(|up_to| up_to >= most));
        let tiers = &tiers[..count.map_or(tiers.len(), |last| last + 1)];
        let Some((last, shorter)) = tiers.split_last() else { return 1.into() };
        let (mut value, mut next) = (Expr::from(number_of(last)), number_of(last));
        for tier in shorter.iter().rev() {
            let of_tier = number_of(tier);
            if let Some(up_to) = tier.up_to.filter(|_| of_tier != next) {
                value = super::at_most(self.length(), number(up_to)).select(of_tier, value);
            }
            next = of_tier;
        }
        value
    }

    /// Returns the constants of a group that the tier decides.
    pub(super) fn constants_of_tier(&self, program: &Program, reads: Reads) -> Vec<(&'static str, Expr)> {
        let row = threads().get().times(program.kernel(reads).fold().width);
        let all = tile().get().cast(Scalar::U32);
        vec![("BLOCK", threads().get()), ("UNITS", units().get()), ("ROW", row), ("TILE", all)]
    }
}

/// Returns the items of a warp of the association: the next one is absent unless there are more.
pub(super) fn items_of_warp(program: &Program, reads: Reads) -> Expr {
    let fold = program.kernel(reads).fold();
    match (reads, fold.arrangement) {
        (Reads::Partials, _) => Program::WARP.into(),
        (Reads::Inputs, Arrangement::Striped) => (fold.width * Program::WARP).into(),
        (Reads::Inputs, Arrangement::Blocked) => units().get().times(fold.width * Program::WARP),
    }
}

/// Returns the quotient, rounded up.
pub(super) fn rounded_up(items: Expr, each: &Expr) -> Expr {
    items.plus(each.clone().bin(Bin::Sub, 1)).over(each.clone())
}
