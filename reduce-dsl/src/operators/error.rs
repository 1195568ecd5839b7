//! Reasons why an operator cannot be applied.

use reduce_ir::Scalar;
use reduce_ir::ops::TypeError;

/// A reason why an operator cannot be applied to inputs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OperatorError {
    /// The operator is not defined for the element type.
    #[error("`{operator}` is not defined for {ty}; it takes {domain}")]
    Undefined {
        /// The operator.
        operator: &'static str,
        /// The element type.
        ty: Scalar,
        /// The types that the operator accepts.
        domain: &'static str,
    },
    /// There are more or fewer inputs than the operator takes.
    #[error("`{operator}` takes {expected}, and there {}", if *found == 1 {
        "is 1; name them, as in `inputs: { x: f32, y: f32 }`".to_owned()
    } else {
        format!("are {found}; write a `map` that combines them into one value")
    })]
    Inputs {
        /// The operator.
        operator: &'static str,
        /// The number of inputs that the operator takes.
        expected: &'static str,
        /// The number of inputs in the specification.
        found: usize,
    },
    /// The operator brings its own `map`.
    #[error("`{operator}` maps its inputs itself; {instead}")]
    OwnMap {
        /// The operator.
        operator: &'static str,
        /// The advice on a spelling that works.
        instead: &'static str,
    },
    /// The inputs of a product differ in type.
    #[error("`{operator}` takes inputs of one type, not {left} and {right}")]
    Mixed {
        /// The operator.
        operator: &'static str,
        /// The type of the first input.
        left: Scalar,
        /// The type of the second.
        right: Scalar,
    },
    /// The accumulator cannot have the requested type.
    #[error(
        "`{operator}` of {element} accumulates in {takes}, not {acc}; convert the elements in `map`, or leave `acc` out"
    )]
    Accumulator {
        /// The operator.
        operator: &'static str,
        /// The type of the elements.
        element: Scalar,
        /// The requested type.
        acc: Scalar,
        /// The types that it may have.
        takes: &'static str,
    },
    /// The operator does not choose between equal elements.
    #[error("`{operator}` has no ties to break; leave `ties` out")]
    Ties {
        /// The operator.
        operator: &'static str,
    },
    /// A param of the operator is declared with another type.
    #[error(
        "`{operator}` takes `{name}` as {expected}, not {found}; write `params: {{ {name}: {expected} }}`"
    )]
    Param {
        /// The operator.
        operator: &'static str,
        /// The name of the param.
        name: &'static str,
        /// The type that the operator expects.
        expected: Scalar,
        /// The declared type.
        found: Scalar,
    },
    /// A param has the name of the position.
    #[error("`{name}` is the name of the position; rename the param")]
    Position {
        /// The name.
        name: String,
    },
    /// A name is not an identifier, so no kernel can print it.
    #[error("{name:?} is not a name; write a letter, then letters, digits and `_`")]
    Name {
        /// The name.
        name: String,
    },
    /// A row of the table is wrong: a bug of this project.
    #[error("bug in the table of operators: `{operator}`: {message}")]
    Row {
        /// The operator.
        operator: &'static str,
        /// The defect.
        message: String,
    },
    /// A row of the table does not fit the inputs: a bug of this project.
    #[error("bug in the table of operators: {0}")]
    Type(#[from] TypeError),
}
