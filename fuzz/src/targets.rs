//! The targets: functions that take an input and check a property.

mod cache_entry;
mod npy_header;
mod partials;
mod program_text;
mod random_passes;
mod report_request;
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
    pub missing: fn() -> Option<String>,
    /// Runs an input. Returns whether it is accepted.
    pub test_one_input: fn(&[u8]) -> Verdict,
    /// Words that inputs contain.
    pub words: &'static [&'static str],
    /// The processor time after which an input counts as hanging.
    pub time_limit: Duration,
}

/// Whether an input is accepted, or a description of the fault. A panic is a fault as well.
pub type Verdict = Result<bool, String>;

/// Parses the text of a specification, or refuses it with a message. The canonical text parses to the same specification.
pub const SPEC_TEXT: Target = Target {
    name: "spec_text",
    missing: || None,
    test_one_input: spec_text::test_one_input,
    words: spec_text::WORDS,
    time_limit: TIME_LIMIT,
};

/// Compiles a random specification. The bytes are the choices of the generator.
#[cfg(feature = "cuda")]
pub const TYPED_SPEC: Target = Target {
    name: "typed_spec",
    missing: typed_spec::missing,
    test_one_input: typed_spec::test_one_input,
    words: &[],
    time_limit: TIME_LIMIT,
};

/// Parses the text of a kernel, which prints as itself, or refuses it with a line number.
pub const PROGRAM_TEXT: Target = Target {
    name: "program_text",
    missing: || None,
    test_one_input: program_text::test_one_input,
    words: program_text::WORDS,
    time_limit: TIME_LIMIT,
};

/// Parses a NumPy file, or refuses it.
pub const NPY_HEADER: Target = Target {
    name: "npy_header",
    missing: || None,
    test_one_input: npy_header::test_one_input,
    words: npy_header::WORDS,
    time_limit: TIME_LIMIT,
};

/// Decodes a cache entry to the bytes that were written, or refuses it.
pub const CACHE_ENTRY: Target = Target {
    name: "cache_entry",
    missing: || None,
    test_one_input: cache_entry::test_one_input,
    words: &["reducegen cache\n"],
    time_limit: TIME_LIMIT,
};

/// Reads partials and writes them again, or refuses them. Merging gives a result or an error.
pub const PARTIALS: Target = Target {
    name: "partials",
    missing: || None,
    test_one_input: partials::test_one_input,
    words: &["A11", "f32", "u64", "bool", "ty: i32", "op: max"],
    time_limit: TIME_LIMIT,
};

/// Compares the order in which programs with any passes combine elements with their association.
pub const RANDOM_PASSES: Target = Target {
    name: "random_passes",
    missing: || None,
    test_one_input: random_passes::test_one_input,
    words: random_passes::WORDS,
    time_limit: TIME_LIMIT,
};

/// Answers a request of the playground, with text of the user only as text.
pub const REPORT_REQUEST: Target = Target {
    name: "report_request",
    missing: || None,
    test_one_input: report_request::test_one_input,
    words: report_request::WORDS,
    time_limit: TIME_LIMIT,
};

const TIME_LIMIT: Duration = Duration::from_secs(10);

/// All targets.
pub const ALL: &[Target] = &[
    SPEC_TEXT,
    #[cfg(feature = "cuda")]
    TYPED_SPEC,
    PROGRAM_TEXT,
    NPY_HEADER,
    CACHE_ENTRY,
    PARTIALS,
    RANDOM_PASSES,
    REPORT_REQUEST,
];
