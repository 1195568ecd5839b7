//! Numbers in memory: offsets, tiles, and lists in shared memory.

use super::address::Field;
use super::block::Cluster;
use super::code::Writer;
use super::count::Direction;
use super::execute::Here;
use super::expr::ScalarExpr;
use super::machine::{Cells, Machine};
use super::memory::Cell;
use super::op::Op;
use super::report::Kind;
use super::warp::{WIDTH, each};
use reduce_ir::program::Scope;
use reduce_ir::statements::{Buffer, Expr, Place, Stmt, Ty};

/// An array of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    /// The offsets, of this many bytes each.
    Offsets(u64),
    Tiles,
    LongSegments,
    Marks,
    /// The offsets of runs, of this many bytes each.
    Heads(u64),
    /// The keys of runs, of this many bytes each.
    Keys(u64),
    Number,
    /// A list, by its position among the lists that the kernel declares. Its last cell is its length.
    List(usize),
}

impl Machine<'_, '_> {
    pub(super) fn load_number(
        &mut self,
        cluster: &mut Cluster,
        here: Here,
        into: usize,
        (array, index): (Numbers, &ScalarExpr),
    ) {
        let index = self.scalar(cluster, here, index);
        let len = self.numbers(cluster, here, array).map_or(self.setting.offsets.len(), |cells| cells.len());
        let len = len - usize::from(matches!(array, Numbers::List(_)));
        let inside = self.bounds(cluster, here, &index, 1, len as u64);
        self.count_numbers(here, Direction::Load, array, (inside, &index));
        let (mut value, mut conflicts, mut uninitialised) = ([0; WIDTH], Vec::new(), 0);
        for lane in each(inside) {
            let access = here.access(cluster.number, &cluster.blocks[here.rank], lane);
            let at = index[lane] as usize;
            let Some(cells) = cells(&mut self.memory, &mut cluster.lists[here.rank], array) else {
                value[lane] = self.setting.offsets[at];
                continue;
            };
            uninitialised |= u32::from(!cells[at].is_initialised()) << lane;
            let (held, conflict) = cells[at].read(&access);
            value[lane] = held.unwrap_or_default();
            conflicts.extend(conflict.map(|conflict| (lane, conflict)));
        }
        self.report(cluster, here, Kind::Uninitialised, uninitialised, "no thread wrote it before");
        self.conflicts(cluster, here, &conflicts, "reads");
        here.set(&mut here.warp(cluster).scalars[into], &value);
    }

    pub(super) fn store_number(
        &mut self,
        cluster: &mut Cluster,
        here: Here,
        (array, index): (Numbers, &ScalarExpr),
        value: &ScalarExpr,
    ) {
        let value = self.scalar(cluster, here, value);
        let index = self.scalar(cluster, here, index);
        let len = self.numbers(cluster, here, array).map_or(0, |cells| cells.len());
        let len = len - usize::from(matches!(array, Numbers::List(_)));
        let inside = self.bounds(cluster, here, &index, 1, len as u64);
        self.count_numbers(here, Direction::Store, array, (inside, &index));
        let mut conflicts = Vec::new();
        for lane in each(inside) {
            let access = here.access(cluster.number, &cluster.blocks[here.rank], lane);
            let cells = cells(&mut self.memory, &mut cluster.lists[here.rank], array);
            let conflict =
                cells.and_then(|cells| cells[index[lane] as usize].write(&access, Some(value[lane])));
            conflicts.extend(conflict.map(|conflict| (lane, conflict)));
        }
        self.conflicts(cluster, here, &conflicts, "writes");
    }

    /// Makes a list empty.
    pub(super) fn clear(&mut self, cluster: &mut Cluster, here: Here, list: usize) {
        let mut conflicts = Vec::new();
        for lane in each(here.lanes) {
            let access = here.access(cluster.number, &cluster.blocks[here.rank], lane);
            let length = length(&mut cluster.lists[here.rank][list]);
            conflicts.extend(length.write(&access, Some(0)).map(|conflict| (lane, conflict)));
        }
        self.conflicts(cluster, here, &conflicts, "writes");
    }

