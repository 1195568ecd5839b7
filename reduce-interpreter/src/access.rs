//! Loads and stores: their addresses, results and counts.

use super::address::Field;
use super::block::Cluster;
use super::count::Direction;
use super::domain::Acc;
use super::execute::Here;
use super::expr::{AccExpr, ScalarExpr};
use super::machine::{Cells, Machine};
use super::memory::{Cell, Conflict};
use super::op::{Array, At, Elements};
use super::report::Kind;
use super::trace::{Effect, Written};
use super::warp::{PerLane, WIDTH, each, mask};
use reduce_ir::statements::{Buffer, Chunk};

/// The bits of an element outside its input. No element has this position.
const OUTSIDE: u64 = u64::MAX;

/// The cells of an array of accumulators that lanes access.
pub(super) struct Targets {
    array: Array,
    pub(super) rank: PerLane<u64>,
    pub(super) index: PerLane<u64>,
    /// The lanes whose access is allowed.
    pub(super) inside: u32,
}

impl Targets {
    /// Returns the cell of a lane.
    pub(super) fn cell<'c>(
        &self,
        cells: &'c mut Cells,
        shared: &'c mut [Vec<Vec<Cell<Acc>>>],
        lane: usize,
    ) -> &'c mut Cell<Acc> {
        let index = self.index[lane] as usize;
        match self.array {
            Array::Items => &mut cells.items[index],
            Array::Partials => &mut cells.partials[index],
            Array::Result => &mut cells.results[index],
            Array::Shared(array) => &mut shared[self.rank[lane] as usize][array][index],
        }
    }

    /// Returns the effect of a write of accumulators to these cells.
    pub(super) fn written(&self, value: &PerLane<Option<Acc>>) -> Effect {
        let written =
            |lane| Written { lane, rank: self.rank[lane], index: self.index[lane], acc: value[lane] };
        Effect::Written(each(self.inside).map(written).collect())
    }
}

impl Machine<'_, '_> {
    /// Loads `load.count` elements into consecutive registers: one element, or the elements of a vector.
    pub(super) fn load_elements(
        &mut self,
        cluster: &mut Cluster,
        here: Here,
        into: usize,
        load: Elements,
        index: &ScalarExpr,
    ) {
        let first = self.setting.first(load.input);
        let index = self.scalar(cluster, here, index).map(|index| index.wrapping_add(first));
        let elements = self.setting.inputs.get(load.input).map(|it| &it.elements);
        let len = elements.map_or(0, |it| it.len() as u64);
        let inside = self.bounds(cluster, here, &index, load.count.into(), len);
        self.read(cluster, here, load, (inside, &index), len);
        let scalars = &mut here.warp(cluster).scalars[into..into + load.count as usize];
        for lane in each(here.lanes) {
            let found = elements.filter(|_| inside >> lane & 1 == 1);
            for (k, register) in scalars.iter_mut().enumerate() {
                register[lane] = found.map_or(OUTSIDE, |it| it.get(index[lane] as usize + k).bits());
            }
        }
    }

    /// Reads the elements that start at `index` in an input of `len` elements: at once, or by chunks.
    fn read(
        &mut self,
        cluster: &Cluster,
        here: Here,
        load: Elements,
        (inside, index): (u32, &PerLane<u64>),
        len: u64,
    ) {
        let (element, base) =
            (self.setting.element(load.input), self.setting.base(Buffer::Input(load.input)));
        let bytes = element * u64::from(load.count);
        let (chunk, chunks) = match load.unaligned {
            None => (bytes, 1),
            Some(Chunk::Element) => (element, u64::from(load.count)),
            Some(Chunk::Word) => (Chunk::WORD.into(), bytes / u64::from(Chunk::WORD) + 1),
        };
        let starts: PerLane<u64> = std::array::from_fn(|lane| {
            let from = base.wrapping_add(index[lane].wrapping_mul(element));
            from - load.unaligned.map_or(0, |_| from % chunk)
        });
        let misaligned = inside & mask(|lane| !starts[lane].is_multiple_of(chunk));
        self.report(
            cluster,
            here,
            Kind::Misaligned,
            misaligned,
            "the address of a vector must be a multiple of its size",
        );
        let input = base..base + len * element;
        let exceeds = |from: u64| from < input.start || from.saturating_add(chunk * chunks) > input.end;
        let outside = inside & mask(|lane| exceeds(starts[lane]));
        self.report(cluster, here, Kind::OutOfBounds, outside, "it reads words outside the input");
        let fields: [Field; 16] = std::array::from_fn(|k| Field { offset: k as u64 * chunk, size: chunk });
        self.count_global(here, Direction::Load, (inside, &starts), (0, 1), &fields[..chunks as usize]);
    }

