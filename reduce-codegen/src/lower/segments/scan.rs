//! The kernel over segments: it reduces those that begin in a tile, each by its team.

use super::locals::{count_of, entry, first_segment, group, segments, warp};
use super::{Draft, number};
use crate::lower::place::lane;
use crate::segments::Segmented;
use reduce_ir::Scalar;
use reduce_ir::ops::Bin;
use reduce_ir::program::{Program, Reads, Size};
use reduce_ir::statements::{Barrier, Buffer, Expr, Local, Loop, LoweredKernel, Stmt, Ty, Unroll};

/// A list of segments for one kind of team.
pub(super) struct Waiting {
    /// The list in shared memory, of entries.
    pub(super) list: &'static str,
    /// The constant that is its greatest length.
    most: &'static str,
    /// The fewest elements of its segments.
    least: u64,
}

/// The segments for few lanes of a warp, and for more: by the number of lanes.
pub(super) fn for_lanes(lanes: u32) -> &'static str {
    if lanes == 2 { "for_2_lanes" } else { "for_8_lanes" }
}
/// The segments for warps.
pub(super) const FOR_WARP: &str = "for_warp";
/// The segments for warps that evaluate associations of several warps.
pub(super) const FOR_WIDE: &str = "for_wide";
/// The segments for the whole block.
pub(super) const FOR_BLOCK: &str = "for_block";

/// Returns the kernel.
pub(super) fn kernel(program: &Segmented) -> LoweredKernel {
    let mut draft = Draft::new(program);
    draft.place_of_tile();
    let lists = draft.declare_lists();
    draft.list_earlier();
    draft.scan(&lists);
    draft.count_lists(&lists);
    draft.body.push(Stmt::Let(warp(), Expr::Thread.over(Program::WARP)));
    draft.short_segments();
    draft.body.push(Stmt::Let(lane(), Expr::Thread.bin(Bin::Rem, Program::WARP)));
    draft.wide_segments();
    draft.block_segments();
    draft.finish(Segmented::KERNELS[1], Reads::Inputs)
}

