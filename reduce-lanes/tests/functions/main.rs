//! `sin` and the other functions of the library: the error that its documentation states, special values, and the same bits on
//! vectors, on single values, and written out as operations.
//!
//! `REDUCEGEN_FULL=1` compares functions of one `f32` for all 2^32 arguments, and others for millions.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::wildcard_enum_match_arm, reason = "the other functions are alike")]

mod long;
mod pairs;
mod reference;
#[path = "../../../tests/support/rotation.rs"]
mod rotation;
mod special;

use pairs::Pair;
use reduce_ir::func::{Func, FuncBuilder, Node, Param};
use reduce_ir::library::written_out;
use reduce_ir::ops::{Bin, Un};
use reduce_ir::{Scalar, Value};
use reduce_lanes::eval::Evaluator;
use reduce_lanes::{Lanes, LanesRef};

/// Functions of one argument, with the function of the system, and bounds of the errors of `f32` and `f64` that the tests find.
type One = (Un, fn(f64) -> f64, f64, f64);

const ONE: [One; 8] = [
    (Un::Sin, f64::sin, 0.5003, 0.85),
    (Un::Cos, f64::cos, 0.5003, 0.85),
    (Un::Tan, f64::tan, 0.5003, 0.0),
    (Un::Tanh, f64::tanh, 0.508, 0.95),
    (Un::Exp2, f64::exp2, 0.92, 0.95),
    (Un::Log2, f64::log2, 0.5003, 1.05),
    (Un::ExpM1, f64::exp_m1, 0.512, 0.95),
    (Un::Ln1p, f64::ln_1p, 0.5003, 0.95),
];

/// Functions of two arguments, with the function of the system.
type Two = (Bin, fn(f64, f64) -> f64);

const TWO: [Two; 3] = [(Bin::Powf, f64::powf), (Bin::Hypot, f64::hypot), (Bin::Atan2, f64::atan2)];

fn one(op: Un, ty: Scalar) -> Option<Func> {
    let mut f = FuncBuilder::new(vec![Param::new("x", ty)]);
    let y = f.un(op, f.params()[0]).ok()?;
    Some(f.build(vec![y]))
}

fn two(op: Bin, ty: Scalar) -> Option<Func> {
    let mut f = FuncBuilder::new(["x", "y"].map(|name| Param::new(name, ty)).to_vec());
    let y = f.bin(op, f.params()[0], f.params()[1]).ok()?;
    Some(f.build(vec![y]))
}

/// Returns a function of all of the arguments.
fn evaluated(func: &Func, args: &[LanesRef<'_>]) -> Lanes {
    let mut results = [Lanes::empty(func.result_types()[0])];
    Evaluator::new(func).run_into(|at| args[at], args[0].len(), &mut results).unwrap();
    let [result] = results;
    result
}

fn singles(func: &Func, args: &[&[f32]]) -> Vec<f32> {
    let args: Vec<_> = args.iter().map(|&it| LanesRef::from(it)).collect();
    let y = evaluated(func, &args);
    (0..y.len()).map(|i| y.get(i).get().unwrap()).collect()
}

fn doubles(func: &Func, args: &[&[f64]]) -> Vec<f64> {
    let args: Vec<_> = args.iter().map(|&it| LanesRef::from(it)).collect();
    let y = evaluated(func, &args);
    (0..y.len()).map(|i| y.get(i).get().unwrap()).collect()
}

/// Calls a function for each item, on all cores. A failed assertion in one fails the caller.
fn on_all_cores<T: Sync + Copy, R: Send>(items: &[T], call: impl Fn(T) -> R + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let parts = items.chunks(items.len().div_ceil(cores).max(1));
    std::thread::scope(|scope| {
        let work = |part: &[T]| part.iter().map(|&item| call(item)).collect::<Vec<_>>();
        let threads: Vec<_> = parts.map(|part| scope.spawn(move || work(part))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    })
}

/// Random bits: xorshift64 (Marsaglia 2003), other ones each day.
fn random() -> impl Iterator<Item = u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(2 * rotation::turn() as u64 + 1);
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    })
}

/// The distance between neighbouring floats with so many bits around `exact`.
fn ulp(exact: f64, bits: i32, least: i32) -> f64 {
    let exponent = (exact.abs().to_bits() >> 52) as i32 - 1023;
    f64::from_bits(((exponent - bits + 1).max(least - bits + 1).max(-1022) + 1023) as u64 * (1 << 52))
}

/// Compares `f32` results with exact ones. Returns the greatest error in units in the last place.
fn greatest_error(name: &str, args: &[&[f32]], y: &[f32], exact: impl Fn(usize) -> f64) -> f64 {
    let mut worst = 0f64;
    for (i, &y) in y.iter().enumerate() {
        let exact = exact(i);
        let is = || {
            format!("{name} of {:?} is {y:e}, not {exact:e}", args.iter().map(|it| it[i]).collect::<Vec<_>>())
        };
        if !exact.is_finite() || !(exact as f32).is_finite() || exact == 0.0 {
            let expected = exact as f32;
            assert!(y.to_bits() == expected.to_bits() || y.is_nan() && expected.is_nan(), "{}", is());
        } else {
            let error = (f64::from(y) - exact).abs() / ulp(exact, 24, -126);
            assert!(error < 1.0, "{}: {error} ulp", is());
            worst = worst.max(error);
        }
    }
    worst
}

