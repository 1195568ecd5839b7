//! The kernel over segments: its tile, and the segments that a whole block reduces.
//!
//! A block has fewer threads than some associations. So each warp evaluates several warps of the association, one after the other, and
//! leaves the accumulator of each in shared memory.

use super::locals::{begin, count_of, first_segment, group, last_segment, length, turn, warp};
use super::moved::Moved;
use super::short::{FOR_BLOCK, listed, without_notes};
use super::{Draft, lowering, number, wide};
use crate::lower::Lowerer;
use crate::lower::locals::{count, first};
use crate::lower::place::lane;
use crate::segments::{Segmented, Tier};
use reduce_ir::Scalar;
use reduce_ir::ops::Bin;
use reduce_ir::program::{Arrangement, Combine, Lowering, Medium, Program, Reads, Scope, Step, Tree};
use reduce_ir::statements::{
    Barrier, Buffer, Expr, Local, Loop, LoweredKernel, Place, Shared, Stmt, Ty, Unroll,
};

const WARP_VALUES: &str = "warp_values";

/// Returns the kernel.
pub(super) fn kernel(program: &Segmented) -> LoweredKernel {
    let mut draft = Draft::new(program);
    draft.place_of_tile();
    let lists = draft.declare_lists();
    draft.scan(&lists);
    draft.by_teams(&lists);
    draft.by_block();
    draft.finish("reduce_segments", Reads::Inputs)
}

