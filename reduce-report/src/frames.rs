//! The steps of a run, as the viewer animates them: one frame for each statement that moves or makes accumulators.

mod clock;
mod origins;

use crate::recording::Made;
use crate::spans::{Span, spans};
use clock::Clocks;
use origins::{Origin, Origins};
use reduce_interpreter::{Acc, Effect, Event, Written};
use reduce_ir::operation::Operation;
use reduce_ir::statements::{Buffer, LoweredKernel, Place, Stmt};
use serde::Serialize;
use std::cell::RefCell;
use std::collections::HashMap;

/// A launch, and the blocks whose frames are shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct LaunchView {
    pub(crate) kernel: usize,
    pub(crate) grid: u64,
    pub(crate) items: u64,
    pub(crate) blocks: Vec<u64>,
}

/// A statement that lanes of a warp executed together. Lanes have numbers as [`Span`]s; accumulators have short numbers.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Frame {
    /// The time in steps of its block, as if all warps ran at once.
    pub(crate) t: u32,
    /// The launch, block and warp.
    pub(crate) l: usize,
    pub(crate) b: u64,
    pub(crate) w: u32,
    /// The number of the statement in its kernel.
    pub(crate) s: usize,
    /// The lanes that execute it, and those that have ended.
    pub(crate) on: u32,
    pub(crate) off: u32,
    /// The register that it sets, with the accumulator of each lane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) r: Option<(String, Vec<Span>)>,
    /// Accesses to global memory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) g: Vec<GlobalView>,
    /// Accesses to shared memory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) m: Vec<SharedView>,
    /// The lane from which each lane reads in a shuffle.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) f: Vec<Span>,
    /// The operands of combinations that came from other places.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) x: Vec<Arrow>,
    /// The accumulators that it writes to memory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) p: Vec<WriteView>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct GlobalView {
    stores: bool,
    buffer: String,
    /// The first byte of each lane.
    at: Vec<Span>,
    /// The index of the element of each lane.
    i: Vec<Span>,
    bytes: u64,
    requests: u64,
    sectors: u64,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct SharedView {
    stores: bool,
    array: String,
    rank: u64,
    /// The first byte of each lane in the shared memory of the block.
    at: Vec<Span>,
    bytes: u64,
    wavefronts: u64,
    conflicts: u64,
}

/// The array of an operand, or none for a lane; and the rank of its block.
type FromPlace = (Option<String>, u64);

/// Operands that lanes took from other lanes, or from cells of a shared array.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Arrow {
    /// The array; none for lanes.
    #[serde(skip_serializing_if = "Option::is_none")]
    array: Option<String>,
    rank: u64,
    from: Vec<Span>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct WriteView {
    array: String,
    rank: u64,
    at: Vec<Span>,
    v: Vec<Span>,
}

/// The maximum number of blocks of a grid of which all are shown. Of more, the first two and the last are.
const ALL_BLOCKS: u64 = 3;

/// The approximate length of a frame as text.
const BYTES_OF_FRAME: usize = 180;

/// Makes frames of the events of a run.
pub(crate) struct Watch<'a> {
    operation: &'a Operation,
    made: &'a RefCell<Vec<Made>>,
    /// The kernel and the number of each statement, by its address.
    statements: HashMap<usize, (usize, usize)>,
    cluster: Vec<u64>,
    pub(crate) launches: Vec<LaunchView>,
    pub(crate) frames: Vec<Frame>,
    /// The accumulators that frames name, in the order of their short numbers.
    pub(crate) named: Vec<Acc>,
    numbers: HashMap<Acc, u64>,
    clocks: Clocks,
    origins: Origins,
    /// The bytes that frames and values still may take, as text.
    room: usize,
    /// Whether there were more frames than have room.
    pub(crate) is_cut: bool,
}

