//! Bugs of other libraries, and the correct results: small cases by name, with results from arithmetic on paper. Each case
//! runs by every schedule, on aligned and on misaligned elements.

use super::cases::LISTS;
use super::reference::Place;
use super::subjects::Subject;
use reduce_ir::arith::Element;
use reduce_ir::{Spec, Value, bf16, f16};
use reduce_lanes::Lanes;

/// Numbers of skipped elements before the reduced ones.
pub(crate) const STARTS: [usize; 3] = [0, 1, 3];

/// A case that other libraries compute wrongly.
#[derive(Clone, Debug)]
pub(crate) struct Trap {
    name: &'static str,
    text: String,
    elements: Lanes,
    /// The bits of the result.
    expected: String,
}

/// A trap and a schedule.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) trap: Trap,
    pub(crate) spec: Spec,
}

impl Trap {
    fn new<T: Element, R: Element>(name: &'static str, text: &str, elements: &[T], expected: R) -> Trap
    where
        Lanes: From<Vec<T>>,
    {
        let expected = Value::of(expected).hex();
        Trap { name, text: text.to_owned(), elements: elements.to_vec().into(), expected }
    }

    /// Returns the elements after `start` others with all bits set.
    pub(crate) fn memory(&self, start: usize) -> (Vec<Lanes>, Place) {
        let mut memory = Lanes::splat(Value::from_bits(self.elements.ty(), u64::MAX), start);
        memory.extend(self.elements.borrow());
        (vec![memory], Place { n: self.elements.len(), start, step: 1 })
    }
}

impl Case {
    /// Describes the difference if a device's result is wrong.
    pub(crate) fn wrong(&self, device: &str, bits: &str) -> Option<String> {
        let Trap { name, expected, .. } = &self.trap;
        let text = &self.spec.text;
        (bits != expected).then(|| format!("{name}: {text} gives {bits} on the {device}, not {expected}"))
    }
}

/// Returns every trap with every schedule.
pub(crate) fn cases(traps: &[Trap]) -> Vec<Case> {
    let of_trap = |trap: &Trap| {
        let ty = trap.elements.ty();
        let subject = Subject { name: trap.name.to_owned(), ty, text: trap.text.clone() };
        let listed = LISTS.map(|(passes, block)| subject.scheduled(passes, block));
        let case = |spec| Case { trap: trap.clone(), spec };
        listed.into_iter().chain([subject.auto()]).map(case).collect::<Vec<_>>()
    };
    traps.iter().flat_map(of_trap).collect()
}

/// Returns all traps.
pub(crate) fn traps() -> Vec<Trap> {
    [floats(), halves(), integers(), ranges(), moments(), absent(), places()].concat()
}

const INFINITY: f32 = f32::INFINITY;

fn floats() -> Vec<Trap> {
    let mut lone = vec![3.0f32; 700];
    lone[411] = f32::NAN;
    vec![
        Trap::new("the minimum of infinities is infinite", "op: min, ty: f32", &[INFINITY; 300], INFINITY),
        Trap::new("the maximum of negative infinities too", "op: max, ty: f32", &[-INFINITY; 300], -INFINITY),
        Trap::new("a maximum may be negative", "op: max, ty: f64", &[-7.5f64; 1000], -7.5f64),
        Trap::new("a minimum may be positive", "op: min, ty: f64", &[7.5f64; 1000], 7.5f64),
        Trap::new("a sum of -0 is -0", "op: sum, ty: f32", &[-0.0f32; 70], -0.0f32),
        Trap::new("and of one alone", "op: sum, ty: f64", &[-0.0f64], -0.0f64),
        Trap::new("a product of nothing but 1 and -0", "op: prod, ty: f32", &[1.0f32, -0.0, 1.0], -0.0f32),
        Trap::new("one NaN is the minimum", "op: min, ty: f32", &lone, f32::from_bits(0x7fc0_0000)),
        Trap::new("and the maximum", "op: max, ty: f32", &lone, f32::from_bits(0x7fc0_0000)),
        Trap::new("and the least one", "op: argmin, ty: f32", &lone, 411u64),
        Trap::new("and the greatest one", "op: argmax, ty: f32", &lone, 411u64),
        Trap::new("of NaN, the first", "op: argmin, ty: f32", &[-f32::NAN; 600], 0u64),
        Trap::new("a subnormal is not 0", "op: any, ty: f32", &[f32::from_bits(1)], true),
        Trap::new("nor lost in a sum", "op: sum, ty: f32", &[f32::from_bits(1); 50], f32::from_bits(50)),
        Trap::new("infinities of both signs", "op: sum, ty: f64", &[f64::INFINITY, -f64::INFINITY], {
            f64::from_bits(0x7ff8 << 48)
        }),
    ]
}

/// Accumulators of 16-bit floats could count only to 2048 and to 256.
fn halves() -> Vec<Trap> {
    vec![
        Trap::new("4097 ones of f16", "op: sum, ty: f16", &[f16::ONE; 4097], 4097.0f32),
        Trap::new("1001 ones of bf16", "op: sum, ty: bf16", &[bf16::ONE; 1001], 1001.0f32),
        Trap::new("beyond the range of f16", "op: sum, ty: f16", &[f16::MAX; 3], 3.0 * 65504.0f32),
    ]
}

fn integers() -> Vec<Trap> {
    let numbers: Vec<i32> = (0..5000).map(|i| (i * 7919) % 5003 - 6000).collect();
    let most = numbers.iter().copied().max().unwrap_or(0);
    vec![
        Trap::new("integers wrap", "op: sum, ty: i32", &[i32::MAX, 1], i32::MIN),
        Trap::new("all negative integers", "op: max, ty: i32", &numbers, most),
        Trap::new("the least integer alone", "op: max, ty: i64", &[i64::MIN; 40], i64::MIN),
        Trap::new("the greatest integer alone", "op: min, ty: u64", &[u64::MAX; 40], u64::MAX),
    ]
}

/// The result fits although an intermediate result of plain arithmetic does not.
fn ranges() -> Vec<Trap> {
    // In two exact steps: `powi` of a power that is subnormal divides by infinity in some builds.
    let power = |scale: i32| 2f64.powi(scale / 2) * 2f64.powi(scale - scale / 2);
    let double = |scale: i32| [3.0, 4.0].map(|x: f64| x * power(scale));
    let single = |scale: i32| double(scale).map(|x| x as f32);
    let five = |scale: i32| 5.0 * power(scale);
    vec![
        Trap::new("squares overflow", "op: norm2, ty: f64", &double(1000), five(1000)),
        Trap::new("squares underflow", "op: norm2, ty: f64", &double(-1070), five(-1070)),
        Trap::new("squares of f32 overflow", "op: norm2, ty: f32", &single(120), five(120) as f32),
        Trap::new("squares of f32 underflow", "op: norm2, ty: f32", &single(-145), five(-145) as f32),
        Trap::new("only the sum overflows", "op: norm2, ty: f32", &[2f32.powi(63); 1024], 2f32.powi(68)),
        Trap::new(
            "a subnormal beside nothing",
            "op: norm2, ty: f64",
            &[f64::from_bits(1), 0.0],
            f64::from_bits(1),
        ),
        Trap::new("a norm in double precision", "op: norm2, ty: f32, acc: f64", &single(120), five(120)),
        Trap::new(
            "the sum of a mean overflows",
            "op: mean, ty: f64",
            &[2f64.powi(1023); 256],
            2f64.powi(1023),
        ),
        Trap::new("that of f32 too", "op: mean, ty: f32", &[-2f32.powi(127); 64], -2f32.powi(127)),
        Trap::new("that of bf16 too", "op: mean, ty: bf16", &[bf16::MAX; 64], f32::from(bf16::MAX)),
        Trap::new(
            "beside absent elements",
            "op: mean, ty: f32, nan: ignore",
            &[f32::MAX, f32::NAN, f32::MAX],
            f32::MAX,
        ),
        Trap::new("an infinite mean", "op: mean, ty: f32", &[1.0, f32::INFINITY], f32::INFINITY),
        Trap::new("squares of i16", "op: sum_of_squares, ty: i16", &[32767i16; 3], 3_221_028_867u64),
        Trap::new(
            "squares of the least i8",
            "op: sum_of_squares, ty: i8",
            &[-128i8; 140_000],
            140_000u64 << 14,
        ),
        Trap::new("squares of u8", "op: sum_of_squares, ty: u8", &[255u8; 66_052], 66_052u64 * 65_025),
        Trap::new("the square of the least i32", "op: sum_of_squares, ty: i32", &[i32::MIN; 2], 1u64 << 63),
    ]
}

/// Differences of neighbours are exact, however far from 0 the elements are.
fn moments() -> Vec<Trap> {
    let time = 1_700_000_000_000_000_000i64;
    vec![
        Trap::new("far floats", "op: var, ty: f64", &[1e12, 1e12 + 2.0], 1.0f64),
        Trap::new("nanoseconds", "op: var, ty: i64", &[time, time + 2], 1.0f64),
        Trap::new("nanoseconds", "op: std, ty: i64", &[time, time + 6], 3.0f64),
        Trap::new("the greatest integers", "op: var, ty: u64", &[u64::MAX, u64::MAX - 2], 1.0f64),
        Trap::new("the least integers", "op: var, ty: i64", &[i64::MIN, i64::MIN + 2], 1.0f64),
        Trap::new("large f32", "op: var, ty: f32", &[1e7f32, 1e7 + 2.0], 1.0f32),
        Trap::new("equal elements", "op: std, ty: f32", &[0.1f32; 1000], 0.0f32),
        Trap::new("a symmetric distribution", "op: skewness, ty: i64", &[time, time + 2], 0.0f64),
        Trap::new("two equal halves", "op: kurtosis, ty: f32", &[-1.0f32, 1.0], -2.0f64),
    ]
}

/// Absent elements keep their position.
fn absent() -> Vec<Trap> {
    let numbers: Vec<i32> = (0..5000).map(|i| (i * 7919) % 5003 - 2500).collect();
    let negative = |x: &&i32| **x < 0;
    let sum = numbers.iter().filter(negative).map(|&x| i64::from(x)).sum::<i64>();
    let count = numbers.iter().filter(negative).count() as u64;
    let first = numbers.iter().position(|&x| x < -2000).unwrap_or(0);
    let last = numbers.iter().rposition(|&x| x < -2000).unwrap_or(0);
    let nans = [f32::NAN, -1.0];
    let trap = |name, text: &str, expected: i64| Trap::new(name, text, &numbers, expected);
    vec![
        trap("a filtered sum", "op: sum, ty: i32, acc: i64, filter: |x| x < 0", sum),
        trap("a filtered mean", "op: mean, ty: i32, filter: |x| x == 7 || x == 9, finish: |m| m as i64", 8),
        trap(
            "a filtered position",
            "op: argmin, ty: i32, index: i, filter: |x| i as i64 > 4990, finish: |i| i as i64",
            (4991..5000).min_by_key(|&i| numbers[i as usize]).unwrap_or(0),
        ),
        trap(
            "the first that stays",
            "op: first, ty: i32, filter: |x| x < -2000, finish: |x| x as i64",
            numbers[first].into(),
        ),
        trap(
            "the last that stays",
            "op: last, ty: i32, filter: |x| x < -2000, finish: |x| x as i64",
            numbers[last].into(),
        ),
        trap(
            "a closure of those that stay",
            "ty: i32, filter: |x| x > 100, op: |a, b| if a < b { a } else { b }, identity: none, finish: |x| x as i64",
            101,
        ),
        Trap::new(
            "all others are absent",
            "op: count, ty: i32, map: |x| x < 0, filter: |x| x < 0",
            &numbers,
            count,
        ),
        Trap::new("NaN before a map", "op: max, ty: f32, map: |x| x as i32, nan: ignore", &nans, -1i32),
        Trap::new(
            "and before a position",
            "op: argmin, ty: f32, map: |x| x as i32, nan: ignore",
            &nans,
            1u64,
        ),
        Trap::new("nothing but NaN sums to 0", "op: sum, ty: f32, nan: ignore", &[f32::NAN; 100], 0.0f32),
        Trap::new("everything is absent", "op: sum, ty: f64, filter: |x| x > 0.0", &[-1.0f64; 100], 0.0f64),
    ]
}

/// Every element matters, at every position: lengths around warps, blocks, load units and tiles.
fn places() -> Vec<Trap> {
    let lengths = [1, 2, 3, 5, 15, 16, 17, 31, 32, 33, 63, 65, 255, 256, 257, 1023, 1025, 4095, 4097];
    let sum = |n: u64| {
        let elements: Vec<_> = (1..=n).collect();
        Trap::new("no element is lost or counted twice", "op: sum, ty: u64", &elements, n * (n + 1) / 2)
    };
    let last = |n: u64| {
        let elements: Vec<_> = (1..=n).map(|i| i == n).map(u64::from).collect();
        Trap::new("the last element is there", "op: argmax, ty: u64", &elements, n - 1)
    };
    let first =
        |n: u64| Trap::new("of equals, the first", "op: argmin, ty: u64", &vec![u64::MAX; n as usize], 0u64);
    lengths.into_iter().flat_map(|n| [sum(n), last(n), first(n)]).collect()
}
