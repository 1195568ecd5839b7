//! Right operators that are easy to reject by mistake.

use crate::expr::{Expr, fields, indexed, of, scalar, with_fold, with_identity};
use reduce_dsl::laws::{Effort, Found, Law, check};
use reduce_ir::operation::{Operation, Record};
use reduce_ir::ops::Bin;
use reduce_ir::{Scalar, Value};
use std::slice::from_ref;

/// Count, mean, and sum of squared distances from it (Chan, Golub, LeVeque).
pub(crate) fn welford(ty: Scalar) -> Operation {
    let acc = Record::of("Moments", &[("n", ty), ("mean", ty), ("m2", ty)]);
    let number = |x: &Expr, value: f64| x.is(value).cast(ty);
    of(
        &[ty],
        acc,
        |x| vec![number(&x[0], 1.0), x[0].clone(), number(&x[0], 0.0)],
        |a, b| {
            let n = &a[0] + &b[0];
            let delta = &b[1] - &a[1];
            let share = &b[0] / &n;
            let mean = &a[1] + &delta * &share;
            let m2 = &a[2] + &b[2] + &delta * &delta * &a[0] * &share;
            vec![n, mean, m2]
        },
    )
}

/// The product of 2×2 matrices, row by row.
pub(crate) fn matrix(ty: Scalar) -> Operation {
    fields(ty, ["a", "b", "c", "d"], |l, r| {
        let entry = |row: usize, column: usize| &l[row] * &r[column] + &l[row + 1] * &r[column + 2];
        vec![entry(0, 0), entry(0, 1), entry(2, 0), entry(2, 1)]
    })
}

/// The logarithm of a sum of exponentials, as the maximum and a sum relative to it.
fn logsumexp(ty: Scalar) -> Operation {
    let acc = Record::of("Scaled", &[("max", ty), ("sum", ty)]);
    of(
        &[ty],
        acc,
        |x| vec![x[0].clone(), x[0].is(1.0f64).cast(ty)],
        |a, b| {
            let max = a[0].max(&b[0]);
            let zero = max.is(0.0f64).cast(ty);
            let least = max.is(f64::NEG_INFINITY).cast(ty);
            let shift = max.eq(&least).choose(from_ref(&zero), from_ref(&max)).remove(0);
            let sum = &a[1] * (&a[0] - &shift).exp() + &b[1] * (&b[0] - &shift).exp();
            vec![max, sum]
        },
    )
}

/// The greatest sum of consecutive elements, with the greatest sums at the start and the end of the segment.
fn max_subarray(ty: Scalar) -> Operation {
    let acc = Record::of("Segment", &[("total", ty), ("prefix", ty), ("suffix", ty), ("best", ty)]);
    let max = |a: &Expr, b: &Expr| a.bin(Bin::Max, b);
    of(
        &[ty],
        acc,
        |x| vec![x[0].clone(); 4],
        move |a, b| {
            vec![
                &a[0] + &b[0],
                max(&a[1], &(&a[0] + &b[1])),
                max(&(&a[2] + &b[0]), &b[2]),
                max(&max(&a[3], &b[3]), &(&a[2] + &b[1])),
            ]
        },
    )
}

fn complex(a: &[Expr], b: &[Expr]) -> Vec<Expr> {
    vec![&a[0] * &b[0] - &a[1] * &b[1], &a[0] * &b[1] + &a[1] * &b[0]]
}

fn quaternion(a: &[Expr], b: &[Expr]) -> Vec<Expr> {
    let p = |i: usize, j: usize| &a[i] * &b[j];
    vec![
        p(0, 0) - p(1, 1) - p(2, 2) - p(3, 3),
        p(0, 1) + p(1, 0) + p(2, 3) - p(3, 2),
        p(0, 2) - p(1, 3) + p(2, 0) + p(3, 1),
        p(0, 3) + p(1, 2) - p(2, 1) + p(3, 0),
    ]
}

/// The sum and its error (Knuth's TwoSum).
fn compensated(a: &[Expr], b: &[Expr]) -> Vec<Expr> {
    let sum = &a[0] + &b[0];
    let b_part = &sum - &a[0];
    let error = (&a[0] - (&sum - &b_part)) + (&b[0] - &b_part);
    vec![sum, error + &a[1] + &b[1]]
}

/// x ↦ min(max(x + add, lo), hi), composed.
fn clamps(ty: Scalar) -> Operation {
    let acc = Record::of("Clamp", &[("add", ty), ("lo", ty), ("hi", ty)]);
    of(
        &[ty, ty, ty],
        acc,
        |x| vec![x[0].clone(), x[1].min(&x[2]), x[1].max(&x[2])],
        |a, b| {
            let through = |x: &Expr| (x + &b[0]).max(&b[1]).min(&b[2]);
            vec![&a[0] + &b[0], through(&a[1]), through(&a[2])]
        },
    )
}

/// The two greatest elements; the same one twice if it occurs twice.
fn two_greatest(ty: Scalar) -> Operation {
    let acc = Record::of("Two", &[("first", ty), ("second", ty)]);
    let least = f64::NEG_INFINITY;
    of(
        &[ty],
        acc,
        |x| vec![x[0].clone(), x[0].is(least).cast(ty)],
        |a, b| vec![a[0].max(&b[0]), a[0].min(&b[0]).max(&a[1].max(&b[1]))],
    )
}

/// The number of runs of equal elements.
fn runs(ty: Scalar) -> Operation {
    let acc = Record::of("Runs", &[("first", ty), ("last", ty), ("count", Scalar::U32)]);
    of(
        &[ty],
        acc,
        |x| vec![x[0].clone(), x[0].clone(), x[0].is(1u32)],
        |a, b| {
            let together = &a[2] + &b[2];
            let fewer = &together - together.is(1u32);
            let count = a[1].eq(&b[0]).choose(&[fewer], &[together]).remove(0);
            vec![a[0].clone(), b[1].clone(), count]
        },
    )
}

