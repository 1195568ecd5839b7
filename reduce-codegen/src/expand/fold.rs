//! The fold: each thread reads its items and folds them into its lanes.

use super::{Expansion, count, first};
use reduce_dsl::expanded::{Buffer, Expr, Local, Loop, Part, Stmt, Ty};
use reduce_dsl::operation::Layout;
use reduce_dsl::ops::Bin;
use reduce_dsl::program::{Fold, Reach, Reads, Step};
use reduce_dsl::{Scalar, Value};

/// How the items of a load unit are read.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Access {
    /// Whole units, as vectors: the tile is full and the data aligned.
    Vectors,
    /// One at a time: the tile is full.
    Items,
    /// One at a time, those that are there.
    Guarded,
}

/// A load unit: where its first item is, and how it is read.
pub(super) struct Unit {
    /// The position in the tile, `u32`, or in the whole input, `u64`.
    pub(super) at: Expr,
    pub(super) access: Access,
    /// Is it the first of its thread, whose items are assigned and not combined?
    pub(super) assign: bool,
}

impl Expansion<'_> {
    pub(super) fn fold(&mut self, fold: Fold) {
        self.note(Part::Fold, &Step::Fold(fold), words(fold));
        self.declare_lanes(fold);
        let body = match fold.reach {
            Reach::Units(units) => self.tile(fold, units),
            Reach::GridStride(_) => self.grid_stride(),
            Reach::Everything => self.everything(),
        };
        self.body.extend(body);
    }

    /// The units of a tile: without guards where it is full, as vectors where the data is aligned too.
    fn tile(&self, fold: Fold, units: u32) -> Vec<Stmt> {
        let all = |access| self.units(fold, units, access);
        let guarded = all(Access::Guarded);
        match (units, fold.width) {
            (1, 1) => guarded,
            (_, 1) => vec![Stmt::If(full_tile(), all(Access::Items), guarded)],
            _ => vec![Stmt::If(self.aligned().fold(full_tile(), Expr::and), all(Access::Vectors), guarded)],
        }
    }

    fn declare_lanes(&mut self, fold: Fold) {
        let name = |lane| if fold.width == 1 { "acc".to_owned() } else { format!("acc_{lane}") };
        self.lanes = (0..fold.width).map(|lane| Local::new(name(lane), Ty::Acc)).collect();
        let empty = |lane: &Local| Stmt::Var(lane.clone(), Expr::Empty);
        self.body.extend(self.lanes.iter().map(empty));
    }

    /// All units of a thread. A single unit is assigned; of several, without an identity, the first is, and
    /// the loop begins with the second.
    fn units(&self, fold: Fold, units: u32, access: Access) -> Vec<Stmt> {
        if units == 1 {
            return self.unit(Expr::Thread, access, true, "");
        }
        let mut body = Vec::new();
        if self.guarded() {
            body.extend(self.unit(Expr::Thread, access, true, "_first"));
        }
        let unit = Local::new("unit", Ty::U32);
        let number = unit.get().times(Expr::Named("BLOCK")).plus(Expr::Thread);
        body.push(Stmt::For(Box::new(Loop {
            from: u32::from(self.guarded()).into(),
            test: unit.get().below(Expr::Named("UNITS")),
            next: unit.get().plus(1),
            unroll: fold.unrolled && access != Access::Guarded,
            body: self.unit(number, access, false, ""),
            local: unit,
        })));
        body
    }

    /// The unit of that number: where it lies, its loads, and each of its items into its lane. `suffix`
    /// tells its names from those of another unit in sight.
    fn unit(&self, number: Expr, access: Access, assign: bool, suffix: &str) -> Vec<Stmt> {
        let position = if self.lanes.len() == 1 { number } else { number.times(Expr::Named("WIDTH")) };
        let mut body = Vec::new();
        let mut at = position.clone();
        if position != Expr::Thread {
            let local = Local::new(format!("at{suffix}"), Ty::U32);
            at = local.get();
            body.push(Stmt::Let(local, position));
        }
        body.extend(self.items(&Unit { at, access, assign }, suffix));
        body
    }

    /// The loads of a unit, and each of its items into its lane.
    pub(super) fn items(&self, unit: &Unit, suffix: &str) -> Vec<Stmt> {
        let vectors = unit.access == Access::Vectors;
        let mut body = if vectors { self.vectors(unit, suffix) } else { Vec::new() };
        body.extend((0..self.lanes.len() as u32).flat_map(|lane| self.item(unit, lane, suffix)));
        body
    }

    /// One item: its loads, if it was not loaded with its unit, and its way into the lane.
    fn item(&self, unit: &Unit, lane: u32, suffix: &str) -> Vec<Stmt> {
        let (mut body, item) = match (self.kernel.reads, unit.access) {
            (Reads::Partials, _) => self.partial(unit, lane, suffix),
            (Reads::Inputs, Access::Vectors) => (Vec::new(), self.element_of_vector(unit, lane, suffix)),
            (Reads::Inputs, Access::Items | Access::Guarded) => self.element(unit, lane, suffix),
        };
        let acc = self.lanes[lane as usize].clone();
        let value = if unit.assign { item } else { acc.get().combine(item) };
        body.push(Stmt::Set(acc, value));
        if unit.access == Access::Guarded { vec![Stmt::when(unit.holds(lane), body)] } else { body }
    }

    fn partial(&self, unit: &Unit, lane: u32, suffix: &str) -> (Vec<Stmt>, Expr) {
        let item = Local::new(format!("item{suffix}"), Ty::Acc);
        (vec![Stmt::Load(item.clone(), Buffer::Items.at(unit.position(lane)))], item.get())
    }

    fn element(&self, unit: &Unit, lane: u32, suffix: &str) -> (Vec<Stmt>, Expr) {
        let local = |k: usize| {
            let ty = Ty::Scalar(self.program.operation.inputs[k].ty);
            self.local_of_input(k, &format!("_{lane}{suffix}"), ty)
        };
        let load = |k| Stmt::Load(local(k), Buffer::Input(k).at(self.address(k, unit, lane)));
        (self.inputs().map(load).collect(), self.mapped(unit, lane, |k| local(k).get()))
    }

    /// Where an item of the unit lies in an input.
    fn address(&self, input: usize, unit: &Unit, lane: u32) -> Expr {
        let position = unit.position(lane);
        match self.program.operation.layout {
            Layout::Contiguous => position,
            Layout::Strided => position.times(Expr::Step(input)),
        }
    }

    /// The vector loads of a unit.
    fn vectors(&self, unit: &Unit, suffix: &str) -> Vec<Stmt> {
        let parts = |k| (0..self.lanes.len() as u32 / self.access(k).0).map(move |part| (k, part));
        let load = |(k, part)| {
            let place = Buffer::Input(k).at(unit.position(part * self.access(k).0));
            Stmt::Load(self.vector(k, part, suffix), place)
        };
        self.inputs().flat_map(parts).map(load).collect()
    }

    fn element_of_vector(&self, unit: &Unit, lane: u32, suffix: &str) -> Expr {
        self.mapped(unit, lane, |k| {
            let elements = self.access(k).0;
            Expr::Lane(self.vector(k, lane / elements, suffix), lane % elements)
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
        self.inputs().map(|k| Expr::Aligned(Buffer::Input(k), self.access(k).1))
    }

    fn inputs(&self) -> std::ops::Range<usize> {
        0..self.program.operation.inputs.len()
    }

    /// A local named after an input, and not like another input.
    fn local_of_input(&self, input: usize, suffix: &str, ty: Ty) -> Local {
        let inputs = &self.program.operation.inputs;
        let mut name = format!("{}{suffix}", inputs[input].name);
        while inputs.iter().any(|other| other.name == name) {
            name.push('_');
        }
        Local::new(name, ty)
    }

    fn mapped(&self, unit: &Unit, lane: u32, element: impl Fn(usize) -> Expr) -> Expr {
        let position = self.program.operation.is_indexed().then(|| unit.position(lane));
        Expr::Map(self.inputs().map(element).chain(position).collect())
    }
}

/// The words in `passes` that shaped a fold.
fn words(fold: Fold) -> Vec<String> {
    let reach = match fold.reach {
        Reach::Units(1) => None,
        Reach::Units(units) => Some(format!("coarsen({units})")),
        Reach::GridStride(blocks) => Some(format!("grid_stride({blocks})")),
        Reach::Everything => Some("serial".to_owned()),
    };
    let vectorize = (fold.width > 1).then(|| format!("vectorize({})", fold.width));
    let unroll = (fold.unrolled && fold.units().is_some_and(|units| units > 1)).then(|| "unroll".to_owned());
    [reach, vectorize, unroll].into_iter().flatten().collect()
}

fn full_tile() -> Expr {
    count().get().equals(Expr::Named("TILE"))
}

impl Unit {
    /// The position, in the whole input, of an item.
    fn position(&self, lane: u32) -> Expr {
        let begin = if self.is_whole() {
            self.at.clone()
        } else {
            first().get().bin(Bin::Add, self.at.clone().cast(Scalar::U64))
        };
        if lane == 0 { begin } else { begin.bin(Bin::Add, Expr::Const(Value::of(u64::from(lane)))) }
    }

    /// Is there an item for that lane?
    fn holds(&self, lane: u32) -> Expr {
        if self.is_whole() {
            self.position(lane).below(Expr::Items)
        } else {
            self.at.clone().plus(lane).below(count().get())
        }
    }

    fn is_whole(&self) -> bool {
        self.at.ty() == Some(Ty::U64)
    }
}
