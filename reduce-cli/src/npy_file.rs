//! Writes results as a NumPy file, in C order and little-endian.

use crate::dtype::Dtype;
use crate::failure::Failure;
use crate::npy::MAGIC;
use reduce_ir::func::Param;
use reduce_ir::operation::Record;
use reduce_lanes::Lanes;

/// The multiple of bytes at which the elements begin, as in files of NumPy.
const ALIGNMENT: usize = 64;

/// Checks that NumPy has types for all fields of a result.
pub(crate) fn check(output: &Record) -> Result<(), Failure> {
    output.fields.iter().try_for_each(|field| code(field).map(drop))
}

/// Returns the file of results, one vector for each field.
pub(crate) fn file(output: &Record, shape: &[u64], fields: &[Lanes]) -> Result<Vec<u8>, Failure> {
    let mut bytes = header(&descr(output)?, shape);
    let count = fields.first().map_or(0, Lanes::len);
    for at in 0..count {
        for field in fields {
            let word = field.get(at).bits().to_le_bytes();
            bytes.extend_from_slice(&word[..field.ty().size()]);
        }
    }
    Ok(bytes)
}

/// Returns the type of the elements as a Python literal: `'<f4'`, or `[('value', '<f4'), ('index', '<u8')]`.
fn descr(output: &Record) -> Result<String, Failure> {
    let codes = output.fields.iter().map(code).collect::<Result<Vec<_>, _>>()?;
    if output.is_scalar() {
        return Ok(format!("'{}'", codes.concat()));
    }
    let field = |(field, code): (&Param, String)| format!("('{}', '{code}')", field.name);
    let fields: Vec<_> = output.fields.iter().zip(codes).map(field).collect();
    Ok(format!("[{}]", fields.join(", ")))
}

fn code(field: &Param) -> Result<String, Failure> {
    Dtype::of(field.ty).and_then(Dtype::descr).ok_or_else(|| {
        let Param { name, ty } = field;
        Failure::request(match name.as_str() {
            "" => format!("NumPy has no code for {ty}; convert the result, as with `finish: |x| x as f32`"),
            name => {
                format!("NumPy has no code for {ty}; convert the field `{name}` of the result in `finish`")
            }
        })
    })
}

/// Returns the start of a file up to its first element: version 1.0, or 2.0 for a long header.
fn header(descr: &str, shape: &[u64]) -> Vec<u8> {
    let dict = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {}, }}", tuple(shape));
    let padded = |start: usize| {
        let length = (start + dict.len() + 1).next_multiple_of(ALIGNMENT) - start;
        (length, dict.clone() + &" ".repeat(length - 1 - dict.len()) + "\n")
    };
    let (length, text) = padded(10);
    if let Ok(length) = u16::try_from(length) {
        return [MAGIC, &[1, 0], &length.to_le_bytes(), text.as_bytes()].concat();
    }
    let (length, text) = padded(12);
    [MAGIC, &[2, 0], &(length as u32).to_le_bytes(), text.as_bytes()].concat()
}

/// Returns lengths as a tuple of Python: `()`, `(3,)` or `(3, 4)`.
fn tuple(shape: &[u64]) -> String {
    let lengths: Vec<_> = shape.iter().map(u64::to_string).collect();
    if lengths.len() == 1 { format!("({},)", lengths[0]) } else { format!("({})", lengths.join(", ")) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::{MAGIC, file, header};
    use crate::npy::layout;
    use reduce_ir::Scalar;
    use reduce_ir::operation::Record;
    use reduce_lanes::Lanes;

    #[test]
    fn a_file_is_read_again() {
        let numbers = [1.5f64, -2.0, 0.25, 8.0, 3.0, 7.0];
        let lanes = Lanes::from(numbers.to_vec());
        for shape in [&[6][..], &[2, 3], &[6, 1, 1]] {
            let bytes = file(&Record::scalar(Scalar::F64), shape, std::slice::from_ref(&lanes)).unwrap();
            let found = layout(&bytes).unwrap();
            assert_eq!((found.dtype.ty, found.shape.unwrap().lengths.as_slice()), (Scalar::F64, shape));
            assert_eq!(found.start % 64, 0);
            assert_eq!(bytes[found.start..], *numbers.map(f64::to_le_bytes).as_flattened());
        }
    }

    #[test]
    fn long_headers_have_the_second_version() {
        for (length, version) in [(10, 1), (65_000, 1), (65_470, 1), (65_500, 2), (70_000, 2)] {
            let bytes = header(&"x".repeat(length), &[3]);
            assert_eq!((&bytes[..6], bytes[6], bytes.len() % 64), (MAGIC, version, 0), "{length}");
        }
    }
}
