//! The fold: each thread reads its items and folds them into its lanes.

use super::Lowerer;
use super::locals::{first, full_tile, plus, unit};
use super::unit::{Before, Loads, Margin, Unit};
use crate::tuning::LOADS_IN_FLIGHT;
use reduce_ir::operation::Argument;
use reduce_ir::ops::{Bin, Cmp};
use reduce_ir::program::{Arrangement, Fold, Reads, Share, Size, Step};
use reduce_ir::statements::{Buffer, Chunk, Expr, Local, Loop, Part, Place, Stmt, Ty, Unroll};
use reduce_ir::{Scalar, Value};

impl Lowerer<'_> {
    pub(super) fn fold(&mut self, fold: Fold) {
        self.note(Part::Fold, &Step::Fold(fold), self.words(fold));
        self.declare_lanes(fold);
        self.first_of_rows(fold);
        let body = match (fold.share, self.kernel.team.size) {
            (Share::Units(units), _) => self.tile(fold, units),
            (Share::Rest, Size::Grid { .. }) => self.grid_stride(),
            (Share::Rest, Size::Thread) => self.everything(),
            (Share::Rest, Size::Warp | Size::Block | Size::Cluster) => self.one_block(fold),
        };
        self.body.extend(body);
        self.threads_with_an_item(fold);
    }

    /// The units of a tile: without guards where it is full, as vectors at once where the data is aligned too.
    fn tile(&self, fold: Fold, units: u32) -> Vec<Stmt> {
        let all = |access| self.units(fold, units, access);
        let guarded = all(Loads::Guarded);
        match (units, fold.width) {
            (1, 1) => guarded,
            (2.., _) if fold.arrangement == Arrangement::Striped => self.striped(fold, units),
            (_, 1) => vec![Stmt::If(full_tile(), all(Loads::Items), guarded)],
            _ => {
                let unaligned = |there| vec![Stmt::If(there, all(Loads::Unaligned), guarded.clone())];
                let otherwise = match self.margin() {
                    Margin::Nothing => unaligned(full_tile()),
                    Margin::If(there) => unaligned(there),
                    Margin::Absent => guarded,
                };
                let aligned = self.aligned().fold(full_tile(), Expr::and);
                vec![Stmt::If(aligned, all(Loads::Vectors), otherwise)]
            }
        }
    }

    /// What unaligned vectors need around them.
    fn margin(&self) -> Margin {
        if !self.reads_words() {
            return Margin::Nothing;
        }
        if self.kernel.is_one_tile() {
            return Margin::Absent;
        }
        let wide = |name| Expr::Named(name).cast(Scalar::U64);
        let end = first().get().bin(Bin::Add, wide("TILE")).bin(Bin::Add, wide("WIDTH"));
        let before = Expr::Const(Value::of(0u64)).below(first().get());
        Margin::If(before.and(Expr::Cmp(Cmp::Le, Box::new(end), Box::new(Expr::Items))))
    }

    /// Is there an input whose unaligned vectors are read by words?
    pub(super) fn reads_words(&self) -> bool {
        let by_words =
            |k: usize| Chunk::of(self.program.operation.inputs[k].ty, self.access(k).0) == Chunk::Word;
        self.inputs().any(by_words)
    }

    fn declare_lanes(&mut self, fold: Fold) {
        let lanes = fold.lanes * fold.rows();
        let name = |lane| if lanes == 1 { "acc".to_owned() } else { format!("acc_{lane}") };
        self.lanes = (0..lanes).map(|lane| self.local(&name(lane), Ty::Acc)).collect();
        let empty = Expr::Empty;
        self.body.extend(self.lanes.iter().map(|lane| Stmt::Var(lane.clone(), empty.clone())));
    }

    /// All units of a thread. A single unit begins its lanes; of several, where lanes begin with an item, the first
    /// does, and the loop begins with the second.
    pub(super) fn units(&self, fold: Fold, units: u32, access: Loads) -> Vec<Stmt> {
        if units == 1 {
            return self.unit(self.thread().into(), access, Before::Nothing, "");
        }
        let from_first = self.counts_from_first(access);
        let mut body = Vec::new();
        if from_first {
            body.push(self.first_item_of_thread(fold));
        }
        if fold.in_rows {
            body.extend(self.unit_of_each_row(units, access));
            return body;
        }
        if self.begins_with_item() {
            body.extend(self.unit(
                self.first_of_several(fold, from_first),
                access,
                Before::Nothing,
                "_first",
            ));
        }
        body.push(Stmt::For(Box::new(Loop {
            from: u32::from(self.begins_with_item()).into(),
            test: unit().get().below(Expr::Named("UNITS")),
            next: unit().get().plus(1),
            unroll: if access == Loads::Guarded { Unroll::Unsaid } else { self.in_flight(fold) },
            body: self.unit(self.unit_of_loop(fold, from_first), access, before_unit(fold), ""),
            local: unit(),
        })));
        body
    }

    /// Do lanes begin with their first item, and not with the fill?
    pub(super) fn begins_with_item(&self) -> bool {
        self.guarded() || (self.kernel.reads == Reads::Inputs && self.program.operation.fold.is_some())
    }

    /// The loads of a unit, and each of its items into its lane.
    pub(super) fn items(&self, unit: &Unit, suffix: &str) -> Vec<Stmt> {
        let mut body = match unit.access {
            Loads::Vectors => self.vectors(unit, suffix, Stmt::Load),
            Loads::Unaligned => self.vectors(unit, suffix, Stmt::LoadUnaligned),
            Loads::Items | Loads::Guarded => Vec::new(),
        };
        body.extend((0..self.kernel.fold().width).flat_map(|item| self.item(unit, item, suffix)));
        body
    }

    /// One item: its loads, if it was not loaded with its unit, and its way into the lane.
    fn item(&self, unit: &Unit, item: u32, suffix: &str) -> Vec<Stmt> {
        let (mut body, value) = match (self.kernel.reads, unit.access) {
            (Reads::Partials, _) => self.item_of_partials(unit, item, suffix),
            (Reads::Inputs, Loads::Vectors | Loads::Unaligned) => {
                (Vec::new(), self.element_of_vector(unit, item, suffix))
            }
            (Reads::Inputs, Loads::Items | Loads::Guarded) => self.element(unit, item, suffix),
        };
        body.push(Stmt::Set(self.lane(unit, item).clone(), value));
        if unit.access == Loads::Guarded { vec![Stmt::when(unit.holds(item), body)] } else { body }
    }

    /// The accumulator that an item of a unit goes to.
    fn lane(&self, unit: &Unit, item: u32) -> &Local {
        let lanes = self.lanes_of_unit();
        &self.lanes[(unit.row * lanes + item % lanes) as usize]
    }

    /// Accumulators that the items of a unit go to.
    fn lanes_of_unit(&self) -> u32 {
        self.lanes.len() as u32 / self.kernel.fold().rows()
    }

    fn item_of_partials(&self, unit: &Unit, item: u32, suffix: &str) -> (Vec<Stmt>, Expr) {
        let local = Local::new(format!("item{suffix}"), Ty::Acc);
        let flagged = self.in_last_block() && self.program.kernel(Reads::Inputs).has_flags();
        let load = if flagged { Stmt::Take } else { Stmt::Load };
        let load = load(local.clone(), self.partials.0.at(self.in_memory(self.position(unit, item))));
        let begins = self.before(unit, item).is_none();
        (vec![load], if begins { local.get() } else { self.lane(unit, item).get().combine(local.get()) })
    }

    fn element(&self, unit: &Unit, item: u32, suffix: &str) -> (Vec<Stmt>, Expr) {
        let local = |k: usize| {
            let ty = Ty::Scalar(self.program.operation.inputs[k].ty);
            self.local_of_input(k, &format!("_{item}{suffix}"), ty)
        };
        let load = |k| Stmt::Load(local(k), Buffer::Input(k).at(self.address(k, unit, item)));
        (self.inputs().map(load).collect(), self.added(unit, item, |k| local(k).get()))
    }

    /// How many items the lane of an item has before it; `None` where the item is assigned.
    fn before(&self, unit: &Unit, item: u32) -> Option<Expr> {
        let in_lane = item / self.lanes_of_unit();
        let more = Expr::from(in_lane).cast(Scalar::U64);
        match &unit.before {
            Before::Nothing => (in_lane > 0).then_some(more),
            Before::Items(before) if in_lane == 0 => Some(before.clone()),
            Before::Items(before) => Some(before.clone().bin(Bin::Add, more)),
        }
    }

    /// The accumulator of an item's lane with an element added: mapped if it is the first, then by `fold` if the
    /// operation has one.
    fn added(&self, unit: &Unit, item: u32, element: impl Fn(usize) -> Expr) -> Expr {
        let operation = &self.program.operation;
        let before = self.before(unit, item);
        let step = before.clone().unwrap_or_else(|| Expr::Const(Value::of(0u64)));
        let given = |argument: &Argument| match *argument {
            Argument::Acc(_) => None,
            Argument::Input(k) => Some(element(k)),
            Argument::Index if self.has_narrow_positions() => Some(self.narrow_position(unit, item)),
            Argument::Index => Some(self.position(unit, item)),
            Argument::Step => Some(step.clone()),
            Argument::Count => Some(Expr::Items),
            Argument::Param(param) => Some(Expr::Param(param, operation.params[param].ty)),
        };
        let mapped = || Expr::Map(operation.map_arguments().iter().filter_map(given).collect());
        let acc = self.lane(unit, item).get();
        match (before, operation.fold_arguments()) {
            (None, _) => mapped(),
            (Some(_), None) => acc.combine(mapped()),
            (Some(_), Some(arguments)) => {
                Expr::Fold(Box::new(acc), arguments.iter().filter_map(given).collect())
            }
        }
    }

    /// The position, in the whole input, of an item.
    fn position(&self, unit: &Unit, item: u32) -> Expr {
        plus(unit.begin.clone(), item)
    }

    /// Do positions have 32 bits?
    pub(super) fn has_narrow_positions(&self) -> bool {
        self.kernel.reads == Reads::Inputs && self.program.operation.position == Scalar::U32
    }

    /// The position of an item in 32 bits.
    fn narrow_position(&self, unit: &Unit, item: u32) -> Expr {
        match unit.at.ty() {
            Some(Ty::U64) => self.position(unit, item).cast(Scalar::U32),
            _ if self.kernel.is_one_tile() => unit.at.clone().plus(item),
            _ => first().get().cast(Scalar::U32).plus(unit.at.clone().plus(item)),
        }
    }

    /// Where an item of the unit lies in an input.
    fn address(&self, input: usize, unit: &Unit, item: u32) -> Expr {
        let position = self.position(unit, item);
        if self.program.domain.is_strided() {
            return position.times(Expr::Step(input));
        }
        self.in_memory(position)
    }

    /// The vector loads of a unit.
    fn vectors(&self, unit: &Unit, suffix: &str, load: fn(Local, Place) -> Stmt) -> Vec<Stmt> {
        let parts = |k| (0..self.kernel.fold().width / self.access(k).0).map(move |part| (k, part));
        let place = |(k, part)| {
            let place = Buffer::Input(k).at(self.in_memory(self.position(unit, part * self.access(k).0)));
            load(self.vector(k, part, suffix), place)
        };
        self.inputs().flat_map(parts).map(place).collect()
    }

    /// How far the fold is unrolled: to the units that have [`LOADS_IN_FLIGHT`] loads, but to two at least.
    pub(super) fn in_flight(&self, fold: Fold) -> Unroll {
        let loads: u32 = match self.kernel.reads {
            Reads::Inputs => self.inputs().map(|k| fold.width / self.access(k).0).sum(),
            Reads::Partials => 1,
        };
        match (fold.hints.unrolled, fold.units()) {
            (false, _) => Unroll::Unsaid,
            (true, Some(..=4)) => Unroll::All,
            (true, _) => Unroll::By((LOADS_IN_FLIGHT / loads).max(2)),
        }
    }

    fn element_of_vector(&self, unit: &Unit, item: u32, suffix: &str) -> Expr {
        self.added(unit, item, |k| {
            let elements = self.access(k).0;
            Expr::Lane(self.vector(k, item / elements, suffix), item % elements)
        })
    }

    fn vector(&self, input: usize, part: u32, suffix: &str) -> Local {
        let ty = Ty::Vector(self.program.operation.inputs[input].ty, self.access(input).0);
        self.local_of_input(input, &format!("_vector{part}{suffix}"), ty)
    }

    /// Elements and bytes of one vector of an input: a unit, or as much of it as 16 bytes hold.
    fn access(&self, input: usize) -> (u32, u32) {
        let size = self.program.operation.inputs[input].ty.size() as u32;
        let elements = self.kernel.fold().width.min(16 / size);
        (elements, elements * size)
    }

    /// Is each input aligned to its vectors?
    pub(super) fn aligned(&self) -> impl Iterator<Item = Expr> {
        let whole = self.begins_aligned();
        self.inputs().map(|k| Expr::Aligned(Buffer::Input(k), self.access(k).1)).chain(whole)
    }

    fn inputs(&self) -> std::ops::Range<usize> {
        0..self.program.operation.inputs.len()
    }

    /// A local named after an input; no other begins so (`names.rs`).
    fn local_of_input(&self, input: usize, suffix: &str, ty: Ty) -> Local {
        Local::new(format!("{}{suffix}", self.program.operation.inputs[input].name), ty)
    }
}

