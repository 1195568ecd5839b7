//! `exp` and `ln` of the library: the error that its documentation states, and exact values where there are some.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use reduce_ir::arith::Element;
use reduce_ir::func::{Func, FuncBuilder, Param};
use reduce_ir::library::{definition, exp_is_normal, normal_exp};
use reduce_ir::ops::{Bin, Un};
use reduce_ir::{Scalar, Value};
use reduce_lanes::eval::Evaluator;
use reduce_lanes::{Lanes, LanesRef};

/// The function of all of `x`, as bits.
fn apply<T: Element>(op: Un, x: &[T]) -> Vec<u64>
where
    for<'a> LanesRef<'a>: From<&'a [T]>,
{
    evaluated(&definition(op, T::TY).unwrap(), LanesRef::from(x))
}

/// A function of all of `x`, as bits.
fn evaluated(func: &Func, x: LanesRef<'_>) -> Vec<u64> {
    let mut results = [Lanes::empty(func.result_types()[0])];
    Evaluator::new(func).run_into(|_| x, x.len(), &mut results).unwrap();
    (0..x.len()).map(|i| results[0].get(i).bits()).collect()
}

/// Random bits: xorshift64 (Marsaglia 2003).
fn random(count: usize) -> impl Iterator<Item = u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    })
    .take(count)
}

/// Random bits, and numbers of the range in which results are finite, half around 1.
fn arguments(op: Un, count: usize) -> Vec<f64> {
    let of = |bits: u64| {
        let unit = (bits >> 12) as f64 / (1u64 << 52) as f64;
        match (bits % 4, op) {
            (0 | 1, _) => f64::from_bits(bits),
            (2, Un::Exp) => 1500.0 * unit - 750.0,
            (2, _) => 2.0 * unit,
            _ => 1.0 + (unit - 0.5) / 64.0,
        }
    };
    random(count).map(of).collect()
}

/// The distance between neighbouring `f32` around `exact`.
fn ulp(exact: f64) -> f64 {
    let exponent = (exact.abs().to_bits() >> 52) as i32 - 1023;
    2f64.powi(exponent.max(-126) - 23)
}

#[test]
fn f32_is_as_precise_as_documented() {
    for (op, exact, most) in [(Un::Exp, f64::exp as fn(f64) -> f64, 0.892), (Un::Ln, f64::ln, 0.854)] {
        let random = random(1 << 20).map(|bits| f32::from_bits(bits as u32));
        // Of random bits, hardly any have a result that is neither 0 nor 1 nor infinite.
        let x: Vec<f32> = random.chain(arguments(op, 1 << 20).into_iter().map(|x| x as f32)).collect();
        let mut worst = 0f64;
        for (&x, y) in x.iter().zip(apply(op, &x)) {
            let (y, exact) = (f32::from_bits(y as u32), exact(f64::from(x)));
            if (exact as f32).is_finite() && exact.is_finite() {
                let error = (f64::from(y) - exact).abs() / ulp(exact);
                assert!(error < most, "{op}({x:e}) = {y:e}, not {exact:e}: {error} ulp");
                worst = worst.max(error);
            } else {
                let expected = Value::of(exact as f32);
                assert!(expected.is_nan() && y.is_nan() || expected == Value::of(y), "{op}({x:e}) = {y:e}");
            }
        }
        assert!(worst > 0.6, "the samples of {op} show an error of {worst} only");
    }
}

/// Where it is neither subnormal nor infinite, `exp` has a function of fewer operations, and the same bits.
#[test]
fn normal_exponentials_have_the_same_bits() {
    fn check<T: Element + std::fmt::Debug>([least, most]: [f64; 2], of: fn(f64) -> T)
    where
        for<'a> LanesRef<'a>: From<&'a [T]>,
    {
        let steps = (0..=1 << 20).map(|step| least + (most - least) * f64::from(step) / f64::from(1 << 20));
        let small = arguments(Un::Exp, 1 << 20).into_iter().filter(|x| (least..=most).contains(x));
        let x: Vec<T> = steps.chain(small).map(of).collect();
        let normal = evaluated(&normal_exp(T::TY).unwrap(), LanesRef::from(x.as_slice()));
        for (x, (normal, y)) in x.iter().zip(normal.into_iter().zip(apply(Un::Exp, &x))) {
            assert_eq!(normal, y, "exp({x:?})");
        }
    }
    check([-87.0, 88.0], |x| x as f32);
    check([-708.0, 709.0], |x| x);
}

