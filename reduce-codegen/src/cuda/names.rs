//! Names of users in C++: those that mean something there get a `_` behind them.

use reduce_dsl::Scalar;

/// The name of a local, a parameter, or the fields of one: `a`, `a.value`.
pub(super) fn path(name: &str) -> String {
    match name.split_once('.') {
        None => local(name),
        Some((of, name)) => format!("{}.{}", local(of), field(name)),
    }
}

/// The name of a local or a parameter. It must not hide a function that is called beside it.
pub(super) fn local(name: &str) -> String {
    let is_helper = name.rsplit_once('_').is_some_and(|(_, ty)| Scalar::from_name(ty).is_some());
    let is_hiding = is_helper || name.starts_with("__") || is_word_of(FUNCTIONS, name);
    if is_hiding { portable(name) + "_" } else { field(name) }
}

/// The name of a struct. Vectors of elements are called `f32x4`, and constants of kernels `TILE`.
pub(super) fn record(name: &str) -> String {
    let is_vector = name.split('x').next().and_then(Scalar::from_name).is_some();
    let is_constant = name.len() > 1 && !name.contains(|c: char| c.is_lowercase());
    if is_vector || is_constant { portable(name) + "_" } else { local(name) }
}

/// The name of a field.
pub(super) fn field(name: &str) -> String {
    let name = portable(name);
    if is_word_of(KEYWORDS, &name) { name + "_" } else { name }
}

/// Letters beyond ASCII as their numbers: not every compiler takes them.
fn portable(name: &str) -> String {
    let letter = |c: char| if c.is_ascii() { c.to_string() } else { format!("u{:04x}", u32::from(c)) };
    name.trim_start_matches("r#").chars().map(letter).collect()
}

fn is_word_of(words: &str, name: &str) -> bool {
    words.split_ascii_whitespace().any(|word| word == name)
}

/// What device functions call, but for names that end in a type or begin with `__`.
const FUNCTIONS: &str = "\
    abs ceil ceilf combine fabs fabsf finish floor floorf fma fmaf fmax fmaxf fmin fminf fold identity \
    map max min rint rintf shuffle_down sqrt sqrtf trunc truncf";

/// The keywords of C++17 that Rust does not have, and what headers and CUDA define.
const KEYWORDS: &str = "\
    NULL alignas alignof and and_eq asm assert auto bitand bitor bool case catch char class compl \
    const_cast constexpr decltype default delete do double dynamic_cast explicit export float friend goto \
    inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected \
    public register reinterpret_cast short signed sizeof static_assert static_cast switch template this \
    thread_local throw try typedef typeid typename union unsigned using virtual void volatile wchar_t \
    warpSize xor xor_eq";
