//! The rule of a pass: all that the rest of the library knows of it.

use reduce_ir::pass::Pass;
use reduce_ir::program::{Combine, Program};

/// A pass, as its own file declares it.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The name, as it is written in `passes: […]`.
    pub name: &'static str,
    /// One line of documentation.
    pub doc: &'static str,
    /// Does it change the association, and so possibly the bits of a float sum?
    pub changes_association: bool,
    /// The passes that it is never written with, in either order.
    pub excludes: &'static [Exclusion],
    /// Returns the rewritten program, or the reason for a refusal.
    pub rewrite: Rewrite,
    /// Changes a combination that a later pass adds to the program.
    pub joining: Option<fn(&Program, &mut Combine)>,
}

/// The rewriting of a pass. The reason for a refusal says what to write instead.
#[derive(Clone, Copy, Debug)]
pub enum Rewrite {
    /// Of a pass without an argument.
    Plain(fn(Program) -> Result<Program, String>),
    /// Of a pass with an argument.
    With(Argument, fn(Program, u32) -> Result<Program, String>),
}

/// The argument of a pass.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// Is the number allowed?
    pub allowed: fn(u64) -> bool,
    /// The allowed numbers in words.
    pub text: &'static str,
}

/// Passes that exclude a pass, and why.
#[derive(Clone, Copy, Debug)]
pub struct Exclusion {
    /// The other passes.
    pub others: Others,
    /// The reason, without a full stop.
    pub why: &'static str,
}

/// Names of passes.
#[derive(Clone, Copy, Debug)]
pub enum Others {
    /// Every pass.
    All,
    /// The passes of these names.
    Named(&'static [&'static str]),
}

impl Rule {
    /// The fields that most passes leave as they are.
    pub const BASE: Rule = Rule {
        name: "",
        doc: "",
        changes_association: false,
        excludes: &[],
        rewrite: Rewrite::Plain(Ok),
        joining: None,
    };

    /// The argument, if the pass takes one.
    pub fn argument(&self) -> Option<Argument> {
        match self.rewrite {
            Rewrite::Plain(_) => None,
            Rewrite::With(argument, _) => Some(argument),
        }
    }

    /// The pass with that argument, which is ignored if it takes none; `None` if the argument is not allowed.
    pub fn with(&self, argument: u64) -> Option<Pass> {
        match self.argument() {
            None => Some(Pass::plain(self.name)),
            Some(rule) => {
                (rule.allowed)(argument).then_some(Pass { name: self.name, argument: Some(argument as u32) })
            }
        }
    }

    /// Returns the reason why the pass is never written with `other`, if its own rule says so.
    pub fn excludes(&self, other: &str) -> Option<&'static str> {
        let names = |exclusion: &&Exclusion| match exclusion.others {
            Others::All => true,
            Others::Named(names) => names.contains(&other),
        };
        self.excludes.iter().find(names).map(|exclusion| exclusion.why)
    }

    /// Returns the reason if the pass does not take that argument.
    pub(crate) fn refuses_argument(&self, argument: Option<u32>) -> Option<String> {
        let Some(rule) = self.argument() else {
            return argument.map(|_| format!("`{}` takes no argument; leave it out", self.name));
        };
        let allowed = argument.is_some_and(|k| (rule.allowed)(k.into()));
        (!allowed).then(|| format!("`{}` takes {}", self.name, rule.text))
    }

    /// Rewrites a program; the argument is one that the pass takes.
    pub(crate) fn apply(&self, program: Program, argument: Option<u32>) -> Result<Program, String> {
        match self.rewrite {
            Rewrite::Plain(rewrite) => rewrite(program),
            Rewrite::With(_, rewrite) => rewrite(program, argument.unwrap_or_default()),
        }
    }
}
