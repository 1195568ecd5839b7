//! Tests every special value that `docs/operators.md` names.

use super::ways::{How, IGNORE, USUAL, result, result_of_pairs, results, scalar};
use reduce_dsl::operators::{OPERATORS, operator};
use reduce_ir::{Scalar, Value, bf16};

const INFINITY: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;

fn is_nan(name: &str, how: How, x: &[f32]) {
    let found = result(name, how, x).unwrap_or_else(|| panic!("{name} of {x:?} has no result"));
    assert_eq!(found[0], Value::from_bits(Scalar::F32, 0x7fc0_0000), "{name} of {x:?}");
}

/// The rows that return floats for floats.
const FLOATS: [&str; 19] = [
    "sum",
    "sum_compensated",
    "prod",
    "sum_of_squares",
    "norm1",
    "norm2",
    "norm_inf",
    "min",
    "max",
    "minmax",
    "findmin",
    "findmax",
    "first",
    "last",
    "mean",
    "var",
    "std",
    "logsumexp",
    "softmax_denominator",
];

#[test]
fn nan_is_in_the_result_with_the_bits_of_the_contract() {
    for name in FLOATS {
        is_nan(name, USUAL, &[f32::from_bits(0xffc1_2345)]);
        let x = [f32::from_bits(0xffc1_2345), 1.0, f32::from_bits(0x7f80_0001)];
        is_nan(name, USUAL, &x);
    }
    for row in OPERATORS.iter().filter(|row| FLOATS.contains(&row.name) && row.commutative) {
        for x in [[NAN, 1.0, 2.0], [1.0, NAN, 2.0], [1.0, 2.0, NAN]] {
            is_nan(row.name, USUAL, &x);
        }
    }
    let described = result("describe", USUAL, &[1.0, NAN]).unwrap();
    let nan = Value::from_bits(Scalar::F32, 0x7fc0_0000);
    assert_eq!(described, [Value::of(2u64), nan, nan, nan, nan]);
}

#[test]
fn nan_that_is_ignored_is_no_element() {
    for row in OPERATORS.iter().filter(|row| row.takes(Scalar::F32) && row.inputs == 1) {
        // The NaN is last, so that positions stay. Two numbers round alike in every grouping.
        let with = result(row.name, IGNORE, &[3.0f32, -2.0, NAN]);
        let without = result(row.name, USUAL, &[3.0f32, -2.0]);
        assert_eq!(with, without, "{}", row.name);
        assert_eq!(with, result(row.name, IGNORE, &[3.0f32, -2.0]), "{}", row.name);
    }
    let with = [(NAN, 1.0), (2.0, 3.0), (1.0, NAN), (4.0, 5.0)];
    let without = [(2.0f32, 3.0f32), (4.0, 5.0)];
    for name in ["dot", "squared_distance", "weighted_mean"] {
        assert_eq!(result_of_pairs(name, IGNORE, &with), result_of_pairs(name, USUAL, &without), "{name}");
    }
}

#[test]
fn all_nan_that_is_ignored_is_nothing() {
    for row in OPERATORS.iter().filter(|row| row.takes(Scalar::F32) && row.inputs == 1) {
        let nothing = result::<f32>(row.name, IGNORE, &[]);
        assert_eq!(result(row.name, IGNORE, &[NAN; 3]), nothing, "{}", row.name);
    }
    for name in ["argmin", "argmax", "argminmax", "findmin", "findmax", "first", "last"] {
        assert_eq!(result(name, IGNORE, &[NAN; 3]), None, "{name}");
    }
    for name in ["min", "max", "minmax", "mean", "var", "std"] {
        is_nan(name, IGNORE, &[NAN; 3]);
    }
}

#[test]
fn nothing_has_the_value_of_the_identity() {
    for (name, value) in [
        ("sum", 0.0),
        ("sum_compensated", 0.0),
        ("prod", 1.0),
        ("sum_of_squares", 0.0),
        ("norm1", 0.0),
        ("norm2", 0.0),
        ("norm_inf", 0.0),
        ("min", INFINITY),
        ("max", -INFINITY),
        ("logsumexp", -INFINITY),
    ] {
        assert_eq!(result::<f32>(name, USUAL, &[]), Some(vec![Value::of(value)]), "{name}");
    }
    ["mean", "var", "std"].into_iter().for_each(|name| is_nan(name, USUAL, &[]));
    let described = result::<f32>("describe", USUAL, &[]).unwrap();
    let wanted = [0.0, INFINITY, -INFINITY].map(Value::of);
    assert_eq!(described[0], Value::of(0u64));
    assert_eq!(described[1], Value::from_bits(Scalar::F32, 0x7fc0_0000));
    assert_eq!(described[2..], wanted);
    let sums = result::<f32>("softmax_denominator", USUAL, &[]).unwrap();
    assert_eq!(sums, [Value::of(-INFINITY), Value::of(0.0f32)]);
    assert!(scalar::<f32, bool>("all", USUAL, &[]));
    assert!(!scalar::<f32, bool>("any", USUAL, &[]));
    assert_eq!(scalar::<bool, u64>("count", USUAL, &[]), 0);
    assert_eq!(result::<f32>("argmax", USUAL, &[]), None);
    assert_eq!(result::<i32>("min", USUAL, &[]), Some(vec![Value::of(i32::MAX)]));
}

