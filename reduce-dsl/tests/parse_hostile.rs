//! Tests hostile specifications: they are refused quickly, with a typed error, and without deep recursion.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use reduce_dsl::parse::{Diagnostic, SpecError, text};
use reduce_ir::Spec;
use std::time::{Duration, Instant};

/// Returns the messages of all errors, in order. A refusal takes milliseconds; the bound leaves room for a busy
/// machine and a debug build.
fn refusal(source: &str) -> Vec<String> {
    let start = Instant::now();
    let error = text(source, None).unwrap_err();
    let shown = error.to_string();
    assert!(start.elapsed() < Duration::from_secs(2), "took {:?}", start.elapsed());
    assert!(shown.len() < 1 << 20);
    error.diagnostics().iter().map(|error| error.message.clone()).collect()
}

fn mapping(body: &str) -> String {
    format!("ty: f32, op: sum, map: |x| {body}")
}

#[test]
fn a_megabyte_is_too_long() {
    let source = "ty: f32, op: sum,".repeat(1 << 16);
    assert_eq!(refusal(&source), ["a specification has at most 65536 bytes, not 1114112"]);
}

#[test]
fn brackets_nest_at_most_64_deep() {
    for (open, close) in [("(", ")"), ("[", "]"), ("{", "}")] {
        let source = mapping(&(open.repeat(30_000) + "x" + &close.repeat(30_000)));
        assert_eq!(refusal(&source), ["brackets nest at most 64 deep"]);
    }
    let source = mapping(&("(".repeat(64) + "x" + &")".repeat(64)));
    assert!(text(&source, None).is_ok());
}

#[test]
fn nesting_of_100_000_is_refused() {
    for body in ["(".repeat(100_000), "-".repeat(100_000), "!".repeat(100_000), "x + ".repeat(100_000)] {
        assert_eq!(refusal(&mapping(&body)).len(), 1);
    }
}

#[test]
fn tokens_are_at_most_8192() {
    for unit in ["-", "!", "x + ", "&", "|x| ", "else ", "[] ", "if x {} else "] {
        let source = mapping(&(unit.repeat(60_000 / unit.len()) + "x"));
        assert_eq!(refusal(&source), ["a specification has at most 8192 tokens"], "{unit}");
    }
}

/// Texts within the limits still make the parser recurse, at most once per token.
#[test]
fn chains_below_the_limits_are_refused_too() {
    for (unit, tokens) in [
        ("-", 1),
        ("!", 1),
        ("&", 1),
        ("*", 1),
        ("x + ", 2),
        ("x = ", 2),
        ("|x| ", 3),
        ("move || ", 3),
        ("return ", 1),
        ("if x {} else ", 4),
        ("x as ", 2),
        ("..", 2),
        ("'a: ", 3),
        ("unsafe ", 1),
        ("<x as ", 3),
        ("x::<", 4),
        ("&mut ", 2),
        ("#[x]", 3),
    ] {
        assert!(!refusal(&mapping(&(unit.repeat(2000 / tokens) + "x"))).is_empty(), "{unit}");
    }
    for suffix in [".abs()", ".x", "?", "()", "[0]", " as f32", " + x"] {
        assert!(!refusal(&mapping(&("x".to_owned() + &suffix.repeat(240)))).is_empty(), "{suffix}");
    }
}

/// Methods that use their receiver several times must not make the canonical text explode.
#[test]
fn chains_of_methods_stay_short() {
    for (method, count) in [
        (".signum()", 60),
        (".round()", 60),
        (".copysign(x)", 60),
        (".clamp(-1.0, x)", 60),
        (".powi(1023)", 20),
    ] {
        let source = mapping(&("x".to_owned() + &method.repeat(count)));
        let start = Instant::now();
        let parsed = text(&source, None).unwrap_or_else(|errors| unreachable!("{method}: {errors:#?}"));
        assert!(start.elapsed() < Duration::from_secs(2), "{method} took {:?}", start.elapsed());
        let spec = parsed.spec;
        assert!(spec.text.len() < 32 * 1024, "{method}: {} bytes", spec.text.len());
        assert_eq!(text(&spec.text, None).map(|parsed| parsed.spec), Ok(spec), "{method}");
    }
    let source = mapping(&("x".to_owned() + &".powi(1023)".repeat(120)));
    assert_eq!(refusal(&source), ["this expands to 2160 operations; the limit is 1024"]);
}

/// Names that CUDA does not allow must not make the canonical text explode.
#[test]
fn names_of_other_scripts_are_names() {
    for name in ["__", "δ", "_1", "r#fn", "int"] {
        let doubled = format!("let {name} = {name} + {name};").repeat(60);
        let source = mapping(&format!("{{ let {name} = x * x; {doubled} {name} }}"));
        let spec = text(&source, None).unwrap_or_else(|errors| unreachable!("{name}: {errors:#?}")).spec;
        assert!(spec.text.len() < 4096, "{name}: {} bytes", spec.text.len());
        assert_eq!(text(&spec.text, None).map(|parsed| parsed.spec), Ok(spec), "{name}");
    }
}

