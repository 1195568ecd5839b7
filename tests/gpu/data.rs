//! Inputs that expose errors: every element affects the result, and NaN, zeros and infinities occur.

use super::splitmix::random;
use reduce_ir::{Scalar, bf16, f16};
use reduce_lanes::Lanes;
use reduce_runtime::DeviceInput;
use reduce_runtime::cudarc::driver::{CudaSlice, CudaStream, CudaView};
use std::ops::Range;
use std::sync::Arc;

/// A kind of elements.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// Numbers whose sums and products stay in the range of the type: x, then about 1 / x; odd integers.
    Plain,
    /// Small numbers and zeros of both signs, then also infinities, then also NaN.
    Special,
    /// Zeros of both signs, except for one element in 997.
    Sparse,
}

impl Kind {
    pub(crate) const ALL: [Kind; 3] = [Kind::Plain, Kind::Special, Kind::Sparse];

    fn float(self, i: u64) -> f64 {
        let sign = if random(i) & 1 == 0 { 1.0 } else { -1.0 };
        match self {
            Kind::Plain => {
                let x = 1.0 + (random(i & !1) >> 12) as f64 / (1u64 << 52) as f64;
                sign * if i.is_multiple_of(2) { x } else { 1.0 / x }
            }
            Kind::Special => match i {
                700 | 900 => f64::NAN,
                500 => f64::INFINITY,
                600 => f64::NEG_INFINITY,
                _ => sign * (random(i) >> 1 & 3) as f64,
            },
            Kind::Sparse => {
                // With fewer than 997 elements, `min` and `max` choose between zeros.
                if i % 997 == 996 { sign } else { 0.0 * sign }
            }
        }
    }

    fn integer(self, i: u64) -> u64 {
        match self {
            Kind::Plain => random(i) | 1,
            Kind::Special => random(i) >> 62,
            Kind::Sparse => u64::from(i % 997 == 996),
        }
    }

    /// Returns elements of a type.
    pub(crate) fn lanes(self, ty: Scalar, len: usize) -> Lanes {
        let range = 0..len as u64;
        match ty {
            Scalar::F16 => range.map(|i| f16::from_f64(self.float(i))).collect::<Vec<_>>().into(),
            Scalar::F32 => range.map(|i| self.float(i) as f32).collect::<Vec<_>>().into(),
            Scalar::F64 => range.map(|i| self.float(i)).collect::<Vec<_>>().into(),
            Scalar::Bf16 => range.map(|i| bf16::from_f64(self.float(i))).collect::<Vec<_>>().into(),
            Scalar::I8 => range.map(|i| self.integer(i) as i8).collect::<Vec<_>>().into(),
            Scalar::I16 => range.map(|i| self.integer(i) as i16).collect::<Vec<_>>().into(),
            Scalar::U8 => range.map(|i| self.integer(i) as u8).collect::<Vec<_>>().into(),
            Scalar::U16 => range.map(|i| self.integer(i) as u16).collect::<Vec<_>>().into(),
            Scalar::I32 => range.map(|i| self.integer(i) as i32).collect::<Vec<_>>().into(),
            Scalar::U32 => range.map(|i| self.integer(i) as u32).collect::<Vec<_>>().into(),
            Scalar::I64 => range.map(|i| self.integer(i) as i64).collect::<Vec<_>>().into(),
            Scalar::U64 => range.map(|i| self.integer(i)).collect::<Vec<_>>().into(),
            Scalar::Bool => range.map(|i| self.integer(i) & 1 == 1).collect::<Vec<_>>().into(),
        }
    }
}

macro_rules! resident {
    ($($scalar:ident: $ty:ty),*) => {
        /// Elements on a device.
        pub(crate) enum Resident {
            $($scalar(CudaSlice<$ty>),)*
        }

        /// A range of elements on a device.
        pub(crate) enum View<'a> {
            $($scalar(CudaView<'a, $ty>),)*
        }

        impl Resident {
            /// Copies elements to the device.
            pub(crate) fn new(stream: &Arc<CudaStream>, lanes: &Lanes) -> Resident {
                match lanes {
                    $(Lanes::$scalar(lanes) => Resident::$scalar(stream.clone_htod(&lanes[..]).unwrap()),)*
                }
            }

            /// Returns the elements in `range`.
            pub(crate) fn view(&self, range: Range<usize>) -> View<'_> {
                match self {
                    $(Resident::$scalar(slice) => View::$scalar(slice.slice(range)),)*
                }
            }
        }

        impl View<'_> {
            pub(crate) fn input(&self) -> DeviceInput<'_> {
                match self {
                    $(View::$scalar(view) => DeviceInput::new::<$ty>(view),)*
                }
            }
        }
    };
}

resident!(
    Bool: bool, F16: f16, Bf16: bf16, F32: f32, F64: f64,
    I8: i8, I16: i16, I32: i32, I64: i64, U8: u8, U16: u16, U32: u32, U64: u64
);
