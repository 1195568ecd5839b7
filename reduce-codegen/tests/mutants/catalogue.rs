//! The kinds of mutation: each a small change to one statement that a careless programmer, or a bug in a pass,
//! could make.

use super::kernels::Subject;
use super::sites::{Variant, variants};
use super::{data, order};
use reduce_ir::statements::Stmt;

/// What a statement of a kernel could be instead.
type Rewrite = fn(&Subject, &Stmt) -> Vec<Vec<Stmt>>;

/// A kind of mutation.
#[derive(Clone, Copy)]
pub(crate) struct Mutation {
    /// What it does.
    pub(crate) name: &'static str,
    /// Does it weaken what orders threads?
    pub(crate) of_order: bool,
    rewrite: Rewrite,
}

impl Mutation {
    /// One that weakens what orders threads.
    pub(crate) const fn of_order(name: &'static str, rewrite: Rewrite) -> Mutation {
        Mutation { name, of_order: true, rewrite }
    }

    /// One that changes what is computed.
    pub(crate) const fn of_data(name: &'static str, rewrite: Rewrite) -> Mutation {
        Mutation { name, of_order: false, rewrite }
    }

    /// The kernels that it makes of one.
    pub(crate) fn mutants(&self, subject: &Subject) -> Vec<Variant> {
        variants(&subject.kernel, &|stmt| (self.rewrite)(subject, stmt))
    }
}

/// All of them.
pub(crate) fn mutations() -> impl Iterator<Item = Mutation> {
    order::MUTATIONS.into_iter().chain(data::MUTATIONS)
}

/// One replacement, if there is one.
pub(crate) fn once(applies: bool, with: impl FnOnce() -> Vec<Stmt>) -> Vec<Vec<Stmt>> {
    applies.then(with).into_iter().collect()
}
