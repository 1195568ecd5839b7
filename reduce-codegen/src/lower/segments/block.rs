//! Segments that a block reduces, with its warps side by side.
//!
//! A block has fewer threads than some associations. So each warp evaluates several warps of the association, one after the other, and
//! leaves the accumulator of each in shared memory.

use super::locals::{count_of, entry, group, turn, warp};
use super::moved::Moved;
use super::scan::{FOR_BLOCK, of_entry};
use super::tier::{items_of_warp, rounded_up, threads, tile};
use super::{Draft, lowering, number, wide, without_notes};
use crate::lower::Lowerer;
use crate::lower::across::reads_across;
use crate::lower::locals::{count, first};
use crate::lower::place::lane;
use crate::segments::Segmented;
use reduce_ir::Scalar;
use reduce_ir::ops::Bin;
use reduce_ir::program::{Combine, Lowering, Medium, Program, Reads, Scope, Step, Tree};
use reduce_ir::statements::{Barrier, Buffer, Expr, Local, Loop, Place, Shared, Stmt, Ty, Unroll};

/// The warps of a block.
const WARPS: u32 = Segmented::BLOCK / Program::WARP;

/// Where the warps of an association meet: in shared memory.
pub(super) struct Meeting {
    /// The accumulators of the warps.
    array: &'static str,
    /// The number of warps that evaluate an association together.
    warps: u32,
    barrier: Barrier,
}

impl Meeting {
    /// The warps of the block evaluate an association together.
    pub(super) fn of_block() -> Meeting {
        Meeting { array: "warp_values", warps: WARPS, barrier: Barrier::Block }
    }

    /// Each warp evaluates an association of its own.
    pub(super) fn of_warp() -> Meeting {
        Meeting { array: "values_of_warps", warps: 1, barrier: Barrier::WARP }
    }

    fn is_of_block(&self) -> bool {
        self.warps > 1
    }

    /// Returns the place of the accumulator of a warp of the association.
    fn place(&self, of_warp: Expr) -> Expr {
        if self.is_of_block() { of_warp } else { warp().get().times(Expr::Named("MOST_WARPS")).plus(of_warp) }
    }
}

