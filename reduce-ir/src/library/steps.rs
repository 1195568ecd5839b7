//! The steps in which the functions of the library are written. Each function is written once and used twice: as lines, from
//! which CUDA is printed, and as operations on numbers, which become the host's loops.

pub(crate) mod double;

use crate::arith::{Bits, Element, Float, Integer, Number};
use crate::func::{Func, FuncBuilder, Id, Param};
use crate::ops::{Bin, Cmp, TypeError, Un};
use crate::{Scalar, Value};

/// Operations on floats of type `T`. Each result has a name; a result called `_` becomes a nested expression.
pub(crate) trait Steps<T: Float> {
    type Float: Copy;
    /// An unsigned integer of the same width.
    type Word: Copy;
    /// The distance of a shift.
    type Distance: Copy;
    type Choice: Copy;

    fn constant(&mut self, value: T) -> Self::Float;
    /// Returns the low bits of `bits`.
    fn word(&mut self, bits: u64) -> Self::Word;
    fn distance(&mut self, bits: u32) -> Self::Distance;

    fn add(&mut self, name: &str, a: Self::Float, b: Self::Float) -> Self::Float;
    fn sub(&mut self, name: &str, a: Self::Float, b: Self::Float) -> Self::Float;
    fn mul(&mut self, name: &str, a: Self::Float, b: Self::Float) -> Self::Float;
    /// Returns `a * b + c`, rounded once.
    fn mul_add(&mut self, name: &str, a: Self::Float, b: Self::Float, c: Self::Float) -> Self::Float;

    fn to_bits(&mut self, name: &str, x: Self::Float) -> Self::Word;
    fn of_bits(&mut self, name: &str, bits: Self::Word) -> Self::Float;
    fn add_words(&mut self, name: &str, a: Self::Word, b: Self::Word) -> Self::Word;
    fn sub_words(&mut self, name: &str, a: Self::Word, b: Self::Word) -> Self::Word;
    fn and(&mut self, name: &str, a: Self::Word, b: Self::Word) -> Self::Word;
    fn or(&mut self, name: &str, a: Self::Word, b: Self::Word) -> Self::Word;
    fn shl(&mut self, name: &str, a: Self::Word, by: Self::Distance) -> Self::Word;
    fn shr(&mut self, name: &str, a: Self::Word, by: Self::Distance) -> Self::Word;

    fn less(&mut self, name: &str, a: Self::Float, b: Self::Float) -> Self::Choice;
    fn greater(&mut self, name: &str, a: Self::Float, b: Self::Float) -> Self::Choice;
    fn equal(&mut self, name: &str, a: Self::Float, b: Self::Float) -> Self::Choice;
    /// Returns `if cond { then } else { otherwise }`.
    fn select(&mut self, name: &str, cond: Self::Choice, branches: [Self::Float; 2]) -> Self::Float;

    /// Returns the value, but at least `least`. NaN stays NaN.
    #[inline(always)]
    fn at_least(&mut self, name: &str, value: Self::Float, least: T) -> Self::Float {
        let least = self.constant(least);
        let below = self.less("_", value, least);
        self.select(name, below, [least, value])
    }

    /// Returns the value, but at most `most`. The result for NaN is unspecified.
    #[inline(always)]
    fn at_most(&mut self, name: &str, value: Self::Float, most: T) -> Self::Float {
        let most = self.constant(most);
        let above = self.greater("_", value, most);
        self.select(name, above, [most, value])
    }

    /// Evaluates a polynomial in `x` by Horner's rule, with the coefficient of the highest power first.
    #[inline(always)]
    fn polynomial(&mut self, name: &str, coefficients: &[T], x: Self::Float) -> Self::Float {
        let (&first, others) = coefficients.split_first().unwrap_or((&T::default(), &[]));
        let mut value = self.constant(first);
        for &next in others {
            let next = self.constant(next);
            value = self.mul_add(name, value, x, next);
        }
        value
    }
}

