//! Damaged files: cut short anywhere, and with changed bytes. Each is read, or has an error that names the file.

use crate::archives::{archive, floats, npy};
use crate::folder::Folder;
use crate::tensors;
use crate::writer::{cells, file, plain};
use parquet::basic::{Compression, Encoding};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, FixedLenByteArrayType, Int32Type, Int64Type};
use parquet::file::properties::WriterVersion;
use reduce_files::{DataFile, FileError};
use safetensors::Dtype;
use std::path::Path;
use zip::CompressionMethod;

/// Bytes that headers of sizes, numbers and kinds react to.
const MASKS: [u8; 4] = [0x01, 0x10, 0x80, 0xff];

/// Reads all columns, with a limit that a small file does not need.
fn read_all(path: &Path) -> Result<usize, FileError> {
    let mut file = DataFile::open(path)?.with_limit(1 << 20);
    let names = file.names();
    names.iter().try_fold(0, |sum, name| Ok(sum + file.column(name)?.values.len()))
}

/// Reads a file that may be damaged.
fn read_damaged(folder: &Folder, name: &str, bytes: &[u8]) -> bool {
    let path = folder.file(name, bytes);
    match read_all(&path) {
        Ok(_) => true,
        Err(error) => {
            let text = error.to_string();
            let prefix = format!("{}: ", path.display());
            assert!(text.starts_with(&prefix) && text.len() > prefix.len() + 10, "{text}");
            false
        }
    }
}

/// Cuts and changes a file in every way that the test knows.
fn damage(name: &str, bytes: &[u8]) {
    let folder = Folder::new();
    assert!(read_damaged(&folder, name, bytes), "{name} is read as it is");
    for cut in 0..50 {
        assert!(!read_damaged(&folder, name, &bytes[..bytes.len() * cut / 50]), "{name} is cut at {cut}/50");
    }
    let (is_full, mut errors) = (std::env::var_os("REDUCEGEN_FULL").is_some(), 0);
    for at in 0..bytes.len() {
        // One change of each byte takes seconds, and each change of each byte a minute.
        let masks = if is_full { &MASKS[..] } else { &MASKS[at % 4..][..1] };
        for mask in masks {
            let mut changed = bytes.to_vec();
            changed[at] ^= mask;
            errors += usize::from(!read_damaged(&folder, name, &changed));
        }
    }
    assert!(errors > bytes.len() / 20, "{errors} changes of {name} are noticed");
}

fn parquet(codec: Compression, encoding: Option<Encoding>, version: WriterVersion) -> Vec<u8> {
    let schema = "OPTIONAL DOUBLE a; REQUIRED INT32 b (UINT_16); OPTIONAL INT64 c; \
                  OPTIONAL FIXED_LEN_BYTE_ARRAY (9) d (DECIMAL(20, 2)); REQUIRED BYTE_ARRAY e (DECIMAL(20, 2));";
    let floats: Vec<_> = (0..90).map(|at| (at % 4 > 0).then_some(f64::from(at % 9))).collect();
    let keys: Vec<_> = (0..90).map(|at| Some(at % 3)).collect();
    let counts: Vec<_> = (0..90).map(|at| (at % 5 > 0).then_some(1i64 << (at % 40))).collect();
    let wide: Vec<_> = (0..90).map(|at| Some(ByteArray::from(vec![at as u8 % 5; 9]).into())).collect();
    let bytes: Vec<_> = (0..90).map(|at| Some(ByteArray::from(vec![at as u8 % 5; 1 + at % 9]))).collect();
    let mut properties = plain().set_compression(codec).set_writer_version(version);
    if let Some(encoding) = encoding {
        let numbers = ["b", "c"].map(|name| name.into());
        properties =
            numbers.into_iter().fold(properties.set_dictionary_enabled(false), |properties, name| {
                properties.set_column_encoding(name, encoding)
            });
    }
    let group = || {
        vec![
            cells::<DoubleType>(&floats),
            cells::<Int32Type>(&keys),
            cells::<Int64Type>(&counts),
            cells::<FixedLenByteArrayType>(&wide),
            cells::<ByteArrayType>(&bytes),
        ]
    };
    file(schema, properties, &[group(), group()])
}

#[test]
fn damaged_parquet_with_dictionaries() {
    damage("x.parquet", &parquet(Compression::SNAPPY, None, WriterVersion::PARQUET_1_0));
}

#[test]
fn damaged_parquet_of_the_second_version() {
    let encoding = Some(Encoding::DELTA_BINARY_PACKED);
    damage(
        "x.parquet",
        &parquet(Compression::ZSTD(Default::default()), encoding, WriterVersion::PARQUET_2_0),
    );
}

#[test]
fn damaged_parquet_without_compression() {
    damage(
        "x.parquet",
        &parquet(Compression::UNCOMPRESSED, Some(Encoding::PLAIN), WriterVersion::PARQUET_1_0),
    );
}

#[test]
fn damaged_parquet_with_split_bytes() {
    let encoding = Some(Encoding::BYTE_STREAM_SPLIT);
    damage(
        "x.parquet",
        &parquet(Compression::GZIP(Default::default()), encoding, WriterVersion::PARQUET_2_0),
    );
}

#[test]
fn damaged_safetensors() {
    let numbers = floats(20);
    let tensors = [("a", Dtype::F32, &[4, 5][..], &numbers[..]), ("b", Dtype::U8, &[3], &[1, 2, 3])];
    damage("x.safetensors", &tensors::file(&tensors));
}

#[test]
fn damaged_archives() {
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (20,), }";
    let files = [("a.npy", npy(header, &floats(20))), ("b.npy", npy(header, &[1; 80]))];
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        damage("x.npz", &archive(&files, method));
    }
}
