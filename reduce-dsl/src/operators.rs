//! The named operators: a table, one row each. To add an operator, add a row to a file of
//! `operators/` and name it in [`OPERATORS`].
//!
//! A row is data. Its functions are text in the language of closures, in which some words stand for types, constants
//! and choices:
//!
//! | word | stands for |
//! |---|---|
//! | `T` | the type of the elements |
//! | `W` | the type that they are computed with, [`Scalar::widened`] |
//! | `A` | the type of the accumulator's own scalars, [`Width::of`] |
//! | `T_ZERO`, `T_LEAST`, `A_NEG_ZERO`, … | that value of such a type; where there is no −0 or NaN, 0 |
//! | `A_DOWN`, `A_UP`, … | powers of two, [`scales`](reduce_ir::constants::scales); where `A` is an integer, 1 |
//! | `X_HIGH`, `X_LOW` | the element `x` rounded to `A`, and what rounding took from it |
//! | `SPLIT` | is `X_LOW` not always 0? |
//! | `IGNORE` | is NaN ignored, and have the elements one? |
//! | `ABSENT` | can elements be absent? |
//! | `LAST` | does the last of equals win? |
//! | `i`, `n` | the position of the element; the number of elements |
//! | `step` | in a `fold`, how many elements the lane has folded before |
//! | `ddof`, … | a param that the row names, or its default |
//!
//! Nothing else in the project knows an operator by name.

mod additive;
#[cfg(feature = "parse")]
mod apply;
mod bits;
mod error;
mod exponential;
mod order;
mod positions;
#[cfg(feature = "parse")]
mod request;
mod shape;
mod statistics;
mod table;
#[cfg(feature = "parse")]
mod words;

pub use error::OperatorError;
#[cfg(feature = "parse")]
pub use request::Request;
pub use shape::{Domain, Shape, Ty, Width};
pub use table::OPERATORS;

use reduce_ir::Scalar;
use std::fmt;

/// A named operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operator {
    /// The name in specifications.
    pub name: &'static str,
    /// What it gives, and what is special, in one line.
    pub doc: &'static str,
    /// Who defines it so.
    pub source: &'static str,
    /// How many inputs it takes where no `map` is written.
    pub inputs: usize,
    /// The element types it is defined for.
    pub domain: Domain,
    /// The types that `A` may be.
    pub width: Width,
    /// The accumulator.
    pub acc: Shape,
    /// One element for each input → the accumulator of that element.
    pub map: &'static str,
    /// Two accumulators → accumulator.
    pub op: &'static str,
    /// Accumulator, one element for each input → accumulator, where that is cheaper than `op` after `map`.
    pub fold: Option<&'static str>,
    /// The accumulator of no elements.
    pub identity: Option<&'static str>,
    /// The accumulator that is neutral bit for bit, where that is not the identity: −0.0 beside 0.0.
    pub fill: Option<&'static str>,
    /// Accumulator → result. May take the number of elements as well.
    pub finish: &'static str,
    /// The result.
    pub output: Shape,
    /// Scalars that may be given at the call, with the values that they have else.
    pub params: &'static [(&'static str, Scalar, &'static str)],
    /// May elements be reordered?
    pub commutative: bool,
    /// What it looks for, where that decides: a field of the accumulator, that of its position, and the `op` that gives the
    /// best value of it. See [`Search`](reduce_ir::operation::Search).
    pub searches: &'static [[&'static str; 3]],
    /// Has it a rule for equal elements?
    pub ties: bool,
    /// Where NaN is ignored, is an element that is NaN as none: the identity, and nothing to `fold`? Else the functions
    /// say what becomes of it.
    pub skips_nan: bool,
    /// The row that takes its place where elements can be absent, if the accumulator has to count those that are not.
    pub counting: Option<&'static Operator>,
    /// The row that takes its place where intermediate results can leave the range of `A` although the result does not.
    pub ranged: Option<&'static Operator>,
    /// Where NaN is ignored: the first scalar of the result of elements that are all NaN, if that is an error.
    pub nothing: Option<&'static str>,
}

/// What becomes of NaN among the elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Nan {
    /// It is in the result.
    #[default]
    Propagate,
    /// It is no element.
    Ignore,
}

/// Which of equal elements wins where only one can.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ties {
    /// The first.
    #[default]
    First,
    /// The last.
    Last,
}

/// The row of that name.
pub fn operator(name: &str) -> Option<&'static Operator> {
    OPERATORS.iter().find(|row| row.name == name)
}

impl Operator {
    /// What most rows have: one input of numbers, added up in a wider type.
    const ADDITIVE: Operator = Operator {
        name: "",
        doc: "",
        source: "",
        inputs: 1,
        domain: Domain::Numbers,
        width: Width::Widened,
        acc: Shape::Scalar(Ty::A),
        map: "|x| x as W as A",
        op: "|a, b| a + b",
        fold: None,
        identity: Some("A_ZERO"),
        fill: None,
        finish: "|acc| acc",
        output: Shape::Scalar(Ty::A),
        params: &[],
        commutative: true,
        searches: &[],
        ties: false,
        skips_nan: true,
        counting: None,
        ranged: None,
        nothing: None,
    };

    /// What rows have that select: elements keep their type.
    const SELECTING: Operator = Operator {
        width: Width::Own,
        acc: Shape::Scalar(Ty::T),
        map: "|x| x",
        output: Shape::Scalar(Ty::T),
        skips_nan: false,
        ..Operator::ADDITIVE
    };

    /// Is it defined for elements of that type?
    pub fn takes(&self, ty: Scalar) -> bool {
        self.domain.holds(ty)
    }
}

/// As it is written: `propagate`, or `ignore`.
impl fmt::Display for Nan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Nan::Propagate => "propagate",
            Nan::Ignore => "ignore",
        })
    }
}

/// As it is written: `first`, or `last`.
impl fmt::Display for Ties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ties::First => "first",
            Ties::Last => "last",
        })
    }
}
