//! Tests that closures with control flow, tuples, arrays and helper functions compute the values of the same Rust code.
#![allow(
    clippy::too_many_lines,
    clippy::reversed_empty_ranges,
    clippy::manual_swap,
    reason = "closures of users are written in every way"
)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]
#![allow(
    clippy::manual_range_patterns,
    clippy::manual_range_contains,
    clippy::needless_range_loop,
    reason = "as users write"
)]
#![allow(
    clippy::needless_return,
    clippy::match_like_matches_macro,
    clippy::assign_op_pattern,
    reason = "as users write"
)]

mod control;
mod values;

use reduce_dsl::parse::text;
use reduce_ir::arith::Element;
use reduce_ir::{Spec, Value};

fn spec(source: &str) -> Spec {
    let parsed = text(source, None).unwrap_or_else(|errors| panic!("{source}: {errors}"));
    let again =
        text(&parsed.spec.text, None).unwrap_or_else(|errors| panic!("{}: {errors}", parsed.spec.text));
    assert_eq!(again.spec, parsed.spec, "{source}");
    parsed.spec
}

/// Evaluates `map` of a specification on one element.
fn mapped<T: Element>(source: &str, x: T) -> Vec<Value> {
    spec(source).operation.map.evaluate(&[Value::of(x)]).unwrap()
}

/// Compares a closure of one scalar with the same closure in Rust. Functions may come before it.
macro_rules! agrees {
    (
        $(fn $name:ident $params:tt -> $result:ty $code:block $(,)?)*
        |$x:ident: $ty:ident| -> $out:ident $body:block $(,)?
    ) => {{
        $(fn $name $params -> $result $code)*
        let functions = concat!($(stringify!(fn $name $params -> $result $code), " ",)* "");
        let source = format!(
            "{functions}ty: {}, map: |{}| {}, op: |a, b| a, identity: none",
            stringify!($ty), stringify!($x), stringify!($body)
        );
        let rust = |$x: $ty| -> $out { $body };
        let map = spec(&source).operation.map;
        for x in <$ty as Samples>::samples() {
            let ours = map.evaluate(&[Value::of(x)]).unwrap();
            assert_eq!(ours, [Value::of::<$out>(rust(x))], "{source} of {x:?}");
        }
    }};
}

trait Samples: Sized {
    fn samples() -> Vec<Self>;
}

impl Samples for f32 {
    fn samples() -> Vec<f32> {
        let mut all = vec![-0.0, f32::MIN, f32::MAX, f32::INFINITY, f32::NEG_INFINITY];
        all.extend((-40..40).map(|i| i as f32 / 4.0));
        all
    }
}

impl Samples for i32 {
    fn samples() -> Vec<i32> {
        (-20..20).chain([i32::MIN, i32::MAX, 255, 1000]).collect()
    }
}

impl Samples for u8 {
    fn samples() -> Vec<u8> {
        (0..=255).collect()
    }
}

pub(crate) use agrees;
