//! Special values, and results that another library computes.

use super::{ONE, TWO, doubles, one, singles, two};
use reduce_ir::Scalar;
use reduce_ir::ops::{Bin, Un};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// Results that IEEE 754-2019 (9.2.1) and the documentation of Rust give.
const OF_ONE: [(Un, &[[f64; 2]]); 8] = [
    (Un::Sin, &[[0.0, 0.0], [-0.0, -0.0], [INF, NAN], [-INF, NAN], [NAN, NAN], [5e-324, 5e-324]]),
    (Un::Cos, &[[0.0, 1.0], [-0.0, 1.0], [INF, NAN], [-INF, NAN], [NAN, NAN], [5e-324, 1.0]]),
    (Un::Tan, &[[0.0, 0.0], [-0.0, -0.0], [INF, NAN], [-INF, NAN], [NAN, NAN]]),
    (
        Un::Tanh,
        &[[0.0, 0.0], [-0.0, -0.0], [INF, 1.0], [-INF, -1.0], [NAN, NAN], [5e-324, 5e-324], [30.0, 1.0]],
    ),
    (
        Un::Exp2,
        &[
            [0.0, 1.0],
            [-0.0, 1.0],
            [INF, INF],
            [-INF, 0.0],
            [NAN, NAN],
            [10.0, 1024.0],
            [-3.0, 0.125],
            [1e9, INF],
            [-1e9, 0.0],
        ],
    ),
    (
        Un::Log2,
        &[
            [0.0, -INF],
            [-0.0, -INF],
            [INF, INF],
            [-INF, NAN],
            [NAN, NAN],
            [1.0, 0.0],
            [8.0, 3.0],
            [0.125, -3.0],
            [-1.0, NAN],
        ],
    ),
    (
        Un::ExpM1,
        &[
            [0.0, 0.0],
            [-0.0, -0.0],
            [INF, INF],
            [-INF, -1.0],
            [NAN, NAN],
            [-5e-324, -5e-324],
            [-100.0, -1.0],
            [1e9, INF],
        ],
    ),
    (
        Un::Ln1p,
        &[
            [0.0, 0.0],
            [-0.0, -0.0],
            [INF, INF],
            [-INF, NAN],
            [NAN, NAN],
            [-1.0, -INF],
            [-1.5, NAN],
            [5e-324, 5e-324],
        ],
    ),
];

#[test]
fn special_values_of_one_argument() {
    for (op, cases) in OF_ONE {
        let (x, expected): (Vec<f64>, Vec<f64>) = cases.iter().map(|&[x, y]| (x, y)).unzip();
        let found = one(op, Scalar::F64).map(|it| doubles(&it, &[&x]));
        assert_eq!(found.is_none(), op == Un::Tan);
        let single: Vec<_> = x.iter().map(|&x| x as f32).collect();
        let of_single = singles(&one(op, Scalar::F32).unwrap(), &[&single]);
        for (i, &expected) in expected.iter().enumerate() {
            let same = |found: f64, expected: f64| {
                found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan()
            };
            let found = found.as_ref().map_or(expected, |it| it[i]);
            assert!(same(found, expected), "{op} of {:e} is {found:e}, not {expected:e}", x[i]);
            let (found, expected) = (of_single[i].into(), f64::from(expected as f32));
            assert!(same(found, expected), "{op} of {:e}_f32 is {found:e}, not {expected:e}", x[i]);
        }
    }
}

#[test]
fn special_values_of_two_arguments() {
    let special =
        [0.0, 5e-324, 1e-40, 0.5, 1.0, 1.5, 2.0, 3.0, 2147483649.0, 16777217.0, 33554434.0, 1e30, INF, NAN];
    let special: Vec<f64> = special.into_iter().flat_map(|x| [x, -x]).collect();
    let all: Vec<_> = special.iter().flat_map(|&x| special.iter().map(move |&y| [x, y])).collect();
    let [x, y] = [0, 1].map(|at| all.iter().map(|it| it[at] as f32).collect::<Vec<_>>());
    for (op, system) in TWO {
        let found = singles(&two(op, Scalar::F32).unwrap(), &[&x, &y]);
        for (i, found) in found.into_iter().enumerate() {
            let expected = system(x[i].into(), y[i].into()) as f32;
            let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
            assert!(same, "{op} of {:e} and {:e} is {found:e}, not {expected:e}", x[i], y[i]);
        }
    }
}