fn mean() -> Operation {
    let acc = Record::of("Mean", &[("n", Scalar::U64), ("mean", Scalar::F64)]);
    let operation = of(
        &[Scalar::F64],
        acc,
        |x| vec![x[0].is(1u64), x[0].clone()],
        |a, b| {
            let n = &a[0] + &b[0];
            let share = b[0].cast(Scalar::F64) / n.cast(Scalar::F64);
            vec![n, &a[1] + (&b[1] - &a[1]) * share]
        },
    );
    with_fold(operation, |acc, x, step| {
        let n = step + step.is(1u64);
        let mean = &acc[1] + (&x[0] - &acc[1]) / n.cast(Scalar::F64);
        vec![n, mean]
    })
}

/// The larger magnitude of floats, compared by their bits.
fn by_bits() -> Operation {
    scalar(Scalar::F32, |a, b| {
        let larger = a.abs().to_bits().gt(&b.abs().to_bits());
        larger.choose(&[a.abs()], &[b.abs()]).remove(0)
    })
}

/// Returns right operators, with the property whether they commute.
fn right() -> Vec<(&'static str, bool, Operation)> {
    use Scalar::{Bool, F32, F64, I32, I64, U8, U16};
    let [zero, one] = [Value::of(0.0f64), Value::of(1.0f64)];
    vec![
        ("Welford", true, with_identity(welford(F64), [zero; 3])),
        ("Welford of f32", true, welford(F32)),
        ("logsumexp", true, with_identity(logsumexp(F64), [Value::of(f64::NEG_INFINITY), zero])),
        ("logsumexp of f32", true, logsumexp(F32)),
        ("affine composition", false, with_identity(fields(F64, ["a", "b"], affine), [one, zero])),
        ("matrix product", false, with_identity(matrix(F64), [one, zero, zero, one])),
        ("matrix product of integers", false, matrix(I32)),
        ("maximum subarray", false, max_subarray(F32)),
        ("maximum subarray of i32", false, max_subarray(I32)),
        ("maximum subarray of i64", false, max_subarray(I64)),
        ("complex product", true, with_identity(fields(F64, ["re", "im"], complex), [one, zero])),
        ("quaternions", false, fields(F32, ["r", "i", "j", "k"], quaternion)),
        ("compensated sum", true, fields(F32, ["sum", "error"], compensated)),
        ("hypot", true, hypot()),
        ("a + b - ab", true, with_identity(scalar(F64, |a, b| a + b - a * b), [zero])),
        ("a + b + ab / 10", true, scalar(F32, |a, b| a + b + a * b * a.is(0.1f32))),
        ("velocities", true, scalar(F64, |a, b| (a + b) / (a.is(1.0f64) + a * b))),
        ("parallel resistors", true, scalar(F32, |a, b| a * b / (a + b))),
        ("ln(exp a + exp b)", true, scalar(F64, |a, b| (a.exp() + b.exp()).ln())),
        ("clamps", false, clamps(F32)),
        ("the two greatest", true, two_greatest(F32)),
        ("runs", false, runs(I32)),
        ("runs of floats", false, runs(F32)),
        ("mean", true, mean()),
        ("saturating + of u8", true, scalar(U8, |a, b| saturating(a, b, U8))),
        ("saturating + of u16", true, scalar(U16, |a, b| saturating(a, b, U16))),
        ("first", false, scalar(F32, |a, _| a.clone())),
        ("last", false, scalar(Bool, |_, b| b.clone())),
        ("larger magnitude by bits", true, by_bits()),
        (
            "argmin",
            true,
            indexed(I64, |a, b| {
                let tie = a[0].eq(&b[0]).and(&b[1].lt(&a[1]));
                b[0].lt(&a[0]).or(&tie).choose(b, a)
            }),
        ),
    ]
}

fn affine(a: &[Expr], b: &[Expr]) -> Vec<Expr> {
    vec![&a[0] * &b[0], &a[1] * &b[0] + &b[1]]
}

fn saturating(a: &Expr, b: &Expr, ty: Scalar) -> Expr {
    let greatest = u64::MAX >> (64 - 8 * ty.size());
    let sum = a.cast(Scalar::U64) + b.cast(Scalar::U64);
    sum.bin(Bin::Min, &sum.is(greatest)).cast(ty)
}

#[test]
fn right_operators_satisfy_the_laws() {
    for (name, commutes, operation) in right() {
        let said = Operation { commutative: commutes, ..operation };
        for effort in [Effort::Sample, Effort::Thorough] {
            let found = check(&said, effort).unwrap_or_else(|broken| panic!("{name}: {broken}"));
            assert_eq!(found.commutative, commutes, "{name}");
            assert_decided(name, &found);
        }
    }
}

/// Checks that most cases decide something.
fn assert_decided(name: &str, found: &Found) {
    let holds = |law| law != Law::Commutative || found.commutative;
    for checked in found.checked.iter().filter(|checked| holds(checked.law)) {
        let cases = checked.cases;
        let decided = cases.exact + cases.bounded;
        assert!(decided > cases.discarded, "{name}, {}: {cases:?}", checked.law);
    }
}

/// The length of a vector; for one element, its magnitude.
fn hypot() -> Operation {
    let acc = Record::scalar(Scalar::F64);
    of(&[Scalar::F64], acc, |x| vec![x[0].abs()], |a, b| vec![(&a[0] * &a[0] + &b[0] * &b[0]).sqrt()])
}