#[test]
fn a_compensated_sum_keeps_rounding_errors() {
    assert_eq!(scalar::<f32, f32>("sum_compensated", USUAL, &[1e8, 1.0, -1e8]), 1.0);
    let ones = [f64::MAX, 1.0, -f64::MAX];
    assert_eq!(scalar::<f64, f64>("sum_compensated", USUAL, &ones), 1.0);
    // With 24 bits, 2^24 + 1 is rounded to 2^24.
    let many = [[16_777_216.0f32].as_slice(), &[1.0; 7]].concat();
    assert_eq!(scalar::<f32, f64>("sum", How { acc: Some(Scalar::F64), ..USUAL }, &many), 16_777_223.0);
    assert_eq!(scalar::<bf16, f32>("sum_compensated", USUAL, &[bf16::from_f32(256.0), bf16::ONE]), 257.0);
}

#[test]
fn a_compensated_sum_of_infinities_is_that_of_infinities() {
    assert_eq!(scalar::<f32, f32>("sum_compensated", USUAL, &[1.0, INFINITY, 2.0]), INFINITY);
    assert_eq!(scalar::<f32, f32>("sum_compensated", USUAL, &[-INFINITY, -INFINITY, 1.0]), -INFINITY);
    is_nan("sum_compensated", USUAL, &[INFINITY, 1.0, -INFINITY]);
    assert_eq!(scalar::<f32, f32>("sum_compensated", USUAL, &[f32::MAX, f32::MAX]), INFINITY);
}

#[test]
fn moments_of_infinities_are_nan() {
    for x in [&[INFINITY][..], &[1.0, INFINITY], &[INFINITY, 1.0, 2.0], &[INFINITY, -INFINITY]] {
        is_nan("var", USUAL, x);
        is_nan("std", USUAL, x);
    }
    assert_eq!(scalar::<f32, f32>("mean", USUAL, &[1.0, INFINITY]), INFINITY);
    is_nan("mean", USUAL, &[INFINITY, -INFINITY]);
}

#[test]
fn an_infinite_element_is_described_wherever_it_stands() {
    let mut many = vec![1.0; 300];
    many.push(INFINITY);
    for x in [&[INFINITY][..], &[1.0, INFINITY], &[INFINITY, 1.0], &many] {
        let described = result("describe", USUAL, x).unwrap();
        let least = x.iter().copied().fold(INFINITY, f32::min);
        assert_eq!(described[3..], [least, INFINITY].map(Value::of), "{x:?}");
        assert!(described[1].is_nan() && described[2].is_nan(), "{x:?}");
    }
    let squares = result("describe", USUAL, &[0.0f32, 2e30]).unwrap();
    assert_eq!(squares[1..3], [1e30, INFINITY].map(Value::of));
    for described in results("describe", USUAL, &[f32::MAX, -f32::MAX]) {
        let [mean, m2] = [1, 2].map(|at| described.as_ref().unwrap()[at].as_f64().unwrap());
        assert!(!mean.is_finite() && !m2.is_finite());
    }
}

/// A wrapped magnitude must not be the largest.
#[test]
fn the_largest_magnitude_is_one_of_an_element() {
    let norm_inf = operator("norm_inf").unwrap();
    for ty in Scalar::ALL.into_iter().filter(|ty| ty.is_integer()) {
        for acc in Scalar::ALL.into_iter().filter(|acc| acc.is_unsigned()) {
            assert_eq!(norm_inf.width.takes(ty, acc), acc.size() >= ty.size(), "{acc} of {ty}");
        }
    }
    assert_eq!(scalar::<i8, u8>("norm_inf", How { acc: Some(Scalar::U8), ..USUAL }, &[-128, 127]), 128);
}

