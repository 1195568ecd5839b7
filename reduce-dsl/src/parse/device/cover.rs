//! The values that the cases of a `match` cover.

use crate::parse::types::Ty;
use reduce_ir::{Scalar, constants};

/// A set of values: all of them, or closed intervals of integers. `bool` counts as 0 and 1.
pub(super) struct Cover {
    is_all: bool,
    intervals: Vec<[i128; 2]>,
}

impl Cover {
    pub(super) fn all() -> Cover {
        Cover { is_all: true, intervals: Vec::new() }
    }

    pub(super) fn none() -> Cover {
        Cover { is_all: false, intervals: Vec::new() }
    }

    /// Returns the integers from `least` to `most`; no value that is known for sure if one end is no integer.
    pub(super) fn of(least: Option<i128>, most: Option<i128>) -> Cover {
        let intervals = least.zip(most).map(|(least, most)| [least, most]).into_iter().collect();
        Cover { is_all: false, intervals }
    }

    pub(super) fn add(&mut self, other: Cover) {
        self.is_all |= other.is_all;
        self.intervals.extend(other.intervals);
    }

    /// Returns whether it covers every value of a type.
    pub(super) fn is_complete(&self, ty: Ty) -> bool {
        self.is_all
            || match ty {
                Ty::Scalar(Scalar::Bool) => self.holds(0, 1),
                Ty::Scalar(ty) if ty.is_integer() => {
                    let end = |name| constants::constant(ty, name).and_then(reduce_ir::Value::as_int);
                    end("MIN").zip(end("MAX")).is_some_and(|(least, most)| self.holds(least, most))
                }
                Ty::Unknown => true,
                Ty::Scalar(_) | Ty::Struct(_) | Ty::Number(_) | Ty::Never => false,
            }
    }

    fn holds(&self, least: i128, most: i128) -> bool {
        let mut sorted = self.intervals.clone();
        sorted.sort_unstable();
        let mut next = least;
        for [from, to] in sorted {
            if from > next {
                return false;
            }
            next = next.max(to.saturating_add(1));
        }
        next > most
    }
}
