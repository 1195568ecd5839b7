//! The place of a thread: its group, its number in the association, and the part of the group that its block has. All
//! code for several groups is here.

use super::Lowerer;
use super::beside::{beside, part};
use super::locals::{number, zero};
use reduce_ir::ops::{Bin, Cmp};
use reduce_ir::program::{Kernel, Program, Reads, Size};
use reduce_ir::statements::{Buffer, Expr, Local, Part, Place, Stmt, Ty};
use reduce_ir::{Access, Scalar};
use std::ops::Range;

/// The thread of the association that statements are being made for.
pub(super) struct LogicalThread {
    /// Its number in the association, `u32`.
    pub(super) number: Expr,
    /// The suffix of its locals, which keeps them apart from the locals of other logical threads.
    pub(super) suffix: String,
}

impl LogicalThread {
    pub(super) fn of(program: &Program, kernel: &Kernel) -> LogicalThread {
        let shared = program.groups_of_block(kernel.reads) > 1;
        let of_lane = matches!(kernel.team.size, Size::Lanes(_)) || kernel.team.size == Size::Warp && shared;
        let number = if of_lane { lane().get() } else { Expr::Thread };
        LogicalThread { number, suffix: String::new() }
    }
}

impl Lowerer<'_> {
    /// Returns the number of the thread in the association.
    pub(super) fn thread(&self) -> Expr {
        self.current.number.clone()
    }

    /// Returns whether a thread evaluates several threads of the association.
    pub(super) fn is_logical(&self) -> bool {
        self.kernel.team.logical > 1
    }

    /// Declares the group of the thread.
    pub(super) fn place(&mut self) {
        let grouped = self.program.domain.is_grouped();
        let groups = self.program.groups_of_block(self.kernel.reads);
        if self.is_beside() {
            return self.place_beside();
        }
        if !grouped && groups == 1 {
            return;
        }
        let reader = match self.kernel.team.size {
            Size::Thread => "thread",
            Size::Lanes(_) => "lane",
            Size::Warp => "warp",
            Size::Block | Size::Cluster | Size::Grid { .. } => "block",
        };
        self.body.push(Stmt::Note(Part::Fold, format!("the group of this {reader}")));
        if groups > 1 {
            self.constant("GROUPS", groups, "groups that share a block".to_owned());
        }
        let block = Expr::Block.cast(Scalar::U64);
        let shared = || block.clone().times(Expr::Named("GROUPS").cast(Scalar::U64));
        let which = match self.kernel.team.size {
            Size::Thread if groups > 1 => shared().bin(Bin::Add, Expr::Thread.cast(Scalar::U64)),
            Size::Warp if groups > 1 => {
                self.body.push(Stmt::Let(lane(), Expr::Thread.bin(Bin::Rem, Program::WARP)));
                shared().bin(Bin::Add, Expr::Thread.over(Program::WARP).cast(Scalar::U64))
            }
            Size::Grid { .. } => {
                self.body.push(Stmt::Let(members(), self.blocks_of_group()));
                block.over(members().get())
            }
            Size::Lanes(lanes) => {
                self.body.push(Stmt::Let(lane(), Expr::Thread.bin(Bin::Rem, lanes)));
                let mine = shared().bin(Bin::Add, Expr::Thread.over(lanes).cast(Scalar::U64));
                self.body.push(Stmt::Let(column(), mine));
                column().get().bin(Bin::Min, self.last_group())
            }
            Size::Thread | Size::Warp | Size::Block | Size::Cluster => block,
        };
        self.body.push(Stmt::Let(group(), which));
        if grouped {
            self.move_to_group();
        }
    }

    /// Returns whether the lanes of a warp have neighbouring groups.
    pub(super) fn is_beside(&self) -> bool {
        self.kernel.team.beside > 1
    }

    /// Declares the group of each thread. Threads beyond the last group take part with that group, and deliver nothing.
    fn place_beside(&mut self) {
        self.body.push(Stmt::Note(Part::Fold, "the group of this thread".to_owned()));
        self.constant("GROUPS", self.kernel.team.beside, "neighbouring groups that share a block".to_owned());
        let groups = || Expr::Named("GROUPS");
        self.body.push(Stmt::Let(beside(), Expr::Thread.bin(Bin::Rem, groups())));
        self.body.push(Stmt::Let(part(), Expr::Thread.over(groups())));
        let mut block = Expr::Block.cast(Scalar::U64);
        if self.kernel.team.is_grid() {
            let wide = groups().cast(Scalar::U64);
            let all = Expr::Groups.bin(Bin::Add, wide.clone().bin(Bin::Sub, number(1))).over(wide);
            self.body.push(Stmt::Let(across(), all));
            self.body.push(Stmt::Let(members(), Expr::Grid.cast(Scalar::U64).over(across().get())));
            self.body.push(Stmt::Let(member(), block.clone().over(across().get())));
            block = block.bin(Bin::Rem, across().get());
        }
        let mine = block.times(groups().cast(Scalar::U64)).bin(Bin::Add, beside().get().cast(Scalar::U64));
        self.body.push(Stmt::Let(column(), mine));
        self.body.push(Stmt::Let(group(), column().get().bin(Bin::Min, self.last_group())));
        self.move_to_group();
    }

    /// Returns whether lanes of a warp have groups of their own. Lanes beyond the last group then take part with that group, and
    /// deliver nothing.
    pub(super) fn has_group_by_lane(&self) -> bool {
        self.is_beside() || matches!(self.kernel.team.size, Size::Lanes(_))
    }

    /// Returns whether the lane has a group of its own.
    pub(super) fn has_group(&self) -> Expr {
        column().get().below(self.groups())
    }

    fn groups(&self) -> Expr {
        if self.program.domain.is_grouped() { Expr::Groups } else { number(1) }
    }

    /// Returns the number of the thread's group, `u64`.
    pub(super) fn group_number(&self) -> Expr {
        if self.program.domain.is_grouped() { group().get() } else { number(0) }
    }

    fn last_group(&self) -> Expr {
        self.groups().bin(Bin::Sub, number(1))
    }

    /// Moves the pointers to the items of the group.
    fn move_to_group(&mut self) {
        let first = Expr::First(Box::new(group().get()));
        if self.kernel.reads == Reads::Partials {
            return self.body.push(Stmt::Move(Buffer::Items, first));
        }
        let inputs = 0..self.program.operation.inputs.len();
        if self.program.domain.access == Access::Contiguous {
            return self.body.extend(inputs.map(|input| Stmt::Move(Buffer::Input(input), first.clone())));
        }
        let coordinates = self.coordinates_of_group();
        let by = |input| Expr::Offset(input, coordinates.iter().cloned().enumerate().collect());
        self.body.extend(inputs.map(|input| Stmt::Move(Buffer::Input(input), by(input))));
    }

    /// Declares the coordinates of the group along the kept axes, and returns them.
    fn coordinates_of_group(&mut self) -> Vec<Expr> {
        let kept = usize::from(self.program.domain.kept);
        if kept == 1 {
            return vec![group().get()];
        }
        let along = |axis| Local::new(format!("along_{axis}"), Ty::U64);
        let all = coordinates(group().get(), 0..kept);
        self.body.extend(all.into_iter().enumerate().map(|(axis, at)| Stmt::Let(along(axis), at)));
        (0..kept).map(|axis| along(axis).get()).collect()
    }

    /// Returns the address of an element of the group in an input, in elements.
    pub(super) fn address(&self, input: usize, position: Expr) -> Expr {
        let kept = usize::from(self.program.domain.kept);
        match self.program.domain.access {
            Access::Contiguous | Access::Adjacent => position,
            Access::Strided { reduced, .. } => {
                let axes = kept..kept + usize::from(reduced);
                Expr::Offset(input, axes.clone().zip(coordinates(position, axes)).collect())
            }
        }
    }

    /// Adds the statements for the group of a thread, if it has one. Some threads of the last block have none.
    pub(super) fn guard_by_group(&mut self, body: Vec<Stmt>) {
        if self.program.groups_of_block(self.kernel.reads) == 1 || self.has_group_by_lane() {
            return self.body.extend(body);
        }
        self.body.push(Stmt::when(group().get().below(self.groups()), body));
    }

    /// Returns the number of blocks that share a group: one for each tile, up to the limit of a grid-stride loop. No group is empty.
    fn blocks_of_group(&self) -> Expr {
        let tile = Expr::Const(reduce_ir::Value::of(self.program.tile(self.kernel.reads)));
        let tiles = Expr::Items.bin(Bin::Sub, number(1)).over(tile).bin(Bin::Add, number(1));
        match self.kernel.team.size {
            Size::Grid { most: Some(_) } => tiles.bin(Bin::Min, Expr::Named("GRID").cast(Scalar::U64)),
            Size::Grid { most: None }
            | Size::Thread
            | Size::Lanes(_)
            | Size::Warp
            | Size::Block
            | Size::Cluster => tiles,
        }
    }

    /// Returns the number of the block among the blocks of its group, `u64`.
    pub(super) fn member(&self) -> Expr {
        let block = Expr::Block.cast(Scalar::U64);
        match self.program.domain.is_grouped() {
            _ if self.is_beside() => member().get(),
            true => block.bin(Bin::Rem, members().get()),
            false => block,
        }
    }

    /// Returns the number of blocks of a group: `u32` if there is one group, otherwise `u64`.
    pub(super) fn members(&self) -> Expr {
        if self.program.domain.is_grouped() { members().get() } else { Expr::Grid }
    }

    /// Returns whether the group has one block, or one cluster.
    pub(super) fn has_one_member(&self) -> Expr {
        match self.program.domain.kept {
            0 => self.deliverers().equals(1),
            _ => Expr::Cmp(Cmp::Eq, Box::new(members().get()), Box::new(number(1))),
        }
    }

    /// Returns the place of the partial of the block, in groups that share blocks.
    pub(super) fn partial_beside(&self) -> Expr {
        group().get().times(members().get()).bin(Bin::Add, member().get())
    }

    /// Returns the place of the group's result.
    pub(super) fn result(&self) -> Place {
        let grouped = self.program.domain.is_grouped();
        Buffer::Result.at(if grouped { group().get() } else { zero() })
    }
}

/// The number of the lane's group, which may lie beyond the last group.
pub(super) fn column() -> Local {
    Local::new("column", Ty::U64)
}

/// The number of blocks side by side.
fn across() -> Local {
    Local::new("across", Ty::U64)
}

/// The number of the block among the blocks of its groups.
fn member() -> Local {
    Local::new("member", Ty::U64)
}

/// The number of the thread's group.
fn group() -> Local {
    Local::new("group", Ty::U64)
}

/// Returns the coordinates of a position along axes. The last axis varies fastest.
fn coordinates(position: Expr, axes: Range<usize>) -> Vec<Expr> {
    let (mut rest, mut all) = (position, Vec::new());
    for axis in axes.clone().skip(1).rev() {
        all.push(rest.clone().bin(Bin::Rem, Expr::Size(axis)));
        rest = rest.over(Expr::Size(axis));
    }
    all.push(rest);
    all.reverse();
    all
}

/// The number of blocks of a group.
fn members() -> Local {
    Local::new("members", Ty::U64)
}

/// The number of the thread in its warp, or in its part of a warp.
pub(super) fn lane() -> Local {
    Local::new("lane", Ty::U32)
}
