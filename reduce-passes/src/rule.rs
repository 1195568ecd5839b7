//! The rule of a pass: everything that the rest of the library knows about it.

use reduce_ir::pass::{self, Pass};
use reduce_ir::program::{Combine, Program};

/// A pass, as its own file declares it.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The name, as it is written in `passes: […]`.
    pub name: &'static str,
    /// One line of documentation.
    pub doc: &'static str,
    /// Whether it changes the association, and so possibly the bits of a float sum.
    pub changes_association: bool,
    /// The passes that it is never written with, in either order.
    pub excludes: &'static [Exclusion],
    /// Whether it needs the finished tree, so that only passes that need it too come after it.
    pub is_last: bool,
    /// Whether it is for one group only, because its blocks meet in one place.
    pub is_of_one_group: bool,
    /// Returns the rewritten program, or the reason for a refusal.
    pub rewrite: Rewrite,
    /// Changes a combination that a later pass adds to the program.
    pub joining: Option<fn(&Program, &mut Combine)>,
}

/// The function of a pass. The reason for a refusal says what to write instead.
#[derive(Clone, Copy, Debug)]
pub enum Rewrite {
    /// For a pass without an argument.
    Plain(fn(Program) -> Result<Program, String>),
    /// For a pass that takes one of these words.
    Word(&'static [&'static str], fn(Program, &'static str) -> Result<Program, String>),
    /// For a pass that takes a number.
    With(Argument, fn(Program, u32) -> Result<Program, String>),
}

/// The number that a pass takes.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// Whether a number is allowed.
    pub allowed: fn(u64) -> bool,
    /// The allowed numbers in words.
    pub text: &'static str,
}

/// Passes that exclude a pass, with the reason.
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
    /// The default values of a rule.
    pub const BASE: Rule = Rule {
        name: "",
        doc: "",
        changes_association: false,
        excludes: &[],
        is_last: false,
        is_of_one_group: false,
        rewrite: Rewrite::Plain(Ok),
        joining: None,
    };

    /// Returns the number that the pass takes, if it takes one.
    pub fn argument(&self) -> Option<Argument> {
        match self.rewrite {
            Rewrite::Plain(_) | Rewrite::Word(..) => None,
            Rewrite::With(argument, _) => Some(argument),
        }
    }

    /// Returns the words that the pass may take. Most passes take none.
    pub fn words(&self) -> &'static [&'static str] {
        match self.rewrite {
            Rewrite::Plain(_) | Rewrite::With(..) => &[],
            Rewrite::Word(words, _) => words,
        }
    }

    /// Returns the pass with that word, if it takes the word.
    pub fn with_word(&self, word: &str) -> Option<Pass> {
        let word = self.words().iter().find(|it| **it == word)?;
        Some(Pass::of_word(self.name, word))
    }

    /// Returns the pass with that number, if the number is allowed. A pass without an argument ignores it. A pass with
    /// words takes the word of that index.
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

    /// Returns the reason why the pass does not take that argument, if it does not.
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

    /// Returns the allowed arguments in words.
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

    /// Rewrites a program. The argument must be allowed.
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
