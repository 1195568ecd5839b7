//! Locals and constants that several files of the lowering name. Positions are positions in the group, unless they are
//! of the tile.

use reduce_ir::ops::Bin;
use reduce_ir::program::Fold;
use reduce_ir::statements::{Expr, Local, Ty};
use reduce_ir::{Scalar, Value};

/// The position of the block's first item, `u64`.
pub(super) fn first() -> Local {
    Local::new("first", Ty::U64)
}

/// The number of the block's items, `u32`.
pub(super) fn count() -> Local {
    Local::new("count", Ty::U32)
}

/// The number of a unit among the units of its thread, `u32`.
pub(super) fn unit() -> Local {
    Local::new("unit", Ty::U32)
}

/// The position of the thread's first item, `u64`.
pub(super) fn first_item() -> Local {
    Local::new("first_item", Ty::U64)
}

/// Returns the position that many items after the thread's first item.
pub(super) fn after_first(items: Expr) -> Expr {
    first_item().get().bin(Bin::Add, items.cast(Scalar::U64))
}

/// Returns the number of items in a row of units.
pub(super) fn row(fold: Fold) -> Expr {
    Expr::Named(if fold.width > 1 { "ROW" } else { "BLOCK" })
}

/// Returns whether all items of the tile exist.
pub(super) fn full_tile() -> Expr {
    count().get().equals(Expr::Named("TILE"))
}

/// Returns the position that many items after another.
pub(super) fn plus(position: Expr, items: u32) -> Expr {
    if items == 0 { position } else { position.bin(Bin::Add, Expr::Const(Value::of(u64::from(items)))) }
}

/// Returns a constant of type `u64`.
pub(super) fn number(value: u64) -> Expr {
    Expr::Const(Value::of(value))
}

/// Returns 0 as `u64`.
pub(super) fn zero() -> Expr {
    Expr::Const(Value::of(0u64))
}
