//! The verifier of programs. A violation is a bug of this project: passes refuse the mistakes of users.
//!
//! 1. The first kernel reads inputs and the second reads partials. Both are dependent, or neither is. The same holds for
//!    triggers.
//! 2. `block` is a power of two, 32 … 1024.
//! 3. The steps of a kernel are a fold, then combinations of strictly widening scope and, for a grid, an exchange. The threads of
//!    a warp are combined before its rows. A kernel with a tree in place has no fold, because its items are in memory; the kernel
//!    before it keeps them there.
//! 4. A fold has at least one unit (or block), and its width is a power of two. Partials, strided elements, and the items of a
//!    thread that folds everything are folded one at a time. Units of a tile can be blocked, and so can items that one block
//!    folds to the end; only blocked units of elements lie in rows. Only partials are folded to the end by one block, and only
//!    vectors of elements are streaming. A grid that folds to the end has a limit.
//! 5. The combinations leave one item per block: first the lanes of a thread, then a warp of threads in each row, then the rows,
//!    then the remaining items. A tree in place has two items per thread. Accumulators that are kept are not combined, and
//!    neither are those of a thread that folds everything. The blocks of a cluster, at most 16, leave one item together, in the
//!    kernel over inputs.
//! 6. The medium fits the scope: registers for a thread or the rows of a warp; shuffles for a warp; for a block, shuffles of at
//!    most one item per lane of a warp, or shared or global memory; distributed shared memory for a cluster. Only a tree with
//!    sequential addressing in shared memory treats its last warp separately.
//! 7. The tree fits the medium: `halving` for sequential addressing; `halving` or `pairs` for shuffles and distributed shared
//!    memory; `pairs` for the others.
//! 8. The operator is commutative if elements are reordered: by a striped fold of more than one unit or in one block, by a grid
//!    stride, by `halving`, or by an atomic.
//! 9. A tile, and a round of a grid-stride loop, has at most 2³⁰ items, so that positions inside it fit `u32`.
//! 10. Shared memory does not exceed the size that every architecture gives a block without a request.
//! 11. `map`, `op`, `fold`, `identity`, fill and `finish` have the types of inputs, accumulator and result.
//! 12. Atomics are in the kernel over inputs, on one scalar of 4 or 8 bytes that has a fill. The order of the blocks cannot
//!     change the result, or the user allows any order.
//! 13. Tickets are in the kernel over inputs, before a kernel over partials that is one block and has the same tree, with any
//!     lowering of its levels.
//! 14. Positions are `u64`, or `u32` in a program for fewer than 2³² elements.
//! 15. If one instruction combines the accumulators of a warp, the hardware supports the operation, and the instruction replaces
//!     a tree over warps.
//! 16. One thread combines all items only where warps combine through shuffles, or blocks of a cluster combine, and only if a
//!     fill stands for absent items.
//! 17. The threads of a team that is smaller than a block evaluate all logical threads of its association. These combine in
//!     registers, and in a warp by shuffles. A team of one warp folds a fixed number of units. Several groups are rows of neighbouring elements. Their
//!     blocks combine in the next launch, if at all, and not in clusters or in place.

use super::{
    Addressing, Arrangement, Combine, Exchange, Fold, Kernel, Lowering, Medium, Program, Reads, Scope, Share,
    Size, Step, Team, Tree,
};
use crate::operation::Argument;
use crate::operation::Order;
use crate::redux::Redux;
use crate::{Scalar, Value};

/// The resources that a kernel may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The numbers of threads per block.
    pub block: std::ops::RangeInclusive<u32>,
    /// The most bytes of shared memory per block.
    pub shared: usize,
    /// The most items in a tile.
    pub tile: u64,
}

/// The limits that hold on every architecture (CUDA C++ Programming Guide, technical specifications).
pub const LIMITS: Limits = Limits { block: 32..=1024, shared: 48 << 10, tile: 1 << 30 };

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rule {rule} of the program verifier does not hold: {what}")]
pub struct Violation {
    /// The number of the rule in the documentation of this module.
    pub rule: u32,
    /// A description of the violation.
    pub what: String,
}

type Check = Result<(), Violation>;

