//! How neighbouring groups, in neighbouring threads, divide the tree of their association.

use super::{Kernel, Program, Reads, Scope, Tree};

/// The strides of a tree over the threads of the association, in the order in which they are combined, divided into three:
///
/// ```text
/// 16 8 4 | 2 1 | 256 128 64 32      block of 512, 4 parts
/// turns  | parts | rounds
/// ```
///
/// A thread evaluates the logical threads of a round one after the other. Those of parts are other threads, so that neighbouring
/// parts read neighbouring units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divided {
    /// The strides between the turns of a thread in a round.
    pub turns: Vec<u32>,
    /// The strides between the parts of a group.
    pub parts: Vec<u32>,
    /// The strides between rounds.
    pub rounds: Vec<u32>,
}

impl Program {
    /// Returns the strides of the trees over the threads of a kernel, in order, without those to threads that have no item.
    pub fn strides(&self, reads: Reads) -> Vec<u32> {
        let (reached, _) = self.reached(reads);
        let all = strides(self.kernel(reads), self.block);
        all.into_iter().filter(|&stride| stride < reached || !self.domain.is_grouped()).collect()
    }

    /// Returns how neighbouring groups divide the strides of a kernel. By halving, parts are the last threads of a warp. By pairs,
    /// they are far apart: the first levels of the tree combine neighbouring threads, so that one thread evaluates them.
    pub fn divided(&self, reads: Reads) -> Divided {
        let strides = self.strides(reads);
        let levels = (self.parts_beside(reads).max(1).ilog2() as usize).min(strides.len());
        let end = strides.iter().position(|&stride| stride == 1).map_or(strides.len(), |at| at + 1);
        let end = if end == 1 { strides.len() } else { end.max(levels) };
        let (inside, rounds) = strides.split_at(end);
        let (turns, parts) = inside.split_at(end - levels);
        Divided { turns: turns.to_vec(), parts: parts.to_vec(), rounds: rounds.to_vec() }
    }
}

impl Divided {
    /// Returns the number of rounds.
    pub fn rounds(&self) -> u32 {
        1 << self.rounds.len()
    }
}

/// Returns the strides of the trees over the threads of a kernel, level by level.
fn strides(kernel: &Kernel, block: u32) -> Vec<u32> {
    let of_threads = kernel.combines().filter(|combine| combine.scope > Scope::Thread);
    let of_tree = |combine: super::Combine| {
        // The items of a tree over warps are warps.
        let warps = combine.scope == Scope::Block && combine.items < block;
        let apart = if warps { Program::WARP } else { 1 };
        combine.tree.strides(combine.items).into_iter().map(move |stride| stride * apart)
    };
    of_threads.flat_map(of_tree).collect()
}

impl Tree {
    /// Returns the strides of a tree over `items` items, level by level.
    pub fn strides(self, items: u32) -> Vec<u32> {
        let doubling = std::iter::successors(Some(1), |stride| Some(2 * stride));
        let mut strides: Vec<u32> = doubling.take_while(|&stride| stride < items).collect();
        if self == Tree::Halving {
            strides.reverse();
        }
        strides
    }
}
