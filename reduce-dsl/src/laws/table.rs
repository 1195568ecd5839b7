//! Operators on accumulators of 8 bits as tables, so that every triple can be tried.

use super::Cases;
use super::equation::{Equation, Functions, Neutral};
use super::examine::Verdict;
use super::native::{Computed, Native};
use super::sample::simplest;
use crate::func::Param;
use crate::lanes::Lanes;
use crate::operation::Operation;
use crate::{Scalar, Value};

/// What `op` gives of any two accumulators.
#[derive(Debug)]
pub(super) struct Table {
    ty: Scalar,
    /// Of a and b, at 256 a + b.
    results: Vec<Entry>,
    /// The accumulators that occur, the simplest first.
    occurring: Vec<u8>,
}

/// An accumulator, as bits.
#[derive(Clone, Copy, Debug)]
struct Entry {
    bits: u8,
    /// Does it depend on an integer that wrapped?
    wrapped: bool,
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

    /// What there is to be said of all cases of an equation.
    ///
    /// # Errors
    /// The simplest operands that break it.
    pub(super) fn examine(&self, equation: &Equation) -> Result<Cases, Vec<Value>> {
        let op = |a: Entry, b: Entry| self.get(a, b);
        let neutral = |it: &Neutral| Entry::of(bits(it.values()[0]));
        match equation {
            Equation::Associative => self.all(|[a, b, c]| op(op(a, b), c).verdict(op(a, op(b, c)))),
            Equation::Commutative => self.all(|[a, b]| op(a, b).verdict(op(b, a))),
            Equation::Left(e) => self.all(|[a]| op(neutral(e), a).verdict(a)),
            Equation::Right(e) => self.all(|[a]| op(a, neutral(e)).verdict(a)),
            Equation::Fold => Ok(Cases::default()),
        }
    }

    fn all<const N: usize>(&self, verdict: impl Fn([Entry; N]) -> Verdict) -> Result<Cases, Vec<Value>> {
        let mut cases = Cases { exhaustive: true, ..Cases::default() };
        for case in 0..self.occurring.len().pow(N as u32) {
            let operands = self.operands(case);
            let verdict = verdict(operands.map(Entry::of));
            if verdict == Verdict::Broken {
                return Err(operands.map(|bits| Value::from_bits(self.ty, bits.into())).to_vec());
            }
            cases.count(verdict);
        }
        Ok(cases)
    }

    /// The first case has the simplest operands, and the last operand of the next is the next.
    fn operands<const N: usize>(&self, mut case: usize) -> [u8; N] {
        let mut operands = [0; N];
        for operand in operands.iter_mut().rev() {
            *operand = self.occurring[case % self.occurring.len()];
            case /= self.occurring.len();
        }
        operands
    }

    fn get(&self, a: Entry, b: Entry) -> Entry {
        let Entry { bits, wrapped } = self.results[usize::from(a.bits) << 8 | usize::from(b.bits)];
        Entry { bits, wrapped: wrapped || a.wrapped || b.wrapped }
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
                let [a, b] = [next, other].map(Entry::of);
                open.extend([self.get(a, b).bits, self.get(b, a).bits]);
            }
        }
        occurs
    }
}

impl Entry {
    fn of(bits: u8) -> Entry {
        Entry { bits, wrapped: false }
    }

    fn verdict(self, other: Entry) -> Verdict {
        match self.bits == other.bits {
            true => Verdict::Equal,
            false if self.wrapped || other.wrapped => Verdict::Overflow,
            false => Verdict::Broken,
        }
    }
}

fn results(functions: &Functions<'_>, ty: Scalar) -> Vec<Entry> {
    const LEN: usize = 1 << 16;
    let operand = |shift: u32| {
        let mut lanes = Lanes::splat(Value::from_bits(ty, 0), LEN);
        (0..LEN).for_each(|lane| lanes.set(lane, Value::from_bits(ty, lane as u64 >> shift & 0xff)));
        vec![Computed::given(&lanes)]
    };
    let sides = functions
        .with(Native { len: LEN, traced: true })
        .sides_of(&Equation::Commutative, &[operand(8), operand(0)]);
    let result = &sides[0][0];
    let entry = |lane| Entry { bits: bits(result.get(lane)), wrapped: result.is_traced(lane) };
    (0..LEN).map(entry).collect()
}

fn bits(value: Value) -> u8 {
    value.bits() as u8
}