impl Draft<'_> {
    /// Reduces the segments of the list for blocks: those parts of each that begin in the tile.
    pub(super) fn block_segments(&mut self) {
        self.note("the block reduces the longer segments: those parts of each that begin in the tile");
        let place = Place { buffer: Buffer::List(FOR_BLOCK), index: turn().get(), rank: None };
        let mut body = vec![Stmt::Load(entry(), place), Stmt::Let(group(), of_entry(entry().get()))];
        body.extend(self.bounds());
        body.extend(self.column());
        body.extend(self.origin());
        body.extend(self.parts());
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
        let lengths = self.lengths_of_block();
        let mut body = self.tier(Reads::Inputs, lengths);
        let [path, skipped, from, to] =
            ["path", "skipped", "from", "to"].map(|name| Local::new(name, Ty::U64));
        let opens = Expr::Block.cast(Scalar::U64).times(wide("TILE_SIZE"));
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
        (self.program.longest_of_warp().unwrap_or(0) + 1, u64::MAX)
    }

    /// Returns the statements of a block for one tile of a segment, which begins at its position `first`.
    fn part(&mut self) -> Vec<Stmt> {
        let left = self.length().bin(Bin::Sub, first().get());
        let program = self.program.blocks[0].clone();
        let mut body = vec![Stmt::Let(count(), left.bin(Bin::Min, tile().get()).cast(Scalar::U32))];
        body.push(warps_present(&program, Reads::Inputs, count().get()));
        body.extend(self.folds(self.lengths_of_block(), &Meeting::of_block()));
        let result = self.store_result(&program, Reads::Inputs);
        let place = self.first_partial().bin(Bin::Add, first().get().over(tile().get()));
        let mark = Buffer::LongSegments.at(Expr::Block.cast(Scalar::U64));
        let mark = Stmt::Store(mark, group().get().bin(Bin::Add, number(1)));
        let partial = vec![
            Stmt::Store(Buffer::Partials.at(place), total().get()),
            Stmt::when(first().get().equals(number(0)), vec![mark]),
        ];
        let is_alone = super::at_most(self.length(), tile().get());
        let deliver = vec![Stmt::If(is_alone, vec![result], partial)];
        body.extend(self.over_warps(&program, Reads::Inputs, &Meeting::of_block(), deliver));
        body
    }

    /// Returns the folds of a tile, by the program of its tier.
    pub(super) fn folds(&mut self, lengths: (u64, u64), meeting: &Meeting) -> Vec<Stmt> {
        let blocks: Vec<Program> = self.program.blocks.clone();
        let mut folds = Vec::new();
        for (at, program) in blocks.iter().enumerate() {
            let fold = self.by_warps(program, Reads::Inputs, self.moved(), meeting);
            folds = match at {
                0 => fold,
                _ => vec![Stmt::If(self.is_of(at, lengths), fold, folds)],
            };
        }
        folds
    }

    /// Returns the loop of a warp over warps of the association. Each leaves its accumulator in shared memory.
    pub(super) fn by_warps(
        &mut self,
        program: &Program,
        reads: Reads,
        moved: Moved,
        meeting: &Meeting,
    ) -> Vec<Stmt> {
        self.declare_values(meeting);
        let (logical, of_warp) = (Local::new("logical", Ty::U32), Local::new("logical_warp", Ty::U32));
        let mut of_group = lowering(program, reads);
        let mut body = Vec::new();
        if reads == Reads::Inputs && reads_across(program) {
            of_group.across(&of_warp.get().times(Program::WARP * program.kernel(reads).fold().width));
        } else {
            let number = of_warp.get().times(Program::WARP).plus(lane().get());
            body.push(Stmt::Let(logical.clone(), number));
            of_group.steps_of_warp(reads);
        }
        for it in of_group.constants.iter().filter(|it| it.name == "WIDTH") {
            self.constant(it.name, it.value, &it.note);
        }
        let acc = of_group.acc().get();
        let constants = self.constants_of_tier(program, reads);
        let moved = Moved { thread: Some(logical.get()), constants, ..moved };
        body.extend(moved.apply(without_notes(of_group.body)));
        let store = Stmt::Store(Buffer::Shared(meeting.array).at(meeting.place(of_warp.get())), acc);
        body.push(Stmt::when(lane().get().equals(0), vec![store]));
        vec![Stmt::For(Box::new(Loop {
            from: if meeting.is_of_block() { warp().get() } else { 0.into() },
            test: of_warp.get().below(present().get()),
            next: of_warp.get().plus(meeting.warps),
            unroll: Unroll::Unsaid,
            body,
            local: of_warp,
        }))]
    }

    /// Returns the tree over the warps of the association, in one warp, and `deliver` for its accumulator in the first lane.
    pub(super) fn over_warps(
        &mut self,
        program: &Program,
        reads: Reads,
        meeting: &Meeting,
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
        let value = Local::new("warp_value", Ty::Acc);
        let mut of_group = lowering(program, reads);
        of_group.lanes = vec![total()];
        of_group.shuffle_tree(combine, present().get());
        let load = Stmt::Load(value.clone(), Buffer::Shared(meeting.array).at(meeting.place(lane().get())));
        let mut inside = vec![
            Stmt::Var(total(), Expr::Empty),
            Stmt::when(lane().get().below(present().get()), vec![load, Stmt::Set(total(), value.get())]),
        ];
        inside.extend(Moved { thread: Some(lane().get()), ..self.moved() }.apply(of_group.body));
        inside.push(Stmt::when(lane().get().equals(0), deliver));
        let barrier = Stmt::Barrier(meeting.barrier);
        if meeting.is_of_block() {
            inside = vec![Stmt::when(warp().get().equals(0), inside)];
        }
        [vec![barrier.clone()], inside, vec![barrier]].concat()
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

    fn declare_values(&mut self, meeting: &Meeting) {
        let (len, note) = match meeting.is_of_block() {
            true => ("MOST_WARPS", "the most warps of an association"),
            false => {
                ("MOST_OF_BLOCK", "the most warps of the associations that the warps of a block evaluate")
            }
        };
        let times = if meeting.is_of_block() { 1 } else { WARPS };
        self.constant("MOST_WARPS", self.most_warps(), "the most warps of an association");
        self.constant(len, times * self.most_warps(), note);
        if self.shared.iter().all(|it| it.name != meeting.array) {
            self.shared.push(Shared { name: meeting.array, len, sent: false });
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

/// The number of warps of the association that have an item.
fn present() -> Local {
    Local::new("warps_present", Ty::U32)
}

/// Returns the declaration of [`present`], for that many items.
pub(super) fn warps_present(program: &Program, reads: Reads, items: Expr) -> Stmt {
    let started = rounded_up(items, &items_of_warp(program, reads));
    Stmt::Let(present(), started.bin(Bin::Min, threads().get().over(Program::WARP)))
}

/// The accumulator of all warps.
pub(super) fn total() -> Local {
    Local::new("total", Ty::Acc)
}