/// What the lanes hold before the unit of a loop.
pub(super) fn before_unit(fold: Fold) -> Before {
    let items = match fold.items_of_a_lane() {
        1 => unit().get(),
        items if items == fold.width => unit().get().times(Expr::Named("WIDTH")),
        items => unit().get().times(items),
    };
    Before::Items(items.cast(Scalar::U64))
}

/// The word in `passes` that says how many lanes a thread has.
pub(super) fn word_of_lanes(fold: Fold) -> String {
    if fold.shares_lanes() { format!("lanes({})", fold.lanes) } else { format!("vectorize({})", fold.width) }
}

impl Lowerer<'_> {
    /// The words in `passes` that shaped a fold.
    fn words(&self, fold: Fold) -> Vec<String> {
        let atomic = self.program.kernel(Reads::Inputs).is_atomic();
        let share = match (fold.share, self.kernel.team.size) {
            (Share::Units(1), _) => None,
            (Share::Units(units), _) => Some(format!("coarsen({units})")),
            (Share::Rest, Size::Grid { most }) => most.map(|blocks| format!("grid_stride({blocks})")),
            (Share::Rest, Size::Thread) => Some(if atomic { "atomic" } else { "serial" }.to_owned()),
            (Share::Rest, Size::Warp | Size::Block | Size::Cluster) => Some("one_block".to_owned()),
        };
        let vectorize = (fold.width > 1).then(|| format!("vectorize({})", fold.width));
        let lanes = fold.shares_lanes().then(|| word_of_lanes(fold));
        let rows = fold.in_rows.then(|| "warp_striped".to_owned());
        let hints = fold.effective_hints().held().map(|hint| hint.pass.to_owned());
        let near = (self.program.operation.position == Scalar::U32).then(|| "narrow_index".to_owned());
        [share, vectorize, lanes, rows].into_iter().flatten().chain(hints).chain(near).collect()
    }
}
