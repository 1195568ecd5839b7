//! Tables of operators on 8-bit accumulators, which allow every triple to be tried.

use super::batch::Batch;
use super::column::Column;
use super::equation::{Equation, Functions, Neutral};
use super::examine::Verdict;
use super::native::{Computed, Native};
use super::sample::simplest;
use super::{Cases, Cause};
use reduce_ir::func::Param;
use reduce_ir::operation::Operation;
use reduce_ir::{Scalar, Value};

/// The results of `op` for all pairs of accumulators.
#[derive(Debug)]
pub(super) struct Table {
    ty: Scalar,
    /// The result for a and b, at index 256 a + b.
    results: Vec<Entry>,
    /// The reachable accumulators, in order of simplicity.
    occurring: Vec<Entry>,
    /// Whether `occurring` holds every reachable accumulator.
    is_complete: bool,
}

/// An accumulator, as bits.
#[derive(Clone, Copy, Debug)]
struct Entry {
    bits: u8,
    /// Whether the value depends on an integer that wrapped.
    wrapped: bool,
}

impl Table {
    /// Builds the table of an operation whose accumulator is one 8-bit scalar; `None` for other operations. The
    /// reachable accumulators are `mapped` and the results of `op` on them.
    pub(super) fn of(operation: &Operation, functions: &Functions<'_>, mapped: &Computed) -> Option<Table> {
        let &[Param { ty, .. }] = operation.acc.fields.as_slice() else { return None };
        if ty.size() != 1 {
            return None;
        }
        let is_complete = Batch::count(operation, 1).is_some() && !operation.is_indexed();
        let mut table = Table { ty, results: results(functions, ty), occurring: Vec::new(), is_complete };
        let occurs = table.closed(entries(mapped));
        for value in simplest(ty).into_iter().map(bits).chain(0..=u8::MAX) {
            let is_new = table.occurring.iter().all(|entry| entry.bits != value);
            table.occurring.extend(occurs[usize::from(value)].filter(|_| is_new));
        }
        Some(table)
    }

    /// Tries all cases of an equation.
    ///
    /// # Errors
    /// The simplest operands that break the equation.
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
        let mut cases = Cases { exhaustive: self.is_complete, ..Cases::default() };
        for case in 0..self.occurring.len().pow(N as u32) {
            let operands = self.operands(case);
            let verdict = verdict(operands);
            if verdict == Verdict::Broken {
                return Err(operands.map(|it| Value::from_bits(self.ty, it.bits.into())).to_vec());
            }
            cases.count(verdict);
        }
        Ok(cases)
    }

    /// Returns the operands of a case. Case 0 has the simplest operands; the last operand varies fastest.
    fn operands<const N: usize>(&self, mut case: usize) -> [Entry; N] {
        let mut operands = [Entry::of(0); N];
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

    /// Returns the reachable accumulators: the mapped ones, and the results of `op` on reachable ones. An entry
    /// counts as wrapped only if every way to reach it wraps.
    fn closed(&self, mapped: impl Iterator<Item = Entry>) -> [Option<Entry>; 256] {
        let mut occurs = [None; 256];
        let mut open: Vec<Entry> = mapped.collect();
        while let Some(next) = open.pop() {
            let known: &mut Option<Entry> = &mut occurs[usize::from(next.bits)];
            if known.is_some_and(|known| next.wrapped || !known.wrapped) {
                continue;
            }
            *known = Some(next);
            let others = occurs.into_iter().flatten();
            open.extend(others.flat_map(|other| [self.get(next, other), self.get(other, next)]));
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
            false if self.wrapped || other.wrapped => Verdict::OrderDependent(Cause::Overflow),
            false => Verdict::Broken,
        }
    }
}

fn results(functions: &Functions<'_>, ty: Scalar) -> Vec<Entry> {
    const LEN: usize = 1 << 16;
    let operand = |shift: u32| {
        let column = Column::of(ty, LEN, |case| Value::from_bits(ty, case as u64 >> shift & 0xff));
        vec![Computed::given(&column)]
    };
    let sides = functions
        .with(Native { len: LEN, traced: true })
        .sides_of(&Equation::Commutative, &[operand(8), operand(0)]);
    entries(&sides[0][0]).collect()
}

fn entries(computed: &Computed) -> impl Iterator<Item = Entry> {
    let entry = |lane| Entry { bits: bits(computed.get(lane)), wrapped: computed.is_wrapped(lane) };
    (0..computed.len()).map(entry)
}

fn bits(value: Value) -> u8 {
    value.bits() as u8
}
