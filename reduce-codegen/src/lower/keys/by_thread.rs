//! Each thread has an accumulator for each group, in shared memory: few groups. Or the block has one, and its threads combine by atomic
//! instructions.

use super::{Draft, TABLE, at, end, group, number, wide};
use crate::keys::Owner;
use crate::lower::place::lane;
use reduce_ir::Scalar;
use reduce_ir::ops::{Bin, Cmp};
use reduce_ir::program::{Program, Scope};
use reduce_ir::statements::{
    Barrier, Buffer, Expr, FULL, Local, Loop, MemoryOrder, Part, Place, Stmt, Ty, Unroll,
};

/// The group of the elements that a thread holds, `u32`.
fn held() -> Local {
    Local::new("held", Ty::U32)
}

/// The accumulator of the elements that a thread holds.
fn sum() -> Local {
    Local::new("held_acc", Ty::Acc)
}

/// Returns the place of the accumulator of a thread for a group. Neighbouring threads have neighbouring words.
fn of_thread(group: Expr, thread: Expr) -> Place {
    Buffer::Shared(TABLE).at(group.times(Expr::Named("THREADS")).plus(thread))
}

impl Draft<'_> {
    pub(super) fn by_thread(&mut self) {
        self.clear_own();
        self.note(Part::Fold, "the rows of this block");
        let first = self.find_elements();
        let whole = at().get().bin(Bin::Add, wide("STEPS").times(wide("ROW")));
        let whole = Expr::Cmp(Cmp::Le, Box::new(whole), Box::new(end().get()));
        let test = self.aligned().fold(whole, Expr::and);
        let rows = vec![Stmt::If(test, self.whole_rows(), vec![self.some_elements()])];
        self.body.push(self.each_rows(first, rows));
        match self.program.tables.of {
            Owner::Block => self.store(),
            Owner::Thread | Owner::Warp | Owner::Memory => self.meet(),
            Owner::Grid => self.body.push(self.join_held()),
        }
    }

    /// Clears the tables of this block. Those that blocks share are clear.
    fn clear_own(&mut self) {
        let clear = vec![Stmt::Store(self.of_group(group().get()), Expr::Empty)];
        match self.program.tables.of {
            Owner::Block => {
                self.note(Part::Fold, "an accumulator of the block for each group");
                self.body.push(self.each_group(Expr::Thread, Expr::Named("THREADS"), clear));
                self.body.push(Stmt::Barrier(Barrier::Block));
            }
            Owner::Thread | Owner::Warp | Owner::Memory => {
                self.note(Part::Fold, "an accumulator of each thread for each group");
                self.body.push(self.each_group(0.into(), 1.into(), clear));
            }
            Owner::Grid => {
                self.note(
                    Part::Fold,
                    "a thread combines neighbours with one key, before an atomic on memory",
                );
                self.body.push(Stmt::Var(held(), Expr::Named("KEYS")));
                self.body.push(Stmt::Var(sum(), Expr::Empty));
            }
        }
    }

    /// Returns the place of the accumulator that this thread folds elements of a group into.
    fn of_group(&self, group: Expr) -> Place {
        match self.program.tables.of {
            Owner::Block => Buffer::Shared(TABLE).at(group),
            Owner::Grid => self.partial(group),
            Owner::Thread | Owner::Warp | Owner::Memory => of_thread(group, Expr::Thread),
        }
    }

    /// Stores the accumulators of the block.
    fn store(&mut self) {
        self.body.push(Stmt::Barrier(Barrier::Block));
        self.note(Part::Deliver, "the partials of this block");
        let acc = Local::new("acc", Ty::Acc);
        let load = Stmt::Load(acc.clone(), self.of_group(group().get()));
        let body = vec![load, Stmt::Store(self.partial(group().get()), acc.get())];
        self.body.push(self.each_group(Expr::Thread, Expr::Named("THREADS"), body));
    }

    /// Returns the conditions under which each input is aligned to its vectors.
    fn aligned(&self) -> impl Iterator<Item = Expr> {
        let width = self.width();
        let bytes = move |input: usize| width * self.program.operation.inputs[input].ty.size() as u32;
        let vectors = if width > 1 { self.inputs() } else { 0..0 };
        vectors.map(move |input| Expr::Aligned(Buffer::Input(input), bytes(input)))
    }

    /// Returns the first element of this thread in a row of the turn, `u64`.
    fn first_of_thread(&self, row: u32) -> Expr {
        let thread = Expr::Thread.times(Expr::Named("WIDTH")).cast(Scalar::U64);
        let first = at().get().bin(Bin::Add, thread);
        if row == 0 { first } else { first.bin(Bin::Add, number(row.into()).times(wide("ROW"))) }
    }

    /// Loads all rows of a turn, and then adds their elements.
    fn whole_rows(&self) -> Vec<Stmt> {
        let width = self.width();
        let (mut loads, mut adds) = (Vec::new(), Vec::new());
        for row in 0..self.steps() {
            let begin = Local::new(format!("place_{row}"), Ty::U64);
            loads.push(Stmt::Let(begin.clone(), self.first_of_thread(row)));
            for input in self.inputs() {
                let local = self.input(input, &row.to_string(), width);
                loads.push(Stmt::Load(local, Buffer::Input(input).at(begin.get())));
            }
            for item in 0..width {
                let element = |input: usize| {
                    let local = self.input(input, &row.to_string(), width);
                    if width == 1 { local.get() } else { Expr::Lane(local, item) }
                };
                let place =
                    if item == 0 { begin.get() } else { begin.get().bin(Bin::Add, number(item.into())) };
                adds.extend(self.visit(&format!("{row}_{item}"), &element, &place));
            }
        }
        loads.into_iter().chain(adds).collect()
    }

    /// Returns the loop over the elements of a turn that is not whole, or whose inputs are not aligned.
    fn some_elements(&self) -> Stmt {
        let (item, place) = (Local::new("item", Ty::U32), Local::new("place", Ty::U64));
        let width = || Expr::Named("WIDTH");
        let in_row = Expr::Thread.times(width()).plus(item.get().bin(Bin::Rem, width()));
        let row = item.get().over(width()).cast(Scalar::U64).times(wide("ROW"));
        let mut visit = self.load(place.get(), "item");
        let element = |input: usize| self.input(input, "item", 1).get();
        visit.extend(self.visit("item", &element, &place.get()));
        let body = vec![
            Stmt::Let(place.clone(), at().get().bin(Bin::Add, row).bin(Bin::Add, in_row.cast(Scalar::U64))),
            Stmt::when(place.get().below(end().get()), visit),
        ];
        Stmt::For(Box::new(Loop {
            from: 0.into(),
            test: item.get().below(Expr::Named("STEPS").times(width())),
            next: item.get().plus(1),
            unroll: Unroll::By(1),
            body,
            local: item,
        }))
    }

    /// Adds an element to the accumulator of its group.
    fn visit(&self, suffix: &str, element: &impl Fn(usize) -> Expr, place: &Expr) -> Vec<Stmt> {
        let slot = Local::new(format!("slot_{suffix}"), Ty::U32);
        let add = match self.program.tables.of {
            Owner::Grid => self.hold(&slot, element, place),
            Owner::Thread | Owner::Warp | Owner::Memory | Owner::Block => {
                self.add(self.of_group(slot.get()), suffix, element, place)
            }
        };
        let known = slot.get().below(Expr::Named("KEYS"));
        vec![Stmt::Let(slot, self.slot(element, place)), Stmt::If(known, add, self.other(place.clone()))]
    }

    /// Combines an element with those before it, if they have its key. Otherwise joins these to the table.
    fn hold(&self, slot: &Local, element: &impl Fn(usize) -> Expr, place: &Expr) -> Vec<Stmt> {
        let mapped = self.mapped(element, place);
        let more = vec![Stmt::Set(sum(), sum().get().combine(mapped.clone()))];
        let first = vec![self.join_held(), Stmt::Set(held(), slot.get()), Stmt::Set(sum(), mapped)];
        vec![Stmt::If(slot.get().equals(held().get()), more, first)]
    }

    /// Joins the elements that this thread holds to the table.
    fn join_held(&self) -> Stmt {
        let (place, order, scope) = (self.of_group(held().get()), MemoryOrder::Relaxed, Scope::Grid);
        let join = Stmt::AtomicCombine { place, value: sum().get(), order, scope };
        Stmt::when(held().get().below(Expr::Named("KEYS")), vec![join])
    }

    /// Combines the accumulators of all threads for each group.
    fn meet(&mut self) {
        self.body.push(Stmt::Barrier(Barrier::Block));
        self.note(Part::Tree, "a warp combines the accumulators of all threads for a group, by halves");
        let warp = Local::new("warp", Ty::U32);
        self.body.push(Stmt::Let(warp.clone(), Expr::Thread.over(Program::WARP)));
        self.body.push(Stmt::Let(lane(), Expr::Thread.bin(Bin::Rem, Program::WARP)));
        let parts = self.program.tables.threads / Program::WARP;
        let part = |part: u32| Local::new(format!("part_{part}"), Ty::Acc);
        let load = |k: u32| {
            let thread = lane().get().plus(k * Program::WARP);
            Stmt::Load(part(k), of_thread(group().get(), thread))
        };
        let mut body: Vec<_> = (0..parts).map(load).collect();
        let acc = Local::new("acc", Ty::Acc);
        body.push(Stmt::Var(acc.clone(), Draft::halved((0..parts).map(|k| part(k).get()).collect())));
        for down in [16u32, 8, 4, 2, 1] {
            let other = Local::new(format!("other_{down}"), Ty::Acc);
            body.push(Stmt::Shuffle { into: other.clone(), value: acc.get(), down: down.into(), mask: FULL });
            body.push(Stmt::Set(acc.clone(), acc.get().combine(other.get())));
        }
        let store = vec![Stmt::Store(self.partial(group().get()), acc.get())];
        body.push(Stmt::when(lane().get().equals(0), store));
        self.body.push(self.each_group(warp.get(), Expr::Named("THREADS").over(Program::WARP), body));
    }
}
