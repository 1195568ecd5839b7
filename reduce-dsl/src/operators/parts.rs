//! What the rows are built of.

use super::Built;
use crate::func::{FuncBuilder, Id};
use crate::operation::Record;
use crate::ops::{Bin, Cmp, TypeError, Un};
use crate::{Scalar, Value};

pub(super) fn one(id: Result<Id, TypeError>) -> Built {
    id.map(|id| vec![id])
}

pub(super) fn canonical(f: &mut FuncBuilder, acc: &[Id]) -> Built {
    if f.ty(acc[0]).is_float() { one(f.un(Un::Canonical, acc[0])) } else { Ok(acc.to_vec()) }
}

pub(super) fn best(ty: Scalar) -> Record {
    Record::of("Best", &[("value", ty), ("index", Scalar::U64)])
}

/// The better of two candidates (value, position): NaN before everything, then by `better`, then the
/// lower position. A strict total order on distinct positions, so associative and commutative.
pub(super) fn first_best(f: &mut FuncBuilder, a: &[Id], b: &[Id], better: Better) -> Built {
    let b_first = f.cmp(Cmp::Lt, b[1], a[1])?;
    let (b_better, a_better) = (better(f, b[0], a[0])?, better(f, a[0], b[0])?);
    f.name(b_first, "b_first");
    f.name(b_better, "b_better");
    let not_worse = f.un(Un::Not, a_better)?;
    let tie = f.bin(Bin::And, not_worse, b_first)?;
    let mut take_b = f.bin(Bin::Or, b_better, tie)?;
    if f.ty(a[0]).is_float() {
        take_b = before_nan(f, [a[0], b[0]], b_first, take_b)?;
    }
    f.name(take_b, "take_b");
    Ok(vec![f.select(take_b, b[0], a[0])?, f.select(take_b, b[1], a[1])?])
}

pub(super) type Better = fn(&mut FuncBuilder, Id, Id) -> Result<Id, TypeError>;

/// `otherwise`, unless there is a NaN: then the second is taken if it is the only NaN, or the first of two.
pub(super) fn before_nan(
    f: &mut FuncBuilder,
    [a, b]: [Id; 2],
    b_first: Id,
    otherwise: Id,
) -> Result<Id, TypeError> {
    let (a_nan, b_nan) = (f.un(Un::IsNan, a)?, f.un(Un::IsNan, b)?);
    f.name(a_nan, "a_nan");
    f.name(b_nan, "b_nan");
    let a_number = f.un(Un::Not, a_nan)?;
    let preferred = f.bin(Bin::Or, a_number, b_first)?;
    let take_nan = f.bin(Bin::And, b_nan, preferred)?;
    let some_nan = f.bin(Bin::Or, a_nan, b_nan)?;
    f.select(some_nan, take_nan, otherwise)
}

pub(super) fn is_not_zero(f: &mut FuncBuilder, x: &[Id]) -> Built {
    let x = f.widen(x[0]);
    let zero = f.constant(Value::from_bits(f.ty(x), 0));
    one(f.cmp(Cmp::Ne, x, zero))
}
