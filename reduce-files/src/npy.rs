//! NumPy files: the type, position and shape of their elements. Format versions 1.0 to 3.0.
//!
//! ```text
//! file   = "\x93NUMPY" major minor length header data
//! length = bytes of the header: u16 in version 1, u32 later, little-endian
//! header = {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }    -- a Python literal
//! ```

pub mod header;

use crate::dtype::{DTYPES, Dtype};
use header::{Header, HeaderError};
use reduce_ir::axes;

/// The first bytes of every NumPy file.
pub const MAGIC: &[u8] = b"\x93NUMPY";

/// The type, position and shape of the elements.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The type of the elements.
    pub dtype: &'static Dtype,
    /// The byte of the file at which the first element starts. The last element ends the file.
    pub start: usize,
    /// The shape; `None` for elements without a header.
    pub shape: Option<Shape>,
}

/// The shape of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The length of each axis.
    pub lengths: Vec<u64>,
    /// Whether the first axis is the fastest.
    pub is_fortran: bool,
}

impl Shape {
    /// Returns whether the elements are in Fortran order, and more than one axis has several elements.
    pub fn differs_from_c(&self) -> bool {
        let long = self.lengths.iter().filter(|&&length| length > 1).count();
        self.is_fortran && long > 1 && !self.lengths.contains(&0)
    }

    /// Returns the lengths and the distance along each axis. `None` if there are too many elements.
    pub fn steps(&self) -> Option<axes::Shape> {
        if !self.is_fortran {
            return axes::Shape::row_major(&self.lengths);
        }
        let lengths: Vec<_> = self.lengths.iter().rev().copied().collect();
        let mut shape = axes::Shape::row_major(&lengths)?;
        shape.lengths.reverse();
        shape.steps.reverse();
        Some(shape)
    }
}

/// The reason why a file cannot be read as a NumPy array.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NpyError {
    #[error("this is not a NumPy file; write it with `np.save`, or say `--raw f32` for bare elements")]
    Magic,
    #[error(
        "NumPy format version {0}.{1} is unknown; save the array with `np.save`, which writes 1.0 to 3.0"
    )]
    Version(u8, u8),
    #[error(
        "the file is cut short: its header needs {needed} bytes, and the file has {found}; copy or save it again"
    )]
    Truncated { needed: usize, found: usize },
    #[error("the header is corrupt: {0}; save the array again with `np.save`")]
    Header(HeaderError),
    #[error("the array has structured elements; save one field of it, `a['name']`, to a file of its own")]
    Structured,
    #[error("the array holds Python objects; convert it to numbers, as with `.astype('<f8')`")]
    Objects,
    #[error("the array is big-endian (`{0}`); convert it with `.astype('<{code}')`", code = &.0[1..])]
    BigEndian(String),
    #[error("elements of type `{descr}` are not supported; {advice}")]
    Dtype { descr: String, advice: String },
    #[error("the header claims more elements than 2^64 bytes can hold; save the array again")]
    Overflow,
    #[error(
        "the file is cut short: its header claims {claimed} bytes of elements, and {found} follow; \
         copy or save it again"
    )]
    Short { claimed: u64, found: u64 },
    #[error("{0} bytes follow the array; save one array a file")]
    Trailing(u64),
}

/// Reads the header of a whole file, and checks that only its elements follow.
pub fn layout(file: &[u8]) -> Result<Layout, NpyError> {
    let (layout, claimed) = beginning(file)?;
    let found = (file.len() - layout.start) as u64;
    match found.cmp(&claimed) {
        std::cmp::Ordering::Less => Err(NpyError::Short { claimed, found }),
        std::cmp::Ordering::Equal => Ok(layout),
        std::cmp::Ordering::Greater => Err(NpyError::Trailing(found - claimed)),
    }
}

/// Reads the header at the beginning of a file. Returns also the number of bytes of the elements that follow.
pub fn beginning(file: &[u8]) -> Result<(Layout, u64), NpyError> {
    let (text, start) = header_text(file)?;
    let header = Header::parse(text)?;
    let dtype = dtype(header.descr)?;
    let Header { shape: lengths, fortran_order: is_fortran, .. } = header;
    let claimed = bytes(&lengths, dtype).ok_or(NpyError::Overflow)?;
    Ok((Layout { dtype, start, shape: Some(Shape { lengths, is_fortran }) }, claimed))
}