impl Draft<'_> {
    /// Names the segments that begin in the tile of the block.
    fn place_of_tile(&mut self) {
        self.note("the segments that begin in the tile of this block");
        let [from, to] = ["from_tile", "to_tile"].map(|name| Local::new(name, Ty::U64));
        let at = Expr::Block.cast(Scalar::U64);
        let next = at.clone().bin(Bin::Add, number(1));
        let load = |local: &Local, at: Expr| Stmt::Load(local.clone(), Buffer::Tiles.at(at));
        let bounded = |local: &Local| local.get().bin(Bin::Min, Expr::Groups);
        self.body.extend([
            load(&from, at.clone()),
            load(&to, next),
            Stmt::Let(first_segment(), bounded(&from)),
            Stmt::Let(last_segment(), bounded(&to)),
            Stmt::Let(warp(), Expr::Thread.over(Program::WARP)),
            Stmt::when(Expr::Thread.equals(0), vec![Stmt::Store(Buffer::LongSegments.at(at), number(0))]),
        ]);
    }

    /// Reduces the segments on the list of the block. Before them, the parts of an earlier segment that begin in this tile.
    fn by_block(&mut self) {
        self.note(
            "the block reduces longer segments, and the parts of even longer ones that begin in this tile",
        );
        let entry = Local::new("entry", Ty::U32);
        let place = Place { buffer: Buffer::List(FOR_BLOCK), index: turn().get(), rank: None };
        let mut body = vec![Stmt::Load(entry.clone(), place), Stmt::Let(group(), listed(&entry))];
        body.extend(self.bounds());
        body.extend(self.parts());
        self.body.push(Stmt::Length(count_of(FOR_BLOCK), FOR_BLOCK));
        self.body.push(Stmt::Let(lane(), Expr::Thread.bin(Bin::Rem, Program::WARP)));
        self.body.push(Stmt::For(Box::new(Loop {
            from: 0.into(),
            test: turn().get().below(count_of(FOR_BLOCK).get()),
            next: turn().get().plus(1),
            unroll: Unroll::Unsaid,
            body,
            local: turn(),
        })));
    }

    /// Returns the statements for those tiles of a segment that begin in the tile of the grid: all of them if it has one.
    fn parts(&mut self) -> Vec<Stmt> {
        let mut body = self.tier();
        let size = || wide("TILE_SIZE");
        let tile = || Local::new("tile", Ty::U64).get();
        let (path, from, to) =
            (Local::new("path", Ty::U64), Local::new("from", Ty::U64), Local::new("to", Ty::U64));
        let opens = Expr::Block.cast(Scalar::U64).times(size());
        let closes = opens.clone().bin(Bin::Add, size());
        let after = |end: Expr| end.bin(Bin::Max, path.get()).bin(Bin::Sub, path.get());
        // The place of its second element, were its first one at the end of the place of the segment.
        let second = begin().get().bin(Bin::Add, group().get()).bin(Bin::Add, number(1));
        let skipped = Local::new("skipped", Ty::U64);
        let rounded = after(opens).bin(Bin::Add, tile()).bin(Bin::Sub, number(1));
        let is_earlier = group().get().below(first_segment().get());
        let whole = skipped.get().bin(Bin::Sub, skipped.get().bin(Bin::Rem, tile()));
        let most = after(closes).bin(Bin::Max, number(1)).bin(Bin::Min, length().get());
        body.extend([
            Stmt::Let(path.clone(), second),
            Stmt::Let(skipped.clone(), rounded),
            Stmt::Let(from.clone(), is_earlier.select(whole, number(0))),
            Stmt::Let(to.clone(), most),
        ]);
        let each = self.part();
        body.push(Stmt::For(Box::new(Loop {
            from: from.get(),
            test: first().get().below(to.get()),
            next: first().get().bin(Bin::Add, tile()),
            unroll: Unroll::Unsaid,
            body: each,
            local: first(),
        })));
        body
    }

    /// Names the numbers of the tier of a segment: `threads`, `units` and the elements of a `tile`.
    pub(super) fn tier(&self) -> Vec<Stmt> {
        let tile = self.chosen(|tier| tier.tile);
        vec![
            Stmt::Let(threads(), self.chosen(|tier| tier.threads)),
            Stmt::Let(units(), self.chosen(|tier| tier.units)),
            Stmt::Let(Local::new("tile", Ty::U64), tile.cast(Scalar::U64)),
        ]
    }

    /// Returns a number of the tier of a segment, by its length.
    fn chosen(&self, number_of: impl Fn(&Tier) -> u32) -> Expr {
        let mut tiers: Vec<_> = self.program.tiers.iter().map(|tier| (tier.up_to, number_of(tier))).collect();
        let last = tiers.pop().map_or(1, |(_, value)| value);
        let mut value = Expr::from(last);
        let mut next = last;
        for (up_to, of_tier) in tiers.into_iter().rev() {
            if let Some(up_to) = up_to.filter(|_| of_tier != next) {
                value = super::at_most(length().get(), number(up_to)).select(of_tier, value);
            }
            next = of_tier;
        }
        value
    }

    /// Returns the statements for one tile of a segment, which begins at its position `first`.
    fn part(&mut self) -> Vec<Stmt> {
        let left = length().get().bin(Bin::Sub, first().get());
        let tile = Local::new("tile", Ty::U64).get();
        let mut body = vec![Stmt::Let(count(), left.bin(Bin::Min, tile.clone()).cast(Scalar::U32))];
        let blocks: Vec<Program> = self.program.blocks.clone();
        let mut folds = Vec::new();
        for (at, program) in blocks.iter().enumerate() {
            let fold = self.by_warps(program, Reads::Inputs, Moved::new(length().get()));
            let some = (at > 0).then(|| self.is_of(at));
            folds = match some {
                None => fold,
                Some(is) => vec![Stmt::If(is, fold, folds)],
            };
        }
        body.extend(folds);
        body.push(Stmt::Barrier(Barrier::Block));
        let result = self.finished(&blocks[0], Reads::Inputs);
        let mut deliver = Vec::new();
        let place = slot(self.program.slot()).bin(Bin::Add, first().get().over(tile.clone()));
        let is_alone = super::at_most(length().get(), tile);
        let long = vec![
            Stmt::Store(Buffer::Partials.at(place), total().get()),
            Stmt::when(
                first().get().equals(number(0)),
                vec![Stmt::Store(
                    Buffer::LongSegments.at(Expr::Block.cast(Scalar::U64)),
                    group().get().bin(Bin::Add, number(1)),
                )],
            ),
        ];
        deliver.push(Stmt::If(is_alone, vec![Stmt::Store(Buffer::Result.at(group().get()), result)], long));
        body.extend(self.over_warps(&blocks[0], Reads::Inputs, count().get(), deliver));
        body
    }

    /// Returns the condition that the tier of a segment has that program.
    fn is_of(&self, program: usize) -> Expr {
        self.chosen(|tier| u32::from(tier.program == program)).equals(1)
    }

    /// Returns the loop of a warp over the warps of the association. Each leaves its accumulator in shared memory.
    pub(super) fn by_warps(&mut self, program: &Program, reads: Reads, moved: Moved) -> Vec<Stmt> {
        self.declare_values();
        let warps = threads().get().over(Program::WARP);
        let mine = Local::new("logical", Ty::U32);
        let (of_warp, lane_of_warp) = (Local::new("logical_warp", Ty::U32), lane());
        let mut of_group = lowering(program, reads);
        of_group.steps_of_warp(reads);
        self.declare_of_block(&of_group);
        let acc = of_group.acc().get();
        let row = threads().get().times(program.kernel(reads).fold().width);
        let constants = vec![
            ("BLOCK", threads().get()),
            ("UNITS", units().get()),
            ("ROW", row),
            ("TILE", Local::new("tile", Ty::U64).get().cast(Scalar::U32)),
        ];
        let moved = Moved { thread: Some(mine.get()), constants, ..moved };
        let mut body =
            vec![Stmt::Let(mine.clone(), of_warp.get().times(Program::WARP).plus(lane_of_warp.get()))];
        body.extend(moved.apply(without_notes(of_group.body)));
        let store = Stmt::Store(Buffer::Shared(WARP_VALUES).at(of_warp.get()), acc);
        body.push(Stmt::when(lane_of_warp.get().equals(0), vec![store]));
        vec![Stmt::For(Box::new(Loop {
            from: warp().get(),
            test: of_warp.get().below(warps),
            next: of_warp.get().plus(Segmented::BLOCK / Program::WARP),
            unroll: Unroll::Unsaid,
            body,
            local: of_warp,
        }))]
    }

    /// Returns the tree over the warps of the association, in the first warp, and `deliver` for its accumulator in thread 0.
    pub(super) fn over_warps(
        &mut self,
        program: &Program,
        reads: Reads,
        present: Expr,
        deliver: Vec<Stmt>,
    ) -> Vec<Stmt> {
        let most = self.most_warps();
        let tree = if self.program.operation.commutative { Tree::Halving } else { Tree::Pairs };
        let combine = Combine {
            scope: Scope::Block,
            items: most,
            tree,
            medium: Medium::Shuffle,
            lowering: Lowering::Unrolled,
            last_warp: false,
        };
        let warps = threads().get().over(Program::WARP);
        let present_warps = Local::new("warps_present", Ty::U32);
        let value = Local::new("warp_value", Ty::Acc);
        let mut of_group = lowering(program, reads);
        of_group.lanes = vec![total()];
        of_group.shuffle_tree(combine, present_warps.get());
        let each = items_of_warp(program, reads);
        let started = present.plus(each.clone().bin(Bin::Sub, 1)).over(each);
        let take = vec![
            Stmt::Load(value.clone(), Buffer::Shared(WARP_VALUES).at(Expr::Thread)),
            Stmt::Set(total(), value.get()),
        ];
        let mut inside = vec![
            Stmt::Var(total(), Expr::Empty),
            Stmt::Let(present_warps.clone(), started.bin(Bin::Min, warps)),
            Stmt::when(Expr::Thread.below(present_warps.get()), take),
        ];
        inside.extend(of_group.body);
        inside.push(Stmt::when(Expr::Thread.equals(0), deliver));
        vec![Stmt::when(warp().get().equals(0), inside), Stmt::Barrier(Barrier::Block)]
    }

    /// Returns the result of the accumulator of all warps.
    pub(super) fn finished(&self, program: &Program, reads: Reads) -> Expr {
        let result = lowering(program, reads).finished(total().get());
        Moved::new(length().get()).apply_to(result)
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

    /// Takes over the constants of a block that no tier decides.
    fn declare_of_block(&mut self, lowering: &Lowerer<'_>) {
        for it in lowering.constants.iter().filter(|it| it.name == "WIDTH") {
            self.constant(it.name, it.value, &it.note);
        }
    }
}

