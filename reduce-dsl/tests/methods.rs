//! Compares every method of closures with Rust's own, on special and random values. Only the bits of a NaN may
//! differ.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use reduce_dsl::parse::text;
use reduce_ir::Value;
use reduce_ir::arith::Element;
use reduce_ir::func::Func;

/// A generator of random bits (SplitMix64).
struct Bits(u64);

impl Bits {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// Special values, then random bits and small numbers.
trait Samples: Element {
    fn special() -> Vec<Self>;
    fn small(k: i8) -> Self;

    fn samples() -> Vec<Self> {
        let mut bits = Bits(42);
        let random = (0..60).map(|_| Self::from_bits64(bits.next()));
        Self::special().into_iter().chain(random).chain((-4..5).map(Self::small)).collect()
    }
}

macro_rules! floats {
    ($($ty:ident)*) => {$(
        impl Samples for $ty {
            fn special() -> Vec<$ty> {
                let tiny = $ty::from_bits(1);
                let whole = 1.0 / $ty::EPSILON;
                [0.0, 0.5, 1.0, 1.5, 2.5, 0.49999997, tiny, $ty::MIN_POSITIVE, whole, whole - 0.5, whole * 2.0,
                    $ty::MAX, $ty::INFINITY, $ty::NAN, $ty::EPSILON]
                    .into_iter().flat_map(|x| [x, -x]).collect()
            }
            fn small(k: i8) -> $ty { $ty::from(k) * 0.75 }
        }
    )*};
}

macro_rules! integers {
    ($($ty:ident)*) => {$(
        impl Samples for $ty {
            fn special() -> Vec<$ty> {
                vec![0, 1, 2, $ty::MAX, $ty::MAX - 1, $ty::MIN, $ty::MIN + 1, $ty::MAX / 2, $ty::MAX / 2 + 1]
            }
            fn small(k: i8) -> $ty { k as $ty }
        }
    )*};
}

floats!(f32 f64);
integers!(i8 i16 i32 i64 u8 u16 u32 u64);

/// Returns the function of a closure on `inputs` of one type.
fn evaluator(ty: &str, closure: &str) -> Func {
    let names = closure.split('|').nth(1).unwrap();
    let inputs: Vec<_> = names.split(", ").map(|name| format!("{name}: {ty}")).collect();
    let source = format!("inputs: {{ {} }}, map: {closure}, op: max", inputs.join(", "));
    let parsed = text(&source, None).unwrap_or_else(|errors| panic!("{source}: {errors:#?}"));
    parsed.spec.operation.map
}

fn same(found: Value, expected: Value) -> bool {
    found == expected || found.is_nan() && expected.is_nan()
}

/// Compares a closure with Rust's own function. Takes trait objects, because there are hundreds of closures to compile.
fn compare<T: Element + std::fmt::Debug, const N: usize>(
    closure: &str,
    args: &mut dyn Iterator<Item = [T; N]>,
    rust: &dyn Fn([T; N]) -> Value,
) {
    let ty = T::TY.name();
    let ours = evaluator(ty, closure);
    for args in args {
        let values: Vec<_> = args.iter().map(|&arg| Value::of(arg)).collect();
        let found = ours.evaluate(&values).unwrap()[0];
        let expected = rust(args);
        assert!(same(found, expected), "{closure} of {ty} {args:?}: {found} and not {expected}");
    }
}

fn singles<T: Samples>() -> impl Iterator<Item = [T; 1]> {
    T::samples().into_iter().map(|x| [x])
}

fn pairs<T: Samples>() -> impl Iterator<Item = [T; 2]> {
    T::samples().into_iter().flat_map(|x| T::samples().into_iter().map(move |y| [x, y]))
}

fn triples<T: Samples>() -> impl Iterator<Item = [T; 3]> {
    let few = |k: usize| T::samples().into_iter().step_by(k);
    few(2).flat_map(move |x| few(5).flat_map(move |y| few(5).map(move |z| [x, y, z])))
}

/// Compares a text as a closure of this language with the same text as Rust.
macro_rules! agree {
    ($args:ident, $ty:ident, |$($x:ident),+| $body:expr) => {{
        let text = stringify!($body).replace('\n', " ");
        let closure = format!("|{}| {text}", [$(stringify!($x)),+].join(", "));
        compare::<$ty, _>(&closure, &mut $args::<$ty>(), &|[$($x),+]| Value::of($body));
    }};
}

macro_rules! float_methods {
    ($name:ident, $ty:ident) => {
        #[test]
        fn $name() {
            agree!(singles, $ty, |x| x.abs());
            agree!(singles, $ty, |x| x.signum());
            agree!(singles, $ty, |x| x.sqrt());
            agree!(singles, $ty, |x| x.recip());
            agree!(singles, $ty, |x| x.floor());
            agree!(singles, $ty, |x| x.ceil());
            agree!(singles, $ty, |x| x.trunc());
            agree!(singles, $ty, |x| x.fract());
            agree!(singles, $ty, |x| x.round());
            agree!(singles, $ty, |x| x.round_ties_even());
            agree!(singles, $ty, |x| x.powi(0));
            agree!(singles, $ty, |x| x.powi(3));
            agree!(singles, $ty, |x| x.is_nan() as u32);
            agree!(singles, $ty, |x| x.is_finite() as u32);
            agree!(singles, $ty, |x| x.is_infinite() as u32);
            // Rust does not define which of two zeros is smaller; here -0 is.
            let unlike = || pairs::<$ty>().filter(|[x, y]| *x != 0.0 || *y != 0.0);
            compare("|x, y| x.min(y)", &mut unlike(), &|[x, y]| Value::of(x.min(y)));
            compare("|x, y| x.max(y)", &mut unlike(), &|[x, y]| Value::of(x.max(y)));
            compare(concat!("|x, y| ", stringify!($ty), "::max(y, x)"), &mut unlike(), &|[x, y]| {
                Value::of(y.max(x))
            });
            agree!(pairs, $ty, |x, y| x.copysign(y.abs()));
            agree!(triples, $ty, |x, y, z| x.mul_add(y, z));
            let ordered = || triples::<$ty>().filter(|[_, low, high]| low <= high);
            compare("|x, low, high| x.clamp(low, high)", &mut ordered(), &|[x, low, high]| {
                Value::of(x.clamp(low, high))
            });
            let numbers = || singles::<$ty>().filter(|[x]| !x.is_nan());
            compare("|x| x.to_bits()", &mut numbers(), &|[x]| Value::of(x.to_bits()));
            compare("|x| x.is_sign_negative() as u32", &mut numbers(), &|[x]| {
                Value::of(u32::from(x.is_sign_negative()))
            });
            compare("|x| x.is_sign_positive() as u32", &mut numbers(), &|[x]| {
                Value::of(u32::from(x.is_sign_positive()))
            });
            let signs = || pairs::<$ty>().filter(|[_, y]| !y.is_nan());
            compare("|x, y| x.copysign(y)", &mut signs(), &|[x, y]| Value::of(x.copysign(y)));
            agree!(singles, $ty, |x| $ty::from_bits(x.abs().to_bits()));
        }
    };
}

float_methods!(methods_of_f32, f32);
float_methods!(methods_of_f64, f64);

/// Rust does not define the rounding of `powi`. This implementation rounds as Rust's run-time library does for
/// unknown exponents.
#[test]
fn powers_of_floats_are_those_of_the_runtime_library() {
    for exponent in [0i32, 1, 2, 3, 4, 5, 7, 10, 16, 31, 100, -1, -2, -3, -7, -64] {
        let closure = format!("|x| x.powi({exponent})");
        compare::<f64, 1>(&closure, &mut singles(), &|[x]| Value::of(powi(x, exponent)));
    }
}

fn powi(mut x: f64, exponent: i32) -> f64 {
    let (mut left, mut power) = (exponent.unsigned_abs(), 1.0);
    while left > 0 {
        if left % 2 == 1 {
            power *= x;
        }
        x *= x;
        left /= 2;
    }
    if exponent < 0 { 1.0 / power } else { power }
}

macro_rules! integer_methods {
    ($name:ident, $ty:ident) => {
        #[test]
        fn $name() {
            agree!(singles, $ty, |x| x.count_ones());
            agree!(singles, $ty, |x| x.count_zeros());
            agree!(singles, $ty, |x| x.leading_zeros());
            agree!(singles, $ty, |x| x.trailing_zeros());
            agree!(singles, $ty, |x| x.wrapping_neg());
            agree!(singles, $ty, |x| x.rotate_left(3));
            agree!(singles, $ty, |x| x.rotate_right(13));
            agree!(pairs, $ty, |x, y| x.min(y));
            agree!(pairs, $ty, |x, y| x.max(y));
            agree!(pairs, $ty, |x, y| x.abs_diff(y));
            agree!(pairs, $ty, |x, y| x.wrapping_add(y));
            agree!(pairs, $ty, |x, y| x.wrapping_sub(y));
            agree!(pairs, $ty, |x, y| x.wrapping_mul(y));
            agree!(pairs, $ty, |x, y| x.saturating_add(y));
            agree!(pairs, $ty, |x, y| x.saturating_sub(y));
            agree!(pairs, $ty, |x, y| x.wrapping_shl(y as u32));
            agree!(pairs, $ty, |x, y| x.wrapping_shr(y as u32));
            agree!(pairs, $ty, |x, y| x.rotate_left(y as u32));
            agree!(pairs, $ty, |x, y| x.rotate_right(y as u32));
            agree!(pairs, $ty, |x, y| x / (y & 7).max(1));
            agree!(pairs, $ty, |x, y| x % y.max(3));
            let ordered = || triples::<$ty>().filter(|[_, low, high]| low <= high);
            compare("|x, low, high| x.clamp(low, high)", &mut ordered(), &|[x, low, high]| {
                Value::of(x.clamp(low, high))
            });
            for exponent in [0u32, 1, 2, 3, 7, 10] {
                let closure = format!("|x| x.pow({exponent})");
                compare::<$ty, 1>(&closure, &mut singles(), &|[x]| Value::of(x.wrapping_pow(exponent)));
            }
        }
    };
}

integer_methods!(methods_of_i8, i8);
integer_methods!(methods_of_i16, i16);
integer_methods!(methods_of_i32, i32);
integer_methods!(methods_of_i64, i64);
integer_methods!(methods_of_u8, u8);
integer_methods!(methods_of_u16, u16);
integer_methods!(methods_of_u32, u32);
integer_methods!(methods_of_u64, u64);

macro_rules! signed_methods {
    ($($ty:ident)*) => {$(
        compare::<$ty, 1>("|x| x.abs()", &mut singles(), &|[x]| Value::of(x.wrapping_abs()));
        agree!(singles, $ty, |x| x.wrapping_abs());
        agree!(singles, $ty, |x| x.signum());
        agree!(singles, $ty, |x| x.is_positive() as u32);
        agree!(singles, $ty, |x| x.is_negative() as u32);
    )*};
}

macro_rules! unsigned_methods {
    ($($ty:ident)*) => {$(
        agree!(singles, $ty, |x| x.is_power_of_two() as u32);
        agree!(pairs, $ty, |x, y| x / (y | 4));
    )*};
}

#[test]
fn methods_of_signed_and_unsigned_integers() {
    signed_methods!(i8 i16 i32 i64);
    unsigned_methods!(u8 u16 u32 u64);
}

/// The replacement that the help suggests for a missing method computes the same as the method.
#[test]
fn suggested_replacements_compute_the_same() {
    let calls: [(&str, f64); 9] = [
        ("log(base)", 1.5f64.log(2.5)),
        ("log10()", 1.5f64.log10()),
        ("cbrt()", 1.5f64.cbrt()),
        ("sinh()", 1.5f64.sinh()),
        ("cosh()", 1.5f64.cosh()),
        ("asinh()", 1.5f64.asinh()),
        ("acosh()", 1.5f64.acosh()),
        ("rem_euclid(y)", 1.5f64.rem_euclid(2.5)),
        ("div_euclid(y)", 1.5f64.div_euclid(2.5)),
    ];
    for (call, expected) in calls {
        let found: f64 = proposed(call, 1.5f64).get().unwrap();
        assert!((found - expected).abs() < 1e-15 * expected.abs().max(1.0), "{call} gave {found}");
        let found: f32 = proposed(call, 1.5f32).get().unwrap();
        assert!((f64::from(found) - expected).abs() < 1e-6 * expected.abs().max(1.0), "{call} gave {found}");
    }
    // Some are of f32 only, or of arguments up to 1.
    for (call, expected) in
        [("asin()", 0.75f64.asin()), ("acos()", 0.75f64.acos()), ("atan()", 0.75f64.atan())]
    {
        let found: f32 = proposed(call, 0.75f32).get().unwrap();
        assert!((f64::from(found) - expected).abs() < 1e-6, "{call} gave {found}");
    }
    let found: f64 = proposed("atanh()", 0.75f64).get().unwrap();
    assert!((found - 0.75f64.atanh()).abs() < 1e-15, "atanh() gave {found}");
}

/// Evaluates the code in the help for a call at `x`; every other name is `x + 1`.
fn proposed<T: Element>(call: &str, x: T) -> Value {
    let specification = |body: &str| {
        let names = "let y = x + 1.0; let base = y; let p = y;";
        format!("ty: {}, map: |x| {{ {names} {body} }}, op: sum", Value::of(x).ty())
    };
    let error = text(&specification(&format!("x.{call}")), None).unwrap_err();
    let help = error.diagnostics()[0].help.clone().unwrap();
    let code = help.split('`').rfind(|part| part.contains('x')).unwrap();
    let parsed = text(&specification(code), None).unwrap_or_else(|errors| panic!("{code}: {errors:#?}"));
    parsed.spec.operation.map.evaluate(&[Value::of(x)]).unwrap()[0]
}
