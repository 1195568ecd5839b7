//! The kernel over the segments that wait for a block.
//!
//! A block has fewer threads than some associations. So each warp evaluates several warps of the association, one after the other, and
//! leaves the accumulator of each in shared memory.

use super::locals::{entry, first_segment, group, turn, warp};
use super::moved::Moved;
use super::scan::{WAITING, of_entry};
use super::tier::{items_of_warp, rounded_up, threads, tile};
use super::{Draft, lowering, number, wide, without_notes};
use crate::lower::Lowerer;
use crate::lower::locals::{count, first};
use crate::lower::place::lane;
use crate::segments::Segmented;
use reduce_ir::Scalar;
use reduce_ir::ops::Bin;
use reduce_ir::program::{Combine, Lowering, Medium, Program, Reads, Scope, Step, Tree};
use reduce_ir::statements::{Barrier, Buffer, Expr, Local, Loop, LoweredKernel, Shared, Stmt, Ty, Unroll};

/// The accumulators of the warps of an association.
const WARP_VALUES: &str = "warp_values";

/// Returns the kernel. A block looks at a few tiles.
pub(super) fn kernel(program: &Segmented) -> LoweredKernel {
    let mut draft = Draft::new(program);
    draft.constant("TILES", Segmented::TILES, "tiles of a block");
    draft.constant(
        WAITING,
        program.waiting(),
        "words of a tile for its number of segments that wait, and for these",
    );
    draft.body.push(Stmt::Let(warp(), Expr::Thread.over(Program::WARP)));
    draft.body.push(Stmt::Let(lane(), Expr::Thread.bin(Bin::Rem, Program::WARP)));
    draft.each_tile();
    draft.finish(Segmented::KERNELS[2], Reads::Inputs)
}

