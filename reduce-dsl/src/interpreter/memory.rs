//! The global memory of a launch.

use super::{Domain, Input};

/// What the kernel's parameters point to.
pub(super) struct Memory<'a, D: Domain> {
    pub(super) inputs: &'a [Input],
    pub(super) items: D::Accs,
    pub(super) partials: D::Accs,
    pub(super) result: D::Accs,
    pub(super) ticket: Vec<u32>,
}
