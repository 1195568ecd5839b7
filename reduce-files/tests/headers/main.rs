//! Tests of the types and headers of NumPy files.

mod dtypes;
mod npy;
