//! Names: the nearest known one to a misspelt one, and which an input may have.

use super::diagnostic::Errors;
use crate::Scalar;
use crate::operators::{OPERATORS, Operator};
use crate::pass::PASSES;
use proc_macro2::Ident;

/// Words that people write for a name of ours.
const ALIASES: [(&str, &str); 17] = [
    ("add", "sum"),
    ("plus", "sum"),
    ("total", "sum"),
    ("mul", "prod"),
    ("product", "prod"),
    ("maximum", "max"),
    ("minimum", "min"),
    ("bitand", "and"),
    ("bitor", "or"),
    ("bitxor", "xor"),
    ("half", "f16"),
    ("float", "f32"),
    ("double", "f64"),
    ("int", "i32"),
    ("uint", "u32"),
    ("warp", "shuffle"),
    ("operator", "op"),
];

/// The known name that was probably meant.
pub fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, ours)| *ours);
    let near = |ours: &&&str| strsim::osa_distance(name, ours) <= 1 + name.len().min(12) / 5;
    let closest = || known.iter().filter(near).min_by_key(|ours| strsim::osa_distance(name, ours)).copied();
    alias.filter(|ours| known.contains(ours)).or_else(closest)
}

/// The operator of that name; else a sentence that helps.
///
/// # Errors
/// There is no operator of that name.
pub fn operator(name: &str) -> Result<&'static Operator, String> {
    crate::operators::operator(name).ok_or_else(|| match nearest(name, &operators()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the operators are {}", operators().join(", ")),
    })
}

/// Reports a name that is none of the known ones, and helps with the nearest, or with all of them.
pub(super) fn unknown(kind: &str, name: &Ident, known: &[&'static str], errors: &mut Errors) {
    let word = name.to_string();
    let error = errors.add(name.span(), format!("unknown {kind} `{word}`"));
    match nearest(&word, known) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => {
            let plural = if kind.ends_with('s') { "es" } else { "s" };
            error.help(format!("the {kind}{plural} are {}", known.join(", ")));
        }
    }
}

pub(super) fn operators() -> Vec<&'static str> {
    OPERATORS.iter().map(|row| row.name).collect()
}

pub(super) fn types() -> Vec<&'static str> {
    Scalar::ALL.iter().map(|ty| ty.name()).collect()
}

pub(super) fn passes() -> Vec<&'static str> {
    PASSES.iter().map(|word| word.name).collect()
}

/// Why an input cannot have that name. It names parameters of the emitted CUDA, next to the kernel's own
/// names; those that are made of several words, as the step of a strided input is, have a `_`, and so inputs
/// have none.
pub(super) fn refuse_input(name: &str) -> Option<String> {
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric())
        && name.len() <= 32;
    if !plain {
        return Some(
            "the name of an input is a letter, then at most 31 letters and digits (no `_`)".to_owned(),
        );
    }
    let in_kernel = [KERNEL, C_WORDS].iter().any(|words| words.split(' ').any(|word| word == name));
    // Vectors of elements are called `f32x4`.
    let is_type = name.split('x').next().and_then(Scalar::from_name).is_some();
    // The canonical text has the names of inputs as parameters of its closure.
    let in_rust = syn::parse_str::<syn::Ident>(name).is_err();
    let whose = if in_rust { "Rust" } else { "the CUDA kernel" };
    (in_kernel || is_type || in_rust)
        .then(|| format!("an input cannot be called `{name}`, which has a meaning in {whose}"))
}

/// Names of one word that kernels use themselves. A test of reduce-codegen holds the list against them.
const KERNEL: &str = "\
    acc at atomicAdd atomicAnd atomicCAS atomicMax atomicMin atomicOr atomicXor blockDim blockIdx \
    combine count finish first fold gridDim identity index item items lane left map mask n next other \
    partial partials present result right root shared stride thread threadIdx total tree unit units warp \
    warps warpSize Best BLOCK GRID STRIDE TILE UNITS WARPS WIDTH";

/// Words of C++17 and CUDA.
const C_WORDS: &str = "\
    NULL abs alignas alignof and asm assert auto bitand bitor bool break case catch char class compl \
    const constexpr continue decltype default delete do double double2 double4 else enum explicit export \
    extern fabs fabsf false final float float2 float3 float4 fmax fmaxf fmin fminf for friend goto half \
    if inline int int2 int4 isnan long main max min mutable namespace new noexcept not nullptr operator \
    or override printf private protected public register return short signed sizeof static std struct \
    switch template this throw true try typedef typeid typename uint uint2 uint4 ulong union unsigned \
    using virtual void volatile while xor";