impl<'a> Watch<'a> {
    /// Creates the callback for kernels. It keeps about as many frames as take `room` bytes as text.
    pub(crate) fn new(
        operation: &'a Operation,
        kernels: &[LoweredKernel],
        made: &'a RefCell<Vec<Made>>,
        room: usize,
    ) -> Watch<'a> {
        let address = |stmt: &Stmt| std::ptr::from_ref(stmt).addr();
        let of_kernel = |(kernel, it): (usize, &LoweredKernel)| {
            let numbered = it.statements().into_iter().enumerate();
            numbered.map(|(number, stmt)| (address(stmt), (kernel, number))).collect::<Vec<_>>()
        };
        Watch {
            operation,
            made,
            statements: kernels.iter().enumerate().flat_map(of_kernel).collect(),
            cluster: kernels.iter().map(|it| it.cluster.max(1).into()).collect(),
            launches: Vec::new(),
            frames: Vec::new(),
            named: Vec::new(),
            numbers: HashMap::new(),
            clocks: Clocks::default(),
            origins: Origins::default(),
            room,
            is_cut: false,
        }
    }

    /// Adds the frame of an event.
    pub(crate) fn event(&mut self, event: &Event<'_>) {
        let made = std::mem::take(&mut *self.made.borrow_mut());
        let address = std::ptr::from_ref(event.statement).addr();
        let Some(&(kernel, number)) = self.statements.get(&address) else { return };
        self.begin_launch(kernel, event);
        if !self.shows(event) || !is_step(event) {
            return;
        }
        if self.room == 0 {
            self.is_cut = true;
            return;
        }
        let named = self.named.len();
        let frame = self.frame(number, event, &made);
        self.frames.push(frame);
        self.room =
            self.room.saturating_sub(BYTES_OF_FRAME + (self.named.len() - named) * self.bytes_of_value());
    }

    /// Returns the approximate length of an accumulator as text.
    fn bytes_of_value(&self) -> usize {
        let acc = &self.operation.acc;
        4 + 3 * acc.size() + if acc.is_scalar() { 0 } else { 10 * (1 + acc.fields.len()) }
    }

    fn begin_launch(&mut self, kernel: usize, event: &Event<'_>) {
        let (grid, items) = (event.grid, event.items);
        let blocks = if grid <= ALL_BLOCKS { (0..grid).collect() } else { vec![0, 1, grid - 1] };
        let launch = LaunchView { kernel, grid, items, blocks };
        if self.launches.last() != Some(&launch) {
            self.launches.push(launch);
            (self.clocks, self.origins) = (Clocks::default(), Origins::default());
        }
    }

    fn shows(&self, event: &Event<'_>) -> bool {
        self.launches.last().is_some_and(|launch| launch.blocks.contains(&event.block))
    }

    fn frame(&mut self, number: usize, event: &Event<'_>, made: &[Made]) -> Frame {
        let mut frame = Frame {
            t: self.clocks.time(event),
            l: self.launches.len() - 1,
            b: event.block,
            w: event.warp,
            s: number,
            on: event.lanes,
            off: event.ended,
            ..Frame::default()
        };
        let lanes = |lane: &usize| event.lanes >> lane & 1 == 1;
        frame.x = self.arrows(event, made);
        if let (Some(register), Some(name)) = (event.register, local(event.statement)) {
            let accs: Vec<_> = (0..32).filter(lanes).map(|lane| (lane, register[lane])).collect();
            frame.r = Some((name.to_owned(), self.spans_of(accs)));
        }
        for effect in event.effects {
            self.add(&mut frame, event, effect);
        }
        self.remember(event);
        frame
    }

    fn add(&mut self, frame: &mut Frame, event: &Event<'_>, effect: &Effect) {
        let array = place(event.statement).map_or_else(String::new, |it| self.name(it));
        match effect {
            Effect::Global { stores, starts, bytes, counts } => frame.g.push(GlobalView {
                stores: *stores,
                buffer: array,
                at: spans(starts.iter().copied()),
                i: spans(event.elements.iter().copied()),
                bytes: *bytes,
                requests: counts.requests,
                sectors: counts.sectors,
            }),
            Effect::Shared { stores, rank, starts, bytes, counts } => frame.m.push(SharedView {
                stores: *stores,
                array,
                rank: *rank,
                at: spans(starts.iter().copied()),
                bytes: *bytes,
                wavefronts: counts.wavefronts,
                conflicts: counts.conflicts,
            }),
            Effect::Shuffle(from) => {
                let active = (0..32).filter(|lane| event.lanes >> lane & 1 == 1);
                frame.f = spans(active.map(|lane| (lane, from[lane] as u64)));
            }
            Effect::Written(cells) => self.write(frame, &array, cells),
        }
    }

    fn write(&mut self, frame: &mut Frame, array: &str, cells: &[Written]) {
        let mut ranks: Vec<_> = cells.iter().map(|cell| cell.rank).collect();
        ranks.sort_unstable();
        ranks.dedup();
        for rank in ranks {
            let of_rank = || cells.iter().filter(|cell| cell.rank == rank);
            let accs: Vec<_> = of_rank().map(|cell| (cell.lane, cell.acc)).collect();
            let at = spans(of_rank().map(|cell| (cell.lane, cell.index)));
            frame.p.push(WriteView { array: array.to_owned(), rank, at, v: self.spans_of(accs) });
        }
    }

    /// Returns the spans of accumulators, which get their short numbers.
    fn spans_of(&mut self, accs: Vec<(usize, Option<Acc>)>) -> Vec<Span> {
        let mut numbered = Vec::new();
        for (lane, acc) in accs {
            let Some(acc) = acc else { continue };
            let next = self.named.len() as u64;
            let number = *self.numbers.entry(acc).or_insert(next);
            if number == next {
                self.named.push(acc);
            }
            numbered.push((lane, number));
        }
        spans(numbered)
    }

    /// Returns the operands that came from elsewhere, by their place.
    fn arrows(&self, event: &Event<'_>, made: &[Made]) -> Vec<Arrow> {
        if let Stmt::Redux(..) = event.statement {
            let others = (1..32usize).filter(|lane| event.lanes >> lane & 1 == 1);
            let from: Vec<_> = others.flat_map(|lane| spans([(0, lane as u64)])).collect();
            return vec![Arrow { array: None, rank: 0, from }];
        }
        let mut by_place: Vec<(FromPlace, Vec<(usize, u64)>)> = Vec::new();
        for made in made {
            let thread = 32 * event.warp + made.lane as u32;
            for from in
                made.sides.iter().flatten().filter_map(|&acc| self.origins.of(event.block, thread, acc))
            {
                let (place, number) = match from {
                    Origin::Lane(lane) => ((None, 0), *lane as u64),
                    Origin::Cell { array, rank, index } => ((Some(array.clone()), *rank), *index),
                };
                match by_place.iter_mut().find(|(known, _)| *known == place) {
                    Some((_, numbers)) => numbers.push((made.lane, number)),
                    None => by_place.push((place, vec![(made.lane, number)])),
                }
            }
        }
        let arrow = |((array, rank), from)| Arrow { array, rank, from: spans(from) };
        by_place.into_iter().map(arrow).collect()
    }

    /// Remembers from where the lanes of a shuffle or a load have their accumulators.
    fn remember(&mut self, event: &Event<'_>) {
        let Some(register) = event.register else { return };
        let thread = |lane: usize| 32 * event.warp + lane as u32;
        for effect in event.effects {
            if let Effect::Shuffle(from) = effect {
                for lane in (0..32).filter(|&lane| event.lanes >> lane & 1 == 1 && from[lane] != lane) {
                    self.origins.set(event.block, thread(lane), register[lane], Origin::Lane(from[lane]));
                }
            }
            if let (Effect::Shared { rank, starts, .. }, Some(at)) = (effect, place(event.statement)) {
                for &(lane, index) in
                    event.elements.iter().filter(|(lane, _)| starts.iter().any(|it| it.0 == *lane))
                {
                    let from = Origin::Cell { array: self.name(at), rank: *rank, index };
                    self.origins.set(event.block, thread(lane), register[lane], from);
                }
            }
        }
    }

    /// Returns the name of the array of a place.
    fn name(&self, place: &Place) -> String {
        match place.buffer {
            Buffer::Input(input) => {
                self.operation.inputs.get(input).map_or_else(String::new, |it| it.name.clone())
            }
            Buffer::Shared(name) => name.to_owned(),
            Buffer::Items | Buffer::Partials | Buffer::Result | Buffer::Ticket | Buffer::Offsets(_) => {
                place.buffer.to_string()
            }
            Buffer::Tiles | Buffer::LongSegments | Buffer::List(_) => place.buffer.to_string(),
            Buffer::Marks | Buffer::Keys(_) | Buffer::Number => place.buffer.to_string(),
        }
    }

    /// Returns the short number of an accumulator that frames name.
    pub(crate) fn number(&self, acc: Acc) -> Option<usize> {
        self.numbers.get(&acc).map(|&number| number as usize)
    }

    /// Returns the number of blocks in a cluster of each kernel.
    pub(crate) fn clusters(&self) -> &[u64] {
        &self.cluster
    }
}

