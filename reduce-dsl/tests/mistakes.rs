//! Tests that each mistake that people make in a specification has exactly one error, with the right advice.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use reduce_dsl::parse::text;

/// Mistakes with a part of the message or its help.
fn one_error(mistakes: &[(&str, &str)]) {
    let wrong: Vec<_> = mistakes.iter().filter_map(|(source, part)| wrong(source, part)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Returns the diagnostics of a mistake if they are not one error with that part at a place in the text.
fn wrong(source: &str, part: &str) -> Option<String> {
    let error = match text(source, None) {
        Ok(parsed) => return Some(format!("{source} is read as {}", parsed.spec.text)),
        Err(error) => error,
    };
    let is_right = match error.diagnostics() {
        [only] => {
            let said = format!("{} {}", only.message, only.help.clone().unwrap_or_default());
            said.contains(part) && only.span.end <= source.len()
        }
        _ => false,
    };
    (!is_right).then(|| format!("{part:?} is expected of {}", error.of("spec")))
}

/// Mistakes in the `map` of one `f32`.
fn in_maps(mistakes: &[(&str, &'static str)]) {
    let source = |&(body, part): &(&str, &'static str)| (format!("ty: f32, map: |x| {body}, op: sum"), part);
    let mistakes: Vec<_> = mistakes.iter().map(source).collect();
    one_error(&mistakes.iter().map(|(source, part)| (source.as_str(), *part)).collect::<Vec<_>>());
}

#[test]
fn fields() {
    one_error(&[
        ("ty: f32, op: summ", "did you mean `sum`?"),
        ("ty: f32, op: avg", "mean"),
        ("ty: f32, op: Sum", "did you mean `sum`?"),
        ("ty: f32, opp: sum", "did you mean `op`?"),
        ("ty: f32", "the operator is missing"),
        ("op: sum", "the type of the elements is missing"),
        ("ty = f32, op = sum", "expected `:`"),
        ("ty: float32, op: sum", "f32"),
        ("ty: string, op: sum", "the types are"),
        ("ty: Complex<f32>, op: sum", "`ty: [f32; 2]`"),
        ("ty: [f32; 2], map: |z| z[0], op: sum", "layout: strided"),
        ("ty: [f32], op: sum", "as in `[f32; 2]`"),
        ("ty: f32, op: sum()", "write `op: sum`"),
        ("ty: f32, op: std::ops::Add::add", "write `op: sum`"),
        ("ty: f32, op: median", "not a reduction"),
        ("ty: f32, op: sum, axis: 1", "axes"),
        ("ty: f32, op: sum, where: |x| x > 0.0", "unknown field"),
        ("ty: f32, ty: f64, op: sum", "written twice"),
        ("ty: f32, inputs: { x: f32 }, op: sum", "not both"),
        ("inputs: { x: f32, x: f32 }, op: sum", "two inputs"),
        ("inputs: { x }, op: sum", "expected a type"),
        ("inputs: {}, op: sum", "1 to 16 inputs"),
        ("ty: f32 op: sum", "expected `,`"),
        ("ty: f32, op: sum, block: 100", "threads"),
        ("ty: f32, op: sum, passes: [shufle]", "did you mean `shuffle`?"),
        ("ty: f32, op: sum, passes: [coarsen(0)]", "coarsen"),
        ("ty: f32, op: sum, nan: skip", "propagate"),
        ("ty: f32, op: |a, b| a + b", "a closure needs `identity`"),
        ("ty: f32, op: |a, b| a - b, identity: 0.0", "not associative"),
        ("ty: f32, op: |a, b| a + b, identity: 1.0", "identity"),
        ("ty: f32, op: |a, b| a + b, identity: 0", "0.0"),
        ("ty: f32, op: |a| a, identity: none", "takes `|a, b|`"),
        ("ty: f32, op: f64::max", "function of f64"),
        ("ty: f32, map: abs, op: sum", "`map` is a closure"),
        ("ty: f32, params: { k }, map: |x| x * k, op: sum", "expected a type"),
        ("ty: f32, params: { k: f32 }, op: sum", "`k` is not used"),
        ("ty: f32, params: { k: f32 }, op: |a, b| a + b * k, identity: none", "does not see `k`"),
        ("ty: f32, filter: |x| x, op: sum", "a condition"),
        ("ty: f32, op: sum, finish: |s| s / n as f32", "second parameter"),
    ]);
}

#[test]
fn expressions() {
    in_maps(&[
        ("x * k", "params: { k: f32 }"),
        ("x * LIMIT", "`LIMIT`"),
        ("x * 2", "write `2.0`"),
        ("x * 2.0f64", "write `2.0f32`"),
        ("x + 1u32 as f32 + true", "bool"),
        ("x as string", "unknown type"),
        ("x as i128", "i64"),
        ("x.sine()", "did you mean `sin`?"),
        ("x.sinh()", "write"),
        ("x.abs", "parentheses"),
        ("x.abs(1.0)", "takes no argument"),
        ("x.max()", "takes one argument"),
        ("x.pow(2)", "powi"),
        ("x ^ 2", "powi"),
        ("x ** 2", "powi"),
        ("x % 2.0", "trunc"),
        ("sqrt(x)", "x.sqrt()"),
        ("max(x, 0.0)", "x.max"),
        ("sq(x)", "fn sq(x: f32)"),
        ("f64::from(x)", "as f64"),
        ("x.clone()", "leave it out"),
        ("x.unwrap()", "nothing here can fail"),
        ("&x", "leave the `&` out"),
        ("*x", "leave the `*` out"),
        ("x?", "leave the `?` out"),
        ("\"x\"", "no strings"),
        ("'x'", "no characters"),
        ("println!(\"{x}\")", "no macros"),
        ("if x { 1.0 } else { 0.0 }", "compare it"),
        ("if x > 0.0 { x }", "no `else`"),
        ("if x > 0.0 { x } else { 0 }", "write `0.0`"),
        ("if let y = x { y } else { 0.0 }", "compare instead"),
        ("{ let y = x * x; }", "gives no value"),
        ("{ x * x; }", "leave out its last `;`"),
        ("{ let y: f64 = x; y }", "as f64"),
        ("{ x * 2.0; x }", "not used"),
        ("async { x }", "not possible"),
        ("|y| y", "do not nest"),
        ("x.map(|y| y)", "one element"),
        ("x as f32 < 1.0", "parentheses"),
    ]);
}

#[test]
fn control_flow() {
    in_maps(&[
        ("{ let s = x; s += 1.0; s }", "write `let mut s`"),
        ("{ x += 1.0; x }", "`mut x` in the head"),
        ("{ let mut s = x; s += 1; s }", "write `1.0`"),
        ("{ let mut s = x; s = 2.0 }", "an assignment has no value"),
        ("{ let mut s = x; for i in 0..n { s += 1.0; } s }", "`n` is not defined"),
        ("{ let mut s = x; for i in 0..x as u32 { s += 1.0; } s }", "constants"),
        ("{ let mut s = x; for i in 0..9999 { s += 1.0; } s }", "4096"),
        ("{ let mut s = x; while s < 1.0 { s += 1.0; } s }", "for i in 0..4"),
        ("loop { break x }", "for i in 0..4"),
        ("{ let mut s = x; for i in 0..3 { s += i; } s }", "takes operands of one type"),
        ("match x { 0.0 => 1.0 }", "`_ => 0.0`"),
        ("match x { 0 => 1.0, _ => x }", "0.0"),
        ("match x { 0.0 => 1, _ => x }", "differ"),
        ("match x { Some(y) => y, None => 0.0 }", "not possible"),
        ("{ if x < 0.0 { return } x }", "has no value"),
        ("{ if x < 0.0 { return 0; } x }", "another result of `map`"),
        ("{ if x < 0.0 { break } x }", "no loop"),
        ("(0.0..1.0).contains(x)", "(0.0..1.0).contains(&x)"),
        ("(0..1).contains(&x)", "write `0.0`"),
        ("matches!(x)", "matches!(x, 0 | 1)"),
        ("(x, x)", "reduces scalars"),
        ("[x, x]", "reduces scalars"),
        ("x[0]", "no array"),
        ("{ let t = [x, x]; t[2] }", "the last index is 1"),
        ("{ assert!(x); x }", "!= 0.0"),
        ("{ assert!(false); x }", "can hold"),
        ("{ assert_eq!(x, 1.0); x }", "`assert!(a == b)`"),
        ("{ let t = [x, x]; t[0u32] }", "an index is usize"),
        ("{ let t = (x, x); t.2 }", "no field `2`"),
        ("vec![x]", "[0.0; 4]"),
    ]);
}
