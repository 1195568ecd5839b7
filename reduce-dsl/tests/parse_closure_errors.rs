//! Tests the messages for wrong closures, each at its place.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use reduce_dsl::parse::text;

macro_rules! assert_snapshot {
    ($shown:expr) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($shown) })
    };
}

/// Returns the diagnostics of each specification, in order.
fn shown(sources: &[&str]) -> String {
    let one = |source: &&str| match text(source, None) {
        Ok(parsed) => panic!("{source} is read as {}", parsed.spec.text),
        Err(error) => error.of("spec").to_string(),
    };
    sources.iter().map(one).collect::<Vec<_>>().join("\n\n")
}

/// Returns the diagnostics of maps of one `f32`.
fn of_maps(bodies: &[&str]) -> String {
    let sources: Vec<_> = bodies.iter().map(|body| format!("ty: f32, map: |x| {body}, op: sum")).collect();
    shown(&sources.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Returns the diagnostics of operators on a struct of two `f64`.
fn of_ops(rest: &[&str]) -> String {
    let sources: Vec<_> =
        rest.iter().map(|rest| format!("ty: f64, acc: Range {{ lo: f64, hi: f64 }}, {rest}")).collect();
    shown(&sources.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn names_that_are_not_in_scope() {
    assert_snapshot!(shown(&[
        "ty: f32, map: |x| x * scale, op: sum",
        "ty: f64, map: |x| x * SCALE_FACTOR, op: sum",
        "ty: f32, map: |x| x * Self::K, op: sum",
        "ty: f32, map: |x| x * crate::config::LIMIT, op: sum",
        "ty: f32, map: |value| valeu * 2.0, op: sum",
        "ty: f32, map: |x| { let square = x * x; sqare + 1.0 }, op: sum",
        "ty: f32, map: |x| ({ let y = x; y }) + y, op: sum",
        "ty: f32, map: |x| x * f32::INFINTY, op: sum",
        "ty: f32, map: |x| x * f32::DIGITS, op: sum",
        "ty: f32, map: |x| x * core::f32::consts::P, op: sum",
        "ty: f32, map: |x| x * i32::MAX, op: sum",
        "ty: f32, params: { k: f32 }, op: |a, b| a + k * b, identity: none",
        "ty: f32, params: { k: f32 }, map: |x| x * k, op: |a, b| a + b, identity: k",
        "ty: f32, index: i, map: |x| x * i as f32, op: sum, finish: |s| s / i as f32",
        "ty: f32, op: sum, finish: |s| s / n as f32",
        "ty: f32, map: |x| x * f32::consts::PI, op: sum",
        "ty: f32, map: |x| x * f32::infinity, op: sum",
        "ty: f32, map: |x| { let self = x; self }, op: sum",
        "ty: f32, map: |self| 1.0, op: sum",
        "ty: f32, op: |a, b| a + b, identity: None",
    ]));
}

#[test]
fn heads_that_do_not_fit() {
    assert_snapshot!(shown(&[
        "ty: f32, map: |x, y| x * y, op: sum",
        "inputs: { x: f32, y: f32 }, map: |x| x, op: sum",
        "inputs: { x: f32, y: f32 }, map: |y, x| y - x, op: sum",
        "ty: f32, map: || 1.0, op: sum",
        "ty: f32, map: |(x, y)| x, op: sum",
        "ty: f32, map: |x: f64| x, op: sum",
        "inputs: { x: f32, y: f32 }, map: |x, x| x, op: sum",
        "ty: f32, map: move |x| x, op: sum",
        "ty: f32, map: |x| -> f32 { x }, op: sum",
        "ty: f32, op: |a| a, identity: none",
        "ty: f32, op: |a, b, c| a, identity: none",
        "ty: f32, op: |a: f64, b| a, identity: none",
        "ty: f32, op: sum, fold: |acc| acc",
        "ty: f32, op: sum, fold: |acc, x, step, n| acc",
        "inputs: { x: f32, y: f32 }, map: |x, y| x * y, op: sum, fold: |acc, y, x| acc + y * x",
        "ty: f32, op: sum, finish: || 1.0",
        "ty: f32, op: sum, finish: |s, n, m| s",
        "ty: f32, op: |type, b| type + b, identity: 0.0",
        "ty: f32, map: |x| { let match = x; x }, op: sum",
    ]));
}

#[test]
fn operands_of_different_types() {
    assert_snapshot!(shown(&[
        "inputs: { x: f32, y: f64 }, map: |x, y| x * y, op: sum",
        "inputs: { x: u8, y: i64 }, map: |x, y| (x + 1) & y, op: sum",
        "inputs: { x: f32, y: f64 }, map: |x, y| if x < y { x } else { 0.0 }, op: sum",
        "ty: f32, map: |x| x + 1, op: sum",
        "ty: i32, map: |x| x * 0.5, op: sum",
        "ty: f32, map: |x| x * 2.0f64, op: sum",
        "ty: f32, map: |x| 1u8 + x, op: sum",
        "ty: f32, map: |x| { let n = 3; let y = n as i64; x * n }, op: sum",
        "ty: f32, map: |x| x + (x > 0.0), op: sum",
        "ty: f32, map: |x| true + false, op: sum",
        "ty: f32, map: |x| x && x > 0.0, op: sum",
        "ty: f32, map: |x| x | 1.0, op: sum",
        "ty: f32, map: |x| x << 1, op: sum",
        "ty: f32, map: |x| x ^ 2, op: sum",
        "ty: f32, map: |x| 2 & x, op: sum",
        "ty: f32, map: |x| x ** 2, op: sum",
        "ty: i32, map: |x| x ** 2, op: sum",
        "ty: i32, map: |x| x << 1.0, op: sum",
        "ty: f32, map: |x| !x, op: sum",
        "ty: f32, map: |x| -(x > 0.0) as f32, op: sum",
        "ty: u32, map: |x| -x, op: sum",
        "ty: u32, map: |x| x + -1, op: sum",
        "ty: f32, map: |x| x % 2.0, op: sum",
        "ty: f32, map: |x| if (x > 0.0) < (x > 1.0) { x } else { 0.0 }, op: sum",
    ]));
}

#[test]
fn values_of_another_type_than_expected() {
    assert_snapshot!(shown(&[
        "ty: f32, map: |x| if x { 1.0 } else { x }, op: sum",
        "ty: i32, map: |x| if x { 1 } else { x }, op: sum",
        "ty: f32, map: |x| if x > 0.0 { x } else { 0 }, op: sum",
        "ty: f32, map: |x| if x > 0.0 { x } else { x as f64 }, op: sum",
        "ty: f32, map: |x| if x > 0.0 { x } else { x > 1.0 }, op: sum",
        "ty: f32, map: |x| if x > 0.0 { x }, op: sum",
        "ty: f32, map: |x| { let y: f64 = x; y }, op: sum",
        "ty: f32, map: |x| x.max(1), op: sum",
        "ty: f32, map: |x| x.max(1.0f64), op: sum",
        "ty: f32, map: |x| x.powi(2.0), op: sum",
        "ty: f32, map: |x| f32::from_bits(x), op: sum",
        "ty: f32, map: |x| f64::max(x, 1.0), op: sum",
        "ty: f32, acc: f64, op: |a, b| a + b, identity: 0.0",
        "ty: f32, acc: f64, map: |x| x, op: |a, b| a + b, identity: 0.0",
        "ty: f32, op: |a, b| a > b, identity: none",
        "ty: f32, op: |a, b| a + b, identity: 0",
        "ty: f32, op: |a, b| a + b, identity: true",
        "ty: f32, op: |a, b| a + b, identity: 0.0f64",
        "ty: f32, op: |a, b| a + b, identity: 0.0, fold: |acc, x| acc > x",
        "ty: f32, op: |a, b| a + b",
        "inputs: { x: f32, y: f32 }, op: |a, b| a + b, identity: 0.0",
    ]));
}

#[test]
fn numbers() {
    assert_snapshot!(of_maps(&[
        "x * 1e39",
        "(x as u8 + 0x1FF) as f32",
        "(x as i32 - 3_000_000_000i32) as f32",
        "x + 0x10",
        "(x as u32 + 0x10u8) as f32",
        "(x as i32 + 3000000000) as f32",
        "(x as u8 + 300) as f32",
        "x + 1usize",
        "x + 1i128",
        "x + 1.0u8",
        "x + \"1\"",
        "x + 'a'",
        "(x as u8 + b'a') as f32",
        "x + 2.0.sqrt()",
        "{ let two = 2.0; x + two.sqrt() }",
    ]));
}

#[test]
fn methods() {
    assert_snapshot!(shown(&[
        "ty: f32, map: |x| x.abss(), op: sum",
        "ty: f32, map: |x| x.sinh(), op: sum",
        "ty: f32, map: |x| x.asin(), op: sum",
        "ty: f32, map: |x| x.sine(), op: sum",
        "ty: f32, map: |x| x.log10(), op: sum",
        "ty: f64, map: |x| x.powf(2.5), op: sum",
        "ty: f64, map: |x| x.abs() + x.tan(), op: sum",
        "ty: f64, map: |x| f64::atan2(x, 1.0), op: sum",
        "ty: i32, map: |x| x.atan2(1), op: sum",
        "ty: i32, map: |x| x.sin(), op: sum",
        "ty: f32, map: |x| x.hypot(2), op: sum",
        "inputs: { x: f32, y: f64 }, map: |x, y| x.powf(y), op: sum",
        "ty: f32, map: |x| x.atan2(), op: sum",
        "ty: f32, map: |x| x.frobnicate(), op: sum",
        "ty: bool, map: |x| x.frobnicate(), op: sum",
        "ty: f32, map: |x| x.clone(), op: sum",
        "ty: f32, map: |x| x.iter().sum(), op: sum",
        "ty: f32, map: |x| x.total_cmp(1.0), op: sum",
        "ty: i32, map: |x| x.checked_add(1).unwrap(), op: sum",
        "ty: f32, map: |x| x.abs(1.0), op: sum",
        "ty: i32, map: |x| x.max(), op: sum",
        "ty: f32, map: |x| x.clamp(1.0), op: sum",
        "ty: u32, map: |x| x.abs(), op: sum",
        "ty: i32, map: |x| x.sqrt(), op: sum",
        "ty: f32, map: |x| x.count_ones(), op: sum",
        "ty: f32, map: |x| x.pow(2), op: sum",
        "ty: i32, map: |x| x.is_nan(), op: sum",
        "ty: i32, map: |x| x.maximum(1), op: sum",
        "ty: f32, map: |x| (x > 0.0).max(true), op: sum",
        "ty: f32, map: |x| x.max::<f32>(1.0), op: sum",
        "ty: f32, params: { k: i32 }, map: |x| x.powi(k), op: sum",
        "ty: f32, map: |x| x.powi(5000), op: sum",
        "ty: f32, map: |x| f32::cbrt(x), op: sum",
        "ty: f32, map: |x| f64::from(x), op: sum",
        "ty: f32, map: |x| max(x, 1.0), op: sum",
        "ty: f32, map: |x| std::cmp::max(x, 1.0), op: sum",
        "ty: f16, op: max, finish: |m| m.to_f32()",
        "ty: f32, map: |x| abs(x), op: sum",
        "ty: f32, map: |x| f32::max(x), op: sum",
        "ty: f32, map: |x| f32::abs(), op: sum",
        "ty: f32, map: |x| 1.max(x), op: sum",
        "ty: u8, map: |x| 0x1F.max(x), op: sum",
        "ty: f32, map: |x| x.clamp(5.0, 1.0), op: sum",
        "ty: f32, map: |x| x.clamp(f32::NAN, x), op: sum",
        "ty: i32, map: |x| x.clamp(5, -1), op: sum",
    ]));
}

#[test]
fn conversions() {
    assert_snapshot!(of_maps(&[
        "x as i128",
        "x as char",
        "x as f16",
        "x as flaot",
        "x as bool",
        "(x as i32 as bool) as i32",
        "(x > 0.0) as f32",
        "if x as f64 < 1.0 { x } else { 0.0 }",
        "{ let y = (x as u64 << 3) + (x as u64 << z); y as f32 }",
        "{ let y = x as f32 < 1.0; y + x.abss() }",
        "x as f32 as",
        "(x as) + 1.0",
        "x as 32",
        "{ let y: &f32 = x; y }",
    ]));
}

#[test]
fn divisions() {
    assert_snapshot!(shown(&[
        "inputs: { x: i32, y: i32 }, map: |x, y| x / y, op: sum",
        "inputs: { x: u32, y: u32 }, map: |x, y| x % y, op: sum",
        "ty: i32, map: |x| x / 0, op: sum",
        "ty: i32, map: |x| x / -1, op: sum",
        "ty: i32, map: |x| x % -1, op: sum",
        "inputs: { x: i32, y: i32 }, map: |x, y| x / y.max(0), op: sum",
        "inputs: { x: i32, y: i32 }, map: |x, y| x / (y | 1), op: sum",
        "ty: i32, op: |a, b| a / b, identity: none",
        "ty: u64, op: sum, finish: |s, n| s / n",
    ]));
}

#[test]
fn structs() {
    assert_snapshot!(of_ops(&[
        "map: |x| Range { lo: x }, op: |a, b| a, identity: none",
        "map: |x| Range { lo: x, hi: x, mid: x }, op: |a, b| a, identity: none",
        "map: |x| Range { lo: x, hi: x, lo: x }, op: |a, b| a, identity: none",
        "map: |x| Range { lo: x, hi: 1 }, op: |a, b| a, identity: none",
        "map: |x| Range { lo: x, hi: x > 0.0 }, op: |a, b| a, identity: none",
        "map: |x| Rnage { lo: x, hi: x }, op: |a, b| a, identity: none",
        "map: |x| Pair { a: x }, op: |a, b| a, identity: none",
        "map: |x| Range { lo: x, ..x }, op: |a, b| a, identity: none",
        "map: |x| Range(x, x), op: |a, b| a, identity: none",
        "map: |x| x, op: |a, b| a, identity: none",
        "op: |a, b| a, identity: none",
        "map: |x| Range { lo: x, hi: x }, op: |a, b| a.lo, identity: none",
        "map: |x| Range { lo: x, hi: x }, op: |a, b| a + b, identity: none",
        "map: |x| Range { lo: x, hi: x }, op: |a, b| a.max(b), identity: none",
        "map: |x| Range { lo: x, hi: x }, op: |a, b| if a == b { a } else { b }, identity: none",
        "map: |x| Range { lo: x.lo, hi: x.abs }, op: |a, b| a, identity: none",
        "map: |x| Range { lo: x, hi: x }, op: |a, b| Range { lo: a.low, hi: a.middle }, identity: none",
        "map: |x| Range { lo: x, hi: x }, op: |a, b| Range { lo: a.0, hi: a.hi }, identity: none",
        "map: |x| Range { lo: x, hi: x }, op: |a, b| a, identity: 0.0",
        "map: |x| Range { lo: x, hi: x }, op: |a, b| a, identity: Range { lo: 0.0 }",
        "map: |x| Range { lo: x, hi: x }, op: |a, b| a, identity: none, finish: |r| Out { r, n: 1 }",
        "map: |x| Range { lo: x, hi: x }, op: |a, b| a, identity: none, finish: |r| out { lo: r.lo }",
        "map: |x| Range { lo: x, hi: x }, op: |a, b| a as f64, identity: none",
        "map: |x| x as Range, op: |a, b| a, identity: none",
    ]));
}

#[test]
fn accumulators() {
    assert_snapshot!(shown(&[
        "ty: f32, map: |x| Range { lo: x, hi: x as f64 }, op: |a, b| a, identity: none",
        "ty: f32, acc: Range, op: |a, b| a, identity: none",
        "ty: f32, acc: Range {}, map: |x| x, op: |a, b| a, identity: none",
        "ty: f32, acc: Self { lo: f32 }, map: |x| x, op: |a, b| a, identity: none",
        "ty: f32, op: sum, finish: |s| Self { s }",
        "ty: f32, acc: bool, op: |a, b| a && b, identity: true",
        "ty: bool, acc: f32, op: |a, b| a + b, identity: 0.0",
        "ty: f32, acc: range { lo: f32 }, map: |x| x, op: |a, b| a, identity: none",
        "ty: f32, acc: Range { lo: f32, lo: f32 }, map: |x| Range { lo: x }, op: |a, b| a, identity: none",
        "ty: f32, acc: Range { lo: f16, float: f32 }, map: |x| Range { lo: x }, op: |a, b| a, identity: none",
        "ty: f32, acc: Range { lo, hi }, map: |x| Range { lo: x }, op: |a, b| a, identity: none",
        "ty: f32, acc: [f32; 2], map: |x| x, op: |a, b| a, identity: none",
        "ty: f32, acc: [f32; N], map: |x| x, op: |a, b| a, identity: none",
        "ty: f16, acc: f16, op: |a, b| a.max(b), identity: none",
        "ty: f32, acc: Range { lo: f32 }, op: sum",
        "ty: f32, acc: float, op: sum",
        "inputs: { Range: f32 }, acc: Range { lo: f32 }, map: |x| Range { lo: x }, op: |a, b| a, identity: none",
        "ty: f32, params: { Out: f32 }, map: |x| x * Out, op: sum, finish: |s| Out { s }",
    ]));
}

#[test]
fn params_and_positions() {
    assert_snapshot!(shown(&[
        "ty: f32, params: { k: f32 }, map: |x| x, op: sum",
        "ty: f32, index: i, map: |x| x, op: sum",
        "ty: f32, params: { x: f32 }, map: |x| x, op: sum",
        "ty: f32, params: { k: f32, k: f64 }, map: |x| x * k, op: sum",
        "ty: f32, params: { k: f16, acc: f32 }, map: |x| x * k + acc, op: sum",
        "ty: f32, params: {}, op: sum",
        "ty: f32, params: k, op: sum",
        "ty: f32, params: { k = 3.0 }, map: |x| x * k, op: sum",
        "ty: f32, params: [k: f32], map: |x| x * k, op: sum",
        "ty: f32, params: Given, map: |x| x * k, op: sum",
        "ty: f32, params: f32 { k: f32 }, map: |x| x * k, op: sum",
        "ty: f32, params: { k: f32 = 1 }, map: |x| x * k, op: sum",
        "ty: f32, params: { k: f32 = x, least: u8 = 256 }, map: |x| x * k * least as f32, op: sum",
        "ty: f32, params: { k: f32 =, least: f32 }, map: |x| x * k * least, op: sum",
        "ty: f32, index: 3, map: |x| x * i as f32, op: sum",
        "ty: f32, index: 3, op: sum",
        "ty: f32, index: n, map: |x| x * n as f32, op: sum",
        "ty: f32, index: i, map: |x| x * i, op: sum",
    ]));
}

#[test]
fn choices_of_closures() {
    assert_snapshot!(shown(&[
        "ty: f32, op: |a, b| a.max(b), identity: none, ties: last",
        "ty: f32, op: |a, b| a.max(b), identity: none, ties: first",
        "ty: f32, op: |a, b| a.max(b), identity: none, commutative: yes",
        "ty: f32, op: sum, nan: skip",
        "ty: f32, op: sum, ties: lst",
        "ty: f32, op: sum, fold: acc",
        "ty: f32, op: sum, finish: sqrt",
        "pub static SUM; ty: f32, op: sum",
        "#[doc = \"A sum.\"] pub(crate) const SUM; ty: f32, op: sum",
        "pub static SUM: f32; ty: f32, op: sum",
        "pub fn SUM; ty: f32, op: sum",
    ]));
}

#[test]
fn laws_that_do_not_hold() {
    assert_snapshot!(shown(&[
        "ty: u64, op: |a, b| (a * b) % 97, identity: 1",
        "inputs: { x: f64, w: f64 }, acc: M { w: f64, top: f64 }, map: |x, w| M { w: w, top: x * w }, \
         op: |a, b| M { w: a.w + b.w, top: if a.w < 0.0 { a.top } else { a.top + b.top } }, identity: none",
        "ty: f32, op: |a, b| a - b, identity: none",
        "ty: f32, op: |a, b| (a + b) / 2.0, identity: none",
        "ty: f32, op: |a, b| a + b, identity: 1.0",
        "ty: i32, op: |a, b| a.max(b), identity: 0",
        "ty: f32, op: |a, b| b, identity: none, commutative: true",
        "ty: f32, map: |x| x * x, op: sum, fold: |acc, x| acc + x",
    ]));
}

#[test]
fn what_devices_cannot() {
    assert_snapshot!(of_maps(&[
        "f(x)",
        "{ x; }",
        "{ }",
        "{ x + 1.0; x }",
        "{ let y; x }",
        "{ let y = x; y = 2.0; y }",
        "{ let Some(y) = x else { x }; y }",
        "{ fn f() {} x }",
        "loop { break x }",
        "{ while x < 1.0 {} x }",
        "x?",
        "x[0]",
        "&x",
        "*x",
        "x.0",
        "x.lo",
        "x.abs",
        "(x, x)",
        "[x, x]",
        "()",
        "println!(\"{x}\")",
        "{ println!(\"{x}\"); x }",
        "if let y = x { y } else { x }",
        "|y| y",
        "unsafe { x }",
        "#[cold] x",
        "'a: { x }",
        "(0.0..x).len()",
        "async { x }",
    ]));
}
