//! Splits an angle into quarter turns and the rest, exactly for every finite argument (M. H. Payne, R. N. Hanek, Radian
//! Reduction for Trigonometric Functions, SIGNUM Newsletter 18(1), 1983).
//!
//! x = m 2^e with an integer m. Of 2/π in binary, the leading bits contribute multiples of four quarter turns to m 2^e 2/π, and the
//! trailing bits contribute nothing that shows. The bits between, a window that e chooses, are multiplied by m as integers.

use super::exp_m1::fast_two_sum;
use super::steps::double::{Double, SIGN};

/// The precision of the rest.
pub(super) enum Precision {
    /// 32 bits at least, for `f32`. No `f32` except 0 is closer than 2^-30 to a multiple of a quarter turn.
    Single,
    /// A sum of two floats. No `f64` except 0 is closer than 2^-61 to a multiple of a quarter turn.
    Double,
}

/// An angle at least 0 as a number of quarter turns and a rest of at most an eighth of a turn.
pub(super) struct Quadrant<S: Double> {
    /// The quarter turns in the two low bits, and the sign of the rest in the highest bit.
    pub(super) turns: S::Word,
    /// The magnitude of the rest.
    pub(super) rest: S::Float,
    /// The part of it that `rest` has no room for.
    pub(super) low: Option<S::Float>,
}

/// 2/π times 2^1225, which the window of an `f64` begins to read at the exponent of 1/2.
const FOR_DOUBLES: [u64; 20] = [
    0x0000_0000_0000_0145,
    0xf306_dc9c_882a_53f8,
    0x4eaf_a3ea_69bb_81b6,
    0xc52b_3278_8720_83fc,
    0xa2c7_57bd_778a_c36e,
    0x48dc_7484_9ba5_c00c,
    0x925d_d413_a324_39fc,
    0x3bd6_3962_534e_7dd1,
    0x046b_ea5d_7689_09d3,
    0x38e0_4d68_befc_8273,
    0x23ac_7306_a673_e939,
    0x08bf_177b_f250_763f,
    0xf12f_ffbc_0b30_1fde,
    0x5e23_16b4_14da_3eda,
    0x6cfd_9e4f_9613_6e9e,
    0x8c7e_cd3c_bfd4_5aea,
    0x4f75_8fd7_cbe2_f67a,
    0x0e73_ef14_a525_d4d7,
    0xf6bf_623f_1aba_10ac,
    0x0660_8df8_f6d7_57e1,
];

/// 2/π times 2^294, which the window of an `f32` begins to read at the exponent of 1/2.
const FOR_SINGLES: [u64; 5] = [
    0x0000_0028_be60_db93,
    0x9105_4a7f_09d5_f47d,
    0x4d37_7036_d8a5_664f,
    0x10e4_107f_9458_eaf7,
    0xaef1_586d_c91b_8e90,
];

const LOW: u64 = u32::MAX as u64;
/// π/2 as the sum of two floats.
const QUARTER: [f64; 2] = [std::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17];
const TWO_TO_20: f64 = (1u64 << 20) as f64;
const TWO_TO_32: f64 = (1u64 << 32) as f64;
const TWO_TO_62: f64 = (1u64 << 62) as f64;

impl<S: Double> Quadrant<S> {
    /// Splits `x`, which is at least 0. The result is unspecified if it is not finite.
    #[inline(always)]
    pub(super) fn of(f: &mut S, x: S::Float, precision: &Precision) -> Quadrant<S> {
        let bits = f.to_bits("bits", x);
        let exponent = f.shifted_right("_", bits, 52);
        let half = f.word(1022);
        let start = f.sub_words("start", exponent, half);
        let one = f.word(1 << 52);
        let fraction = f.bits_of("_", bits, (1 << 52) - 1);
        let m = f.or("m", fraction, one);
        let turned = match precision {
            Precision::Single => single(f, start, m),
            Precision::Double => double(f, start, m),
        };
        turned.unless_small(f, x)
    }

    /// Returns angles below an eighth of a turn as they are: their product has too few bits.
    #[inline(always)]
    fn unless_small(self, f: &mut S, x: S::Float) -> Quadrant<S> {
        let (eighth, zero, none) = (f.constant(std::f64::consts::FRAC_PI_4), f.constant(0.0), f.word(0));
        let small = f.less("small", x, eighth);
        Quadrant {
            turns: f.select_word("turns", small, [none, self.turns]),
            rest: f.select("rest", small, [x, self.rest]),
            low: self.low.map(|low| f.select("low", small, [zero, low])),
        }
    }
}

/// The 24 bits of an `f32` times 96 bits of 2/π. Of the product, 2 bits count quarter turns, and 62 bits the rest.
#[inline(always)]
fn single<S: Double>(f: &mut S, start: S::Word, m: S::Word) -> Quadrant<S> {
    let [w0, w1] = window(f, &FOR_SINGLES, start);
    let m = f.shifted_right("m24", m, 29);
    let limbs = [f.shifted_right("_", w1, 32), f.bits_of("_", w0, LOW), f.shifted_right("_", w0, 32)];
    let [_, p1, p2] = products(f, m, limbs, None);
    let product = joined(f, "product", p2, p1);
    let Nearest { turns, rest, .. } = nearest(f, product);
    let (rest, unit) = (f.of_word("_", rest), f.constant(QUARTER[0] / TWO_TO_62));
    Quadrant { turns, rest: f.mul("rest", rest, unit), low: None }
}

