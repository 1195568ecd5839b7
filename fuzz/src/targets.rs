//! The targets: functions that take an input and check a property.

mod cache_entry;
mod npy_header;
mod program_text;
mod random_passes;
mod spec_text;
#[cfg(feature = "cuda")]
mod typed_spec;

use std::time::Duration;

/// A parser of untrusted bytes.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name, and the folder in `corpus`.
    pub name: &'static str,
    /// Names a requirement that this machine lacks, if there is one.
    pub lacks: fn() -> Option<String>,
    /// Runs an input. Returns whether it is accepted.
    pub judge: fn(&[u8]) -> Verdict,
    /// Words that inputs contain.
    pub words: &'static [&'static str],
    /// The processor time after which an input counts as hanging.
    pub patience: Duration,
}

/// Whether an input is accepted, or a description of the fault. A panic is a fault as well.
pub type Verdict = Result<bool, String>;

/// Parses the text of a specification, or refuses it with a message. The canonical text parses to the same specification.
pub const SPEC_TEXT: Target = Target {
    name: "spec_text",
    lacks: || None,
    judge: spec_text::judge,
    words: spec_text::WORDS,
    patience: PATIENCE,
};

/// Compiles a random specification. The bytes are the choices of the generator.
#[cfg(feature = "cuda")]
pub const TYPED_SPEC: Target = Target {
    name: "typed_spec",
    lacks: typed_spec::lacks,
    judge: typed_spec::judge,
    words: &[],
    patience: PATIENCE,
};

/// Parses the text of a kernel, which prints as itself, or refuses it with a line number.
pub const PROGRAM_TEXT: Target = Target {
    name: "program_text",
    lacks: || None,
    judge: program_text::judge,
    words: program_text::WORDS,
    patience: PATIENCE,
};

/// Parses a NumPy file, or refuses it.
pub const NPY_HEADER: Target = Target {
    name: "npy_header",
    lacks: || None,
    judge: npy_header::judge,
    words: npy_header::WORDS,
    patience: PATIENCE,
};

/// Decodes a cache entry to the bytes that were written, or refuses it.
pub const CACHE_ENTRY: Target = Target {
    name: "cache_entry",
    lacks: || None,
    judge: cache_entry::judge,
    words: &["reducegen cache\n"],
    patience: PATIENCE,
};

/// Compares the order in which programs with any passes combine elements with their association.
pub const RANDOM_PASSES: Target = Target {
    name: "random_passes",
    lacks: || None,
    judge: random_passes::judge,
    words: random_passes::WORDS,
    patience: PATIENCE,
};

const PATIENCE: Duration = Duration::from_secs(10);

/// All targets.
pub const ALL: &[Target] = &[
    SPEC_TEXT,
    #[cfg(feature = "cuda")]
    TYPED_SPEC,
    PROGRAM_TEXT,
    NPY_HEADER,
    CACHE_ENTRY,
    RANDOM_PASSES,
];
