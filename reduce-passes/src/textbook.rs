//! The passes that only the ladder uses: kernels as textbooks write them.

mod addressing;
pub mod atomic;
pub mod bitmask;
pub mod grid_stride;
pub mod in_place;
pub mod last_warp;
pub mod sequential;
pub mod serial;
pub mod strided_index;
