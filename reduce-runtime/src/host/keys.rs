//! Elements with keys: each is folded into the accumulator of its group.
//!
//! A chunk has several tables of accumulators, to which its rows are dealt as the association says. A strip of elements is mapped at once. If
//! each field is combined by one operation, the values are folded into the tables one after the other. Otherwise the strip is folded in
//! rounds: in a round, no two elements have one accumulator, so that one loop folds all of them.

use super::error::HostError;
use super::functions::CompiledFunctions;
use super::isa::Isa;
use super::items::Items;
use super::plan::Plan;
use super::pool::Pool;
use super::schedule::side_by_side;
use super::source::{Row, Source, pieces};
use super::threads;
use crate::strided::Strided;
use reduce_ir::axes::{Keys, Others};
use reduce_ir::operation::Operation;
use reduce_ir::ops::Bin;
use reduce_ir::program::{Association, Level, Tree};
use reduce_ir::{Scalar, Value};
use reduce_lanes::eval::Evaluator;
use reduce_lanes::{LaneError, Lanes, LanesRef, fold_at};
use std::ops::Range;

/// Elements that are mapped at once.
const STRIP: usize = 2048;

/// The fewest elements of a chunk of an exact operation.
const CHUNK: usize = 1 << 17;

/// An operation on elements with keys that is compiled for the host. Threads may share it.
#[derive(Debug)]
pub struct KeyPlan {
    plan: Plan,
    keys: Keys,
    workers: Pool<Worker>,
}

/// The functions and the memory of one thread.
#[derive(Clone, Debug)]
struct Worker {
    functions: CompiledFunctions,
    key: Evaluator,
    /// The operation by which each field is combined, if that is all.
    fields: Option<Vec<Bin>>,
    row: Row,
    slots: Vec<Lanes>,
    /// The accumulators of mapped elements, or those that a round folds elements into.
    accs: Vec<Lanes>,
    /// All lanes of a field that a loop left as a block.
    whole: Lanes,
    /// The arguments of a round.
    arguments: Vec<Lanes>,
    tables: Vec<Lanes>,
    /// The place of each element of the strip in the tables.
    places: Vec<u32>,
    rounds: Rounds,
    items: Items,
}

/// The elements of a strip, cut into rounds.
#[derive(Clone, Debug, Default)]
struct Rounds {
    /// For each place of the tables, the elements of the strip so far. All are 0 between strips.
    counts: Vec<u32>,
    /// The round of each element.
    of_element: Vec<u32>,
    /// The elements, round after round: the place, and the number in the strip.
    sorted: Vec<(usize, usize)>,
    /// The end of each round.
    ends: Vec<usize>,
}

/// How the elements of a chunk are dealt to its tables.
#[derive(Clone, Copy)]
struct Deal {
    chunk: usize,
    tables: usize,
    width: usize,
}

impl KeyPlan {
    /// A plan for an operation with a key, for the best instruction set of this processor.
    ///
    /// # Errors
    /// The functions of the operation do not fit together, or it has no key.
    pub fn new(operation: &Operation, keys: Keys) -> Result<KeyPlan, HostError> {
        let plan = Plan::new(operation)?;
        let types = |source| HostError::Types { operator: operation.name.clone(), source };
        let functions = CompiledFunctions::elements(Isa::best().loops, operation).map_err(types)?;
        let given = || HostError::Given { operator: operation.name.clone() };
        let (Some(key), Some(_)) = (functions.key(operation).map_err(types)?, &operation.fill) else {
            return Err(given());
        };
        Ok(KeyPlan { plan, keys, workers: Pool::of(Worker::new(functions, key)) })
    }

    /// Reduces the elements of each group, as `association` says, where elements of other groups are absent. Returns one vector for each
    /// field of the stored output. The inputs have the types of the operation and one length, and lie in their data.
    ///
    /// # Errors
    /// A key is no group; inputs or params that differ from the above.
    pub fn reduce(
        &self,
        association: &Association,
        inputs: Vec<Strided<LanesRef<'_>>>,
        params: &[Value],
    ) -> Result<Vec<Lanes>, HostError> {
        let operation = &self.plan.operation;
        if !self.plan.takes(&inputs, params) {
            return Err(HostError::Given { operator: operation.name.clone() });
        }
        let source = Source::elements(inputs, params);
        let groups = self.keys.groups as usize;
        let deal = self.deal(association, source.len());
        let run = |range| self.workers.with(|worker| worker.chunk(&source, range, deal, self));
        let ranges: Vec<_> = pieces(0..source.len(), deal.chunk).collect();
        let found = if ranges.len() > 1 {
            threads::map(ranges, run)?
        } else {
            ranges.into_iter().map(run).collect::<Result<_, _>>()?
        };
        let mut items = self.none(groups);
        for (chunk, found) in found.into_iter().enumerate() {
            let tables = found.map_err(|position| HostError::Key { position })?;
            match chunk {
                0 => items = tables,
                _ => items.iter_mut().zip(&tables).for_each(|(all, field)| all.extend(field.borrow())),
            }
        }
        let accs = self.plan.partials.until_one_each(&association.again, items, groups)?;
        let shared = self.plan.finish_groups.shared(source.len() as u64, params);
        let mut out = self.plan.finish_groups.room(groups);
        self.plan.finish_groups.append(&accs, &shared, &mut out)?;
        Ok(out)
    }

