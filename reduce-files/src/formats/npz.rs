//! NumPy archives: arrays by name.

use super::column::Column;
use super::elements::{self, of_read};
use super::error::{Reason, check_size};
use crate::npy::{self, Layout};
use std::fs::File;
use std::io::{self, Read};
use zip::ZipArchive;
use zip::result::ZipError;

/// The end of the names of arrays.
const ARRAY: &str = ".npy";

/// The bytes that contain every header of any use.
const BEGINNING: u64 = 1 << 20;

/// An open archive.
#[derive(Debug)]
pub(super) struct Npz {
    archive: ZipArchive<File>,
    names: Vec<String>,
}

impl Npz {
    pub(super) fn open(file: File) -> Result<Npz, Reason> {
        let place = "the directory at the end of the archive";
        let archive = ZipArchive::new(file).map_err(|error| reason(place, error))?;
        let array = |name: &[u8]| str::from_utf8(name).ok()?.strip_suffix(ARRAY).map(str::to_owned);
        let names = archive.file_names_raw().filter_map(array).collect();
        Ok(Npz { archive, names })
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    pub(super) fn column(&mut self, name: &str, limit: u64) -> Result<Column, Reason> {
        if !self.names.iter().any(|other| other == name) {
            return Err(Reason::Name { name: name.to_owned(), names: self.names() });
        }
        let place = format!("the array `{name}`");
        let file = self.archive.by_name(&format!("{name}{ARRAY}"));
        array(name, &place, file.map_err(|error| reason(&place, error))?, limit)
    }
}

/// Reads an array from its file in the archive.
fn array(name: &str, place: &str, mut file: impl Read, limit: u64) -> Result<Column, Reason> {
    let mut beginning = Vec::new();
    file.by_ref().take(BEGINNING).read_to_end(&mut beginning).map_err(|error| of_read(place, error))?;
    let npy = |error| Reason::Npy { name: name.to_owned(), error };
    let (Layout { dtype, start, shape }, bytes) = npy::beginning(&beginning).map_err(npy)?;
    let values = bytes / dtype.ty.size() as u64;
    check_size(name, values, dtype.ty, limit)?;
    let mut elements = beginning[start..].chain(file);
    let values = elements::read(&mut elements, place, dtype.ty, values)?;
    // The end of the file in the archive has its checksum.
    let rest = io::copy(&mut elements, &mut io::sink()).map_err(|error| of_read(place, error))?;
    if rest > 0 {
        return Err(Reason::damaged(place, format!("{rest} bytes follow its elements")));
    }
    let (shape, is_fortran) =
        shape.map_or((vec![values.len() as u64], false), |it| (it.lengths, it.is_fortran));
    Ok(Column { values, present: None, shape, is_fortran })
}

fn reason(place: &str, error: ZipError) -> Reason {
    let cause = error.to_string();
    if let ZipError::Io(error) = error {
        return of_read(place, error);
    }
    if matches!(error, ZipError::UnsupportedArchive(_) | ZipError::CompressionMethodNotSupported(_)) {
        let advice = "write the archive with `np.savez` or `np.savez_compressed`";
        return Reason::Unsupported { place: place.to_owned(), cause, advice };
    }
    Reason::damaged(place, cause)
}
