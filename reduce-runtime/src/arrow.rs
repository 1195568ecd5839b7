//! Arrays of Apache Arrow. Numbers are not copied; booleans are, because Arrow packs them into bits. With the feature `arrow`.
//!
//! Typed calls take the values of an array as they are: `SUM.reduce(x.values())` of a `Float32Array`, and
//! `SUM.reduce_segments(values, list.offsets())` of a list array with `segments: i32`. Where values are null, [`present`] makes the input that
//! `filter` asks. [`Columns`] are for specifications at run time.

/// The version of `arrow-array` whose arrays this module takes.
pub use arrow_array;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, BooleanArray};
use arrow_schema::DataType;
use reduce_lanes::{Lanes, LanesRef};

/// Returns whether each element is present: not null.
///
/// ```
/// # #[cfg(feature = "arrow")] {
/// use arrow_array::Float64Array;
/// use reduce_runtime::arrow::present;
///
/// let distances = Float64Array::from(vec![Some(1.5), None, Some(4.0)]);
/// assert_eq!(present(&distances), [true, false, true]);
/// # }
/// ```
#[must_use]
pub fn present(array: &dyn Array) -> Vec<bool> {
    match array.logical_nulls() {
        Some(nulls) => nulls.iter().collect(),
        None => vec![true; array.len()],
    }
}

/// The inputs of a [`Reducer`](crate::Reducer): the values of arrays, and a last input that says which elements are present in all of them,
/// if any is null. The specification then needs that input: `reduce_dsl::parse::masked_spec` adds it.
#[derive(Debug)]
pub struct Columns<'a> {
    values: Vec<Values<'a>>,
    present: Option<Lanes>,
}

#[derive(Debug)]
enum Values<'a> {
    /// Where they lie.
    Borrowed(LanesRef<'a>),
    /// One byte for each bit of a boolean array.
    Unpacked(Lanes),
}

/// The reason why arrays are no inputs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ColumnsError {
    /// A reduction has no such elements.
    #[error(
        "array {at} has elements of type {ty}, and a reduction takes numbers and booleans; cast it, as with `arrow::compute::cast`, or give its child or its dictionary keys"
    )]
    Type {
        /// The place of the array, counted from 0.
        at: usize,
        /// Its type.
        ty: String,
    },
    /// Arrays have different lengths.
    #[error(
        "array {at} has {found} elements, and the first one has {expected}; give arrays of one length, as those of a record batch"
    )]
    Length {
        /// The place of the array, counted from 0.
        at: usize,
        /// Its length.
        found: usize,
        /// The length of the first array.
        expected: usize,
    },
}

impl<'a> Columns<'a> {
    /// Takes an array for each input.
    ///
    /// # Errors
    /// An array holds other elements than numbers and booleans, or has another length than the first.
    pub fn new(arrays: &[&'a dyn Array]) -> Result<Columns<'a>, ColumnsError> {
        let expected = arrays.first().map_or(0, |array| array.len());
        let value = |(at, &array): (usize, &&'a dyn Array)| {
            let found = array.len();
            if found != expected {
                return Err(ColumnsError::Length { at, found, expected });
            }
            values(array).ok_or_else(|| ColumnsError::Type { at, ty: array.data_type().to_string() })
        };
        let values = arrays.iter().enumerate().map(value).collect::<Result<_, _>>()?;
        Ok(Columns { values, present: present_in_all(arrays) })
    }

    /// Returns whether an element is null, so that there is one more input.
    #[must_use]
    pub fn has_nulls(&self) -> bool {
        self.present.is_some()
    }

    /// Returns the inputs.
    #[must_use]
    pub fn inputs(&self) -> Vec<LanesRef<'_>> {
        self.values.iter().map(Values::lanes).chain(self.present.as_ref().map(Lanes::borrow)).collect()
    }
}

impl Values<'_> {
    fn lanes(&self) -> LanesRef<'_> {
        match self {
            Values::Borrowed(lanes) => *lanes,
            Values::Unpacked(lanes) => lanes.borrow(),
        }
    }
}

fn present_in_all(arrays: &[&dyn Array]) -> Option<Lanes> {
    let with_nulls = arrays.iter().filter(|array| array.logical_null_count() > 0);
    let all = with_nulls.map(|array| present(*array)).reduce(|mut all, more| {
        all.iter_mut().zip(more).for_each(|(all, one)| *all &= one);
        all
    });
    all.map(Lanes::from)
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the enum of Arrow is not ours, and grows")]
fn values(array: &dyn Array) -> Option<Values<'_>> {
    macro_rules! borrowed {
        ($ty:ty) => {
            array.as_primitive_opt::<$ty>().map(|array| Values::Borrowed(LanesRef::from(&array.values()[..])))
        };
    }
    let boolean =
        |array: &BooleanArray| Values::Unpacked(Lanes::from(array.values().iter().collect::<Vec<_>>()));
    match array.data_type() {
        DataType::Boolean => array.as_boolean_opt().map(boolean),
        DataType::Float16 => borrowed!(Float16Type),
        DataType::Float32 => borrowed!(Float32Type),
        DataType::Float64 => borrowed!(Float64Type),
        DataType::Int8 => borrowed!(Int8Type),
        DataType::Int16 => borrowed!(Int16Type),
        DataType::Int32 => borrowed!(Int32Type),
        DataType::Int64 => borrowed!(Int64Type),
        DataType::UInt8 => borrowed!(UInt8Type),
        DataType::UInt16 => borrowed!(UInt16Type),
        DataType::UInt32 => borrowed!(UInt32Type),
        DataType::UInt64 => borrowed!(UInt64Type),
        _ => None,
    }
}