/// Records steps as lines of a function of `x`.
pub(crate) struct Lines {
    f: FuncBuilder,
    wrong: Option<TypeError>,
}

impl Lines {
    /// Starts a function of at most two floats, and returns their ids.
    pub(super) fn of<const N: usize>(ty: Scalar) -> (Lines, [Id; N]) {
        let f = FuncBuilder::new(["x", "y"].into_iter().take(N).map(|name| Param::new(name, ty)).collect());
        (Lines { f, wrong: None }, std::array::from_fn(|at| Id(at as u32)))
    }

    pub(super) fn build(self, result: Id) -> Result<Func, TypeError> {
        self.wrong.map_or_else(|| Ok(self.f.build(vec![result])), Err)
    }

    fn bin(&mut self, name: &str, a: Id, op: Bin, b: Id) -> Id {
        let id = self.f.bin(op, a, b);
        self.named(name, id)
    }

    fn cmp(&mut self, name: &str, a: Id, op: Cmp, b: Id) -> Id {
        let id = self.f.cmp(op, a, b);
        self.named(name, id)
    }

    /// Names a result and returns its id. Records a type error, and then returns any id.
    fn named(&mut self, name: &str, id: Result<Id, TypeError>) -> Id {
        let id = id.unwrap_or_else(|wrong| {
            self.wrong.get_or_insert(wrong);
            Id(0)
        });
        if name != "_" {
            self.f.name(id, name);
        }
        id
    }
}

impl<T: Float> Steps<T> for Lines {
    type Float = Id;
    type Word = Id;
    type Distance = Id;
    type Choice = Id;

    fn constant(&mut self, value: T) -> Id {
        self.f.constant(Value::of(value))
    }
    fn word(&mut self, bits: u64) -> Id {
        self.f.constant(Value::from_bits(T::TY.bits_type(), bits))
    }
    fn distance(&mut self, bits: u32) -> Id {
        self.f.constant(Value::of(bits))
    }

    fn add(&mut self, name: &str, a: Id, b: Id) -> Id {
        self.bin(name, a, Bin::Add, b)
    }
    fn sub(&mut self, name: &str, a: Id, b: Id) -> Id {
        self.bin(name, a, Bin::Sub, b)
    }
    fn mul(&mut self, name: &str, a: Id, b: Id) -> Id {
        self.bin(name, a, Bin::Mul, b)
    }
    fn mul_add(&mut self, name: &str, a: Id, b: Id, c: Id) -> Id {
        let id = self.f.mul_add(a, b, c);
        self.named(name, id)
    }

    fn to_bits(&mut self, name: &str, x: Id) -> Id {
        let id = self.f.un(Un::ToBits, x);
        self.named(name, id)
    }
    fn of_bits(&mut self, name: &str, bits: Id) -> Id {
        let id = self.f.un(Un::FromBits, bits);
        self.named(name, id)
    }
    fn add_words(&mut self, name: &str, a: Id, b: Id) -> Id {
        self.bin(name, a, Bin::Add, b)
    }
    fn sub_words(&mut self, name: &str, a: Id, b: Id) -> Id {
        self.bin(name, a, Bin::Sub, b)
    }
    fn and(&mut self, name: &str, a: Id, b: Id) -> Id {
        self.bin(name, a, Bin::And, b)
    }
    fn or(&mut self, name: &str, a: Id, b: Id) -> Id {
        self.bin(name, a, Bin::Or, b)
    }
    fn shl(&mut self, name: &str, a: Id, by: Id) -> Id {
        self.bin(name, a, Bin::Shl, by)
    }
    fn shr(&mut self, name: &str, a: Id, by: Id) -> Id {
        self.bin(name, a, Bin::Shr, by)
    }

    fn less(&mut self, name: &str, a: Id, b: Id) -> Id {
        self.cmp(name, a, Cmp::Lt, b)
    }
    fn greater(&mut self, name: &str, a: Id, b: Id) -> Id {
        self.cmp(name, a, Cmp::Gt, b)
    }
    fn equal(&mut self, name: &str, a: Id, b: Id) -> Id {
        self.cmp(name, a, Cmp::Eq, b)
    }
    fn select(&mut self, name: &str, cond: Id, [then, otherwise]: [Id; 2]) -> Id {
        let id = self.f.select(cond, then, otherwise);
        self.named(name, id)
    }