#[test]
fn an_expression_nests_at_most_128_operations_deep() {
    let terms = |count: usize| mapping(&vec!["x"; count].join(" + "));
    assert!(text(&terms(128), None).is_ok());
    assert_eq!(refusal(&terms(480)), ["an expression nests at most 128 operations deep"]);
}

#[test]
fn hidden_characters_are_refused_where_they_are() {
    for (source, place, name) in [
        ("ty: f32,\0 op: sum", 8..9, "U+0000"),
        ("ty: f32, \u{202e}op: sum", 9..12, "U+202E"),
        ("ty: f32, \u{2066}op: sum", 9..12, "U+2066"),
        ("ty: f32, \u{1b}[31mop: sum", 9..10, "U+001B"),
    ] {
        let refused = text(source, None).unwrap_err();
        let error = &refused.diagnostics()[0];
        assert_eq!(error.span, place);
        assert!(error.message.contains(name), "{}", error.message);
    }
}

/// Every prefix of a specification, and every specification without one of its characters, is read or refused,
/// and every error lies in the text.
#[test]
fn damaged_specifications_are_refused_in_place() {
    let whole = "reduction!< inputs: { x: f32, y: f16 }, map: |x, y| x * y.abs() - 2.5e3f32, op: sum, \
                 identity: -0.0, block: 64, passes: [shuffle, coarsen(4)] > // é";
    let ends = whole.char_indices().map(|(at, _)| whole[..at].to_owned());
    let holes = whole.char_indices().map(|(at, c)| whole[..at].to_owned() + &whole[at + c.len_utf8()..]);
    for source in ends.chain(holes) {
        let Err(error) = text(&source, None) else { continue };
        let errors = error.diagnostics();
        assert!(!errors.is_empty());
        assert!(errors.iter().all(|error| error.span.end <= source.len()), "{source}: {errors:#?}");
        assert!(error.to_string().contains("error: "));
    }
}

/// The output contains no character that controls a terminal.
#[test]
fn hidden_characters_are_not_printed() {
    for c in ['\0', '\u{1b}', '\u{7f}', '\u{85}', '\u{202e}', '\u{2066}', '\u{200b}', '\u{2028}'] {
        let source = format!("ty: f32, {c}op: sum");
        let shown = text(&source, None).unwrap_err().of(format!("a{c}b.reduce")).to_string();
        assert!(!shown.contains(c), "U+{:04X} in {shown:?}", c as u32);
        assert!(shown.contains("U+"), "{shown}");
    }
}

/// Places outside the text, or in another text, are shown without a panic.
#[test]
fn places_outside_of_the_text_are_shown() {
    for source in ["", "\n", "é", "op: sum, größe\r\n\u{1b}é", &"x".repeat(70_000)] {
        for (start, end) in
            [(0, 0), (0, 1), (1, 2), (2, 1), (12, 13), (13, 12), (3, usize::MAX), (usize::MAX, 0)]
        {
            let wrong = Diagnostic::error(start..end, "wrong");
            let shown = SpecError::new(source, vec![wrong]).of("a.reduce").to_string();
            assert!(shown.starts_with("error: wrong") && shown.contains("a.reduce"), "{shown}");
        }
    }
}

/// The error type works with `?` into `Box<dyn Error>`.
#[test]
fn spec_errors_convert_to_boxed_errors() {
    fn read(text: &str) -> Result<Spec, Box<dyn std::error::Error + Send + Sync>> {
        Ok(reduce_dsl::parse::spec(text)?)
    }
    assert_eq!(read("op: sum, ty: f32").unwrap().text, "ty: f32, op: sum");
    let shown = read("op: summ, ty: f32").unwrap_err().to_string();
    assert!(shown.contains("--> <spec>:1:5") && shown.contains("^^^^"), "{shown}");
}

/// rustc refuses these characters as well; in comments it accepts them.
#[test]
fn spaces_and_marks_that_rust_does_not_know_are_refused_at_their_place() {
    let messages = [
        ('\u{a0}', "U+00A0 is not a space in Rust; write a plain one"),
        ('\u{3000}', "U+3000 is not a space in Rust; write a plain one"),
        ('\u{feff}', "a byte order mark is allowed at the start only; delete this one"),
    ];
    for (c, message) in messages {
        let error = text(&format!("op: sum,{c}ty: f32"), None).unwrap_err();
        let [Diagnostic { message: said, span, .. }] = error.diagnostics() else { unreachable!("{error}") };
        assert_eq!((said.as_str(), span.clone()), (message, 8..8 + c.len_utf8()));
        assert!(error.to_string().contains("<spec>:1:9"), "{error}");
        assert!(text(&format!("op: sum, // a{c}comment\n ty: f32"), None).is_ok());
    }
    let error = text("\u{feff}op: sun, ty: f32", None).unwrap_err();
    assert_eq!(error.diagnostics()[0].span, 7..10, "a mark in front is skipped, and places stay right");
    assert!(text("\u{feff}\u{feff}op: sum, ty: f32", None).is_err());
}
