//! The kernels to mutate, and their launches.

use super::support::{LISTS, operations, spec, spec_of};
use reduce_codegen::{Stage, lower, stages};
use reduce_dsl::ladder::RUNGS;
use reduce_dsl::operators::operator;
use reduce_ir::Scalar;
use reduce_ir::operation::{Operation, Order};
use reduce_ir::pass::Pass;
use reduce_ir::program::{Arrangement, Exchange, Program, Reads, Share, Size, Step, Team};
use reduce_ir::spec::{Listed, Passes};
use reduce_ir::statements::{Lowered, LoweredKernel};

/// A kernel with its launches.
pub(crate) struct Subject {
    /// The specification and the kernel.
    pub(crate) name: String,
    pub(crate) operation: Operation,
    pub(crate) kernel: LoweredKernel,
    /// The program, its lowering, and the index of the kernel, for the verifier. Kernels that are written by hand have
    /// none.
    pub(crate) program: Option<(Program, Lowered, usize)>,
    pub(crate) leaves: Leaves,
    pub(crate) launches: Vec<Launch>,
}

/// The memory that a launch writes in addition to the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaves {
    /// A partial for each block.
    Blocks,
    /// A partial for each item.
    Items,
    /// One partial, from an atomic of each block.
    One,
    /// This many partials for each block, and tickets that are 0 again.
    Tickets(u64),
}

/// The size of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Launch {
    pub(crate) items: u64,
    pub(crate) grid: u64,
    pub(crate) aligned: bool,
}

/// The maximum number of items of a launch. Kernels with larger tiles are left out.
const MOST_ITEMS: u64 = 20_000;

impl Subject {
    /// Creates the subject for a kernel of a program.
    fn of(program: &Program, lowered: &Lowered, at: usize) -> Subject {
        let kernel = lowered.kernels[at].clone();
        let steps = &program.kernels[at].steps;
        let leaves = match steps.last() {
            Some(Step::Exchange(Exchange::Atomic)) => Leaves::One,
            Some(Step::Exchange(Exchange::LastBlock { .. })) => Leaves::Tickets(1),
            Some(Step::Keep) => Leaves::Items,
            _ => Leaves::Blocks,
        };
        Subject {
            name: name(program, lowered, at),
            operation: program.operation.clone(),
            kernel,
            program: Some((program.clone(), lowered.clone(), at)),
            leaves,
            launches: launches(program, at),
        }
    }

    /// Creates the subject for a kernel of a program for many groups, without launches.
    pub(crate) fn grouped(program: &Program, lowered: &Lowered, at: usize) -> Subject {
        let name =
            format!("{}, {} of {}", name(program, lowered, at), program.domain.access, program.domain.kept);
        let kernel = lowered.kernels[at].clone();
        let operation = program.operation.clone();
        let program = Some((program.clone(), lowered.clone(), at));
        Subject { name, operation, kernel, program, leaves: Leaves::Blocks, launches: Vec::new() }
    }

    /// Returns whether operation and kernel are the same.
    fn is_like(&self, other: &Subject) -> bool {
        self.operation == other.operation && self.kernel == other.kernel
    }
}

/// Returns the name of a kernel: its specification.
fn name(program: &Program, lowered: &Lowered, at: usize) -> String {
    let types: Vec<_> = program.operation.inputs.iter().map(|input| input.ty.name()).collect();
    format!(
        "{} of {} {}, block {}, {}",
        lowered.kernels[at].name,
        program.operation.name,
        types.join(" and "),
        program.block,
        Listed(&program.passes)
    )
}

