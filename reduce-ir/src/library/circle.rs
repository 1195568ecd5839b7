//! `sin`, `cos` and `tan`: of the rest of the angle after [whole quarter turns](super::quadrant), two polynomials give sine and
//! cosine. The quarter turns say which of them is the result, and its sign.

use super::quadrant::{Precision, Quadrant};
use super::steps::double::{Double, Function, SIGN};

/// The sine. The sign of a zero stays.
pub(crate) struct Sine(Circle);

/// The cosine.
pub(crate) struct Cosine(Circle);

/// The tangent of an `f32`. The sign of a zero stays.
pub(crate) struct Tangent;

impl Sine {
    pub(crate) const F32: Sine = Sine(SINGLE);
    pub(crate) const F64: Sine = Sine(DOUBLE);
}

impl Cosine {
    pub(crate) const F32: Cosine = Cosine(SINGLE);
    pub(crate) const F64: Cosine = Cosine(DOUBLE);
}

/// The precision of the results.
struct Circle {
    precision: Precision,
    /// The coefficients of (sin r - r) / r^3 in r^2, the highest power first.
    sine: &'static [f64],
    /// The coefficients of (cos r - 1 + r^2 / 2) / r^4 in r^2, the highest power first.
    cosine: &'static [f64],
}

const SINGLE: Circle = Circle {
    precision: Precision::Single,
    sine: &[
        2.718_312_434_513_139_6e-6,
        -0.000_198_393_349_421_186_3,
        0.008_333_329_386_235_884,
        -0.166_666_666_416_296_7,
    ],
    cosine: &[
        -2.721_025_231_790_016e-7,
        2.479_952_016_129_546_6e-5,
        -0.001_388_888_375_378_676_7,
        0.041_666_666_622_827_815,
    ],
};

const DOUBLE: Circle = Circle {
    precision: Precision::Double,
    sine: &[
        1.589_682_627_071_994_5e-10,
        -2.505_075_862_767_268e-8,
        2.755_731_369_509_601e-6,
        -0.000_198_412_698_298_167_55,
        0.008_333_333_333_322_425,
        -0.166_666_666_666_666_32,
    ],
    cosine: &[
        -1.135_967_246_374_082_9e-11,
        2.087_572_371_691_786e-9,
        -2.755_731_435_529_329e-7,
        2.480_158_728_949_118_7e-5,
        -0.001_388_888_888_887_413_6,
        0.041_666_666_666_666_6,
    ],
};

impl Function<1> for Sine {
    #[inline(always)]
    fn steps<S: Double>(&self, f: &mut S, [x]: [S::Float; 1]) -> S::Float {
        let size = f.abs("size", x);
        let (both, turns) = self.0.of(f, size);
        let y = sine_of_turns(f, both, turns);
        let sign = f.to_bits("_", x);
        let y = flipped(f, y, sign);
        if_finite(f, size, y)
    }
}

impl Function<1> for Cosine {
    #[inline(always)]
    fn steps<S: Double>(&self, f: &mut S, [x]: [S::Float; 1]) -> S::Float {
        let size = f.abs("size", x);
        let (both, turns) = self.0.of(f, size);
        // The cosine is the sine of one quarter turn more.
        let one = f.word(1);
        let turns = f.add_words("turns", turns, one);
        let y = sine_of_turns(f, both, turns);
        if_finite(f, size, y)
    }
}

impl Function<1> for Tangent {
    #[inline(always)]
    fn steps<S: Double>(&self, f: &mut S, [x]: [S::Float; 1]) -> S::Float {
        let size = f.abs("size", x);
        let ([sine, cosine], turns) = SINGLE.of(f, size);
        // One quarter turn more gives the negative reciprocal.
        let odd = f.bits_of("_", turns, 1);
        let is_odd = f.is_set("is_odd", odd);
        let above = f.select("_", is_odd, [cosine, sine]);
        let below = f.select("_", is_odd, [sine, cosine]);
        let y = f.div("y", above, below);
        let (sign, turn) = (f.to_bits("_", x), f.shifted_left("_", turns, 63));
        let sign = f.xor("_", sign, turn);
        let y = flipped(f, y, sign);
        if_finite(f, size, y)
    }
}

impl Circle {
    /// Returns sine and cosine of the rest, and the quarter turns in the two low bits of a word.
    #[inline(always)]
    fn of<S: Double>(&self, f: &mut S, size: S::Float) -> ([S::Float; 2], S::Word) {
        let Quadrant { turns, rest, low } = Quadrant::of(f, size, &self.precision);
        let square = f.mul("square", rest, rest);
        let sine = self.sine_of(f, rest, low, square);
        let cosine = self.cosine_of(f, rest, low, square);
        ([flipped(f, sine, turns), cosine], turns)
    }

    /// Returns sin(r + low), which is sin r + low cos r.
    #[inline(always)]
    fn sine_of<S: Double>(
        &self,
        f: &mut S,
        r: S::Float,
        low: Option<S::Float>,
        square: S::Float,
    ) -> S::Float {
        let p = f.polynomial("sine", self.sine, square);
        let cube = f.mul("_", square, r);
        let Some(low) = low else { return f.mul_add("sine", cube, p, r) };
        let minus_half = f.constant(-0.5);
        let small = f.mul("_", square, minus_half);
        let small = f.mul_add("_", small, low, low);
        let small = f.mul_add("_", cube, p, small);
        f.add("sine", r, small)
    }

    /// Returns cos(r + low), which is cos r - low sin r.
    #[inline(always)]
    fn cosine_of<S: Double>(
        &self,
        f: &mut S,
        r: S::Float,
        low: Option<S::Float>,
        square: S::Float,
    ) -> S::Float {
        let p = f.polynomial("cosine", self.cosine, square);
        let fourth = f.mul("_", square, square);
        let (one, half) = (f.constant(1.0), f.constant(0.5));
        let half = f.mul("half", square, half);
        let high = f.sub("most", one, half);
        let Some(low) = low else { return f.mul_add("cosine", fourth, p, high) };
        // The rounding error of the difference.
        let lost = f.sub("_", one, high);
        let lost = f.sub("_", lost, half);
        let minus = f.neg("_", r);
        let small = f.mul_add("_", minus, low, lost);
        let small = f.mul_add("_", fourth, p, small);
        f.add("cosine", high, small)
    }
}

/// Returns the sine of an angle, given its number of quarter turns and the sine and cosine of the remaining angle.
#[inline(always)]
fn sine_of_turns<S: Double>(f: &mut S, [sine, cosine]: [S::Float; 2], turns: S::Word) -> S::Float {
    let odd = f.bits_of("_", turns, 1);
    let is_odd = f.is_set("_", odd);
    let y = f.select("_", is_odd, [cosine, sine]);
    // The second bit of the number of quarter turns is half a turn, which changes the sign.
    let sign = f.shifted_left("_", turns, 62);
    flipped(f, y, sign)
}

/// Changes the sign if the highest bit of a word is set.
#[inline(always)]
fn flipped<S: Double>(f: &mut S, y: S::Float, word: S::Word) -> S::Float {
    let sign = f.bits_of("_", word, SIGN);
    let bits = f.to_bits("_", y);
    let bits = f.xor("_", bits, sign);
    f.of_bits("y", bits)
}

/// Returns `y` if the argument is finite, otherwise NaN.
#[inline(always)]
fn if_finite<S: Double>(f: &mut S, size: S::Float, y: S::Float) -> S::Float {
    let (infinity, nan) = (f.constant(f64::INFINITY), f.constant(f64::NAN));
    let finite = f.less("_", size, infinity);
    f.select("_", finite, [y, nan])
}
