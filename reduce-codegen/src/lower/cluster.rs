//! The tree over the blocks of a cluster, in the shared memory of its first block, to which the others send their accumulators.

use super::Lowerer;
use super::locals::{count, first};
use reduce_ir::Scalar;
use reduce_ir::ops::Bin;
use reduce_ir::program::{Combine, Lowering, Program, Step};
use reduce_ir::statements::{Buffer, Expr, Local, Part, Place, Shared, Stmt, Ty};

const BLOCK_VALUES: &str = "block_values";

impl Lowerer<'_> {
    /// What a kernel with clusters begins with: a block says that it runs, long before another one asks, and the first one
    /// expects the accumulators.
    pub(super) fn begin_cluster(&mut self) {
        let note = format!(
            "the first block expects an accumulator of each, and may be sent them where all have arrived  [cluster({})]",
            self.kernel.cluster()
        );
        self.body.push(Stmt::Note(Part::Fold, note));
        if self.guarded() {
            self.count_blocks();
        }
        let first = Expr::Rank.equals(0).and(Expr::Thread.equals(0));
        let expect = Stmt::Expect(BLOCK_VALUES, self.blocks_present());
        self.body.extend([Stmt::when(first, vec![expect]), Stmt::Arrive]);
    }

    /// The accumulators of the blocks become one, in thread 0 of the first: each sends its own to that block's shared
    /// memory, once it runs, and its first warp receives them, or one thread.
    pub(super) fn cluster_tree(&mut self, combine: Combine) {
        self.note(Part::Tree, &Step::Combine(combine), super::words(combine));
        let (mut leave, acc) = self.acc_of_block();
        self.shared.push(Shared { name: BLOCK_VALUES, len: "CLUSTER", sent: true });
        let values = Buffer::Shared(BLOCK_VALUES);
        let mine = Place { rank: Some(Box::new(0.into())), ..values.at(Expr::Rank) };
        leave.push(Stmt::Send(mine, acc));
        let there = self.guarded().then(|| Expr::from(0).below(count().get()));
        let leaves = there.into_iter().fold(Expr::Thread.equals(0), Expr::and);
        self.body.extend([Stmt::Wait, Stmt::when(leaves, leave)]);
        let acc = Local::new("acc", Ty::Acc);
        let outside = std::mem::replace(&mut self.body, vec![Stmt::Receive(BLOCK_VALUES)]);
        let takes = if combine.lowering == Lowering::SerialTail {
            self.lanes = vec![acc];
            self.serial_tail(combine, values, "block_value");
            Expr::Thread.equals(0)
        } else {
            self.first_block(combine, values, acc);
            Expr::Thread.below(Program::WARP)
        };
        let inside = std::mem::replace(&mut self.body, outside);
        self.body.push(Stmt::when(Expr::Rank.equals(0).and(takes), inside));
    }

    fn first_block(&mut self, combine: Combine, values: Buffer, acc: Local) {
        let value = Local::new("block_value", Ty::Acc);
        let blocks = self.blocks_present();
        let take =
            vec![Stmt::Load(value.clone(), values.at(Expr::Thread)), Stmt::Set(acc.clone(), value.get())];
        self.body.push(Stmt::Set(acc.clone(), Expr::Empty));
        self.body.push(Stmt::when(Expr::Thread.below(blocks.clone()), take));
        self.lanes = vec![acc];
        self.shuffle_tree(combine, blocks);
    }

    /// How many blocks of the cluster hold an item, counted in the first.
    fn blocks_present(&self) -> Expr {
        if self.guarded() { present().get() } else { Expr::Named("CLUSTER") }
    }

    fn count_blocks(&mut self) {
        let [tile, cluster] = ["TILE", "CLUSTER"].map(|name| Expr::Named(name).cast(Scalar::U64));
        let left = Expr::Items.bin(Bin::Max, first().get()).bin(Bin::Sub, first().get());
        let less_one = Expr::Named("TILE").bin(Bin::Sub, 1).cast(Scalar::U64);
        let started = left.bin(Bin::Add, less_one).over(tile);
        self.body.push(Stmt::Let(present(), started.bin(Bin::Min, cluster).cast(Scalar::U32)));
    }
}

fn present() -> Local {
    Local::new("blocks_present", Ty::U32)
}
