//! The fold: each thread reads its items and folds them into its lanes.

use super::{Expansion, count, first};
use reduce_dsl::expanded::{Buffer, Expr, Local, Loop, Part, Stmt, Ty};
use reduce_dsl::ops::Bin;
use reduce_dsl::program::{Fold, Reads, Step};
use reduce_dsl::{Scalar, Value};

/// How the items of a load unit are read.
#[derive(Clone, Copy, PartialEq)]
enum Access {
    /// Whole units, as vectors: the tile is full and the data aligned.
    Vectors,
    /// One at a time: the tile is full.
    Items,
    /// One at a time, those that are there.
    Guarded,
}

/// A load unit: the position in the tile of its first item, and how it is read.
struct Unit {
    at: Expr,
    access: Access,
    /// Is it the first of its thread, whose items are assigned and not combined?
    assign: bool,
}

impl Expansion<'_> {
    pub(super) fn fold(&mut self, fold: Fold) {
        self.note(Part::Fold, &Step::Fold(fold), words(fold));
        self.declare_lanes(fold);
        let guarded = self.units(fold, Access::Guarded);
        let body = match (fold.units, fold.width) {
            (1, 1) => guarded,
            (_, 1) => vec![Stmt::If(full_tile(), self.units(fold, Access::Items), guarded)],
            _ => {
                let vectors = self.aligned().fold(full_tile(), Expr::and);
                vec![Stmt::If(vectors, self.units(fold, Access::Vectors), guarded)]
            }
        };
        self.body.extend(body);
    }

    fn declare_lanes(&mut self, fold: Fold) {
        let name = |lane| if fold.width == 1 { "acc".to_owned() } else { format!("acc_{lane}") };
        self.lanes = (0..fold.width).map(|lane| Local::new(name(lane), Ty::Acc)).collect();
        let empty = |lane: &Local| Stmt::Var(lane.clone(), Expr::Empty);
        self.body.extend(self.lanes.iter().map(empty));
    }

    /// All units of a thread. A single unit is assigned; of several, without an identity, the first is, and
    /// the loop begins with the second.
    fn units(&self, fold: Fold, access: Access) -> Vec<Stmt> {
        if fold.units == 1 {
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
        let unit = Unit { at, access, assign };
        if access == Access::Vectors {
            body.extend(self.vectors(&unit, suffix));
        }
        body.extend((0..self.lanes.len() as u32).flat_map(|lane| self.item(&unit, lane, suffix)));
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
        let here = unit.at.clone().plus(lane).below(count().get());
        if unit.access == Access::Guarded { vec![Stmt::when(here, body)] } else { body }
    }

    fn partial(&self, unit: &Unit, lane: u32, suffix: &str) -> (Vec<Stmt>, Expr) {
        let item = Local::new(format!("item{suffix}"), Ty::Acc);
        (vec![Stmt::Load(item.clone(), Buffer::Items.at(global(unit, lane)))], item.get())
    }

    fn element(&self, unit: &Unit, lane: u32, suffix: &str) -> (Vec<Stmt>, Expr) {
        let local = |k: usize| {
            let ty = Ty::Scalar(self.program.operation.inputs[k].ty);
            self.local_of_input(k, &format!("_{lane}{suffix}"), ty)
        };
        let load = |k| Stmt::Load(local(k), Buffer::Input(k).at(global(unit, lane)));
        (self.inputs().map(load).collect(), self.mapped(unit, lane, |k| local(k).get()))
    }

    /// The vector loads of a unit.
    fn vectors(&self, unit: &Unit, suffix: &str) -> Vec<Stmt> {
        let parts = |k| (0..self.lanes.len() as u32 / self.access(k).0).map(move |part| (k, part));
        let load = |(k, part)| {
            let place = Buffer::Input(k).at(global(unit, part * self.access(k).0));
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
    fn aligned(&self) -> impl Iterator<Item = Expr> {
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
        let position = self.program.operation.indexed.then(|| global(unit, lane));
        Expr::Map(self.inputs().map(element).chain(position).collect())
    }
}

/// The words in `passes` that shaped a fold.
fn words(fold: Fold) -> Vec<String> {
    let coarsen = (fold.units > 1).then(|| format!("coarsen({})", fold.units));
    let vectorize = (fold.width > 1).then(|| format!("vectorize({})", fold.width));
    let unroll = (fold.unrolled && fold.units > 1).then(|| "unroll".to_owned());
    [coarsen, vectorize, unroll].into_iter().flatten().collect()
}

fn full_tile() -> Expr {
    count().get().equals(Expr::Named("TILE"))
}

/// The position, in the whole input, of an item of the unit.
fn global(unit: &Unit, lane: u32) -> Expr {
    let begin = first().get().bin(Bin::Add, unit.at.clone().cast(Scalar::U64));
    if lane == 0 { begin } else { begin.bin(Bin::Add, Expr::Const(Value::of(u64::from(lane)))) }
}
