//! The laws of a reduction: `op` is associative, `identity` is neutral, and `fold` equals `op` of the mapped
//! element.
//!
//! The laws are tried on sampled elements, which are the same in every run: small numbers, numbers at the edges
//! of their type, and numbers next to the constants of the functions. A law holds if both sides are equal bit
//! for bit. If an operation rounds, the sides are compared as fractions, before any rounding. `sqrt`, `exp` and
//! the like are compared up to a bound on the error that each operation adds. Operands are reachable
//! accumulators: results of `map`, and of `op` on those. So an operator that is wrong only for a count of 0 and
//! a mean of 1 passes, unless a map can produce that pair.
//!
//! A difference is not an error but a [`Remark`] if it comes from
//!
//! - a NaN that results from NaN or infinite operands;
//! - a float that becomes infinite, or an integer that wraps, unless the law also fails in unbounded integers;
//! - a division by zero, unless the identity causes it with a finite operand.
//!
//! A case whose sides differ decides nothing if an assertion of a function fails. A law that no case confirms is broken.
//!
//! ```
//! use reduce_ir::func::Param;
//! use reduce_dsl::laws::{Effort, check};
//! use reduce_dsl::operators::operator;
//! use reduce_ir::ops::Bin;
//! use reduce_ir::{Scalar, func::FuncBuilder};
//!
//! # #[cfg(not(feature = "parse"))]
//! # fn main() {}
//! # #[cfg(feature = "parse")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let row = operator("sum").ok_or("no row")?;
//! let mut operation = row.apply(&[Param::new("x", Scalar::F32)], None)?;
//! assert!(check(&operation, Effort::Sample)?.commutative);
//!
//! let mut f = FuncBuilder::new(operation.combine.params().to_vec());
//! let [a, b] = f.params()[..] else { unreachable!() };
//! let difference = f.bin(Bin::Sub, a, b)?;
//! operation.combine = f.build(vec![difference]);
//! let broken = check(&operation, Effort::Sample).unwrap_err();
//! assert_eq!(
//!     broken.to_string(),
//!     "`op` is not associative: op(op(0.0, 0.0), 1.0) is -1.0, and op(0.0, op(0.0, 1.0)) is 1.0"
//! );
//! # Ok(())
//! # }
//! ```

mod assertions;
mod ball;
mod batch;
mod column;
mod condition;
mod counterexample;
mod equation;
mod exact;
mod examine;
mod native;
mod ratio;
mod rounding;
mod sample;
mod shrink;
mod table;
#[cfg(all(test, feature = "text"))]
mod tests;

pub use counterexample::{Counterexample, Side};

use equation::Equation;
use examine::{Examiner, Outcome};
use reduce_ir::func::Func;
use reduce_ir::operation::Operation;
use std::fmt;

/// A law that an operation has to satisfy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Law {
    /// op(op(a, b), c) = op(a, op(b, c)).
    Associative,
    /// op(e, a) = a = op(a, e), for the identity e and for the fill of absent elements.
    Identity,
    /// op(a, b) = op(b, a). Required only of operations that declare it.
    Commutative,
    /// Folding elements one by one equals `op` of their `map` results.
    Fold,
}

/// The number of elements to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effort {
    /// A few hundred cases, for use during compilation.
    Sample,
    /// Some thousands of cases; all cases if elements and accumulators have 8 bits and pairs of them matter.
    Thorough,
    /// Also all cases if triples of 8-bit elements matter. May take seconds.
    Exhaustive,
}

/// The properties of an operation that satisfies the laws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Whether elements may be reordered.
    pub commutative: bool,
    /// Operands that may not be reordered, if `commutative` is false for that reason.
    pub not_commutative: Option<Counterexample>,
    /// Whether every order and grouping gives the same bits: no operation rounds, and there are no remarks.
    pub exact: bool,
    /// Cases in which the result depends on order or grouping without being an error: at most one for each
    /// cause.
    pub remarks: Vec<Remark>,
    /// The cases that were tried, for each law that applies.
    pub checked: Vec<Checked>,
}

/// A case in which the result depends on order or grouping, and the reason why that is not an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The reason.
    pub cause: Cause,
    /// The case.
    pub counterexample: Counterexample,
}

/// A reason why the result of a lawful reduction may depend on order or grouping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// A float that becomes infinite on one side, or an integer that wraps.
    Overflow,
    /// A division by zero.
    DivisionByZero,
    /// A NaN that results from NaN or infinite operands.
    Nan,
}

/// The cases that were tried for one law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The law.
    pub law: Law,
    /// The cases.
    pub cases: Cases,
}

