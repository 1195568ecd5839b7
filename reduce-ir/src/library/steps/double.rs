//! The steps of functions that compute in `f64`: also those of `f32`, whose arguments and results are converted.

use super::{Lines, Numbers, Steps};
use crate::arith::{As, Bits, Element, Float, Number};
use crate::func::{Func, Id};
use crate::ops::{Bin, Cmp, Un};
use crate::{Scalar, Value};

/// Operations on `f64` and `u64` that few functions need.
pub(crate) trait Double: Steps<f64> {
    fn neg(&mut self, name: &str, x: Self::Float) -> Self::Float;
    fn abs(&mut self, name: &str, x: Self::Float) -> Self::Float;
    fn div(&mut self, name: &str, a: Self::Float, b: Self::Float) -> Self::Float;
    fn sqrt(&mut self, name: &str, x: Self::Float) -> Self::Float;
    /// Returns the nearest float.
    fn of_word(&mut self, name: &str, a: Self::Word) -> Self::Float;
    fn mul_words(&mut self, name: &str, a: Self::Word, b: Self::Word) -> Self::Word;
    fn xor(&mut self, name: &str, a: Self::Word, b: Self::Word) -> Self::Word;
    /// Returns the low bits of a word as the distance of a shift, which is taken modulo 64.
    fn distance_of(&mut self, a: Self::Word) -> Self::Distance;
    /// Returns whether a word is not 0.
    fn is_set(&mut self, name: &str, a: Self::Word) -> Self::Choice;
    /// Returns whether one of two conditions holds.
    fn either(&mut self, name: &str, a: Self::Choice, b: Self::Choice) -> Self::Choice;
    fn select_word(&mut self, name: &str, cond: Self::Choice, branches: [Self::Word; 2]) -> Self::Word;

    /// Returns the bits of `a` that a constant selects.
    #[inline(always)]
    fn bits_of(&mut self, name: &str, a: Self::Word, mask: u64) -> Self::Word {
        let mask = self.word(mask);
        self.and(name, a, mask)
    }

    #[inline(always)]
    fn shifted_left(&mut self, name: &str, a: Self::Word, by: u32) -> Self::Word {
        let by = self.distance(by);
        self.shl(name, a, by)
    }

    #[inline(always)]
    fn shifted_right(&mut self, name: &str, a: Self::Word, by: u32) -> Self::Word {
        let by = self.distance(by);
        self.shr(name, a, by)
    }

    /// Returns `y` with the sign of `x` if it is positive, otherwise `y`.
    #[inline(always)]
    fn signed_like(&mut self, name: &str, y: Self::Float, x: Self::Float) -> Self::Float {
        let (bits, sign) = (self.to_bits("_", y), self.to_bits("_", x));
        let sign = self.bits_of("_", sign, SIGN);
        let bits = self.or("_", bits, sign);
        self.of_bits(name, bits)
    }
}

/// The bit of the sign.
pub(crate) const SIGN: u64 = 1 << 63;

/// A function of `N` floats in steps on `f64`.
pub(crate) trait Function<const N: usize> {
    /// Does the steps. They depend on the precision that the result needs.
    fn steps<S: Double>(&self, f: &mut S, args: [S::Float; N]) -> S::Float;

    /// Returns the function of `f64`.
    fn of_f64(&self) -> Option<Func> {
        let (mut f, args) = Lines::of(Scalar::F64);
        let result = self.steps(&mut f, args);
        f.build(result).ok()
    }

    /// Returns the function of `f32`.
    fn of_f32(&self) -> Option<Func> {
        let (mut f, args) = Lines::of(Scalar::F32);
        let args = args.map(|arg| f.cast(Scalar::F64, arg));
        let result = self.steps(&mut f, args);
        let result = f.cast(Scalar::F32, result);
        f.build(result).ok()
    }
}

