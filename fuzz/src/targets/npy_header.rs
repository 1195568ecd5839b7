//! The bytes of a file → the layout of its elements, or the reason why it is not a NumPy file.

use super::Verdict;
use reduce_files::npy::{Layout, layout};

pub(super) const WORDS: &[&str] = &[
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }",
    "'descr'",
    "'fortran_order'",
    "'shape'",
    "'<f8'",
    "'|b1'",
    "'>u2'",
    "'|O'",
    "True",
    "False",
    "(",
    ")",
    ",",
    ":",
    "{",
    "}",
    "3L",
    "18446744073709551616",
    "0",
    "\\",
    "\"",
    "[",
    " ",
    "\n",
    "\0",
];

pub(super) fn test_one_input(bytes: &[u8]) -> Verdict {
    match layout(bytes) {
        Ok(layout) => elements(bytes, layout).map(|()| true),
        Err(error) if error.to_string().trim().is_empty() => Err("its message is empty".to_owned()),
        Err(_) => Ok(false),
    }
}

/// Checks that the elements end with the file, and that a plain header parses to the same elements.
fn elements(bytes: &[u8], Layout { dtype, start, .. }: Layout) -> Result<(), String> {
    let data = bytes.get(start..).ok_or("the elements start after the end of the file")?;
    let size = dtype.ty.size();
    if !data.len().is_multiple_of(size) {
        return Err(format!("{} bytes are not a whole number of {size}-byte elements", data.len()));
    }
    let code = dtype.code.ok_or("NumPy has no such elements")?;
    let header =
        format!("{{'descr': '<{code}', 'fortran_order': False, 'shape': ({},), }}\n", data.len() / size);
    let length = (header.len() as u16).to_le_bytes();
    let plain = [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat();
    match layout(&plain) {
        Ok(again) if again.dtype.ty == dtype.ty && plain[again.start..] == *data => Ok(()),
        other => Err(format!("with a plain header it is {other:?}")),
    }
}
