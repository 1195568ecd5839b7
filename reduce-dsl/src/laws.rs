//! The laws that make a reduction one: `op` is associative, `identity` is neutral, `fold` adds what `map` gives.
//!
//! They are tried on elements, the same every time: on small numbers, on those at the edges of their type, and on those
//! next to the constants of the functions. A law holds where both sides are equal bit for bit. Where an operation rounds, it
//! holds where they are equal as fractions before any rounding, or, of `sqrt`, `exp` and the like, up to a bound on what each
//! operation adds to the error. Operands are accumulators that occur: what `map` gives of elements, and `op` of those. So an
//! operator that is wrong for a count of 0 and a mean of 1 is not wrong, unless a map can give them.
//!
//! A difference is no error, but a [`Remark`], where it owes to
//!
//! - a NaN that comes of operands that are NaN or infinite;
//! - a float that becomes infinite, or an integer that wraps, unless the law does not hold in integers without ends either;
//! - a division by zero, unless it is the identity that makes it of a finite operand.
//!
//! A law of which no case holds is broken.
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

mod batch;
mod column;
mod counterexample;
mod equation;
mod exact;
mod examine;
mod kept;
mod native;
mod near;
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

/// What an operation has to satisfy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Law {
    /// op(op(a, b), c) = op(a, op(b, c)).
    Associative,
    /// op(e, a) = a = op(a, e), of the identity e and of what stands for absent elements.
    Identity,
    /// op(a, b) = op(b, a). Only who says that it holds has to satisfy it.
    Commutative,
    /// `fold` of elements, one by one, is `op` of what `map` gives of them.
    Fold,
}

/// How many elements to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effort {
    /// A few hundred: what a compiler does on the way.
    Sample,
    /// Some thousands, and all there are where elements and accumulators are of 8 bits and pairs of them matter.
    Thorough,
    /// Also all there are where triples of elements of 8 bits matter. May take seconds.
    Exhaustive,
}

/// What was found out about an operation that satisfies the laws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// May elements be reordered?
    pub commutative: bool,
    /// Operands that may not be, if they may not.
    pub not_commutative: Option<Counterexample>,
    /// Does every order and grouping give the same bits? Nothing rounds, and there is no remark.
    pub exact: bool,
    /// What makes the result depend on order or grouping, where it is no error: at most one for each cause.
    pub remarks: Vec<Remark>,
    /// What was tried for each law that applies.
    pub checked: Vec<Checked>,
}

/// A case in which order or grouping shows, and why that is no error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Why.
    pub cause: Cause,
    /// The case.
    pub counterexample: Counterexample,
}

/// What makes order or grouping show in reductions that keep their laws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// A float that becomes infinite on one side, or an integer that wraps.
    Overflow,
    /// A division by zero.
    DivisionByZero,
    /// A NaN that comes of operands that are NaN or infinite.
    Nan,
}

/// What was tried for a law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The law.
    pub law: Law,
    /// The cases.
    pub cases: Cases,
}

/// How many cases were tried, and how they were decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cases {
    /// Both sides are equal: bit for bit, or as fractions. Of an identity, a zero's sign does not count.
    pub exact: u64,
    /// Both sides are equal up to the bound on their error.
    pub bounded: u64,
    /// Nothing follows: rounding hides what it would be, no bound is known, or the sides differ by a [`Cause`] that is no
    /// error.
    pub discarded: u64,
    /// Are these all that there are, of elements or accumulators one by one?
    pub exhaustive: bool,
}

/// A law that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {counterexample}", self.complaint())]
pub struct Broken {
    /// The law.
    pub law: Law,
    /// Simple operands of which it does not hold.
    pub counterexample: Counterexample,
}

/// Tries the laws on an operation. The same operation gives the same answer every time.
///
/// # Errors
/// A law is broken: `op` is not associative, the identity or the fill not neutral, `fold` is another function, or
/// the operation is said to be commutative and is not.
pub fn check(operation: &Operation, effort: Effort) -> Result<Found, Box<Broken>> {
    tried(&Examiner::new(operation, None, effort), operation)
}

/// An operation, and the elements that it is applied to.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The operation on those elements.
    pub operation: Operation,
    /// The condition that they satisfy: a function of the inputs, and by name of the position and params. `None`: all.
    pub keep: Option<Func>,
}

impl Subject {
    /// Tries the laws on elements that satisfy the condition.
    ///
    /// # Errors
    /// As [`check`].
    pub fn check(&self, effort: Effort) -> Result<Found, Box<Broken>> {
        tried(&Examiner::new(&self.operation, self.keep.as_ref(), effort), &self.operation)
    }
}

fn tried(examiner: &Examiner<'_>, operation: &Operation) -> Result<Found, Box<Broken>> {
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
    /// Was no case tried at all?
    pub fn is_vacuous(&self) -> bool {
        self.checked.iter().all(|Checked { cases, .. }| cases.exact + cases.bounded + cases.discarded == 0)
    }

    /// What that cause makes depend on order, if anything was found.
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
            Law::Fold => "`fold` is not `op` of what `map` gives",
        }
    }
}

/// `with NaN the order shows: …`
impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cause = match self.cause {
            Cause::Overflow => "overflow",
            Cause::DivisionByZero => "division by zero",
            Cause::Nan => "NaN",
        };
        write!(f, "with {cause} the order shows: {}", self.counterexample)
    }
}

/// As an adjective: `associative`; of `fold`, `fold`.
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