/// Compares all arguments with `REDUCEGEN_FULL=1`, otherwise each of a rotating 1024th.
fn f32_is_as_precise_as_documented(number: usize) {
    let (op, exact, most, _) = ONE[number];
    let (chunk, turn) = (1u64 << 22, rotation::turn() as u64);
    let func = one(op, Scalar::F32).unwrap();
    let starts: Vec<u64> = if rotation::full() { (0..1 << 10).collect() } else { vec![turn % (1 << 10)] };
    let error = |start: u64| {
        // Every 1024th argument, so that a part has all magnitudes.
        let x: Vec<f32> = (0..chunk).map(|i| f32::from_bits((start + (i << 10)) as u32)).collect();
        let y = singles(&func, &[&x]);
        greatest_error(&op.to_string(), &[&x], &y, |i| exact(f64::from(x[i])))
    };
    let worst = on_all_cores(&starts, error).into_iter().fold(0f64, f64::max);
    println!("{op} of f32: {worst:.4} ulp");
    assert!(worst < most && worst > 0.45, "{op}: {worst}");
}

macro_rules! of_one_argument {
    ($($name:ident $number:literal)*) => {
        $(
            #[test]
            fn $name() {
                f32_is_as_precise_as_documented($number);
            }
        )*
    };
}

of_one_argument!(f32_sin 0 f32_cos 1 f32_tan 2 f32_tanh 3 f32_exp2 4 f32_log2 5 f32_exp_m1 6 f32_ln_1p 7);

#[test]
fn f32_of_two_arguments_is_as_precise_as_documented() {
    let count = if rotation::full() { 1 << 26 } else { 1 << 19 };
    for (op, exact) in TWO {
        let mut bits = random();
        let mut unit = || (bits.next().unwrap() >> 40) as f32 / 16_777_216.0;
        // Powers in range, then numbers of any magnitude.
        let near: Vec<_> = (0..count).map(|_| [8.0 * unit(), 60.0 * unit() - 30.0]).collect();
        let far = random().take(count).map(|it| [it as u32, (it >> 32) as u32].map(f32::from_bits));
        let all: Vec<_> = near.into_iter().chain(far).collect();
        let [x, y] = [0, 1].map(|at| all.iter().map(|it| it[at]).collect::<Vec<f32>>());
        let found = singles(&two(op, Scalar::F32).unwrap(), &[&x, &y]);
        let worst = greatest_error(&op.to_string(), &[&x, &y], &found, |i| exact(x[i].into(), y[i].into()));
        println!("{op} of f32: {worst:.4} ulp");
        assert!(worst < 0.502 && worst > 0.45, "{op}: {worst}");
    }
}

/// Arguments of any magnitude; in the range of finite results; around 1; small; and next to multiples of a quarter turn.
fn arguments(op: Un, count: usize) -> Vec<f64> {
    let range = match op {
        Un::Exp2 => 1100.0,
        Un::ExpM1 => 740.0,
        _ => 20.0,
    };
    let of = |bits: u64| {
        let unit = (bits >> 12) as f64 / (1u64 << 52) as f64;
        match bits % 5 {
            0 => f64::from_bits(bits),
            1 => (unit - 0.5) * 2.0 * range,
            2 => 1.0 + (unit - 0.5) / 4.0,
            3 => (unit - 0.5) * 2f64.powi(-((bits >> 3) as i32 % 64)),
            _ => f64::from_bits(((bits >> 40) as f64 * std::f64::consts::FRAC_PI_2).to_bits() + bits / 5 % 3),
        }
    };
    random().take(count).map(of).collect()
}

/// Returns the result to about 100 bits, and the unit in its last place; `None` where the result is not finite.
fn exact(op: Un, x: f64) -> Option<(Pair, f64)> {
    let is_finite = x.is_finite()
        && match op {
            Un::Exp2 => x < 1023.9 && x > -1021.0,
            Un::ExpM1 => x < 709.7,
            Un::Log2 => x > 0.0,
            Un::Ln1p => x > -1.0,
            _ => true,
        };
    let result = match op {
        _ if !is_finite => return None,
        Un::Sin => reference::sine(x, 0),
        Un::Cos => reference::sine(x, 1),
        Un::Tanh => reference::tanh(x),
        Un::Exp2 => reference::exp2(x),
        Un::Log2 => reference::log2(x),
        Un::ExpM1 => reference::exp_m1(x),
        Un::Ln1p => reference::ln_1p(x),
        _ => return None,
    };
    Some((result, ulp(result.0, 53, -1022)))
}

