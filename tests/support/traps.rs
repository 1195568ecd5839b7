//! What other libraries get wrong, and what is right: small cases by name, with the results that arithmetic on paper
//! gives. Each is run by every schedule, from aligned elements and from misaligned ones.

use super::cases::LISTS;
use super::reference::Place;
use super::subjects::Subject;
use reduce_dsl::arith::Element;
use reduce_dsl::lanes::Lanes;
use reduce_dsl::{Spec, Value, bf16, f16};

/// Elements skipped in front of those that are reduced.
pub(crate) const STARTS: [usize; 3] = [0, 1, 3];

/// A case that goes wrong elsewhere.
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

    /// The elements behind `start` others, of all bits.
    pub(crate) fn memory(&self, start: usize) -> (Vec<Lanes>, Place) {
        let mut memory = Lanes::splat(Value::from_bits(self.elements.ty(), u64::MAX), start);
        memory.extend(self.elements.borrow());
        (vec![memory], Place { n: self.elements.len(), start, step: 1 })
    }
}

impl Case {
    /// What is wrong with a result of a device.
    pub(crate) fn wrong(&self, device: &str, bits: &str) -> Option<String> {
        let Trap { name, expected, .. } = &self.trap;
        let text = &self.spec.text;
        (bits != expected).then(|| format!("{name}: {text} gives {bits} on the {device}, not {expected}"))
    }
}

/// Every trap by every schedule.
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

/// All of them.
pub(crate) fn traps() -> Vec<Trap> {
    [floats(), halves(), integers(), places()].concat()
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

/// 16-bit floats count to 2048 and to 256 on their own.
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

/// Every element matters, wherever it is: lengths around warps, blocks, load units and tiles.
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