/// Evaluates a function of one number.
#[inline(always)]
pub(crate) fn of_one<T: As<f64>>(function: &impl Function<1>, x: T) -> T
where
    f64: As<T>,
{
    function.steps(&mut Numbers, [x.to()]).to()
}

/// Evaluates a function of two numbers.
#[inline(always)]
pub(crate) fn of_two<T: As<f64>>(function: &impl Function<2>, x: T, y: T) -> T
where
    f64: As<T>,
{
    function.steps(&mut Numbers, [x.to(), y.to()]).to()
}

impl Lines {
    fn un(&mut self, name: &str, op: Un, a: Id) -> Id {
        let id = self.f.un(op, a);
        self.named(name, id)
    }

    fn cast(&mut self, to: Scalar, a: Id) -> Id {
        let id = self.f.cast(to, a);
        self.named("_", id)
    }
}

impl Double for Lines {
    fn neg(&mut self, name: &str, x: Id) -> Id {
        self.un(name, Un::Neg, x)
    }
    fn abs(&mut self, name: &str, x: Id) -> Id {
        self.un(name, Un::Abs, x)
    }
    fn div(&mut self, name: &str, a: Id, b: Id) -> Id {
        self.bin(name, a, Bin::Div, b)
    }
    fn sqrt(&mut self, name: &str, x: Id) -> Id {
        self.un(name, Un::Sqrt, x)
    }
    fn of_word(&mut self, name: &str, a: Id) -> Id {
        let id = self.f.cast(Scalar::F64, a);
        self.named(name, id)
    }
    fn mul_words(&mut self, name: &str, a: Id, b: Id) -> Id {
        self.bin(name, a, Bin::Mul, b)
    }
    fn xor(&mut self, name: &str, a: Id, b: Id) -> Id {
        self.bin(name, a, Bin::Xor, b)
    }
    fn distance_of(&mut self, a: Id) -> Id {
        self.cast(Scalar::U32, a)
    }
    fn is_set(&mut self, name: &str, a: Id) -> Id {
        let zero = self.f.constant(Value::of(0u64));
        self.cmp(name, a, Cmp::Ne, zero)
    }
    fn either(&mut self, name: &str, a: Id, b: Id) -> Id {
        self.bin(name, a, Bin::Or, b)
    }
    fn select_word(&mut self, name: &str, cond: Id, branches: [Id; 2]) -> Id {
        Steps::<f64>::select(self, name, cond, branches)
    }
}

impl Double for Numbers {
    #[inline(always)]
    fn neg(&mut self, _: &str, x: f64) -> f64 {
        Number::neg(x)
    }
    #[inline(always)]
    fn abs(&mut self, _: &str, x: f64) -> f64 {
        Number::abs(x)
    }
    #[inline(always)]
    fn div(&mut self, _: &str, a: f64, b: f64) -> f64 {
        Number::div(a, b)
    }
    #[inline(always)]
    fn sqrt(&mut self, _: &str, x: f64) -> f64 {
        Float::sqrt(x)
    }
    #[inline(always)]
    fn of_word(&mut self, _: &str, a: u64) -> f64 {
        a.to()
    }
    #[inline(always)]
    fn mul_words(&mut self, _: &str, a: u64, b: u64) -> u64 {
        Number::mul(a, b)
    }
    #[inline(always)]
    fn xor(&mut self, _: &str, a: u64, b: u64) -> u64 {
        Bits::xor(a, b)
    }
    #[inline(always)]
    fn distance_of(&mut self, a: u64) -> u32 {
        a.to()
    }
    #[inline(always)]
    fn is_set(&mut self, _: &str, a: u64) -> bool {
        a != 0
    }
    #[inline(always)]
    fn either(&mut self, _: &str, a: bool, b: bool) -> bool {
        Bits::or(a, b)
    }
    #[inline(always)]
    fn select_word(&mut self, _: &str, cond: bool, [then, otherwise]: [u64; 2]) -> u64 {
        Element::select(cond, then, otherwise)
    }
}
