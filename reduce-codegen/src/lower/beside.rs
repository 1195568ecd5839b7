//! Neighbouring groups in the lanes of a warp. Each warp evaluates, in every lane, the logical threads of a group whose number in
//! the last levels of the tree is that of the warp. The warps then combine through shared memory.

use super::Lowerer;
use super::logical::visited;
use reduce_ir::program::{Program, Step};
use reduce_ir::statements::{Barrier, Buffer, Expr, Local, Part, Stmt, Ty};

const VALUES: &str = "beside_values";

impl Lowerer<'_> {
    /// Evaluates the association of the group of each lane.
    pub(super) fn groups_beside(&mut self) {
        let warps = self.program.warps_beside(self.kernel.reads);
        let (of_thread, mut of_team) = self.steps_by_scope();
        let exchange =
            of_team.iter().position(|step| matches!(step, Step::Exchange(_))).map(|at| of_team.remove(at));
        let all = self.strides_reached(&of_team);
        let (levels, last) = all.split_at(all.len() - warps.ilog2() as usize);
        let turns = 1 << levels.len();
        self.constant("WARPS", warps, "warps of a block, which share 32 groups".to_owned());
        self.constant("LOGICAL", turns, "threads of the association of a thread".to_owned());
        self.derived(
            "LANES",
            warps * Program::WARP,
            format!("WARPS * {}", Program::WARP),
            "threads of a block",
        );
        for step in &of_team {
            self.note(Part::Tree, step, vec![format!("beside({warps})")]);
        }
        let offset = visited(&warp().get(), last);
        self.turns(&of_thread, levels, "LOGICAL", |turn| turn.plus(offset.clone()));
        self.current.number = warp().get();
        self.combine_warps(warps, last);
        exchange.iter().for_each(|step| self.step(step));
    }

    /// Combines the accumulators that the warps have for each lane, in the first warp.
    fn combine_warps(&mut self, warps: u32, strides: &[u32]) {
        let values = self.shared_array(VALUES, "LANES");
        self.body
            .extend([Stmt::Store(values.at(Expr::Thread), self.acc().get()), Stmt::Barrier(Barrier::Block)]);
        let outside = std::mem::take(&mut self.body);
        let mut all: Vec<_> = (0..warps).map(|warp| self.load_of_warp(values, warp)).collect();
        for (level, _) in strides.iter().enumerate() {
            for left in (0..warps).step_by(2 << level) {
                let right = left + (1 << level);
                let joined = self.joined(&all[left as usize], &all[right as usize], (left, right, strides));
                all[left as usize] = joined;
            }
        }
        self.body.push(Stmt::Set(self.acc().clone(), all[0].get()));
        let inside = std::mem::replace(&mut self.body, outside);
        self.body.push(Stmt::when(warp().get().equals(0), inside));
    }

    /// Loads the accumulator that a warp has for this lane.
    fn load_of_warp(&mut self, values: Buffer, warp: u32) -> Local {
        let value = Local::new(format!("warp_value_{warp}"), Ty::Acc);
        let at = lane().get().plus(warp * Program::WARP);
        self.body.push(Stmt::Load(value.clone(), values.at(at)));
        value
    }

    /// Combines the accumulators of two warps, if the right one has an element.
    fn joined(&mut self, a: &Local, b: &Local, (left, right, strides): (u32, u32, &[u32])) -> Local {
        let joined = Local::new(format!("warp_value_{left}_{right}"), Ty::Acc);
        let both = a.get().combine(b.get());
        if !self.guarded() {
            self.body.push(Stmt::Let(joined.clone(), both));
            return joined;
        }
        // The first logical thread of the right operand: the strides that the bits of its number select.
        let bits = strides.iter().enumerate().filter(|(bit, _)| right >> bit & 1 == 1);
        let first: u32 = bits.map(|(_, stride)| stride).sum();
        let exists = Expr::from(first).below(self.threads_present());
        self.body.push(Stmt::Var(joined.clone(), a.get()));
        self.body.push(Stmt::when(exists, vec![Stmt::Set(joined.clone(), both)]));
        joined
    }
}

/// The number of the warp.
pub(super) fn warp() -> Local {
    Local::new("warp", Ty::U32)
}

/// The number of the thread in its warp.
pub(super) fn lane() -> Local {
    Local::new("lane", Ty::U32)
}
