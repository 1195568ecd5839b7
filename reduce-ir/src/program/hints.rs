//! Physical properties of a fold: one table, which the printer, the parser and the remarks in kernels read.

use super::Fold;

/// Properties of a fold that change its instructions and not its result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Hints {
    /// Whether the loop over units is unrolled.
    pub unrolled: bool,
    /// Whether vector loads tell the cache that no thread reads the elements again.
    pub streaming: bool,
}

/// One property.
#[derive(Clone, Copy, Debug)]
pub struct Hint {
    /// Its text in programs.
    pub text: &'static str,
    /// The pass that gives it to a fold.
    pub pass: &'static str,
    /// The accessor of its field.
    pub field: fn(&mut Hints) -> &mut bool,
}

impl Hints {
    /// All properties, in the order of their text.
    pub const ALL: [Hint; 2] = [
        Hint { text: "unrolled", pass: "unroll", field: |hints| &mut hints.unrolled },
        Hint { text: "streaming", pass: "streaming", field: |hints| &mut hints.streaming },
    ];

    /// Returns the properties that hold.
    pub fn held(mut self) -> impl Iterator<Item = Hint> {
        Hints::ALL.into_iter().filter(move |hint| *(hint.field)(&mut self))
    }
}

impl Fold {
    /// Returns its hints without those that have no effect: a loop of one unit is not unrolled.
    pub fn effective_hints(&self) -> Hints {
        Hints { unrolled: self.hints.unrolled && self.units() != Some(1), ..self.hints }
    }
}
