//! Locals and constants that several files of the lowering name.

use reduce_ir::ops::Bin;
use reduce_ir::program::Fold;
use reduce_ir::statements::{Expr, Local, Ty};
use reduce_ir::{Scalar, Value};

/// The position of the block's first item.
pub(super) fn first() -> Local {
    Local::new("first", Ty::U64)
}

/// The number of the block's items.
pub(super) fn count() -> Local {
    Local::new("count", Ty::U32)
}

/// The number of a unit among those of its thread.
pub(super) fn unit() -> Local {
    Local::new("unit", Ty::U32)
}

/// The position in the whole input of a thread's first item.
pub(super) fn first_item() -> Local {
    Local::new("first_item", Ty::U64)
}

/// The position so many items behind it.
pub(super) fn behind_first(items: Expr) -> Expr {
    first_item().get().bin(Bin::Add, items.cast(Scalar::U64))
}

/// Items of a row of units.
pub(super) fn row(fold: Fold) -> Expr {
    Expr::Named(if fold.width > 1 { "ROW" } else { "BLOCK" })
}

/// Whether all items of the tile exist.
pub(super) fn full_tile() -> Expr {
    count().get().equals(Expr::Named("TILE"))
}

/// A position in the whole input, some items further on.
pub(super) fn plus(position: Expr, items: u32) -> Expr {
    if items == 0 { position } else { position.bin(Bin::Add, Expr::Const(Value::of(u64::from(items)))) }
}

/// That many, as `u64`.
pub(super) fn number(value: u64) -> Expr {
    Expr::Const(Value::of(value))
}

/// 0, as `u64`.
pub(super) fn zero() -> Expr {
    Expr::Const(Value::of(0u64))
}
