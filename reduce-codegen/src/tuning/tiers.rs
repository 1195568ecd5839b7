//! The variants of `passes: auto`: one list of passes for each range of n. Together they define one association for
//! each n. So a change of their tiles changes bits. A change of how blocks combine does not.

use super::Tuning;
use super::groups;
use reduce_ir::Spec;
use reduce_ir::func::Func;
use reduce_ir::operation::Operation;
use reduce_ir::pass::Pass;
use reduce_ir::passes;
use reduce_ir::program::{LIMITS, Program};
use reduce_ir::redux::Redux;
use reduce_ir::spec::Passes;
use reduce_passes::narrowed;

/// The version of the associations, of `auto` and of every pass. Bits change only together with it.
pub const ASSOCIATION: &str = "A11";

/// How a specification is compiled for a range of n.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Variant {
    /// The greatest number of elements. `None`: there is no limit.
    pub(crate) up_to: Option<u64>,
    /// Threads per block.
    pub(crate) block: u32,
    /// The passes.
    pub(crate) passes: Vec<Pass>,
}

/// A row of the table of `auto`. It counts load units of all inputs; one has 16 bytes of the smallest input.
struct Tier {
    /// Threads per block.
    block: u32,
    /// Load units that each thread folds.
    units: u32,
    /// The range, and how the blocks combine.
    strategy: GridStrategy,
}

/// How the blocks of a tier combine, and where its range ends.
enum GridStrategy {
    /// One block, with one tile.
    OneBlock,
    /// At most this many blocks. They are one cluster, where clusters exist.
    Cluster(u32),
    /// The blocks for at most this many load units: so few that each thread of the last block has one partial.
    Few(u64),
    /// The blocks for at most this many load units. A thread of the last block may have two partials, and only small
    /// ones carry flags.
    Many(u64),
    /// Any number of blocks.
    All,
    /// Any number of blocks. One block would take too long over their partials, so further launches combine them.
    Launches,
}

/// One block. The ranges decide where a longer tile is faster. Measured on an H200 (docs/decisions.md), and the same on
/// every machine, because they decide bits.
const ONE_BLOCK: [Tier; 5] = [
    Tier { block: 32, units: 4, strategy: GridStrategy::OneBlock },
    Tier { block: 128, units: 2, strategy: GridStrategy::OneBlock },
    Tier { block: 128, units: 4, strategy: GridStrategy::OneBlock },
    Tier { block: 256, units: 4, strategy: GridStrategy::OneBlock },
    Tier { block: 512, units: 4, strategy: GridStrategy::OneBlock },
];

/// One block, for operators that do not commute. A thread has consecutive units, so the distance between the reads of
/// neighbouring threads grows with their number. So these tiers have more threads with fewer units.
const ONE_BLOCK_ORDERED: [Tier; 4] = [
    Tier { block: 32, units: 4, strategy: GridStrategy::OneBlock },
    Tier { block: 128, units: 2, strategy: GridStrategy::OneBlock },
    Tier { block: 256, units: 2, strategy: GridStrategy::OneBlock },
    Tier { block: 512, units: 2, strategy: GridStrategy::OneBlock },
];

/// More elements, for all operators.
const FEW: [Tier; 6] = [
    Tier { block: 256, units: 2, strategy: GridStrategy::Cluster(8) },
    Tier { block: 256, units: 4, strategy: GridStrategy::Cluster(8) },
    Tier { block: 512, units: 4, strategy: GridStrategy::Cluster(8) },
    Tier { block: 512, units: 4, strategy: GridStrategy::Cluster(16) },
    Tier { block: 256, units: 4, strategy: GridStrategy::Few(1 << 17) },
    Tier { block: 512, units: 4, strategy: GridStrategy::Few(1 << 20) },
];

/// More elements, for operators that commute.
const COMMUTING: [Tier; 3] = [
    Tier { block: 512, units: 16, strategy: GridStrategy::Few(1 << 21) },
    Tier { block: 512, units: 32, strategy: GridStrategy::Many(1 << 24) },
    Tier { block: 512, units: 32, strategy: GridStrategy::All },
];

/// More elements, for operators that do not commute. If blocks have fewer threads, there are more partials than threads
/// in one block, and the last tier replaces both.
const ORDERED: [Tier; 2] = [
    Tier { block: 1024, units: 4, strategy: GridStrategy::Few(1 << 22) },
    Tier { block: 1024, units: 4, strategy: GridStrategy::Launches },
];

/// Returns the variants of a specification, by ascending n. The last one has no upper limit.
pub(crate) fn variants(spec: &Spec, tuning: Tuning) -> Vec<Variant> {
    match &spec.passes {
        Passes::List(passes) => {
            let block = spec.block.unwrap_or(Spec::BLOCK);
            vec![Variant { up_to: None, block, passes: groups::applying(passes, spec) }]
        }
        Passes::Auto if spec.domain.is_grouped() => {
            groups::variants(auto(spec, groups::tuning(tuning), true), &spec.operation, spec.domain)
        }
        Passes::Auto => auto(spec, tuning, true),
    }
}

