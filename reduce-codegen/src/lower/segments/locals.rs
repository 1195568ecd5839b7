//! Locals that kernels over segments share.

use reduce_ir::statements::{Expr, Local, Ty};
use reduce_ir::{Scalar, Value};

/// The number of the segment, or of a column of a segment, `u64`.
pub(super) fn group() -> Local {
    Local::new("group", Ty::U64)
}

/// The first segment that begins in the tile of the block, `u64`.
pub(super) fn first_segment() -> Local {
    Local::new("first_segment", Ty::U64)
}

/// The number of segments that begin in the tile of the block, `u32`.
pub(super) fn segments() -> Local {
    Local::new("segments", Ty::U32)
}

/// The number of a segment among those of the tile, plus 1; 0 for the segment before. `u32`.
pub(super) fn entry() -> Local {
    Local::new("entry", Ty::U32)
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

/// The number of rows that the offsets cut, if groups are columns of segments, `u64`.
pub(super) fn rows() -> Local {
    Local::new("rows_cut", Ty::U64)
}

/// The segment of a column, `u64`.
pub(super) fn segment() -> Local {
    Local::new("segment", Ty::U64)
}

/// The number of a column in its row, `u64`.
pub(super) fn feature() -> Local {
    Local::new("feature", Ty::U64)
}

/// The positions of a segment. They have the type of the offsets.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    ty: Scalar,
    /// Whether the offsets cut rows, and each column of a segment is a group.
    pub(super) has_columns: bool,
}

impl Bounds {
    pub(super) fn of(offsets: Scalar, has_columns: bool) -> Bounds {
        Bounds { ty: offsets, has_columns }
    }

    /// Returns where the first element would be if the groups lay one after the other, `u64`.
    pub(super) fn origin(self) -> Expr {
        let begin = self.wide(self.begin().get());
        if self.has_columns { origin().get() } else { begin }
    }

    fn local(self, name: &str) -> Local {
        Local::new(name, Ty::Scalar(self.ty))
    }

    /// The position of the first element.
    pub(super) fn begin(self) -> Local {
        self.local("begin")
    }

    /// The position after the last element.
    pub(super) fn end(self) -> Local {
        self.local("end")
    }

    /// The number of elements.
    pub(super) fn length(self) -> Local {
        self.local("length")
    }

    /// The offset of the segment.
    pub(super) fn own_offset(self) -> Local {
        self.local("from_offset")
    }

    /// The offset of the next segment.
    pub(super) fn next_offset(self) -> Local {
        self.local("to_offset")
    }

    /// Returns a constant.
    pub(super) fn number(self, value: u64) -> Expr {
        if self.ty == Scalar::U64 { Expr::Const(Value::of(value)) } else { Expr::from(value as u32) }
    }

    /// Returns an expression of the type of offsets as `u64`.
    pub(super) fn wide(self, expr: Expr) -> Expr {
        if self.ty == Scalar::U64 { expr } else { expr.cast(Scalar::U64) }
    }

    /// Returns an expression of type `u64` in the type of offsets.
    pub(super) fn narrow(self, expr: Expr) -> Expr {
        if self.ty == Scalar::U64 { expr } else { expr.cast(Scalar::U32) }
    }
}

/// See [`Bounds::origin`].
pub(super) fn origin() -> Local {
    Local::new("origin", Ty::U64)
}
