//! The operations on lanes, one loop for each.
//!
//! Host backend and interpreter evaluate expressions here and nowhere else; the loops call
//! [`reduce_ir::arith`] and are plain enough for the compiler to vectorise. All of it is inlined into what is compiled
//! for an [instruction set](super::compiled), so that it is compiled for that one.

use super::blocks::{map, map_long, zip, zip_long, zip3};
use super::rows::{InParts, Prefetcher, grouped, join, join_in_parts, rows};
use super::{LaneError, Lanes, LanesRef, bug};
use reduce_ir::Scalar;
use reduce_ir::arith::{As, Bits, Element, Float, Integer, Number, Order, Single};
use reduce_ir::ops::{Bin, Cmp, Un};

/// Matches the variants listed, and calls `$f` of that type in a loop; anything else is a bug.
macro_rules! loops {
    ($op:expr, $a:ident -> $out:ident: $f:expr; $($scalar:ident)*) => {
        loops!($op, $a -> $out: $f; => $($scalar $scalar)*)
    };
    ($op:expr, $a:ident -> $result:ident $out:ident: $f:expr; $($scalar:ident)*) => {
        match ($a, $out) {
            $((LanesRef::$scalar(a), Lanes::$result(out)) => { map(a, out, $f); Ok(()) })*
            _ => bug($op, &[$a]),
        }
    };
    ($op:expr, $a:ident -> $out:ident: $f:expr; => $($scalar:ident $result:ident)*) => {
        match ($a, $out) {
            $((LanesRef::$scalar(a), Lanes::$result(out)) => { map(a, out, $f); Ok(()) })*
            _ => bug($op, &[$a]),
        }
    };
    ($op:expr, $a:ident, $b:ident -> $out:ident: $f:expr; $($scalar:ident)*) => {
        match ($a, $b, $out) {
            $((LanesRef::$scalar(a), LanesRef::$scalar(b), Lanes::$scalar(out)) => { zip(a, b, out, $f); Ok(()) })*
            _ => bug($op, &[$a, $b]),
        }
    };
    ($op:expr, $a:ident, $b:ident -> bool $out:ident: $f:expr; $($scalar:ident)*) => {
        match ($a, $b, $out) {
            $((LanesRef::$scalar(a), LanesRef::$scalar(b), Lanes::Bool(out)) => { zip(a, b, out, $f); Ok(()) })*
            _ => bug($op, &[$a, $b]),
        }
    };
    ($op:expr, $a:ident, $b:ident u32 -> $out:ident: $f:expr; $($scalar:ident)*) => {
        match ($a, $b, $out) {
            $((LanesRef::$scalar(a), LanesRef::U32(b), Lanes::$scalar(out)) => { zip(a, b, out, $f); Ok(()) })*
            _ => bug($op, &[$a, $b]),
        }
    };
}

/// [`loops`] for functions of many operations.
macro_rules! long_loops {
    ($op:expr, $a:ident -> $out:ident: $f:expr; $($scalar:ident)*) => {
        match ($a, $out) {
            $((LanesRef::$scalar(a), Lanes::$scalar(out)) => { map_long(a, out, $f); Ok(()) })*
            _ => bug($op, &[$a]),
        }
    };
    ($op:expr, $a:ident, $b:ident -> $out:ident: $f:expr; $($scalar:ident)*) => {
        match ($a, $b, $out) {
            $((LanesRef::$scalar(a), LanesRef::$scalar(b), Lanes::$scalar(out)) => {
                zip_long(a, b, out, $f);
                Ok(())
            })*
            _ => bug($op, &[$a, $b]),
        }
    };
}

/// The same for loops in place, by a function of one element and, of groups of rows, one that is cheaper.
macro_rules! joins {
    ($op:expr, $acc:ident, $b:ident, $prefetcher:ident: $f:expr; $($scalar:ident)*) => {
        match ($acc, $b) {
            $((Lanes::$scalar(acc), LanesRef::$scalar(b)) => { join_in_parts(acc, b, $f, $prefetcher); Ok(()) })*
            (acc, b) => bug($op, &[acc.borrow(), b]),
        }
    };
    ($op:expr, $acc:ident, $b:ident, $prefetcher:ident: $f:expr, $of_rows:path; $($scalar:ident)*) => {
        match ($acc, $b) {
            $((Lanes::$scalar(acc), LanesRef::$scalar(b)) => {
                let (groups, rest) = grouped::<_, _, { rows(Scalar::$scalar.size()) }>(acc, b);
                // Called by its name: a closure that does so would be compiled for every processor.
                if let Ok(lanes) = <&mut [_; _]>::try_from(&mut acc[..]) {
                    $of_rows(lanes, InParts::new(groups, $prefetcher));
                }
                join(acc, rest, $f, $prefetcher);
                Ok(())
            })*
            (acc, b) => bug($op, &[acc.borrow(), b]),
        }
    };
}

