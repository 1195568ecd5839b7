//! How the format of a file becomes known.

use crate::folder::Folder;
use reduce_files::{DataFile, Format, Reason};

#[test]
fn the_content_comes_before_the_name() {
    let folder = Folder::new();
    let format = |name: &str, bytes: &[u8]| Format::of(&folder.file(name, bytes)).unwrap();
    assert_eq!(format("x", b"PAR1 and more"), Some(Format::Parquet));
    assert_eq!(format("x.csv", b"PAR1 and more"), Some(Format::Parquet));
    assert_eq!(format("x", b"PK\x03\x04 and more"), Some(Format::Npz));
    assert_eq!(format("x", b"\x10\x00\x00\x00\x00\x00\x00\x00{}"), Some(Format::Safetensors));
    assert_eq!(format("X.CSV", b"a,b"), Some(Format::Csv));
    assert_eq!(format("x.tsv", b""), Some(Format::Csv));
    assert_eq!(format("x.npy", b"\x93NUMPY"), None);
    assert_eq!(format("x", b""), None);
}

#[test]
fn what_is_no_data_file_is_an_error() {
    let folder = Folder::new();
    let reason = |name: &str, bytes: &[u8]| DataFile::open(folder.file(name, bytes)).unwrap_err().reason;
    assert!(matches!(reason("x.txt", b"text"), Reason::Format));
    for name in ["x.parquet", "x.npz", "x.safetensors"] {
        for bytes in [&b""[..], b"text", b"PAR1", &[0; 100]] {
            assert!(
                matches!(reason(name, bytes), Reason::Damaged { .. }),
                "{name}: {:?}",
                reason(name, bytes)
            );
        }
    }
    let path = folder.file("x.parquet", b"");
    assert!(matches!(DataFile::open(path.parent().unwrap()).unwrap_err().reason, Reason::Directory));
    let missing = DataFile::open(path.with_file_name("no.parquet")).unwrap_err();
    assert!(missing.reason.is_usage_error() && missing.to_string().contains("no.parquet: "), "{missing}");
}
