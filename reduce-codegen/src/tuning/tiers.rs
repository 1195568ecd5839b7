//! `passes: auto`: one list for each range of n. Together they are one association for each n, so changing what they say
//! of tiles changes bits; how blocks meet does not.

use super::Tuning;
use super::groups;
use reduce_ir::func::Func;
use reduce_ir::operation::Operation;
use reduce_ir::pass::Pass;
use reduce_ir::passes;
use reduce_ir::program::{LIMITS, Program};
use reduce_ir::redux::Redux;
use reduce_ir::spec::Passes;
use reduce_ir::{Domain, Spec};
use reduce_passes::narrowed;

/// The version of the associations, of `auto` and of every pass: bits change only with it.
pub const ASSOCIATION: &str = "A10";

/// How a specification is compiled for a range of n.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Variant {
    /// The most elements; all of them without one.
    pub(crate) up_to: Option<u64>,
    /// Threads per block.
    pub(crate) block: u32,
    /// The passes.
    pub(crate) passes: Vec<Pass>,
}

/// A row of the table of `auto`, in load units of all inputs: 16 bytes of the smallest one.
struct Tier {
    /// Threads per block.
    block: u32,
    /// Load units that each thread folds.
    units: u32,
    /// How many there are in all, and how their blocks meet.
    strategy: GridStrategy,
}

/// How the blocks of a row meet.
enum GridStrategy {
    /// There is one.
    Alone,
    /// There are at most so many: they are one cluster, where there are clusters.
    Cluster(u32),
    /// There are as many as that many units need: few enough that threads of the last one have a partial each.
    Few(u64),
    /// There are as many as that many units need: threads of the last one may have two, and flags are for small ones.
    Many(u64),
    /// There are as many as it takes.
    All,
    /// The same, but one block would take too long over their partials.
    Launches,
}

/// Where one tile length gives way to a longer one. Measured on an H200 (docs/decisions.md);
/// the same everywhere, since it decides bits.
const ONE_BLOCK: [Tier; 5] = [
    Tier { block: 32, units: 4, strategy: GridStrategy::Alone },
    Tier { block: 128, units: 2, strategy: GridStrategy::Alone },
    Tier { block: 128, units: 4, strategy: GridStrategy::Alone },
    Tier { block: 256, units: 4, strategy: GridStrategy::Alone },
    Tier { block: 512, units: 4, strategy: GridStrategy::Alone },
];

/// The same, of operators that do not commute. What a thread reads lies together, and neighbouring threads read further apart
/// the more it is: rather more threads.
const ONE_BLOCK_ORDERED: [Tier; 4] = [
    Tier { block: 32, units: 4, strategy: GridStrategy::Alone },
    Tier { block: 128, units: 2, strategy: GridStrategy::Alone },
    Tier { block: 256, units: 2, strategy: GridStrategy::Alone },
    Tier { block: 512, units: 2, strategy: GridStrategy::Alone },
];

/// More elements, of any operator.
const FEW: [Tier; 6] = [
    Tier { block: 256, units: 2, strategy: GridStrategy::Cluster(8) },
    Tier { block: 256, units: 4, strategy: GridStrategy::Cluster(8) },
    Tier { block: 512, units: 4, strategy: GridStrategy::Cluster(8) },
    Tier { block: 512, units: 4, strategy: GridStrategy::Cluster(16) },
    Tier { block: 256, units: 4, strategy: GridStrategy::Few(1 << 17) },
    Tier { block: 512, units: 4, strategy: GridStrategy::Few(1 << 20) },
];

/// More elements, of operators that commute.
const COMMUTING: [Tier; 3] = [
    Tier { block: 512, units: 16, strategy: GridStrategy::Few(1 << 21) },
    Tier { block: 512, units: 32, strategy: GridStrategy::Many(1 << 24) },
    Tier { block: 512, units: 32, strategy: GridStrategy::All },
];

/// More elements, of operators that do not. Where blocks have fewer threads, there are more partials than threads of one, and the
/// last row takes the place of both.
const ORDERED: [Tier; 2] = [
    Tier { block: 1024, units: 4, strategy: GridStrategy::Few(1 << 22) },
    Tier { block: 1024, units: 4, strategy: GridStrategy::Launches },
];

