//! Rotating samples of expensive tests: each day another part, so that every part runs within a few days.
//!
//! `REDUCEGEN_TURN=n` repeats the sample of turn n, which a failure names. `REDUCEGEN_FULL=1` tests everything.

use std::time::{SystemTime, UNIX_EPOCH};

/// Returns whether everything is tested.
#[allow(dead_code, reason = "some tests only take samples")]
pub(crate) fn full() -> bool {
    std::env::var_os("REDUCEGEN_FULL").is_some()
}

/// Returns the number of the sample: the days since 1970, or `REDUCEGEN_TURN`.
pub(crate) fn turn() -> usize {
    let from_env = std::env::var("REDUCEGEN_TURN").ok().and_then(|turn| turn.parse().ok());
    let seconds = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let turn = from_env.unwrap_or_else(|| (seconds() / 86_400) as usize);
    println!("REDUCEGEN_TURN={turn} repeats this sample");
    turn
}

/// Returns one item in `parts`, or all of them with `REDUCEGEN_FULL=1`.
#[allow(dead_code, reason = "some tests only ask for the turn")]
pub(crate) fn sample<I: IntoIterator>(items: I, parts: usize) -> impl Iterator<Item = I::Item> {
    let (skipped, step) = if full() { (0, 1) } else { (turn() % parts, parts) };
    items.into_iter().skip(skipped).step_by(step)
}
