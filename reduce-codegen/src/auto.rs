//! `passes: auto`: one list for each range of n. Together they are one association for each n, so changing what they say
//! of tiles changes bits; how blocks meet does not.

use crate::tuning::Tuning;
use reduce_dsl::Spec;
use reduce_dsl::near::Near;
use reduce_dsl::operation::{Layout, Operation};
use reduce_dsl::pass::Pass;
use reduce_dsl::program::LIMITS;
use reduce_dsl::spec::Passes;

/// The version of the associations, of `auto` and of every pass: bits change only with it.
pub const ASSOCIATION: &str = "A2";

/// How a specification is compiled for a range of n.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Case {
    /// The most elements; all of them without one.
    pub(crate) up_to: Option<u64>,
    /// Threads per block.
    pub(crate) block: u32,
    /// The passes.
    pub(crate) passes: Vec<Pass>,
}

/// A row of the table of `auto`, in load units: 16 bytes of the smallest input.
struct Row {
    /// Threads per block.
    block: u32,
    /// Load units that each thread folds.
    units: u32,
    /// How many there are in all, and how their blocks meet.
    meet: Meet,
}

/// How the blocks of a row meet.
enum Meet {
    /// There is one.
    Alone,
    /// There are at most so many: they are one cluster, where there are clusters.
    Cluster(u32),
    /// There are as many as that many units need.
    UpTo(u64),
    /// There are as many as it takes.
    All,
}

/// Where one tile length gives way to a longer one. Measured on an H200 (ARCHITECTURE.md, Measurements); the same
/// everywhere, since it decides bits.
const ROWS: [Row; 7] = [
    Row { block: 256, units: 4, meet: Meet::Alone },
    Row { block: 256, units: 2, meet: Meet::Cluster(8) },
    Row { block: 256, units: 4, meet: Meet::Cluster(16) },
    Row { block: 512, units: 4, meet: Meet::Cluster(16) },
    Row { block: 256, units: 4, meet: Meet::UpTo(1 << 20) },
    Row { block: 512, units: 16, meet: Meet::UpTo(1 << 24) },
    Row { block: 512, units: 32, meet: Meet::All },
];

/// The cases of a specification, by growing n; the last one has no end.
pub(crate) fn cases(spec: &Spec, tuning: Tuning) -> Vec<Case> {
    let operation = &spec.operation;
    match &spec.passes {
        Passes::List(passes) => {
            vec![Case { up_to: None, block: spec.block.unwrap_or(Spec::BLOCK), passes: passes.clone() }]
        }
        Passes::Auto => {
            let block = |fastest| spec.block.unwrap_or_else(|| fitting(fastest, operation));
            let case = |row: &Row| row.case(block(row.block), operation, tuning);
            let apart = || Case { up_to: None, block: block(512), passes: apart(operation, tuning) };
            let mut cases: Vec<_> = match (operation.layout, operation.commutative) {
                (Layout::Contiguous, true) => ROWS.iter().map(case).collect(),
                (Layout::Contiguous, false) => vec![case(&ROWS[0]), apart()],
                (Layout::Strided, _) => vec![apart()],
            };
            // Rows that differ in their block alone end at the same n where the block is one.
            cases.dedup_by_key(|case| case.up_to);
            cases
        }
    }
}

/// Threads of a block: as many as is fastest, or as accumulators fit the shared memory of the naive program, which has one
/// for each thread.
fn fitting(fastest: u32, operation: &Operation) -> u32 {
    let fit = LIMITS.shared / operation.acc.size().max(1);
    fastest.min(1 << fit.max(1).ilog2())
}

impl Row {
    fn case(&self, block: u32, operation: &Operation, tuning: Tuning) -> Case {
        let width = width(operation);
        // Few elements are read by few blocks, and take as long as the bytes of one.
        let units = match self.meet {
            Meet::Alone | Meet::Cluster(_) => (self.units / operation.inputs.len().max(1) as u32).max(1),
            Meet::UpTo(_) | Meet::All => self.units,
        };
        let tile = u64::from(block) * u64::from(units) * u64::from(width);
        let up_to = match self.meet {
            Meet::Alone => Some(tile),
            Meet::Cluster(blocks) => Some(tile * u64::from(blocks)),
            Meet::UpTo(units) => Some(units * u64::from(width)),
            Meet::All => None,
        };
        let tile = [Pass::Shuffle, Pass::Vectorize(width), Pass::Coarsen(units), Pass::Unroll];
        let tile = tile.into_iter().chain(near(operation)).collect();
        let meet = match self.meet {
            Meet::Alone => Vec::new(),
            Meet::Cluster(blocks) if blocks <= tuning.cluster => vec![Pass::Cluster(blocks)],
            Meet::Cluster(_) | Meet::UpTo(_) | Meet::All => tuning.grid(),
        };
        // What is read again soon may stay in the cache.
        let streaming = matches!(self.meet, Meet::All | Meet::UpTo(_)) && tuning.streaming;
        let streaming = streaming.then_some(Pass::Streaming).into_iter().collect();
        Case { up_to, block, passes: [tile, streaming, meet].concat() }
    }
}

/// The passes of elements that are read one at a time, or in order. Of elements that lie apart, 32 a thread: ptxas loads
/// them all before it combines them, and 64 spill on sm_75. Of an operator that does not commute, units of 64 bytes: what a
/// thread reads lies together, and neighbouring threads read further apart; its partials are combined in order, by the
/// next launches.
fn apart(operation: &Operation, tuning: Tuning) -> Vec<Pass> {
    let strided = operation.layout == Layout::Strided;
    let width = (!strided).then(|| Pass::Vectorize(width(operation)));
    let units = Pass::Coarsen(if strided { 32 } else { 4 });
    let meet = if operation.commutative { tuning.grid() } else { Vec::new() };
    let tile = [Pass::Shuffle].into_iter().chain(width).chain([units, Pass::Unroll]);
    tile.chain(near(operation)).chain(meet).collect()
}

/// Positions are near wherever there are some.
fn near(operation: &Operation) -> Option<Pass> {
    Near::of(operation).map(|_| Pass::Near)
}

/// Bytes of accumulators that a thread of 512 keeps in registers without spilling: 64 registers of 128.
const LANES: usize = 256;

/// Elements of a load unit: as many of the smallest input as 16 bytes hold, and as their accumulators fit.
fn width(operation: &Operation) -> u32 {
    let smallest = operation.inputs.iter().map(|input| input.ty.size()).min().unwrap_or(4);
    let fit = (LANES / operation.acc.size().max(1)).max(2);
    let fit = if operation.commutative { 1 << fit.ilog2() } else { 16 };
    (16 / smallest).min(fit) as u32
}
