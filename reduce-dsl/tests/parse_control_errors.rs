//! Tests the messages for wrong control flow, variables, tuples, arrays and functions in closures, each at its place.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use reduce_dsl::parse::text;

/// Returns the diagnostics of each specification, in order. Each has one error.
fn shown(sources: &[String]) -> String {
    let one = |source: &String| match text(source, None) {
        Ok(parsed) => panic!("{source} is read as {}", parsed.spec.text),
        Err(error) => {
            assert_eq!(error.diagnostics().len(), 1, "{}", error.of("spec"));
            error.of("spec").to_string()
        }
    };
    sources.iter().map(one).collect::<Vec<_>>().join("\n\n")
}

/// Returns the diagnostics of maps of one type.
fn of_maps(ty: &str, bodies: &[&str]) -> String {
    let source = |body: &&str| format!("ty: {ty}, map: |x| {body}, op: sum");
    shown(&bodies.iter().map(source).collect::<Vec<_>>())
}

macro_rules! assert_snapshot {
    ($shown:expr) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($shown) })
    };
}

#[test]
fn patterns() {
    assert_snapshot!(of_maps(
        "i32",
        &[
            "match x { 0 => 1 }",
            "match x { 0 => 1, 1.0 => 2, _ => 3 }",
            "match x { 0 => 1, 1 => 2.0, _ => 3 }",
            "match x { n if n > 0 => 1 }",
            "match x { 1 | n => n, _ => 0 }",
            "match x { Some(n) => n, _ => 0 }",
            "match x { (a, b) => a, _ => 0 }",
            "match x { n @ 1..=3 => n, _ => 0 }",
            "match x { i32::MIN..=0 => 1, 2.. => 0 }",
            "match (x, x) { (0, a) => a }",
            "match x { 300i64 => 1, _ => 0 }",
            "match x { 0 => {} _ => 1 }",
            "matches!(x) as i32",
            "matches!(x, 1.0) as i32",
            "(0..3).contains(x) as i32",
            "(0.0..3.0).contains(&x) as i32",
            "(..).contains(&x) as i32",
            "{ let (a, b, c) = (x, x); a }",
            "{ let (a, 1) = (x, x); a }",
        ]
    ));
}

#[test]
fn variables() {
    assert_snapshot!(of_maps(
        "f32",
        &[
            "{ let s = x; s += 1.0; s }",
            "{ x = 1.0; x }",
            "{ let mut s = x; s = 1; s }",
            "{ let mut s = x; s += 1; s }",
            "{ let mut s = x; s.lo = 1.0; s }",
            "{ let mut s = x; t = 1.0; s }",
            "{ let mut s = x; s = s > 1.0; s }",
            "{ let mut s = x; (s + 1.0) = 2.0; s }",
            "{ let mut s = x; let y = s = 2.0; s }",
            "{ let mut s = x; s += { s = 1.0; s }; s }",
            "{ let mut s = x; s = 1.0 }",
            "{ let mut s = x; s -= 1.0; }",
            "{ let (mut a, mut b) = (x, x); (a, b) = (b, a); a }",
            "{ let mut s = x; if s > 1.0 { s } s }",
            "{ let mut s = x; s %= 2.0; s }",
        ]
    ));
}

#[test]
fn loops_and_exits() {
    assert_snapshot!(of_maps(
        "f32",
        &[
            "{ let mut s = x; for i in 0..n { s += 1.0; } s }",
            "{ let mut s = x; for i in 0..x as u32 { s += 1.0; } s }",
            "{ let mut s = x; for i in 0..5000 { s += 1.0; } s }",
            "{ let mut s = x; for i in 0..100 { for j in 0..100 { s += 1.0; } } s }",
            "{ let mut s = x; for i in 0..2000 { s += s * s; } s }",
            "{ let mut s = x; for i in 0.. { s += 1.0; } s }",
            "{ let mut s = x; for i in 0.0..2.0 { s += 1.0; } s }",
            "{ let mut s = x; for i in 0..2u8..3 { s += 1.0; } s }",
            "{ let mut s = x; for i in 0..2 { s + 1.0 } s }",
            "{ let mut s = x; for i in x { s += 1.0; } s }",
            "{ let mut s = x; for (i, v) in [1.0, 2.0] { s += v; } s }",
            "{ let mut s = x; 'a: for i in 0..2 { break 'a; } s }",
            "{ let mut s = x; while s < 10.0 { s += 1.0; } s }",
            "{ let mut s = x; loop { s += 1.0; } }",
            "for i in 0..3 { break; }",
            "{ if x > 0.0 { break; } x }",
            "{ if x > 0.0 { return; } x }",
            "{ if x > 0.0 { return 1; } x }",
            "{ if x > 0.0 { return x > 1.0; } x }",
            "1.0 + return x",
            "if x > 0.0 { return 1.0; }",
            "if x > 0.0 { return 1.0 } else { }",
        ]
    ));
}

