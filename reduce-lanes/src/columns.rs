//! Folds the columns of a matrix where they lie.

use super::{LaneError, Lanes, LanesRef, bug, operations};
use reduce_ir::Scalar;
use reduce_ir::arith::{As, Bits, Number, Order};
use reduce_ir::ops::Bin;

/// Rows that are read side by side. It is even.
const SIDE: usize = 8;

/// Lanes of a vector register or two of any type, for columns after the last block.
const FEW: usize = 8;

/// Matches the variants listed, and folds the columns by `$f`.
macro_rules! columns {
    ($op:expr, $acc:ident, $from:ident, $pitch:ident: $f:expr; $($scalar:ident $to:ident),*) => {
        match ($acc, $from) {
            $((Lanes::$to(acc), LanesRef::$scalar(from)) => {
                for rows in from.chunks($pitch * SIDE) {
                    let done = join_columns::<_, _, { block(Scalar::$to.size()) }>(acc, rows, $pitch, $f);
                    join_rest(&mut acc[done..], &rows[done..], $pitch, $f);
                }
                Ok(())
            })*
            (acc, from) => bug($op, &[acc.borrow(), from]),
        }
    };
    // By a function of pairs of rows that is cheaper.
    (extremes $op:expr, $acc:ident, $from:ident, $pitch:ident: $f:path, $of_rows:path; $($scalar:ident)*) => {
        match ($acc, $from) {
            $((Lanes::$scalar(acc), LanesRef::$scalar(from)) => {
                const LANES: usize = block(Scalar::$scalar.size());
                let done = acc.len() / LANES * LANES;
                for rows in from.chunks($pitch * SIDE) {
                    for (k, lanes) in acc.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
                        let pairs = rows.len().div_ceil($pitch) / 2;
                        // Called by its name: a closure that does so would be compiled for every processor.
                        $of_rows(lanes, Pairs { rows: &rows[k * LANES..], pitch: $pitch, next: 0, pairs });
                        let last = 2 * pairs * $pitch + k * LANES;
                        if let Some(row) = rows.get(last..last + LANES) {
                            lanes.iter_mut().zip(row).for_each(|(lane, &x)| *lane = $f(*lane, x));
                        }
                    }
                    join_rest(&mut acc[done..], &rows[done..], $pitch, $f);
                }
                Ok(())
            })*
            (acc, from) => bug($op, &[acc.borrow(), from]),
        }
    };
    (integers $op:expr, $acc:ident, $from:ident, $pitch:ident: $f:expr) => {
        columns!($op, $acc, $from, $pitch: $f; I8 I8, I16 I16, I32 I32, I64 I64, U8 U8, U16 U16, U32 U32, U64 U64)
    };
    (numbers $op:expr, $acc:ident, $from:ident, $pitch:ident: $f:expr) => {
        match ($acc, $from) {
            (acc @ (Lanes::F32(_) | Lanes::F64(_)), from) => {
                columns!($op, acc, from, $pitch: $f; F32 F32, F64 F64)
            }
            (acc, from) => columns!(integers $op, acc, from, $pitch: $f),
        }
    };
    (floats $op:expr, $acc:ident, $from:ident, $pitch:ident: $f:expr) => {
        columns!($op, $acc, $from, $pitch: $f; F16 F16, Bf16 Bf16, F32 F32, F64 F64)
    };
    (bits $op:expr, $acc:ident, $from:ident, $pitch:ident: $f:expr) => {
        match ($acc, $from) {
            (acc @ Lanes::Bool(_), from) => columns!($op, acc, from, $pitch: $f; Bool Bool),
            (acc, from) => columns!(integers $op, acc, from, $pitch: $f),
        }
    };
    (ordered $op:expr, $acc:ident, $from:ident, $pitch:ident: $f:path, $of_rows:path) => {
        columns!(extremes $op, $acc, $from, $pitch: $f, $of_rows; F16 Bf16 F32 F64 I8 I16 I32 I64 U8 U16 U32 U64)
    };
    (wide $op:expr, $acc:ident, $from:ident, $pitch:ident: $f:expr) => {
        columns!(
            $op, $acc, $from, $pitch: $f; F16 F32, Bf16 F32, F32 F64, I8 I32, I16 I32, U8 U32, U16 U32, I32 I64, U32 U64
        )
    };
}

