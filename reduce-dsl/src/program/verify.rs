//! The verifier of programs. A violation is a bug of this project: passes refuse what users get wrong.
//!
//! 1. The kernels are, in this order, one that reads inputs and one that reads partials.
//! 2. `block` is a power of two, 32 … 1024.
//! 3. The steps of a kernel are a fold, then combinations of strictly widening scope, then the grid.
//! 4. A fold has at least one unit and its width is a power of two; partials are folded one at a time.
//! 5. The combinations leave one item a block: the lanes of a thread, then a warp of threads, then what is left.
//! 6. The medium fits the scope: registers for a thread, shuffles for a warp, shuffles of at most one
//!    item a lane of a warp, or shared memory, for a block.
//! 7. The tree fits the medium: `pairs` for modulo addressing and registers, `halving` for the others.
//! 8. A fold of more than one unit, and `halving`, reorder elements: the operator is commutative.
//! 9. A tile has at most 2³⁰ items, so that positions inside it fit `u32`.
//! 10. Shared memory stays within what every architecture gives a block without asking.
//! 11. `map`, `op`, `identity` and `finish` have the types of inputs, accumulator and result.

use super::{Addressing, Combine, Fold, Kernel, Medium, Program, Reads, Scope, Step, Tree};
use crate::Scalar;

/// What a kernel may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Threads of a block.
    pub block: std::ops::RangeInclusive<u32>,
    /// Bytes of shared memory of a block.
    pub shared: usize,
    /// Items of a tile.
    pub tile: u64,
}

/// The limits that hold on every architecture (CUDA C++ Programming Guide, technical specifications).
pub const LIMITS: Limits = Limits { block: 32..=1024, shared: 48 << 10, tile: 1 << 30 };

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rule {rule} of the program verifier does not hold: {what}")]
pub struct Violation {
    /// The number in the list of this module's documentation.
    pub rule: u32,
    /// What was found.
    pub what: String,
}

type Check = Result<(), Violation>;

impl Program {
    /// Checks every rule.
    pub fn verify(&self) -> Check {
        let reads = [self.kernels[0].reads, self.kernels[1].reads];
        ensure(1, reads == [Reads::Inputs, Reads::Partials], || format!("the kernels read {reads:?}"))?;
        let legal = self.block.is_power_of_two() && LIMITS.block.contains(&self.block);
        ensure(2, legal, || format!("block {}", self.block))?;
        self.kernels.iter().try_for_each(|kernel| verify_kernel(self, kernel))?;
        verify_types(self)
    }

    /// Bytes of shared memory that a kernel uses.
    pub fn shared_bytes(&self, kernel: &Kernel) -> usize {
        let slots = |combine: Combine| match combine.medium {
            Medium::Registers => 0,
            Medium::Shuffle => {
                if combine.scope == Scope::Block {
                    combine.items
                } else {
                    0
                }
            }
            Medium::Shared(_) => combine.items,
        };
        kernel.combines().map(|combine| slots(combine) as usize).sum::<usize>() * self.operation.acc.size()
    }
}

fn verify_kernel(program: &Program, kernel: &Kernel) -> Check {
    verify_order(kernel)?;
    verify_fold(program, kernel, kernel.fold())?;
    verify_items(program, kernel)?;
    kernel.combines().try_for_each(|combine| verify_combine(program, combine))?;
    let (tile, shared) = (program.tile(kernel.reads), program.shared_bytes(kernel));
    ensure(9, tile <= LIMITS.tile, || format!("{} has tiles of {tile} items", kernel.name))?;
    ensure(10, shared <= LIMITS.shared, || format!("{} uses {shared} bytes of shared memory", kernel.name))
}

fn verify_order(kernel: &Kernel) -> Check {
    let ends = matches!(kernel.steps.as_slice(), [Step::Fold(_), .., Step::Grid(_)]);
    let middle = kernel.steps.len() == kernel.combines().count() + 2;
    let scopes: Vec<_> = kernel.combines().map(|combine| combine.scope).collect();
    let widening = scopes.is_sorted_by(|a, b| a < b);
    ensure(3, ends && middle && widening, || format!("the steps of {} are {:?}", kernel.name, kernel.steps))
}

fn verify_fold(program: &Program, kernel: &Kernel, fold: Fold) -> Check {
    let narrow = kernel.reads == Reads::Inputs || fold.width == 1;
    ensure(4, fold.units > 0 && fold.width.is_power_of_two() && narrow, || format!("{fold}"))?;
    ensure(8, fold.units == 1 || program.operation.commutative, || format!("{fold} of an ordered operator"))
}

fn verify_items(program: &Program, kernel: &Kernel) -> Check {
    let items =
        |scope| kernel.combines().find(|combine| combine.scope == scope).map_or(1, |combine| combine.items);
    let thread = items(Scope::Thread) == kernel.fold().width;
    let warp = [1, Program::WARP].contains(&items(Scope::Warp));
    let block = items(Scope::Warp).checked_mul(items(Scope::Block)) == Some(program.block);
    let inside = kernel.combines().all(|combine| combine.scope <= Scope::Block && combine.items > 1);
    ensure(5, thread && warp && block && inside, || {
        format!("the steps of {} are {:?}", kernel.name, kernel.steps)
    })
}

fn verify_combine(program: &Program, combine: Combine) -> Check {
    let Combine { scope, items, tree, medium, .. } = combine;
    let fits = match medium {
        Medium::Registers => scope == Scope::Thread,
        Medium::Shuffle => matches!(scope, Scope::Warp | Scope::Block) && items <= Program::WARP,
        Medium::Shared(_) => scope == Scope::Block,
    };
    ensure(6, fits, || format!("{combine}"))?;
    let shape = match medium {
        Medium::Registers | Medium::Shared(Addressing::Modulo) => Tree::Pairs,
        Medium::Shuffle | Medium::Shared(Addressing::Sequential) => Tree::Halving,
    };
    ensure(7, tree == shape && items.is_power_of_two(), || format!("{combine}"))?;
    ensure(8, tree == Tree::Pairs || program.operation.commutative, || {
        format!("{combine} of an ordered operator")
    })
}

fn verify_types(program: &Program) -> Check {
    let op = &program.operation;
    let acc = op.acc.types();
    let mut inputs: Vec<_> = op.inputs.iter().map(|input| input.ty).collect();
    inputs.extend(op.indexed.then_some(Scalar::U64));
    let params = |func: &crate::func::Func| func.params().iter().map(|param| param.ty).collect::<Vec<_>>();
    let legal = params(&op.map) == inputs
        && op.map.result_types() == acc
        && params(&op.combine) == [acc.clone(), acc.clone()].concat()
        && op.combine.result_types() == acc
        && op.identity.iter().all(|values| values.iter().map(|value| value.ty()).eq(acc.iter().copied()))
        && params(&op.finish) == acc
        && op.finish.result_types() == op.output.types();
    ensure(11, legal, || format!("the functions of `{}`", op.name))
}

fn ensure(rule: u32, holds: bool, what: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(Violation { rule, what: what() }) }
}
