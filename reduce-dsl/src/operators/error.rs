//! Why an operator cannot be applied.

use reduce_ir::Scalar;
use reduce_ir::ops::TypeError;

/// Why an operator cannot be applied to inputs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OperatorError {
    /// The operator is not defined for the element type.
    #[error("`{operator}` is not defined for {ty}; it takes {domain}")]
    Undefined {
        /// The operator.
        operator: &'static str,
        /// The element type.
        ty: Scalar,
        /// The types it takes.
        domain: &'static str,
    },
    /// There are more or fewer inputs than the operator takes.
    #[error("`{operator}` takes {expected}, and there {}", if *found == 1 {
        "is 1; name them, as in `inputs: { x: f32, y: f32 }`".to_owned()
    } else {
        format!("are {found}; write a `map` that makes one value of them")
    })]
    Inputs {
        /// The operator.
        operator: &'static str,
        /// What it takes.
        expected: &'static str,
        /// The inputs there are.
        found: usize,
    },
    /// The operator brings its own `map`.
    #[error("`{operator}` maps its inputs itself; {instead}")]
    OwnMap {
        /// The operator.
        operator: &'static str,
        /// What to write.
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
    /// The accumulator cannot be of the type that is asked for.
    #[error(
        "`{operator}` of {element} accumulates in {takes}, not {acc}; convert the elements in `map`, or leave `acc` out"
    )]
    Accumulator {
        /// The operator.
        operator: &'static str,
        /// The type of the elements.
        element: Scalar,
        /// The type asked for.
        acc: Scalar,
        /// What it may be.
        takes: &'static str,
    },
    /// No element of several wins.
    #[error("`{operator}` has no ties to break; leave `ties` out")]
    Ties {
        /// The operator.
        operator: &'static str,
    },
    /// A scalar that the operator takes at the call has another type.
    #[error(
        "`{operator}` takes `{name}` as {expected}, not {found}; write `params: {{ {name}: {expected} }}`"
    )]
    Param {
        /// The operator.
        operator: &'static str,
        /// The name of the scalar.
        name: &'static str,
        /// Its type.
        expected: Scalar,
        /// The type that is declared.
        found: Scalar,
    },
    /// A param has the name of the position.
    #[error("`{name}` is the name of the position; call the param otherwise")]
    Position {
        /// The name.
        name: String,
    },
    /// Something has a name that no kernel can print.
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
        /// What is wrong.
        message: String,
    },
    /// A row of the table does not fit the inputs: a bug of this project.
    #[error("bug in the table of operators: {0}")]
    Type(#[from] TypeError),
}