/// Folds row after row of `from`, which lie `pitch` apart and are as long as `acc`, into it: `acc[i] = acc[i] op row[i]`.
#[inline(always)]
pub(super) fn fold_columns(
    op: Bin,
    acc: &mut Lanes,
    from: LanesRef<'_>,
    pitch: usize,
) -> Result<(), LaneError> {
    match op {
        Bin::Add if operations::widens(op, from.ty(), acc.ty()) => {
            columns!(wide op, acc, from, pitch: |acc, x| Number::add(acc, As::to(x)))
        }
        Bin::Add => columns!(numbers op, acc, from, pitch: Number::add),
        Bin::Mul => columns!(numbers op, acc, from, pitch: Number::mul),
        Bin::Min => columns!(ordered op, acc, from, pitch: Order::min, Order::min_rows),
        Bin::Max => columns!(ordered op, acc, from, pitch: Order::max, Order::max_rows),
        Bin::MinNum => columns!(floats op, acc, from, pitch: Order::min_num),
        Bin::MaxNum => columns!(floats op, acc, from, pitch: Order::max_num),
        Bin::And => columns!(bits op, acc, from, pitch: Bits::and),
        Bin::Or => columns!(bits op, acc, from, pitch: Bits::or),
        Bin::Xor => columns!(bits op, acc, from, pitch: Bits::xor),
        Bin::Sub | Bin::Div | Bin::Rem | Bin::Shl | Bin::Shr => bug(op, &[acc.borrow(), from]),
        Bin::Powf | Bin::Hypot | Bin::Atan2 => bug(op, &[acc.borrow(), from]),
    }
}

/// Lanes that stay in registers.
const fn block(bytes: usize) -> usize {
    if bytes == 8 { 16 } else { 32 }
}

/// Folds the columns of all whole blocks of a few rows. Returns how many there are.
#[inline(always)]
fn join_columns<T: Copy, B: Copy, const LANES: usize>(
    acc: &mut [T],
    rows: &[B],
    pitch: usize,
    f: impl Fn(T, B) -> T,
) -> usize {
    let (blocks, _) = acc.as_chunks_mut::<LANES>();
    for (k, lanes) in blocks.iter_mut().enumerate() {
        let mut kept = *lanes;
        for start in (k * LANES..rows.len()).step_by(pitch) {
            let row = &rows[start..start + LANES];
            for i in 0..LANES {
                kept[i] = f(kept[i], row[i]);
            }
        }
        *lanes = kept;
    }
    blocks.len() * LANES
}

/// Folds the columns after the last whole block, of rows that are in a cache.
#[inline(always)]
fn join_rest<T: Copy, B: Copy>(acc: &mut [T], rows: &[B], pitch: usize, f: impl Fn(T, B) -> T + Copy) {
    let done = join_columns::<_, _, FEW>(acc, rows, pitch, f);
    for (k, lane) in acc.iter_mut().enumerate().skip(done) {
        *lane = rows[k..].iter().step_by(pitch).fold(*lane, |lane, &x| f(lane, x));
    }
}

/// Pairs of rows that lie `pitch` apart.
struct Pairs<'b, T, const LANES: usize> {
    rows: &'b [T],
    pitch: usize,
    next: usize,
    pairs: usize,
}

impl<'b, T, const LANES: usize> Pairs<'b, T, LANES> {
    #[inline(always)]
    fn row(&self, row: usize) -> &'b [[T; LANES]; 1] {
        let start = row * self.pitch;
        &self.rows[start..start + LANES].as_chunks().0.as_chunks().0[0]
    }
}

impl<'b, T, const LANES: usize> Iterator for Pairs<'b, T, LANES> {
    type Item = [&'b [[T; LANES]; 1]; 2];

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let pair = self.next;
        self.next += 1;
        (pair < self.pairs).then(|| [self.row(2 * pair), self.row(2 * pair + 1)])
    }
}