impl Program {
    /// Checks every rule.
    ///
    /// # Errors
    /// The first broken rule, and where it is broken.
    pub fn verify(&self) -> Check {
        let reads: Vec<_> = self.kernels.iter().map(|kernel| kernel.reads).collect();
        ensure(1, reads == [Reads::Inputs, Reads::Partials], || {
            format!("the kernels must read inputs, then partials, not {reads:?}")
        })?;
        let overlaps: Vec<_> = self.kernels.iter().map(|kernel| (kernel.dependent, kernel.trigger)).collect();
        ensure(1, overlaps[0] == overlaps[1], || {
            format!("both kernels must overlap alike, not as {overlaps:?}")
        })?;
        let legal = self.block.is_power_of_two() && LIMITS.block.contains(&self.block);
        ensure(2, legal, || format!("a block has 32 to 1024 threads, a power of two, not {}", self.block))?;
        self.kernels.iter().try_for_each(|kernel| verify_kernel(self, kernel))?;
        verify_types(self)?;
        verify_positions(self)
    }

    /// Returns the bytes of shared memory that a kernel uses.
    pub fn shared_bytes(&self, kernel: &Kernel) -> usize {
        let of_block = |combine: &Combine| combine.scope < Scope::Cluster;
        let [block, cluster] = [true, false].map(|inside| {
            kernel.combines().filter(|combine| of_block(combine) == inside).map(slots).sum::<usize>()
        });
        let acc = &self.operation.acc;
        let sent = if cluster > 0 { Program::COUNT_OF_MESSAGES + cluster * 4 * acc.words() } else { 0 };
        let beside = match kernel.team.beside {
            0 | 1 => 0,
            _ => self.values_beside(kernel.reads) as usize,
        };
        (block + beside) * acc.size() + sent
    }
}

/// Returns the number of accumulators in shared memory that a combination uses.
fn slots(combine: Combine) -> usize {
    let through_memory = match combine.medium {
        Medium::Registers | Medium::Global(_) => false,
        Medium::Shuffle => combine.scope == Scope::Block,
        Medium::Distributed | Medium::Shared(_) => true,
    };
    if through_memory { combine.items as usize } else { 0 }
}

fn verify_kernel(program: &Program, kernel: &Kernel) -> Check {
    verify_order(program, kernel)?;
    verify_fold(program, kernel, kernel.fold())?;
    verify_atomic(program, kernel)?;
    verify_ticket(program, kernel)?;
    verify_redux(program, kernel)?;
    verify_serial_tail(program, kernel)?;
    verify_items(program, kernel)?;
    kernel.combines().try_for_each(|combine| verify_combine(program, kernel, combine))?;
    verify_team(program, kernel)?;
    let (tile, shared) = (program.tile(kernel.reads), program.shared_bytes(kernel));
    let rounds = if let Size::Grid { most: Some(blocks) } = kernel.team.size { blocks } else { 1 };
    let round = tile.saturating_mul(rounds.into());
    ensure(9, round <= LIMITS.tile, || {
        format!("{} has too large tiles, of {tile} items, or rounds, of {round}", kernel.name)
    })?;
    ensure(10, shared <= LIMITS.shared, || {
        format!("{} uses {shared} bytes of shared memory; the limit is {}", kernel.name, LIMITS.shared)
    })
}

fn verify_order(program: &Program, kernel: &Kernel) -> Check {
    let in_place = |reads| program.kernel(reads).in_place().is_some();
    let partials = kernel.reads == Reads::Partials;
    let ends = match kernel.steps.as_slice() {
        [Step::Fold(_), .., Step::Keep] => !partials && in_place(Reads::Partials),
        [Step::Fold(_), ..] => !in_place(kernel.reads) && (partials || !in_place(Reads::Partials)),
        [Step::Combine(_), ..] => partials && in_place(kernel.reads) && kernel.team.is_grid(),
        _ => false,
    };
    let last = match (kernel.team.is_grid(), kernel.steps.last()) {
        (true, Some(Step::Exchange(_) | Step::Keep)) => 1,
        (false, Some(Step::Fold(_) | Step::Combine(_))) => 0,
        _ => return ensure(3, false, || steps_of(kernel)),
    };
    let folds = usize::from(kernel.in_place().is_none());
    let middle = kernel.steps.len() == kernel.combines().count() + folds + last;
    let scope = |combine: Combine| (combine.scope, combine.medium == Medium::Registers);
    let scopes: Vec<_> = kernel.combines().map(scope).collect();
    let widening = scopes.is_sorted_by(|a, b| a < b);
    ensure(3, ends && middle && widening, || steps_of(kernel))
}