/// Returns the text of the header, and the position of its end.
fn header_text(file: &[u8]) -> Result<(&[u8], usize), NpyError> {
    let rest = file.strip_prefix(MAGIC).ok_or(NpyError::Magic)?;
    let truncated = |needed| NpyError::Truncated { needed, found: file.len() };
    let (start, length) = match rest {
        [1, 0, a, b, ..] => (10, u32::from(u16::from_le_bytes([*a, *b]))),
        [2 | 3, 0, a, b, c, d, ..] => (12, u32::from_le_bytes([*a, *b, *c, *d])),
        [] | [_] | [1..=3, 0, ..] => return Err(truncated(12)),
        [major, minor, ..] => return Err(NpyError::Version(*major, *minor)),
    };
    let end = start + length as usize;
    Ok((file.get(start..end).ok_or(truncated(end))?, end))
}

/// Returns the type of a NumPy type string. A type of one byte has no byte order, which NumPy writes as `|`.
fn dtype(descr: &str) -> Result<&'static Dtype, NpyError> {
    let (order, code) = descr.split_at_checked(1).unwrap_or(("", ""));
    match (order, Dtype::coded(code)) {
        ("<" | "=", Some(dtype)) => Ok(dtype),
        (">" | "|", Some(dtype)) if dtype.ty.size() == 1 => Ok(dtype),
        (">", Some(_)) => Err(NpyError::BigEndian(descr.to_owned())),
        // The byte order may be omitted.
        _ if code.starts_with('O') || descr.starts_with('O') => Err(NpyError::Objects),
        _ => Err(NpyError::Dtype { descr: shown(descr), advice: advice(order, code) }),
    }
}

/// Returns the part of an arbitrary string that a message may quote.
fn shown(descr: &str) -> String {
    descr.chars().take(32).flat_map(char::escape_debug).collect()
}

fn advice(order: &str, code: &str) -> String {
    // A view has the byte order of the array.
    let view = |to: &str| match order {
        ">" => format!("`a.view('>{to}').astype('<{to}')`"),
        _ => format!("`a.view('{to}')`"),
    };
    let complex = |parts: &str| {
        format!(
            "save {}, and reduce the real parts with `layout: strided` and `--step 2 --offset 0`, the imaginary parts \
             with `--offset 1`",
            view(parts)
        )
    };
    match code {
        // ml_dtypes and other packages write bf16 so.
        "V2" => "if they are bf16, for which NumPy has no code, write them with `a.tofile(path)` and say `--raw bf16`"
            .to_owned(),
        // NumPy counts bytes.
        "f12" | "f16" => "they are floats of more than 64 bits; convert them by `a.astype('<f8')`".to_owned(),
        "c8" => complex("f4"),
        "c16" => complex("f8"),
        "c24" | "c32" => "they are pairs of floats of more than 64 bits; convert them by `a.astype('<c16')`".to_owned(),
        _ if code.starts_with("M8") || code.starts_with("m8") => {
            format!("save {}, which counts units of time; NaT is the smallest i64", view("i8"))
        }
        _ => {
            let coded = DTYPES.iter().filter(|dtype| dtype.code.is_some()).map(|dtype| dtype.ty.name());
            format!("convert them to one of {}", coded.collect::<Vec<_>>().join(", "))
        }
    }
}

/// Returns the size of an array of that shape in bytes. An extent of 0 gives no elements, an empty shape one
/// element.
fn bytes(shape: &[u64], dtype: &Dtype) -> Option<u64> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(dtype.ty.size() as u64, |bytes, &extent| bytes.checked_mul(extent))
}

impl From<HeaderError> for NpyError {
    fn from(error: HeaderError) -> NpyError {
        match error {
            HeaderError::Structured => NpyError::Structured,
            HeaderError::Expected { .. } | HeaderError::Key { .. } | HeaderError::Missing(_) => {
                NpyError::Header(error)
            }
        }
    }
}
