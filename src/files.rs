//! Columns of Parquet, safetensors, `.npz` and CSV files, with the feature `formats`.
//!
//! ```
//! use reducegen::files::DataFile;
//! use reducegen::reduction;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let path = std::env::temp_dir().join("reducegen-files-example.csv");
//! std::fs::write(&path, "distance,passengers\n1.5,1\n,2\n3.0,4\n")?;
//! let mut trips = DataFile::open(&path)?;
//!
//! let passengers = trips.column("passengers")?;
//! let total = reduction! { ty: i64, op: sum };
//! assert_eq!(total.reduce(passengers.of::<i64>().ok_or("integers are i64")?)?, 7);
//!
//! // A distance is absent. It keeps its position, and the mask says so.
//! let distance = trips.column("distance")?;
//! let mean = reduction! {
//!     inputs: { x: f64, present: bool }, filter: |x, present| present, map: |x, present| x, op: mean
//! };
//! let values = distance.of::<f64>().ok_or("numbers with a point are f64")?;
//! assert_eq!(mean.reduce((values, &distance.mask()))?, 2.25);
//!
//! let error = trips.column("distances").unwrap_err().to_string();
//! assert!(error.contains("(did you mean `distance`?)"));
//! # std::fs::remove_file(&path)?;
//! # Ok(())
//! # }
//! ```
//!
//! A damaged file is an error. In a program with `panic = "abort"`, it may end the process: the readers of Parquet are another crate, whose
//! panics become errors otherwise.

pub use reduce_files::{Column, DataFile, FileError, Format, Labels, Reason};