/// [`loops`] over every type of a kind.
macro_rules! over {
    // The order of floats shows.
    (join numbers: $op:expr, $acc:ident, $b:ident, $prefetcher:ident: $f:expr) => {
        match ($acc, $b) {
            (Lanes::F32(acc), LanesRef::F32(b)) => { join(acc, b, $f, $prefetcher); Ok(()) }
            (Lanes::F64(acc), LanesRef::F64(b)) => { join(acc, b, $f, $prefetcher); Ok(()) }
            (acc, b) => over!(join integers: $op, acc, b, $prefetcher: $f),
        }
    };
    (join ordered: $($rest:tt)*) => { joins!($($rest)*; F16 Bf16 F32 F64 I8 I16 I32 I64 U8 U16 U32 U64) };
    (join integers: $($rest:tt)*) => { joins!($($rest)*; I8 I16 I32 I64 U8 U16 U32 U64) };
    (join floats: $($rest:tt)*) => { joins!($($rest)*; F16 Bf16 F32 F64) };
    (join bits: $($rest:tt)*) => { joins!($($rest)*; Bool I8 I16 I32 I64 U8 U16 U32 U64) };
    (numbers: $($rest:tt)*) => { loops!($($rest)*; F32 F64 I8 I16 I32 I64 U8 U16 U32 U64) };
    (ordered: $($rest:tt)*) => { loops!($($rest)*; F16 Bf16 F32 F64 I8 I16 I32 I64 U8 U16 U32 U64) };
    (floats: $($rest:tt)*) => { loops!($($rest)*; F16 Bf16 F32 F64) };
    (full floats: $($rest:tt)*) => { loops!($($rest)*; F32 F64) };
    (integers: $($rest:tt)*) => { loops!($($rest)*; I8 I16 I32 I64 U8 U16 U32 U64) };
    (bits: $($rest:tt)*) => { loops!($($rest)*; Bool I8 I16 I32 I64 U8 U16 U32 U64) };
    (all: $($rest:tt)*) => { loops!($($rest)*; Bool F16 Bf16 F32 F64 I8 I16 I32 I64 U8 U16 U32 U64) };
}

/// `out[i] = op(a[i])`.
#[inline(always)]
pub(super) fn un(op: Un, a: LanesRef<'_>, out: &mut Lanes) -> Result<(), LaneError> {
    match op {
        Un::Neg => over!(numbers: op, a -> out: Number::neg),
        Un::Abs => over!(numbers: op, a -> out: Number::abs),
        Un::Not => over!(bits: op, a -> out: Bits::not),
        Un::IsNan => over!(floats: op, a -> Bool out: Order::is_nan),
        Un::Canonical => over!(floats: op, a -> out: Order::canonical),
        Un::Exp => over!(full floats: op, a -> out: Float::exp),
        Un::Ln => over!(full floats: op, a -> out: Float::ln),
        Un::Exp2 => long_loops!(op, a -> out: Float::exp2; F32 F64),
        Un::Log2 => long_loops!(op, a -> out: Float::log2; F32 F64),
        Un::ExpM1 => long_loops!(op, a -> out: Float::exp_m1; F32 F64),
        Un::Ln1p => long_loops!(op, a -> out: Float::ln_1p; F32 F64),
        Un::Sin => long_loops!(op, a -> out: Float::sin; F32 F64),
        Un::Cos => long_loops!(op, a -> out: Float::cos; F32 F64),
        Un::Tan => long_loops!(op, a -> out: Single::tan; F32),
        Un::Tanh => long_loops!(op, a -> out: Float::tanh; F32 F64),
        Un::Sqrt => over!(full floats: op, a -> out: Float::sqrt),
        Un::Floor => over!(full floats: op, a -> out: Float::floor),
        Un::Ceil => over!(full floats: op, a -> out: Float::ceil),
        Un::Trunc => over!(full floats: op, a -> out: Float::trunc),
        Un::RoundTiesEven => over!(full floats: op, a -> out: Float::round_ties_even),
        Un::ToBits => loops!(op, a -> out: Float::to_bits; => F32 U32 F64 U64),
        Un::FromBits => loops!(op, a -> out: Float::from_bits; => U32 F32 U64 F64),
        Un::CountOnes => over!(integers: op, a -> U32 out: Integer::count_ones),
        Un::LeadingZeros => over!(integers: op, a -> U32 out: Integer::leading_zeros),
        Un::TrailingZeros => over!(integers: op, a -> U32 out: Integer::trailing_zeros),
    }
}

