//! The tree in which elements are combined. It is read from the steps of a program, and never computed separately.
//!
//! An association is a list of [levels](Level). Each level cuts its items into chunks, splits a chunk into lanes, and makes each
//! lane one item. Missing items are absent: a combination with an absent right side is its left side. If the operation has a
//! `fold`, the lanes of a serial level over the elements start from `map` of their first element and grow by `fold`. All other
//! combinations use `op`.

use super::{Arrangement, Fold, Kernel, Program, Reads, Share, Size, Step, Tree};
use std::fmt;

/// The association of a program, for every n.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Association {
    /// The levels of the kernel over the inputs.
    pub first: Vec<Level>,
    /// The levels of the kernel over partials, repeated until one item is left.
    pub again: Vec<Level>,
}

/// One level. For every `chunk` consecutive items, `tree` combines the items of lane `l` into item `l`. With one lane, the whole
/// chunk becomes one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Level {
    /// The number of items in a chunk; [`Level::ALL`] if all items are one chunk.
    pub chunk: u64,
    /// The number of lanes in a chunk, and of items that a full chunk leaves.
    pub lanes: u64,
    /// Where the items of a lane lie. Striped: at `l`, `l + lanes`, `l + 2 lanes`, …, for units of one item. Blocked: in a
    /// [run](Runs).
    pub arrangement: Arrangement,
    /// The consecutive items that are dealt to striped lanes together.
    pub unit: Unit,
    /// The tree that combines the items of a lane.
    pub tree: Tree,
}

/// Consecutive items that share lanes: item `i` of a unit goes to lane `i mod lanes` of the unit. The next unit has the next
/// lanes. After the last lanes, the first lanes follow again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unit {
    /// The number of items.
    pub width: u64,
    /// The number of lanes.
    pub lanes: u64,
}

impl Association {
    pub(super) fn of(program: &Program) -> Association {
        let levels = |reads| levels_of(program, program.kernel(reads));
        let in_any_order = Level { chunk: Level::ALL, ..Level::every(1, Tree::Any) };
        let atomic = program.kernel(Reads::Inputs).is_atomic();
        let again = if atomic { vec![in_any_order] } else { levels(Reads::Partials) };
        Association { first: levels(Reads::Inputs), again }
    }

    /// Returns the level at which threads fold elements, if a lane has more than one element: the first level.
    pub fn fold(&self) -> Option<Level> {
        self.first.first().copied().filter(|level| level.tree == Tree::Serial)
    }

    /// Returns the levels that n elements pass through.
    pub fn levels(&self, n: u64) -> Vec<Level> {
        let mut levels = self.first.clone();
        let mut items = outputs(&self.first, n);
        // Levels that leave all items as they are would never end. No program has such levels.
        while items > 1 && outputs(&self.again, items) < items {
            levels.extend(&self.again);
            items = outputs(&self.again, items);
        }
        levels
    }

    /// Returns the number of elements in a chunk, which the first launch reduces to one partial. The last chunk may have fewer. `None`: all
    /// elements are one chunk.
    pub fn chunk(&self) -> Option<u64> {
        let chunk = Level::tile(&self.first);
        (chunk != Level::ALL && outputs(&self.first, chunk) == 1).then_some(chunk)
    }

    /// Returns the partials that the first launch makes of `items`, in the order of its blocks.
    pub fn partials<T: Clone>(&self, items: Vec<T>, mut combine: impl FnMut(T, T) -> T) -> Vec<T> {
        self.first.iter().fold(items, |items, level| level.reduce(&items, &mut combine))
    }

    /// Returns the length of the longest chain of combinations from an element to the result: the d of the error bound
    /// `γ_d · Σ|x|` (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 4.2).
    pub fn depth(&self, n: u64) -> u64 {
        let mut items = n;
        let mut depth = 0;
        for level in self.levels(n) {
            depth += level.depth(items);
            items = level.outputs(items);
        }
        depth
    }

    /// Combines `items` in this association; `None` if there are no items. All other evaluations are compared with this
    /// reference.
    pub fn reduce<T: Clone>(&self, items: Vec<T>, mut combine: impl FnMut(T, T) -> T) -> Option<T> {
        let levels = self.levels(items.len() as u64);
        levels.iter().fold(items, |items, level| level.reduce(&items, &mut combine)).into_iter().next()
    }
}

