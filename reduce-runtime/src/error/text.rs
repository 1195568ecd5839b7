//! Parts of error messages.

use crate::Strided;
use crate::architecture::Architecture;
use std::fmt::Display;
use std::path::PathBuf;

/// Counts inputs.
pub(super) fn inputs_text(inputs: usize) -> String {
    format!("{inputs} input{}", if inputs == 1 { "" } else { "s" })
}

/// Lists paths.
pub(super) fn paths_text(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// Lists the params by name.
pub(super) fn params_text(names: &[String]) -> String {
    if names.is_empty() {
        return "no params".to_owned();
    }
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("{} param{}, {}", names.len(), if names.len() == 1 { "" } else { "s" }, quoted.join(", "))
}

/// Returns the fix for a wrong number of params.
pub(super) fn params_advice(names: &[String]) -> &'static str {
    if names.is_empty() { "leave them out" } else { "give one value for each" }
}

/// Joins items with commas.
fn list<T: Display>(items: &[T]) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

/// Lists the architectures that an NVRTC compiles for, and the fix if the wanted one is missing.
pub(super) fn offered_text(offered: &[Architecture]) -> String {
    if offered.is_empty() {
        return "it compiles for no architecture; install another NVRTC, or set REDUCEGEN_NVRTC to its path"
            .to_owned();
    }
    format!(
        "it compiles for {}; name one of these, or install the NVRTC of another CUDA version",
        list(offered)
    )
}

/// Describes an input with elements outside its data, and the fix.
pub(super) fn outside(input: &str, view: &Strided<()>, data: usize) -> String {
    let Strided { offset, step, len, .. } = *view;
    let view = format!("input `{input}` takes {len} elements from offset {offset} with step {step}");
    if step < 0 && offset < data {
        return format!(
            "{view}, and begins before index 0; take fewer, or a larger offset, such as (len - 1) * {}",
            step.unsigned_abs()
        );
    }
    format!("{view}, and its data has {data} elements; take fewer, or a smaller offset or step")
}

/// Describes a failed assertion of the specification.
pub(super) fn assertion(operator: &str) -> String {
    format!(
        "an assertion of `{operator}` failed: for some element, an `assert!` does not hold, or the index of an array is out of range"
    )
}

/// Describes an element that a step of 0 repeats too often.
pub(super) fn repeated(input: &str, len: usize) -> String {
    let most = Strided::<()>::MOST_REPEATED;
    format!("input `{input}` has step 0, so it repeats one element {len} times; the limit is {most}")
}

/// Describes elements that are not contiguous.
pub(super) fn apart(input: &str, step: isize) -> String {
    format!(
        "the elements of input `{input}` lie {step} apart, and the reduction takes contiguous ones; write \
         `layout: strided` in its specification"
    )
}
