//! Neighbouring groups in neighbouring threads. A block has some groups, and for each of them several threads, its *parts*.
//!
//! In each round, a thread evaluates the logical threads of its part one after the other, and leaves their accumulator in shared
//! memory. In the end the accumulators of the parts are combined, and then those of the rounds: [`Divided`].

use super::Lowerer;
use super::logical::visited;
use reduce_ir::ops::Bin;
use reduce_ir::program::{Divided, Step};
use reduce_ir::statements::{Barrier, Buffer, Expr, Local, Loop, Part, Stmt, Ty, Unroll};

const VALUES: &str = "beside_values";

impl Lowerer<'_> {
    /// Evaluates the association of the group of each thread.
    pub(super) fn groups_beside(&mut self) {
        let parts = self.program.parts_beside(self.kernel.reads);
        let (of_thread, mut of_team) = self.steps_by_scope();
        let exchange =
            of_team.iter().position(|step| matches!(step, Step::Exchange(_))).map(|at| of_team.remove(at));
        let divided = self.program.divided(self.kernel.reads);
        self.beside_constants(parts, &divided);
        for step in &of_team {
            self.note(Part::Tree, step, vec![format!("beside({})", self.kernel.team.beside)]);
        }
        let values = self.shared_array(VALUES, "VALUES");
        self.rounds_of_turns(&of_thread, &divided, values);
        self.current.number = part().get();
        self.combine_values(&divided, values);
        exchange.iter().for_each(|step| self.step(step));
    }

    fn beside_constants(&mut self, parts: u32, divided: &Divided) {
        let (turns, rounds) = (1u32 << divided.turns.len(), divided.rounds());
        let threads = parts * self.kernel.team.beside;
        self.constant("PARTS", parts, "threads that share a group".to_owned());
        self.constant("LOGICAL", turns, "threads of the association of each of them, in a round".to_owned());
        self.constant("ROUNDS", rounds, "rounds".to_owned());
        self.derived("THREADS", threads, "GROUPS * PARTS".to_owned(), "threads of the block");
        self.derived(
            "VALUES",
            rounds * threads,
            "ROUNDS * THREADS".to_owned(),
            "accumulators in shared memory",
        );
    }

    /// Evaluates the turns of each round, and stores their accumulator.
    fn rounds_of_turns(&mut self, of_thread: &[Step], divided: &Divided, values: Buffer) {
        let offset = visited(&part().get(), &ascending(&divided.parts));
        let several = !divided.rounds.is_empty();
        let first = match several {
            true => offset.plus(visited(&round().get(), &ascending(&divided.rounds))),
            false => offset,
        };
        let outside = std::mem::take(&mut self.body);
        self.turns(of_thread, &divided.turns, "LOGICAL", |turn| turn.plus(first.clone()));
        let at = if several { self.value_of_round(round().get()) } else { Expr::Thread };
        self.body.push(Stmt::Store(values.at(at), self.acc().get()));
        let body = std::mem::replace(&mut self.body, outside);
        if several { self.body.push(each_round(body)) } else { self.body.extend(body) }
    }

    /// Returns the place of the accumulator of a thread in a round.
    fn value_of_round(&self, round: Expr) -> Expr {
        round.times(Expr::Named("THREADS")).plus(Expr::Thread)
    }

    /// Combines the accumulators of the parts, then those of the rounds, level by level.
    fn combine_values(&mut self, divided: &Divided, values: Buffer) {
        let what = "the parts of each group, then its rounds, through shared memory".to_owned();
        self.body.push(Stmt::Note(Part::Tree, what));
        let mut done = 0;
        for &stride in &divided.parts {
            let apart = number_of(stride, &divided.parts);
            let mine = part().get().bin(Bin::And, done | apart).equals(0);
            let right = (part().get().plus(apart), round().get());
            let pair = self.pair(divided, values, right, apart * self.kernel.team.beside, mine);
            self.body.push(Stmt::Barrier(Barrier::Block));
            self.body.push(if divided.rounds.is_empty() { pair } else { each_round(vec![pair]) });
            done |= apart;
        }
        let mut done = 0;
        for &stride in &divided.rounds {
            let apart = number_of(stride, &divided.rounds);
            let mine = round().get().bin(Bin::And, done | apart).equals(0).and(part().get().equals(0));
            let right = (part().get(), round().get().plus(apart));
            let threads = self.kernel.team.beside * self.program.parts_beside(self.kernel.reads);
            let pair = self.pair(divided, values, right, apart * threads, mine);
            self.body.push(each_round(vec![pair]));
            done |= apart;
        }
        // The first part combines only its own rounds. So only the parts need barriers.
        if !divided.parts.is_empty() {
            self.body.push(Stmt::Barrier(Barrier::Block));
        }
        let root = Local::new("root", Ty::Acc);
        self.body.push(Stmt::Load(root.clone(), values.at(beside().get())));
        self.lanes = vec![root];
    }

    /// Combines the accumulator of a thread in a round with one that lies further on, if it has an element.
    fn pair(&self, divided: &Divided, values: Buffer, right: (Expr, Expr), apart: u32, mine: Expr) -> Stmt {
        let [a, b] = ["left", "right"].map(|name| Local::new(name, Ty::Acc));
        let several = !divided.rounds.is_empty();
        let own = if several { self.value_of_round(round().get()) } else { Expr::Thread };
        let body = vec![
            Stmt::Load(a.clone(), values.at(own.clone())),
            Stmt::Load(b.clone(), values.at(own.clone().plus(apart))),
            Stmt::Store(values.at(own), a.get().combine(b.get())),
        ];
        let mut first = visited(&right.0, &ascending(&divided.parts));
        if several {
            first = first.plus(visited(&right.1, &ascending(&divided.rounds)));
        }
        let exists = self.guarded().then(|| first.below(self.threads_present()));
        Stmt::when(exists.into_iter().fold(mine, Expr::and), body)
    }
}

/// Returns the loop over rounds.
fn each_round(body: Vec<Stmt>) -> Stmt {
    Stmt::For(Box::new(Loop {
        from: 0.into(),
        test: round().get().below(Expr::Named("ROUNDS")),
        next: round().get().plus(1),
        unroll: Unroll::Unsaid,
        body,
        local: round(),
    }))
}

/// Returns the strides in ascending order: bit b of a number selects the b-th of them.
fn ascending(strides: &[u32]) -> Vec<u32> {
    let mut sorted = strides.to_vec();
    sorted.sort_unstable();
    sorted
}

/// Returns the number whose only bit selects a stride.
fn number_of(stride: u32, strides: &[u32]) -> u32 {
    1 << strides.iter().filter(|&&other| other < stride).count()
}

/// The number of the round.
fn round() -> Local {
    Local::new("round", Ty::U32)
}

/// The number of the thread among those of its group.
pub(super) fn part() -> Local {
    Local::new("part_of_group", Ty::U32)
}

/// The number of the thread's group among those of its block.
pub(super) fn beside() -> Local {
    Local::new("beside", Ty::U32)
}
