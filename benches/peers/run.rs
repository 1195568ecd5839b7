//! Runs the cases: every contestant of a cell in turn, round after round.

use super::Outcome;
use super::cases::{Case, Group};
use super::clock::{Clock, Contestant, Native};
use super::cub::{Calls, Cub};
use super::goals;
use super::groups::{OurGroups, Results};
use super::ours::{Ours, Reducers};
use super::pool::Pool;
use super::read::Read;
use super::slots::Slots;
use super::stats::Spread;
use super::table::{Check, Mode, Peer, Row};
use super::torch::{Function, Torch};
use reduce_lanes::LanesRef;
use reducegen::Reducer;
use reducegen::{Scalar, Value};
use serde_json::json;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The aim for the duration of a sample, in microseconds, and the minimum and maximum of its calls.
const SAMPLE: f64 = 1_500.0;
const CALLS: (f64, f64) = (2.0, 500.0);
/// Calls of the sample that determines the number of calls.
const TRIAL: u64 = 4;

/// A case with a number of elements.
#[derive(Clone, Copy)]
pub(crate) struct Cell {
    pub(crate) case: &'static Case,
    pub(crate) n: usize,
}

impl Cell {
    /// Returns the bytes of all inputs, and of the results if there are several.
    pub(crate) fn bytes(&self) -> usize {
        let results = self.case.shape.map_or(0, |shape| shape.result_bytes());
        self.n * self.case.ty.size() * self.case.inputs() + results
    }

    pub(crate) fn name(&self) -> String {
        match self.case.shape {
            None => format!("{}, 2^{}", self.case.name, self.n.ilog2()),
            Some(_) => self.case.name.to_owned(),
        }
    }

    /// Returns the length of each axis of the inputs.
    pub(crate) fn lengths(&self) -> Vec<usize> {
        self.case.shape.map_or(vec![self.n], |shape| shape.lengths.to_vec())
    }

    /// Returns the modes to measure. The cost of a call on the host does not matter for large shapes.
    fn modes(&self) -> &'static [Mode] {
        let is_large = self.case.shape.is_some() && self.case.group != Group::Small;
        if is_large { &[Mode::Graph] } else { &Mode::ALL }
    }

    fn goal(&self, peer: Peer, mode: Mode) -> Option<f64> {
        match self.case.shape {
            None => goals::least(self.case.group, self.n as u64, peer, mode),
            Some(_) => goals::least_of_shapes(self.case.group, peer),
        }
    }
}

/// The resources for measuring cells.
pub(crate) struct Runner {
    pub(crate) clock: Rc<Clock>,
    pub(crate) reducers: Reducers,
    pub(crate) pool: Pool,
    pub(crate) cub: Option<Cub>,
    pub(crate) torch: Option<Rc<RefCell<Torch>>>,
    /// Whether PyTorch has the elements of the pool, or others.
    pub(crate) torch_shares: bool,
    pub(crate) torch_compiles: bool,
    pub(crate) rounds: usize,
    /// The maximum time of the rounds of a cell and mode, where more rounds tell whether a goal is met.
    pub(crate) longest: Duration,
    pub(crate) rows: Vec<Row>,
    pub(crate) missing: Vec<String>,
}

/// A contestant, and the check of its result.
struct Entry {
    peer: Peer,
    contestant: Box<dyn Contestant>,
    check: Check,
}

impl Runner {
    /// Measures a cell. Contestants that cannot take part are named in `missing`.
    pub(crate) fn cell(&mut self, cell: Cell) -> Outcome<()> {
        let Case { ty, .. } = *cell.case;
        let inputs = cell.case.inputs();
        let slots = Slots::of(self.pool.base, self.pool.bytes, ty, cell.n, inputs);
        let slots = slots.ok_or("the memory of the GPU does not hold its elements")?;
        self.pool.fill(&self.clock.gpu, ty, slots.stride * inputs)?;
        let mut entries = self.entries(cell, &slots)?;
        for &mode in cell.modes() {
            self.measure(cell, mode, &mut entries)?;
        }
        Ok(())
    }

    /// Returns all contestants, with their results checked.
    fn entries(&mut self, cell: Cell, slots: &Slots) -> Outcome<Vec<Entry>> {
        let Case { ty, offset, .. } = *cell.case;
        let shifted = slots.shifted(offset * ty.size());
        let mark = self.pool.mark(&self.clock.gpu, ty, &shifted, cell.n)?;
        let (ours, numbers) = self.ours(cell, &shifted)?;
        let mut entries = vec![ours];
        let peers = [Peer::Beside, Peer::Cub, Peer::Eager, Peer::Compiled, Peer::Read];
        for peer in peers {
            match self.entry(cell, slots, peer, &numbers) {
                Ok(entry) => entries.extend(entry),
                Err(error) => self.missing.push(format!("{}, {peer}: {error}", cell.name())),
            }
        }
        self.pool.unmark(&self.clock.gpu, &mark)?;
        Ok(entries)
    }

