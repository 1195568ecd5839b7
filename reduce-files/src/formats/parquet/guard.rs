//! Pages whose sizes are checked before there is memory for them. The sizes in the headers of pages are not believed otherwise.

use bytes::Bytes;
use parquet::basic::{Compression, Type};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, Length, SerializedPageReader};
use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::sync::Arc;

/// The highest ratio of deflate: bytes out for a byte in.
const DEFLATE: u64 = 1032;

/// The file of a column. Each read of a header checks the size of its page.
pub(super) struct PageFile {
    file: File,
    len: u64,
    /// The maximum bytes of a page.
    limit: u64,
    is_gzip: bool,
}

impl PageFile {
    /// Checks that the column lies in the file.
    pub(super) fn of(file: &File, column: &ColumnChunkMetaData, limit: u64) -> Result<PageFile> {
        let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
        let len = file.metadata()?.len();
        let end = u64::try_from(start).ok().zip(u64::try_from(column.compressed_size()).ok());
        let end = end.and_then(|(start, bytes)| start.checked_add(bytes));
        if end.is_none_or(|end| end > len) {
            return Err(ParquetError::EOF("it lies beyond the end of the file".to_owned()));
        }
        let is_gzip = matches!(column.compression(), Compression::GZIP(_));
        Ok(PageFile { file: file.try_clone()?, len, limit, is_gzip })
    }

    fn check(&self, bytes: u64) -> Result<()> {
        if bytes <= self.limit {
            return Ok(());
        }
        let limit = self.limit;
        Err(ParquetError::General(format!(
            "a page needs up to {bytes} bytes of memory, and the limit is {limit}"
        )))
    }
}

impl Length for PageFile {
    fn len(&self) -> u64 {
        self.len
    }
}

impl ChunkReader for PageFile {
    type T = BufReader<File>;

    /// Reads the header of a page.
    fn get_read(&self, start: u64) -> Result<BufReader<File>> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(start))?;
        let mut reader = BufReader::new(file);
        let size = page_size(reader.fill_buf()?);
        let size = size.ok_or_else(|| ParquetError::General("a page has no size".to_owned()))?;
        self.check(size)?;
        Ok(reader)
    }

    /// Reads the contents of a page.
    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        if start.checked_add(length as u64).is_none_or(|end| end > self.len) {
            return Err(ParquetError::EOF("a page lies beyond the end of the file".to_owned()));
        }
        if self.is_gzip {
            self.check((length as u64).saturating_mul(DEFLATE))?;
        }
        self.file.get_bytes(start, length)
    }
}

/// Returns the bytes of a page in memory, from the start of its header: the second of its fields, in Thrift's compact form.
fn page_size(header: &[u8]) -> Option<u64> {
    /// The next field, of type i32.
    const NEXT_I32: u8 = 0x15;
    let (&NEXT_I32, kind) = header.split_first()? else { return None };
    let (_, rest) = varint(kind)?;
    let (&NEXT_I32, size) = rest.split_first()? else { return None };
    let (zigzag, _) = varint(size)?;
    // Sizes are not negative.
    zigzag.is_multiple_of(2).then_some(zigzag / 2)
}

/// Reads an integer of seven bits in each byte, lowest first.
fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let end = bytes.iter().take(5).position(|byte| byte & 0x80 == 0)?;
    let value = bytes[..=end].iter().rev().fold(0, |value, byte| value << 7 | u64::from(byte & 0x7f));
    Some((value, &bytes[end + 1..]))
}

/// The pages of a column in a row group, with dictionaries that are no larger than their bytes.
pub(super) struct Pages {
    pages: SerializedPageReader<PageFile>,
    /// The fewest bits of a value in a dictionary.
    bits: u64,
}

impl Pages {
    pub(super) fn of(file: Arc<PageFile>, column: &ColumnChunkMetaData, rows: usize) -> Result<Pages> {
        let pages = SerializedPageReader::new(file, column, rows, None)?;
        let bits = match column.column_type() {
            Type::BOOLEAN => 1,
            Type::INT32 | Type::FLOAT | Type::BYTE_ARRAY => 32,
            Type::INT64 | Type::DOUBLE => 64,
            Type::INT96 => 96,
            Type::FIXED_LEN_BYTE_ARRAY => 8 * column.column_descr().type_length().max(1) as u64,
        };
        Ok(Pages { pages, bits })
    }

    fn check(&self, page: &Page) -> Result<()> {
        let Page::DictionaryPage { buf, num_values, .. } = page else { return Ok(()) };
        if u64::from(*num_values) * self.bits <= 8 * buf.len() as u64 {
            return Ok(());
        }
        Err(ParquetError::EOF(format!("the dictionary has fewer than {num_values} values")))
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        page.iter().try_for_each(|page| self.check(page))?;
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.get_next_page().transpose()
    }
}
