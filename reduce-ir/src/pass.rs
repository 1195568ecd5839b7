//! A pass as it is written in `passes: […]`: a name, and an argument if it takes one. Its rule is in reduce-passes.

use std::fmt;

/// One pass, with its argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pass {
    /// The name.
    pub name: &'static str,
    /// The argument, if it takes one.
    pub argument: Option<u32>,
}

impl Pass {
    /// A pass that takes no argument.
    pub const fn plain(name: &'static str) -> Pass {
        Pass { name, argument: None }
    }

    /// A pass with its argument.
    pub const fn with(name: &'static str, argument: u32) -> Pass {
        Pass { name, argument: Some(argument) }
    }
}

/// As it is written: `coarsen(4)`.
impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        self.argument.map_or(Ok(()), |k| write!(f, "({k})"))
    }
}

/// An array of passes, as they are written in a specification.
///
/// ```
/// # use reduce_ir::{passes, pass::Pass};
/// assert_eq!(passes![shuffle, coarsen(4)], [Pass::plain("shuffle"), Pass::with("coarsen", 4)]);
/// ```
#[macro_export]
macro_rules! passes {
    ($($name:ident $(($argument:expr))?),* $(,)?) => {
        [$($crate::pass::Pass { name: stringify!($name), argument: $crate::passes!(@ $($argument)?) }),*]
    };
    (@) => { ::core::option::Option::None };
    (@ $argument:expr) => { ::core::option::Option::Some($argument) };
}
