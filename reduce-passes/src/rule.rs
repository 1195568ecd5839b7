//! The rule of a pass: all that the rest of the library knows of it.

use reduce_ir::pass::{self, Pass};
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
    /// Does it need the finished tree, so that no pass comes after it?
    pub is_last: bool,
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
    /// Of a pass with one of these words.
    Word(&'static [&'static str], fn(Program, &'static str) -> Result<Program, String>),
    /// Of a pass with a number.
    With(Argument, fn(Program, u32) -> Result<Program, String>),
}

/// The number that a pass takes.
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
        is_last: false,
        rewrite: Rewrite::Plain(Ok),
        joining: None,
    };

    /// The number, if the pass takes one.
    pub fn argument(&self) -> Option<Argument> {
        match self.rewrite {
            Rewrite::Plain(_) | Rewrite::Word(..) => None,
            Rewrite::With(argument, _) => Some(argument),
        }
    }

    /// The words of which the pass takes one; of most passes, there are none.
    pub fn words(&self) -> &'static [&'static str] {
        match self.rewrite {
            Rewrite::Plain(_) | Rewrite::With(..) => &[],
            Rewrite::Word(words, _) => words,
        }
    }

    /// The pass with that word; `None` if it takes no such word.
    pub fn with_word(&self, word: &str) -> Option<Pass> {
        let word = self.words().iter().find(|it| **it == word)?;
        Some(Pass::of_word(self.name, word))
    }

    /// The pass with that number, which is ignored if it takes none; `None` if the number is not allowed. Of a pass with a word,
    /// the one of that index.
    pub fn with(&self, number: u64) -> Option<Pass> {
        match self.rewrite {
            Rewrite::Plain(_) => Some(Pass::plain(self.name)),
            Rewrite::With(rule, _) => (rule.allowed)(number).then(|| Pass::with(self.name, number as u32)),
            Rewrite::Word(words, _) => words.get(number as usize).map(|word| Pass::of_word(self.name, word)),
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
    pub(crate) fn refuses_argument(&self, argument: Option<pass::Argument>) -> Option<String> {
        let name = self.name;
        let allowed = match (self.rewrite, argument) {
            (Rewrite::Plain(_), None) => true,
            (Rewrite::Plain(_), Some(_)) => return Some(format!("`{name}` takes no argument; leave it out")),
            (Rewrite::With(rule, _), Some(pass::Argument::Number(number))) => (rule.allowed)(number.into()),
            (Rewrite::Word(words, _), Some(pass::Argument::Word(word))) => words.contains(&word),
            (Rewrite::With(..) | Rewrite::Word(..), _) => false,
        };
        (!allowed).then(|| format!("`{name}` takes {}", self.takes()))
    }

    /// The arguments that the pass takes, in words.
    pub fn takes(&self) -> String {
        match self.rewrite {
            Rewrite::Plain(_) => "no argument".to_owned(),
            Rewrite::With(rule, _) => rule.text.to_owned(),
            Rewrite::Word(words, _) => {
                let quoted: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
                let (last, others) =
                    quoted.split_last().map_or(("", &[][..]), |(last, others)| (last, others));
                format!("{} or {last}", others.join(", "))
            }
        }
    }

    /// Rewrites a program; the argument is one that the pass takes.
    pub(crate) fn apply(
        &self,
        program: Program,
        argument: Option<pass::Argument>,
    ) -> Result<Program, String> {
        match (self.rewrite, argument) {
            (Rewrite::With(_, rewrite), Some(pass::Argument::Number(number))) => rewrite(program, number),
            (Rewrite::Word(_, rewrite), Some(pass::Argument::Word(word))) => rewrite(program, word),
            (Rewrite::Plain(rewrite), _) => rewrite(program),
            (Rewrite::With(..) | Rewrite::Word(..), _) => {
                Err(format!("`{}` takes {}", self.name, self.takes()))
            }
        }
    }
}
