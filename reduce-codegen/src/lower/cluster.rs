//! The tree over the blocks of a cluster. Each block sends its accumulator to the shared memory of the first block.

use super::Lowerer;
use super::locals::{count, first};
use reduce_ir::Scalar;
use reduce_ir::ops::Bin;
use reduce_ir::program::{Combine, Lowering, Program, Step};
use reduce_ir::statements::{Buffer, Expr, Local, Part, Place, Shared, Stmt, Ty};

const BLOCK_VALUES: &str = "block_values";

impl Lowerer<'_> {
    /// Begins a kernel with clusters. Each block signals early that it runs, so that later waits for it are short. The
    /// first block declares how many accumulators it expects.
    pub(super) fn begin_cluster(&mut self) {
        let note = format!(
            "the first block expects an accumulator from each block, and may receive them after all have arrived  [cluster({})]",
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

    /// Combines the accumulators of the blocks, in thread 0 of the first block. Each block waits until all blocks run,
    /// then sends its accumulator to the first block. The first warp of that block receives the accumulators, or one
    /// thread does.
    pub(super) fn cluster_tree(&mut self, combine: Combine) {
        self.note(Part::Tree, &Step::Combine(combine), super::words(combine));
        let (mut leave, acc) = self.acc_of_block();
        self.shared.push(Shared { name: BLOCK_VALUES, len: "CLUSTER", sent: true });
        let values = Buffer::Shared(BLOCK_VALUES);
        let mine = Place { rank: Some(Box::new(0.into())), ..values.at(Expr::Rank) };
        leave.push(Stmt::Send(mine, acc));
        let has_items = self.guarded().then(|| Expr::from(0).below(count().get()));
        let leaves = has_items.into_iter().fold(Expr::Thread.equals(0), Expr::and);
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

    /// Returns the number of blocks of the cluster that hold an item. The value is right in the first block only.
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
