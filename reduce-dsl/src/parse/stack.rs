//! A stack for the parser, which may recurse over each token.

use super::limits;
use std::{io, iter, thread};

/// The stack of the parser for the texts of rows, which it reads after typing the user's text. All stack sizes
/// are in bytes, without optimization.
const STACK_OF_ROWS: usize = 512 * 1024;
/// The fixed part of the stack for the user's text. The parser may recurse over each token.
const STACK: usize = 128 * 1024;
const STACK_OF_A_TOKEN: usize = 16 * 1024;

/// The stack that any thread is assumed to have left. Threads of Rust have 2 MiB by default. WebAssembly has no threads; whoever links
/// it chooses the stack (`scripts/playground.sh`).
const STACK_HERE: usize = if cfg!(target_family = "wasm") { 24 << 20 } else { 1536 * 1024 };

/// The reason why there is no result.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("bug of reducegen: the parser panicked")]
    Panicked,
    #[error("the system cannot start a thread to parse a specification of that length ({0})")]
    NoThread(io::Error),
}

/// Parses a text on a thread of its own: for the stack, and because spans are stored in a thread-local table.
pub(super) fn with_room_for<T: Send>(source: &str, parse: impl Fn() -> T + Sync) -> Result<T, Failure> {
    let stack = STACK + STACK_OF_A_TOKEN * most_tokens(source).min(limits::TOKENS);
    let stack = stack.max(STACK_OF_ROWS);
    let outcome = thread::scope(|scope| {
        let parser = thread::Builder::new().stack_size(stack).spawn_scoped(scope, &parse)?;
        Ok(parser.join())
    });
    match outcome {
        Ok(parsed) => parsed.map_err(|_| Failure::Panicked),
        Err(_) if stack <= STACK_HERE => Ok(parse()),
        Err(error) => Err(Failure::NoThread(error)),
    }
}

/// Returns an upper bound on the number of tokens, without lexing.
fn most_tokens(source: &str) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let before = iter::once(' ').chain(source.chars());
    let begins = |(before, c): &(char, char)| !(c.is_whitespace() || is_word(*c) && is_word(*before));
    before.zip(source.chars()).filter(begins).count()
}