/// The number of cases that were tried, by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cases {
    /// Cases with equal sides: bit for bit, or as fractions. For an identity, the sign of a zero does not
    /// count.
    pub exact: u64,
    /// Cases whose sides are equal up to the bound on their error.
    pub bounded: u64,
    /// Cases that decide nothing: rounding hides the difference, no bound is known, or the sides differ by a
    /// [`Cause`] that is not an error.
    pub discarded: u64,
    /// Whether the cases cover every element or every accumulator.
    pub exhaustive: bool,
}

/// A law that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {counterexample}", self.complaint())]
pub struct Broken {
    /// The law.
    pub law: Law,
    /// Simple operands that break the law.
    pub counterexample: Counterexample,
}

/// Tries the laws on an operation. The result is deterministic.
///
/// # Errors
/// A law is broken: `op` is not associative, the identity or the fill is not neutral, `fold` is another
/// function, or the operation is declared commutative and is not.
pub fn check(operation: &Operation, effort: Effort) -> Result<Found, Box<Broken>> {
    check_with(&Examiner::new(operation, None, effort), operation)
}

/// An operation with a condition on its elements.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The operation on those elements.
    pub operation: Operation,
    /// The condition: a function of the inputs and, by name, of the position and the params. `None` admits
    /// every element.
    pub keep: Option<Func>,
}

impl Subject {
    /// Tries the laws on elements that satisfy the condition.
    ///
    /// # Errors
    /// As for [`check`].
    pub fn check(&self, effort: Effort) -> Result<Found, Box<Broken>> {
        check_with(&Examiner::new(&self.operation, self.keep.as_ref(), effort), &self.operation)
    }
}

fn check_with(examiner: &Examiner<'_>, operation: &Operation) -> Result<Found, Box<Broken>> {
    let mut found = Found {
        commutative: true,
        not_commutative: None,
        exact: true,
        remarks: Vec::new(),
        checked: Vec::new(),
    };
    for equation in Equation::of(operation) {
        let outcome = examiner.examine(&equation);
        match outcome.broken {
            Some(_) if equation == Equation::Commutative && !operation.commutative => {
                found.commutative = false;
                found.not_commutative = outcome.broken;
            }
            Some(counterexample) => return Err(Box::new(Broken { law: equation.law(), counterexample })),
            None => found.add(equation.law(), outcome),
        }
        found.exact &= !examiner.rounds(&equation);
    }
    let is_known = !found.is_vacuous();
    found.commutative &= is_known;
    found.exact &= is_known && found.commutative && found.remarks.is_empty();
    Ok(found)
}

impl Found {
    /// Returns whether no case was tried at all.
    pub fn is_vacuous(&self) -> bool {
        self.checked.iter().all(|Checked { cases, .. }| cases.exact + cases.bounded + cases.discarded == 0)
    }

    /// Returns the remark of that cause, if there is one.
    pub fn remark(&self, cause: Cause) -> Option<&Remark> {
        self.remarks.iter().find(|remark| remark.cause == cause)
    }

    fn add(&mut self, law: Law, outcome: Outcome) {
        for remark in outcome.remarks {
            if self.remark(remark.cause).is_none() {
                self.remarks.push(remark);
            }
        }
        match self.checked.iter_mut().find(|checked| checked.law == law) {
            Some(checked) => checked.cases.add(outcome.cases),
            None => self.checked.push(Checked { law, cases: outcome.cases }),
        }
    }
}

impl Cases {
    fn add(&mut self, more: Cases) {
        self.exact += more.exact;
        self.bounded += more.bounded;
        self.discarded += more.discarded;
        self.exhaustive &= more.exhaustive;
    }
}

impl Broken {
    fn complaint(&self) -> &'static str {
        match self.law {
            Law::Associative => "`op` is not associative",
            Law::Identity => "`identity` is not neutral",
            Law::Commutative => "`op` is not commutative",
            Law::Fold => "`fold` differs from `op(acc, map(x))`",
        }
    }
}

/// Prints `with NaN the result depends on the order: …`.
impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cause = match self.cause {
            Cause::Overflow => "overflow",
            Cause::DivisionByZero => "division by zero",
            Cause::Nan => "NaN",
        };
        write!(f, "with {cause} the result depends on the order: {}", self.counterexample)
    }
}

/// Prints the law as an adjective, such as `associative`; [`Law::Fold`] prints as `fold`.
impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Law::Associative => "associative",
            Law::Identity => "identity",
            Law::Commutative => "commutative",
            Law::Fold => "fold",
        })
    }
}
