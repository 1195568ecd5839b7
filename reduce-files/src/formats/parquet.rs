//! Parquet: columns by name. Row groups are read one after the other.

mod guard;
mod kind;
mod values;

use crate::formats::column::Column;
use crate::formats::error::{Reason, check_size};
use crate::formats::labels::Labels;
use guard::{PageFile, Pages};
use kind::Kind;
use parquet::basic::Compression;
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataReader};
use parquet::schema::types::ColumnDescriptor;
use reduce_ir::Scalar;
use std::fs::File;
use std::sync::Arc;
use values::Values;

/// The values that are decoded at a time.
const BATCH: usize = 1 << 16;

/// An open Parquet file.
#[derive(Debug)]
pub(crate) struct Parquet {
    file: File,
    metadata: ParquetMetaData,
}

/// A column, as the metadata describes it.
#[derive(Clone, Copy)]
struct Source<'a> {
    name: &'a str,
    file: &'a File,
    metadata: &'a ParquetMetaData,
    /// The index among the columns.
    index: usize,
    limit: u64,
}

impl Parquet {
    pub(crate) fn open(file: File) -> Result<Parquet, Reason> {
        let metadata = ParquetMetaDataReader::new().parse_and_finish(&file);
        let metadata = metadata.map_err(|error| reason("the metadata at the end of the file", error))?;
        check_rows(&metadata)?;
        Ok(Parquet { file, metadata })
    }

    /// Returns the paths of all columns that hold values. The fields of a struct `a` are `a.b`.
    pub(crate) fn names(&self) -> Vec<String> {
        let columns = self.metadata.file_metadata().schema_descr().columns();
        columns.iter().map(|column| column.path().string()).collect()
    }

    pub(crate) fn column(&mut self, name: &str, limit: u64) -> Result<Column, Reason> {
        let source = self.source(name, limit)?;
        let kind = Kind::of(source.descriptor())?;
        check_size(name, source.rows(), kind.scalar(), limit)?;
        values::read(source, kind)
    }

    pub(crate) fn labels(&mut self, name: &str, limit: u64) -> Result<Labels, Reason> {
        let source = self.source(name, limit)?;
        kind::check_text(source.descriptor())?;
        check_size(name, source.rows(), Scalar::U32, limit)?;
        values::labels(source)
    }

    fn source<'a>(&'a self, name: &'a str, limit: u64) -> Result<Source<'a>, Reason> {
        let names = self.names();
        let Some(index) = names.iter().position(|other| other == name) else {
            return Err(Reason::Name { name: name.to_owned(), names });
        };
        Ok(Source { name, file: &self.file, metadata: &self.metadata, index, limit })
    }
}

/// Checks that the numbers of rows agree.
fn check_rows(metadata: &ParquetMetaData) -> Result<(), Reason> {
    let all = metadata.file_metadata().num_rows();
    let rows = metadata.row_groups().iter().map(|group| group.num_rows());
    let sum = rows.into_iter().try_fold(0i64, |sum, rows| sum.checked_add(rows).filter(|_| rows >= 0));
    if sum == Some(all) {
        return Ok(());
    }
    Err(Reason::damaged(
        "the metadata at the end of the file",
        "the rows of the groups are not those of the file",
    ))
}

impl Source<'_> {
    fn descriptor(&self) -> &ColumnDescriptor {
        self.metadata.file_metadata().schema_descr().columns()[self.index].as_ref()
    }

    fn rows(&self) -> u64 {
        self.metadata.file_metadata().num_rows() as u64
    }

    /// Reads all row groups, and converts each value.
    fn read<T: DataType, V: Copy + Default>(
        &self,
        convert: impl Fn(&T::T) -> Option<V>,
    ) -> Result<Values<V>, Reason> {
        let mut values = Values::default();
        for group in 0..self.metadata.num_row_groups() {
            let place = format!("row group {group} of column `{}`", self.name);
            let read = self.read_group::<T, V>(group, &mut values, &convert);
            read.map_err(|error| match error {
                Fault::Parquet(error) => reason(&place, error),
                Fault::Value => Reason::damaged(place, "a value does not fit the type of the column"),
                Fault::Codec(codec) => Reason::Unsupported {
                    place,
                    cause: format!("it is compressed by {codec}"),
                    advice: "write it with snappy, zstd, gzip or lz4_raw",
                },
            })?;
        }
        Ok(values)
    }

    fn read_group<T: DataType, V: Copy + Default>(
        &self,
        group: usize,
        values: &mut Values<V>,
        convert: &impl Fn(&T::T) -> Option<V>,
    ) -> Result<(), Fault> {
        let group = self.metadata.row_group(group);
        let rows = group.num_rows() as usize;
        let pages = self.pages(group.column(self.index), rows)?;
        let descriptor = group.column(self.index).column_descr_ptr();
        let max = descriptor.max_def_level();
        let mut reader = ColumnReaderImpl::<T>::new(descriptor, Box::new(pages));
        let (mut levels, mut batch, mut done) = (Vec::new(), Vec::new(), 0);
        while done < rows {
            levels.clear();
            batch.clear();
            let most = BATCH.min(rows - done);
            let (records, _, _) = reader.read_records(most, Some(&mut levels), None, &mut batch)?;
            if records == 0 {
                return Err(ParquetError::EOF(format!("it has {done} of {rows} rows")).into());
            }
            let levels = (max > 0).then(|| levels.iter().map(|&level| level == max));
            values.append(batch.iter().map(convert), levels)?;
            done += records;
        }
        Ok(())
    }

    /// Returns the checked pages of a column in a row group.
    fn pages(&self, column: &ColumnChunkMetaData, rows: usize) -> Result<Pages, Fault> {
        let codec = column.compression();
        let bounded = match codec {
            Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::ZSTD(_) => true,
            Compression::LZ4_RAW | Compression::GZIP(_) => true,
            // The deprecated LZ4 falls back to frames, whose size has no bound.
            Compression::LZ4 | Compression::LZO | Compression::BROTLI(_) => false,
        };
        if !bounded {
            return Err(Fault::Codec(format!("{codec}")));
        }
        let file = PageFile::of(self.file, column, self.limit)?;
        Ok(Pages::of(Arc::new(file), column, rows)?)
    }
}

/// The reason why a row group cannot be read.
enum Fault {
    Parquet(ParquetError),
    Codec(String),
    Value,
}

impl From<ParquetError> for Fault {
    fn from(error: ParquetError) -> Fault {
        Fault::Parquet(error)
    }
}

/// Returns the reason of an error at a place.
fn reason(place: &str, error: ParquetError) -> Reason {
    let io = |error: &(dyn std::error::Error + 'static)| {
        error
            .downcast_ref::<std::io::Error>()
            .filter(|error| error.raw_os_error().is_some())
            .map(|error| error.kind())
    };
    if let ParquetError::External(inner) = &error
        && let Some(kind) = io(inner.as_ref())
    {
        return Reason::Io(kind.into());
    }
    Reason::damaged(place, error)
}
