//! The result of resolving `op`, for named operators and closures alike.

use crate::laws::Subject;
use crate::parse::closure::Closure;
use reduce_ir::Value;
use reduce_ir::func::Func;
use reduce_ir::operation::{Conditions, Operation, Starts};
use reduce_ir::spec::Spelling;

/// An operation as the fields define it.
pub(super) struct Draft {
    /// The operation on the elements for which `subject.keep` holds.
    pub(super) subject: Subject,
    /// The condition that an element is neither filtered nor an ignored NaN; `None` if every element is present.
    pub(super) present: Option<Func>,
    /// The start of a lane: the identity or an element.
    pub(super) starts: Starts,
    /// Whether `identity: none` takes the identity of a named operator away.
    pub(super) lacks_identity: bool,
    /// The result of no elements, if the specification gives one.
    pub(super) empty: Option<Vec<Value>>,
    pub(super) spelling: Spelling,
    pub(super) closures: Vec<Closure>,
}

impl Draft {
    /// Returns the operation on all elements.
    pub(super) fn operation(&self) -> Option<Operation> {
        let Subject { operation, keep } = self.subject.clone();
        let (operation, keep) = operation.asserting(keep.as_ref()).ok()?;
        let present = self.present.as_ref().map(|present| present.giving(present.results()));
        let (keep, present) = (keep.as_ref(), present.as_ref());
        let conditions = Conditions { keep, present };
        match (&self.empty, keep) {
            (Some(empty), _) => operation.keeping_or(conditions, self.starts, empty).ok(),
            (None, _) if self.lacks_identity => operation.keeping_some(conditions, self.starts).ok(),
            (None, Some(keep)) => operation.keeping(keep, self.starts).ok(),
            (None, None) => Some(operation),
        }
    }
}
