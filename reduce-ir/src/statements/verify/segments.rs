//! Checks kernels over segments, and over keys: rule 13 of the verifier.

use super::{Check, Over, Uniform, Verifier, bounds};
use crate::operation::Operation;
use crate::program::Kernel;
use crate::redux::Redux;
use crate::statements::{Expr, Local, LoweredKernel, Stmt, Ty};
use std::collections::BTreeMap;

impl LoweredKernel {
    /// Checks every rule that concerns a kernel over segments of at most `most` elements in all. It was lowered from several programs
    /// of one operation. `steps` is the kernel whose steps a block runs.
    ///
    /// # Errors
    /// The first broken rule, and where it is broken.
    pub fn verify_segments(&self, operation: &Operation, steps: &Kernel, most: Option<u64>) -> Check {
        self.verify_over(Over::Segments, operation, steps, bounds::check_segments(self, most))
    }

    /// Checks every rule that concerns a kernel that reduces elements by keys: at most `most` elements and blocks. `steps` is a kernel
    /// over the same elements.
    ///
    /// # Errors
    /// The first broken rule, and where it is broken.
    pub fn verify_keys(&self, operation: &Operation, steps: &Kernel, most: [u64; 2]) -> Check {
        self.verify_over(Over::Keys, operation, steps, bounds::check_keys(self, most))
    }

    /// Checks every rule that concerns a kernel that finds runs of keys: at most `most` elements and blocks.
    ///
    /// # Errors
    /// The first broken rule, and where it is broken.
    pub fn verify_runs(&self, operation: &Operation, steps: &Kernel, most: [u64; 2]) -> Check {
        self.verify_over(Over::Runs, operation, steps, bounds::check_keys(self, most))
    }

    fn verify_over(
        &self,
        over: Over,
        operation: &Operation,
        steps: &Kernel,
        bounds: Result<(), Expr>,
    ) -> Check {
        let mut verifier = Verifier {
            operation,
            redux: Redux::of(operation),
            kernel: self,
            steps,
            over,
            arrived: false,
            cluster_runs: false,
            moved: BTreeMap::new(),
            scope: BTreeMap::new(),
        };
        verifier.body(&self.body, Uniform::Always)?;
        bounds.or_else(|expr| verifier.ensure(9, false, || format!("`{expr}` may not fit its type")))
    }
}

impl Verifier<'_> {
    pub(super) fn length(&mut self, local: &Local, list: &str) -> Check {
        self.list(list)?;
        self.ensure(2, local.ty == Ty::U32, || format!("`{}` should be u32", local.name))?;
        self.bind(local, false, Uniform::Block)
    }

    pub(super) fn turn(&mut self, stmt: &Stmt, here: Uniform) -> Check {
        let Stmt::Turn { turn, turns, value } = stmt else { return Ok(()) };
        self.require_all_threads(5, here >= Uniform::Warp, stmt)?;
        self.expect(value, Ty::U32)?;
        self.ensure(2, [turn.ty, turns.ty] == [Ty::U32; 2], || "turns are u32".to_owned())?;
        self.bind(turn, false, Uniform::Thread)?;
        self.bind(turns, false, Uniform::Warp)
    }

    pub(super) fn counts(&mut self, stmt: &Stmt, here: Uniform) -> Check {
        if let Stmt::Ballot(local, value) = stmt {
            self.expect(value, Ty::BOOL)?;
            self.ensure(2, local.ty == Ty::U32, || format!("`{}` should be u32", local.name))?;
            self.require_all_threads(5, here >= Uniform::Warp, stmt)?;
            return self.bind(local, false, Uniform::Warp);
        }
        let Stmt::Prefix { before, total, value } = stmt else { return Ok(()) };
        self.expect(value, Ty::U32)?;
        self.ensure(2, [before.ty, total.ty] == [Ty::U32; 2], || "sums are u32".to_owned())?;
        self.require_all_threads(4, here >= Uniform::Block, stmt)?;
        self.bind(before, false, Uniform::Thread)?;
        self.bind(total, false, Uniform::Block)
    }

    pub(super) fn fault(&self, number: &Expr) -> Check {
        self.ensure(13, self.over != Over::Groups, || "the kernel has no segments or keys".to_owned())?;
        self.expect(number, Ty::U64).map(|_| ())
    }
}
