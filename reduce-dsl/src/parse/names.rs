//! Names: the nearest known one to a misspelt one, and which an input may have.

use crate::Scalar;
use crate::operators::OPERATORS;
use crate::pass::PASSES;

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
pub(super) fn nearest(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, ours)| *ours);
    let near = |ours: &&&'static str| strsim::osa_distance(name, ours) <= 1 + name.len().min(12) / 5;
    let closest = || known.iter().filter(near).min_by_key(|ours| strsim::osa_distance(name, ours)).copied();
    alias.filter(|ours| known.contains(ours)).or_else(closest)
}

pub(super) fn operators() -> Vec<&'static str> {
    OPERATORS.iter().map(|row| row.name).collect()
}

pub(super) fn types() -> Vec<&'static str> {
    Scalar::INPUTS.iter().map(|ty| ty.name()).collect()
}

pub(super) fn passes() -> Vec<&'static str> {
    PASSES.iter().map(|word| word.name).collect()
}

/// Why an input cannot have that name. It names variables of the emitted CUDA, next to the kernel's own.
pub(super) fn refuse_input(name: &str) -> Option<String> {
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.contains("__")
        && name.len() <= 32;
    if !plain {
        return Some(
            "an input has a short plain name: a letter, then letters, digits and single `_`".to_owned(),
        );
    }
    let taken = [KERNEL, C_WORDS].iter().any(|words| words.split(' ').any(|word| word == name));
    taken.then(|| format!("`{name}` cannot name an input: the CUDA kernel uses the word; write `{name}_in`"))
}

/// Names that emitted kernels use themselves.
const KERNEL: &str = "\
    a acc b base block blockDim blockIdx combine count finish first fold gridDim i identity index item \
    items k lane map mask n next offset other partial partials reduce_inputs reduce_partials result \
    shared stride take_b thread threadIdx threads tile unit units value warp warpSize warps";

/// Words of C++17 and CUDA, and functions that kernels call.
const C_WORDS: &str = "\
    NULL abs alignas alignof and and_eq asm assert auto bitand bitor bool break case catch char char16_t \
    char32_t class compl const const_cast constexpr continue decltype default delete do double double2 \
    double4 dynamic_cast else enum explicit export extern f16 f32 f64 fabs fabsf false final float \
    float2 float3 float4 fmax fmaxf fmin fminf for friend goto half i32 i64 if inline int int2 int4 \
    isnan long main max min mutable namespace new noexcept not not_eq nullptr operator or or_eq override \
    printf private protected public register reinterpret_cast return short signed size_t sizeof static \
    static_assert static_cast std struct switch template this thread_local throw true try typedef typeid \
    typename u32 u64 uint uint2 uint4 ulong union unsigned using virtual void volatile wchar_t while xor \
    xor_eq";