/// It is taken where constants limit the argument, and nowhere else.
#[test]
fn what_is_known_to_have_a_normal_exponential() {
    let is_normal = |steps: &[(Bin, f32)]| {
        let mut f = FuncBuilder::new(vec![Param::new("x", Scalar::F32)]);
        let x = f.params()[0];
        let end = steps.iter().fold(x, |x, &(op, limit)| {
            let limit = f.constant(Value::of(limit));
            f.bin(op, x, limit).unwrap()
        });
        let func = f.build(vec![end]);
        exp_is_normal(&func, func.results()[0])
    };
    let (min, max) = (Bin::MinNum, Bin::MaxNum);
    assert!(is_normal(&[(min, 88.0), (max, -87.0)]));
    assert!(is_normal(&[(max, -87.0), (min, 88.0)]));
    assert!(is_normal(&[(max, -100.0), (min, 0.0), (max, -3.0)]));
    assert!(is_normal(&[(min, -200.0), (max, -87.0)]), "-87 and nothing else");
    for steps in
        [&[][..], &[(min, 88.0)], &[(max, -87.0)], &[(min, 88.0), (max, -87.1)], &[(min, 88.1), (max, -87.0)]]
    {
        assert!(!is_normal(steps), "{steps:?}");
    }
    assert!(
        !is_normal(&[(Bin::Min, 0.0), (max, -87.0), (Bin::Max, -50.0)]),
        "`minimum` and `maximum` keep NaN"
    );
    assert!(!is_normal(&[(min, f32::NAN), (max, -87.0)]), "NaN limits nothing");
}

/// The position of a float among all.
fn ordinal(x: f64) -> i64 {
    let bits = x.to_bits().cast_signed();
    bits ^ ((bits >> 63) & i64::MAX)
}

/// An error below 0.9, and one of less than 1.1 of the system's function, are less than 2 together.
#[test]
fn f64_is_next_to_what_the_system_gives() {
    for (op, system) in [(Un::Exp, f64::exp as fn(f64) -> f64), (Un::Ln, f64::ln)] {
        let x = arguments(op, 1 << 20);
        let y = apply(op, &x).into_iter().map(f64::from_bits);
        for (&x, y) in x.iter().zip(y) {
            let expected = system(x);
            let near = ordinal(y).abs_diff(ordinal(expected)) <= 1;
            assert!(near || y.is_nan() && expected.is_nan(), "{op}({x:e}) = {y:e}, not {expected:e}");
        }
    }
}

#[test]
fn exact_values_are_exact() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let exp = [(0.0, 1.0), (-0.0, 1.0), (inf, inf), (-inf, 0.0), (nan, nan), (-nan, nan), (1e300, inf)];
    let ln = [(1.0, 0.0), (0.0, -inf), (-0.0, -inf), (inf, inf), (-inf, nan), (-1.0, nan), (nan, nan)];
    for (op, cases) in [(Un::Exp, exp), (Un::Ln, ln)] {
        let (x, y): (Vec<f64>, Vec<f64>) = cases.into_iter().unzip();
        let single: Vec<f32> = x.iter().map(|&x| x as f32).collect();
        let (double, single) = (apply(op, &x), apply(op, &single));
        for (at, &y) in y.iter().enumerate() {
            let [double, single] = [(Scalar::F64, double[at]), (Scalar::F32, single[at])]
                .map(|(ty, bits)| Value::from_bits(ty, bits).as_f64().unwrap());
            let is = |found: f64| found.to_bits() == y.to_bits() || found.is_nan() && y.is_nan();
            assert!(is(double) && is(single), "{op}({}) = {double}, {single}", x[at]);
        }
    }
}

/// What the loops compute has the bits of the function as it is written out.
#[test]
fn loops_have_the_bits_of_the_function() {
    fn check<T: Element + std::fmt::Debug>(x: &[T])
    where
        for<'a> LanesRef<'a>: From<&'a [T]>,
    {
        for op in [Un::Exp, Un::Ln] {
            let mut f = FuncBuilder::new(vec![Param::new("x", T::TY)]);
            let y = f.un(op, f.params()[0]).unwrap();
            let by_loops = evaluated(&f.build(vec![y]), LanesRef::from(x));
            for (x, (found, expected)) in x.iter().zip(by_loops.into_iter().zip(apply(op, x))) {
                let [found, expected] = [found, expected].map(|bits| Value::from_bits(T::TY, bits));
                assert!(found == expected || found.is_nan() && expected.is_nan(), "{op} of {x:?} is {found}");
            }
        }
    }
    let all: Vec<f32> = (0..=u32::MAX).step_by(1021).map(f32::from_bits).collect();
    check(&all);
    check(&[0.0f32, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1.0, -104.0, 88.72284, 88.72283]);
    for op in [Un::Exp, Un::Ln] {
        let x = arguments(op, 1 << 20);
        check(&x);
        check(&x.into_iter().map(|x| x as f32).collect::<Vec<_>>());
    }
    check(&[0.0f64, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1.0, -746.0, 709.782712893384, 710.0]);
}

/// The evaluator calls what it finds in a function.
#[test]
fn functions_are_called() {
    let mut f = FuncBuilder::new(vec![Param::new("x", Scalar::F64)]);
    let x = f.params()[0];
    let ln = f.un(Un::Ln, x).unwrap();
    let twice = f.un(Un::Exp, ln).unwrap();
    let there_and_back = f.build(vec![twice]);
    let x = Lanes::from(vec![0.5, 1.0, 3.0]);
    let expected: Vec<u64> =
        apply(Un::Exp, &apply(Un::Ln, &[0.5, 1.0, 3.0]).into_iter().map(f64::from_bits).collect::<Vec<_>>());
    assert_eq!(evaluated(&there_and_back, x.borrow()), expected);
}
