//! One scalar in many cases.

use reduce_ir::{Scalar, Value};

/// Values of one type, one for each case.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Column {
    ty: Scalar,
    values: Vec<Value>,
}

impl Column {
    /// Returns `len` copies of one value.
    pub(super) fn splat(value: Value, len: usize) -> Column {
        Column { ty: value.ty(), values: vec![value; len] }
    }

    /// Returns a column of `len` values, computed by `of` from the case number.
    pub(super) fn of(ty: Scalar, len: usize, of: impl FnMut(usize) -> Value) -> Column {
        Column { ty, values: (0..len).map(of).collect() }
    }

    /// Returns the type of the values.
    pub(super) fn ty(&self) -> Scalar {
        self.ty
    }

    /// Returns the number of cases.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns the value of a case.
    pub(super) fn get(&self, case: usize) -> Value {
        self.values[case]
    }

    /// Sets the value of a case. The caller guarantees that the type matches.
    pub(super) fn set(&mut self, case: usize, value: Value) {
        debug_assert_eq!(self.ty, value.ty());
        self.values[case] = value;
    }

    /// Returns the values of a selection of the cases.
    pub(super) fn only(&self, cases: &[usize]) -> Column {
        Column { ty: self.ty, values: cases.iter().map(|&case| self.values[case]).collect() }
    }
}
