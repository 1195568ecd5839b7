//! Each warp has an accumulator for each group: many groups. Lanes whose elements have one key take turns, so that the accumulator grows
//! in the order of the elements.

use super::{Draft, TABLE, at, end, group, number, wide};
use crate::keys::Owner;
use crate::lower::place::lane;
use reduce_ir::ops::Bin;
use reduce_ir::program::Program;
use reduce_ir::statements::{Barrier, Buffer, Expr, Local, Loop, Part, Place, Stmt, Ty, Unroll};
use reduce_ir::{Scalar, Value};

fn warp() -> Local {
    Local::new("warp", Ty::U32)
}

/// Returns a local of a row of a turn.
fn of_row(name: &str, row: u32, ty: Ty) -> Local {
    Local::new(format!("{name}_{row}"), ty)
}

impl Draft<'_> {
    pub(super) fn by_warp(&mut self) {
        self.note(Part::Fold, "an accumulator of each warp for each group");
        if self.program.tables.of == Owner::Warp {
            self.body.push(Stmt::Let(warp(), Expr::Thread.over(Program::WARP)));
        }
        self.body.push(Stmt::Let(lane(), Expr::Thread.bin(Bin::Rem, Program::WARP)));
        let clear = vec![Stmt::Store(self.mine(group().get()), Expr::Empty)];
        self.body.push(self.each_group(lane().get(), Program::WARP.into(), clear));
        self.body.push(Stmt::Barrier(Barrier::WARP));
        self.note(Part::Fold, "the rows of this block; lanes with equal keys take turns");
        let first = self.find_elements();
        let rows = 0..self.steps();
        let body =
            rows.clone().flat_map(|row| self.load_row(row)).chain(rows.flat_map(|row| self.add_row(row)));
        let body = body.collect();
        self.body.push(self.each_rows(first, body));
        if self.program.tables.of == Owner::Warp {
            self.meet_warps();
        }
    }

    /// Returns the place of the accumulator of this warp for a group.
    fn mine(&self, group: Expr) -> Place {
        match self.program.tables.of {
            Owner::Memory => self.partial(group),
            Owner::Thread | Owner::Warp | Owner::Block | Owner::Grid => self.of_warp(warp().get(), group),
        }
    }

    fn of_warp(&self, warp: Expr, group: Expr) -> Place {
        Buffer::Shared(TABLE).at(warp.times(Expr::Named("KEYS")).plus(group))
    }

    /// Loads the element of this lane in a row of the turn. After the end, it is the last element of the block.
    fn load_row(&self, row: u32) -> Vec<Stmt> {
        let place = of_row("place", row, Ty::U64);
        let first = at().get().bin(Bin::Add, Expr::Thread.cast(Scalar::U64));
        let mine = if row == 0 { first } else { first.bin(Bin::Add, number(row.into()).times(wide("ROW"))) };
        let last = end().get().bin(Bin::Sub, number(1));
        let mut body = vec![Stmt::Let(place.clone(), mine)];
        body.extend(self.load(place.get().bin(Bin::Min, last), &row.to_string()));
        body
    }

    /// Adds the element of this lane in a row of the turn to the accumulator of its group.
    fn add_row(&self, row: u32) -> Vec<Stmt> {
        let suffix = row.to_string();
        let place = of_row("place", row, Ty::U64).get();
        let [slot, claim, turn, turns] =
            ["slot", "claim", "turn", "turns"].map(|name| of_row(name, row, Ty::U32));
        let present = place.clone().below(end().get());
        let element = |input: usize| self.input(input, &suffix, 1).get();
        let known = slot.get().below(Expr::Named("KEYS"));
        let mut body = vec![Stmt::Let(slot.clone(), self.slot(&element, &place))];
        let other = self.other(place.clone());
        if !other.is_empty() {
            let outside = present.clone().and(Expr::Cmp(
                reduce_ir::ops::Cmp::Le,
                Box::new(Expr::Named("KEYS")),
                Box::new(slot.get()),
            ));
            body.push(Stmt::when(outside, other));
        }
        // Lanes without a group claim something of their own, so that they take no turns.
        let alone = Expr::Const(Value::of(u32::MAX)).bin(Bin::Sub, lane().get());
        let round = Local::new("round", Ty::U32);
        let add = self.add(self.mine(claim.get()), &suffix, &element, &place);
        let is_next = turn.get().equals(round.get()).and(claim.get().below(Expr::Named("KEYS")));
        body.extend([
            Stmt::Let(claim.clone(), present.and(known).select(slot.get(), alone)),
            Stmt::Turn { turn, turns: turns.clone(), value: claim.get() },
            Stmt::For(Box::new(Loop {
                from: 0.into(),
                test: round.get().below(turns.get()),
                next: round.get().plus(1),
                unroll: Unroll::By(1),
                body: vec![Stmt::when(is_next, add), Stmt::Barrier(Barrier::WARP)],
                local: round,
            })),
        ]);
        body
    }

    /// Combines the accumulators of all warps for each group.
    fn meet_warps(&mut self) {
        self.body.push(Stmt::Barrier(Barrier::Block));
        self.note(Part::Tree, "a thread combines the accumulators of all warps for a group, by halves");
        let part = |part: u32| Local::new(format!("part_{part}"), Ty::Acc);
        let warps = 0..self.program.tables.number;
        let load = |k: u32| Stmt::Load(part(k), self.of_warp(k.into(), group().get()));
        let mut body: Vec<_> = warps.clone().map(load).collect();
        let all = Draft::halved(warps.map(|k| part(k).get()).collect());
        body.push(Stmt::Store(self.partial(group().get()), all));
        self.body.push(self.each_group(Expr::Thread, Expr::Named("THREADS"), body));
    }
}