fn steps_of(kernel: &Kernel) -> String {
    format!("the steps of {} do not fit together: {:?}", kernel.name, kernel.steps)
}

fn verify_fold(program: &Program, kernel: &Kernel, fold: Fold) -> Check {
    let rest = fold.share == Share::Rest;
    let (several, wide) = match (fold.share, kernel.team.size) {
        (Share::Units(units), _) => (units, true),
        (Share::Rest, Size::Grid { most }) => (most.unwrap_or(0), true),
        (Share::Rest, Size::Thread | Size::Lanes(_) | Size::Warp | Size::Block | Size::Cluster) => (1, false),
    };
    let narrow = fold.width == 1 || (wide && kernel.reads == Reads::Inputs);
    let runs = !rest || kernel.team.size == Size::Block;
    let arranged = match fold.arrangement {
        Arrangement::Striped => fold.lanes.is_power_of_two() && fold.lanes <= fold.width,
        Arrangement::Blocked => runs && fold.lanes == 1,
    };
    let rows =
        fold.arrangement == Arrangement::Blocked && kernel.reads == Reads::Inputs && fold.units().is_some();
    let placed = (!rest || kernel.team.size != Size::Block || kernel.reads == Reads::Partials)
        && (rest || kernel.team != Team::THREAD && !matches!(kernel.team.size, Size::Grid { most: Some(_) }))
        && (!fold.hints.streaming || fold.width > 1)
        && (!fold.in_rows || rows);
    let legal = several > 0 && fold.width.is_power_of_two() && narrow && arranged && placed;
    ensure(4, legal, || format!("`{fold}` is not allowed here"))?;
    ensure(8, kernel.is_in_order() || program.operation.commutative, || {
        format!("`{fold}` reorders an ordered operator")
    })
}

fn verify_atomic(program: &Program, kernel: &Kernel) -> Check {
    let Program { operation, .. } = program;
    let word = operation.acc.is_scalar() && [4, 8].contains(&operation.acc.size());
    let free = operation.exact || operation.order == Order::Any;
    let legal = kernel.reads == Reads::Inputs && word && free && operation.fill.is_some();
    ensure(12, !kernel.is_atomic() || legal, || steps_of(kernel))?;
    ensure(8, !kernel.is_atomic() || operation.commutative, || {
        "an atomic reorders an ordered operator".to_owned()
    })
}

fn verify_ticket(program: &Program, kernel: &Kernel) -> Check {
    let next = program.kernel(Reads::Partials);
    let trees = |kernel: &Kernel| {
        let in_block = |combine: &Combine| {
            [Scope::Warp, Scope::Block].contains(&combine.scope) && combine.medium != Medium::Registers
        };
        let trees = kernel.combines().filter(in_block);
        trees.map(|combine| Combine { lowering: Lowering::Loop, ..combine }).collect::<Vec<_>>()
    };
    let legal = kernel.reads == Reads::Inputs && is_rest_of_block(next) && trees(kernel) == trees(next);
    ensure(13, !kernel.has_ticket() || legal, || steps_of(kernel))
}

fn verify_team(program: &Program, kernel: &Kernel) -> Check {
    let threads = match kernel.team.size {
        _ if kernel.team.beside > 1 => kernel.team.logical,
        Size::Thread if kernel.fold().share == Share::Rest => 1,
        Size::Thread => program.block,
        Size::Warp => program.block / Program::WARP,
        Size::Lanes(_) => [1, 2, 4].into_iter().find(|it| *it == kernel.team.logical).unwrap_or(1),
        Size::Block | Size::Cluster | Size::Grid { .. } => 1,
    };
    let small =
        matches!(kernel.team.size, Size::Thread | Size::Lanes(_) | Size::Warp) || kernel.team.beside > 1;
    let alone = |combine: Combine| match combine.medium {
        Medium::Registers => true,
        Medium::Shuffle => {
            matches!(kernel.team.size, Size::Lanes(_) | Size::Warp) && combine.scope == Scope::Warp
        }
        Medium::Shared(_) | Medium::Global(_) | Medium::Distributed => false,
    };
    let meets = !small || kernel.fold().share == Share::Rest || kernel.combines().all(alone);
    // Logical threads fold a fixed number of units; only a single thread folds to the end.
    let counted = !matches!(kernel.team.size, Size::Lanes(_) | Size::Warp) || kernel.fold().units().is_some();
    let counted = counted && verify_lanes(program, kernel);
    let several = program.domain.is_grouped();
    let together = matches!(kernel.exchange(), Some(Exchange::LastBlock { .. } | Exchange::Atomic));
    let grouped = !several
        || !(together
            || kernel.cluster() > 1
            || kernel.in_place().is_some()
            || kernel.steps.contains(&Step::Keep));
    let beside = verify_beside(program, kernel);
    ensure(17, threads == kernel.team.logical && meets && counted && grouped && beside, || {
        format!("the team of {} cannot be {} with a block of {}", kernel.name, kernel.team, program.block)
    })
}

