//! Segments that a warp reduces, although their associations have several warps: it evaluates these one after the other.

use super::block::{Meeting, warps_present};
use super::locals::{count_of, entry, group, turn, warp};
use super::scan::{FOR_WIDE, of_entry};
use super::{Draft, number};
use crate::lower::locals::{count, first};
use crate::segments::Segmented;
use reduce_ir::Scalar;
use reduce_ir::ops::Bin;
use reduce_ir::program::{Program, Reads};
use reduce_ir::statements::{Buffer, Loop, Place, Stmt, Unroll};

impl Draft<'_> {
    /// Reduces the segments of the list, each by one warp.
    pub(super) fn wide_segments(&mut self) {
        let Some(most) = self.program.longest_wide() else { return };
        self.note(format!("a warp for each segment of up to {most} elements"));
        let least = self.program.longest_short().unwrap_or(0) + 1;
        let (meeting, program) = (Meeting::of_warp(), self.program.blocks[0].clone());
        let place = Place { buffer: Buffer::List(FOR_WIDE), index: turn().get(), rank: None };
        let mut body = vec![Stmt::Load(entry(), place), Stmt::Let(group(), of_entry(entry().get()))];
        body.extend(self.bounds());
        body.push(self.threads_of((least, most)));
        let length = self.bounds.wide(self.bounds.length().get());
        let items = length.bin(Bin::Min, number(most)).cast(Scalar::U32);
        body.push(Stmt::Let(first(), number(0)));
        body.push(Stmt::Let(count(), items));
        body.push(warps_present(&program, Reads::Inputs, count().get()));
        body.extend(self.folds((least, most), &meeting));
        let result = self.store_result(&program, Reads::Inputs);
        body.extend(self.over_warps(&program, Reads::Inputs, &meeting, vec![result]));
        self.body.push(Stmt::For(Box::new(Loop {
            from: warp().get(),
            test: turn().get().below(count_of(FOR_WIDE).get()),
            next: turn().get().plus(Segmented::BLOCK / Program::WARP),
            unroll: Unroll::Unsaid,
            body,
            local: turn(),
        })));
    }
}
