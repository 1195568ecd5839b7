//! Row groups, nulls, dictionaries, codecs and pages of Parquet files.

use crate::folder::Folder;
use crate::writer::{cells, file, plain};
use parquet::basic::{Compression, Encoding};
use parquet::data_type::{DoubleType, Int32Type, Int64Type};
use parquet::file::properties::WriterVersion;
use reduce_files::{DataFile, Format, Reason};

const SCHEMA: &str = "OPTIONAL DOUBLE distance; REQUIRED INT32 passengers (INTEGER(8, false));";

/// Returns numbers with gaps.
fn distances(first: usize, len: usize) -> Vec<Option<f64>> {
    (first..first + len).map(|at| (at % 7 != 3).then_some(at as f64 / 8.0)).collect()
}

fn passengers(first: usize, len: usize) -> Vec<Option<i32>> {
    (first..first + len).map(|at| Some((at % 5) as i32)).collect()
}

#[test]
fn row_groups_follow_each_other_and_nulls_keep_their_positions() {
    let (folder, groups) =
        (Folder::new(), [0..100_000, 100_000..100_001, 100_001..100_001, 100_001..150_000]);
    let parts: Vec<_> = groups
        .map(|group| (distances(group.start, group.len()), passengers(group.start, group.len())))
        .into();
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        for is_coded in [false, true] {
            let properties = plain().set_writer_version(version).set_dictionary_enabled(is_coded);
            let groups: Vec<_> = parts
                .iter()
                .map(|(distances, passengers)| {
                    vec![cells::<DoubleType>(distances), cells::<Int32Type>(passengers)]
                })
                .collect();
            let bytes = file(SCHEMA, properties, &groups);
            let path = folder.file("trips.parquet", &bytes);
            let mut trips = DataFile::open(&path).unwrap();
            assert_eq!(
                (trips.format(), trips.names()),
                (Format::Parquet, vec!["distance".to_owned(), "passengers".to_owned()])
            );

            let column = trips.column("distance").unwrap();
            let expected = distances(0, 150_000);
            let values: Vec<_> = expected.iter().map(|value| value.unwrap_or_default()).collect();
            assert_eq!(column.of::<f64>(), Some(&values[..]));
            assert_eq!(column.present, Some(expected.iter().map(Option::is_some).collect()));
            assert_eq!(column.shape, [150_000]);

            let column = trips.column("passengers").unwrap();
            let values: Vec<_> = (0..150_000usize).map(|at| (at % 5) as u8).collect();
            assert_eq!((column.of::<u8>(), &column.present), (Some(&values[..]), &None));
            assert_eq!(column.mask(), vec![true; 150_000]);
        }
    }
}

#[test]
fn every_codec_and_encoding_gives_the_values() {
    let (folder, numbers) = (Folder::new(), (0..5000i64).map(|at| Some(at * at % 1013)).collect::<Vec<_>>());
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        Compression::ZSTD(Default::default()),
        Compression::LZ4_RAW,
    ];
    let encodings = [Encoding::PLAIN, Encoding::DELTA_BINARY_PACKED, Encoding::BYTE_STREAM_SPLIT];
    let expected: Vec<_> = numbers.iter().flatten().copied().collect();
    for codec in codecs {
        for encoding in encodings {
            let properties =
                plain().set_compression(codec).set_dictionary_enabled(false).set_encoding(encoding);
            let bytes = file("REQUIRED INT64 x;", properties, &[vec![cells::<Int64Type>(&numbers)]]);
            let column = folder.column("x.parquet", &bytes, "x").unwrap();
            assert_eq!(column.of::<i64>(), Some(&expected[..]), "{codec} {encoding}");
        }
    }
}

#[test]
fn a_file_without_rows_has_columns_without_values() {
    let folder = Folder::new();
    for groups in [vec![], vec![vec![cells::<Int64Type>(&[])]]] {
        let column =
            folder.column("none.parquet", &file("OPTIONAL INT64 x;", plain(), &groups), "x").unwrap();
        assert_eq!((column.of::<i64>(), &column.present), (Some(&[][..]), &None));
    }
    let nulls = file("OPTIONAL INT64 x;", plain(), &[vec![cells::<Int64Type>(&[None, None])]]);
    let column = folder.column("nulls.parquet", &nulls, "x").unwrap();
    assert_eq!((column.of::<i64>(), &column.present), (Some(&[0, 0][..]), &Some(vec![false; 2])));
}

#[test]
fn a_name_that_is_not_there_has_an_error_with_those_that_are() {
    let (folder, group) = (Folder::new(), (distances(0, 3), passengers(0, 3)));
    let bytes = file(SCHEMA, plain(), &[vec![cells::<DoubleType>(&group.0), cells::<Int32Type>(&group.1)]]);
    let error = folder.error("trips.parquet", &bytes, "Distanc");
    assert_eq!(
        error,
        "it has no column `Distanc` (did you mean `distance`?); it has `distance`, `passengers`"
    );
    let error = folder.error("trips.parquet", &bytes, "tip");
    assert_eq!(error, "it has no column `tip`; it has `distance`, `passengers`");
}

#[test]
fn a_column_beyond_the_limit_is_refused_before_it_is_read() {
    let (folder, numbers) = (Folder::new(), vec![Some(1i64); 1000]);
    let bytes = file("REQUIRED INT64 x;", plain(), &[vec![cells::<Int64Type>(&numbers)]]);
    let path = folder.file("x.parquet", &bytes);
    let open = |limit| DataFile::open(&path).unwrap().with_limit(limit).column("x");
    assert_eq!(open(8000).unwrap().values.len(), 1000);
    let error = open(7999).unwrap_err();
    assert!(matches!(error.reason, Reason::Large { bytes: 8000, limit: 7999, .. }));
    let expected = format!(
        "{}: 1000 values of i64 in `x` need 8000 bytes of memory, and the limit is 7999; raise it",
        path.display()
    );
    assert_eq!(error.to_string(), expected);
}

#[test]
fn codecs_without_a_bound_are_refused() {
    let (folder, numbers) = (Folder::new(), vec![Some(1i64); 1000]);
    // The number of the codec in the metadata: 6 becomes 3, LZO, which no writer here has.
    let bytes = file("REQUIRED INT64 x;", plain(), &[vec![cells::<Int64Type>(&numbers)]]);
    let codec = bytes.windows(3).rposition(|it| it == [0x15, 0, 0x16]).unwrap() + 1;
    let with = |number: u8| {
        let mut changed = bytes.clone();
        changed[codec] = 2 * number;
        folder.error("x.parquet", &changed, "x")
    };
    assert_eq!(
        with(3),
        "row group 0 of column `x` cannot be read: it is compressed by LZO; write it with snappy, zstd, gzip or lz4_raw"
    );
    assert!(with(5).contains("it is compressed by LZ4;"), "{}", with(5));
    assert!(with(1).contains("is damaged"), "{}", with(1));
}
