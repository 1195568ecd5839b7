//! The tree over the blocks of a cluster, in the shared memory of its first block.

use super::{Expansion, count, first};
use reduce_dsl::Scalar;
use reduce_dsl::expanded::{Barrier, Buffer, Expr, Local, Part, Place, Stmt, Ty};
use reduce_dsl::ops::Bin;
use reduce_dsl::program::{Combine, How, Program, Step};

const BLOCK_VALUES: [&str; 2] = ["block_values"; 2];

impl Expansion<'_> {
    /// What a kernel with clusters begins with: a block says that it runs, long before another one asks.
    pub(super) fn clustered(&mut self) {
        let cluster = self.kernel.cluster();
        self.constant("CLUSTER", cluster, format!("cluster({cluster}): blocks of a cluster"));
        let note = format!(
            "this block runs: where all have arrived, each may write to the first  [cluster({cluster})]"
        );
        self.body.extend([Stmt::Note(Part::Fold, note), Stmt::Arrive]);
    }

    /// The accumulators of the blocks become one, in thread 0 of the first: each leaves its own in that block's shared
    /// memory, once it runs, and its first warp takes them, or one thread.
    pub(super) fn cluster_tree(&mut self, combine: Combine) {
        self.note(Part::Tree, &Step::Combine(combine), super::words(combine));
        let (mut leave, acc) = self.of_block();
        let was_near = self.near && !self.program.has_near_partials();
        self.near &= !was_near;
        let values = self.share(BLOCK_VALUES, "CLUSTER");
        let mine = Place { rank: Some(Box::new(0.into())), ..values.at(Expr::Rank) };
        leave.push(Stmt::Store(mine, acc));
        let there = self.guarded().then(|| Expr::from(0).below(count().get()));
        let leaves = there.into_iter().fold(Expr::Thread.equals(0), Expr::and);
        self.body.extend([Stmt::Wait, Stmt::when(leaves, leave), Stmt::Barrier(Barrier::Cluster)]);
        // A variable of near accumulators holds none of the cluster.
        let acc = Local::new(if was_near { "acc_far" } else { "acc" }, self.acc_type());
        self.body.extend(was_near.then(|| Stmt::Var(acc.clone(), Expr::Empty)));
        let outside = std::mem::take(&mut self.body);
        let takes = if combine.how == How::Gathered {
            self.lanes = vec![acc];
            self.gather(combine, values, "block_value");
            Expr::Thread.equals(0)
        } else {
            let emptied = (!was_near).then(|| Stmt::Set(acc.clone(), self.empty()));
            self.first_block(combine, values, acc, emptied);
            Expr::Thread.below(Program::WARP)
        };
        let inside = std::mem::replace(&mut self.body, outside);
        self.body.push(Stmt::when(Expr::Rank.equals(0).and(takes), inside));
    }

    fn first_block(&mut self, combine: Combine, values: Buffer, acc: Local, emptied: Option<Stmt>) {
        let value = Local::new("block_value", self.acc_type());
        let blocks = self.blocks_present();
        let take =
            vec![Stmt::Load(value.clone(), values.at(Expr::Thread)), Stmt::Set(acc.clone(), value.get())];
        self.body.extend(emptied);
        self.body.push(Stmt::when(Expr::Thread.below(blocks.clone()), take));
        self.lanes = vec![acc];
        self.shuffle_tree(combine, blocks);
    }

    /// How many blocks of the cluster hold an item, counted in the first.
    fn blocks_present(&mut self) -> Expr {
        if !self.guarded() {
            return Expr::Named("CLUSTER");
        }
        let blocks = Local::new("blocks_present", Ty::U32);
        let [tile, cluster] = ["TILE", "CLUSTER"].map(|name| Expr::Named(name).cast(Scalar::U64));
        let left = Expr::Items.bin(Bin::Sub, first().get());
        let less_one = Expr::Named("TILE").bin(Bin::Sub, 1).cast(Scalar::U64);
        let started = left.bin(Bin::Add, less_one).over(tile);
        self.body.push(Stmt::Let(blocks.clone(), started.bin(Bin::Min, cluster).cast(Scalar::U32)));
        blocks.get()
    }
}
