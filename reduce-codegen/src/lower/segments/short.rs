//! Short segments: a thread, eight lanes or a warp reduces each of them.

use super::locals::{count_of, entry, group, turn, warp};
use super::moved::Moved;
use super::scan::{FOR_WARP, for_lanes, of_entry};
use super::{Draft, lowering, without_notes};
use crate::lower::across::reads_across;
use crate::lower::place::{column, lane};
use crate::segments::Segmented;
use reduce_ir::Scalar;
use reduce_ir::ops::Bin;
use reduce_ir::program::{Program, Reads, Size};
use reduce_ir::statements::{Buffer, Expr, Local, Loop, Place, Stmt, Ty, Unroll};

impl Draft<'_> {
    /// Reduces the segments of the lists of teams that are smaller than a block.
    pub(super) fn short_segments(&mut self) {
        let programs: Vec<Program> = self.program.short.clone();
        for program in programs {
            match program.kernel(Reads::Inputs).team.size {
                Size::Thread => {}
                Size::Lanes(lanes) => self.by_team(&program, for_lanes(lanes), lanes),
                Size::Warp | Size::Block | Size::Cluster | Size::Grid { .. } => {
                    self.by_team(&program, FOR_WARP, Program::WARP);
                }
            }
        }
    }

    /// Returns the statements that reduce a segment in one thread.
    pub(super) fn by_thread(&mut self, program: &Program) -> Vec<Stmt> {
        let mut of_group = lowering(program, Reads::Inputs);
        of_group.scattered = true;
        of_group.prologue();
        of_group.logical_threads();
        of_group.finish();
        self.declare(&of_group);
        let body = self.moved().apply(without_notes(of_group.body));
        self.column().into_iter().chain(body).collect()
    }

    /// Reduces each segment of a list by a team of lanes, or by a warp.
    fn by_team(&mut self, program: &Program, list: &'static str, lanes: u32) {
        let most = program.up_to.unwrap_or(0);
        let team = if lanes == Program::WARP { "a warp".to_owned() } else { format!("{lanes} lanes") };
        self.note(format!("{team} for each segment of up to {most} elements"));
        let of_warp = Program::WARP / lanes;
        let mine = match of_warp {
            1 => turn().get(),
            _ => turn().get().plus(Expr::Thread.bin(Bin::Rem, Program::WARP).over(lanes)),
        };
        let place = Local::new("place", Ty::U32);
        // Lanes beyond the last segment take part with it, and deliver nothing.
        let last = count_of(list).get().bin(Bin::Sub, 1);
        let mut body = vec![
            Stmt::Let(lane(), Expr::Thread.bin(Bin::Rem, lanes)),
            Stmt::Let(column(), mine.cast(Scalar::U64)),
            Stmt::Let(place.clone(), column().get().cast(Scalar::U32).bin(Bin::Min, last)),
            Stmt::Load(entry(), Place { buffer: Buffer::List(list), index: place.get(), rank: None }),
            Stmt::Let(group(), of_entry(entry().get())),
        ];
        body.extend(self.bounds());
        body.extend(self.column());
        body.extend(self.group_of_team(program, list, most));
        let first = warp().get();
        self.body.push(Stmt::For(Box::new(Loop {
            from: if of_warp == 1 { first } else { first.times(of_warp) },
            test: turn().get().below(count_of(list).get()),
            next: turn().get().plus(Segmented::BLOCK / lanes),
            unroll: Unroll::Unsaid,
            body,
            local: turn(),
        })));
    }

    /// Reduces the segment of a team, which has at most `most` elements.
    fn group_of_team(&mut self, program: &Program, list: &str, most: u64) -> Vec<Stmt> {
        let kernel = program.kernel(Reads::Inputs);
        let mut of_group = lowering(program, Reads::Inputs);
        of_group.scattered = matches!(kernel.team.size, Size::Lanes(2));
        of_group.prologue();
        match (kernel.team.size, kernel.team.logical) {
            (Size::Warp, _) if reads_across(program) => of_group.across(&0.into()),
            (Size::Lanes(lanes), 2..) => of_group.logical_lanes(lanes),
            (Size::Warp, 2..) => of_group.logical_warps(),
            _ => kernel.steps.iter().for_each(|step| of_group.step(step)),
        }
        of_group.finish();
        self.declare(&of_group);
        let length = self.bounds.length().get().bin(Bin::Min, self.bounds.number(most));
        let moved = Moved {
            items: self.bounds.wide(length),
            groups: count_of(list).get().cast(Scalar::U64),
            ..self.moved()
        };
        moved.apply(without_notes(of_group.body))
    }
}