/// Returns the variants of `auto` for one group. With `narrow`, positions of few elements have 32 bits where the operation allows it.
pub(super) fn auto(spec: &Spec, tuning: Tuning, narrow: bool) -> Vec<Variant> {
    let operation = &spec.operation;
    let block = |fastest| spec.block.unwrap_or_else(|| fitting(fastest, operation));
    let narrow = narrowed(operation).filter(|_| narrow);
    let variant = |tier: &Tier| tier.variant(block(tier.block), spec, narrow.as_ref(), tuning);
    let (one, more) = match operation.commutative {
        true => (&ONE_BLOCK[..], &COMMUTING[..]),
        false if block(ORDERED[0].block) == ORDERED[0].block => (&ONE_BLOCK_ORDERED[..], &ORDERED[..]),
        false => (&ONE_BLOCK_ORDERED[..], &ORDERED[1..]),
    };
    let mut variants: Vec<_> = one.iter().chain(&FEW).chain(more).map(variant).collect();
    // If the user sets `block`, a tier may end where the tier before it does.
    let ends = |variant: &mut Variant, before: &mut Variant| {
        variant.up_to.zip(before.up_to).is_some_and(|(end, before)| end <= before)
    };
    variants.dedup_by(ends);
    if narrow.is_some() {
        let last = more.iter().last().map(|tier| tier.variant(block(tier.block), spec, None, tuning));
        variants.extend(last);
    }
    variants
}

/// Returns the threads of a block: the fastest number, or the greatest power of two whose accumulators fit the shared
/// memory of the naive program.
fn fitting(fastest: u32, operation: &Operation) -> u32 {
    let fit = LIMITS.shared / operation.acc.size().max(1);
    fastest.min(1 << fit.max(1).ilog2())
}

impl GridStrategy {
    /// Returns whether there are so few blocks that the same number of blocks of the next launch fits the GPU as well.
    fn fits_twice(&self) -> bool {
        match self {
            GridStrategy::OneBlock | GridStrategy::Cluster(_) => true,
            GridStrategy::Few(units) => *units <= 1 << 17,
            GridStrategy::Many(_) | GridStrategy::All | GridStrategy::Launches => false,
        }
    }
}

impl Tier {
    fn variant(&self, block: u32, spec: &Spec, narrow: Option<&Operation>, tuning: Tuning) -> Variant {
        let operation = &spec.operation;
        let width = width(operation);
        let units = match self.strategy {
            // Sixteen elements keep a thread busy for long enough. With little work per element, shorter tiles let more
            // blocks end at the same time.
            GridStrategy::All if width == 16 || is_light(operation) => self.units / 2,
            GridStrategy::OneBlock
            | GridStrategy::Cluster(_)
            | GridStrategy::Few(_)
            | GridStrategy::Many(_)
            | GridStrategy::All
            | GridStrategy::Launches => self.units,
        };
        // The number of bytes matters, in a thread and in total.
        let inputs = operation.inputs.len().max(1) as u32;
        let units = (units / inputs).max(1);
        let tile = u64::from(block) * u64::from(units) * u64::from(width);
        let up_to = match self.strategy {
            GridStrategy::OneBlock => Some(tile),
            GridStrategy::Cluster(blocks) => Some(tile * u64::from(blocks)),
            GridStrategy::Few(units) | GridStrategy::Many(units) => {
                Some(units / u64::from(inputs) * u64::from(width))
            }
            GridStrategy::All | GridStrategy::Launches => narrow.map(|_| Program::MOST_OF_U32),
        };
        let vectors = (width > 1).then_some(Pass::with("vectorize", width));
        let unit = std::iter::once(Pass::plain("shuffle")).chain(vectors).chain(lanes(operation, width));
        let many = matches!(self.strategy, GridStrategy::Few(_) | GridStrategy::Launches);
        let is_warp_striped =
            !operation.commutative && many && units > 1 && fits_registers(operation, block, units);
        let warp_striped = is_warp_striped.then_some(Pass::plain("warp_striped"));
        let tile = unit
            .chain(passes![coarsen(units), unroll])
            .chain(warp_striped)
            .chain(narrow.map(|_| Pass::plain("narrow_index")))
            .collect();
        let exchange = match self.strategy {
            GridStrategy::Cluster(blocks) if blocks <= tuning.cluster => vec![Pass::with("cluster", blocks)],
            GridStrategy::Cluster(_) | GridStrategy::Few(_) => tuning.grid(true),
            GridStrategy::Many(_) => tuning.grid(narrow.unwrap_or(operation).acc.size() <= SMALL),
            GridStrategy::All => tuning.grid(false),
            GridStrategy::OneBlock | GridStrategy::Launches => Vec::new(),
        };
        // Elements that are soon read again may stay in the cache.
        let read_once = match self.strategy {
            GridStrategy::OneBlock | GridStrategy::Cluster(_) => false,
            GridStrategy::Few(_) => operation.commutative || is_warp_striped,
            GridStrategy::Many(_) | GridStrategy::All | GridStrategy::Launches => true,
        };
        let streaming = (read_once && tuning.streaming && width > 1)
            .then_some(Pass::plain("streaming"))
            .into_iter()
            .collect();
        let leaves_values = block > Program::WARP || exchange.iter().any(|pass| pass.name == "cluster");
        let redux = redux(narrow.unwrap_or(operation), tuning);
        let serial_tail = (leaves_values && redux.is_empty() && self.has_serial_tail(operation))
            .then_some(Pass::plain("serial_tail"))
            .into_iter()
            .collect();
        let passes =
            [tile, redux, streaming, exchange, serial_tail, launch(self.strategy.fits_twice(), tuning)]
                .concat();
        Variant { up_to, block, passes }
    }

