//! The kernel that cuts segments and elements into tiles.

use super::locals::group;
use super::{Draft, at_most, number, wide};
use crate::segments::Segmented;
use reduce_ir::Scalar;
use reduce_ir::ops::Bin;
use reduce_ir::program::Reads;
use reduce_ir::statements::{Buffer, Expr, Local, Loop, LoweredKernel, Stmt, Ty, Unroll};

/// The most segments, as a power of two.
pub(super) const MOST: u64 = 1 << 31;

/// Returns the kernel. A thread searches the first segment of a tile: the number of segments `s` with
/// `offsets[s] + s < tile * TILE_SIZE`. Floods of empty segments spread over tiles, too.
pub(super) fn kernel(program: &Segmented) -> LoweredKernel {
    let mut draft = Draft::new(program);
    let (tile, target) = (Local::new("tile", Ty::U64), Local::new("target", Ty::U64));
    let mine =
        Expr::Block.cast(Scalar::U64).times(wide("THREADS")).bin(Bin::Add, Expr::Thread.cast(Scalar::U64));
    draft.note("the first segment that begins in each tile");
    draft.body.push(Stmt::Let(tile.clone(), mine));
    draft.body.push(Stmt::Let(target.clone(), tile.get().times(wide("TILE_SIZE"))));
    let (found, step) = (Local::new("found", Ty::U64), Local::new("step", Ty::U64));
    let (probe, offset) = (Local::new("probe", Ty::U64), draft.bounds.own_offset());
    let before = probe.get().bin(Bin::Sub, number(1));
    let (mut forward, origin) = if program.has_columns() {
        let of_column = [Stmt::Let(group(), before.clone())].into_iter().chain(draft.bounds());
        (of_column.chain(draft.column()).chain(draft.origin()).collect(), draft.bounds.origin())
    } else {
        let load = Stmt::Load(offset.clone(), Buffer::Offsets(program.offsets).at(before.clone()));
        (vec![load], draft.bounds.wide(offset.get()).bin(Bin::Min, Expr::Items))
    };
    let is_before = origin.bin(Bin::Add, before).below(target.get());
    forward.push(Stmt::when(is_before, vec![Stmt::Set(found.clone(), probe.get())]));
    let body = vec![
        Stmt::Let(probe.clone(), found.get().bin(Bin::Min, Expr::Groups).bin(Bin::Add, step.get())),
        Stmt::when(at_most(probe.get(), Expr::Groups), forward),
    ];
    draft.body.push(Stmt::Var(found.clone(), number(0)));
    draft.body.push(Stmt::For(Box::new(Loop {
        from: number(MOST),
        test: number(0).below(step.get()),
        next: step.get().over(number(2)),
        unroll: Unroll::Unsaid,
        body,
        local: step,
    })));
    // After the last tile, all segments have begun, whatever the offsets are.
    let last = Expr::Items.bin(Bin::Add, Expr::Groups).over(wide("TILE_SIZE")).bin(Bin::Add, number(1));
    let tiles = Local::new("number_of_tiles", Ty::U64);
    draft.body.push(Stmt::Let(tiles.clone(), last));
    let segment = tile.get().below(tiles.get()).select(found.get(), Expr::Groups);
    let store = vec![Stmt::Store(Buffer::Tiles.at(tile.get()), segment)];
    // A grid for more segments than there are has tiles in which none begins.
    let all = if program.counted {
        Expr::Items.bin(Bin::Add, Expr::Items).over(wide("TILE_SIZE")).bin(Bin::Add, number(1))
    } else {
        tiles.get()
    };
    draft.body.push(Stmt::when(super::at_most(tile.get(), all), store));
    draft.finish(Segmented::KERNELS[0], Reads::Inputs)
}
