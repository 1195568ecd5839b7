//! The values of a column: decoded, converted, and put at their positions.

use super::kind::Kind;
use super::{Fault, Source};
use crate::formats::column::Column;
use crate::formats::error::Reason;
use crate::formats::labels::{Labels, Numbering};
use parquet::basic::Type;
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type, Int64Type,
};
use reduce_ir::{Scalar, f16};
use reduce_lanes::Lanes;

/// The integers below which every one is an `f64`.
const EXACT: u128 = 1 << 53;

/// The powers of ten that are an `f64`.
const EXACT_POWER: u32 = 22;

/// Values at their positions.
pub(super) struct Values<V> {
    values: Vec<V>,
    present: Option<Vec<bool>>,
}

impl<V> Default for Values<V> {
    fn default() -> Values<V> {
        Values { values: Vec::new(), present: None }
    }
}

impl<V: Copy + Default> Values<V> {
    /// Appends values, with a gap for each level that is not there. Without levels, all are there.
    pub(super) fn append(
        &mut self,
        mut more: impl Iterator<Item = Option<V>>,
        levels: Option<impl Iterator<Item = bool>>,
    ) -> Result<(), Fault> {
        let Some(levels) = levels else {
            return more.try_for_each(|value| self.push(value.ok_or(Fault::Value)?));
        };
        for is_present in levels {
            if is_present {
                self.push(more.next().flatten().ok_or(Fault::Value)?)?;
            } else {
                self.present.get_or_insert_with(|| vec![true; self.values.len()]).push(false);
                self.values.push(V::default());
            }
        }
        Ok(())
    }

    fn push(&mut self, value: V) -> Result<(), Fault> {
        self.values.push(value);
        self.present.iter_mut().for_each(|present| present.push(true));
        Ok(())
    }

    fn into_column(self) -> Column
    where
        Lanes: From<Vec<V>>,
    {
        Column::flat(self.values.into(), self.present)
    }
}

/// Reads a column.
pub(super) fn read(source: Source<'_>, kind: Kind) -> Result<Column, Reason> {
    let physical = source.descriptor().physical_type();
    match (kind, physical) {
        (Kind::Plain(Scalar::Bool), _) => Ok(source.read::<BoolType, _>(|&it| Some(it))?.into_column()),
        (Kind::Plain(Scalar::F32), _) => Ok(source.read::<FloatType, _>(|&it| Some(it))?.into_column()),
        (Kind::Plain(Scalar::F64), _) => Ok(source.read::<DoubleType, _>(|&it| Some(it))?.into_column()),
        (Kind::Plain(Scalar::F16), _) => {
            let half = |bytes: &[u8]| Some(f16::from_le_bytes(bytes.try_into().ok()?));
            let values = source.read::<FixedLenByteArrayType, _>(|it| half(it.data()))?;
            Ok(values.into_column())
        }
        (Kind::Plain(scalar), Type::INT32) => narrow(source, scalar),
        (Kind::Plain(Scalar::U64), _) => {
            Ok(source.read::<Int64Type, _>(|&it| Some(it as u64))?.into_column())
        }
        (Kind::Plain(_), _) => Ok(source.read::<Int64Type, _>(|&it| Some(it))?.into_column()),
        (Kind::Whole, _) => Ok(decimals(source, physical, |it| i64::try_from(it).ok())?.into_column()),
        (Kind::Decimal(scale), _) => {
            Ok(decimals(source, physical, |it| Some(nearest(it, scale)))?.into_column())
        }
    }
}

/// Reads a column of text.
pub(super) fn labels(source: Source<'_>) -> Result<Labels, Reason> {
    let numbering = Numbering::new(source.limit);
    let number = |it: &ByteArray| numbering.of(str::from_utf8(it.data()).ok()?);
    let read = source.read::<ByteArrayType, _>(number);
    numbering.check_size(source.name)?;
    let Values { values, present } = read?;
    Ok(numbering.into_labels(values, present))
}

/// Reads integers of at most 32 bits.
fn narrow(source: Source<'_>, scalar: Scalar) -> Result<Column, Reason> {
    macro_rules! read {
        ($ty:ty) => {
            source.read::<Int32Type, _>(|&it| <$ty>::try_from(it).ok())?.into_column()
        };
    }
    Ok(match scalar {
        Scalar::I8 => read!(i8),
        Scalar::I16 => read!(i16),
        Scalar::U8 => read!(u8),
        Scalar::U16 => read!(u16),
        // The bits of an unsigned number are stored as those of a signed one.
        Scalar::U32 => source.read::<Int32Type, _>(|&it| Some(it as u32))?.into_column(),
        Scalar::Bool | Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64 => read!(i32),
        Scalar::I32 | Scalar::I64 | Scalar::U64 => read!(i32),
    })
}

/// Reads the integers of decimals, and converts them.
fn decimals<V: Copy + Default>(
    source: Source<'_>,
    physical: Type,
    convert: impl Fn(i128) -> Option<V>,
) -> Result<Values<V>, Reason> {
    match physical {
        Type::INT32 => source.read::<Int32Type, _>(|&it| convert(i128::from(it))),
        Type::INT64 => source.read::<Int64Type, _>(|&it| convert(i128::from(it))),
        Type::FIXED_LEN_BYTE_ARRAY => {
            source.read::<FixedLenByteArrayType, _>(|it| convert(big_endian(it.data())?))
        }
        Type::BYTE_ARRAY => source.read::<ByteArrayType, _>(|it| convert(big_endian(it.data())?)),
        Type::BOOLEAN | Type::INT96 | Type::FLOAT | Type::DOUBLE => {
            Err(Reason::damaged(format!("the column `{}`", source.name), "its type cannot hold decimals"))
        }
    }
}

/// Returns a signed integer of at most 16 bytes.
fn big_endian(bytes: &[u8]) -> Option<i128> {
    let (&first, rest) = bytes.split_first()?;
    let sign = if first & 0x80 == 0 { 0 } else { 0xff };
    let mut wide = [sign; 16];
    wide.get_mut(15usize.checked_sub(rest.len())?..)?.copy_from_slice(bytes);
    Some(i128::from_be_bytes(wide))
}

/// Returns the float that is nearest to `unscaled` / 10^`scale`.
fn nearest(unscaled: i128, scale: u32) -> f64 {
    if unscaled.unsigned_abs() <= EXACT && scale <= EXACT_POWER {
        // Both are exact, so the quotient is rounded once.
        return unscaled as f64 / 10u128.pow(scale) as f64;
    }
    // The parser of the standard library rounds to nearest. It accepts every such text.
    format!("{unscaled}e-{scale}").parse().unwrap_or(f64::NAN)
}