/// `out[i] = a[i] op b[i]`.
#[inline(always)]
pub(super) fn bin(op: Bin, a: LanesRef<'_>, b: LanesRef<'_>, out: &mut Lanes) -> Result<(), LaneError> {
    match op {
        Bin::Add => over!(numbers: op, a, b -> out: Number::add),
        Bin::Sub => over!(numbers: op, a, b -> out: Number::sub),
        Bin::Mul => over!(numbers: op, a, b -> out: Number::mul),
        Bin::Div => over!(numbers: op, a, b -> out: Number::div),
        Bin::Rem => over!(integers: op, a, b -> out: Integer::rem),
        Bin::Min => over!(ordered: op, a, b -> out: Order::min),
        Bin::Max => over!(ordered: op, a, b -> out: Order::max),
        Bin::MinNum => over!(floats: op, a, b -> out: Order::min_num),
        Bin::MaxNum => over!(floats: op, a, b -> out: Order::max_num),
        Bin::And => over!(bits: op, a, b -> out: Bits::and),
        Bin::Or => over!(bits: op, a, b -> out: Bits::or),
        Bin::Xor => over!(bits: op, a, b -> out: Bits::xor),
        Bin::Shl => over!(integers: op, a, b u32 -> out: Integer::shl),
        Bin::Shr => over!(integers: op, a, b u32 -> out: Integer::shr),
        Bin::Powf => long_loops!(op, a, b -> out: Single::powf; F32),
        Bin::Hypot => long_loops!(op, a, b -> out: Float::hypot; F32 F64),
        Bin::Atan2 => long_loops!(op, a, b -> out: Single::atan2; F32),
    }
}

/// `b[i]`, then `b[i + len]`, `b[i + 2 len]`, … join `acc[i]` of `len`, by an operation that [commutes](Bin::commutes).
#[inline(always)]
pub(super) fn accumulate(
    op: Bin,
    acc: &mut Lanes,
    b: LanesRef<'_>,
    prefetcher: impl Prefetcher,
) -> Result<(), LaneError> {
    match op {
        Bin::Add if widens(op, b.ty(), acc.ty()) => accumulate_wide(op, acc, b, prefetcher),
        Bin::Add => over!(join numbers: op, acc, b, prefetcher: Number::add),
        Bin::Mul => over!(join numbers: op, acc, b, prefetcher: Number::mul),
        Bin::Min => over!(join ordered: op, acc, b, prefetcher: Order::min, Order::min_rows),
        Bin::Max => over!(join ordered: op, acc, b, prefetcher: Order::max, Order::max_rows),
        Bin::MinNum => over!(join floats: op, acc, b, prefetcher: Order::min_num),
        Bin::MaxNum => over!(join floats: op, acc, b, prefetcher: Order::max_num),
        Bin::And => over!(join bits: op, acc, b, prefetcher: Bits::and),
        Bin::Or => over!(join bits: op, acc, b, prefetcher: Bits::or),
        Bin::Xor => over!(join bits: op, acc, b, prefetcher: Bits::xor),
        Bin::Sub | Bin::Div | Bin::Rem | Bin::Shl | Bin::Shr => bug(op, &[acc.borrow(), b]),
        Bin::Powf | Bin::Hypot | Bin::Atan2 => bug(op, &[acc.borrow(), b]),
    }
}

