//! One scalar in many cases.

use reduce_ir::{Scalar, Value};

/// Values of one type, one for each case.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Column {
    ty: Scalar,
    values: Vec<Value>,
}

impl Column {
    /// `len` times the same value.
    pub(super) fn splat(value: Value, len: usize) -> Column {
        Column { ty: value.ty(), values: vec![value; len] }
    }

    /// The values that `of` gives for the cases from 0 on, of that type.
    pub(super) fn of(ty: Scalar, len: usize, of: impl FnMut(usize) -> Value) -> Column {
        Column { ty, values: (0..len).map(of).collect() }
    }

    /// The type.
    pub(super) fn ty(&self) -> Scalar {
        self.ty
    }

    /// The number of cases.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// The value in a case.
    pub(super) fn get(&self, case: usize) -> Value {
        self.values[case]
    }

    /// Changes the value in a case; a value of another type is a bug of the caller.
    pub(super) fn set(&mut self, case: usize, value: Value) {
        debug_assert_eq!(self.ty, value.ty());
        self.values[case] = value;
    }

    /// The values of some cases.
    pub(super) fn only(&self, cases: &[usize]) -> Column {
        Column { ty: self.ty, values: cases.iter().map(|&case| self.values[case]).collect() }
    }
}