#[test]
fn f64_is_as_precise_as_documented() {
    let count = if rotation::full() { 1 << 22 } else { 1 << 13 };
    for (op, _, _, most) in ONE.into_iter().filter(|it| it.0 != Un::Tan) {
        let mut x = arguments(op, count);
        // The closest to a multiple of a quarter turn (V. Lefèvre, J.-M. Muller), and the greatest.
        x.extend([6381956970095103.0 * 2f64.powi(797), 5.319372648326541e255, f64::MAX, 2f64.powi(1023)]);
        let y = doubles(&one(op, Scalar::F64).unwrap(), &[&x]);
        let mut worst = (0f64, 0.0);
        for (&x, y) in x.iter().zip(y) {
            let Some((exact, unit)) = exact(op, x) else { continue };
            // Below 1e-290, the reference has no room for its second part.
            let error = ((y - exact.0) - exact.1).abs() / unit;
            if exact.0.abs() > 1e-290 && error > worst.0 {
                worst = (error, x);
            }
            assert!(exact.0.abs() > 1e-290 || error <= 1.0, "{op} of {x:e} is {y:e}, not {exact:?}");
        }
        println!("{op} of f64: {:.4} ulp at {:e}", worst.0, worst.1);
        assert!(worst.0 < most && worst.0 > 0.5, "{op} of {:e}: {} ulp", worst.1, worst.0);
    }
}

#[test]
fn hypot_of_f64_is_as_precise_as_documented() {
    let count = if rotation::full() { 1 << 24 } else { 1 << 17 };
    let mut bits = random();
    let mut next = || f64::from_bits(bits.next().unwrap());
    let pairs = (0..count).map(|i| {
        let x = next();
        [x, if i % 2 == 0 { x * (next().to_bits() >> 11) as f64 / (1u64 << 52) as f64 } else { next() }]
    });
    let all: Vec<_> = pairs.filter(|it| it.iter().all(|x| x.is_finite())).collect();
    let [x, y] = [0, 1].map(|at| all.iter().map(|it| it[at]).collect::<Vec<f64>>());
    let found = doubles(&two(Bin::Hypot, Scalar::F64).unwrap(), &[&x, &y]);
    let mut worst = 0f64;
    for ((&x, &y), found) in x.iter().zip(&y).zip(found) {
        let exact = reference::hypot(x, y);
        if exact.0 > 1e-290 && exact.0.is_finite() {
            worst = worst.max(((found - exact.0) - exact.1).abs() / ulp(exact.0, 53, -1022));
        }
    }
    println!("hypot of f64: {worst:.4} ulp");
    assert!(worst < 1.21 && worst > 0.9, "{worst}");
}

/// The reference itself, at points computed by mpmath with 400 bits.
#[test]
fn the_reference_has_a_hundred_bits() {
    for (op, x, [high, low]) in special::REFERENCE {
        let (found, _) = exact(op, x).unwrap();
        let error = ((found.0 - high) + (found.1 - low)).abs();
        assert!(error < high.abs() * 2f64.powi(-96), "{op} of {x:e}: {found:?}, {error:e}");
    }
}

/// Loops, single values, and the function written out have the same bits, also in the last block and of one value for all.
#[test]
fn every_way_gives_the_same_bits() {
    let functions = ONE.iter().map(|it| it.0).flat_map(|op| [one(op, Scalar::F32), one(op, Scalar::F64)]);
    let others = TWO.iter().map(|it| it.0).flat_map(|op| [two(op, Scalar::F32), two(op, Scalar::F64)]);
    for func in functions.chain(others).flatten() {
        let ty = func.params()[0].ty;
        let name = func.to_string();
        for len in [1, 127, 128, 129, 5000] {
            let mut bits = random();
            let args: Vec<_> = func.params().iter().map(|_| lanes(ty, len, &mut bits)).collect();
            let args: Vec<_> = args.iter().map(Lanes::borrow).collect();
            let (found, written) = (evaluated(&func, &args), evaluated(&written_out(&func), &args));
            for i in 0..len {
                let values: Vec<_> = args.iter().map(|it| it.get(i)).collect();
                let single = scalar(&func, &values);
                let same = |a: Value, b: Value| a == b || a.is_nan() && b.is_nan();
                assert!(same(found.get(i), single), "{name} of {values:?}: {} and {single}", found.get(i));
                assert!(same(found.get(i), written.get(i)), "{name} of {values:?}: {}", written.get(i));
            }
        }
    }
}

fn scalar(func: &Func, values: &[Value]) -> Value {
    match (func.lines()[0].node, values) {
        (Node::Un(op, _), &[a]) => reduce_ir::evaluate::un(op, a).unwrap(),
        (Node::Bin(op, ..), &[a, b]) => reduce_ir::evaluate::bin(op, a, b).unwrap(),
        _ => Value::of(false),
    }
}

/// Random bits, and moderate numbers.
fn lanes(ty: Scalar, len: usize, bits: &mut impl Iterator<Item = u64>) -> Lanes {
    let mut lanes = Lanes::empty(ty);
    lanes.resize(len);
    for i in 0..len {
        let bits = bits.next().unwrap();
        let moderate = (bits >> 12) as f64 / (1u64 << 52) as f64 * 40.0 - 20.0;
        let value = match (i % 2, ty) {
            (0, _) => Value::from_bits(ty, bits),
            (_, Scalar::F32) => Value::of(moderate as f32),
            _ => Value::of(moderate),
        };
        lanes.set(i, value);
    }
    lanes
}
