//! Folds the elements of many groups.

use super::Accumulator;
use crate::{Groups, LaneError, Lanes, LanesRef, NARROW, Prefetch, SegmentSum, Summed, Term, append_lanes};
use reduce_ir::ops::Bin;

impl Accumulator {
    /// Sums the terms of groups, and appends their items to every field of `out`. `acc` is overwritten.
    ///
    /// # Errors
    /// As [`Accumulator::sum`].
    pub fn sum_groups<'a>(
        &self,
        how: Summed,
        groups: Groups,
        right: impl Fn(usize) -> LanesRef<'a>,
        [acc, out]: [&mut [Lanes]; 2],
    ) -> Result<(), LaneError> {
        for (k, (acc, out)) in acc.iter_mut().zip(out).enumerate() {
            let (Some(term), Some(fused)) = (self.term(k), self.fused()) else {
                return crate::bug("sum", &[out.borrow()]);
            };
            let term = term.map(|id| right(id.0 as usize - self.next.len()));
            (fused.sum_groups)(term, how, groups, [acc, out])?;
        }
        Ok(())
    }

    /// Whether [`Accumulator::sum_segments`] can compute every field: a float sum of the elements themselves.
    pub fn sums_segments(&self) -> bool {
        self.is_sum() && (0..self.next.len()).all(|k| matches!(self.term(k), Some(Term::Itself(_))))
    }

    /// Appends the sum of each segment to every field of `out`. `acc` is overwritten.
    ///
    /// # Errors
    /// The types of the lanes differ from those of the parameters, or the fields are [others](Accumulator::sums_segments).
    pub fn sum_segments<'a>(
        &self,
        (offsets, sums): (&[usize], &[SegmentSum]),
        right: impl Fn(usize) -> LanesRef<'a>,
        [acc, out]: [&mut [Lanes]; 2],
    ) -> Result<(), LaneError> {
        for (k, (acc, out)) in acc.iter_mut().zip(out).enumerate() {
            let (Some(Term::Itself(id)), Some(fused)) = (self.term(k), self.fused()) else {
                return crate::bug("sum", &[out.borrow()]);
            };
            (fused.sum_segments)(
                right(id.0 as usize - self.next.len()),
                offsets,
                sums,
                [acc, out],
                Some(Prefetch::Sequential),
            )?;
        }
        Ok(())
    }

    /// Updates every field of `acc` with rows of [plain](Accumulator::is_plain) parameters that lie `pitch` apart, each as long as
    /// `acc`.
    ///
    /// # Errors
    /// The types of the lanes differ from those of the parameters.
    pub fn fold_columns<'a>(
        &self,
        acc: &mut [Lanes],
        right: impl Fn(usize) -> LanesRef<'a>,
        pitch: usize,
    ) -> Result<(), LaneError> {
        for (k, (acc, op)) in acc.iter_mut().zip(self.in_place.iter().flatten()).enumerate() {
            let from = right(self.plain(k));
            match self.fused() {
                Some(fused) => (fused.fold_columns)(*op, acc, from, pitch)?,
                None => self.fold_rows(*op, acc, from, pitch)?,
            }
        }
        Ok(())
    }

    fn fold_rows(&self, op: Bin, acc: &mut Lanes, from: LanesRef<'_>, pitch: usize) -> Result<(), LaneError> {
        let len = acc.len();
        (0..from.len()).step_by(pitch).try_for_each(|start| {
            let row = from.slice(start..start + len);
            (self.right.loops.accumulate)(op, acc, row, None)
        })
    }

    /// Appends to every field of `out` the [`NARROW`](crate::NARROW) lanes into which each `len` consecutive
    /// [plain](Accumulator::is_plain) parameters are folded. `acc` is overwritten.
    ///
    /// # Errors
    /// The types of the lanes differ from those of the parameters.
    pub fn fold_each<'a>(
        &self,
        len: usize,
        right: impl Fn(usize) -> LanesRef<'a>,
        [acc, out]: [&mut [Lanes]; 2],
    ) -> Result<(), LaneError> {
        for (k, (acc, out)) in acc.iter_mut().zip(out).enumerate() {
            let Some(op) = self.in_place[k] else { return crate::bug("fold", &[acc.borrow()]) };
            let from = right(self.plain(k));
            acc.resize(NARROW);
            for start in (0..from.len()).step_by(len) {
                self.fold_one(op, from.slice(start..start + len), acc)?;
                append_lanes(acc.borrow(), NARROW, out);
            }
        }
        Ok(())
    }

    /// Sets `acc` to the lanes into which elements are folded.
    fn fold_one(&self, op: Bin, elements: LanesRef<'_>, acc: &mut Lanes) -> Result<(), LaneError> {
        let first = elements.slice(0..NARROW);
        if first.ty() == acc.ty() {
            acc.clear();
            append_lanes(first, NARROW, acc);
        } else {
            crate::cast(first, acc)?;
        }
        (self.right.loops.accumulate)(op, acc, elements.slice(NARROW..elements.len()), self.prefetch)
    }
}
