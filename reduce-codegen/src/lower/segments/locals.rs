//! Locals that kernels over segments share.

use reduce_ir::statements::{Local, Ty};

/// The number of the segment, `u64`.
pub(super) fn group() -> Local {
    Local::new("group", Ty::U64)
}

/// The position of its first element, `u64`.
pub(super) fn begin() -> Local {
    Local::new("begin", Ty::U64)
}

/// The position after its last element, `u64`.
pub(super) fn end() -> Local {
    Local::new("end", Ty::U64)
}

/// The number of its elements, `u64`.
pub(super) fn length() -> Local {
    Local::new("length", Ty::U64)
}

/// The first segment that begins in the tile of the block, `u64`.
pub(super) fn first_segment() -> Local {
    Local::new("first_segment", Ty::U64)
}

/// The first segment that begins in the next tile, `u64`.
pub(super) fn last_segment() -> Local {
    Local::new("last_segment", Ty::U64)
}

/// The number of the warp in its block, `u32`.
pub(super) fn warp() -> Local {
    Local::new("warp", Ty::U32)
}

/// The length of a list, `u32`.
pub(super) fn count_of(list: &str) -> Local {
    Local::new(format!("{list}_count"), Ty::U32)
}

/// The number of a turn over a list, `u32`.
pub(super) fn turn() -> Local {
    Local::new("which", Ty::U32)
}
