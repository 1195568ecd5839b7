//! The targets: what is done with an input, and what must hold of it.

mod cache_entry;
mod npy_header;
mod program_text;
mod random_passes;
mod spec_text;
#[cfg(feature = "cuda")]
mod typed_spec;

use std::time::Duration;

/// Something that reads bytes of unknown origin.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// What it is called, and its folder in `corpus`.
    pub name: &'static str,
    /// What it needs of this machine, if that is not there.
    pub lacks: fn() -> Option<String>,
    /// Whether the input is accepted.
    pub judge: fn(&[u8]) -> Verdict,
    /// Words that inputs are made of.
    pub words: &'static [&'static str],
    /// An input that takes the processor longer than this hangs.
    pub patience: Duration,
}

/// Whether an input is accepted, or what is wrong with the reader. A panic is wrong as well.
pub type Verdict = Result<bool, String>;

/// The text of a specification is read, or refused with a message; what is read spells itself.
pub const SPEC_TEXT: Target = Target {
    name: "spec_text",
    lacks: || None,
    judge: spec_text::judge,
    words: spec_text::WORDS,
    patience: PATIENCE,
};

/// A random specification compiles: the bytes are the choices of the generator.
#[cfg(feature = "cuda")]
pub const TYPED_SPEC: Target = Target {
    name: "typed_spec",
    lacks: typed_spec::lacks,
    judge: typed_spec::judge,
    words: &[],
    patience: PATIENCE,
};

/// The text of a kernel is read and prints as itself, or is refused with a line.
pub const PROGRAM_TEXT: Target = Target {
    name: "program_text",
    lacks: || None,
    judge: program_text::judge,
    words: program_text::WORDS,
    patience: PATIENCE,
};

/// A NumPy file is read, or refused.
pub const NPY_HEADER: Target = Target {
    name: "npy_header",
    lacks: || None,
    judge: npy_header::judge,
    words: npy_header::WORDS,
    patience: PATIENCE,
};

/// An entry of the cache is read as it was written, or not at all.
pub const CACHE_ENTRY: Target = Target {
    name: "cache_entry",
    lacks: || None,
    judge: cache_entry::judge,
    words: &["reducegen cache\n"],
    patience: PATIENCE,
};

/// Programs of any passes combine elements as their association says.
pub const RANDOM_PASSES: Target = Target {
    name: "random_passes",
    lacks: || None,
    judge: random_passes::judge,
    words: random_passes::WORDS,
    patience: PATIENCE,
};

const PATIENCE: Duration = Duration::from_secs(10);

/// All of them.
pub const ALL: &[Target] = &[
    SPEC_TEXT,
    #[cfg(feature = "cuda")]
    TYPED_SPEC,
    PROGRAM_TEXT,
    NPY_HEADER,
    CACHE_ENTRY,
    RANDOM_PASSES,
];
