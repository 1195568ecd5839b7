//! The reserved words of Rust.

/// Returns whether a word is reserved in Rust.
pub(super) fn is_keyword(name: &str) -> bool {
    syn::parse_str::<syn::Ident>(name).is_err()
}

/// Returns the message for a word of Rust as the name of a value.
pub(super) fn keyword(name: &str) -> String {
    format!("`{name}` cannot be a name, because it has a meaning in Rust")
}
