//! The tree over the warps of a block, in the first warp or in one thread.

use super::Lowerer;
use reduce_ir::ops::Bin;
use reduce_ir::program::{Combine, Lowering, Program, Tree};
use reduce_ir::statements::{Barrier, Buffer, Expr, Local, Stmt, Ty};

const WARP_VALUES: &str = "warp_values";

impl Lowerer<'_> {
    /// Combines the accumulators of the warps, in thread 0. Each warp leaves its accumulator in shared memory. After
    /// the barrier, the first warp loads and combines them, or one thread does.
    pub(super) fn warps_tree(&mut self, combine: Combine) {
        self.derived(
            "WARPS",
            combine.items,
            format!("BLOCK / {}", Program::WARP),
            "shuffle: warps of a block",
        );
        let values = self.shared_array(WARP_VALUES, "WARPS");
        let [warp, lane] = ["warp", "lane"].map(|name| Local::new(name, Ty::U32));
        // The tree of the last block follows one that declared them.
        if !self.in_last_block() {
            self.body.extend([
                Stmt::Let(warp.clone(), Expr::Thread.over(Program::WARP)),
                Stmt::Let(lane.clone(), Expr::Thread.bin(Bin::Rem, Program::WARP)),
            ]);
        }
        self.body.extend([
            Stmt::when(lane.get().equals(0), vec![Stmt::Store(values.at(warp.get()), self.acc().get())]),
            Stmt::Barrier(Barrier::Block),
        ]);
        let outside = std::mem::take(&mut self.body);
        let takes = if combine.lowering == Lowering::SerialTail {
            self.serial_tail(combine, values, "warp_value");
            Expr::Thread.equals(0)
        } else {
            self.first_warp(combine, values, &lane);
            warp.get().equals(0)
        };
        let inside = std::mem::replace(&mut self.body, outside);
        self.body.push(Stmt::when(takes, inside));
    }

    /// Combines all values in one thread, which loads them and goes level by level.
    pub(super) fn serial_tail(&mut self, combine: Combine, values: Buffer, name: &str) {
        let Combine { tree, items, .. } = combine;
        let local = |of: &Self, suffix: String| of.local(&format!("{name}_{suffix}"), Ty::Acc);
        let mut all: Vec<_> = (0..items).map(|item| local(self, item.to_string())).collect();
        let load = |(it, item): (&Local, u32)| Stmt::Load(it.clone(), values.at(Expr::from(item)));
        self.body.extend(all.iter().zip(0..).map(load));
        for stride in tree.strides(items) {
            let (end, step) = if tree == Tree::Pairs { (items, 2 * stride) } else { (stride, 1) };
            for left in (0..end).step_by(step as usize) {
                let pair = local(self, format!("{left}_{stride}"));
                let [a, b] = [left, left + stride].map(|at| all[at as usize].get());
                self.body.push(Stmt::Let(pair.clone(), a.combine(b)));
                all[left as usize] = pair;
            }
        }
        self.body.push(Stmt::Set(self.acc().clone(), all[0].get()));
    }

    fn first_warp(&mut self, combine: Combine, values: Buffer, lane: &Local) {
        let acc = self.acc().clone();
        let value = self.local("warp_value", Ty::Acc);
        let warps = self.warps_present();
        let take =
            vec![Stmt::Load(value.clone(), values.at(lane.get())), Stmt::Set(acc.clone(), value.get())];
        self.body.push(Stmt::Set(acc, Expr::Empty));
        self.body.push(Stmt::when(lane.get().below(Expr::Named("WARPS")), take));
        self.shuffle_tree(combine, warps);
    }

    /// Returns the number of warps that hold an item.
    fn warps_present(&mut self) -> Expr {
        if !self.guarded() {
            return Expr::Named("WARPS");
        }
        let warps = self.local("warps_present", Ty::U32);
        let started = self.present.clone().plus(Program::WARP - 1).over(Program::WARP);
        self.body.push(Stmt::Let(warps.clone(), started.bin(Bin::Min, Expr::Named("WARPS"))));
        warps.get()
    }
}
