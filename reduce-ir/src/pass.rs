//! A pass as written in `passes: […]`: a name, and an argument if it takes one. Its rule is in reduce-passes.

use std::fmt;

/// One pass, with its argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pass {
    /// The name.
    pub name: &'static str,
    /// The argument, if it takes one.
    pub argument: Option<Argument>,
}

/// The argument of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Argument {
    /// A number, as in `coarsen(4)`.
    Number(u32),
    /// A word, as in `team(warp)`.
    Word(&'static str),
}

impl Pass {
    /// Creates a pass that takes no argument.
    pub const fn plain(name: &'static str) -> Pass {
        Pass { name, argument: None }
    }

    /// Creates a pass with a number.
    pub const fn with(name: &'static str, number: u32) -> Pass {
        Pass { name, argument: Some(Argument::Number(number)) }
    }

    /// Returns the number that it takes, if it takes one.
    pub fn number(&self) -> Option<u32> {
        if let Some(Argument::Number(number)) = self.argument { Some(number) } else { None }
    }

    /// Creates a pass with a word.
    pub const fn of_word(name: &'static str, word: &'static str) -> Pass {
        Pass { name, argument: Some(Argument::Word(word)) }
    }
}

/// Prints the pass as in a specification: `coarsen(4)`.
impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        self.argument.map_or(Ok(()), |argument| write!(f, "({argument})"))
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Number(number) => number.fmt(f),
            Argument::Word(word) => f.write_str(word),
        }
    }
}

/// Creates an array of passes, with the syntax of a specification.
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
    (@ $argument:expr) => { ::core::option::Option::Some($crate::pass::Argument::Number($argument)) };
}