    /// Returns the accumulators of groups before their first element.
    fn none(&self, groups: usize) -> Vec<Lanes> {
        self.plan.operation.fill.iter().flatten().map(|&value| Lanes::splat(value, groups)).collect()
    }

    /// The chunks of the association, or those of exact operations: every association gives the same bits.
    fn deal(&self, association: &Association, n: usize) -> Deal {
        if self.plan.elements.traits().is_exact {
            let chunk = n.div_ceil(threads::count()).max(CHUNK).max(self.keys.groups as usize);
            return Deal { chunk, tables: 1, width: chunk };
        }
        let fold = association.first.first().copied().unwrap_or(Level::every(Level::ALL, Tree::Serial));
        let [chunk, tables, width] =
            [fold.chunk, fold.lanes, fold.unit.width].map(|it| usize::try_from(it).unwrap_or(usize::MAX));
        Deal { chunk, tables, width }
    }
}

impl Worker {
    fn new(functions: CompiledFunctions, key: Evaluator) -> Worker {
        let none: Vec<_> = functions.fields.iter().map(|&ty| Lanes::empty(ty)).collect();
        let fields = if functions.traits.has_fold { None } else { functions.combine.operations_of_fields() };
        Worker {
            key,
            fields,
            row: Row::new(&functions.arguments),
            slots: vec![Lanes::empty(Scalar::U32)],
            accs: none.clone(),
            whole: Lanes::empty(Scalar::Bool),
            arguments: functions.arguments.iter().map(|&(_, ty)| Lanes::empty(ty)).collect(),
            tables: none,
            places: Vec::new(),
            rounds: Rounds::default(),
            items: Items::new(&functions),
            functions,
        }
    }

    /// The accumulators of all groups over the elements of a chunk, or the first element whose key is no group.
    fn chunk(
        &mut self,
        source: &Source<'_>,
        range: Range<usize>,
        deal: Deal,
        of: &KeyPlan,
    ) -> Result<Result<Vec<Lanes>, u64>, LaneError> {
        let groups = of.keys.groups as usize;
        // One accumulator more, for elements that are left out.
        self.tables = of.none(deal.tables * groups + 1);
        for strip in pieces(range.clone(), STRIP) {
            let offset = strip.start - range.start;
            let start = strip.start as u64;
            self.row.load(source, strip.clone(), 0);
            self.find_slots(source, strip.len())?;
            if let Err(element) = self.find_places(offset, deal, of.keys) {
                return Ok(Err(start + element as u64));
            }
            match self.fields.take() {
                Some(fields) => {
                    let folded = self.fold_fields(source, &fields);
                    self.fields = Some(fields);
                    folded?;
                }
                None => self.fold_rounds(source)?,
            }
        }
        self.combine_tables(deal.tables, groups).map(Ok)
    }

    /// Evaluates the keys of the loaded row.
    fn find_slots(&mut self, source: &Source<'_>, len: usize) -> Result<(), LaneError> {
        self.key.run_into(|k| self.row.arg(source, k), len, &mut self.slots)?;
        // A key that is one value.
        self.slots[0].repeat(len);
        Ok(())
    }

