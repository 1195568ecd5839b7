//! Trees over a block: through shared memory, or through shuffles of the first warp.

use super::Expansion;
use reduce_dsl::expanded::{Barrier, Buffer, Expr, Local, Loop, Shared, Stmt, Ty};
use reduce_dsl::ops::Bin;
use reduce_dsl::program::{Addressing, Combine, Program};

const TREE: &str = "tree";
const WARP_VALUES: &str = "warp_values";

impl Expansion<'_> {
    /// The accumulators of the threads become one, in thread 0, through an array of the whole block.
    pub(super) fn shared_tree(&mut self, combine: Combine, addressing: Addressing) {
        self.shared.push(Shared { name: TREE, len: "BLOCK" });
        let slot = Buffer::Shared(TREE).at(Expr::Thread);
        self.body.extend([Stmt::Store(slot, self.acc().get()), Stmt::Barrier(Barrier::Block)]);
        let steps = match addressing {
            Addressing::Modulo => self.modulo(combine),
            Addressing::Sequential => self.halving(combine, |expansion, stride, suffix| {
                let active = Expr::Thread.below(stride.clone());
                expansion.shared_step(active, stride, suffix)
            }),
        };
        self.body.extend(steps);
        self.lanes.clear();
    }

    /// The steps of a tree by pairs: a loop over the stride, or one copy of the step for each stride.
    fn modulo(&self, combine: Combine) -> Vec<Stmt> {
        let step = |stride: Expr, pair: Expr, suffix: &str| {
            self.shared_step(Expr::Thread.bin(Bin::Rem, pair).equals(0), stride, suffix)
        };
        if combine.unrolled {
            let strides = std::iter::successors(Some(1u32), |stride| Some(2 * stride));
            let strides = strides.take_while(|&stride| stride < combine.items);
            let written_out = |stride: u32| step(stride.into(), (2 * stride).into(), &format!("_{stride}"));
            return strides.flat_map(written_out).collect();
        }
        let stride = Local::new("stride", Ty::U32);
        vec![Stmt::For(Box::new(Loop {
            from: 1.into(),
            test: stride.get().below(Expr::Named("BLOCK")),
            next: stride.get().times(2),
            unroll: false,
            body: step(stride.get(), Expr::from(2).times(stride.get()), ""),
            local: stride,
        }))]
    }

    /// One level of the tree: active threads add the item a stride further up.
    fn shared_step(&self, active: Expr, stride: Expr, suffix: &str) -> Vec<Stmt> {
        let there = Expr::Thread.plus(stride.clone()).below(self.present.clone());
        let [left, right] = ["left", "right"].map(|side| Local::new(format!("{side}{suffix}"), Ty::Acc));
        let at = |index| Buffer::Shared(TREE).at(index);
        let body = vec![
            Stmt::Load(left.clone(), at(Expr::Thread)),
            Stmt::Load(right.clone(), at(Expr::Thread.plus(stride))),
            Stmt::Store(at(Expr::Thread), left.get().combine(right.get())),
        ];
        let test = if self.guarded() { active.and(there) } else { active };
        vec![Stmt::when(test, body), Stmt::Barrier(Barrier::Block)]
    }

    /// The accumulators of the warps become one, in thread 0: each warp leaves its own in shared memory,
    /// and after the barrier the first warp takes them through shuffles.
    pub(super) fn warps_tree(&mut self, combine: Combine) {
        self.derived(
            "WARPS",
            combine.items,
            format!("BLOCK / {}", Program::WARP),
            "shuffle: warps of a block",
        );
        self.shared.push(Shared { name: WARP_VALUES, len: "WARPS" });
        let [warp, lane] = ["warp", "lane"].map(|name| Local::new(name, Ty::U32));
        let values = |index: &Local| Buffer::Shared(WARP_VALUES).at(index.get());
        self.body.extend([
            Stmt::Let(warp.clone(), Expr::Thread.over(Program::WARP)),
            Stmt::Let(lane.clone(), Expr::Thread.bin(Bin::Rem, Program::WARP)),
            Stmt::when(lane.get().equals(0), vec![Stmt::Store(values(&warp), self.acc().get())]),
            Stmt::Barrier(Barrier::Block),
        ]);
        let outside = std::mem::take(&mut self.body);
        self.first_warp(combine, &lane);
        let inside = std::mem::replace(&mut self.body, outside);
        self.body.push(Stmt::when(warp.get().equals(0), inside));
    }

    fn first_warp(&mut self, combine: Combine, lane: &Local) {
        let acc = self.acc().clone();
        let value = Local::new("warp_value", Ty::Acc);
        let warps = self.warps_present();
        let take = vec![
            Stmt::Load(value.clone(), Buffer::Shared(WARP_VALUES).at(lane.get())),
            Stmt::Set(acc.clone(), value.get()),
        ];
        self.body.push(Stmt::Set(acc, Expr::Empty));
        self.body.push(Stmt::when(lane.get().below(Expr::Named("WARPS")), take));
        self.shuffle_tree(combine, warps);
    }

    /// How many warps hold an item.
    fn warps_present(&mut self) -> Expr {
        if !self.guarded() {
            return Expr::Named("WARPS");
        }
        let warps = Local::new("warps_present", Ty::U32);
        let started = self.present.clone().plus(Program::WARP - 1).over(Program::WARP);
        self.body.push(Stmt::Let(warps.clone(), started.bin(Bin::Min, Expr::Named("WARPS"))));
        warps.get()
    }
}