/// Does [`accumulate`] widen the elements as well, from one type to the other?
pub(crate) fn widens(op: Bin, from: Scalar, to: Scalar) -> bool {
    let wide = match from {
        Scalar::F16 | Scalar::Bf16 => Some(Scalar::F32),
        Scalar::I8 | Scalar::I16 => Some(Scalar::I32),
        Scalar::U8 | Scalar::U16 => Some(Scalar::U32),
        Scalar::F32 => Some(Scalar::F64),
        Scalar::I32 => Some(Scalar::I64),
        Scalar::U32 => Some(Scalar::U64),
        Scalar::Bool | Scalar::F64 | Scalar::I64 | Scalar::U64 => None,
    };
    op == Bin::Add && wide == Some(to)
}

/// `acc[i] = acc[i] + b[i] as T`, as sums of narrow types do.
#[inline(always)]
fn accumulate_wide(
    op: Bin,
    acc: &mut Lanes,
    b: LanesRef<'_>,
    prefetcher: impl Prefetcher,
) -> Result<(), LaneError> {
    match (acc, b) {
        (Lanes::F32(acc), LanesRef::F16(b)) => join(acc, b, add_wide, prefetcher),
        (Lanes::F32(acc), LanesRef::Bf16(b)) => join(acc, b, add_wide, prefetcher),
        (Lanes::F64(acc), LanesRef::F32(b)) => join(acc, b, add_wide, prefetcher),
        (Lanes::I32(acc), LanesRef::I8(b)) => join_in_parts(acc, b, add_wide, prefetcher),
        (Lanes::I32(acc), LanesRef::I16(b)) => join_in_parts(acc, b, add_wide, prefetcher),
        (Lanes::U32(acc), LanesRef::U8(b)) => join_in_parts(acc, b, add_wide, prefetcher),
        (Lanes::U32(acc), LanesRef::U16(b)) => join_in_parts(acc, b, add_wide, prefetcher),
        (Lanes::I64(acc), LanesRef::I32(b)) => join_in_parts(acc, b, add_wide, prefetcher),
        (Lanes::U64(acc), LanesRef::U32(b)) => join_in_parts(acc, b, add_wide, prefetcher),
        (acc, b) => return bug(op, &[acc.borrow(), b]),
    }
    Ok(())
}

/// Is there [`add_squares`] for those types?
pub(crate) fn adds_squares(from: Scalar, to: Scalar) -> bool {
    to.is_integer() && from.is_integer() && (widens(Bin::Add, from, to) || from == to && to.size() >= 4)
}

/// `acc[i] = acc[i] + (b[i] as T) * (b[i] as T)`, row after row.
#[inline(always)]
pub(super) fn add_squares(
    acc: &mut Lanes,
    b: LanesRef<'_>,
    prefetcher: impl Prefetcher,
) -> Result<(), LaneError> {
    match (acc, b) {
        (Lanes::I32(acc), LanesRef::I8(b)) => join_in_parts(acc, b, add_square, prefetcher),
        (Lanes::I32(acc), LanesRef::I16(b)) => join_in_parts(acc, b, add_square, prefetcher),
        (Lanes::I32(acc), LanesRef::I32(b)) => join_in_parts(acc, b, add_square, prefetcher),
        (Lanes::I64(acc), LanesRef::I32(b)) => join_in_parts(acc, b, add_square, prefetcher),
        (Lanes::I64(acc), LanesRef::I64(b)) => join_in_parts(acc, b, add_square, prefetcher),
        (Lanes::U32(acc), LanesRef::U8(b)) => join_in_parts(acc, b, add_square, prefetcher),
        (Lanes::U32(acc), LanesRef::U16(b)) => join_in_parts(acc, b, add_square, prefetcher),
        (Lanes::U32(acc), LanesRef::U32(b)) => join_in_parts(acc, b, add_square, prefetcher),
        (Lanes::U64(acc), LanesRef::U32(b)) => join_in_parts(acc, b, add_square, prefetcher),
        (Lanes::U64(acc), LanesRef::U64(b)) => join_in_parts(acc, b, add_square, prefetcher),
        (acc, b) => return bug("squares", &[acc.borrow(), b]),
    }
    Ok(())
}

#[inline(always)]
fn add_square<T: Number, B: As<T> + Copy>(acc: T, b: B) -> T {
    acc.add(b.to().mul(b.to()))
}

#[inline(always)]
fn add_wide<T: Number, B: As<T>>(acc: T, b: B) -> T {
    Number::add(acc, b.to())
}

