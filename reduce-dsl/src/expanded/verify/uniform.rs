//! For whom a value is the same, and so a condition that it decides: what threads that meet have to agree on.

use super::super::Expr;
use super::Verifier;
use crate::ops::{Bin, Cmp};
use crate::program::Program;

/// For whom a value is the same: everyone in the cluster, in the block, in a warp, or nobody else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Uniform {
    Thread,
    Warp,
    Block,
    Cluster,
}

impl Verifier<'_> {
    /// For whom the value of an expression is the same.
    pub(super) fn uniform(&self, expr: &Expr) -> Uniform {
        match expr {
            Expr::Thread => Uniform::Thread,
            Expr::Local(local) | Expr::Lane(local, _) => {
                self.scope.get(&local.name).map_or(Uniform::Thread, |it| it.uniform)
            }
            Expr::Bin(Bin::Div, a, b) if **a == Expr::Thread && **b == Expr::from(Program::WARP) => {
                Uniform::Warp
            }
            Expr::Cmp(Cmp::Lt, a, b) if **a == Expr::Thread && whole_warps(b) => Uniform::Warp,
            Expr::Block | Expr::Rank => Uniform::Block,
            Expr::Const(_) | Expr::Named(_) | Expr::Grid | Expr::Items | Expr::Elements => Uniform::Cluster,
            Expr::Step(_) | Expr::Param(..) | Expr::Aligned(..) => Uniform::Cluster,
            Expr::Empty | Expr::NearEmpty => Uniform::Cluster,
            Expr::Un(..) | Expr::Bin(..) | Expr::Cmp(..) | Expr::Cast(..) | Expr::Map(_) => self.meet(expr),
            Expr::Combine(..) | Expr::Fold(..) | Expr::Finish(..) => self.meet(expr),
            Expr::NearMap(_) | Expr::Far(..) => self.meet(expr),
        }
    }

    fn meet(&self, expr: &Expr) -> Uniform {
        expr.operands().into_iter().map(|it| self.uniform(it)).min().unwrap_or(Uniform::Cluster)
    }
}

/// Is it a number of threads that make whole warps?
fn whole_warps(threads: &Expr) -> bool {
    matches!(threads, Expr::Const(threads) if threads.bits().is_multiple_of(Program::WARP.into()))
}
