//! Reads the result of a function of CUB, as the numbers that our result has.

use reduce_ir as ir;
use reducegen::Value;

/// The layout of a result, and the numbers it stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Layout {
    /// One number.
    Scalar(ir::Scalar),
    /// Two numbers.
    Pair(ir::Scalar),
    /// `i64`, followed by the element, which is ignored.
    Position,
    /// `i32`, followed by an `f32`, which is ignored.
    RowPosition,
    /// `u32`.
    Count,
    /// Mean and sum of squared distances, of `f32`, and the number of elements: the variance.
    Variance,
    /// The same layout: mean and sum of squared distances.
    Moments,
    /// The largest `f32`, and the sum of exp(x - largest): the logarithm of the sum of all exponentials.
    LargestAndSum,
}

impl Layout {
    /// Returns the bytes of a result.
    pub(crate) fn size(self) -> usize {
        match self {
            Layout::Scalar(ty) => ty.size(),
            Layout::Pair(ty) => 2 * ty.size(),
            Layout::Position => 16,
            Layout::Count => 4,
            Layout::Variance | Layout::Moments => 12,
            Layout::RowPosition | Layout::LargestAndSum => 8,
        }
    }

    /// Decodes the numbers from a result, which is at the start of `bytes`.
    pub(crate) fn numbers(self, bytes: &[u8]) -> Vec<f64> {
        let f32_at = |place: usize| number(ir::Scalar::F32, &bytes[4 * place..]);
        match self {
            Layout::Scalar(ty) => vec![number(ty, bytes)],
            Layout::Pair(ty) => vec![number(ty, bytes), number(ty, &bytes[ty.size()..])],
            Layout::Position => vec![number(ir::Scalar::I64, bytes)],
            Layout::RowPosition => vec![number(ir::Scalar::I32, bytes)],
            Layout::Count => vec![number(ir::Scalar::U32, bytes)],
            Layout::Variance => vec![f32_at(1) / number(ir::Scalar::U32, &bytes[8..])],
            Layout::Moments => vec![f32_at(0), f32_at(1)],
            Layout::LargestAndSum => vec![f32_at(0) + f32_at(1).ln()],
        }
    }
}

/// Decodes the scalar at the start of some bytes.
fn number(ty: ir::Scalar, bytes: &[u8]) -> f64 {
    let mut word = [0; 8];
    word[..ty.size()].copy_from_slice(&bytes[..ty.size()]);
    as_f64(Value::from_bits(ty, u64::from_le_bytes(word)))
}

/// Converts a value. Exact for floats, and for integers below 2^53.
pub(crate) fn as_f64(value: Value) -> f64 {
    value.as_f64().or(value.as_int().map(|integer| integer as f64)).unwrap_or(f64::NAN)
}
