//! The fold: each thread reads its items and folds them into its lanes.

use super::Lowerer;
use super::locals::{count, first, full_tile, plus, unit};
use super::unit::{Before, Loads, Margin, Unit};
use crate::tuning::LOADS_IN_FLIGHT;
use reduce_ir::operation::Argument;
use reduce_ir::ops::{Bin, Cmp};
use reduce_ir::program::{Arrangement, Fold, Reads, Share, Size, Step};
use reduce_ir::statements::{Buffer, Chunk, Expr, Local, Loop, Part, Place, Stmt, Ty, Unroll};
use reduce_ir::{Scalar, Value};

impl Lowerer<'_> {
    pub(super) fn fold(&mut self, fold: Fold) {
        self.note_fold(fold);
        self.declare_lanes(fold);
        self.first_of_rows(fold);
        let body = match (fold.share, self.kernel.team.size) {
            (Share::Units(units), _) => self.tile(fold, self.units_reached(units)),
            (Share::Rest, Size::Grid { .. }) => self.grid_stride(),
            (Share::Rest, Size::Thread) => self.single_thread(),
            (Share::Rest, Size::Lanes(_) | Size::Warp | Size::Block | Size::Cluster) => self.one_block(fold),
        };
        self.body.extend(body);
        self.threads_with_an_item(fold);
    }

    /// Introduces a fold.
    pub(super) fn note_fold(&mut self, fold: Fold) {
        self.note(Part::Fold, &Step::Fold(fold), self.words(fold));
    }

    /// Reads the units of a tile: without guards if it is full, and by aligned vectors if the data is aligned too.
    fn tile(&self, fold: Fold, units: u32) -> Vec<Stmt> {
        let all = |access| self.units(fold, units, access);
        let guarded = all(Loads::Guarded);
        match (units, fold.width) {
            (1, 1) => guarded,
            _ if self.loads_first(units) => {
                let otherwise = if units == 1 { guarded } else { self.rows(fold) };
                vec![Stmt::If(self.all_whole(), self.whole_units(fold, units), otherwise)]
            }
            (1, _) if self.is_short() => guarded,
            (2.., _) if fold.arrangement == Arrangement::Striped => self.striped(fold, units),
            _ if !self.has_vectors() => vec![Stmt::If(full_tile(), all(Loads::Items), guarded)],
            _ => {
                let unaligned = |test| vec![Stmt::If(test, all(Loads::Unaligned), guarded.clone())];
                let otherwise = match self.margin() {
                    Margin::NotNeeded => unaligned(full_tile()),
                    Margin::If(test) => unaligned(test),
                    Margin::Never => guarded,
                };
                let aligned = self.aligned().fold(full_tile(), Expr::and);
                vec![Stmt::If(aligned, all(Loads::Vectors), otherwise)]
            }
        }
    }

    /// Returns whether every thread has at most one unit, and the only tile is never full.
    fn is_short(&self) -> bool {
        let grouped = self.program.domain.is_grouped() && self.kernel.reads == Reads::Inputs;
        let tile = self.program.tile(self.kernel.reads);
        grouped && self.units_of_thread() == 1 && self.program.up_to.is_some_and(|most| most < tile)
    }

    /// Returns the number of units of a thread that can have an item; `u32::MAX` if there is no limit.
    pub(super) fn units_of_thread(&self) -> u32 {
        self.kernel.fold().units().map_or(u32::MAX, |units| self.units_reached(units))
    }

    /// Returns the number of units that can have an item.
    fn units_reached(&self, units: u32) -> u32 {
        let grouped = self.program.domain.is_grouped();
        if grouped { self.program.reached(self.kernel.reads).1.min(units) } else { units }
    }

    /// Returns what unaligned vectors need around them.
    fn margin(&self) -> Margin {
        if !self.reads_words() {
            return Margin::NotNeeded;
        }
        if self.kernel.is_one_tile() {
            return Margin::Never;
        }
        let wide = |name| Expr::Named(name).cast(Scalar::U64);
        let end = first().get().bin(Bin::Add, wide("TILE")).bin(Bin::Add, wide("WIDTH"));
        let before = Expr::Const(Value::of(0u64)).below(first().get());
        Margin::If(before.and(Expr::Cmp(Cmp::Le, Box::new(end), Box::new(Expr::Items))))
    }

    /// Returns whether unaligned vectors of any input are read by words.
    pub(super) fn reads_words(&self) -> bool {
        let by_words =
            |k: usize| Chunk::of(self.program.operation.inputs[k].ty, self.access(k).0) == Chunk::Word;
        self.inputs().any(by_words)
    }

    pub(super) fn declare_lanes(&mut self, fold: Fold) {
        let lanes = fold.lanes * fold.rows();
        let name = |lane| if lanes == 1 { "acc".to_owned() } else { format!("acc_{lane}") };
        self.lanes = (0..lanes).map(|lane| self.local(&name(lane), Ty::Acc)).collect();
        let empty = Expr::Empty;
        self.body.extend(self.lanes.iter().map(|lane| Stmt::Var(lane.clone(), empty.clone())));
    }

    /// Reads all units of a thread. A single unit begins the lanes. Of several units, the first begins the lanes if
    /// they begin with an item; the loop then starts at the second.
    pub(super) fn units(&self, fold: Fold, units: u32, access: Loads) -> Vec<Stmt> {
        if units == 1 {
            return self.unit(self.thread().into(), access, Before::Nothing, &self.current.suffix);
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
            unroll: if access == Loads::Guarded { Unroll::Unsaid } else { self.unrolling(fold) },
            body: self.unit(self.unit_of_loop(fold, from_first), access, before_unit(fold), ""),
            local: unit(),
        })));
        body
    }

    /// Returns whether lanes begin with their first item instead of the fill.
    pub(super) fn begins_with_item(&self) -> bool {
        self.guarded() || (self.kernel.reads == Reads::Inputs && self.program.operation.fold.is_some())
    }

    /// Loads a unit, and adds each item to its lane. A unit of one of several groups may be the last of a short tile, so whole
    /// units are loaded by vectors also where items need guards.
    pub(super) fn items(&self, unit: &Unit, suffix: &str) -> Vec<Stmt> {
        let tries = unit.access == Loads::Guarded && self.has_vectors() && self.program.domain.is_grouped();
        if !tries || unit.is_whole() || self.loads_first(self.units_of_thread()) {
            return self.items_of(unit, suffix);
        }
        let vectors = Unit { access: Loads::Vectors, ..unit.at_same_place() };
        let end = unit.at.clone().plus(Expr::Named("WIDTH"));
        let whole = Expr::Cmp(Cmp::Le, Box::new(end), Box::new(count().get()));
        let test = self.aligned().fold(whole, Expr::and);
        vec![Stmt::If(test, self.items_of(&vectors, suffix), self.items_of(unit, suffix))]
    }

    fn items_of(&self, unit: &Unit, suffix: &str) -> Vec<Stmt> {
        let mut body = match unit.access {
            Loads::Vectors => self.vectors(unit, suffix, Stmt::Load),
            Loads::Unaligned => self.vectors(unit, suffix, Stmt::LoadUnaligned),
            Loads::Items | Loads::Guarded => Vec::new(),
        };
        body.extend(self.added_items(unit, suffix));
        body
    }

    /// Adds the items of a unit to their lanes. Loads them, unless the unit was loaded by vectors.
    pub(super) fn added_items(&self, unit: &Unit, suffix: &str) -> Vec<Stmt> {
        (0..self.kernel.fold().width).flat_map(|item| self.item(unit, item, suffix)).collect()
    }

    /// Loads an item, unless its unit was loaded by vectors, and adds it to its lane.
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

    /// Returns the accumulator that an item of a unit goes to.
    fn lane(&self, unit: &Unit, item: u32) -> &Local {
        let lanes = self.lanes_of_unit();
        &self.lanes[(unit.row * lanes + item % lanes) as usize]
    }

    /// Returns the number of accumulators that the items of a unit go to.
    fn lanes_of_unit(&self) -> u32 {
        self.lanes.len() as u32 / self.kernel.fold().rows()
    }

    fn item_of_partials(&self, unit: &Unit, item: u32, suffix: &str) -> (Vec<Stmt>, Expr) {
        let local = Local::new(format!("item{suffix}"), Ty::Acc);
        let flagged = self.in_last_block() && self.program.kernel(Reads::Inputs).has_flags();
        let load = if flagged { Stmt::Take } else { Stmt::Load };
        let load = load(local.clone(), self.partials.0.at(self.position(unit, item)));
        let begins = self.before(unit, item).is_none();
        (vec![load], if begins { local.get() } else { self.lane(unit, item).get().combine(local.get()) })
    }

    pub(super) fn element(&self, unit: &Unit, item: u32, suffix: &str) -> (Vec<Stmt>, Expr) {
        let local = |k: usize| {
            let ty = Ty::Scalar(self.program.operation.inputs[k].ty);
            self.local_of_input(k, &format!("_{item}{suffix}"), ty)
        };
        let load = |k| Stmt::Load(local(k), Buffer::Input(k).at(self.address(k, self.position(unit, item))));
        (self.inputs().map(load).collect(), self.added(unit, item, |k| local(k).get()))
    }

    /// Returns the number of items that the lane of an item holds before it. `None`: the item is assigned.
    fn before(&self, unit: &Unit, item: u32) -> Option<Expr> {
        let in_lane = item / self.lanes_of_unit();
        let more = Expr::from(in_lane).cast(Scalar::U64);
        match &unit.before {
            Before::Nothing => (in_lane > 0).then_some(more),
            Before::Items(before) if in_lane == 0 => Some(before.clone()),
            Before::Items(before) => Some(before.clone().bin(Bin::Add, more)),
        }
    }

    /// Returns the accumulator of an item's lane with an element added. The first element is mapped. Others are added
    /// by `fold` if the operation has one, otherwise mapped and combined.
    fn added(&self, unit: &Unit, item: u32, element: impl Fn(usize) -> Expr) -> Expr {
        let operation = &self.program.operation;
        let before = self.before(unit, item);
        let step = before.clone().unwrap_or_else(|| Expr::Const(Value::of(0u64)));
        let given = |argument: &Argument| match *argument {
            Argument::Acc(_) => None,
            Argument::Input(k) => Some(element(k)),
            Argument::Index if self.has_narrow_positions() => Some(self.narrow_position(unit, item)),
            Argument::Index => Some(self.position(unit, item)),
            Argument::Group => Some(self.group_number()),
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

    /// Returns the position of an item in the group, `u64`.
    fn position(&self, unit: &Unit, item: u32) -> Expr {
        plus(unit.begin.clone(), item)
    }

    /// Returns whether positions have 32 bits.
    pub(super) fn has_narrow_positions(&self) -> bool {
        self.kernel.reads == Reads::Inputs && self.program.operation.position == Scalar::U32
    }

    /// Returns the position of an item in the group, `u32`.
    fn narrow_position(&self, unit: &Unit, item: u32) -> Expr {
        match unit.at.ty() {
            Some(Ty::U64) => self.position(unit, item).cast(Scalar::U32),
            _ if self.kernel.is_one_tile() => unit.at.clone().plus(item),
            _ => first().get().cast(Scalar::U32).plus(unit.at.clone().plus(item)),
        }
    }

    /// Returns whether whole units are loaded by vectors: they have several items, which lie side by side.
    pub(super) fn has_vectors(&self) -> bool {
        self.kernel.fold().width > 1 && self.program.domain.is_adjacent() && !self.scattered
    }

    /// Returns the vector loads of a unit.
    pub(super) fn vectors(&self, unit: &Unit, suffix: &str, load: fn(Local, Place) -> Stmt) -> Vec<Stmt> {
        let parts = |k| (0..self.kernel.fold().width / self.access(k).0).map(move |part| (k, part));
        let place = |(k, part)| {
            let place = Buffer::Input(k).at(self.position(unit, part * self.access(k).0));
            load(self.vector(k, part, suffix), place)
        };
        self.inputs().flat_map(parts).map(place).collect()
    }

    /// Returns how far the fold is unrolled: so that [`LOADS_IN_FLIGHT`] loads are in one turn, and at least two units.
    /// Up to 4 units are unrolled completely.
    pub(super) fn unrolling(&self, fold: Fold) -> Unroll {
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

    /// Returns the elements and bytes of one vector of an input: a unit, or the part of it that fits 16 bytes.
    fn access(&self, input: usize) -> (u32, u32) {
        let size = self.program.operation.inputs[input].ty.size() as u32;
        let elements = self.kernel.fold().width.min(16 / size);
        (elements, elements * size)
    }

    /// Returns the conditions under which each input is aligned to its vectors.
    pub(super) fn aligned(&self) -> impl Iterator<Item = Expr> {
        self.inputs().map(|k| Expr::Aligned(Buffer::Input(k), self.access(k).1))
    }

    fn inputs(&self) -> std::ops::Range<usize> {
        0..self.program.operation.inputs.len()
    }

    /// Returns a local named after an input. No other name begins like this (`names.rs`).
    fn local_of_input(&self, input: usize, suffix: &str, ty: Ty) -> Local {
        Local::new(format!("{}{suffix}", self.program.operation.inputs[input].name), ty)
    }
}

/// Returns the number of items that the lanes hold before the unit of a loop.
pub(super) fn before_unit(fold: Fold) -> Before {
    before(fold, unit().get())
}

/// Returns the number of items that the lanes hold before a unit of their thread.
pub(super) fn before(fold: Fold, unit: Expr) -> Before {
    let items = match fold.items_of_a_lane() {
        1 => unit,
        items if items == fold.width => unit.times(Expr::Named("WIDTH")),
        items => unit.times(items),
    };
    Before::Items(items.cast(Scalar::U64))
}

/// Returns the pass that chose the number of lanes, as `passes` spells it.
pub(super) fn lanes_pass(fold: Fold) -> String {
    if fold.shares_lanes() { format!("lanes({})", fold.lanes) } else { format!("vectorize({})", fold.width) }
}

impl Lowerer<'_> {
    /// Returns the passes that shaped a fold, as `passes` spells them.
    fn words(&self, fold: Fold) -> Vec<String> {
        let atomic = self.program.kernel(Reads::Inputs).is_atomic();
        let share = match (fold.share, self.kernel.team.size) {
            (Share::Units(1), _) => None,
            (Share::Units(units), _) => Some(format!("coarsen({units})")),
            (Share::Rest, Size::Grid { most }) => most.map(|blocks| format!("grid_stride({blocks})")),
            (Share::Rest, Size::Thread) => Some(if atomic { "atomic" } else { "serial" }.to_owned()),
            (Share::Rest, Size::Lanes(_) | Size::Warp | Size::Block | Size::Cluster) => {
                Some("one_block".to_owned())
            }
        };
        let vectorize = (fold.width > 1).then(|| format!("vectorize({})", fold.width));
        let lanes = fold.shares_lanes().then(|| lanes_pass(fold));
        let rows = fold.in_rows.then(|| "warp_striped".to_owned());
        let hints = fold.effective_hints().held().map(|hint| hint.pass.to_owned());
        let near = (self.program.operation.position == Scalar::U32).then(|| "narrow_index".to_owned());
        [share, vectorize, lanes, rows].into_iter().flatten().chain(hints).chain(near).collect()
    }
}