    /// Returns whether one thread combines the values of warps and blocks, if no instruction does: for scalars, and in
    /// a single block also for pairs. Elsewhere the registers of pairs would leave no room for others.
    fn has_serial_tail(&self, operation: &Operation) -> bool {
        let has_room = operation.acc.is_scalar() || matches!(self.strategy, GridStrategy::OneBlock);
        let fits = has_room && operation.acc.size() <= SMALL;
        fits && operation.fill.is_some()
    }
}

/// Returns whether the accumulators of that many rows stay in the registers of a thread.
fn fits_registers(operation: &Operation, block: u32, rows: u32) -> bool {
    rows as usize * operation.acc.size() * block as usize <= 512 * REGISTERS
}

/// Returns the pass that combines the accumulators of a warp by one instruction, where the hardware has one.
fn redux(operation: &Operation, tuning: Tuning) -> Vec<Pass> {
    let known = tuning.redux && Redux::of(operation).is_some();
    known.then_some(Pass::plain("redux")).into_iter().collect()
}

/// Returns the passes that overlap launches. A kernel lets the next one begin early only if both fit the GPU. Otherwise
/// the blocks of the next launch are distributed unevenly, and the multiprocessors with the most of them end last.
fn launch(fits_twice: bool, tuning: Tuning) -> Vec<Pass> {
    let passes = [(true, Pass::plain("dependent")), (fits_twice, Pass::plain("trigger"))];
    passes.into_iter().filter_map(|(wanted, pass)| (tuning.dependent && wanted).then_some(pass)).collect()
}

/// Returns whether there is little work per element: an addition to a scalar, or a comparison of small values.
fn is_light(operation: &Operation) -> bool {
    let extremes = operation.acc.size() <= SMALL && Redux::of(operation).is_some();
    operation.acc.is_scalar() || extremes
}

/// Bytes of a small accumulator.
const SMALL: usize = 8;

/// The bytes of accumulators that a thread keeps in registers without spilling, in a block of 512 threads: 64 of its
/// 128 registers.
const REGISTERS: usize = 256;

/// Returns the number of operations per element. A load unit repeats them for each of its elements.
fn lines(operation: &Operation) -> usize {
    let lines = |func: &Func| func.lines().len();
    let apart = || lines(&operation.map) + lines(&operation.combine);
    operation.fold.as_ref().map_or_else(apart, lines)
}

/// The greatest number of operations per load unit. With more, compilers take long and the instructions do not fit
/// their cache.
const LINES: usize = 360;

/// Returns the number of elements in a load unit: 16 bytes of the smallest input, or less so that accumulators and
/// instructions fit, but at least two. Where elements lie does not matter, so a row and a column have the same bits.
fn width(operation: &Operation) -> u32 {
    let smallest = operation.inputs.iter().map(|input| input.ty.size()).min().unwrap_or(4) as u32;
    let is_short = |width: u32| lines(operation) * width as usize <= LINES;
    let fits = |width: u32| {
        is_short(width) && lanes_of(operation, width) as usize * operation.acc.size() <= REGISTERS
    };
    let mut widths = std::iter::successors(Some(16 / smallest), |width| Some(width / 2));
    widths.find(|&width| width <= 2 || fits(width)).unwrap_or(2)
}

/// Returns the number of accumulators of a thread. They take registers from its loads in flight (docs/decisions.md).
///
/// So there is one, or two if elements are narrow. With three or more fields that round, elements may share a division,
/// and there are twice as many. Scalars of one byte have four. If the order of scalars shows, the host needs whole
/// vectors of lanes, so every element of a unit of up to eight has its own.
fn lanes_of(operation: &Operation, width: u32) -> u32 {
    let few = (width / 4).clamp(1, 2);
    match (operation.commutative, operation.acc.fields.len()) {
        (false, _) => 1,
        (true, 0 | 1) if width > 8 => 4,
        (true, 0 | 1) if !operation.exact => width,
        (true, fields) if operation.exact || fields <= 2 => few,
        (true, _) => width.min(2 * few),
    }
}

/// Returns the pass that lets elements of a unit share lanes, unless each has its own.
fn lanes(operation: &Operation, width: u32) -> Option<Pass> {
    let lanes = lanes_of(operation, width);
    (operation.commutative && lanes < width).then_some(Pass::with("lanes", lanes))
}