    // GPUs have an instruction for `f32`, but not for `f64`.
    fn at_least(&mut self, name: &str, value: Id, least: T) -> Id {
        let least = self.constant(least);
        if T::TY == Scalar::F32 {
            return self.bin(name, value, Bin::Max, least);
        }
        let below = self.cmp("_", value, Cmp::Lt, least);
        Steps::<T>::select(self, name, below, [least, value])
    }
    fn at_most(&mut self, name: &str, value: Id, most: T) -> Id {
        let most = self.constant(most);
        if T::TY == Scalar::F32 {
            return self.bin(name, value, Bin::MinNum, most);
        }
        let above = self.cmp("_", value, Cmp::Gt, most);
        Steps::<T>::select(self, name, above, [most, value])
    }
}

/// Executes steps on numbers. All methods are inlined into code that is compiled for an instruction set.
pub(crate) struct Numbers;

impl<T: Float> Steps<T> for Numbers {
    type Float = T;
    type Word = T::Bits;
    type Distance = u32;
    type Choice = bool;

    #[inline(always)]
    fn constant(&mut self, value: T) -> T {
        value
    }
    #[inline(always)]
    fn word(&mut self, bits: u64) -> T::Bits {
        T::Bits::from_bits64(bits)
    }
    #[inline(always)]
    fn distance(&mut self, bits: u32) -> u32 {
        bits
    }

    #[inline(always)]
    fn add(&mut self, _: &str, a: T, b: T) -> T {
        a.add(b)
    }
    #[inline(always)]
    fn sub(&mut self, _: &str, a: T, b: T) -> T {
        a.sub(b)
    }
    #[inline(always)]
    fn mul(&mut self, _: &str, a: T, b: T) -> T {
        a.mul(b)
    }
    #[inline(always)]
    fn mul_add(&mut self, _: &str, a: T, b: T, c: T) -> T {
        a.mul_add(b, c)
    }

    #[inline(always)]
    fn to_bits(&mut self, _: &str, x: T) -> T::Bits {
        x.to_bits()
    }
    #[inline(always)]
    fn of_bits(&mut self, _: &str, bits: T::Bits) -> T {
        T::from_bits(bits)
    }
    #[inline(always)]
    fn add_words(&mut self, _: &str, a: T::Bits, b: T::Bits) -> T::Bits {
        a.add(b)
    }
    #[inline(always)]
    fn sub_words(&mut self, _: &str, a: T::Bits, b: T::Bits) -> T::Bits {
        a.sub(b)
    }
    #[inline(always)]
    fn and(&mut self, _: &str, a: T::Bits, b: T::Bits) -> T::Bits {
        a.and(b)
    }
    #[inline(always)]
    fn or(&mut self, _: &str, a: T::Bits, b: T::Bits) -> T::Bits {
        a.or(b)
    }
    #[inline(always)]
    fn shl(&mut self, _: &str, a: T::Bits, by: u32) -> T::Bits {
        a.shl(by)
    }
    #[inline(always)]
    fn shr(&mut self, _: &str, a: T::Bits, by: u32) -> T::Bits {
        a.shr(by)
    }

    #[inline(always)]
    fn less(&mut self, _: &str, a: T, b: T) -> bool {
        a.lt(b)
    }
    #[inline(always)]
    fn greater(&mut self, _: &str, a: T, b: T) -> bool {
        b.lt(a)
    }
    #[inline(always)]
    fn equal(&mut self, _: &str, a: T, b: T) -> bool {
        a == b
    }
    #[inline(always)]
    fn select(&mut self, _: &str, cond: bool, [then, otherwise]: [T; 2]) -> T {
        T::select(cond, then, otherwise)
    }
}
