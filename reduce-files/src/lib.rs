//! Columns of data files as vectors of scalars: Parquet, safetensors, NumPy archives and CSV.
//!
//! ```no_run
//! # #[cfg(feature = "formats")]
//! # fn main() -> Result<(), reduce_files::FileError> {
//! let mut trips = reduce_files::DataFile::open("trips.parquet")?;
//! let distance = trips.column("distance")?;
//! println!("{} distances of type {}", distance.values.len(), distance.values.ty().name());
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "formats"))]
//! # fn main() {}
//! ```
#![forbid(unsafe_code)]

#[doc(hidden)]
pub mod dtype;
#[cfg(feature = "formats")]
mod formats;
#[doc(hidden)]
pub mod npy;

#[cfg(feature = "formats")]
pub use formats::{Column, DataFile, FileError, Format, Labels, Reason};