/// Returns launches around the boundaries of a kernel: a full tile, a partial one, several blocks, few items, the
/// boundaries of steps, vectors, iterations and clusters, and, with fill, no items.
fn launches(program: &Program, at: usize) -> Vec<Launch> {
    let reads = [Reads::Inputs, Reads::Partials][at];
    let (tile, most) = (program.tile(reads), program.most_blocks(reads));
    let (fold, cluster) = (program.kernels[at].fold(), u64::from(program.kernels[at].cluster()));
    let width = u64::from(fold.width);
    let turn = match (fold.share, program.kernels[at].team.size) {
        (Share::Units(_), _) => u64::from(program.block) * width,
        (Share::Rest, Size::Grid { most }) => tile * u64::from(most.unwrap_or(1)),
        (Share::Rest, Size::Thread) => 1,
        (Share::Rest, Size::Lanes(_) | Size::Warp | Size::Block | Size::Cluster) => program.block.into(),
    };
    let one_block = (fold.share, program.kernels[at].team) == (Share::Rest, Team::BLOCK);
    let powers = (5..=8).map(|log2| 1 << log2);
    let few = (1..=17).chain(powers.flat_map(|power| [power - 1, power, power + 1]));
    // In order, a thread has consecutive elements, and a tree combines pairs. With these numbers of threads, or blocks, the
    // last has no pair.
    let unpaired = [2, 3, 5, 9, 17].into_iter().filter(|_| fold.arrangement == Arrangement::Blocked);
    let of_threads = unpaired.clone().map(|threads| threads * (tile / u64::from(program.block)));
    // The same for the units of each row, and for one item of a row.
    let units = (0..u64::from(fold.rows())).flat_map(|row| [1, 2, 3, 5, 9, 17].map(|unit| 32 * row + unit));
    let of_rows = units.map(|units| units * width).filter(|_| fold.in_rows);
    let next_turn = (1..=width + 1).map(|items| turn + items);
    // Full tiles, followed by one item, or by one row and some items.
    let after_full_tiles = (width > 1).then_some([tile * cluster + 1, 2 * tile * cluster + turn + width]);
    // More partials per thread than are loaded at once.
    let more_than_at_once = one_block.then_some(9 * turn + 1);
    let no_items = program.operation.fill.is_some().then_some(0);
    let tiles = tile * cluster;
    let sizes = [tiles, tiles - 1, 2 * turn.max(tiles) + tile / 2 + 1, 33, 1].into_iter();
    let of_cluster = (cluster > 1).then_some([tile, tile + 1, tiles + 1]).into_iter().flatten();
    // More partials than threads of the block that finishes last, and numbers around steps of its tree.
    let ticket = program.kernels[at].has_ticket();
    let of_last = [u64::from(program.block) + 2, 8, 9, 16, 17, 32, 33].into_iter().chain(unpaired);
    let of_last = of_last.map(|blocks| blocks * tiles).filter(|_| ticket);
    let sizes = [tiles]
        .into_iter()
        .chain(of_last)
        .chain(sizes)
        .chain(no_items)
        .chain(of_cluster)
        .chain(few)
        .chain(of_threads)
        .chain(of_rows)
        .chain(next_turn)
        .chain(after_full_tiles.into_iter().flatten())
        .chain(more_than_at_once);
    let alignments: &[bool] = if fold.width > 1 { &[true, false] } else { &[true] };
    let grid = |items: u64| items.div_ceil(tile).clamp(1, most).next_multiple_of(cluster);
    let launch = |items, aligned| Launch { items, grid: grid(items), aligned };
    let mut launches = Vec::new();
    for launch in sizes.flat_map(|items| alignments.iter().map(move |&aligned| launch(items, aligned))) {
        if !launches.contains(&launch) {
            launches.push(launch);
        }
    }
    launches
}

/// Returns the kernels of the programs after each pass of the specifications, each kernel once.
pub(crate) fn kernels_of(specs: impl Iterator<Item = reduce_ir::Spec>) -> Vec<Subject> {
    let mut found: Vec<Subject> = Vec::new();
    for Stage { program, .. } in specs.flat_map(|spec| stages(&spec).unwrap()) {
        let lowered = lower(&program).unwrap();
        let subjects = (0..2).map(|at| Subject::of(&program, &lowered, at));
        for subject in subjects.filter(|it| it.launches.iter().all(|launch| launch.items <= MOST_ITEMS)) {
            if !found.iter().any(|other| other.is_like(&subject)) {
                found.push(subject);
            }
        }
    }
    found
}

/// Makes blocks smaller and grids larger, so that few elements occupy more blocks than the last block has threads.
fn of_many_blocks(spec: reduce_ir::Spec) -> reduce_ir::Spec {
    let Passes::List(passes) = spec.passes else { return spec };
    let strided = passes.iter().any(|pass| pass.name == "grid_stride");
    let passes = passes.into_iter().map(|pass| match pass.name {
        "grid_stride" => Pass::with("grid_stride", 40),
        "cluster" => Pass::with("cluster", 2),
        _ => pass,
    });
    let block = spec.block.map(|block| block.min(if strided { 32 } else { 64 }));
    reduce_ir::Spec { block, passes: Passes::List(passes.collect()), ..spec }
}

/// Returns the specifications of an operator with the lists of the other tests and the rungs of the ladder. Blocks have at
/// most `most_threads` threads.
pub(crate) fn specs(name: &str, ty: Scalar, most_threads: u32) -> impl Iterator<Item = reduce_ir::Spec> {
    let operator = operator(name).unwrap();
    let lists = LISTS.map(|(block, list)| {
        let spec = spec(operator, ty, block.min(most_threads), list);
        if list.contains("ticket") { of_many_blocks(spec) } else { spec }
    });
    let rungs = RUNGS.map(|rung| {
        let passes = rung.passes.iter().map(|&pass| match pass.name {
            // A grid that makes several iterations on small data.
            "grid_stride" => Pass::with("grid_stride", 3),
            _ => pass,
        });
        let mut spec = spec(operator, ty, rung.block(0, 64).min(most_threads), "");
        spec.passes = Passes::List(passes.collect());
        spec.operation.order = Order::Any;
        spec
    });
    let fits = move |spec: &reduce_ir::Spec| stages(spec).is_ok();
    lists.into_iter().chain(rungs).filter(fits)
}

/// Returns specifications of an operator that does not commute, with fill and without, whose blocks combine by a ticket.
pub(crate) fn ordered_specs() -> impl Iterator<Item = reduce_ir::Spec> {
    let named =
        |name| operations::ordered().into_iter().find(|it| it.operation.name == name).unwrap().operation;
    let lists = [
        (64, "shuffle one_block ticket"),
        (32, "shuffle vectorize(2) coarsen(3) unroll one_block ticket"),
        (64, "strided_index one_block ticket"),
        (32, "shuffle cluster(2) one_block ticket"),
        (64, "shuffle coarsen(4) warp_striped one_block ticket"),
        (64, "shuffle vectorize(2) coarsen(2) warp_striped unroll one_block ticket"),
    ];
    let of = move |name| lists.map(|(block, list)| spec_of(&named(name), block, list));
    ["matrix", "matrix_padded"].into_iter().flat_map(of)
}
