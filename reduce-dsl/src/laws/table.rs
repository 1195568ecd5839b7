//! Operators on accumulators of 8 bits as tables, so that every triple can be tried.

use super::equation::{Equation, Functions, Neutral};
use super::native::{Computed, Native};
use super::sample::simplest;
use crate::func::Param;
use crate::lanes::Lanes;
use crate::operation::Operation;
use crate::{Scalar, Value};

/// What `op` gives of any two accumulators, as bits.
#[derive(Debug)]
pub(super) struct Table {
    ty: Scalar,
    results: Vec<u8>,
    /// The accumulators that occur, the simplest first.
    occurring: Vec<u8>,
}

impl Table {
    /// That of an operation whose accumulator is one scalar of 8 bits. `mapped` is what `map` gives of some elements:
    /// what `op` makes of those occurs.
    pub(super) fn of(operation: &Operation, functions: &Functions<'_>, mapped: &Lanes) -> Option<Table> {
        let &[Param { ty, .. }] = operation.acc.fields.as_slice() else { return None };
        if ty.size() != 1 {
            return None;
        }
        let mut table = Table { ty, results: results(functions, ty), occurring: Vec::new() };
        let occurs = table.closed((0..mapped.len()).map(|lane| bits(mapped.get(lane))));
        for value in simplest(ty).into_iter().map(bits).chain(0..=u8::MAX) {
            if occurs[usize::from(value)] && !table.occurring.contains(&value) {
                table.occurring.push(value);
            }
        }
        Some(table)
    }

    /// How many cases of an equation there are, all of which satisfy it.
    ///
    /// # Errors
    /// The simplest operands that do not.
    pub(super) fn examine(&self, equation: &Equation) -> Result<u64, Vec<Value>> {
        let op = |a: u8, b: u8| self.get(a, b);
        let neutral = |it: &Neutral| bits(it.values()[0]);
        match equation {
            Equation::Associative => self.all(|[a, b, c]| op(op(a, b), c) == op(a, op(b, c))),
            Equation::Commutative => self.all(|[a, b]| op(a, b) == op(b, a)),
            Equation::Left(e) => self.all(|[a]| op(neutral(e), a) == a),
            Equation::Right(e) => self.all(|[a]| op(a, neutral(e)) == a),
            Equation::Fold => Ok(0),
        }
    }

    fn all<const N: usize>(&self, holds: impl Fn([u8; N]) -> bool) -> Result<u64, Vec<Value>> {
        let count = self.occurring.len().pow(N as u32);
        let tuple = |mut case: usize| {
            let mut operands = [0; N];
            for operand in operands.iter_mut().rev() {
                *operand = self.occurring[case % self.occurring.len()];
                case /= self.occurring.len();
            }
            operands
        };
        let value = |bits: u8| Value::from_bits(self.ty, bits.into());
        match (0..count).map(tuple).find(|&operands| !holds(operands)) {
            Some(operands) => Err(operands.map(value).to_vec()),
            None => Ok(count as u64),
        }
    }

    fn get(&self, a: u8, b: u8) -> u8 {
        self.results[usize::from(a) << 8 | usize::from(b)]
    }

    /// Which accumulators occur: these, and what `op` gives of those that occur.
    fn closed(&self, mapped: impl Iterator<Item = u8>) -> [bool; 256] {
        let mut occurs = [false; 256];
        let mut open: Vec<u8> = mapped.collect();
        while let Some(next) = open.pop() {
            if std::mem::replace(&mut occurs[usize::from(next)], true) {
                continue;
            }
            for other in (0..=u8::MAX).filter(|&other| occurs[usize::from(other)]) {
                open.extend([self.get(next, other), self.get(other, next)]);
            }
        }
        occurs
    }
}

/// What `op` gives of a and b, at 256 a + b.
fn results(functions: &Functions<'_>, ty: Scalar) -> Vec<u8> {
    const LEN: usize = 1 << 16;
    let operand = |shift: u32| {
        let mut lanes = Lanes::splat(Value::from_bits(ty, 0), LEN);
        (0..LEN).for_each(|lane| lanes.set(lane, Value::from_bits(ty, lane as u64 >> shift & 0xff)));
        vec![Computed::given(&lanes)]
    };
    let sides =
        functions.with(Native { len: LEN }).sides_of(&Equation::Commutative, &[operand(8), operand(0)]);
    (0..LEN).map(|lane| bits(sides[0][0].get(lane))).collect()
}

fn bits(value: Value) -> u8 {
    value.bits() as u8
}
