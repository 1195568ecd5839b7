//! Writes Parquet files: columns of any type, with gaps, in row groups of any size.

use parquet::basic::Compression;
use parquet::column::writer::ColumnWriterImpl;
use parquet::data_type::DataType;
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::sync::Arc;

/// The contents of a column of a row group.
pub(crate) type Write<'a> = Box<dyn Fn(&mut parquet::column::writer::ColumnWriter<'_>) + 'a>;

/// Returns the properties of files without compression.
pub(crate) fn plain() -> WriterPropertiesBuilder {
    WriterProperties::builder().set_compression(Compression::UNCOMPRESSED)
}

/// Returns the contents of a required or optional column: `None` is null.
pub(crate) fn cells<'a, T: DataType>(cells: &'a [Option<T::T>]) -> Write<'a> {
    Box::new(move |writer| {
        let levels: Vec<_> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
        let values: Vec<_> = cells.iter().flatten().cloned().collect();
        let writer: &mut ColumnWriterImpl<'_, T> = T::get_column_writer_mut(writer).unwrap();
        writer.write_batch(&values, Some(&levels), None).unwrap();
    })
}

/// Returns a file with row groups of those columns.
pub(crate) fn file(schema: &str, properties: WriterPropertiesBuilder, groups: &[Vec<Write<'_>>]) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(&format!("message m {{ {schema} }}")).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties.build())).unwrap();
    for columns in groups {
        let mut group = writer.next_row_group().unwrap();
        for write in columns {
            let mut column = group.next_column().unwrap().unwrap();
            write(column.untyped());
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}