    /// Appends the number of each lane to a list that is not full, in any order.
    pub(super) fn append(&mut self, cluster: &mut Cluster, here: Here, list: usize, value: &ScalarExpr) {
        let value = self.scalar(cluster, here, value);
        let (mut conflicts, mut uninitialised) = (Vec::new(), 0);
        for lane in self.in_turn(here.lanes) {
            let access = here.access(cluster.number, &cluster.blocks[here.rank], lane);
            let cells = &mut cluster.lists[here.rank][list];
            let most = cells.len() - 1;
            let length = length(cells);
            uninitialised |= u32::from(!length.is_initialised()) << lane;
            let more = |held: Option<u64>| Some(held.unwrap_or_default() + 1);
            let (at, conflict) = length.update(&access, Scope::Block, more);
            conflicts.extend(conflict.map(|conflict| (lane, conflict)));
            let at = at.unwrap_or_default() as usize;
            if at < most {
                let conflict = cells[at].write(&access, Some(value[lane]));
                conflicts.extend(conflict.map(|conflict| (lane, conflict)));
            }
        }
        self.tally.part(here.part).atomics += u64::from(here.lanes.count_ones());
        self.report(cluster, here, Kind::Uninitialised, uninitialised, "no thread cleared the list before");
        self.conflicts(cluster, here, &conflicts, "updates");
    }

    /// Reads the length of a list.
    pub(super) fn length(&mut self, cluster: &mut Cluster, here: Here, into: usize, list: usize) {
        let (mut value, mut conflicts) = ([0; WIDTH], Vec::new());
        for lane in each(here.lanes) {
            let access = here.access(cluster.number, &cluster.blocks[here.rank], lane);
            let cells = &mut cluster.lists[here.rank][list];
            let most = cells.len() as u64 - 1;
            let (held, conflict) = length(cells).read(&access);
            value[lane] = held.unwrap_or_default().min(most);
            conflicts.extend(conflict.map(|conflict| (lane, conflict)));
        }
        self.conflicts(cluster, here, &conflicts, "reads");
        here.set(&mut here.warp(cluster).scalars[into], &value);
    }

    /// Records the least segment whose offsets are wrong.
    pub(super) fn fault(&mut self, cluster: &Cluster, here: Here, segment: &ScalarExpr) {
        let segment = self.scalar(cluster, here, segment);
        let least = each(here.lanes).map(|lane| segment[lane]).min();
        self.memory.fault = self.memory.fault.min(least.unwrap_or(u64::MAX));
        self.tally.part(here.part).atomics += u64::from(here.lanes.count_ones());
    }

    /// Returns the cells of an array; `None` for offsets, which nothing writes.
    fn numbers<'c>(&'c self, cluster: &'c Cluster, here: Here, array: Numbers) -> Option<&'c [Cell<u64>]> {
        match array {
            Numbers::Offsets(_) => None,
            Numbers::Tiles => Some(&self.memory.tiles),
            Numbers::LongSegments => Some(&self.memory.long_segments),
            Numbers::Marks => Some(&self.memory.marks),
            Numbers::Heads(_) => Some(&self.memory.heads),
            Numbers::Keys(_) => Some(&self.memory.keys),
            Numbers::Number => Some(&self.memory.number),
            Numbers::List(list) => Some(&cluster.lists[here.rank][list]),
        }
    }

    fn count_numbers(
        &mut self,
        here: Here,
        direction: Direction,
        array: Numbers,
        lanes: (u32, &super::warp::PerLane<u64>),
    ) {
        let size = match array {
            Numbers::Offsets(size) | Numbers::Heads(size) | Numbers::Keys(size) => size,
            Numbers::Marks => 4,
            Numbers::Tiles | Numbers::LongSegments | Numbers::Number => 8,
            Numbers::List(_) => return,
        };
        self.count_global(here, direction, lanes, (0, size), &[Field { offset: 0, size }]);
    }
}

/// Returns the cells of an array that kernels write.
fn cells<'c>(
    memory: &'c mut Cells,
    lists: &'c mut [Vec<Cell<u64>>],
    array: Numbers,
) -> Option<&'c mut [Cell<u64>]> {
    match array {
        Numbers::Offsets(_) => None,
        Numbers::Tiles => Some(&mut memory.tiles),
        Numbers::LongSegments => Some(&mut memory.long_segments),
        Numbers::Marks => Some(&mut memory.marks),
        Numbers::Heads(_) => Some(&mut memory.heads),
        Numbers::Keys(_) => Some(&mut memory.keys),
        Numbers::Number => Some(&mut memory.number),
        Numbers::List(list) => Some(&mut lists[list]),
    }
}