/// A few of them by hand: the system could be wrong.
#[test]
fn special_values_of_ieee_754() {
    let cases = [
        (Bin::Powf, NAN, 0.0, 1.0),
        (Bin::Powf, 1.0, NAN, 1.0),
        (Bin::Powf, -1.0, INF, 1.0),
        (Bin::Powf, -1.0, NAN, NAN),
        (Bin::Powf, -0.0, -3.0, -INF),
        (Bin::Powf, -0.0, -2.0, INF),
        (Bin::Powf, -0.0, 0.5, 0.0),
        (Bin::Powf, -0.0, 3.0, -0.0),
        (Bin::Powf, -INF, 3.0, -INF),
        (Bin::Powf, -INF, -3.0, -0.0),
        (Bin::Powf, -INF, 0.5, INF),
        (Bin::Powf, -8.0, 1.0 / 3.0, NAN),
        (Bin::Powf, -2.0, 3.0, -8.0),
        (Bin::Powf, 0.5, -INF, INF),
        (Bin::Hypot, INF, NAN, INF),
        (Bin::Hypot, NAN, -INF, INF),
        (Bin::Hypot, NAN, 1.0, NAN),
        (Bin::Hypot, -0.0, -0.0, 0.0),
        (Bin::Atan2, 0.0, -0.0, PI),
        (Bin::Atan2, -0.0, -0.0, -PI),
        (Bin::Atan2, -0.0, 0.0, -0.0),
        (Bin::Atan2, 1.0, 0.0, FRAC_PI_2),
        (Bin::Atan2, INF, -INF, 3.0 * FRAC_PI_4),
        (Bin::Atan2, -1.0, INF, -0.0),
        (Bin::Atan2, NAN, 0.0, NAN),
    ];
    for (op, x, y, expected) in cases {
        let found = singles(&two(op, Scalar::F32).unwrap(), &[&[x as f32], &[y as f32]])[0];
        let same = found.to_bits() == (expected as f32).to_bits() || found.is_nan() && expected.is_nan();
        assert!(same, "{op} of {x:e} and {y:e} is {found:e}, not {expected:e}");
    }
    let hypot = two(Bin::Hypot, Scalar::F64).unwrap();
    let x = [INF, NAN, NAN, -0.0, 3e300, 3e-300, 5e-324, 1e308, 1e-320];
    let y = [NAN, INF, 1.0, -0.0, -4e300, 4e-300, 0.0, 1e308, -0.0];
    let expected = [INF, INF, NAN, 0.0, 5e300, 5e-300, 5e-324, 1.4142135623730951e308, 1e-320];
    for (found, expected) in doubles(&hypot, &[&x, &y]).into_iter().zip(expected) {
        let far = (found - expected).abs() > 1.2 * f64::EPSILON * expected;
        assert!(found == expected || found.is_nan() && expected.is_nan() || !far, "{found:e}, {expected:e}");
    }
}

#[test]
fn each_function_has_special_values() {
    assert!(ONE.iter().all(|it| OF_ONE.iter().any(|other| it.0 == other.0)));
}

