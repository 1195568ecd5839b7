//! Integers and `bool`, computed in 128 bits: the low bits of a sum or product equal the wrapped one.

use super::{Elements, Rules, floats};
use reduce_ir::{Scalar, Value};

/// Returns the type in which elements are added.
fn wide(ty: Scalar) -> Scalar {
    match (ty.size(), ty.is_signed()) {
        (8, _) => ty,
        (_, true) => Scalar::I32,
        (_, false) => Scalar::U32,
    }
}

/// Returns the type of magnitudes.
fn unsigned(ty: Scalar) -> Scalar {
    if ty.size() == 8 { Scalar::U64 } else { Scalar::U32 }
}

/// Returns the least and the greatest value.
fn limits(ty: Scalar) -> [i128; 2] {
    let bits = 8 * ty.size() as u32;
    if ty.is_signed() { [-(1 << (bits - 1)), (1 << (bits - 1)) - 1] } else { [0, (1 << bits) - 1] }
}

pub(super) fn reduce(name: &str, ty: Scalar, it: &Elements<i128>, rules: Rules) -> Option<Vec<Value>> {
    let sum =
        |f: fn(i128, i128) -> i128| it.x.iter().zip(&it.y).fold(0i128, |a, (&x, &y)| a.wrapping_add(f(x, y)));
    let (ty_of_sum, number) = match name {
        "sum" if ty == Scalar::Bool => (Scalar::U64, sum(|x, _| x)),
        "sum" => (wide(ty), sum(|x, _| x)),
        "prod" => (wide(ty), it.x.iter().fold(1i128, |a, &x| a.wrapping_mul(x))),
        "dot" if ty.is_signed() => (Scalar::I64, sum(|x, y| x.wrapping_mul(y))),
        "dot" => (Scalar::U64, sum(|x, y| x.wrapping_mul(y))),
        "sum_of_squares" => (Scalar::U64, sum(|x, _| x.wrapping_mul(x))),
        "squared_distance" => (Scalar::U64, sum(|x, y| (x - y).wrapping_mul(x - y))),
        "norm1" => (unsigned(ty), sum(|x, _| x.abs())),
        "norm_inf" => (unsigned(ty), it.x.iter().map(|x| x.abs()).max().unwrap_or(0)),
        _ => return selected(name, ty, it, rules),
    };
    Some(vec![integer(ty_of_sum, number)])
}

fn integer(ty: Scalar, number: i128) -> Value {
    Value::from_bits(ty, number as u64)
}

fn selected(name: &str, ty: Scalar, it: &Elements<i128>, rules: Rules) -> Option<Vec<Value>> {
    let at = |best: usize| Value::of(it.at[best]);
    let (least, most) = (it.best(rules, |a, b| a < b), it.best(rules, |a, b| a > b));
    let own = |number| integer(ty, number);
    let min = least.map_or(limits(ty)[1], |best| it.x[best]);
    let max = most.map_or(limits(ty)[0], |best| it.x[best]);
    let nonzero = it.x.iter().filter(|&&x| x != 0).count();
    Some(match name {
        "min" => vec![own(min)],
        "max" => vec![own(max)],
        "minmax" => vec![own(min), own(max)],
        "argmin" => vec![at(least?)],
        "argmax" => vec![at(most?)],
        "argminmax" => vec![at(least?), at(most?)],
        "findmin" => vec![own(it.x[least?]), at(least?)],
        "findmax" => vec![own(it.x[most?]), at(most?)],
        "first" => vec![own(*it.x.first()?)],
        "last" => vec![own(*it.x.last()?)],
        "and" => vec![own(it.x.iter().fold(-1, |a, x| a & x))],
        "or" => vec![own(it.x.iter().fold(0, |a, x| a | x))],
        "xor" => vec![own(it.x.iter().fold(0, |a, x| a ^ x))],
        "any" => vec![Value::of(nonzero > 0)],
        "all" => vec![Value::of(nonzero == it.x.len())],
        "count" | "count_nonzero" => vec![Value::of(nonzero as u64)],
        _ => return floats::reduce(name, Scalar::F64, in_floats(it), rules),
    })
}

/// Converts small integers, whose sums `f64` holds exactly.
fn in_floats(it: &Elements<i128>) -> Elements<f64> {
    let float = |numbers: &[i128]| numbers.iter().map(|&number| number as f64).collect();
    Elements { at: it.at.clone(), x: float(&it.x), y: float(&it.y), lacks: it.lacks }
}