/// `out[i] = a[i] op b[i]`, as `bool`.
#[inline(always)]
pub(super) fn cmp(op: Cmp, a: LanesRef<'_>, b: LanesRef<'_>, out: &mut Lanes) -> Result<(), LaneError> {
    match op {
        Cmp::Eq => over!(all: op, a, b -> bool out: |a, b| a == b),
        Cmp::Ne => over!(all: op, a, b -> bool out: |a, b| a != b),
        Cmp::Lt => over!(ordered: op, a, b -> bool out: Order::lt),
        Cmp::Le => over!(ordered: op, a, b -> bool out: Order::le),
        Cmp::Gt => over!(ordered: op, a, b -> bool out: |a, b| Order::lt(b, a)),
        Cmp::Ge => over!(ordered: op, a, b -> bool out: |a, b| Order::le(b, a)),
    }
}

/// `out[i] = if cond[i] { a[i] } else { b[i] }`.
#[inline(always)]
pub(super) fn select(
    cond: LanesRef<'_>,
    a: LanesRef<'_>,
    b: LanesRef<'_>,
    out: &mut Lanes,
) -> Result<(), LaneError> {
    macro_rules! over_all {
        ($($scalar:ident)*) => {
            match (cond, a, b, out) {
                $((LanesRef::Bool(cond), LanesRef::$scalar(a), LanesRef::$scalar(b), Lanes::$scalar(out)) => {
                    zip3(cond, a, b, out, Element::select);
                    Ok(())
                })*
                _ => bug("if", &[cond, a, b]),
            }
        };
    }
    over_all!(Bool F16 Bf16 F32 F64 I8 I16 I32 I64 U8 U16 U32 U64)
}

/// `out[i] = a[i] as T`, where T is the type of `out`.
#[inline(always)]
pub(super) fn cast(a: LanesRef<'_>, out: &mut Lanes) -> Result<(), LaneError> {
    macro_rules! into {
        ($source:expr => $($to:ident)*) => {
            match out {
                $(Lanes::$to(out) => { map($source, out, As::to); Ok(()) })*
                _ => bug("as", &[a]),
            }
        };
    }
    match a {
        LanesRef::F16(a) => into!(a => F32),
        LanesRef::Bf16(a) => into!(a => F32),
        LanesRef::F32(a) => into!(a => F32 F64 I8 I16 I32 I64 U8 U16 U32 U64),
        LanesRef::F64(a) => into!(a => F32 F64 I8 I16 I32 I64 U8 U16 U32 U64),
        LanesRef::I8(a) => into!(a => F32 F64 I8 I16 I32 I64 U8 U16 U32 U64),
        LanesRef::I16(a) => into!(a => F32 F64 I8 I16 I32 I64 U8 U16 U32 U64),
        LanesRef::I32(a) => into!(a => F32 F64 I8 I16 I32 I64 U8 U16 U32 U64),
        LanesRef::I64(a) => into!(a => F32 F64 I8 I16 I32 I64 U8 U16 U32 U64),
        LanesRef::U8(a) => into!(a => F32 F64 I8 I16 I32 I64 U8 U16 U32 U64),
        LanesRef::U16(a) => into!(a => F32 F64 I8 I16 I32 I64 U8 U16 U32 U64),
        LanesRef::U32(a) => into!(a => F32 F64 I8 I16 I32 I64 U8 U16 U32 U64),
        LanesRef::U64(a) => into!(a => F32 F64 I8 I16 I32 I64 U8 U16 U32 U64),
        LanesRef::Bool(a) => into!(a => I8 I16 I32 I64 U8 U16 U32 U64),
    }
}

/// `out[i] = a[i] * b[i] + c[i]`, rounded once.
#[inline(always)]
pub(super) fn mul_add(
    a: LanesRef<'_>,
    b: LanesRef<'_>,
    c: LanesRef<'_>,
    out: &mut Lanes,
) -> Result<(), LaneError> {
    match (a, b, c, out) {
        (LanesRef::F32(a), LanesRef::F32(b), LanesRef::F32(c), Lanes::F32(out)) => {
            zip3(a, b, c, out, Float::mul_add)
        }
        (LanesRef::F64(a), LanesRef::F64(b), LanesRef::F64(c), Lanes::F64(out)) => {
            zip3(a, b, c, out, Float::mul_add)
        }
        _ => return bug("mul_add", &[a, b, c]),
    }
    Ok(())
}