/// Returns the cell that holds the length of a list.
fn length(cells: &mut [Cell<u64>]) -> &mut Cell<u64> {
    let last = cells.len() - 1;
    &mut cells[last]
}

impl<'k> Writer<'k, '_> {
    /// Compiles a store of an accumulator, a result or a number.
    pub(super) fn stored(&mut self, place: &'k Place, value: &'k Expr) -> Result<Op, String> {
        if let Some((array, index)) = self.number(place)? {
            let (array, ty) = match (place.buffer, array) {
                (Buffer::Offsets(ty), Numbers::Offsets(size)) => (Numbers::Heads(size), Ty::Scalar(ty)),
                (Buffer::Keys(ty), _) => (array, Ty::Scalar(ty)),
                (Buffer::Marks | Buffer::List(_), _) => (array, Ty::U32),
                _ => (array, Ty::U64),
            };
            return Ok(Op::StoreNumber { array, index, value: self.scalar(value, ty)? });
        }
        let ty = if place.buffer == Buffer::Result { Ty::Output } else { Ty::Acc };
        Ok(Op::StoreAcc { at: self.place(place)?, value: self.acc(value, ty)? })
    }

    /// Compiles a statement of kernels over segments or keys.
    pub(super) fn of_segments(&mut self, stmt: &'k Stmt) -> Result<Op, String> {
        if let Stmt::Append(list, value) = stmt {
            return Ok(Op::Append { list: self.list(list)?, value: self.scalar(value, Ty::U32)? });
        }
        if let Stmt::Length(local, list) = stmt {
            let list = self.list(list)?;
            return Ok(Op::Length { into: self.bind(&local.name, Ty::U32)?, list });
        }
        if let Stmt::Fault(segment) = stmt {
            return Ok(Op::Fault(self.scalar(segment, Ty::U64)?));
        }
        if let Stmt::Ballot(local, test) = stmt {
            let test = self.scalar(test, Ty::BOOL)?;
            return Ok(Op::Ballot { into: self.bind(&local.name, Ty::U32)?, test });
        }
        if let Stmt::Prefix { before, total, value } = stmt {
            let value = self.scalar(value, Ty::U32)?;
            let before = self.bind(&before.name, Ty::U32)?;
            self.push(stmt, Op::Scalar { into: before, value });
            return Ok(Op::Prefix { before, total: self.bind(&total.name, Ty::U32)? });
        }
        if let Stmt::Turn { turn, turns, value } = stmt {
            let value = self.scalar(value, Ty::U32)?;
            let turn = self.bind(&turn.name, Ty::U32)?;
            return Ok(Op::Turn { turn, turns: self.bind(&turns.name, Ty::U32)?, value });
        }
        if let Stmt::Clear(list) = stmt {
            Ok(Op::Clear(self.list(list)?))
        } else {
            Err("bug: no list".to_owned())
        }
    }

    /// Resolves a place that holds a number.
    pub(super) fn number(&mut self, place: &'k Place) -> Result<Option<(Numbers, ScalarExpr)>, String> {
        let array = match place.buffer {
            Buffer::Offsets(ty) => Numbers::Offsets(ty.size() as u64),
            Buffer::Tiles => Numbers::Tiles,
            Buffer::LongSegments => Numbers::LongSegments,
            Buffer::Marks => Numbers::Marks,
            Buffer::Keys(ty) => Numbers::Keys(ty.size() as u64),
            Buffer::Number => Numbers::Number,
            Buffer::List(name) => Numbers::List(self.list(name)?),
            Buffer::Input(_) | Buffer::Items | Buffer::Partials | Buffer::Result | Buffer::Ticket => {
                return Ok(None);
            }
            Buffer::Shared(_) => return Ok(None),
        };
        let narrow = matches!(array, Numbers::List(_));
        Ok(Some((array, self.scalar(&place.index, if narrow { Ty::U32 } else { Ty::U64 })?)))
    }

    /// Returns the position of a list among those that the kernel declares.
    pub(super) fn list(&self, name: &str) -> Result<usize, String> {
        let at = self.kernel().lists.iter().position(|list| list.name == name);
        at.ok_or_else(|| format!("{name} is not a list of the kernel"))
    }
}
