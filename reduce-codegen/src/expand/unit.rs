//! A load unit: what a thread reads at once.

use super::count;
use reduce_dsl::Value;
use reduce_dsl::expanded::{Expr, Ty};
use reduce_dsl::ops::Bin;

/// How the items of a load unit are read.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Access {
    /// Whole units, as vectors: the tile is full and the data aligned.
    Vectors,
    /// Whole units, as vectors that lie anywhere: the tile is full, and where they are read by words, others are around.
    Unaligned,
    /// One at a time: the tile is full.
    Items,
    /// One at a time, those that are there.
    Guarded,
}

/// A load unit: where its first item is, and how it is read.
pub(super) struct Unit {
    /// The position in the tile, `u32`, or in the whole input, `u64`.
    pub(super) at: Expr,
    pub(super) access: Access,
    /// How many items each lane has before it, `u64`. The first item of a lane may be assigned and not combined.
    pub(super) before: Before,
    /// Its row, where units lie in rows.
    pub(super) row: u32,
}

/// What the lanes of a thread hold when a unit comes.
#[derive(Clone)]
pub(super) enum Before {
    /// Nothing: the first item of each is assigned.
    Nothing,
    /// So many items, `u64`; where no item is assigned, also the padding.
    Items(Expr),
}

/// Whether unaligned vectors can be read that are read by words, and so with what is around them.
pub(super) enum Margin {
    /// They are not read by words.
    Nothing,
    /// They can, where this holds: the tile is full, and in the input is what is read around it.
    If(Expr),
    /// They cannot: the only tile has nothing before it.
    Absent,
}

impl Unit {
    /// Is that item there?
    pub(super) fn holds(&self, item: u32) -> Expr {
        if self.is_whole() {
            plus(self.at.clone(), item).below(Expr::Items)
        } else {
            self.at.clone().plus(item).below(count().get())
        }
    }

    pub(super) fn is_whole(&self) -> bool {
        self.at.ty() == Some(Ty::U64)
    }
}

/// A position in the whole input, some items further on.
pub(super) fn plus(position: Expr, items: u32) -> Expr {
    if items == 0 { position } else { position.bin(Bin::Add, Expr::Const(Value::of(u64::from(items)))) }
}
