//! Folds values into lanes at any places, in their order.

use super::{LaneError, Lanes, LanesRef, bug};
use reduce_ir::arith::{Bits, Number, Order};
use reduce_ir::ops::Bin;

/// Matches the variants listed, and folds by `$f`.
macro_rules! fold_at {
    ($op:expr, $acc:ident, $from:ident, $places:ident: $f:expr; $($scalar:ident)*) => {
        match ($acc, $from) {
            $((Lanes::$scalar(acc), LanesRef::$scalar(from)) => {
                each(acc, from, $places, $f);
                Ok(())
            })*
            (acc, from) => bug($op, &[acc.borrow(), from]),
        }
    };
    (numbers $($rest:tt)*) => { fold_at!($($rest)*; F32 F64 I8 I16 I32 I64 U8 U16 U32 U64) };
    (ordered $($rest:tt)*) => { fold_at!($($rest)*; F16 Bf16 F32 F64 I8 I16 I32 I64 U8 U16 U32 U64) };
    (floats $($rest:tt)*) => { fold_at!($($rest)*; F16 Bf16 F32 F64) };
    (bits $($rest:tt)*) => { fold_at!($($rest)*; Bool I8 I16 I32 I64 U8 U16 U32 U64) };
}

/// `acc[places[i]] = acc[places[i]] op from[i]`, for each `i` in order. A block of fewer lanes than places is one value.
///
/// # Errors
/// The lanes have different types, or types for which the operation is not defined.
pub fn fold_at(op: Bin, acc: &mut Lanes, from: LanesRef<'_>, places: &[u32]) -> Result<(), LaneError> {
    match op {
        Bin::Add => fold_at!(numbers op, acc, from, places: Number::add),
        Bin::Mul => fold_at!(numbers op, acc, from, places: Number::mul),
        Bin::Min => fold_at!(ordered op, acc, from, places: Order::min),
        Bin::Max => fold_at!(ordered op, acc, from, places: Order::max),
        Bin::MinNum => fold_at!(floats op, acc, from, places: Order::min_num),
        Bin::MaxNum => fold_at!(floats op, acc, from, places: Order::max_num),
        Bin::And => fold_at!(bits op, acc, from, places: Bits::and),
        Bin::Or => fold_at!(bits op, acc, from, places: Bits::or),
        Bin::Xor => fold_at!(bits op, acc, from, places: Bits::xor),
        Bin::Sub | Bin::Div | Bin::Rem | Bin::Shl | Bin::Shr => bug(op, &[acc.borrow(), from]),
        Bin::Powf | Bin::Hypot | Bin::Atan2 => bug(op, &[acc.borrow(), from]),
    }
}

fn each<T: Copy>(acc: &mut [T], from: &[T], places: &[u32], f: impl Fn(T, T) -> T) {
    let mut join = |place: u32, x: T| {
        let lane = &mut acc[place as usize];
        *lane = f(*lane, x);
    };
    if from.len() < places.len() {
        places.iter().for_each(|&place| join(place, from[0]));
    } else {
        places.iter().zip(from).for_each(|(&place, &x)| join(place, x));
    }
}
