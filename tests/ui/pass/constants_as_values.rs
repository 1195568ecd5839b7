//! Constants of the crate whose values must be known: bounds of loops, divisors, `op`, `identity`.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "users write it like this")]
#![deny(warnings)]

use reducegen::{Error, Reduction, reduction};

const TERMS: usize = 4;
const MODULUS: u64 = 97;
const LOWEST: i32 = -5;
const TOP: f32 = 8.0;
const IS_CAPPED: bool = true;

const COEFFICIENTS: [f64; 3] = [1.0, 2.0, 3.0];
const EDGES: [u32; 3] = [2, 5, 9];

const SMALL: u32 = 1;
const TWO: u32 = 2;
const FOUR: u32 = 4;
const DEGREE: usize = 2;
const LOW: i32 = 3;
const HIGH: i32 = 5;
const BASE: i32 = 500;
const HAS_SCALE: bool = false;

mod deep {
    pub const STEP: i32 = 3;
}

static TAYLOR: Reduction<f64, f64> = reduction! {
    ty: f64,
    map: |x| {
        let (mut sum, mut term) = (0.0, 1.0);
        for i in 0..TERMS {
            sum += term;
            term = term * x / (i + 1) as f64;
        }
        sum
    },
    op: sum,
};

reduction! {
    /// Counts by the remainder.
    pub static COUNTS;
    ty: u32,
    params: Counting { shift: u32 = 1 },
    acc: Bins { bins: [u32; 4] },
    map: |x| {
        let mut bins = [0; 4];
        bins[(x + shift) as usize % TERMS] = 1;
        Bins { bins }
    },
    op: |a, b| {
        let mut sums = a;
        for i in 0..crate::TERMS {
            sums.bins[i] += b.bins[i];
        }
        sums
    },
    identity: Bins { bins: [0; 4] },
}

macro_rules! capped {
    ($ty:ty, $cap:expr) => {
        reduction! { ty: $ty, map: |x| x.abs(), op: |a, b| if IS_CAPPED { a.max(b).min($cap) } else { a.max(b) }, identity: 0.0 }
    };
}

macro_rules! remainders {
    () => {
        reduction! { ty: u64, map: |x| x % $crate::MODULUS, op: sum }
    };
}

fn main() {
    assert_eq!(TAYLOR.reduce(&[0.0, 1.0]).unwrap(), 1.0 + (1.0 + 1.0 + 0.5 + 1.0 / 6.0));
    let bins = COUNTS.reduce(&[0, 1, 2, 4, 5]).unwrap();
    assert_eq!(bins, Bins { bins: [0, 2, 2, 1] });
    let product = reduction! { ty: u64, map: |x| x % MODULUS, op: |a, b| a * b % MODULUS, identity: 1 };
    let numbers: Vec<u64> = (1..97).collect();
    assert_eq!(product.reduce(&numbers).unwrap(), 96);
    let most = reduction! {
        ty: i32,
        fn third(x: i32) -> i32 { x / deep::STEP },
        filter: |x| x >= LOWEST,
        map: |x| third(x).max(LOWEST),
        op: |a, b| a.max(b),
        identity: LOWEST,
        empty: deep::STEP,
    };
    assert_eq!(most.reduce(&[1, 20, -30]).unwrap(), 6);
    assert_eq!(most.reduce(&[-30]).unwrap(), 3);

    let polynomial = reduction! {
        ty: f64,
        map: |x| {
            let mut sum = 0.0;
            for c in COEFFICIENTS {
                sum = sum * x + c;
            }
            sum
        },
        op: sum,
    };
    assert_eq!(polynomial.reduce(&[2.0, 0.0]).unwrap(), 11.0 + 3.0);
    let histogram = reduction! {
        ty: u32,
        map: |x| {
            let (mut bins, mut at) = ([0; 4], 0);
            for i in 0..EDGES.len() {
                if x >= EDGES[i] {
                    at += 1;
                }
            }
            bins[at] = 1;
            bins
        },
        op: |a, b| {
            let mut sums = a;
            for i in 0..EDGES.len() + 1 {
                sums[i] += b[i];
            }
            sums
        },
        identity: [0; 4],
    };
    assert_eq!(histogram.reduce(&[2, 3, 7, 100]).unwrap(), [0, 2, 1, 1]);

    let matched =
        reduction! { ty: u32, map: |x| match x { 0 => 5, SMALL => 7, TWO..=FOUR => 11, _ => 9 }, op: sum };
    assert_eq!(matched.reduce(&[0, 1, 2, 4, 5]).unwrap(), 5 + 7 + 11 + 11 + 9);
    let ends = reduction! {
        ty: f64,
        map: |x| {
            let mut sum = COEFFICIENTS[DEGREE];
            for i in 0..=DEGREE {
                sum = sum * x + COEFFICIENTS[i];
            }
            sum
        },
        op: sum,
    };
    assert_eq!(ends.reduce(&[1.0]).unwrap(), 9.0);
    let steps = reduction! { ty: i32, map: |x| x / (HIGH - LOW) + x % (HIGH - LOW + 1), op: sum };
    assert_eq!(steps.reduce(&[9]).unwrap(), 4);
    let above = reduction! { ty: i32, filter: |x| x >= BASE, op: |a, b| a.max(b), identity: 500 };
    assert_eq!(above.reduce(&[20, 700]).unwrap(), 700);
    let scaled = reduction! { ty: u64, params: { k: u64 = 2 }, map: |x| if HAS_SCALE { x % MODULUS * k } else { x % MODULUS }, op: sum };
    assert_eq!(scaled.reduce(&[100]).unwrap(), 3);
    let power = reduction! { ty: f32, map: |x| x.powi(deep::STEP - 1), op: sum };
    assert_eq!(power.reduce(&[1.0, 3.0]).unwrap(), 10.0);
    assert_eq!(remainders!().reduce(&[100, 5]).unwrap(), 8);

    // Nothing above the cap may be an element, or 0 is not neutral.
    let error = capped!(f32, TOP).reduce(&[1.0, 20.0]).unwrap_err();
    assert!(matches!(error, Error::Constants(_)) && error.is_usage_error());
    let said = error.to_string();
    assert!(
        said.starts_with(
            "this specification is wrong with IS_CAPPED = true, TOP = 8.0f32: `identity` is not neutral: "
        ),
        "{said}"
    );
    const NOTHING: [f32; 0] = [];
    let nothing =
        reduction! { ty: f32, map: |x| { let mut sum = x; for y in NOTHING { sum += y } sum }, op: sum };
    let said = nothing.reduce(&[1.0]).unwrap_err().to_string();
    assert_eq!(
        said,
        "this specification is wrong with NOTHING = []: this array has no elements; write its values"
    );
    let refused = reduction! { ty: f32, map: |x| x.min(TOP), op: |a, b| a.max(b.min(TOP)), identity: none, passes: [shuffle, redux] };
    assert!(matches!(refused.reduce(&[1.0]), Err(Error::Codegen(_))), "{:?}", refused.reduce(&[1.0]));
    assert!(capped!(f32, TOP).spec().is_err() && format!("{:?}", capped!(f32, TOP)).contains("not neutral"));
}
