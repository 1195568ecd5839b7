//! A column in memory.

use reduce_lanes::{Lanes, LanesRef};

/// The values of a column or of an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// The values, slowest axis first unless `is_fortran`. Absent ones are zero.
    pub values: Lanes,
    /// Which values are present; `None` if all are. Absent values keep their positions.
    pub present: Option<Vec<bool>>,
    /// The lengths of the axes. Their product is the number of values.
    pub shape: Vec<u64>,
    /// Whether the first axis is the fastest.
    pub is_fortran: bool,
}

impl Column {
    /// Makes a column with one axis.
    pub(crate) fn flat(values: Lanes, present: Option<Vec<bool>>) -> Column {
        let shape = vec![values.len() as u64];
        Column { values, present, shape, is_fortran: false }
    }

    /// Returns the values, if they are of that type: `column.of::<f64>()`.
    pub fn of<'a, T>(&'a self) -> Option<&'a [T]>
    where
        &'a [T]: TryFrom<LanesRef<'a>>,
    {
        self.values.borrow().try_into().ok()
    }

    /// Returns whether a value is present, for each value.
    pub fn mask(&self) -> Vec<bool> {
        self.present.clone().unwrap_or_else(|| vec![true; self.values.len()])
    }
}