/// Results to 106 bits, by `mpmath` with 2,400 bits: function, argument, and the result as the sum of two floats.
pub(crate) const REFERENCE: [(Un, f64, [f64; 2]); 41] = [
    (Un::Sin, 0.5, [0.479425538604203, -5.103969860556013e-18]),
    (Un::Sin, 3.0, [0.1411200080598672, 8.577269787017502e-18]),
    (Un::Sin, 1e+22, [-0.8522008497671888, -6.7806825896773284e-18]),
    (Un::Sin, 5.319372648326541e+255, [1.0, -1.098476220074687e-37]),
    (Un::Sin, 1.7976931348623157e+308, [0.004961954789184062, -2.5049377676494104e-19]),
    (Un::Sin, -2.5, [-0.5984721441039565, 5.521403334082375e-17]),
    (Un::Sin, 5.319372648326541e+255, [1.0, -1.098476220074687e-37]),
    (Un::Cos, 0.5, [0.8775825618903728, -4.2623149864279997e-17]),
    (Un::Cos, 3.0, [-0.9899924966004454, -4.2060261566099734e-17]),
    (Un::Cos, 1e+22, [0.523214785395139, -4.7143201076575164e-17]),
    (Un::Cos, 5.319372648326541e+255, [-4.687165924254628e-19, 4.3720557429382733e-36]),
    (Un::Cos, 1.7976931348623157e+308, [-0.9999876894265599, -2.6032890267216748e-17]),
    (Un::Cos, 100.0, [0.8623188722876839, 4.334809858136501e-17]),
    (Un::Cos, 5.319372648326541e+255, [-4.687165924254628e-19, 4.3720557429382733e-36]),
    (Un::Tanh, 0.1, [0.09966799462495582, 3.542433877641546e-18]),
    (Un::Tanh, 1e-05, [9.999999999666668e-06, -4.5758701526937e-22]),
    (Un::Tanh, 0.55, [0.5005202111902353, -2.2927568355840214e-17]),
    (Un::Tanh, -3.0, [-0.9950547536867305, 1.2991892863562624e-17]),
    (Un::Tanh, 17.0, [0.9999999999999966, 1.3874513253965218e-17]),
    (Un::Exp2, 0.3, [1.2311444133449163, -3.572339831433251e-17]),
    (Un::Exp2, -0.7, [0.6155722066724582, 5.823917615522084e-18]),
    (Un::Exp2, 100.3, [1.5606609545443114e+30, -11618848002904.297]),
    (Un::Exp2, -900.25, [9.94824342405711e-272, 4.849928364626116e-288]),
    (Un::Exp2, 1e-09, [1.000000000693147, 8.55237134015003e-17]),
    (Un::Log2, 0.3, [-1.7369655941662063, 1.0829022389854901e-16]),
    (Un::Log2, 1.0001, [0.0001442622910945383, -3.0541352523581598e-21]),
    (Un::Log2, 1e-310, [-1029.7977094150824, 7.642091113839806e-14]),
    (Un::Log2, 1.5e+300, [997.1633909669299, -4.944591132756189e-14]),
    (Un::Log2, 0.7, [-0.5145731728297583, 8.76352077439819e-18]),
    (Un::ExpM1, 0.3, [0.3498588075760031, 1.6549155728191776e-17]),
    (Un::ExpM1, -0.7, [-0.5034146962085905, 9.827550225511106e-18]),
    (Un::ExpM1, 1e-09, [1.0000000005000001e-09, -7.443897403844588e-26]),
    (Un::ExpM1, 50.5, [8.548134287298057e+21, 222304.91690892167]),
    (Un::ExpM1, -20.0, [-0.9999999979388464, 4.1293110494709923e-17]),
    (Un::ExpM1, 700.25, [1.3022997366991783e+304, 7.154767958193286e+287]),
    (Un::Ln1p, 0.3, [0.26236426446749106, -1.6067257209028454e-17]),
    (Un::Ln1p, -0.7, [-1.203972804325936, 5.2347781679865864e-17]),
    (Un::Ln1p, 1e-09, [9.999999995e-10, 7.493897403823754e-26]),
    (Un::Ln1p, 50.5, [3.9415818076696905, -1.2519144927428921e-18]),
    (Un::Ln1p, 1e+300, [690.7755278982137, 2.3747660028800243e-14]),
    (Un::Ln1p, -0.9999, [-9.210340371976294, 8.68302489346835e-16]),
];