#[test]
fn tuples_and_arrays() {
    assert_snapshot!(of_maps(
        "u8",
        &[
            "{ let t = (x, x); t.2 }",
            "{ let t = (x, x); t.lo }",
            "{ let t = (x, x); t[0] }",
            "{ let t = (x, x); t + t }",
            "{ let t = (x, x); t.max(t) }",
            "{ let a = [x, 1.0]; x }",
            "{ let a = [x; 3]; a[3] }",
            "{ let a = [x; 3]; a[x] }",
            "{ assert!(); x }",
            "{ assert!(x); x }",
            "{ assert!(false, \"never\"); x }",
            "{ let a = [x; 3]; a[-1] }",
            "{ let a = [x; 3]; a.0 }",
            "{ let a = [x; 3]; a.iter().sum() }",
            "{ let a = [x; 3]; a.len() as u8 + 1.0 }",
            "{ let a = [x; 3]; a + a }",
            "{ let a = [x; 3]; a }",
            "{ let a = [x; 5000]; x }",
            "{ let a = [x; 0]; x }",
            "{ let a = []; x }",
            "{ let n = 3; let a = [x; n]; x }",
            "{ let a: [u8; 2] = [x; 3]; x }",
            "x[0]",
            "vec![x, x]",
            "(x, x)",
        ]
    ));
}

#[test]
fn functions() {
    let sources = [
        "fn sq(x: f32) -> f32 { x * x } ty: f32, map: |x| sq(x, x), op: sum",
        "fn sq(x: f32) -> f32 { x * x } ty: f64, map: |x| sq(x), op: sum",
        "fn sq(x: f32) -> f32 { x * y } ty: f32, map: |x| sq(x) + sq(1.0), op: sum",
        "fn sq(x: f32) -> f32 { x > 1.0 } ty: f32, map: |x| sq(x), op: sum",
        "fn sq(x: f32) -> f32 { sq(x) } ty: f32, map: |x| sq(x), op: sum",
        "fn f(x: f32) -> f32 { g(x) } fn g(x: f32) -> f32 { f(x) } ty: f32, map: |x| f(x), op: sum",
        "fn sq(x: f32) { } ty: f32, map: |x| x, op: sum",
        "fn sq<T>(x: T) -> T { x } ty: f32, map: |x| sq(x), op: sum",
        "fn sq(x: &f32) -> f32 { x } ty: f32, map: |x| x, op: sum",
        "fn sq(self) -> f32 { 1.0 } ty: f32, map: |x| x, op: sum",
        "fn sq(x: f32) -> f32 { x * k } ty: f32, params: { k: f32 }, map: |x| sq(x) * k, op: sum",
        "fn sq(x: f32) -> f32 { x } fn sq(x: f32) -> f32 { x } ty: f32, map: |x| sq(x), op: sum",
        "fn sq(x: i32) -> i32 { 5 / x } ty: i32, map: |x| sq(x) + sq(x + 1), op: sum",
        "fn sq(x: f32 -> f32 { x } ty: f32, map: |x| x, op: sum",
        "ty: f32, map: |x| sq(x), op: sum",
        "ty: f32, map: |x| { fn sq(x: f32) -> f32 { x } sq(x) }, op: sum",
        "ty: f32, op: f32::add",
        "ty: f32, op: std::ops::Add::add",
        "ty: f32, op: f32::abs, identity: none",
        "ty: f32, op: f64::max",
        "ty: f32, op: f32::powf",
    ];
    assert_snapshot!(shown(&sources.map(str::to_owned)));
}

#[test]
fn accumulators() {
    let sources = [
        "ty: f32, acc: H { bins: [u32; 40] }, map: |x| x, op: |a, b| a, identity: none",
        "ty: f32, acc: H { bins: [u32] }, map: |x| x, op: |a, b| a, identity: none",
        "ty: f32, acc: H { a: [u32; 2], a_0: u32 }, map: |x| x, op: |a, b| a, identity: none",
        "ty: f32, acc: (f32, f16), map: |x| (x, x), op: |a, b| a, identity: none",
        "ty: f32, acc: (f32, u64), map: |x| (x, 1.0), op: |a, b| a, identity: none",
        "ty: f32, acc: (f32, u64), map: |x| (x, 1, 2), op: |a, b| a, identity: none",
        "ty: f32, acc: (f32, u64), map: |x| (x, 1), op: |a, b| (a.0 + b.0, a.1 + b.1), identity: 0.0",
        "ty: f32, acc: (f32, u64), map: |x| (x, 1), op: |a, b| (a.0 - b.0, a.1 + b.1), identity: (0.0, 0)",
        "ty: f32, acc: [f32; 2], map: |x| [x, x], op: |a, b| { a[0] += b[0]; a }, identity: none",
        "ty: f32, map: |x| (x, 1), op: sum",
    ];
    assert_snapshot!(shown(&sources.map(str::to_owned)));
}
