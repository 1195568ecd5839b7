//! The types of Parquet columns, and those that reducegen lacks.

use crate::folder::Folder;
use crate::writer::{cells, file, plain};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray, FixedLenByteArrayType,
    FloatType, Int32Type, Int64Type, Int96, Int96Type,
};
use reduce_files::{Column, DataFile};
use reduce_ir::f16;
use reduce_lanes::Lanes;

fn read<T: DataType>(schema: &str, values: &[T::T]) -> Column {
    let values: Vec<_> = values.iter().cloned().map(Some).collect();
    let bytes = file(&format!("REQUIRED {schema};"), plain(), &[vec![cells::<T>(&values)]]);
    Folder::new().column("x.parquet", &bytes, "x").unwrap()
}

fn refused<T: DataType>(schema: &str, values: &[T::T]) -> String {
    let values: Vec<_> = values.iter().cloned().map(Some).collect();
    let bytes = file(&format!("REQUIRED {schema};"), plain(), &[vec![cells::<T>(&values)]]);
    Folder::new().error("x.parquet", &bytes, "x")
}

fn bytes(values: &[&[u8]]) -> Vec<FixedLenByteArray> {
    values.iter().map(|value| ByteArray::from(value.to_vec()).into()).collect()
}

#[test]
fn numbers_have_their_types() {
    assert_eq!(read::<BoolType>("BOOLEAN x", &[true, false]).values, Lanes::from(vec![true, false]));
    assert_eq!(read::<FloatType>("FLOAT x", &[1.5, f32::NAN]).of::<f32>().unwrap()[0], 1.5);
    assert_eq!(read::<DoubleType>("DOUBLE x", &[-0.0]).of::<f64>().unwrap()[0].to_bits(), 1 << 63);
    let half = bytes(&[&f16::from_f32(-2.5).to_le_bytes()]);
    let column = read::<FixedLenByteArrayType>("FIXED_LEN_BYTE_ARRAY (2) x (FLOAT16)", &half);
    assert_eq!(column.values, Lanes::from(vec![f16::from_f32(-2.5)]));
    let ints = [-1, 127];
    assert_eq!(read::<Int32Type>("INT32 x", &ints).values, Lanes::from(vec![-1i32, 127]));
    assert_eq!(read::<Int32Type>("INT32 x (INTEGER(8, true))", &ints).values, Lanes::from(vec![-1i8, 127]));
    assert_eq!(read::<Int32Type>("INT32 x (INTEGER(16, true))", &ints).values, Lanes::from(vec![-1i16, 127]));
    assert_eq!(read::<Int32Type>("INT32 x (UINT_8)", &[255]).values, Lanes::from(vec![255u8]));
    assert_eq!(read::<Int32Type>("INT32 x (UINT_16)", &[65535]).values, Lanes::from(vec![65535u16]));
    assert_eq!(
        read::<Int32Type>("INT32 x (INTEGER(32, false))", &ints).values,
        Lanes::from(vec![u32::MAX, 127])
    );
    assert_eq!(read::<Int64Type>("INT64 x", &[i64::MIN]).values, Lanes::from(vec![i64::MIN]));
    assert_eq!(read::<Int64Type>("INT64 x (UINT_64)", &[-1]).values, Lanes::from(vec![u64::MAX]));
}

#[test]
fn dates_and_times_are_their_integers() {
    assert_eq!(read::<Int32Type>("INT32 x (DATE)", &[-7]).values, Lanes::from(vec![-7i32]));
    assert_eq!(read::<Int32Type>("INT32 x (TIME(MILLIS, true))", &[5]).values, Lanes::from(vec![5i32]));
    for schema in ["INT64 x (TIMESTAMP(MICROS, true))", "INT64 x (TIME(NANOS, false))"] {
        assert_eq!(read::<Int64Type>(schema, &[1 << 50]).values, Lanes::from(vec![1i64 << 50]));
    }
}

#[test]
fn decimals_are_the_nearest_floats_or_integers() {
    assert_eq!(read::<Int32Type>("INT32 x (DECIMAL(9, 2))", &[-12345]).values, Lanes::from(vec![-123.45]));
    assert_eq!(
        read::<Int64Type>("INT64 x (DECIMAL(15, 2))", &[9_007_199_254_740_993]).values,
        Lanes::from(vec![90_071_992_547_409.93])
    );
    assert_eq!(
        read::<Int64Type>("INT64 x (DECIMAL(18, 0))", &[i64::MAX]).values,
        Lanes::from(vec![i64::MAX])
    );
    // More digits than a float has: the parser of Rust knows the nearest one.
    let long = 170_141_183_460_469_231_731_687_303_715_884_105_727i128;
    let values = bytes(&[&long.to_be_bytes(), &(-long).to_be_bytes()]);
    let column = read::<FixedLenByteArrayType>("FIXED_LEN_BYTE_ARRAY (16) x (DECIMAL(38, 10))", &values);
    let nearest: f64 = "17014118346046923173168730371.5884105727".parse().unwrap();
    assert_eq!(column.values, Lanes::from(vec![nearest, -nearest]));
    let short = [ByteArray::from(vec![0xff, 0x38]), ByteArray::from(vec![0x7f])];
    assert_eq!(
        read::<ByteArrayType>("BYTE_ARRAY x (DECIMAL(30, 1))", &short).values,
        Lanes::from(vec![-20.0, 12.7])
    );
}

