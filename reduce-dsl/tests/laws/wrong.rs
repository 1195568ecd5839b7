//! Tests that wrong operators are rejected with a valid counterexample.

use crate::expr::{Expr, commutative, fields, indexed, of, scalar, with_fold, with_identity};
use crate::right::{matrix, welford};
use reduce_dsl::laws::{Cause, Counterexample, Effort, Law, check};
use reduce_ir::func::Func;
use reduce_ir::operation::{Argument, Operation, Record};
use reduce_ir::ops::Bin;
use reduce_ir::{Scalar, Value};
use std::slice::from_ref;

type Wrong = (&'static str, Operation);

fn average(a: &Expr, b: &Expr) -> Expr {
    (a + b) / a.is(2.0f64)
}

fn saturating(ty: Scalar, least: i64, greatest: i64) -> Operation {
    scalar(ty, |a, b| {
        let sum = a.cast(Scalar::I64) + b.cast(Scalar::I64);
        let below = sum.bin(Bin::Min, &sum.is(greatest));
        below.bin(Bin::Max, &sum.is(least)).cast(ty)
    })
}

fn floats() -> Vec<Wrong> {
    use Scalar::{F32, F64};
    vec![
        ("a - b", scalar(F32, |a, b| a - b)),
        ("a / b", scalar(F32, |a, b| a / b)),
        ("(a + b) / 2", scalar(F64, average)),
        ("a * b + 1", scalar(F32, |a, b| a * b + a.is(1.0f32))),
        ("(a + 1) * (b + 1)", scalar(F64, |a, b| (a + a.is(1.0f64)) * (b + a.is(1.0f64)))),
        ("sqrt(a * a + b)", scalar(F64, |a, b| (a * a + b.abs()).sqrt())),
        ("a * a + b, fused", scalar(F32, |a, b| a.mul_add(a, b))),
        ("|a - b|", scalar(F32, |a, b| (a - b).abs())),
        ("min(a, b) + 1", scalar(F32, |a, b| a.min(b) + a.is(1.0f32))),
        ("floor(a + b)", scalar(F32, |a, b| (a + b).floor())),
        ("ln(exp(a) + b)", scalar(F64, |a, b| (a.exp() + b.abs()).ln())),
        ("exp(a) * b", scalar(F32, |a, b| a.exp() * b)),
        ("2ab / (a + b)", scalar(F64, |a, b| a.is(2.0f64) * a * b / (a + b))),
        ("0.9 a + 0.1 b", scalar(F32, |a, b| a.is(0.9f32) * a + a.is(0.1f32) * b)),
        ("a + b beyond a tenth", scalar(F64, |a, b| a + b + a.is(1e-9f64) * (a - b))),
        ("Welford without the cross term", without_cross_term()),
        (
            "means without weights",
            fields(F64, ["n", "mean"], |a, b| vec![&a[0] + &b[0], average(&a[1], &b[1])]),
        ),
        ("cross product", fields(F32, ["x", "y", "z"], cross)),
        (
            "the complex product of a and the conjugate of b",
            fields(F32, ["re", "im"], |a, b| {
                vec![&a[0] * &b[0] + &a[1] * &b[1], &a[1] * &b[0] - &a[0] * &b[1]]
            }),
        ),
    ]
}

fn integers() -> Vec<Wrong> {
    use Scalar::{Bool, I8, I16, I32, I64, U8, U32, U64};
    vec![
        ("a - b of i32", scalar(I32, |a, b| a - b)),
        ("a + 2 b", scalar(U32, |a, b| a + b + b)),
        ("31 a + b", scalar(U64, |a, b| a * a.is(31u64) + b)),
        ("a * a * b", scalar(I64, |a, b| a * a * b)),
        ("saturating +", saturating(I32, i32::MIN.into(), i32::MAX.into())),
        ("saturating + of i8", saturating(I8, i8::MIN.into(), i8::MAX.into())),
        ("saturating + of i16", saturating(I16, i16::MIN.into(), i16::MAX.into())),
        ("halves", scalar(U8, |a, b| half(a) + half(b))),
        ("a hash of u32", scalar(U32, |a, b| a.bin(Bin::Xor, b) * a.is(16_777_619u32))),
        ("a hash of u8", scalar(U8, |a, b| a.bin(Bin::Xor, b) * a.is(77u8))),
        ("a + b, but for 1000", scalar(I32, |a, b| one(a.eq(&a.is(1000i32)).choose(from_ref(b), &[a + b])))),
        ("a implies b", scalar(Bool, |a, b| a.eq(&a.is(false)).or(b))),
        ("neither", scalar(Bool, |a, b| a.or(b).eq(&a.is(false)))),
    ]
}

fn half(a: &Expr) -> Expr {
    a.bin(Bin::Shr, &a.is(1u32))
}

fn cross(a: &[Expr], b: &[Expr]) -> Vec<Expr> {
    let minor = |i: usize, j: usize| &a[i] * &b[j] - &a[j] * &b[i];
    vec![minor(1, 2), minor(2, 0), minor(0, 1)]
}

fn without_cross_term() -> Operation {
    let acc = Record::of("Moments", &[("n", Scalar::F64), ("mean", Scalar::F64), ("m2", Scalar::F64)]);
    of(
        &[Scalar::F64],
        acc,
        |x| vec![x[0].is(1.0f64), x[0].clone(), x[0].is(0.0f64)],
        |a, b| {
            let n = &a[0] + &b[0];
            let delta = &b[1] - &a[1];
            let mean = &a[1] + &delta * (&b[0] / &n);
            let m2 = &a[2] + &b[2] + &delta * &delta;
            vec![n, mean, m2]
        },
    )
}

fn identities() -> Vec<Wrong> {
    use Scalar::{Bool, F32, F64, I32, U8};
    let max = || scalar(F32, Expr::max);
    let min = || scalar(F32, |a, b| a.bin(Bin::Min, b));
    let zero = Value::of(0.0f64);
    vec![
        ("0 of max", with_identity(max(), [Value::of(0.0f32)])),
        ("the least number of max", with_identity(max(), [Value::of(f32::MIN)])),
        ("-infinity of min", with_identity(min(), [Value::of(f32::NEG_INFINITY)])),
        ("the greatest number of min", with_identity(min(), [Value::of(f32::MAX)])),
        ("0 of min of u8", with_identity(scalar(U8, |a, b| a.bin(Bin::Min, b)), [Value::of(0u8)])),
        ("1 of +", with_identity(scalar(I32, |a, b| a + b), [Value::of(1i32)])),
        ("0 of *", with_identity(scalar(F32, |a, b| a * b), [Value::of(0.0f32)])),
        ("true of or", with_identity(scalar(Bool, Expr::or), [Value::of(true)])),
        ("all ones of xor", with_identity(scalar(U8, |a, b| a.bin(Bin::Xor, b)), [Value::of(u8::MAX)])),
        ("a count of 1", with_identity(welford(F64), [Value::of(1.0f64), zero, zero])),
        ("ones of a matrix", with_identity(matrix(F64), [Value::of(1.0f64); 4])),
        ("1 of 1 + a + b", with_identity(scalar(F64, |a, b| a + b + a.is(1.0f64)), [Value::of(1.0f64)])),
        ("NaN of +", with_identity(scalar(F32, |a, b| a + b), [Value::of(f32::NAN)])),
        ("NaN of *", with_identity(scalar(F64, |a, b| a * b), [Value::of(f64::NAN)])),
        (
            "infinity of parallel resistors",
            with_identity(scalar(F64, |a, b| a * b / (a + b)), [Value::of(f64::INFINITY)]),
        ),
        ("0 of NaN", with_identity(scalar(F32, |a, _| a.is(f32::NAN)), [Value::of(0.0f32)])),
        (
            "0 of (a - 1) + (b - 1)",
            with_identity(scalar(U8, |a, b| (a - a.is(1u8)) + (b - b.is(1u8))), [Value::of(0u8)]),
        ),
        ("+0 as fill of +", Operation { fill: Some(vec![Value::of(0.0f32)]), ..scalar(F32, |a, b| a + b) }),
    ]
}

fn orders() -> Vec<Wrong> {
    use Scalar::{F32, F64, I32, I64, U32};
    vec![
        ("first", scalar(F32, |a, _| a.clone())),
        ("last", scalar(I32, |_, b| b.clone())),
        (
            "the first that is not 0",
            scalar(I32, |a, b| one(a.eq(&a.is(0i32)).choose(from_ref(b), from_ref(a)))),
        ),
        ("if a > b, with two zeros", scalar(F32, |a, b| one(a.gt(b).choose(from_ref(a), from_ref(b))))),
        ("matrix product", matrix(I32)),
        ("matrix product of floats", matrix(F64)),
        ("digits", fields(U32, ["value", "scale"], |a, b| vec![&a[0] * &b[1] + &b[0], &a[1] * &b[1]])),
        ("affine composition", fields(F32, ["a", "b"], |a, b| vec![&a[0] * &b[0], &a[1] * &b[0] + &b[1]])),
        ("the greatest, ties to the left", indexed(I64, |a, b| b[0].gt(&a[0]).choose(b, a))),
        (
            "the farther from 0",
            scalar(F64, |a, b| one(a.abs().gt(&b.abs()).choose(from_ref(a), from_ref(b)))),
        ),
    ]
}

fn one(mut fields: Vec<Expr>) -> Expr {
    fields.remove(0)
}

fn folds() -> Vec<Wrong> {
    use Scalar::{F32, F64, I32, U64};
    let norm = || of(&[F32], Record::scalar(F32), |x| vec![x[0].abs()], |a, b| vec![&a[0] + &b[0]]);
    let mean = Record::of("Mean", &[("n", U64), ("mean", F64)]);
    let weighted = of(
        &[F64],
        mean,
        |x| vec![x[0].is(1u64), x[0].clone()],
        |a, b| {
            let n = &a[0] + &b[0];
            let share = b[0].cast(F64) / n.cast(F64);
            vec![n, &a[1] + (&b[1] - &a[1]) * share]
        },
    );
    vec![
        ("without map", with_fold(norm(), |acc, x, _| vec![&acc[0] + &x[0]])),
        ("another op", with_fold(norm(), |acc, x, _| vec![&acc[0] * x[0].abs()])),
        ("squares", with_fold(norm(), |acc, x, _| vec![x[0].mul_add(&x[0], &acc[0])])),
        ("nothing", with_fold(norm(), |acc, _, _| acc.to_vec())),
        (
            "a mean one step behind",
            with_fold(weighted.clone(), |acc, x, step| {
                vec![step + step.is(1u64), &acc[1] + (&x[0] - &acc[1]) / step.cast(F64)]
            }),
        ),
        (
            "a count that stands still",
            with_fold(weighted, |acc, x, step| {
                let next = (step + step.is(1u64)).cast(F64);
                vec![acc[0].clone(), &acc[1] + (&x[0] - &acc[1]) / next]
            }),
        ),
        ("NaN", with_fold(norm(), |acc, _, _| vec![acc[0].is(f32::NAN)])),
        (
            "the first five",
            with_fold(scalar(I32, |a, b| a + b), |acc, x, step| {
                step.lt(&step.is(5u64)).choose(&[&acc[0] + &x[0]], acc)
            }),
        ),
        ("the wrong way round", with_fold(scalar(I32, |_, b| b.clone()), |acc, _, _| acc.to_vec())),
    ]
}

/// Checks that the operation breaks that law at both efforts, and that the operation yields both sides of the
/// counterexample.
fn assert_broken(law: Law, wrong: Vec<Wrong>) {
    for (name, operation) in wrong {
        for effort in [Effort::Sample, Effort::Thorough] {
            let broken = check(&operation, effort).map(|found| panic!("{name}: {found:?}")).unwrap_err();
            assert_eq!(broken.law, law, "{name}: {broken}");
            let sides = again(&operation, law, &broken.counterexample);
            let Counterexample { left, right, .. } = &broken.counterexample;
            assert_eq!(sides, [left.values.clone(), right.values.clone()], "{name}: {broken}");
            let is_same = |(a, b): (&Value, &Value)| a == b || a.is_nan() && b.is_nan();
            assert!(!sides[0].iter().zip(&sides[1]).all(is_same), "{name}: {broken}");
        }
    }
}

/// Computes both sides with `Func::evaluate`.
fn again(operation: &Operation, law: Law, example: &Counterexample) -> [Vec<Value>; 2] {
    let run = |func, args: &[Value]| Func::evaluate(func, args).unwrap();
    let op = |a: &Vec<Value>, b: &Vec<Value>| run(&operation.combine, &[a.clone(), b.clone()].concat());
    let neutral = || operation.fill.clone().or(operation.identity.clone()).unwrap();
    match (law, example.operands.as_slice()) {
        (Law::Associative, [a, b, c]) => [op(&op(a, b), c), op(a, &op(b, c))],
        (Law::Commutative, [a, b]) => [op(a, b), op(b, a)],
        (Law::Identity, [a]) if example.left.values == op(a, &neutral()) => [op(a, &neutral()), a.clone()],
        (Law::Identity, [a]) => [op(&neutral(), a), a.clone()],
        (Law::Fold, [first, rest @ ..]) => {
            let map = |x: &Vec<Value>| run(&operation.map, x);
            let fold = |(acc, step): (Vec<Value>, u64), x: &Vec<Value>| {
                let given = |argument: &Argument| match *argument {
                    Argument::Acc(field) => acc[field],
                    Argument::Input(input) => x[input],
                    Argument::Step => Value::of(step),
                    Argument::Index | Argument::Group | Argument::Count | Argument::Param(_) => {
                        unreachable!("not used here")
                    }
                };
                let given: Vec<_> = operation.fold_arguments().unwrap().iter().map(given).collect();
                (run(operation.fold.as_ref().unwrap(), &given), step + 1)
            };
            let folded = rest.iter().fold((map(first), 1), fold).0;
            [folded, rest.iter().fold(map(first), |acc, x| op(&acc, &map(x)))]
        }
        (law, operands) => panic!("{law} of {} operands", operands.len()),
    }
}

#[test]
fn operators_that_are_not_associative() {
    assert_broken(Law::Associative, floats());
    assert_broken(Law::Associative, integers());
}

#[test]
fn identities_that_are_not_neutral() {
    assert_broken(Law::Identity, identities());
}

#[test]
fn operators_that_are_said_to_be_commutative() {
    for (name, operation) in orders() {
        assert!(!check(&operation, Effort::Sample).unwrap().commutative, "{name}");
        assert_broken(Law::Commutative, vec![(name, commutative(operation))]);
    }
}

#[test]
fn folds_that_are_another_function() {
    assert_broken(Law::Fold, folds());
}

#[test]
fn one_sentence_says_what_is_broken() {
    let texts = [
        scalar(Scalar::I32, |a, b| a - b),
        with_identity(scalar(Scalar::I32, |a, b| a.bin(Bin::Max, b)), [Value::of(0i32)]),
        commutative(fields(Scalar::F32, ["lo", "hi"], |a, b| vec![a[0].clone(), b[1].clone()])),
        folds().remove(0).1,
    ]
    .map(|operation| check(&operation, Effort::Sample).unwrap_err().to_string());
    insta::assert_snapshot!(texts.join("\n"));
}

/// CUB's `arg_reduce_op`, whose result depends on the position of a NaN.
#[test]
fn nan_that_depends_on_order_is_reported() {
    let arg_min = indexed(Scalar::F32, |a, b| {
        let tie = a[0].eq(&b[0]).and(&b[1].lt(&a[1]));
        b[0].lt(&a[0]).or(&tie).choose(b, a)
    });
    let arg_max = indexed(Scalar::F64, |a, b| b[0].gt(&a[0]).choose(b, a));
    let greater = scalar(Scalar::F32, |a, b| one(a.gt(b).choose(from_ref(a), from_ref(b))));
    for operation in [arg_min, arg_max, greater] {
        for effort in [Effort::Sample, Effort::Thorough] {
            let found = check(&operation, effort).unwrap();
            let example = found.remark(Cause::Nan).unwrap().counterexample.clone();
            assert!(example.operands.iter().flatten().any(|value| value.is_nan()), "{example}");
            let sides = again(&operation, Law::Associative, &example);
            assert_eq!(sides, [example.left.values, example.right.values]);
            assert!(!found.exact);
        }
    }
}
