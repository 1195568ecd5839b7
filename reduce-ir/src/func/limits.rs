//! The range of a float that is the lesser or the greater of a value and a constant.

use super::{Func, Id, Node};
use crate::ops::Bin;

impl Func {
    /// Returns the bounds of the float `id`, which may be infinite; `None` if it may be NaN, or nothing is known.
    pub fn limits(&self, id: Id) -> Option<[f64; 2]> {
        let Node::Bin(op @ (Bin::MinNum | Bin::MaxNum), a, b) = self.line(id)?.node else { return None };
        let number = |id| self.constant(id)?.as_f64().filter(|it| !it.is_nan());
        let (limit, other) = number(b).map(|limit| (limit, a)).or_else(|| Some((number(a)?, b)))?;
        // Both operations prefer the number to a NaN, so the result is not NaN.
        let within = self.limits(other).unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        Some(within.map(|end| if op == Bin::MinNum { end.min(limit) } else { end.max(limit) }))
    }
}
