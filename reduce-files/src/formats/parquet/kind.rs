//! The types of Parquet, and those that they become.

use crate::formats::error::Reason;
use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::schema::types::ColumnDescriptor;
use reduce_ir::Scalar;

/// The digits of decimals that always fit into 64 bits.
const DIGITS: i32 = 18;

/// The type of a column that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Values of that type. Dates, times and timestamps are the integers that the file holds.
    Plain(Scalar),
    /// A number of tenths, hundredths, …, as the nearest float: the number of digits after the point.
    Decimal(u32),
    /// A decimal without digits after the point.
    Whole,
}

impl Kind {
    /// Returns the type of the values in memory.
    pub(super) fn scalar(self) -> Scalar {
        match self {
            Kind::Plain(scalar) => scalar,
            Kind::Decimal(_) => Scalar::F64,
            Kind::Whole => Scalar::I64,
        }
    }

    /// Returns the type of a column, or the reason why it cannot be read.
    pub(super) fn of(column: &ColumnDescriptor) -> Result<Kind, Reason> {
        let lacking = |ty: &str, advice| {
            let (column, ty) = (column.path().string(), ty.to_owned());
            Err(Reason::Type { column, ty, advice })
        };
        if column.max_rep_level() > 0 {
            return lacking(
                "lists",
                "write their elements as a column, and the offsets of the lists as another",
            );
        }
        if let Some((precision, scale)) = decimal(column) {
            return match u32::try_from(scale) {
                Ok(0) if precision <= DIGITS => Ok(Kind::Whole),
                Ok(scale) if scale <= 38 && fits(column) => Ok(Kind::Decimal(scale)),
                _ => lacking("decimals of more than 38 digits", "write them as floats"),
            };
        }
        match column.physical_type() {
            Type::BOOLEAN => Ok(Kind::Plain(Scalar::Bool)),
            Type::INT32 => Ok(Kind::Plain(integer(column).unwrap_or(Scalar::I32))),
            Type::INT64 => Ok(Kind::Plain(integer(column).unwrap_or(Scalar::I64))),
            Type::FLOAT => Ok(Kind::Plain(Scalar::F32)),
            Type::DOUBLE => Ok(Kind::Plain(Scalar::F64)),
            Type::FIXED_LEN_BYTE_ARRAY if is_half(column) => Ok(Kind::Plain(Scalar::F16)),
            Type::INT96 => lacking("timestamps of 96 bits", "write them as timestamps of 64 bits"),
            Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY => lacking(
                "strings or bytes",
                "name a column of numbers; strings are keys, of `--by` and of `labels`",
            ),
        }
    }
}

/// Refuses a column that holds no text.
pub(super) fn check_text(column: &ColumnDescriptor) -> Result<(), Reason> {
    let is_list = column.max_rep_level() > 0;
    let logical = matches!(column.logical_type_ref(), Some(LogicalType::String | LogicalType::Enum));
    let converted = matches!(column.converted_type(), ConvertedType::UTF8 | ConvertedType::ENUM);
    if column.physical_type() == Type::BYTE_ARRAY && (logical || converted) && !is_list {
        return Ok(());
    }
    let (column, ty) = (column.path().string(), "no text".to_owned());
    Err(Reason::Type { column, ty, advice: "name a column of strings, or one of integers" })
}

/// Returns the digits of a decimal, and how many of them follow the point.
fn decimal(column: &ColumnDescriptor) -> Option<(i32, i32)> {
    match column.logical_type_ref() {
        Some(LogicalType::Decimal(decimal)) => Some((decimal.precision, decimal.scale)),
        _ if column.converted_type() == ConvertedType::DECIMAL => {
            Some((column.type_precision(), column.type_scale()))
        }
        _ => None,
    }
}

/// Returns whether a decimal fits into 128 bits.
fn fits(column: &ColumnDescriptor) -> bool {
    column.physical_type() != Type::FIXED_LEN_BYTE_ARRAY || column.type_length() <= 16
}

fn is_half(column: &ColumnDescriptor) -> bool {
    column.logical_type_ref() == Some(&LogicalType::Float16) && column.type_length() == 2
}

/// Returns the type of integers with a width of their own.
fn integer(column: &ColumnDescriptor) -> Option<Scalar> {
    if let Some(LogicalType::Integer(integer)) = column.logical_type_ref() {
        return match (integer.is_signed, integer.bit_width) {
            (true, 8) => Some(Scalar::I8),
            (true, 16) => Some(Scalar::I16),
            (false, 8) => Some(Scalar::U8),
            (false, 16) => Some(Scalar::U16),
            (false, 32) => Some(Scalar::U32),
            (false, 64) => Some(Scalar::U64),
            _ => None,
        };
    }
    [
        (ConvertedType::INT_8, Scalar::I8),
        (ConvertedType::INT_16, Scalar::I16),
        (ConvertedType::UINT_8, Scalar::U8),
        (ConvertedType::UINT_16, Scalar::U16),
        (ConvertedType::UINT_32, Scalar::U32),
        (ConvertedType::UINT_64, Scalar::U64),
    ]
    .into_iter()
    .find_map(|(converted, scalar)| (column.converted_type() == converted).then_some(scalar))
}