/// The variants of a specification, by growing n; the last one has no end.
pub(crate) fn variants(spec: &Spec, tuning: Tuning) -> Vec<Variant> {
    match &spec.passes {
        Passes::List(passes) => {
            vec![Variant { up_to: None, block: spec.block.unwrap_or(Spec::BLOCK), passes: passes.clone() }]
        }
        Passes::Auto if spec.domain.is_grouped() => groups::variants(auto(spec, groups::tuning(tuning))),
        Passes::Auto => auto(spec, tuning),
    }
}

fn auto(spec: &Spec, tuning: Tuning) -> Vec<Variant> {
    let operation = &spec.operation;
    let block = |fastest| spec.block.unwrap_or_else(|| fitting(fastest, operation));
    let narrow = narrowed(operation);
    let variant = |tier: &Tier| tier.variant(block(tier.block), spec, narrow.as_ref(), tuning);
    let (one, more) = match operation.commutative {
        true => (&ONE_BLOCK[..], &COMMUTING[..]),
        false if block(ORDERED[0].block) == ORDERED[0].block => (&ONE_BLOCK_ORDERED[..], &ORDERED[..]),
        false => (&ONE_BLOCK_ORDERED[..], &ORDERED[1..]),
    };
    let mut variants: Vec<_> = one.iter().chain(&FEW).chain(more).map(variant).collect();
    // Where the block is given, rows may end where one before them does.
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

/// Threads of a block: as many as is fastest, or as accumulators fit the shared memory of the naive program, which has one
/// for each thread.
fn fitting(fastest: u32, operation: &Operation) -> u32 {
    let fit = LIMITS.shared / operation.acc.size().max(1);
    fastest.min(1 << fit.max(1).ilog2())
}

impl GridStrategy {
    /// Are there so few blocks that those of the next launch, should there be as many, find room beside them?
    fn fits_twice(&self) -> bool {
        match self {
            GridStrategy::Alone | GridStrategy::Cluster(_) => true,
            GridStrategy::Few(units) => *units <= 1 << 17,
            GridStrategy::Many(_) | GridStrategy::All | GridStrategy::Launches => false,
        }
    }
}

impl Tier {
    fn variant(&self, block: u32, spec: &Spec, narrow: Option<&Operation>, tuning: Tuning) -> Variant {
        let operation = &spec.operation;
        let width = width(operation, spec.domain);
        let units = match self.strategy {
            // Sixteen elements keep a thread busy for long enough; and of shorter tiles, which little work is done on, more end
            // at the same time.
            GridStrategy::All if width == 16 || is_light(operation) => self.units / 2,
            GridStrategy::Alone
            | GridStrategy::Cluster(_)
            | GridStrategy::Few(_)
            | GridStrategy::Many(_)
            | GridStrategy::All
            | GridStrategy::Launches => self.units,
        };
        // What counts is how many bytes there are, of a thread and in all.
        let inputs = operation.inputs.len().max(1) as u32;
        let units = (units / inputs).max(1);
        let tile = u64::from(block) * u64::from(units) * u64::from(width);
        let up_to = match self.strategy {
            GridStrategy::Alone => Some(tile),
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
        let meet = match self.strategy {
            GridStrategy::Cluster(blocks) if blocks <= tuning.cluster => vec![Pass::with("cluster", blocks)],
            GridStrategy::Cluster(_) | GridStrategy::Few(_) => tuning.grid(true),
            GridStrategy::Many(_) => tuning.grid(narrow.unwrap_or(operation).acc.size() <= SMALL),
            GridStrategy::All => tuning.grid(false),
            GridStrategy::Alone | GridStrategy::Launches => Vec::new(),
        };
        // What is read again soon may stay in the cache.
        let once = match self.strategy {
            GridStrategy::Alone | GridStrategy::Cluster(_) => false,
            GridStrategy::Few(_) => operation.commutative || is_warp_striped,
            GridStrategy::Many(_) | GridStrategy::All | GridStrategy::Launches => true,
        };
        let streaming =
            (once && tuning.streaming && width > 1).then_some(Pass::plain("streaming")).into_iter().collect();
        let leave = block > Program::WARP || meet.iter().any(|pass| pass.name == "cluster");
        let redux = redux(narrow.unwrap_or(operation), tuning);
        let serial_tail = (leave && redux.is_empty() && self.has_serial_tail(operation))
            .then_some(Pass::plain("serial_tail"))
            .into_iter()
            .collect();
        let passes =
            [tile, redux, streaming, meet, serial_tail, launch(self.strategy.fits_twice(), tuning)].concat();
        Variant { up_to, block, passes }
    }

    /// Does one thread combine what warps and blocks leave? Where no instruction does so: scalars, and of one block pairs as well,
    /// whose registers leave no room for others.
    fn has_serial_tail(&self, operation: &Operation) -> bool {
        let has_room = operation.acc.is_scalar() || matches!(self.strategy, GridStrategy::Alone);
        let fits = has_room && operation.acc.size() <= SMALL;
        fits && operation.fill.is_some()
    }
}

/// Do accumulators of so many rows stay in the registers of a thread?
fn fits_registers(operation: &Operation, block: u32, rows: u32) -> bool {
    rows as usize * operation.acc.size() * block as usize <= 512 * REGISTERS
}

/// Warps combine their accumulators at once wherever the hardware can.
fn redux(operation: &Operation, tuning: Tuning) -> Vec<Pass> {
    let known = tuning.redux && Redux::of(operation).is_some();
    known.then_some(Pass::plain("redux")).into_iter().collect()
}

/// Launches overlap wherever they can. A kernel lets the next one begin before it has ended if both fit the GPU: blocks that
/// come while others have most of it lie unevenly, and a multiprocessor that has more than others ends last.
fn launch(fits_twice: bool, tuning: Tuning) -> Vec<Pass> {
    let passes = [(true, Pass::plain("dependent")), (fits_twice, Pass::plain("trigger"))];
    passes.into_iter().filter_map(|(wanted, pass)| (tuning.dependent && wanted).then_some(pass)).collect()
}

/// Is little done with an element? A scalar is added to, or small ones are compared.
fn is_light(operation: &Operation) -> bool {
    let extremes = operation.acc.size() <= SMALL && Redux::of(operation).is_some();
    operation.acc.is_scalar() || extremes
}

/// Bytes of a small accumulator.
const SMALL: usize = 8;

/// Bytes of accumulators that a thread of 512 keeps in registers without spilling: 64 registers of 128.
const REGISTERS: usize = 256;

/// Operations of an element, which a load unit has in a row, each for itself.
fn lines(operation: &Operation) -> usize {
    let lines = |func: &Func| func.lines().len();
    let apart = || lines(&operation.map) + lines(&operation.combine);
    operation.fold.as_ref().map_or_else(apart, lines)
}

/// Operations of the elements of a load unit, beyond which compilers take long and instructions do not fit their cache.
const LINES: usize = 360;

/// Elements of a load unit: as many of the smallest input as 16 bytes hold, and as their accumulators fit, but two; one where
/// elements lie apart.
fn width(operation: &Operation, domain: Domain) -> u32 {
    if domain.is_strided() {
        return 1;
    }
    let smallest = operation.inputs.iter().map(|input| input.ty.size()).min().unwrap_or(4) as u32;
    let is_short = |width: u32| lines(operation) * width as usize <= LINES;
    let fits = |width: u32| {
        is_short(width) && lanes_of(operation, width) as usize * operation.acc.size() <= REGISTERS
    };
    let mut widths = std::iter::successors(Some(16 / smallest), |width| Some(width / 2));
    widths.find(|&width| width <= 2 || fits(width)).unwrap_or(2)
}

/// Accumulators of a thread, whose registers its loads in flight could have (docs/decisions.md):
/// one, or two where elements are narrow. Where three fields or more round, elements may share a division, and it is twice as
/// many; and scalars of one byte have four. Where the order of scalars shows, the host wants whole vectors of lanes side by
/// side, so those of eight elements stay.
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

/// Elements of a unit share lanes, where they do not have one each.
fn lanes(operation: &Operation, width: u32) -> Option<Pass> {
    let lanes = lanes_of(operation, width);
    (operation.commutative && lanes < width).then_some(Pass::with("lanes", lanes))
}