#[test]
fn types_that_reducegen_lacks_have_an_error_with_a_way_out() {
    let text = [ByteArray::from("a")];
    assert_eq!(
        refused::<ByteArrayType>("BYTE_ARRAY x (STRING)", &text),
        "the column `x` holds strings or bytes; name a column of numbers; strings are keys, of `--by` and of `labels`"
    );
    assert!(refused::<Int96Type>("INT96 x", &[Int96::new()]).contains("timestamps of 96 bits"));
    let wide = bytes(&[&[1; 20]]);
    let schema = "FIXED_LEN_BYTE_ARRAY (20) x (DECIMAL(40, 2))";
    assert!(refused::<FixedLenByteArrayType>(schema, &wide).contains("decimals of more than 38 digits"));
    let too_long = [ByteArray::from(vec![1; 17])];
    let error = refused::<ByteArrayType>("BYTE_ARRAY x (DECIMAL(30, 1))", &too_long);
    assert_eq!(
        error,
        "row group 0 of column `x` is damaged: a value does not fit the type of the column; get the file again, or write it again"
    );
    assert!(refused::<Int32Type>("INT32 x (UINT_8)", &[256]).contains("does not fit the type"));
}

#[test]
fn strings_are_labels_in_ascending_order() {
    let folder = Folder::new();
    let labels = |schema: &str, groups: &[&[Option<ByteArray>]], limit| {
        let groups: Vec<_> = groups.iter().map(|group| vec![cells::<ByteArrayType>(group)]).collect();
        let path = folder.file("x.parquet", &file(&format!("{schema};"), plain(), &groups));
        let labels = DataFile::open(path).unwrap().with_limit(limit).labels("x");
        labels.map_err(|error| error.reason.to_string())
    };
    let text = |text: &str| Some(ByteArray::from(text));
    let schema = "OPTIONAL BYTE_ARRAY x (STRING)";
    let groups = [&[text("ö"), None, text("a"), text("a")][..], &[text(""), text("ö")]];
    let found = labels(schema, &groups, 1 << 20).unwrap();
    assert_eq!(found.names, ["", "a", "ö"]);
    assert_eq!(found.numbers, [2, 0, 1, 1, 0, 2]);
    assert_eq!(found.present, Some(vec![true, false, true, true, true, true]));

    let error = labels(schema, &groups, 23).unwrap_err();
    assert!(error.starts_with("6 values of u32 in `x` need 24 bytes"), "{error}");
    let long = ["x", "y"].map(|it| [text(&it.repeat(30))]);
    let error = labels(schema, &[&long[0], &long[1]], 59).unwrap_err();
    assert!(error.starts_with("60 values of u8 in `x` need 60 bytes"), "{error}");
    let wrong = [Some(ByteArray::from(vec![0xff]))];
    let error = labels("REQUIRED BYTE_ARRAY x (STRING)", &[&wrong], 1 << 20).unwrap_err();
    assert!(error.contains("a value does not fit the type of the column"), "{error}");
    let error = labels("REQUIRED BYTE_ARRAY x", &[&wrong], 1 << 20).unwrap_err();
    assert!(error.starts_with("the column `x` holds no text"), "{error}");
}

#[test]
fn fields_of_structs_have_paths_and_lists_are_refused() {
    let schema = "OPTIONAL GROUP a { OPTIONAL INT32 b; } REQUIRED GROUP l (LIST) { REPEATED GROUP list { REQUIRED INT32 element; } }";
    let struct_of = |level: i16, value: &'static [i32]| -> crate::writer::Write<'static> {
        Box::new(move |writer| {
            let writer = Int32Type::get_column_writer_mut(writer).unwrap();
            writer.write_batch(value, Some(&[level]), Some(&[0])).unwrap();
        })
    };
    let group = |level, value| vec![struct_of(level, value), struct_of(1, &[4])];
    let bytes = file(schema, plain(), &[group(2, &[7]), group(1, &[]), group(0, &[])]);
    let folder = Folder::new();
    let column = folder.column("x.parquet", &bytes, "a.b").unwrap();
    assert_eq!(
        (column.of::<i32>(), &column.present),
        (Some(&[7, 0, 0][..]), &Some(vec![true, false, false]))
    );
    let error = folder.error("x.parquet", &bytes, "l.list.element");
    assert!(error.starts_with("the column `l.list.element` holds lists; "), "{error}");
}