    /// Loads an accumulator. It is undefined where no write is ordered before the read.
    pub(super) fn load(&mut self, cluster: &mut Cluster, here: Here, into: usize, at: &At) {
        let targets = self.locate(cluster, here, at);
        self.count(cluster, here, Direction::Load, &targets);
        let (mut value, mut uninitialised, mut conflicts) = ([None; WIDTH], 0, Vec::new());
        for lane in each(targets.inside) {
            let access = here.access(cluster.number, &cluster.blocks[here.rank], lane);
            let cell = targets.cell(&mut self.memory, &mut cluster.shared, lane);
            uninitialised |= u32::from(!cell.is_initialised()) << lane;
            let (held, conflict) = cell.read(&access);
            value[lane] = held;
            conflicts.extend(conflict.map(|conflict| (lane, conflict)));
        }
        self.report(cluster, here, Kind::Uninitialised, uninitialised, "no thread wrote it before");
        self.conflicts(cluster, here, &conflicts, "reads");
        here.set(&mut here.warp(cluster).accs[into], &value);
    }

    /// Stores an accumulator. It must be defined if it leaves the block, but not if it stays in shared memory.
    pub(super) fn store(&mut self, cluster: &mut Cluster, here: Here, at: &At, value: &AccExpr) {
        let stays = matches!(at.array, Array::Shared(_));
        let value =
            if stays { self.acc(cluster, here, value) } else { self.checked_acc(cluster, here, value) };
        let targets = self.locate(cluster, here, at);
        self.count(cluster, here, Direction::Store, &targets);
        let mut conflicts = Vec::new();
        for lane in each(targets.inside) {
            let access = here.access(cluster.number, &cluster.blocks[here.rank], lane);
            let cell = targets.cell(&mut self.memory, &mut cluster.shared, lane);
            conflicts.extend(cell.write(&access, value[lane]).map(|conflict| (lane, conflict)));
        }
        self.effect(|_| targets.written(&value));
        self.conflicts(cluster, here, &conflicts, "writes");
    }

    pub(super) fn load_ticket(&mut self, cluster: &mut Cluster, here: Here, into: usize, index: &ScalarExpr) {
        let (index, inside) = self.tickets(cluster, here, index);
        self.count_global(here, Direction::Load, (inside, &index), (0, TICKET.size), &[TICKET]);
        let (mut value, mut conflicts) = ([0; WIDTH], Vec::new());
        for lane in each(inside) {
            let access = here.access(cluster.number, &cluster.blocks[here.rank], lane);
            let (held, conflict) = self.memory.ticket[index[lane] as usize].read(&access);
            value[lane] = held.unwrap_or_default().into();
            conflicts.extend(conflict.map(|conflict| (lane, conflict)));
        }
        self.conflicts(cluster, here, &conflicts, "reads");
        here.set(&mut here.warp(cluster).scalars[into], &value);
    }

    pub(super) fn store_ticket(
        &mut self,
        cluster: &mut Cluster,
        here: Here,
        index: &ScalarExpr,
        value: &ScalarExpr,
    ) {
        let value = self.scalar(cluster, here, value);
        let (index, inside) = self.tickets(cluster, here, index);
        self.count_global(here, Direction::Store, (inside, &index), (0, TICKET.size), &[TICKET]);
        let mut conflicts = Vec::new();
        for lane in each(inside) {
            let access = here.access(cluster.number, &cluster.blocks[here.rank], lane);
            let conflict = self.memory.ticket[index[lane] as usize].write(&access, Some(value[lane] as u32));
            conflicts.extend(conflict.map(|conflict| (lane, conflict)));
        }
        self.conflicts(cluster, here, &conflicts, "writes");
    }

    /// Returns the tickets that lanes access, and the lanes whose access is allowed.
    pub(super) fn tickets(
        &mut self,
        cluster: &Cluster,
        here: Here,
        index: &ScalarExpr,
    ) -> (PerLane<u64>, u32) {
        let index = self.scalar(cluster, here, index);
        let inside = self.bounds(cluster, here, &index, 1, self.memory.ticket.len() as u64);
        (index, inside)
    }

    /// Resolves a place to the cells that lanes access.
    pub(super) fn locate(&mut self, cluster: &Cluster, here: Here, at: &At) -> Targets {
        let index = self.scalar(cluster, here, &at.index);
        let len = match at.array {
            Array::Items => self.memory.items.len(),
            Array::Partials => self.memory.partials.len(),
            Array::Result => self.memory.results.len(),
            Array::Shared(array) => cluster.shared[here.rank][array].len(),
        };
        let mut inside = self.bounds(cluster, here, &index, 1, len as u64);
        let mut rank = [here.rank as u64; WIDTH];
        if let Some(expr) = &at.rank {
            rank = self.scalar(cluster, here, expr);
            inside = self.neighbours(cluster, here, &rank, inside);
        }
        Targets { array: at.array, rank, index, inside }
    }