    /// Returns our reduction and its result, which is wrong if it differs from the host backend in any bit.
    fn ours(&mut self, cell: Cell, slots: &Slots) -> Outcome<(Entry, Vec<f64>)> {
        let compiled = self.reducers.of(&self.clock.gpu, cell.case, cell.case.spec)?;
        if let Some(shape) = cell.case.shape {
            let ours = OurGroups::new(&self.clock, compiled, (cell.case, shape), slots)?;
            let mut ours = Native::new(&self.clock, ours);
            let (check, numbers) = ours.launch.check(self.pool.lanes(cell.case.ty, slots, 0, cell.n))?;
            return Ok((Entry { peer: Peer::Ours, contestant: Box::new(ours), check }, numbers));
        }
        let ours = Ours::new(&self.clock.gpu, compiled.clone(), (cell.case, cell.n), slots)?;
        let mut ours = Native::new(&self.clock, ours);
        let found = ours.launch.values()?;
        let expected = self.on_the_host(cell, &compiled.host, slots)?;
        let check = if found == expected { Check::Right } else { Check::wrong(&found, &expected) };
        let numbers = ours.numbers()?;
        Ok((Entry { peer: Peer::Ours, contestant: Box::new(ours), check }, numbers))
    }

    fn on_the_host(&self, cell: Cell, host: &Reducer, slots: &Slots) -> Outcome<Vec<Value>> {
        let lanes = |input| self.pool.lanes(cell.case.ty, slots, input, cell.n);
        let lanes: Vec<LanesRef<'_>> = (0..cell.case.inputs()).map(lanes).collect();
        Ok(host.reduce(&lanes)?.values)
    }

    /// Returns a peer, if the case has it.
    fn entry(&mut self, cell: Cell, slots: &Slots, peer: Peer, ours: &[f64]) -> Outcome<Option<Entry>> {
        let Some(mut contestant) = self.contestant(cell, slots, peer)? else { return Ok(None) };
        let check = match peer {
            Peer::Read => Check::Unknown("it has no result".to_owned()),
            Peer::Beside if cell.case.offset > 0 => Check::Unknown("it reduces other elements".to_owned()),
            Peer::Eager | Peer::Compiled if !self.torch_shares => {
                Check::Unknown("it reduces other elements".to_owned())
            }
            Peer::Ours | Peer::Beside | Peer::Cub | Peer::Eager | Peer::Compiled => {
                Check::of(&contestant.numbers()?, ours, cell.case.tolerance)
            }
        };
        Ok(Some(Entry { peer, contestant, check }))
    }

    fn contestant(&mut self, cell: Cell, slots: &Slots, peer: Peer) -> Outcome<Option<Box<dyn Contestant>>> {
        let Case { ty, offset, .. } = *cell.case;
        Ok(match peer {
            Peer::Ours => None,
            Peer::Beside => self.beside(cell, slots)?,
            Peer::Cub => self.cub(cell, &slots.shifted(offset * ty.size()))?,
            Peer::Eager => self.torch(cell, slots, "eager", 0)?,
            Peer::Compiled if !self.torch_compiles => None,
            Peer::Compiled => self.torch(cell, slots, "compiled", 1)?,
            Peer::Read => Some(self.read(cell)?),
        })
    }

    fn beside(&mut self, cell: Cell, slots: &Slots) -> Outcome<Option<Box<dyn Contestant>>> {
        let Some((text, offset)) = cell.case.beside else { return Ok(None) };
        let slots = slots.shifted(offset * cell.case.ty.size());
        let compiled = self.reducers.of(&self.clock.gpu, cell.case, text)?;
        let ours = Ours::new(&self.clock.gpu, compiled, (cell.case, cell.n), &slots)?;
        Ok(Some(Box::new(Native::new(&self.clock, ours))))
    }

    fn cub(&self, cell: Cell, slots: &Slots) -> Outcome<Option<Box<dyn Contestant>>> {
        let (Some(cub), false) = (&self.cub, cell.case.cub.is_empty()) else { return Ok(None) };
        let calls = Calls::new(&self.clock, cub, (cell.case, cell.n), slots.clone(), self.pool.results)?;
        Ok(Some(Box::new(Native::new(&self.clock, calls))))
    }