/// Items cut into consecutive runs, one for each lane. Their lengths differ by at most one item; longer runs come first. If there
/// are fewer items than lanes, each item is a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Runs {
    /// The number of items in a shorter run.
    pub share: u64,
    /// The number of runs with one more item.
    pub longer: u64,
}

impl Runs {
    /// Cuts that many items into one run per lane.
    pub fn of(items: u64, lanes: u64) -> Runs {
        Runs { share: items / lanes, longer: items % lanes }
    }

    /// Returns where a run begins, which is where the run before it ends.
    fn begin(self, run: u64) -> usize {
        (run * self.share + run.min(self.longer)) as usize
    }
}

impl Level {
    /// A chunk of all items: more items than there can be.
    pub const ALL: u64 = u64::MAX;

    /// Creates the level that makes one item of every `chunk` consecutive items.
    pub const fn every(chunk: u64, tree: Tree) -> Level {
        Level { chunk, lanes: 1, arrangement: Arrangement::Striped, unit: Unit::ONE, tree }
    }

    /// Returns the fewest items that are whole chunks of every level; [`Level::ALL`] if a level has all items in one chunk.
    pub fn tile(levels: &[Level]) -> u64 {
        let grow = |(elements, items): (u64, u64), level: &Level| {
            let times = level.chunk / gcd(level.chunk, items);
            let chunks = items.saturating_mul(times) / level.chunk;
            (elements.saturating_mul(times), chunks.saturating_mul(level.lanes))
        };
        levels.iter().fold((1, 1), grow).0
    }

    /// Returns the number of items after which the first lane gets an item of another unit.
    pub fn row(&self) -> u64 {
        (self.lanes / self.unit.lanes).saturating_mul(self.unit.width)
    }

    /// Returns whether each lane has consecutive items.
    pub fn is_cut_in_runs(&self) -> bool {
        self.arrangement == Arrangement::Blocked
    }

    /// Returns the number of items in a lane of a full chunk.
    pub fn group(&self) -> u64 {
        self.chunk / self.lanes
    }

    /// Returns the number of items that the level makes of `items`.
    pub fn outputs(&self, items: u64) -> u64 {
        let rest = items % self.chunk;
        let filled = rest / self.unit.width * self.unit.lanes + (rest % self.unit.width).min(self.unit.lanes);
        items / self.chunk * self.lanes + filled.min(self.lanes)
    }

    fn depth(&self, items: u64) -> u64 {
        let items = items.min(self.chunk);
        let last = (items % self.row()).min(self.unit.width).div_ceil(self.unit.lanes);
        let group = (items / self.row() * self.unit.items_of_a_lane() + last).max(1);
        match self.tree {
            Tree::Serial | Tree::Any => group - 1,
            Tree::Halving | Tree::Pairs => u64::from(group.next_power_of_two().ilog2()),
        }
    }

    fn reduce<T: Clone>(&self, items: &[T], combine: &mut impl FnMut(T, T) -> T) -> Vec<T> {
        let lane = |chunk: &[T], l: usize| -> Vec<T> {
            let runs = Runs::of(chunk.len() as u64, self.lanes);
            match self.arrangement {
                Arrangement::Striped => chunk
                    .chunks(self.row() as usize)
                    .flat_map(|row| self.unit.lane(row, l))
                    .cloned()
                    .collect(),
                Arrangement::Blocked => chunk[runs.begin(l as u64)..runs.begin(l as u64 + 1)].to_vec(),
            }
        };
        items
            .chunks(self.chunk as usize)
            .flat_map(|chunk| (0..self.outputs(chunk.len() as u64) as usize).map(move |l| lane(chunk, l)))
            .filter_map(|group| self.tree.reduce(group, self.group() as usize, combine))
            .collect()
    }
}

impl Unit {
    /// A unit of one item, which has a lane of its own.
    pub const ONE: Unit = Unit { width: 1, lanes: 1 };

    /// Returns the number of its items in one lane.
    pub fn items_of_a_lane(&self) -> u64 {
        self.width / self.lanes
    }

    /// Returns the items of a row of units that go to a lane.
    fn lane<T>(self, row: &[T], lane: usize) -> impl Iterator<Item = &T> {
        let Unit { width, lanes } = self;
        let unit = row.iter().skip(lane / lanes as usize * width as usize).take(width as usize);
        unit.skip(lane % lanes as usize).step_by(lanes as usize)
    }
}