/// Returns whether the elements fit the lanes of the team.
fn verify_lanes(program: &Program, kernel: &Kernel) -> bool {
    let Size::Lanes(lanes) = kernel.team.size else { return true };
    let threads = lanes * kernel.team.logical;
    let fits =
        threads <= Program::WARP && program.up_to.is_some_and(|n| n <= program.items_of_lanes(threads));
    let ordered = |combine: Combine| combine.scope == Scope::Warp && combine.tree == Tree::Pairs;
    let fits = fits && (kernel.team.logical == 1 || !kernel.combines().any(ordered));
    let whole = program.block == Program::WARP && matches!(lanes, 2 | 4 | 8 | 16);
    let shuffled = kernel.combines().all(|combine| combine.lowering != Lowering::WarpReduce);
    fits && whole && shuffled && !kernel.fold().in_rows && kernel.reads == Reads::Inputs
}

/// Returns whether the parts of neighbouring groups divide the threads of the association.
fn verify_beside(program: &Program, kernel: &Kernel) -> bool {
    let team = kernel.team;
    if team.beside == 1 {
        return true;
    }
    let parts = program.block / team.logical.max(1);
    let divides = parts.is_power_of_two() && parts * team.logical == program.block && team.logical > 1;
    let reached = parts == 1 || 2 * parts <= program.reached(kernel.reads).0;
    let whole =
        matches!(team.beside, 4 | 8 | 16 | 32 | 64 | 128) && (32..=1024).contains(&(parts * team.beside));
    let of_block =
        matches!(team.size, Size::Block | Size::Grid { most: None }) && program.domain.is_grouped();
    let counted = kernel.fold().units().is_some() && !kernel.fold().in_rows;
    divides && reached && whole && of_block && counted && kernel.reads == Reads::Inputs
}

/// Returns whether one block folds all items.
fn is_rest_of_block(kernel: &Kernel) -> bool {
    kernel.team == Team::BLOCK && kernel.fold().share == Share::Rest
}

fn verify_positions(program: &Program) -> Check {
    let position = program.operation.position;
    let fits = position == Scalar::U32 && program.up_to.is_some_and(|n| n <= Program::MOST_OF_U32);
    ensure(14, position == Scalar::U64 || fits, || format!("positions of {position} do not fit"))
}

fn verify_redux(program: &Program, kernel: &Kernel) -> Check {
    let shuffled = |combine: &Combine| matches!(combine.medium, Medium::Shuffle | Medium::Distributed);
    let mut combines =
        kernel.combines().filter(|combine| combine.lowering == Lowering::WarpReduce).peekable();
    let known = combines.peek().is_none() || Redux::of(&program.operation).is_some();
    ensure(15, known && combines.all(|combine| shuffled(&combine)), || steps_of(kernel))
}

fn verify_serial_tail(program: &Program, kernel: &Kernel) -> Check {
    let of_warps = |combine: &Combine| combine.medium == Medium::Shuffle && combine.scope == Scope::Block;
    let legal = |combine: &Combine| of_warps(combine) || combine.medium == Medium::Distributed;
    let mut combines = kernel.combines().filter(|combine| combine.lowering == Lowering::SerialTail);
    let has_fill = program.operation.fill.is_some();
    ensure(16, combines.all(|combine| has_fill && legal(&combine)), || steps_of(kernel))
}

