//! Tests of the readers, on files that they write.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod archives;
mod damage;
mod folder;
mod formats;
mod parquet_files;
mod parquet_types;
mod tables;
mod tensors;
mod writer;
