//! Checks kernels over segments: rule 13 of the verifier.

use super::{Check, Uniform, Verifier, bounds};
use crate::operation::Operation;
use crate::program::Kernel;
use crate::redux::Redux;
use crate::statements::{Expr, Local, LoweredKernel, Ty};
use std::collections::BTreeMap;

impl LoweredKernel {
    /// Checks every rule that concerns a kernel over segments of at most `most` elements in all. It was lowered from several programs
    /// of one operation. `steps` is the kernel whose steps a block runs.
    ///
    /// # Errors
    /// The first broken rule, and where it is broken.
    pub fn verify_segments(&self, operation: &Operation, steps: &Kernel, most: Option<u64>) -> Check {
        let mut verifier = Verifier {
            operation,
            redux: Redux::of(operation),
            kernel: self,
            steps,
            of_segments: true,
            arrived: false,
            cluster_runs: false,
            moved: BTreeMap::new(),
            scope: BTreeMap::new(),
        };
        verifier.body(&self.body, Uniform::Always)?;
        bounds::check_segments(self, most)
            .or_else(|expr| verifier.ensure(9, false, || format!("`{expr}` may not fit its type")))
    }
}

impl Verifier<'_> {
    pub(super) fn length(&mut self, local: &Local, list: &str) -> Check {
        self.list(list)?;
        self.ensure(2, local.ty == Ty::U32, || format!("`{}` should be u32", local.name))?;
        self.bind(local, false, Uniform::Block)
    }

    pub(super) fn fault(&self, segment: &Expr) -> Check {
        self.ensure(13, self.of_segments, || "the kernel has no segments".to_owned())?;
        self.expect(segment, Ty::U64).map(|_| ())
    }
}
