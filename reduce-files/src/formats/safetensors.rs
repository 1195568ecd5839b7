//! safetensors: tensors by name.

use super::column::Column;
use super::elements::{self, of_read};
use super::error::{Reason, check_size};
use reduce_ir::Scalar;
use safetensors::Dtype;
use safetensors::tensor::{Metadata, TensorInfo};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// The bytes of the length of the header.
const LENGTH: u64 = 8;

/// The maximum bytes of a header, as the crate `safetensors` has it.
const LONGEST: u64 = 100_000_000;

const HEADER: &str = "the header";

/// An open file of tensors.
#[derive(Debug)]
pub(super) struct Safetensors {
    file: File,
    metadata: Metadata,
    /// The first byte of the tensors.
    start: u64,
}

impl Safetensors {
    pub(super) fn open(mut file: File) -> Result<Safetensors, Reason> {
        let bytes = file.metadata()?.len();
        let mut length = [0; LENGTH as usize];
        file.read_exact(&mut length).map_err(|error| of_read(HEADER, error))?;
        let length = u64::from_le_bytes(length);
        let start =
            Some(length).filter(|length| *length <= LONGEST.min(bytes - LENGTH)).map(|it| it + LENGTH);
        let Some(start) = start else {
            return Err(Reason::damaged(
                HEADER,
                format!("its length of {length} bytes is more than there are"),
            ));
        };
        let mut header = Vec::new();
        (&file).take(length).read_to_end(&mut header)?;
        // The crate checks that the tensors have the lengths of their shapes, and follow each other.
        let metadata: Metadata =
            serde_json::from_slice(&header).map_err(|error| Reason::damaged(HEADER, error))?;
        let (needed, found) = (metadata.data_len() as u64, bytes - start);
        if needed != found {
            return Err(Reason::damaged(
                "the file",
                format!("its tensors have {needed} bytes, and it has {found}"),
            ));
        }
        Ok(Safetensors { file, metadata, start })
    }

    /// Returns the names in the order of the data.
    pub(super) fn names(&self) -> Vec<String> {
        self.metadata.offset_keys()
    }

    pub(super) fn column(&mut self, name: &str, limit: u64) -> Result<Column, Reason> {
        let Some(tensor) = self.metadata.info(name) else {
            return Err(Reason::Name { name: name.to_owned(), names: self.names() });
        };
        let ty = scalar(name, tensor)?;
        let (first, end) = tensor.data_offsets;
        let count = ((end - first) / ty.size()) as u64;
        check_size(name, count, ty, limit)?;
        self.file.seek(SeekFrom::Start(self.start + first as u64))?;
        let values = elements::read(&self.file, &format!("the tensor `{name}`"), ty, count)?;
        let shape = tensor.shape.iter().map(|&length| length as u64).collect();
        Ok(Column { values, present: None, shape, is_fortran: false })
    }
}

/// The types that reducegen has, too. It lacks floats of 4 to 8 bits and complex numbers.
const TYPES: [(Dtype, Scalar); 13] = [
    (Dtype::BOOL, Scalar::Bool),
    (Dtype::F16, Scalar::F16),
    (Dtype::BF16, Scalar::Bf16),
    (Dtype::F32, Scalar::F32),
    (Dtype::F64, Scalar::F64),
    (Dtype::I8, Scalar::I8),
    (Dtype::I16, Scalar::I16),
    (Dtype::I32, Scalar::I32),
    (Dtype::I64, Scalar::I64),
    (Dtype::U8, Scalar::U8),
    (Dtype::U16, Scalar::U16),
    (Dtype::U32, Scalar::U32),
    (Dtype::U64, Scalar::U64),
];

fn scalar(name: &str, tensor: &TensorInfo) -> Result<Scalar, Reason> {
    let row = TYPES.iter().find(|(dtype, _)| *dtype == tensor.dtype);
    row.map(|(_, ty)| *ty).ok_or_else(|| {
        let (column, ty) = (name.to_owned(), tensor.dtype.to_string());
        Reason::Type { column, ty, advice: "convert the tensor to F16, BF16 or F32" }
    })
}
