//! Parts of messages.

use std::fmt::Display;

/// What to do about an error of the driver, beginning with `;` (CUDA driver API, `CUresult`).
pub(super) fn advice(code: u32) -> &'static str {
    match code {
        // Not of a context, but of the machine.
        3 => "; a process that has forked cannot use CUDA in the child, open the device there",
        34 => "; this is the library to link with, put the driver's own libcuda before it",
        700 | 702 | 710 | 714..=719 => "; the device cannot be used by this process any more, restart it",
        802 => "; start the fabric manager, or wait until it has started",
        803 | 804 => {
            "; the driver's library and its kernel module are of different versions, restart the machine"
        }
        999 => "; `nvidia-smi` and the kernel's log say more",
        _ => "",
    }
}

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
pub(super) fn list<T: Display>(items: &[T]) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}