impl Lowerer<'_> {
    /// Lowers the steps up to the accumulator of each warp.
    fn steps_of_warp(&mut self, reads: Reads) {
        let fold = self.kernel.fold();
        if fold.width > 1 {
            self.constant("WIDTH", fold.width, format!("vectorize({}): elements of a load unit", fold.width));
        }
        if reads == Reads::Partials {
            self.threads_with_items();
        }
        let kernel = self.kernel;
        let of_warp = |step: &&Step| match step {
            Step::Fold(_) => true,
            Step::Combine(combine) => matches!(combine.scope, Scope::Thread | Scope::Warp),
            Step::Keep | Step::Exchange(_) => false,
        };
        kernel.steps.iter().filter(of_warp).for_each(|step| self.step(step));
    }
}

/// Returns the items of a warp of the association, before which the warp is absent: those that lie before the first item of the next.
fn items_of_warp(program: &Program, reads: Reads) -> Expr {
    let fold = program.kernel(reads).fold();
    let of_thread = match (reads, fold.arrangement) {
        (Reads::Partials, _) => Expr::from(1),
        (Reads::Inputs, Arrangement::Striped) => Expr::from(fold.width),
        (Reads::Inputs, Arrangement::Blocked) => units().get().times(fold.width),
    };
    of_thread.times(Program::WARP)
}

/// Returns the place of the first partial of a segment.
pub(super) fn slot(least: u32) -> Expr {
    begin().get().over(number(least.into())).times(number(2))
}

/// The threads of the association, `u32`.
pub(super) fn threads() -> Local {
    Local::new("threads", Ty::U32)
}

/// The load units of each, `u32`.
fn units() -> Local {
    Local::new("units", Ty::U32)
}

/// The accumulator of all warps.
pub(super) fn total() -> Local {
    Local::new("total", Ty::Acc)
}