/// The 53 bits of an `f64` times 192 bits of 2/π. Of the product, 2 bits count quarter turns, and 126 bits the rest.
#[inline(always)]
fn double<S: Double>(f: &mut S, start: S::Word, m: S::Word) -> Quadrant<S> {
    let [w0, w1, w2] = window(f, &FOR_DOUBLES, start);
    let [l5, l3, l1] = [w0, w1, w2].map(|word| f.shifted_right("limb", word, 32));
    let [l4, l2, l0] = [w0, w1, w2].map(|word| f.bits_of("limb", word, LOW));
    let (m0, m1) = (f.bits_of("m0", m, LOW), f.shifted_right("m1", m, 32));
    // The product of `m0` and `l0` is too small to show.
    let row = products(f, m0, [l1, l2, l3, l4, l5], None);
    let [_, p2, p3, p4, p5] = products(f, m1, [l0, l1, l2, l3, l4], Some(row));
    let (high, low) = (joined(f, "high", p5, p4), joined(f, "low", p3, p2));
    let Nearest { turns, rest, flip } = nearest(f, high);
    let low = f.xor("low", low, flip);
    let [rest, low] = radians(f, rest, low);
    Quadrant { turns, rest, low: Some(low) }
}

/// Returns words of a table, from bit `start` on. The table has a power of two more words, and one more for the shift.
#[inline(always)]
fn window<S: Double, const TABLE: usize, const WORDS: usize>(
    f: &mut S,
    table: &[u64; TABLE],
    start: S::Word,
) -> [S::Word; WORDS] {
    let mut words = table.map(|word| f.word(word));
    let mut step = TABLE - WORDS - 1;
    while step > 0 {
        let bit = f.bits_of("_", start, 64 * step as u64);
        let further = f.is_set("further", bit);
        for at in 0..(WORDS + step).min(TABLE - step) {
            words[at] = f.select_word("word", further, [words[at + step], words[at]]);
        }
        step /= 2;
    }
    let all = f.word(63);
    let (by, others) = (f.distance_of(start), f.xor("_", start, all));
    let others = f.distance_of(others);
    std::array::from_fn(|at| {
        let (left, right) = (f.shl("_", words[at], by), f.shifted_right("_", words[at + 1], 1));
        let right = f.shr("_", right, others);
        f.or("window", left, right)
    })
}

/// Multiplies limbs of 32 bits, the lowest first, and adds the low bits of `sums`. The low 32 bits of each result are a limb; the high
/// ones are carried.
#[inline(always)]
fn products<S: Double, const N: usize>(
    f: &mut S,
    m: S::Word,
    limbs: [S::Word; N],
    sums: Option<[S::Word; N]>,
) -> [S::Word; N] {
    let mut carry = None;
    std::array::from_fn(|at| {
        let low = sums.map(|sums| f.bits_of("_", sums[at], LOW));
        let product = f.mul_words("p", m, limbs[at]);
        let sum = [low, carry].into_iter().flatten().fold(product, |sum, next| f.add_words("p", sum, next));
        carry = Some(f.shifted_right("_", sum, 32));
        sum
    })
}

/// Returns the low halves of two words as one word.
#[inline(always)]
fn joined<S: Double>(f: &mut S, name: &str, high: S::Word, low: S::Word) -> S::Word {
    let (high, low) = (f.shifted_left("_", high, 32), f.bits_of("_", low, LOW));
    f.or(name, high, low)
}

struct Nearest<W> {
    /// As in [`Quadrant`].
    turns: W,
    /// The magnitude of the rest, in units of 2^-62.
    rest: W,
    /// All bits if the rest is negative. Then lower bits are flipped, which is off by one unit of the last.
    flip: W,
}

/// Rounds a number with 62 bits after the point to the nearest integer.
#[inline(always)]
fn nearest<S: Double>(f: &mut S, number: S::Word) -> Nearest<S::Word> {
    let (half, zero) = (f.word(1 << 61), f.word(0));
    let shifted = f.add_words("shifted", number, half);
    let whole = f.shifted_right("_", shifted, 62);
    let above = f.bits_of("_", shifted, (1 << 62) - 1);
    let rest = f.sub_words("signed_rest", above, half);
    let is_negative = f.shifted_right("_", rest, 63);
    let flip = f.sub_words("flip", zero, is_negative);
    let sign = f.bits_of("_", rest, SIGN);
    Nearest { turns: f.or("turns", whole, sign), rest: f.xor("rest_bits", rest, flip), flip }
}

/// Returns π/2 times a number of 126 bits after the point, as the sum of two floats.
#[inline(always)]
fn radians<S: Double>(f: &mut S, high: S::Word, low: S::Word) -> [S::Float; 2] {
    // Three integers that are floats.
    let top = f.shifted_right("_", high, 20);
    let (middle, next) = (f.bits_of("_", high, (1 << 20) - 1), f.shifted_right("_", low, 32));
    let middle = f.shifted_left("_", middle, 32);
    let middle = f.or("_", middle, next);
    let bottom = f.bits_of("_", low, LOW);
    let mut scaled = |name, word, unit| {
        let (float, unit) = (f.of_word("_", word), f.constant(unit));
        f.mul(name, float, unit)
    };
    let top = scaled("top", top, TWO_TO_20 / TWO_TO_62);
    let middle = scaled("middle", middle, 1.0 / (TWO_TO_62 * TWO_TO_32));
    let bottom = scaled("_", bottom, 1.0 / (TWO_TO_62 * TWO_TO_32 * TWO_TO_32));
    let [t, rest] = fast_two_sum(f, top, middle);
    let t_low = f.add("t_low", rest, bottom);
    let [quarter, quarter_low] = QUARTER.map(|part| f.constant(part));
    let rest = f.mul("rest", t, quarter);
    let negative = f.neg("_", rest);
    let error = f.mul_add("_", t, quarter, negative);
    let low = f.mul("_", t_low, quarter);
    let low = f.mul_add("_", t, quarter_low, low);
    [rest, f.add("low", error, low)]
}