fn verify_items(program: &Program, kernel: &Kernel) -> Check {
    let items_where = |is: &dyn Fn(&Combine) -> bool| kernel.combines().find(is).map_or(1, |it| it.items);
    let logical = kernel.team.logical > 1;
    let is_of_rows = |it: &Combine| !logical && it.scope == Scope::Warp && it.medium == Medium::Registers;
    let items = |scope| items_where(&|it| it.scope == scope && !is_of_rows(it));
    let rows = items_where(&is_of_rows);
    let thread = items(Scope::Thread) == kernel.fold().lanes && rows == kernel.fold().rows();
    let warp = [1, Program::WARP].contains(&items(Scope::Warp));
    let alone = kernel.steps.contains(&Step::Keep) || kernel.team == Team::THREAD;
    let wanted = match (alone, kernel.in_place()) {
        (true, _) => Some(1),
        (false, Some(_)) => program.block.checked_mul(2),
        (false, None) => Some(program.block),
    };
    let block = items(Scope::Warp).checked_mul(items(Scope::Block)) == wanted;
    let inside = kernel.combines().all(|combine| combine.scope <= Scope::Cluster && combine.items > 1);
    let cluster = kernel.cluster() == 1 || (kernel.cluster() <= 16 && kernel.reads == Reads::Inputs);
    ensure(5, thread && warp && block && inside && cluster, || steps_of(kernel))
}

fn verify_combine(program: &Program, kernel: &Kernel, combine: Combine) -> Check {
    let logical = kernel.team.logical > 1;
    let Combine { scope, items, tree, medium, last_warp, .. } = combine;
    let fits = match medium {
        Medium::Registers => matches!(scope, Scope::Thread | Scope::Warp) || logical && scope == Scope::Block,
        Medium::Shuffle => matches!(scope, Scope::Warp | Scope::Block) && items <= Program::WARP,
        Medium::Shared(_) | Medium::Global(_) => scope == Scope::Block,
        Medium::Distributed => scope == Scope::Cluster,
    };
    let fits = fits && (!last_warp || medium == Medium::Shared(Addressing::Sequential));
    ensure(6, fits, || format!("`{combine}` is not allowed here"))?;
    let shaped = match medium {
        Medium::Shuffle | Medium::Distributed => matches!(tree, Tree::Halving | Tree::Pairs),
        Medium::Registers => tree == Tree::Pairs || logical && tree == Tree::Halving,
        Medium::Shared(addressing) | Medium::Global(addressing) => tree == addressing.tree(),
    };
    ensure(7, shaped && items.is_power_of_two(), || format!("`{combine}` is not allowed here"))?;
    ensure(8, tree == Tree::Pairs || program.operation.commutative, || {
        format!("`{combine}` reorders an ordered operator")
    })
}

fn verify_types(program: &Program) -> Check {
    let op = &program.operation;
    let acc = op.acc.types();
    let params = |func: &crate::func::Func| func.params().iter().map(|param| param.ty).collect::<Vec<_>>();
    let given = |needed: usize, arguments: Vec<Argument>| {
        let is_needed = |it: &&Argument| matches!(it, Argument::Acc(_) | Argument::Input(_));
        let whole = arguments.iter().filter(is_needed).count() == needed;
        whole.then(|| arguments.iter().map(|it| op.argument_type(*it)).collect::<Vec<_>>())
    };
    let constant = |values: &Vec<Value>| values.iter().map(|value| value.ty()).eq(acc.iter().copied());
    let folds = match (&op.fold, op.fold_arguments()) {
        (Some(fold), Some(arguments)) => {
            Some(params(fold)) == given(acc.len() + op.inputs.len(), arguments) && fold.result_types() == acc
        }
        _ => true,
    };
    let legal = Some(params(&op.map)) == given(op.inputs.len(), op.map_arguments())
        && op.map.result_types() == acc
        && folds
        && params(&op.combine) == [acc.clone(), acc.clone()].concat()
        && op.combine.result_types() == acc
        && op.identity.iter().chain(&op.fill).all(constant)
        && Some(params(&op.finish)) == given(acc.len(), op.finish_arguments())
        && op.finish.result_types() == op.stored().types();
    ensure(11, legal, || format!("the functions of `{}` do not match its types", op.name))
}

fn ensure(rule: u32, holds: bool, what: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(Violation { rule, what: what() }) }
}