#[test]
fn degrees_of_freedom_are_given_at_the_call() {
    let given = |ddof| How { ddof: Some(ddof), ..USUAL };
    let x = [1.0f32, 5.0];
    assert_eq!(scalar::<f32, f32>("var", USUAL, &x), 4.0);
    assert_eq!(scalar::<f32, f32>("var", given(0), &x), 4.0);
    assert_eq!(scalar::<f32, f32>("var", given(1), &x), 8.0);
    assert_eq!(scalar::<f32, f32>("std", given(0), &x), 2.0);
    is_nan("var", given(1), &[5.0]);
    assert_eq!(scalar::<f32, f32>("var", given(2), &x), INFINITY);
    assert_eq!(scalar::<f32, f32>("var", given(7), &x), INFINITY);
}

#[test]
fn infinities_among_exponentials() {
    let sums = result("softmax_denominator", USUAL, &[-INFINITY, 2.0, 2.0]).unwrap();
    assert_eq!(sums, [Value::of(2.0f32), Value::of(2.0f32)]);
    let masked = result("softmax_denominator", USUAL, &[-INFINITY; 2]).unwrap();
    assert_eq!(masked, [Value::of(-INFINITY), Value::of(2.0f32)]);
    let highest = result("softmax_denominator", USUAL, &[INFINITY, 1.0, INFINITY]).unwrap();
    assert_eq!(highest, [Value::of(INFINITY), Value::of(2.0f32)]);
    let ends = result("softmax_denominator", USUAL, &[INFINITY, -INFINITY, f32::MAX, -f32::MAX]).unwrap();
    assert_eq!(ends, [Value::of(INFINITY), Value::of(1.0f32)]);
    let one = result("softmax_denominator", USUAL, &[-0.5f32]).unwrap();
    assert_eq!(one, [Value::of(-0.5f32), Value::of(1.0f32)]);
    for (x, sum) in [(-INFINITY, -INFINITY), (INFINITY, INFINITY), (-0.5, -0.5)] {
        assert_eq!(scalar::<f32, f32>("logsumexp", USUAL, &[x]), sum);
        assert_eq!(scalar::<f32, f32>("logsumexp", IGNORE, &[NAN, x, NAN]), sum);
    }
    for x in [[NAN, -INFINITY, INFINITY], [INFINITY, NAN, INFINITY], [-INFINITY, -INFINITY, NAN]] {
        let sums = result("softmax_denominator", USUAL, &x).unwrap();
        assert_eq!(sums, [Value::from_bits(Scalar::F32, 0x7fc0_0000); 2], "{x:?}");
    }
    is_nan("logsumexp", USUAL, &[-INFINITY, NAN]);
    is_nan("logsumexp", USUAL, &[INFINITY, NAN, 1.0]);
}

#[test]
fn weights_of_zero_weigh_nothing() {
    let found = result_of_pairs("weighted_mean", USUAL, &[(1.0f64, 0.0), (4.0, 2.0)]);
    assert_eq!(found, Some(vec![Value::of(4.0f64)]));
    let none = result_of_pairs("weighted_mean", USUAL, &[(1.0f32, 0.0f32)]).unwrap();
    assert!(none[0].is_nan());
}

#[test]
fn nan_is_not_zero() {
    assert!(scalar::<f32, bool>("any", USUAL, &[0.0, NAN]));
    assert!(scalar::<f32, bool>("all", USUAL, &[NAN]));
    assert_eq!(scalar::<f32, u64>("count_nonzero", USUAL, &[NAN, 0.0, -0.0, 1.0]), 2);
    assert!(!scalar::<f32, bool>("any", IGNORE, &[0.0, NAN]));
    assert_eq!(scalar::<f32, u64>("count_nonzero", IGNORE, &[NAN, 0.0, 1.0]), 1);
}

#[test]
fn the_first_and_the_last_keep_their_order() {
    assert_eq!(scalar::<f32, f32>("first", USUAL, &[1.0, NAN]), 1.0);
    assert_eq!(scalar::<f32, f32>("last", USUAL, &[NAN, 1.0]), 1.0);
    assert_eq!(scalar::<u8, u8>("first", USUAL, &[3, 1, 2]), 3);
    assert_eq!(scalar::<u8, u8>("last", USUAL, &[3, 1, 2]), 2);
    assert_eq!(scalar::<f32, f32>("first", IGNORE, &[NAN, 5.0, NAN, 6.0]), 5.0);
    assert_eq!(scalar::<f32, f32>("last", IGNORE, &[4.0, 5.0, NAN]), 5.0);
}

#[test]
fn a_distribution_without_spread_has_no_shape() {
    for name in ["skewness", "kurtosis"] {
        for x in [&[][..], &[5.0], &[0.1; 7], &[1.0, INFINITY, 2.0], &[1.0, NAN]] {
            assert!(result(name, USUAL, x).unwrap()[0].is_nan(), "{name} of {x:?}");
        }
    }
}
