//! The result of resolving `op`, for named operators and closures alike.

use crate::laws::Subject;
use crate::parse::closure::Closure;
use reduce_ir::operation::Starts;
use reduce_ir::spec::Spelling;

/// An operation as the fields define it.
pub(super) struct Draft {
    /// The operation on the elements for which `subject.keep` holds.
    pub(super) subject: Subject,
    /// The start of a lane: the identity or an element.
    pub(super) starts: Starts,
    pub(super) spelling: Spelling,
    pub(super) closures: Vec<Closure>,
}