    /// Returns the lanes that name a running block of the cluster. A lane that may come before that block has
    /// started is reported, but its access is kept, so that races are found too.
    fn neighbours(&mut self, cluster: &Cluster, here: Here, rank: &PerLane<u64>, lanes: u32) -> u32 {
        let block_of = |lane: usize| cluster.blocks.get(rank[lane] as usize);
        let absent = lanes & mask(|lane| block_of(lane).is_none());
        let exited = lanes & mask(|lane| block_of(lane).is_some_and(|block| block.ended));
        let early = if cluster.blocks[here.rank].met {
            0
        } else {
            lanes & mask(|lane| rank[lane] != here.rank as u64)
        };
        self.report(cluster, here, Kind::OutOfBounds, absent, "the cluster has no block of that rank");
        self.report(cluster, here, Kind::OutOfBounds, exited, "the block that owns the memory has exited");
        let detail = "the block that owns the memory may not have started; write a cluster barrier first";
        self.report(cluster, here, Kind::OutOfBounds, early, detail);
        lanes & !absent & !exited
    }

    /// Returns the lanes whose access lies inside its buffer, and reports the others.
    pub(super) fn bounds(
        &mut self,
        cluster: &Cluster,
        here: Here,
        index: &PerLane<u64>,
        count: u64,
        len: u64,
    ) -> u32 {
        let fits = |lane: usize| index[lane].checked_add(count).is_some_and(|end| end <= len);
        let inside = here.lanes & mask(fits);
        let outside = here.lanes & !inside;
        if let Some(lane) = each(outside).next() {
            let detail = format!(
                "it accesses element {} of {len}",
                index[lane] + (count - 1).min(OUTSIDE - index[lane])
            );
            self.report(cluster, here, Kind::OutOfBounds, outside, &detail);
        }
        if self.trace.is_some() {
            self.elements = each(inside).map(|lane| (lane, index[lane])).collect();
        }
        inside
    }

    pub(super) fn count(
        &mut self,
        cluster: &mut Cluster,
        here: Here,
        direction: Direction,
        targets: &Targets,
    ) {
        let layout = self.layout;
        let (record, base) = match targets.array {
            Array::Items => (&layout.partial, self.setting.items_at),
            Array::Partials => (&layout.partial, self.setting.partials_at),
            Array::Result => (&layout.output, 0),
            Array::Shared(array) => {
                let (base, record) = &layout.arrays[array];
                let start = |lane: usize| base + targets.index[lane] * record.size;
                for rank in 0..cluster.blocks.len() as u64 {
                    let lanes = each(targets.inside).filter(|&lane| targets.rank[lane] == rank);
                    self.starts.clear();
                    self.starts.extend(lanes.map(|lane| (lane, start(lane))));
                    self.tally.shared(here.part, direction, &self.starts, &record.fields);
                    if !self.starts.is_empty() {
                        self.effect(|machine| machine.shared_effect(direction, rank, &record.fields));
                    }
                }
                let tally = &mut cluster.blocks[here.rank].tally;
                let times = record.fields.len();
                each(targets.inside)
                    .for_each(|lane| tally.shared(here.thread(lane), here.part, direction, times));
                return;
            }
        };
        let lanes = (targets.inside, &targets.index);
        self.count_global(here, direction, lanes, (base, record.size), &record.fields);
    }

    pub(super) fn count_global(
        &mut self,
        here: Here,
        direction: Direction,
        (lanes, index): (u32, &PerLane<u64>),
        (base, size): (u64, u64),
        fields: &[Field],
    ) {
        self.addresses.clear();
        self.addresses.extend(each(lanes).map(|lane| base + index[lane] * size));
        self.tally.global(here.part, direction, &self.addresses, fields);
        self.effect(|machine| machine.global_effect(direction, lanes, fields));
    }

    /// Reports accesses that nothing orders.
    pub(super) fn conflicts(
        &mut self,
        cluster: &Cluster,
        here: Here,
        conflicts: &[(usize, Conflict)],
        does: &'static str,
    ) {
        let block = cluster.blocks[here.rank].number;
        for (lane, conflict) in conflicts {
            self.report_conflict(block, here.thread(*lane), here.pc, conflict, does);
        }
    }
}

/// The layout of a ticket, a `u32`.
const TICKET: Field = Field { offset: 0, size: 4 };
