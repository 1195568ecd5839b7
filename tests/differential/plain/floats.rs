//! Floats, computed in `f64`, which holds every smaller float and every exact sum of the tests.

use super::{Elements, Rules, float};
use reduce_ir::{Scalar, Value};

/// Returns the minimum and the maximum, also for no elements.
fn extremes(x: &[f64], rules: Rules) -> [f64; 2] {
    let of_empty = if rules.ignore { [f64::NAN; 2] } else { [f64::INFINITY, f64::NEG_INFINITY] };
    if x.iter().any(|it| it.is_nan()) {
        return [f64::NAN; 2];
    }
    // Without NaN, the total order is the numeric order with −0 below +0.
    let min = x.iter().copied().min_by(f64::total_cmp).unwrap_or(of_empty[0]);
    let max = x.iter().copied().max_by(f64::total_cmp).unwrap_or(of_empty[1]);
    [min, max]
}

fn smaller(a: f64, b: f64) -> bool {
    a.is_nan() && !b.is_nan() || a < b
}

fn larger(a: f64, b: f64) -> bool {
    a.is_nan() && !b.is_nan() || a > b
}

pub(super) fn reduce(name: &str, ty: Scalar, it: Elements<f64>, rules: Rules) -> Option<Vec<Value>> {
    let wide = if ty == Scalar::F64 { ty } else { Scalar::F32 };
    // Only a sum of −0.0 without removed elements is −0.0.
    let zero = if it.lacks || it.x.is_empty() { 0.0 } else { -0.0 };
    let sum = |terms: Vec<f64>| terms.into_iter().fold(zero, |a, b| a + b);
    let positive_sum = |terms: Vec<f64>| terms.into_iter().fold(0.0, |a, b| a + b);
    let pairs = |f: fn(f64, f64) -> f64| it.x.iter().zip(&it.y).map(|(&x, &y)| f(x, y)).collect::<Vec<_>>();
    let squares = || positive_sum(it.x.iter().map(|x| x * x).collect());
    let number = match name {
        "sum" | "sum_compensated" => sum(it.x.clone()),
        "prod" => it.x.iter().product(),
        "dot" => sum(pairs(|x, y| x * y)),
        "squared_distance" => positive_sum(pairs(|x, y| (x - y) * (x - y))),
        "sum_of_squares" => squares(),
        "norm1" => positive_sum(it.x.iter().map(|x| x.abs()).collect()),
        "norm2" => squares().sqrt(),
        "norm_inf" if it.x.iter().any(|x| x.is_nan()) => f64::NAN,
        "norm_inf" => it.x.iter().map(|x| x.abs()).fold(0.0, f64::max),
        "mean" => sum(it.x.clone()) / it.x.len() as f64,
        "weighted_mean" => sum(pairs(|x, y| x * y)) / sum(it.y.clone()),
        _ => return selected(name, ty, &it, rules),
    };
    Some(vec![float(wide, number)])
}

fn selected(name: &str, ty: Scalar, it: &Elements<f64>, rules: Rules) -> Option<Vec<Value>> {
    let [min, max] = extremes(&it.x, rules);
    let at = |best: usize| Value::of(it.at[best]);
    let (least, most) = (it.best(rules, smaller), it.best(rules, larger));
    Some(match name {
        "min" => vec![float(ty, min)],
        "max" => vec![float(ty, max)],
        "minmax" => vec![float(ty, min), float(ty, max)],
        "argmin" => vec![at(least?)],
        "argmax" => vec![at(most?)],
        "argminmax" => vec![at(least?), at(most?)],
        "findmin" => vec![float(ty, it.x[least?]), at(least?)],
        "findmax" => vec![float(ty, it.x[most?]), at(most?)],
        "first" => vec![float(ty, *it.x.first()?)],
        "last" => vec![float(ty, *it.x.last()?)],
        "any" => vec![Value::of(it.x.iter().any(|&x| x != 0.0))],
        "all" => vec![Value::of(it.x.iter().all(|&x| x != 0.0))],
        "count_nonzero" => vec![Value::of(it.x.iter().filter(|&&x| x != 0.0).count() as u64)],
        other => panic!("no plain loop for `{other}` of {ty}"),
    })
}
