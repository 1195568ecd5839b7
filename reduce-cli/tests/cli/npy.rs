//! NumPy files as bytes, valid and invalid ones.

use reduce_ir::f16;

/// An element type, with its little-endian bytes.
pub(crate) trait Number: Copy {
    /// NumPy's name of the type, such as `<f4`.
    const DESCR: &str;
    /// Returns the bytes in the file.
    fn bytes(self) -> Vec<u8>;
}

macro_rules! numbers {
    ($($ty:ty: $descr:literal),*) => {
        $(impl Number for $ty {
            const DESCR: &str = $descr;
            fn bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
        })*
    };
}

numbers!(
    f16: "<f2", f32: "<f4", f64: "<f8",
    i8: "|i1", i16: "<i2", i32: "<i4", i64: "<i8",
    u8: "|u1", u16: "<u2", u32: "<u4", u64: "<u8"
);

impl Number for bool {
    const DESCR: &str = "|b1";
    fn bytes(self) -> Vec<u8> {
        vec![self.into()]
    }
}

/// Returns the bytes of numbers.
pub(crate) fn raw<T: Number>(numbers: &[T]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.bytes()).collect()
}

/// Returns a file of one dimension, as `np.save` writes it.
pub(crate) fn array<T: Number>(numbers: &[T]) -> Vec<u8> {
    let shape = format!("({},)", numbers.len());
    file(&header(T::DESCR, false, &shape), &raw(numbers))
}

/// Returns a header, padded as NumPy does, so that the data starts at a multiple of 64.
pub(crate) fn header(descr: &str, fortran_order: bool, shape: &str) -> String {
    let order = if fortran_order { "True" } else { "False" };
    let dict = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
    let length = (10 + dict.len() + 1).next_multiple_of(64) - 11;
    format!("{dict:<length$}\n")
}

/// Returns a file of format version 1.0 with that header and data.
pub(crate) fn file(header: &str, data: &[u8]) -> Vec<u8> {
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), data].concat()
}