    /// Finds the place of each element in the tables. The error is an element whose key is no group.
    fn find_places(&mut self, offset: usize, deal: Deal, keys: Keys) -> Result<(), usize> {
        let LanesRef::U32(slots) = self.slots[0].borrow() else { return Err(0) };
        let (groups, out) = (keys.groups as u32, (deal.tables as u64 * keys.groups) as u32);
        let greatest = slots.iter().copied().max();
        if keys.others != Others::Drop && greatest.is_some_and(|slot| slot >= groups) {
            return Err(slots.iter().position(|&slot| slot >= groups).unwrap_or(0));
        }
        self.places.clear();
        // Tables are counted: divisions for each element would take longer than the rest.
        let (mut table, mut start) = (offset / deal.width % deal.tables, 0);
        let mut end = deal.width - offset % deal.width;
        while start < slots.len() {
            let (first, turn) = (table as u32 * groups, &slots[start..end.min(slots.len())]);
            self.places.extend(turn.iter().map(|&slot| if slot < groups { first + slot } else { out }));
            table = if table + 1 == deal.tables { 0 } else { table + 1 };
            (start, end) = (end, end.saturating_add(deal.width));
        }
        Ok(())
    }

    /// Maps the elements, and folds each field by its operation.
    fn fold_fields(&mut self, source: &Source<'_>, fields: &[Bin]) -> Result<(), LaneError> {
        let Worker { functions, row, accs, tables, places, .. } = self;
        functions.map.run_into(|k| row.arg(source, k), places.len(), accs)?;
        for ((op, table), acc) in fields.iter().zip(tables).zip(accs) {
            fold_at(*op, table, acc.borrow(), places)?;
        }
        Ok(())
    }

    /// Folds the elements in rounds.
    fn fold_rounds(&mut self, source: &Source<'_>) -> Result<(), LaneError> {
        let tables = self.tables[0].len();
        self.rounds.cut(&self.places, tables);
        let mut first = 0;
        for round in 0..self.rounds.ends.len() {
            let end = self.rounds.ends[round];
            self.fold_round(source, first..end)?;
            first = end;
        }
        Ok(())
    }

    fn fold_round(&mut self, source: &Source<'_>, range: Range<usize>) -> Result<(), LaneError> {
        let Worker { functions, row, accs, arguments, tables, rounds, whole, .. } = self;
        let elements = &rounds.sorted[range];
        let len = elements.len();
        let of_place: Vec<_> = elements.iter().enumerate().map(|(at, (place, _))| (at, *place)).collect();
        let of_element: Vec<_> = elements.iter().enumerate().map(|(at, (_, it))| (at, *it)).collect();
        for (acc, table) in accs.iter_mut().zip(&*tables) {
            acc.clear();
            acc.resize(len);
            acc.copy(table.borrow(), &of_place);
        }
        for (k, argument) in arguments.iter_mut().enumerate().filter(|(k, _)| !row.is_uniform(*k)) {
            argument.resize(len);
            argument.copy(row.arg(source, k), &of_element);
        }
        let argument = |k: usize| if row.is_uniform(k) { row.arg(source, k) } else { arguments[k].borrow() };
        functions.fold.accumulate(accs, argument, len, || ())?;
        let back: Vec<_> = elements.iter().enumerate().map(|(at, (place, _))| (*place, at)).collect();
        for (acc, table) in accs.iter().zip(tables) {
            if acc.len() >= len {
                table.copy(acc.borrow(), &back);
                continue;
            }
            *whole = Lanes::empty(acc.ty());
            (functions.loops.append)(acc.borrow(), len, whole);
            table.copy(whole.borrow(), &back);
        }
        Ok(())
    }

    /// Combines the tables by halves.
    fn combine_tables(&mut self, tables: usize, groups: usize) -> Result<Vec<Lanes>, LaneError> {
        self.tables.iter_mut().for_each(|table| table.resize(tables * groups));
        if tables == 1 {
            return Ok(std::mem::take(&mut self.tables));
        }
        self.items.set_groups(groups);
        self.items.clear();
        self.items.append(&self.tables);
        self.items.combine(&side_by_side(Level::every(tables as u64, Tree::Halving), groups))?;
        Ok(self.items.fields().to_vec())
    }
}

impl Rounds {
    /// Cuts the elements at these places into rounds.
    fn cut(&mut self, places: &[u32], tables: usize) {
        self.counts.resize(tables, 0);
        self.of_element.clear();
        self.ends.clear();
        for &place in places {
            let count = &mut self.counts[place as usize];
            self.of_element.push(*count);
            if self.ends.len() == *count as usize {
                self.ends.push(0);
            }
            self.ends[*count as usize] += 1;
            *count += 1;
        }
        let mut end = 0;
        for size in &mut self.ends {
            end += *size;
            *size = end - *size;
        }
        self.sorted.resize(places.len(), (0, 0));
        for (element, (&place, &round)) in places.iter().zip(&self.of_element).enumerate() {
            let at = &mut self.ends[round as usize];
            self.sorted[*at] = (place as usize, element);
            *at += 1;
            self.counts[place as usize] = 0;
        }
    }
}
