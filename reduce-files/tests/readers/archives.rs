//! NumPy archives.

use crate::folder::Folder;
use reduce_files::{DataFile, Format, Reason};
use reduce_lanes::Lanes;
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Returns a file of an array.
pub(crate) fn npy(header: &str, elements: &[u8]) -> Vec<u8> {
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), elements].concat()
}

/// Returns an archive of files.
pub(crate) fn archive(files: &[(&str, Vec<u8>)], method: CompressionMethod) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    // As NumPy writes it.
    let options = SimpleFileOptions::default().compression_method(method).large_file(true);
    for (name, bytes) in files {
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

pub(crate) fn floats(count: usize) -> Vec<u8> {
    (0..count).flat_map(|at| (at as f32 / 4.0).to_le_bytes()).collect()
}

pub(crate) const MATRIX: &str = "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 100000), }\n";

#[test]
fn arrays_have_their_types_shapes_and_orders() {
    let folder = Folder::new();
    let files = [
        ("matrix.npy", npy(MATRIX, &floats(300_000))),
        ("n.npy", npy("{'descr': '<i8', 'fortran_order': False, 'shape': (), }", &7i64.to_le_bytes())),
        ("notes.txt", b"text".to_vec()),
    ];
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        let bytes = archive(&files, method);
        let path = folder.file("arrays.npz", &bytes);
        let mut file = DataFile::open(&path).unwrap();
        assert_eq!((file.format(), file.names()), (Format::Npz, vec!["matrix".to_owned(), "n".to_owned()]));
        let matrix = file.column("matrix").unwrap();
        assert_eq!(matrix.values, Lanes::from((0..300_000).map(|at| at as f32 / 4.0).collect::<Vec<_>>()));
        assert_eq!((matrix.shape, matrix.is_fortran), (vec![3, 100_000], true));
        let n = file.column("n").unwrap();
        assert_eq!((n.values, n.shape), (Lanes::from(vec![7i64]), vec![]));
    }
}

#[test]
fn arrays_that_are_not_what_they_say_are_errors() {
    let folder = Folder::new();
    let error = |header: &str, elements: &[u8]| {
        let bytes = archive(&[("a.npy", npy(header, elements))], CompressionMethod::Deflated);
        folder.error("x.npz", &bytes, "a")
    };
    let text = error("{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", &[0; 24]);
    assert_eq!(
        text,
        "the array `a`: the array holds Python objects; convert it to numbers, as with `.astype('<f8')`"
    );
    let short = error("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", &[0; 8]);
    assert!(short.starts_with("the array `a` is damaged: "), "{short}");
    let long = error("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", &[0; 16]);
    assert!(long.contains("4 bytes follow its elements"), "{long}");
    let none = archive(&[], CompressionMethod::Stored);
    assert_eq!(folder.error("x.npz", &none, "a"), "it has no column `a`; it has no columns");
}

/// A small archive may claim, or hold, an array of any size.
#[test]
fn no_array_is_larger_than_the_limit() {
    let folder = Folder::new();
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,), }";
    let bytes = archive(&[("a.npy", npy(header, &floats(10)))], CompressionMethod::Deflated);
    let result = folder.column("x.npz", &bytes, "a").unwrap_err();
    assert!(matches!(result.reason, Reason::Large { values: 1_000_000_000_000, .. }), "{result}");
    let bytes = archive(&[("a.npy", npy(MATRIX, &vec![0; 1_200_000]))], CompressionMethod::Deflated);
    assert!(bytes.len() < 10_000, "{} bytes", bytes.len());
    let read = |limit| DataFile::open(folder.file("x.npz", &bytes)).unwrap().with_limit(limit).column("a");
    assert_eq!(read(1_200_000).unwrap().values.len(), 300_000);
    assert!(matches!(read(1_199_999).unwrap_err().reason, Reason::Large { bytes: 1_200_000, .. }));
}
