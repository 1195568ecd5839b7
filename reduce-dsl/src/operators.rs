//! The table of named operators, one row each. To add an operator, add a row to a file of `operators/` and name
//! it in [`OPERATORS`].
//!
//! A row is data. Its functions are text in the language of closures. Some words of that text stand for types,
//! constants and choices:
//!
//! | word | stands for |
//! |---|---|
//! | `T` | the type of the elements |
//! | `W` | the type that elements are computed in, [`Scalar::widened`] |
//! | `A` | the type of the accumulator's own scalars, [`Width::of`] |
//! | `T_ZERO`, `T_LEAST`, `A_NEG_ZERO`, … | that value in the type; 0 if the type has no −0 or NaN |
//! | `A_DOWN`, `A_UP`, … | powers of two, [`scales`](reduce_ir::constants::scales); 1 if `A` is an integer |
//! | `X_HIGH`, `X_LOW` | the element `x` rounded to `A`, and the rounding error |
//! | `SPLIT` | whether `X_LOW` can differ from 0 |
//! | `IGNORE` | whether NaN is ignored and the element type has NaN |
//! | `ABSENT` | whether elements can be absent |
//! | `LAST` | whether the last of equal elements wins |
//! | `i`, `n` | the position of the element; the number of elements |
//! | `step` | in a `fold`, the number of elements that the lane has folded before |
//! | `ddof`, … | a param that the row names, or its default |
//!
//! The rest of the project does not know any operator by name.

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
    /// The name of the operator in specifications.
    pub name: &'static str,
    /// One line that describes the result and its special cases.
    pub doc: &'static str,
    /// The source of the definition.
    pub source: &'static str,
    /// The number of inputs without a `map`.
    pub inputs: usize,
    /// The element types that the operator is defined for.
    pub domain: Domain,
    /// The types that `A` may have.
    pub width: Width,
    /// The accumulator.
    pub acc: Shape,
    /// One element for each input → the accumulator of that element.
    pub map: &'static str,
    /// Two accumulators → accumulator.
    pub op: &'static str,
    /// Accumulator, one element for each input → accumulator, if that is cheaper than `op` after `map`.
    pub fold: Option<&'static str>,
    /// The accumulator of an empty input.
    pub identity: Option<&'static str>,
    /// The accumulator that is neutral bit for bit, if it differs from the identity: −0.0 for sums, whose
    /// identity is 0.0.
    pub fill: Option<&'static str>,
    /// Accumulator → result. May also take the number of elements.
    pub finish: &'static str,
    /// The result.
    pub output: Shape,
    /// Scalars that may be passed at the call, with their default values.
    pub params: &'static [(&'static str, Scalar, &'static str)],
    /// Whether elements may be reordered.
    pub commutative: bool,
    /// The searches that determine the result: a field of the accumulator, the field of its position, and the
    /// `op` that yields the best value. See [`Search`](reduce_ir::operation::Search).
    pub searches: &'static [[&'static str; 3]],
    /// Whether the operator has a rule for equal elements.
    pub ties: bool,
    /// Whether an ignored NaN element counts as absent: it maps to the identity, and `fold` skips it. Otherwise
    /// the functions of the row handle it.
    pub skips_nan: bool,
    /// The row that replaces this one if elements can be absent, for accumulators that have to count the
    /// elements that are present.
    pub counting: Option<&'static Operator>,
    /// The row that replaces this one if intermediate results can leave the range of `A` although the result
    /// does not.
    pub ranged: Option<&'static Operator>,
    /// The first scalar of the result of elements that are all ignored NaN, if that result is an error.
    pub nothing: Option<&'static str>,
}

/// The treatment of NaN elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Nan {
    /// NaN propagates to the result.
    #[default]
    Propagate,
    /// NaN elements are ignored.
    Ignore,
}

/// The rule that selects one of several equal elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ties {
    /// The first element wins.
    #[default]
    First,
    /// The last element wins.
    Last,
}

/// Returns the row of that name.
pub fn operator(name: &str) -> Option<&'static Operator> {
    OPERATORS.iter().find(|row| row.name == name)
}

impl Operator {
    /// The defaults of most rows: one input of numbers, added in a wider type.
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

    /// The defaults of rows that select elements: the elements keep their type.
    const SELECTING: Operator = Operator {
        width: Width::Own,
        acc: Shape::Scalar(Ty::T),
        map: "|x| x",
        output: Shape::Scalar(Ty::T),
        skips_nan: false,
        ..Operator::ADDITIVE
    };

    /// Returns whether the operator is defined for elements of that type.
    pub fn takes(&self, ty: Scalar) -> bool {
        self.domain.holds(ty)
    }
}

/// Prints the word of specifications: `propagate` or `ignore`.
impl fmt::Display for Nan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Nan::Propagate => "propagate",
            Nan::Ignore => "ignore",
        })
    }
}

/// Prints the word of specifications: `first` or `last`.
impl fmt::Display for Ties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ties::First => "first",
            Ties::Last => "last",
        })
    }
}
