//! The words of the text, and the names that live as long as the process.

use crate::program::Scope;
use crate::statements::{AtomicOp, MemoryOrder, Part};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// All parts of a kernel.
pub(super) const PARTS: [Part; 4] = [Part::Fold, Part::Stage, Part::Tree, Part::Deliver];

/// All atomic operations.
pub(super) const ATOMICS: [AtomicOp; 3] = [AtomicOp::Add, AtomicOp::Exchange, AtomicOp::Increment];

/// All memory orders.
pub(super) const ORDERS: [MemoryOrder; 4] =
    [MemoryOrder::Relaxed, MemoryOrder::Acquire, MemoryOrder::Release, MemoryOrder::AcqRel];

/// All scopes.
pub(crate) const SCOPES: [Scope; 5] = [Scope::Thread, Scope::Warp, Scope::Block, Scope::Cluster, Scope::Grid];

/// Words that begin or divide statements and expressions. No name can equal them.
const RESERVED: [&str; 55] = [
    "kernel",
    "const",
    "shared",
    "let",
    "var",
    "load",
    "store",
    "post",
    "take",
    "expect",
    "send",
    "sent",
    "receive",
    "redux",
    "where",
    "vote",
    "arrive",
    "wait",
    "await",
    "trigger",
    "shuffle",
    "down",
    "mask",
    "barrier",
    "exit",
    "fence",
    "atomic",
    "for",
    "while",
    "next",
    "unrolled",
    "if",
    "else",
    "of",
    "thread",
    "block",
    "grid",
    "rank",
    "n",
    "empty",
    "items",
    "partials",
    "result",
    "ticket",
    "true",
    "false",
    "map",
    "combine",
    "finish",
    "aligned",
    "unaligned",
    "fold",
    "elements",
    "param",
    "offset",
];

/// Returns whether it is a word of the language.
pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word) || numbered(word, "input").is_some() || numbered(word, "size").is_some()
}

/// Returns the number after a prefix: 3 for `input3`.
pub(super) fn numbered(word: &str, prefix: &str) -> Option<usize> {
    word.strip_prefix(prefix)?.parse().ok()
}

/// Returns the name as a static string, which is leaked once.
pub(crate) fn intern(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return known;
    }
    let leaked: &'static str = Box::leak(name.into());
    names.insert(leaked);
    leaked
}
