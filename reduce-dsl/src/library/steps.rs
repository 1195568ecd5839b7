//! The lines of a function of one float, each with its name; of that called `_` an expression is made.

use crate::arith::Float;
use crate::func::{Func, FuncBuilder, Id, Param};
use crate::ops::{Bin, Cmp, TypeError, Un};
use crate::{Scalar, Value};

type Built = Result<Id, TypeError>;

/// A function that is being written.
pub(super) struct Steps(FuncBuilder);

impl Steps {
    /// A function of `x`, of type `T`.
    pub(super) fn of<T: Float>() -> (Steps, Id) {
        let f = FuncBuilder::new(vec![Param::new("x", T::TY)]);
        let x = f.params()[0];
        (Steps(f), x)
    }

    pub(super) fn build(self, result: Id) -> Func {
        self.0.build(vec![result])
    }

    pub(super) fn constant<T: Float>(&mut self, value: T) -> Id {
        self.value(Value::of(value))
    }

    pub(super) fn value(&mut self, value: Value) -> Id {
        self.0.constant(value)
    }

    /// The unsigned integer as wide as `T` that has the low bits of `value`.
    pub(super) fn word<T: Float>(&mut self, value: u64) -> Id {
        self.value(Value::from_bits(T::TY.bits_type(), value))
    }

    /// A distance of a shift.
    pub(super) fn distance(&mut self, bits: u32) -> Id {
        self.value(Value::of(bits))
    }

    pub(super) fn un(&mut self, name: &str, op: Un, a: Id) -> Built {
        let id = self.0.un(op, a);
        self.named(name, id)
    }

    pub(super) fn bin(&mut self, name: &str, a: Id, op: Bin, b: Id) -> Built {
        let id = self.0.bin(op, a, b);
        self.named(name, id)
    }

    pub(super) fn cmp(&mut self, name: &str, a: Id, op: Cmp, b: Id) -> Built {
        let id = self.0.cmp(op, a, b);
        self.named(name, id)
    }

    /// `if cond { then } else { otherwise }`.
    pub(super) fn select(&mut self, name: &str, cond: Id, [then, otherwise]: [Id; 2]) -> Built {
        let id = self.0.select(cond, then, otherwise);
        self.named(name, id)
    }

    /// `a * b + c`, rounded once.
    pub(super) fn mul_add(&mut self, name: &str, a: Id, b: Id, c: Id) -> Built {
        let id = self.0.mul_add(a, b, c);
        self.named(name, id)
    }

    /// The value, but nothing below `least`. GPUs have an instruction for it, which propagates NaN, but not of `f64`.
    pub(super) fn at_least<T: Float>(&mut self, name: &str, value: Id, least: T) -> Built {
        let least = self.constant(least);
        if T::TY == Scalar::F32 {
            return self.bin(name, value, Bin::Max, least);
        }
        let below = self.cmp("_", value, Cmp::Lt, least)?;
        self.select(name, below, [least, value])
    }

    /// The value, but nothing above `most`; what becomes of NaN is left open.
    pub(super) fn at_most<T: Float>(&mut self, name: &str, value: Id, most: T) -> Built {
        let most = self.constant(most);
        if T::TY == Scalar::F32 {
            return self.bin(name, value, Bin::MinNum, most);
        }
        let above = self.cmp("_", value, Cmp::Gt, most)?;
        self.select(name, above, [most, value])
    }

    /// A polynomial in `x` by Horner's rule, the coefficient of the highest power first.
    pub(super) fn polynomial<T: Float>(&mut self, name: &str, coefficients: &[T], x: Id) -> Built {
        let (&first, others) = coefficients.split_first().unwrap_or((&T::default(), &[]));
        let first = self.constant(first);
        others.iter().try_fold(first, |value, &next| {
            let next = self.constant(next);
            self.mul_add(name, value, x, next)
        })
    }

    fn named(&mut self, name: &str, id: Built) -> Built {
        let id = id?;
        if name != "_" {
            self.0.name(id, name);
        }
        Ok(id)
    }
}
