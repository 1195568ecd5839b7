//! The kinds of mutation. Each is a small change to one statement that a careless programmer, or a bug in a pass, could
//! make.

use super::kernels::Subject;
use super::sites::{Variant, variants};
use super::{data, order};
use reduce_ir::statements::Stmt;

/// Returns replacements of a statement of a kernel.
type Rewrite = fn(&Subject, &Stmt) -> Vec<Vec<Stmt>>;

/// A kind of mutation.
#[derive(Clone, Copy)]
pub(crate) struct Mutation {
    /// The name of the change.
    pub(crate) name: &'static str,
    /// Whether it weakens the ordering between threads.
    pub(crate) of_order: bool,
    rewrite: Rewrite,
}

impl Mutation {
    /// Creates a mutation that weakens the ordering between threads.
    pub(crate) const fn of_order(name: &'static str, rewrite: Rewrite) -> Mutation {
        Mutation { name, of_order: true, rewrite }
    }

    /// Creates a mutation that changes the computed values.
    pub(crate) const fn of_data(name: &'static str, rewrite: Rewrite) -> Mutation {
        Mutation { name, of_order: false, rewrite }
    }

    /// Returns the mutants of a kernel.
    pub(crate) fn mutants(&self, subject: &Subject) -> Vec<Variant> {
        variants(&subject.kernel, &|stmt| (self.rewrite)(subject, stmt))
    }
}

/// Returns all kinds of mutation.
pub(crate) fn mutations() -> impl Iterator<Item = Mutation> {
    order::MUTATIONS.into_iter().chain(data::MUTATIONS)
}

/// Returns one replacement if the mutation applies.
pub(crate) fn once(applies: bool, with: impl FnOnce() -> Vec<Stmt>) -> Vec<Vec<Stmt>> {
    applies.then(with).into_iter().collect()
}