/// Returns whether the statement moves or makes accumulators, accesses memory, or is a barrier.
fn is_step(event: &Event<'_>) -> bool {
    let waits = matches!(event.statement, Stmt::Barrier(_) | Stmt::Vote(..) | Stmt::Wait | Stmt::Receive(_));
    waits || event.register.is_some() || !event.effects.is_empty()
}

/// Returns the name of the local that a statement sets.
fn local(stmt: &Stmt) -> Option<&str> {
    if let Stmt::Let(it, _) | Stmt::Var(it, _) | Stmt::Set(it, _) | Stmt::Load(it, _) = stmt {
        return Some(&it.name);
    }
    if let Stmt::Take(it, _) | Stmt::Redux(it, _) | Stmt::Shuffle { into: it, .. } = stmt {
        return Some(&it.name);
    }
    None
}

/// Returns the place that a statement accesses.
pub(crate) fn place(stmt: &Stmt) -> Option<&Place> {
    if let Stmt::Load(_, at) | Stmt::LoadUnaligned(_, at) | Stmt::Store(at, _) | Stmt::Post(at, _) = stmt {
        return Some(at);
    }
    if let Stmt::Take(_, at) | Stmt::Send(at, _) | Stmt::AtomicCombine { place: at, .. } = stmt {
        return Some(at);
    }
    None
}