    fn torch(
        &self,
        cell: Cell,
        slots: &Slots,
        name: &'static str,
        which: usize,
    ) -> Outcome<Option<Box<dyn Contestant>>> {
        let python = cell.case.torch[which];
        let (Some(torch), false) = (&self.torch, python.is_empty()) else { return Ok(None) };
        let case = json!({
            "ty": cell.case.ty.name(), "shape": cell.lengths(), "inputs": cell.case.inputs(), "stride": slots.stride,
            "copies": slots.copies, "python": python, "compiled": which == 1, "stores": cell.case.shape.is_some(),
        });
        let mut function = Function::new(torch, name, &case)?;
        if let Some((ty, count)) = function.stored.take().filter(|_| self.torch_shares) {
            let ty = Scalar::from_name(&ty).ok_or("PyTorch has results of an unknown type")?;
            function.numbers = Results::read(&self.clock.gpu, self.pool.results, ty, count)?.numbers();
        }
        Ok(Some(Box::new(function)))
    }

    /// Returns the reading kernel on the grid that is fastest.
    fn read(&self, cell: Cell) -> Outcome<Box<dyn Contestant>> {
        let slots = Slots::of(self.pool.base, self.pool.bytes, Scalar::U8, cell.bytes(), 1);
        let slots = slots.ok_or("the memory of the GPU does not hold as many bytes")?;
        let mut best: Option<(f64, Native<Read>)> = None;
        for read in self.clock.reader.on_every_grid(&self.clock.gpu, &slots, cell.bytes()) {
            let mut read = Native::new(&self.clock, read);
            let calls = calls(&mut read, Mode::Graph)?;
            read.prepare(Mode::Graph, calls)?;
            let time = read.sample(Mode::Graph, calls)?;
            if best.as_ref().is_none_or(|(least, _)| time < *least) {
                best = Some((time, read));
            }
        }
        let (_, read) = best.ok_or("no grid can read the elements")?;
        Ok(Box::new(read))
    }

    fn measure(&mut self, cell: Cell, mode: Mode, entries: &mut [Entry]) -> Outcome<()> {
        let mut calls_of = Vec::new();
        for entry in entries.iter_mut() {
            let calls = calls(entry.contestant.as_mut(), mode)?;
            entry.contestant.prepare(mode, calls)?;
            calls_of.push(calls);
        }
        let mut times = vec![Vec::new(); entries.len()];
        let (start, mut round) = (Instant::now(), 0);
        while round <= self.rounds
            || start.elapsed() < self.longest && needs_more_rounds(cell, mode, entries, &times)
        {
            for place in order(round, entries.len()) {
                let time = entries[place].contestant.sample(mode, calls_of[place])?;
                // The first round warms up.
                if round > 0 {
                    times[place].push(time);
                }
            }
            round += 1;
        }
        for (entry, times_of) in entries.iter().zip(&times) {
            self.rows.extend(row(cell, mode, entry, times_of, &times[0]));
        }
        Ok(())
    }
}

/// Returns whether a ratio is so close to its goal that more rounds are needed.
fn needs_more_rounds(cell: Cell, mode: Mode, entries: &[Entry], times: &[Vec<f64>]) -> bool {
    entries.iter().zip(times).any(|(entry, times_of)| {
        let goal = cell.goal(entry.peer, mode);
        let ratio = Spread::of_ratios(times_of, &times[0]);
        goal.zip(ratio).is_some_and(|(goal, ratio)| ratio.is_near(goal, times_of.len()))
    })
}

/// Returns the order of a round. Every other round is reversed, so that no contestant always follows the same one.
fn order(round: usize, entries: usize) -> Vec<usize> {
    let forward = 0..entries;
    if round.is_multiple_of(2) { forward.collect() } else { forward.rev().collect() }
}

/// Returns the number of calls of a sample.
fn calls(contestant: &mut dyn Contestant, mode: Mode) -> Outcome<u64> {
    contestant.prepare(mode, TRIAL)?;
    contestant.sample(mode, TRIAL)?;
    let once = contestant.sample(mode, TRIAL)?;
    Ok((SAMPLE / once).clamp(CALLS.0, CALLS.1) as u64)
}

fn row(cell: Cell, mode: Mode, entry: &Entry, times: &[f64], ours: &[f64]) -> Option<Row> {
    let ratio = if entry.peer == Peer::Ours { None } else { Spread::of_ratios(times, ours) };
    Some(Row {
        case: cell.case.name.to_owned(),
        n: cell.n as u64,
        outputs: cell.case.outputs() as u64,
        bytes: cell.bytes() as u64,
        mode,
        peer: entry.peer,
        time: Spread::of(times)?,
        ratio,
        goal: cell.goal(entry.peer, mode),
        check: entry.check.clone(),
    })
}
