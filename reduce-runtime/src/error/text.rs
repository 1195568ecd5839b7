//! Parts of messages.

use crate::architecture::Architecture;
use std::fmt::Display;

/// The params by name.
pub(super) fn params_text(names: &[String]) -> String {
    if names.is_empty() {
        return "no params".to_owned();
    }
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("{} param(s), {}", names.len(), quoted.join(", "))
}

/// What to do where there are more or fewer.
pub(super) fn params_advice(names: &[String]) -> &'static str {
    if names.is_empty() { "leave them out" } else { "give one value for each" }
}

/// One after the other.
fn list<T: Display>(items: &[T]) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

/// What an NVRTC compiles for, and what to do where that is not enough.
pub(super) fn offered_text(offered: &[Architecture]) -> String {
    if offered.is_empty() {
        return "it compiles for none; install another NVRTC, or name one by REDUCEGEN_NVRTC".to_owned();
    }
    format!("it compiles for {}; name one of these, or install the NVRTC of another CUDA", list(offered))
}
