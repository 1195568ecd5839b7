//! Where a thread stands: which group is its own, which thread of the association it is, and which part of the group its block has.
//! All that depends on there being several groups is here.

use super::Lowerer;
use super::locals::{number, zero};
use reduce_ir::Scalar;
use reduce_ir::ops::{Bin, Cmp};
use reduce_ir::program::{Kernel, Program, Size};
use reduce_ir::statements::{Buffer, Expr, Local, Part, Place, Stmt, Ty};

/// Where a thread stands.
pub(super) struct Standing {
    /// The number of the thread in the association, `u32`.
    pub(super) thread: Expr,
    /// What tells the names of a logical thread from those of others in sight.
    pub(super) suffix: String,
}

impl Standing {
    pub(super) fn of(program: &Program, kernel: &Kernel) -> Standing {
        let shared = program.groups_of_block(kernel.reads) > 1;
        let thread = if kernel.team.size == Size::Warp && shared { lane().get() } else { Expr::Thread };
        Standing { thread, suffix: String::new() }
    }
}

impl Lowerer<'_> {
    /// The number of the thread in the association.
    pub(super) fn thread(&self) -> Expr {
        self.standing.thread.clone()
    }

    /// Does a thread evaluate several threads of the association?
    pub(super) fn is_logical(&self) -> bool {
        self.kernel.team.logical > 1
    }

    /// Names the group of the thread.
    pub(super) fn place(&mut self) {
        let grouped = self.program.domain.is_grouped();
        let groups = self.program.groups_of_block(self.kernel.reads);
        if !grouped && groups == 1 {
            return;
        }
        self.body.push(Stmt::Note(Part::Fold, format!("the group of {}", self.kernel.team)));
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
            Size::Thread | Size::Warp | Size::Block | Size::Cluster => block,
        };
        self.body.push(Stmt::Let(group(), which));
        if grouped {
            self.body.push(Stmt::Let(start(), Expr::First(Box::new(group().get()))));
        }
    }

    /// Adds the statements for the group of a thread, if it has one: of the last block, some have none.
    pub(super) fn for_its_group(&mut self, body: Vec<Stmt>) {
        if self.program.groups_of_block(self.kernel.reads) == 1 {
            return self.body.extend(body);
        }
        let all = if self.program.domain.is_grouped() { Expr::Groups } else { number(1) };
        self.body.push(Stmt::when(group().get().below(all), body));
    }

    /// Returns the number of blocks that share a group: one for each tile. No group is empty.
    fn blocks_of_group(&self) -> Expr {
        let tile = Expr::Const(reduce_ir::Value::of(self.program.tile(self.kernel.reads)));
        Expr::Items.bin(Bin::Sub, number(1)).over(tile).bin(Bin::Add, number(1))
    }

    /// The number of the block among those of its group, `u64`.
    pub(super) fn member(&self) -> Expr {
        let block = Expr::Block.cast(Scalar::U64);
        if self.program.domain.is_grouped() { block.bin(Bin::Rem, members().get()) } else { block }
    }

    /// How many blocks have a group: `u32` of one group, and `u64` of several.
    pub(super) fn members(&self) -> Expr {
        if self.program.domain.is_grouped() { members().get() } else { Expr::Grid }
    }

    /// Has the group one block, or cluster?
    pub(super) fn has_one_member(&self) -> Expr {
        match self.program.domain.kept {
            0 => self.deliverers().equals(1),
            _ => Expr::Cmp(Cmp::Eq, Box::new(members().get()), Box::new(number(1))),
        }
    }

    /// Where an item of the group with that position lies.
    pub(super) fn in_memory(&self, position: Expr) -> Expr {
        if self.program.domain.is_grouped() { start().get().bin(Bin::Add, position) } else { position }
    }

    /// Does the group begin at a whole unit? Asked for besides whether the data is aligned.
    pub(super) fn begins_aligned(&self) -> Option<Expr> {
        let width = u64::from(self.kernel.fold().width);
        let rest = || start().get().bin(Bin::Rem, Expr::Const(reduce_ir::Value::of(width)));
        (self.program.domain.is_grouped() && width > 1)
            .then(|| Expr::Cmp(Cmp::Eq, Box::new(rest()), Box::new(number(0))))
    }

    /// Where the result of the group goes.
    pub(super) fn result(&self) -> Place {
        let grouped = self.program.domain.is_grouped();
        Buffer::Result.at(if grouped { group().get() } else { zero() })
    }
}

/// The thread's number in its warp.
fn lane() -> Local {
    Local::new("lane", Ty::U32)
}

/// The number of the thread's group.
fn group() -> Local {
    Local::new("group", Ty::U64)
}

/// Where the group begins in memory.
fn start() -> Local {
    Local::new("start", Ty::U64)
}

/// How many blocks have a group.
fn members() -> Local {
    Local::new("members", Ty::U64)
}
