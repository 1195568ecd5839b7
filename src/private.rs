//! The items that the expansion of `reduction!` names. Not a public API: it changes without notice.

pub use reduce_ir::axes::{Axes, Axis, Cut, Kept, Keys, Others, Pattern};
pub use reduce_ir::func::{Func, Id, Line, Node, Param};
pub use reduce_ir::operation::{Measure, Measures, Nothing, Operation, Order, Record, Search};
pub use reduce_ir::ops::{Bin, Cmp, Un};
pub use reduce_ir::pass::{Argument, Pass};
pub use reduce_ir::spec::{Passes, Spec};
pub use reduce_ir::value::ConstantOrArray;
pub use reduce_ir::{Access, Beside, Domain, Scalar, Value, bf16, f16};
pub use reduce_macros::reduction;
pub use reduce_runtime::{Reduction, take, width};
#[cfg(feature = "constants")]
pub use specification::specification;
pub use std::string::String;
pub use std::vec::Vec;

#[cfg(feature = "constants")]
mod specification {
    use crate::{Error, Spec};
    use reduce_ir::value::Values;

    /// Reads the text of a specification, with the values of the constants that it names.
    pub fn specification(text: &str, constants: &[(&str, Values)]) -> Result<Spec, Error> {
        reduce_dsl::parse::with_constants(text, constants).map_err(Error::Constants)
    }
}
