//! Integers wrap, as in Rust in release mode: rustc's lints on overflow do not apply inside a closure.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "users write it like this")]
use reducegen::reduction;

fn main() {
    let sum = reduction! { ty: i32, map: |x| x + (2147483647 + 1), op: sum };
    assert_eq!(sum.reduce(&[1]).unwrap(), i32::MIN + 1);
    let least = reduction! { ty: i32, map: |x| x + -(-2147483648), op: sum };
    assert_eq!(least.reduce(&[1]).unwrap(), i32::MIN + 1);
}