impl Draft<'_> {
    /// Names the segments that begin in the tile of the block.
    fn place_of_tile(&mut self) {
        self.note("the segments that begin in the tile of this block");
        let [from, to] = ["from_tile", "to_tile"].map(|name| Local::new(name, Ty::U64));
        let at = Expr::Block.cast(Scalar::U64);
        let load = |local: &Local, at: Expr| Stmt::Load(local.clone(), Buffer::Tiles.at(at));
        let bounded = |local: &Local| local.get().bin(Bin::Min, Expr::Groups);
        let last = bounded(&to).bin(Bin::Max, first_segment().get());
        self.body.extend([
            load(&from, at.clone()),
            load(&to, at.bin(Bin::Add, number(1))),
            Stmt::Let(first_segment(), bounded(&from)),
            Stmt::Let(segments(), last.bin(Bin::Sub, first_segment().get()).cast(Scalar::U32)),
        ]);
    }

    /// Declares the lists, and makes them empty.
    pub(super) fn declare_lists(&mut self) -> Vec<Waiting> {
        let all = self.lists_by_length();
        for Waiting { list, most, least } in &all {
            // A segment takes its elements and one more of the tile, except for the last one. One may have begun earlier.
            let fit = u64::from(self.program.tile()) / (least + 1) + 2;
            self.list(list, most, fit as u32);
        }
        let mark = Stmt::Store(Buffer::LongSegments.at(Expr::Block.cast(Scalar::U64)), number(0));
        let clear = all.iter().map(|waiting| Stmt::Clear(waiting.list)).chain([mark]).collect();
        self.body.push(Stmt::when(Expr::Thread.equals(0), clear));
        self.body.push(Stmt::Barrier(Barrier::Block));
        all
    }

    /// Returns the lists that the program needs, by ascending length of their segments.
    fn lists_by_length(&self) -> Vec<Waiting> {
        let (mut all, mut least) = (Vec::new(), 1);
        for program in &self.program.short {
            match program.kernel(Reads::Inputs).team.size {
                Size::Thread => {}
                Size::Lanes(lanes) => {
                    let most = if lanes == 2 { "MOST_FOR_2_LANES" } else { "MOST_FOR_8_LANES" };
                    all.push(Waiting { list: for_lanes(lanes), most, least });
                }
                Size::Warp | Size::Block | Size::Cluster | Size::Grid { .. } => {
                    all.push(Waiting { list: FOR_WARP, most: "MOST_FOR_WARP", least });
                }
            }
            least = program.up_to.unwrap_or(u64::MAX - 1) + 1;
        }
        if let Some(most) = self.program.longest_wide() {
            all.push(Waiting { list: FOR_WIDE, most: "MOST_FOR_WIDE", least });
            least = most + 1;
        }
        all.push(Waiting { list: FOR_BLOCK, most: "MOST_FOR_BLOCK", least });
        all
    }

    /// Lists the segment before the tile, if it may have a part that begins in the tile.
    pub(super) fn list_earlier(&mut self) {
        let mut body = vec![Stmt::Let(group(), first_segment().get().bin(Bin::Sub, number(1)))];
        body.extend(self.bounds());
        let one_tile = self.has_at_most(self.program.longest_tile());
        body.push(Stmt::If(one_tile, Vec::new(), vec![Stmt::Append(FOR_BLOCK, 0.into())]));
        let exists = number(0).below(first_segment().get());
        self.body.push(Stmt::when(Expr::Thread.equals(0).and(exists), body));
    }

    /// Reads the offsets of every segment that begins in the tile, and checks them. Reduces the shortest segments, each in one thread, and
    /// lists the others.
    pub(super) fn scan(&mut self, lists: &[Waiting]) {
        let shortest =
            self.program.short.iter().find(|it| it.kernel(Reads::Inputs).team.size == Size::Thread).cloned();
        let who = shortest.as_ref().and_then(|program| program.up_to).map_or(String::new(), |most| {
            format!(" The thread reduces one of up to {most} elements; the others go on lists.")
        });
        self.note(format!("a thread for the offsets of each segment.{who}"));
        let longest = self.program.longest().map(|most| self.has_at_most(most));
        let is_right = longest.into_iter().fold(self.is_valid(), Expr::and);
        let mut listed = listed(self, lists);
        if let Some(program) = shortest {
            let most = program.up_to.unwrap_or(0);
            let reduced = self.by_thread(&program);
            listed = vec![Stmt::If(self.has_at_most(most), reduced, listed)];
        }
        let mut body = vec![Stmt::Let(group(), of_entry(entry().get()))];
        body.extend(self.bounds_ahead());
        body.push(Stmt::If(is_right, Vec::new(), vec![Stmt::Fault(group().get())]));
        let empty = self.bounds.length().get().equals(self.bounds.number(0));
        body.push(Stmt::If(empty, self.nothing(), listed));
        self.each_entry(Expr::Thread.plus(1), segments().get(), body);
    }

    /// Returns the bounds of the segment of an entry, whose offsets were loaded a turn before, so that the load takes no time of its own.
    fn bounds_ahead(&mut self) -> Vec<Stmt> {
        let bounds = self.bounds();
        if self.program.has_columns() {
            return bounds;
        }
        let ahead = ["next_from", "next_to"].map(|name| Local::new(name, Ty::Scalar(self.program.offsets)));
        let zero = self.bounds.number(0);
        let (this, next) = (Expr::Thread.plus(1), entry().get().plus(Expr::Named("THREADS")));
        self.body.extend(ahead.iter().map(|local| Stmt::Var(local.clone(), zero.clone())));
        let first = self.load_ahead(&ahead, this);
        self.body.push(first);
        let mut taken = ahead.iter();
        let take = |stmt| {
            let Stmt::Load(local, _) = stmt else { return Some(stmt) };
            taken.next().map(|ahead| Stmt::Let(local, ahead.get()))
        };
        let mut bounds: Vec<_> = bounds.into_iter().filter_map(take).collect();
        bounds.insert(2, self.load_ahead(&ahead, next));
        bounds
    }

    /// Loads the offsets of the segment of an entry, if there is one.
    fn load_ahead(&self, ahead: &[Local; 2], entry: Expr) -> Stmt {
        let exists = super::at_most(entry.clone(), segments().get());
        let load = |(local, after): (&Local, u64)| {
            let loaded = Local::new(format!("{}_offset", local.name), local.ty);
            let at = of_entry(entry.clone()).bin(Bin::Add, number(after));
            let place = Buffer::Offsets(self.program.offsets).at(at);
            [Stmt::Load(loaded.clone(), place), Stmt::Set(local.clone(), loaded.get())]
        };
        Stmt::when(exists, ahead.iter().zip(0..).flat_map(load).collect())
    }

    fn each_entry(&mut self, from: Expr, last: Expr, body: Vec<Stmt>) {
        self.body.push(Stmt::For(Box::new(Loop {
            from,
            test: super::at_most(entry().get(), last),
            next: entry().get().plus(Expr::Named("THREADS")),
            unroll: Unroll::Unsaid,
            body,
            local: entry(),
        })));
    }

    /// Stores the result of no elements, if there is one.
    fn nothing(&self) -> Vec<Stmt> {
        let operation = &self.program.operation;
        let has_result = operation.identity.is_some() || operation.empty.is_some();
        let store = Stmt::Store(Buffer::Result.at(group().get()), Expr::Nothing);
        has_result.then_some(store).into_iter().collect()
    }

    /// Names the lengths of the lists. All threads have listed theirs.
    pub(super) fn count_lists(&mut self, lists: &[Waiting]) {
        self.body.push(Stmt::Barrier(Barrier::Block));
        self.body.extend(lists.iter().map(|waiting| Stmt::Length(count_of(waiting.list), waiting.list)));
    }
}

/// Returns the statements that put a segment on its list. The lists ascend.
fn listed(draft: &Draft<'_>, lists: &[Waiting]) -> Vec<Stmt> {
    let mut shorter: Option<Vec<Stmt>> = None;
    for waiting in lists {
        let append = vec![Stmt::Append(waiting.list, entry().get())];
        shorter = Some(match shorter {
            Some(shorter) => vec![Stmt::If(draft.has_at_most(waiting.least - 1), shorter, append)],
            None => append,
        });
    }
    shorter.unwrap_or_default()
}

/// Returns the segment of an entry.
pub(super) fn of_entry(entry: Expr) -> Expr {
    first_segment().get().bin(Bin::Add, entry.cast(Scalar::U64)).bin(Bin::Sub, number(1))
}
