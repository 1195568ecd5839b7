//! Inputs that show errors: every element matters, and NaN, zeros and infinities occur.

use reduce_dsl::lanes::Lanes;
use reduce_dsl::{Scalar, f16};
use reduce_runtime::DeviceInput;
use reduce_runtime::cudarc::driver::{CudaSlice, CudaStream, CudaView};
use std::ops::Range;
use std::sync::Arc;

/// A kind of elements.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// Numbers of which neither sums nor products leave the range of the type: x, then about 1 / x; odd integers.
    Plain,
    /// Small numbers and zeros of both signs, later infinities, later NaN.
    Special,
    /// Zeros of both signs, but for one element in 997.
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
                // Below 997 elements `min` and `max` decide between zeros.
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

    /// Elements of that type.
    pub(crate) fn lanes(self, ty: Scalar, len: usize) -> Lanes {
        let range = 0..len as u64;
        match ty {
            Scalar::F16 => range.map(|i| f16::from_f64(self.float(i))).collect::<Vec<_>>().into(),
            Scalar::F32 => range.map(|i| self.float(i) as f32).collect::<Vec<_>>().into(),
            Scalar::F64 => range.map(|i| self.float(i)).collect::<Vec<_>>().into(),
            Scalar::I32 => range.map(|i| self.integer(i) as i32).collect::<Vec<_>>().into(),
            Scalar::U32 => range.map(|i| self.integer(i) as u32).collect::<Vec<_>>().into(),
            Scalar::I64 => range.map(|i| self.integer(i) as i64).collect::<Vec<_>>().into(),
            Scalar::U64 => range.map(|i| self.integer(i)).collect::<Vec<_>>().into(),
            Scalar::Bool => unreachable!("no input is bool"),
        }
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014) of a position: the same everywhere, for every length.
fn random(i: u64) -> u64 {
    let mut z = i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

macro_rules! resident {
    ($($scalar:ident: $ty:ty),*) => {
        /// Elements on a device.
        pub(crate) enum Resident {
            F16(CudaSlice<u16>),
            $($scalar(CudaSlice<$ty>),)*
        }

        /// Some of them.
        pub(crate) enum View<'a> {
            F16(CudaView<'a, u16>),
            $($scalar(CudaView<'a, $ty>),)*
        }

        impl Resident {
            /// Copies elements to the device.
            pub(crate) fn new(stream: &Arc<CudaStream>, lanes: &Lanes) -> Resident {
                match lanes {
                    Lanes::F16(lanes) => {
                        let bits: Vec<_> = lanes.iter().map(|x| x.to_bits()).collect();
                        Resident::F16(stream.clone_htod(&bits).unwrap())
                    }
                    $(Lanes::$scalar(lanes) => Resident::$scalar(stream.clone_htod(lanes).unwrap()),)*
                    Lanes::Bool(_) => unreachable!("no input is bool"),
                }
            }

            /// The elements in `range`.
            pub(crate) fn view(&self, range: Range<usize>) -> View<'_> {
                match self {
                    Resident::F16(slice) => View::F16(slice.slice(range)),
                    $(Resident::$scalar(slice) => View::$scalar(slice.slice(range)),)*
                }
            }
        }

        impl View<'_> {
            pub(crate) fn input(&self) -> DeviceInput<'_> {
                match self {
                    View::F16(view) => DeviceInput::of_f16_bits(view),
                    $(View::$scalar(view) => DeviceInput::of::<$ty>(view),)*
                }
            }
        }
    };
}

resident!(F32: f32, F64: f64, I32: i32, U32: u32, I64: i64, U64: u64);
