//! Short segments: a thread, eight lanes or a warp reduces each of them.

use super::locals::{count_of, first_segment, group, last_segment, length, turn, warp};
use super::moved::Moved;
use super::{Draft, at_most, lowering, number, wide};
use crate::lower::place::{column, lane};
use crate::segments::Segmented;
use reduce_ir::Scalar;
use reduce_ir::ops::Bin;
use reduce_ir::program::{Program, Reads, Size};
use reduce_ir::statements::{Barrier, Buffer, Expr, Local, Loop, Place, Stmt, Ty, Unroll};

/// A list of segments for one kind of team.
pub(super) struct Waiting {
    /// The list in shared memory: see [`listed`].
    pub(super) list: &'static str,
    /// The constant that is its greatest length.
    most: &'static str,
    /// The fewest elements of its segments.
    least: u64,
}

/// The list of segments that the whole block reduces.
pub(super) const FOR_BLOCK: &str = "for_block";

impl Draft<'_> {
    /// Declares the lists, and makes them empty.
    pub(super) fn declare_lists(&mut self) -> Vec<Waiting> {
        let mut all = Vec::new();
        let mut least = 1;
        for program in &self.program.short {
            let up_to = program.up_to.unwrap_or(u64::MAX);
            match program.kernel(Reads::Inputs).team.size {
                Size::Thread => {}
                Size::Lanes(_) => all.push(Waiting { list: "for_lanes", most: "MOST_FOR_LANES", least }),
                Size::Warp | Size::Block | Size::Cluster | Size::Grid { .. } => {
                    all.push(Waiting { list: "for_warp", most: "MOST_FOR_WARP", least });
                }
            }
            least = up_to + 1;
        }
        all.push(Waiting { list: FOR_BLOCK, most: "MOST_FOR_BLOCK", least });
        for Waiting { list, most, least } in &all {
            // A segment takes its elements and one more of the tile, except for the last one. One may have begun earlier.
            let fit = u64::from(self.program.tile()) / (least + 1) + 2;
            self.list(list, most, fit as u32);
        }
        let clear = all.iter().map(|waiting| Stmt::Clear(waiting.list)).collect();
        self.body.push(Stmt::when(Expr::Thread.equals(0), clear));
        self.body.push(Stmt::Barrier(Barrier::Block));
        self.list_earlier();
        all
    }

    /// Lists the segment before the tile, if it may have a part that begins in the tile.
    fn list_earlier(&mut self) {
        let mut body = vec![Stmt::Let(group(), first_segment().get().bin(Bin::Sub, number(1)))];
        body.extend(self.bounds());
        let has_parts = number(self.program.longest_tile()).below(length().get());
        body.push(Stmt::when(has_parts, vec![Stmt::Append(FOR_BLOCK, 0.into())]));
        let exists = number(0).below(first_segment().get());
        self.body.push(Stmt::when(Expr::Thread.equals(0).and(exists), body));
    }

    /// Reads the offsets of every segment that begins in the tile. Reduces the shortest ones in the thread that reads their offsets, and
    /// puts the others on lists.
    pub(super) fn scan(&mut self, lists: &[Waiting]) {
        self.note("every thread reads the offsets of some segments, and reduces the shortest ones");
        let mut body = self.bounds();
        let fits = |most: u64| at_most(length().get(), number(most));
        let is_right = self.program.longest().map(fits).into_iter().fold(self.is_valid(), Expr::and);
        body.push(Stmt::If(is_right, Vec::new(), vec![Stmt::Fault(group().get())]));
        let entry = group().get().bin(Bin::Add, number(1)).bin(Bin::Sub, first_segment().get());
        let entry = entry.cast(Scalar::U32);
        let mut otherwise = Vec::new();
        for waiting in lists {
            let append = vec![Stmt::Append(waiting.list, entry.clone())];
            otherwise = match otherwise.is_empty() {
                true => append,
                // The lists ascend: those before hold the shorter segments.
                false => vec![Stmt::If(self.shorter_than(waiting.least), otherwise, append)],
            };
        }
        if let Some(program) = self.of_team(|size| size == Size::Thread).cloned() {
            let most = program.up_to.unwrap_or(0);
            let reduced = self.by_thread(&program);
            otherwise = vec![Stmt::If(at_most(length().get(), number(most)), reduced, otherwise)];
        }
        body.push(Stmt::If(length().get().equals(number(0)), self.nothing(), otherwise));
        self.body.push(Stmt::For(Box::new(Loop {
            from: first_segment().get().bin(Bin::Add, Expr::Thread.cast(Scalar::U64)),
            test: group().get().below(last_segment().get()),
            next: group().get().bin(Bin::Add, wide("THREADS")),
            unroll: Unroll::Unsaid,
            body,
            local: group(),
        })));
        self.body.push(Stmt::Barrier(Barrier::Block));
    }

    fn shorter_than(&self, least: u64) -> Expr {
        length().get().below(number(least))
    }

    /// Stores the result of no elements, if there is one.
    fn nothing(&self) -> Vec<Stmt> {
        let operation = &self.program.operation;
        let has_result = operation.identity.is_some() || operation.empty.is_some();
        let store = Stmt::Store(Buffer::Result.at(group().get()), Expr::Nothing);
        has_result.then_some(store).into_iter().collect()
    }

    pub(super) fn of_team(&self, is: impl Fn(Size) -> bool) -> Option<&Program> {
        self.program.short.iter().find(|program| is(program.kernel(Reads::Inputs).team.size))
    }

    /// Reduces a segment in one thread.
    fn by_thread(&mut self, program: &Program) -> Vec<Stmt> {
        let mut of_group = lowering(program, Reads::Inputs);
        of_group.prologue();
        if program.kernel(Reads::Inputs).team.logical > 1 {
            of_group.logical_threads();
        } else {
            program.kernel(Reads::Inputs).steps.iter().for_each(|step| of_group.step(step));
        }
        of_group.finish();
        self.declare(&of_group);
        Moved::new(length().get()).apply(without_notes(of_group.body))
    }

    /// Reduces the segments of the lists by teams of lanes, and by warps.
    pub(super) fn by_teams(&mut self, lists: &[Waiting]) {
        let programs: Vec<Program> = self.program.short.clone();
        for program in &programs {
            let (name, lanes) = match program.kernel(Reads::Inputs).team.size {
                Size::Thread => continue,
                Size::Lanes(lanes) => ("for_lanes", lanes),
                Size::Warp | Size::Block | Size::Cluster | Size::Grid { .. } => ("for_warp", Program::WARP),
            };
            if let Some(waiting) = lists.iter().find(|waiting| waiting.list == name) {
                self.by_team(program, waiting.list, lanes);
            }
        }
    }

    fn by_team(&mut self, program: &Program, list: &'static str, lanes: u32) {
        let most = program.up_to.unwrap_or(0);
        let team = if lanes == Program::WARP { "a warp" } else { "some lanes" };
        self.note(format!("{team} for each segment of up to {most} elements"));
        let of_warp = Program::WARP / lanes;
        let length_of_list = count_of(list).get();
        self.body.push(Stmt::Length(count_of(list), list));
        let mine = match of_warp {
            1 => turn().get(),
            _ => turn().get().plus(Expr::Thread.bin(Bin::Rem, Program::WARP).over(lanes)),
        };
        let (place, entry) = (Local::new("place", Ty::U32), Local::new("entry", Ty::U32));
        // Lanes beyond the last segment take part with it, and deliver nothing.
        let last = length_of_list.clone().bin(Bin::Sub, 1);
        let mut body = vec![
            Stmt::Let(lane(), Expr::Thread.bin(Bin::Rem, lanes)),
            Stmt::Let(column(), mine.cast(Scalar::U64)),
            Stmt::Let(place.clone(), column().get().cast(Scalar::U32).bin(Bin::Min, last)),
            Stmt::Load(entry.clone(), Place { buffer: Buffer::List(list), index: place.get(), rank: None }),
            Stmt::Let(group(), listed(&entry)),
        ];
        body.extend(self.bounds());
        body.extend(self.group_of_team(program, most, &length_of_list));
        self.body.push(Stmt::For(Box::new(Loop {
            from: warp().get().times(of_warp),
            test: turn().get().below(length_of_list),
            next: turn().get().plus(Segmented::BLOCK / lanes),
            unroll: Unroll::Unsaid,
            body,
            local: turn(),
        })));
    }

    /// Reduces the segment of a team, which has at most `most` elements.
    fn group_of_team(&mut self, program: &Program, most: u64, groups: &Expr) -> Vec<Stmt> {
        let kernel = program.kernel(Reads::Inputs);
        let mut of_group = lowering(program, Reads::Inputs);
        of_group.prologue();
        match (kernel.team.size, kernel.team.logical) {
            (Size::Lanes(lanes), 2..) => of_group.logical_lanes(lanes),
            (Size::Warp, 2..) => of_group.logical_warps(),
            _ => kernel.steps.iter().for_each(|step| of_group.step(step)),
        }
        of_group.finish();
        self.declare(&of_group);
        let items = length().get().bin(Bin::Min, number(most));
        let moved = Moved { groups: groups.clone().cast(Scalar::U64), ..Moved::new(items) };
        moved.apply(without_notes(of_group.body))
    }
}

/// Returns the segment of an entry of a list. The entry is 1 for the first segment of the tile, and 0 for the one before it.
pub(super) fn listed(entry: &Local) -> Expr {
    first_segment().get().bin(Bin::Add, entry.get().cast(Scalar::U64)).bin(Bin::Sub, number(1))
}

/// Returns the statements of a group without the remarks on its steps, and without the start of the next launch.
pub(super) fn without_notes(body: Vec<Stmt>) -> Vec<Stmt> {
    let inside = |mut it: Stmt| {
        if let Stmt::For(it) = &mut it {
            it.body = without_notes(std::mem::take(&mut it.body));
        } else if let Stmt::If(_, then, otherwise) = &mut it {
            *then = without_notes(std::mem::take(then));
            *otherwise = without_notes(std::mem::take(otherwise));
        }
        it
    };
    let stays = |it: &Stmt| !matches!(it, Stmt::Note(..) | Stmt::TriggerLaunch);
    body.into_iter().filter(stays).map(inside).collect()
}