impl Draft<'_> {
    /// Reduces the segments that wait in each tile of the block.
    fn each_tile(&mut self) {
        self.note(
            "the segments of each tile that wait, and those parts of even longer ones that begin in the tile",
        );
        let (at, number_of) = (Local::new("of_block", Ty::U32), Local::new("number_of_waiting", Ty::U32));
        let first = Expr::Block.cast(Scalar::U64).times(wide("TILES"));
        let tiles = Expr::Items.bin(Bin::Add, Expr::Groups).over(wide("TILE_SIZE"));
        let of_tile = Local::new("from_tile", Ty::U64);
        let segment = self.each_waiting(&number_of);
        let most = Expr::Named(WAITING).bin(Bin::Sub, 1);
        let body = vec![
            Stmt::Load(of_tile.clone(), Buffer::Tiles.at(tile_of_grid().get())),
            Stmt::Load(Local::new("waiting_count", Ty::U32), Buffer::Waiting.at(first_waiting())),
            Stmt::Let(first_segment(), of_tile.get().bin(Bin::Min, Expr::Groups)),
            Stmt::Let(number_of, Local::new("waiting_count", Ty::U32).get().bin(Bin::Min, most)),
            Stmt::when(
                Expr::Thread.equals(0),
                vec![Stmt::Store(Buffer::LongSegments.at(tile_of_grid().get()), number(0))],
            ),
            segment,
        ];
        let exists = super::at_most(tile_of_grid().get(), tiles);
        let number_of_tile = first.bin(Bin::Add, at.get().cast(Scalar::U64));
        self.body.push(Stmt::For(Box::new(Loop {
            from: 0.into(),
            test: at.get().below(Expr::Named("TILES")),
            next: at.get().plus(1),
            unroll: Unroll::Unsaid,
            body: vec![Stmt::Let(tile_of_grid(), number_of_tile), Stmt::when(exists, body)],
            local: at,
        })));
    }

    /// Returns the loop over the segments that wait in a tile.
    fn each_waiting(&mut self, count: &Local) -> Stmt {
        let place = first_waiting().bin(Bin::Add, number(1)).bin(Bin::Add, turn().get().cast(Scalar::U64));
        let mut body =
            vec![Stmt::Load(entry(), Buffer::Waiting.at(place)), Stmt::Let(group(), of_entry(entry().get()))];
        body.extend(self.bounds());
        body.extend(self.column());
        body.extend(self.origin());
        body.extend(self.parts());
        Stmt::For(Box::new(Loop {
            from: 0.into(),
            test: turn().get().below(count.get()),
            next: turn().get().plus(1),
            unroll: Unroll::Unsaid,
            body,
            local: turn(),
        }))
    }

    /// Returns the statements for those tiles of a segment that begin in the tile of the grid: all of them if it has one.
    fn parts(&mut self) -> Vec<Stmt> {
        let lengths = self.lengths_of_block();
        let mut body = self.tier(Reads::Inputs, lengths);
        let [path, skipped, from, to] =
            ["path", "skipped", "from", "to"].map(|name| Local::new(name, Ty::U64));
        let opens = tile_of_grid().get().times(wide("TILE_SIZE"));
        let closes = opens.clone().bin(Bin::Add, wide("TILE_SIZE"));
        let after = |end: Expr| end.bin(Bin::Max, path.get()).bin(Bin::Sub, path.get());
        // The place of its second element, were its first one at the end of the place of the segment.
        let second = self.bounds.origin().bin(Bin::Add, group().get()).bin(Bin::Add, number(1));
        let whole = skipped.get().bin(Bin::Sub, skipped.get().bin(Bin::Rem, tile().get()));
        body.extend([
            Stmt::Let(path.clone(), second),
            Stmt::Let(skipped.clone(), after(opens).bin(Bin::Add, tile().get()).bin(Bin::Sub, number(1))),
            Stmt::Let(from.clone(), entry().get().equals(0).select(whole, number(0))),
            Stmt::Let(to.clone(), after(closes).bin(Bin::Max, number(1)).bin(Bin::Min, self.length())),
        ]);
        let part = self.part();
        body.push(Stmt::For(Box::new(Loop {
            from: from.get(),
            test: first().get().below(to.get()),
            next: first().get().bin(Bin::Add, tile().get()),
            unroll: Unroll::Unsaid,
            body: part,
            local: first(),
        })));
        body
    }

    /// Returns the lengths of the segments that blocks reduce.
    fn lengths_of_block(&self) -> (u64, u64) {
        (self.program.longest_short().unwrap_or(0) + 1, u64::MAX)
    }

    /// Returns the statements of a block for one tile of a segment, which begins at its position `first`.
    fn part(&mut self) -> Vec<Stmt> {
        let left = self.length().bin(Bin::Sub, first().get());
        let mut body = vec![Stmt::Let(count(), left.bin(Bin::Min, tile().get()).cast(Scalar::U32))];
        body.extend(self.folds(self.lengths_of_block()));
        let program = self.program.blocks[0].clone();
        let result = self.store_result(&program, Reads::Inputs);
        let place = self.first_partial().bin(Bin::Add, first().get().over(tile().get()));
        let mark = Buffer::LongSegments.at(tile_of_grid().get());
        let mark = Stmt::Store(mark, group().get().bin(Bin::Add, number(1)));
        let partial = vec![
            Stmt::Store(Buffer::Partials.at(place), total().get()),
            Stmt::when(first().get().equals(number(0)), vec![mark]),
        ];
        let is_alone = super::at_most(self.length(), tile().get());
        let deliver = vec![Stmt::If(is_alone, vec![result], partial)];
        body.extend(self.over_warps(&program, Reads::Inputs, count().get(), deliver));
        body
    }

    /// Returns the folds of a tile, by the program of its tier.
    fn folds(&mut self, lengths: (u64, u64)) -> Vec<Stmt> {
        let blocks: Vec<Program> = self.program.blocks.clone();
        let mut folds = Vec::new();
        for (at, program) in blocks.iter().enumerate() {
            let fold = self.by_warps(program, Reads::Inputs, self.moved());
            folds = match at {
                0 => fold,
                _ => vec![Stmt::If(self.is_of(at, lengths), fold, folds)],
            };
        }
        folds
    }

    /// Returns the loop of a warp over the warps of the association. Each leaves its accumulator in shared memory.
    pub(super) fn by_warps(&mut self, program: &Program, reads: Reads, moved: Moved) -> Vec<Stmt> {
        self.declare_values();
        let (logical, of_warp) = (Local::new("logical", Ty::U32), Local::new("logical_warp", Ty::U32));
        let mut of_group = lowering(program, reads);
        of_group.steps_of_warp(reads);
        for it in of_group.constants.iter().filter(|it| it.name == "WIDTH") {
            self.constant(it.name, it.value, &it.note);
        }
        let acc = of_group.acc().get();
        let constants = self.constants_of_tier(program, reads);
        let moved = Moved { thread: Some(logical.get()), constants, ..moved };
        let number = of_warp.get().times(Program::WARP).plus(lane().get());
        let mut body = vec![Stmt::Let(logical, number)];
        body.extend(moved.apply(without_notes(of_group.body)));
        let store = Stmt::Store(Buffer::Shared(WARP_VALUES).at(of_warp.get()), acc);
        body.push(Stmt::when(lane().get().equals(0), vec![store]));
        vec![Stmt::For(Box::new(Loop {
            from: warp().get(),
            test: of_warp.get().below(threads().get().over(Program::WARP)),
            next: of_warp.get().plus(Segmented::BLOCK / Program::WARP),
            unroll: Unroll::Unsaid,
            body,
            local: of_warp,
        }))]
    }

    /// Returns the tree over the warps of the association, in one warp, and `deliver` for its accumulator in the first lane. `present`
    /// is the number of items.
    pub(super) fn over_warps(
        &mut self,
        program: &Program,
        reads: Reads,
        present: Expr,
        deliver: Vec<Stmt>,
    ) -> Vec<Stmt> {
        let tree = if self.program.operation.commutative { Tree::Halving } else { Tree::Pairs };
        let combine = Combine {
            scope: Scope::Block,
            items: self.most_warps(),
            tree,
            medium: Medium::Shuffle,
            lowering: Lowering::Unrolled,
            last_warp: false,
        };
        let (warps, value) = (Local::new("warps_present", Ty::U32), Local::new("warp_value", Ty::Acc));
        let mut of_group = lowering(program, reads);
        of_group.lanes = vec![total()];
        of_group.shuffle_tree(combine, warps.get());
        let started = rounded_up(present, &items_of_warp(program, reads));
        let load = Stmt::Load(value.clone(), Buffer::Shared(WARP_VALUES).at(lane().get()));
        let mut inside = vec![
            Stmt::Var(total(), Expr::Empty),
            Stmt::Let(warps.clone(), started.bin(Bin::Min, threads().get().over(Program::WARP))),
            Stmt::when(lane().get().below(warps.get()), vec![load, Stmt::Set(total(), value.get())]),
        ];
        inside.extend(Moved { thread: Some(lane().get()), ..self.moved() }.apply(of_group.body));
        inside.push(Stmt::when(lane().get().equals(0), deliver));
        vec![
            Stmt::Barrier(Barrier::Block),
            Stmt::when(warp().get().equals(0), inside),
            Stmt::Barrier(Barrier::Block),
        ]
    }

    /// Returns the statement that stores the result of the accumulator of all warps.
    pub(super) fn store_result(&self, program: &Program, reads: Reads) -> Stmt {
        let result = lowering(program, reads).finished(total().get());
        Stmt::Store(Buffer::Result.at(group().get()), self.moved().apply_to(result))
    }

    /// Returns the place of the first partial of a segment.
    pub(super) fn first_partial(&self) -> Expr {
        self.bounds.origin().over(number(self.program.slot().into())).times(number(2))
    }

    fn most_warps(&self) -> u32 {
        let threads = self.program.tiers.iter().map(|tier| tier.threads).max();
        (threads.unwrap_or(Program::WARP) / Program::WARP).max(2)
    }

    fn declare_values(&mut self) {
        self.constant("MOST_WARPS", self.most_warps(), "the most warps of an association");
        if self.shared.is_empty() {
            self.shared.push(Shared { name: WARP_VALUES, len: "MOST_WARPS", sent: false });
        }
    }
}

impl Lowerer<'_> {
    /// Lowers the steps up to the accumulator of each warp.
    fn steps_of_warp(&mut self, reads: Reads) {
        let (kernel, fold) = (self.kernel, self.kernel.fold());
        if fold.width > 1 {
            self.constant("WIDTH", fold.width, format!("vectorize({}): elements of a load unit", fold.width));
        }
        if reads == Reads::Partials {
            self.threads_with_items();
        }
        let of_warp = |step: &&Step| match step {
            Step::Fold(_) => true,
            Step::Combine(combine) => matches!(combine.scope, Scope::Thread | Scope::Warp),
            Step::Keep | Step::Exchange(_) => false,
        };
        kernel.steps.iter().filter(of_warp).for_each(|step| self.step(step));
    }
}

/// The number of a tile of the grid, `u64`.
fn tile_of_grid() -> Local {
    Local::new("tile_of_grid", Ty::U64)
}

/// Returns the place of the number of segments that wait in a tile.
fn first_waiting() -> Expr {
    tile_of_grid().get().times(wide(WAITING))
}

/// The accumulator of all warps.
pub(super) fn total() -> Local {
    Local::new("total", Ty::Acc)
}
