//! The elements: one block of device memory that holds many copies of the inputs, each at another address.

use super::Outcome;
use super::gpu::Gpu;
use super::shapes::RESULTS;
use super::slots::Slots;
use reduce_lanes::LanesRef;
use reducegen::{Scalar, Value, bf16, f16};

/// The length of the pattern that fills the memory repeatedly. It is prime, so that no two copies begin at the same
/// element.
const PATTERN: u64 = 1_048_573;

/// Device memory full of elements of a type, and its first bytes in host memory.
pub(crate) struct Pool {
    pub(crate) base: u64,
    pub(crate) bytes: usize,
    /// Memory for results of peers, after the elements.
    pub(crate) results: u64,
    ty: Option<Scalar>,
    host: Vec<u64>,
}

impl Pool {
    pub(crate) fn new(gpu: &Gpu, bytes: usize) -> Outcome<Pool> {
        let base = gpu.allocate(bytes + RESULTS)?;
        Ok(Pool { base, bytes, results: base + bytes as u64, ty: None, host: Vec::new() })
    }

    /// Fills the memory with elements of type `ty`. The host keeps the first `kept` bytes.
    pub(crate) fn fill(&mut self, gpu: &Gpu, ty: Scalar, kept: usize) -> Outcome<()> {
        if self.ty == Some(ty) && self.host.len() * 8 >= kept {
            return Ok(());
        }
        let pattern = pattern(ty);
        self.host = vec![0; kept.div_ceil(8)];
        let host: &mut [u8] = bytemuck::cast_slice_mut(&mut self.host);
        for piece in host.chunks_mut(pattern.len()) {
            piece.copy_from_slice(&pattern[..piece.len()]);
        }
        gpu.write(self.base, &pattern)?;
        let mut filled = pattern.len();
        while filled < self.bytes {
            let more = filled.min(self.bytes - filled);
            gpu.copy(self.base, self.base + filled as u64, more)?;
            filled += more;
        }
        gpu.stream.synchronize()?;
        self.ty = Some(ty);
        Ok(())
    }

    /// Returns the elements of an input in turn 0.
    pub(crate) fn lanes(&self, ty: Scalar, slots: &Slots, input: usize, n: usize) -> LanesRef<'_> {
        let start = (slots.pointer(0, input) - self.base) as usize;
        let host: &[u8] = bytemuck::cast_slice(&self.host);
        lanes(ty, &host[start..start + n * ty.size()])
    }

    /// Puts the largest element near the end of the first input of turn 0, on the host and on the device. Returns the
    /// element that was there.
    pub(crate) fn mark(&mut self, gpu: &Gpu, ty: Scalar, slots: &Slots, n: usize) -> Outcome<Mark> {
        let pointer = slots.pointer(0, 0) + ((n - n.min(8)) * ty.size()) as u64;
        let at = (pointer - self.base) as usize;
        let host: &[u8] = bytemuck::cast_slice(&self.host);
        let was = host[at..at + ty.size()].to_vec();
        self.put(gpu, at, &bytes(largest(ty)))?;
        Ok(Mark { at, was })
    }

    pub(crate) fn unmark(&mut self, gpu: &Gpu, mark: &Mark) -> Outcome<()> {
        self.put(gpu, mark.at, &mark.was)
    }

    fn put(&mut self, gpu: &Gpu, at: usize, element: &[u8]) -> Outcome<()> {
        let host: &mut [u8] = bytemuck::cast_slice_mut(&mut self.host);
        host[at..at + element.len()].copy_from_slice(element);
        gpu.write(self.base + at as u64, element)
    }
}

/// An element that was replaced.
pub(crate) struct Mark {
    at: usize,
    was: Vec<u8>,
}

/// Returns the bytes of the repeated pattern.
fn pattern(ty: Scalar) -> Vec<u8> {
    (0..PATTERN).flat_map(|i| bytes(element(ty, random(i)))).collect()
}

fn bytes(value: Value) -> Vec<u8> {
    value.bits().to_le_bytes()[..value.ty().size()].to_vec()
}

/// Makes floats from -0.5 to 1.5, so that sums are far from 0, and integers from -50 to 100 or from 0 to 250.
fn element(ty: Scalar, random: u64) -> Value {
    let integer = if ty.is_signed() { (random % 151).wrapping_sub(50) } else { random % 251 };
    float(ty, (random >> 11) as f64 / (1u64 << 52) as f64 - 0.5).unwrap_or(Value::from_bits(ty, integer))
}

/// Returns an element larger than every other.
fn largest(ty: Scalar) -> Value {
    float(ty, 2.0).unwrap_or(Value::from_bits(ty, if ty.is_signed() { 127 } else { 255 }))
}

fn float(ty: Scalar, x: f64) -> Option<Value> {
    match ty {
        Scalar::F16 => Some(Value::of(f16::from_f64(x))),
        Scalar::Bf16 => Some(Value::of(bf16::from_f64(x))),
        Scalar::F32 => Some(Value::of(x as f32)),
        Scalar::F64 => Some(Value::of(x)),
        Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => None,
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => None,
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014).
fn random(i: u64) -> u64 {
    let z = (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Casts bytes in host memory to elements. They are aligned: the host's memory consists of 64-bit words, and inputs begin on
/// multiples of their size. No case has `bool` elements.
pub(crate) fn lanes(ty: Scalar, bytes: &[u8]) -> LanesRef<'_> {
    match ty {
        Scalar::Bool => LanesRef::Bool(&[]),
        Scalar::F16 => LanesRef::F16(bytemuck::cast_slice(bytes)),
        Scalar::Bf16 => LanesRef::Bf16(bytemuck::cast_slice(bytes)),
        Scalar::F32 => LanesRef::F32(bytemuck::cast_slice(bytes)),
        Scalar::F64 => LanesRef::F64(bytemuck::cast_slice(bytes)),
        Scalar::I8 => LanesRef::I8(bytemuck::cast_slice(bytes)),
        Scalar::I16 => LanesRef::I16(bytemuck::cast_slice(bytes)),
        Scalar::I32 => LanesRef::I32(bytemuck::cast_slice(bytes)),
        Scalar::I64 => LanesRef::I64(bytemuck::cast_slice(bytes)),
        Scalar::U8 => LanesRef::U8(bytemuck::cast_slice(bytes)),
        Scalar::U16 => LanesRef::U16(bytemuck::cast_slice(bytes)),
        Scalar::U32 => LanesRef::U32(bytemuck::cast_slice(bytes)),
        Scalar::U64 => LanesRef::U64(bytemuck::cast_slice(bytes)),
    }
}
