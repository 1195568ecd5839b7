//! Neighbouring groups in neighbouring threads. A block has some groups, and for each of them several threads, its *parts*. A part
//! evaluates the logical threads whose number in the last levels of the tree is its own. The parts then combine through shared
//! memory.

use super::Lowerer;
use super::logical::visited;
use reduce_ir::program::Step;
use reduce_ir::statements::{Barrier, Expr, Local, Loop, Part, Stmt, Ty, Unroll};

const VALUES: &str = "beside_values";

impl Lowerer<'_> {
    /// Evaluates the association of the group of each thread.
    pub(super) fn groups_beside(&mut self) {
        let parts = self.program.parts_beside(self.kernel.reads);
        let (of_thread, mut of_team) = self.steps_by_scope();
        let exchange =
            of_team.iter().position(|step| matches!(step, Step::Exchange(_))).map(|at| of_team.remove(at));
        let all = self.strides_reached(&of_team);
        let (levels, last) = all.split_at(all.len() - parts.ilog2() as usize);
        self.constant("PARTS", parts, "threads that share a group".to_owned());
        self.constant("LOGICAL", 1 << levels.len(), "threads of the association of each of them".to_owned());
        let threads = parts * self.kernel.team.beside;
        self.derived("THREADS", threads, "GROUPS * PARTS".to_owned(), "threads of the block");
        for step in &of_team {
            self.note(Part::Tree, step, vec![format!("beside({})", self.kernel.team.beside)]);
        }
        let offset = visited(&part().get(), last);
        self.turns(&of_thread, levels, "LOGICAL", |turn| turn.plus(offset.clone()));
        self.current.number = part().get();
        self.combine_parts(last);
        exchange.iter().for_each(|step| self.step(step));
    }

    /// Combines the accumulators of the parts in the first one, pair by pair.
    fn combine_parts(&mut self, strides: &[u32]) {
        let values = self.shared_array(VALUES, "THREADS");
        let (stride, [left, right]) =
            (Local::new("stride", Ty::U32), ["left", "right"].map(|it| Local::new(it, Ty::Acc)));
        let other = Expr::Thread.plus(stride.get().times(Expr::Named("GROUPS")));
        let pair = vec![
            Stmt::Load(left.clone(), values.at(Expr::Thread)),
            Stmt::Load(right.clone(), values.at(other)),
            Stmt::Store(values.at(Expr::Thread), left.get().combine(right.get())),
        ];
        let is_left = part().get().bin(reduce_ir::ops::Bin::Rem, stride.get().times(2)).equals(0);
        // The first logical thread of the right operand.
        let first = visited(&part().get().plus(stride.get()), strides);
        let exists = self.guarded().then(|| first.below(self.threads_present()));
        let test = exists.into_iter().fold(is_left, Expr::and);
        self.body.extend([
            Stmt::Note(Part::Tree, "the parts of each group, through shared memory".to_owned()),
            Stmt::Store(values.at(Expr::Thread), self.acc().get()),
            Stmt::Barrier(Barrier::Block),
            Stmt::For(Box::new(Loop {
                from: 1.into(),
                test: stride.get().below(Expr::Named("PARTS")),
                next: stride.get().times(2),
                unroll: Unroll::Unsaid,
                body: vec![Stmt::when(test, pair), Stmt::Barrier(Barrier::Block)],
                local: stride,
            })),
        ]);
        let root = Local::new("root", Ty::Acc);
        self.body.push(Stmt::Load(root.clone(), values.at(beside().get())));
        self.lanes = vec![root];
    }
}

/// The number of the thread among those of its group.
pub(super) fn part() -> Local {
    Local::new("part_of_group", Ty::U32)
}

/// The number of the thread's group among those of its block.
pub(super) fn beside() -> Local {
    Local::new("beside", Ty::U32)
}
