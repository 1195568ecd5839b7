//! The kernel that combines the partials of segments that have several.

use super::block::{Meeting, warps_present};
use super::locals::{count_of, group, turn, warp};
use super::moved::Moved;
use super::tier::tile;
use super::{Draft, number, wide};
use crate::lower::place::lane;
use crate::segments::Segmented;
use reduce_ir::Scalar;
use reduce_ir::ops::Bin;
use reduce_ir::program::{Program, Reads};
use reduce_ir::statements::{Barrier, Buffer, Expr, Local, Loop, LoweredKernel, Place, Stmt, Ty, Unroll};

const LIST: &str = "tiles_with_one";

/// Returns the kernel. A block looks at a tile for each of its threads. At most one segment with partials begins in a tile.
pub(super) fn kernel(program: &Segmented) -> LoweredKernel {
    let mut draft = Draft::new(program);
    draft.list(LIST, "MOST_TILES", Segmented::BLOCK);
    draft.find();
    draft.combine();
    draft.finish(Segmented::KERNELS[2], Reads::Partials)
}

impl Draft<'_> {
    /// Lists the tiles in which a segment with partials begins.
    fn find(&mut self) {
        self.note("the tiles of this block in which a segment with partials begins");
        let (tile, mark) = (Local::new("tile_of_thread", Ty::U64), Local::new("mark", Ty::U64));
        let block = Expr::Block.cast(Scalar::U64).times(wide("THREADS"));
        let tiles = Expr::Items.bin(Bin::Add, Expr::Groups).over(wide("TILE_SIZE"));
        let append = Stmt::when(number(0).below(mark.get()), vec![Stmt::Append(LIST, Expr::Thread)]);
        let load = Stmt::Load(mark, Buffer::LongSegments.at(tile.get()));
        self.body.extend([
            Stmt::when(Expr::Thread.equals(0), vec![Stmt::Clear(LIST)]),
            Stmt::Barrier(Barrier::Block),
            Stmt::Let(tile.clone(), block.bin(Bin::Add, Expr::Thread.cast(Scalar::U64))),
            Stmt::when(super::at_most(tile.get(), tiles), vec![load, append]),
            Stmt::Barrier(Barrier::Block),
        ]);
    }

    /// Combines the partials of each segment.
    fn combine(&mut self) {
        self.note("the block combines the partials of each of these segments");
        let program: &Program = self.program.of_partials();
        let (distance, mark) = (Local::new("distance", Ty::U32), Local::new("marked", Ty::U64));
        let place = Place { buffer: Buffer::List(LIST), index: turn().get(), rank: None };
        let at = Expr::Block.cast(Scalar::U64).times(wide("THREADS"));
        let at = at.bin(Bin::Add, distance.get().cast(Scalar::U64));
        let last = Expr::Groups.bin(Bin::Sub, number(1));
        let numbered = mark.get().bin(Bin::Max, number(1)).bin(Bin::Sub, number(1)).bin(Bin::Min, last);
        let mut body = vec![
            Stmt::Load(distance, place),
            Stmt::Load(mark, Buffer::LongSegments.at(at)),
            Stmt::Let(group(), numbered),
        ];
        body.extend(self.bounds());
        body.extend(self.column());
        body.extend(self.origin());
        body.extend(self.tier(Reads::Partials, (self.program.longest_tile() + 1, u64::MAX)));
        let parts = Local::new("parts", Ty::U64);
        let rounded = self.length().bin(Bin::Add, tile().get()).bin(Bin::Sub, number(1)).over(tile().get());
        body.push(Stmt::Let(parts.clone(), rounded));
        let partials = self.first_partial();
        let moved = Moved { partials, ..Moved::new(self.bounds, parts.get()) };
        let present = parts.get().bin(Bin::Min, number(1 << 20)).cast(Scalar::U32);
        body.push(warps_present(program, Reads::Partials, present));
        body.extend(self.by_warps(program, Reads::Partials, moved, &Meeting::of_block()));
        let deliver = vec![self.store_result(program, Reads::Partials)];
        body.extend(self.over_warps(program, Reads::Partials, &Meeting::of_block(), deliver));
        self.body.push(Stmt::Length(count_of(LIST), LIST));
        self.body.push(Stmt::Let(warp(), Expr::Thread.over(Program::WARP)));
        self.body.push(Stmt::Let(lane(), Expr::Thread.bin(Bin::Rem, Program::WARP)));
        self.body.push(Stmt::For(Box::new(Loop {
            from: 0.into(),
            test: turn().get().below(count_of(LIST).get()),
            next: turn().get().plus(1),
            unroll: Unroll::Unsaid,
            body,
            local: turn(),
        })));
    }
}