impl Tree {
    /// Combines a group of at most `full` items (a power of two, except for `serial`). Missing items are at the end of the
    /// group.
    fn reduce<T: Clone>(
        self,
        mut items: Vec<T>,
        full: usize,
        combine: &mut impl FnMut(T, T) -> T,
    ) -> Option<T> {
        let serial = matches!(self, Tree::Serial | Tree::Any);
        let mut stride = if self == Tree::Pairs { 1 } else { full / 2 };
        while !serial && (1..full).contains(&stride) {
            let active =
                |i: &usize| if self == Tree::Pairs { i.is_multiple_of(2 * stride) } else { *i < stride };
            for i in (0..items.len().saturating_sub(stride)).filter(active) {
                items[i] = combine(items[i].clone(), items[i + stride].clone());
            }
            stride = if self == Tree::Pairs { 2 * stride } else { stride / 2 };
        }
        let mut rest = items.into_iter();
        let first = rest.next()?;
        Some(if serial { rest.fold(first, combine) } else { first })
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn outputs(levels: &[Level], items: u64) -> u64 {
    levels.iter().fold(items, |items, level| level.outputs(items))
}

/// Returns the levels of a kernel, without levels that leave their items as they are (one item per lane).
fn levels_of(program: &Program, kernel: &Kernel) -> Vec<Level> {
    let tile = program.tile(kernel.reads);
    let level = |step: &Step| match step {
        Step::Fold(fold) => {
            let (round, arrangement) = (u64::from(program.block) * u64::from(fold.lanes), fold.arrangement);
            let (chunk, lanes) = match (fold.share, kernel.team.size, arrangement) {
                (Share::Units(_), _, Arrangement::Striped) => (tile, round),
                (Share::Units(_), _, Arrangement::Blocked) if fold.in_rows => (fold.width.into(), 1),
                (Share::Units(_), _, Arrangement::Blocked) => (tile / u64::from(program.block), 1),
                (Share::Rest, Size::Thread, _) => (Level::ALL, 1),
                (Share::Rest, Size::Lanes(_) | Size::Warp | Size::Block | Size::Cluster, _) => {
                    (Level::ALL, round)
                }
                (Share::Rest, Size::Grid { most }, _) => (Level::ALL, round * u64::from(most.unwrap_or(1))),
            };
            // With one lane, both arrangements are the same; striped is the canonical form.
            let arrangement = if lanes == 1 { Arrangement::Striped } else { arrangement };
            Some(Level { chunk, lanes, arrangement, unit: unit_of(fold), tree: Tree::Serial })
        }
        Step::Combine(combine) => Some(Level::every(combine.items.into(), combine.tree)),
        Step::Exchange(_) | Step::Keep => None,
    };
    kernel.steps.iter().filter_map(level).filter(|level| level.group() > 1).collect()
}

fn unit_of(fold: &Fold) -> Unit {
    match fold.shares_lanes() {
        true => Unit { width: fold.width.into(), lanes: fold.lanes.into() },
        false => Unit::ONE,
    }
}

impl fmt::Display for Association {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "association")?;
        writeln!(f, "  of n elements, each mapped")?;
        self.first.iter().try_for_each(|level| writeln!(f, "    {level}"))?;
        writeln!(f, "  of what is left, until one is left")?;
        self.again.iter().try_for_each(|level| writeln!(f, "    {level}"))
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Level { chunk, lanes, arrangement, unit, tree } = self;
        let chunk = if *chunk == Level::ALL { "all".to_owned() } else { format!("every {chunk}") };
        match (lanes, arrangement) {
            (1, _) => write!(f, "{chunk} items by {tree}"),
            (_, Arrangement::Striped) if *unit != Unit::ONE => {
                let Unit { width, lanes: shared } = unit;
                write!(f, "{chunk} items, {lanes} lanes, {shared} for each unit of {width} items, by {tree}")
            }
            (_, Arrangement::Striped) => {
                write!(f, "{chunk} items, {lanes} lanes strided by {lanes}, by {tree}")
            }
            (_, Arrangement::Blocked) => {
                write!(f, "{chunk} items, {lanes} consecutive runs, the longer ones first, by {tree}")
            }
        }
    }
}
