//! Tests that the canonical text of a specification parses to the same specification.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use reduce_dsl::parse::text;
use reduce_ir::Spec;

fn spec(source: &str) -> Spec {
    text(source, None).unwrap_or_else(|errors| panic!("{source}: {errors:#?}")).spec
}

fn reads_back(source: &str) -> Spec {
    let first = spec(source);
    let second = spec(&first.text);
    assert_eq!(first, second, "{source}\n{}", first.text);
    first
}

#[test]
fn closures_have_a_canonical_text() {
    for (source, canonical) in [
        ("ty: f32, op: |p, q| p + q, identity: 0.0", "ty: f32, op: |a, b| a + b, identity: 0.0"),
        ("op: |a, b| a & b, identity: !0 - 0, ty: u8", "ty: u8, op: |a, b| a & b, identity: u8::MAX"),
        (
            "ty: f64, acc: Range { lo: f64, hi: f64 }, map: |x| Range { hi: x, lo: x }, \
             op: |a, b| Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) }, identity: none, finish: |r| r.hi - r.lo",
            "ty: f64, map: |x| Range { lo: x, hi: x }, acc: Range { lo: f64, hi: f64 }, \
             op: |a, b| Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) }, identity: none, \
             finish: |acc| acc.hi - acc.lo",
        ),
        (
            "ty: f32, params: Two { k: f32 = -1.0, scale: f64 = f64::INFINITY }, index: i, map: |x| x * k + i as f32, op: |a, b| a.max(b), \
             identity: f32::NEG_INFINITY, finish: |m, n| m as f64 / scale + n as f64",
            "ty: f32, params: { k: f32 = -1.0, scale: f64 = f64::INFINITY }, index: i, map: |x| (x * k) + (i as f32), op: |a, b| a.max(b), \
             identity: f32::NEG_INFINITY, finish: |acc, n| ((acc as f64) / scale) + (n as f64)",
        ),
        (
            "ty: f32, acc: f64, map: |x| x as f64, op: |a, b| a + b, fold: |acc, x, step| acc + x as f64 * (step / 1 - step + 1) as f64, \
             identity: -0.0, commutative: false",
            "ty: f32, map: |x| x as f64, op: |a, b| a + b, \
             fold: |acc, x, step| acc + ((x as f64) * ((((step / 1) - step) + 1) as f64)), identity: -0.0, \
             commutative: false",
        ),
        (
            "ty: i32, op: sum, map: |x| { let double = x * 2; let double = double + 1; double * double }",
            "ty: i32, map: |x| { let double_ = x * 2; let double_2 = double_ + 1; double_2 * double_2 }, op: sum",
        ),
        (
            "ty: f32, op: max, map: |x| if x > 1.0 { x } else if x < -1.0 { -x } else { x.signum() }",
            "ty: f32, map: |x| if x > 1.0 { x } else { if x < (-1.0) { -x } else { if x.is_nan() { x } else { \
             if (x.to_bits() >> 31) != 0 { -1.0f32 } else { 1.0f32 } } } }, op: max",
        ),
        (
            "ty: f32, op: sum, finish: |s| Mean { value: s, twelfth: s / 12.0 }",
            "ty: f32, op: sum, finish: |acc| Mean { value: acc, twelfth: acc / 12.0 }",
        ),
        (
            "ty: f16, op: argmax, map: |x| x + 1.0, finish: |r| r",
            "ty: f16, map: |x| x + 1.0, op: argmax, finish: |acc| acc",
        ),
    ] {
        assert_eq!(reads_back(source).text, canonical);
    }
}

#[test]
fn shifted_values_keep_their_type() {
    for (map, canonical) in [
        ("|x| (1u32 << x) as u64", "|x| (1u32 << x) as u64"),
        ("|x| (-1i8 >> x) as u64", "|x| ((-1i8) >> x) as u64"),
        ("|x| (u32::MAX >> x) as f32", "|x| (4294967295u32 >> x) as f32"),
        ("|x| (u32::MAX << 3).abs_diff(x)", ""),
        ("|x| (u32::MAX << x).abs_diff(x) >> 1u32", ""),
        ("|x| x << 1u32", "|x| x << 1"),
    ] {
        let text = reads_back(&format!("ty: u32, map: {map}, op: sum")).text;
        assert!(canonical.is_empty() || text.contains(canonical), "{text}");
    }
}

#[test]
fn structs_keep_their_names() {
    let one = "ty: f32, map: |x| A { s: x }, acc: A { s: f32 }, op: |a, b| A { s: a.s + b.s }";
    let two = "ty: f32, map: |x| A { s: x, t: x }, acc: A { s: f32, t: f32 }, \
               op: |a, b| A { s: a.s + b.s, t: a.t + b.t }";
    for (head, tail) in [
        (one, "identity: none, finish: |acc| A { s: -acc.s }"),
        (one, "fold: |acc, x| A { s: x + acc.s }, identity: none"),
        (one, "identity: none, finish: |acc| B { s: acc.s }"),
        (one, "identity: none, finish: |acc| acc"),
        (two, "identity: none, finish: |acc| B { s: acc.s, t: acc.t }"),
        (two, "identity: none, finish: |acc| A { s: acc.t, t: acc.s }"),
        (two, "identity: none, finish: |acc| B { s: acc.s }"),
        (two, "identity: none, finish: |acc| acc"),
    ] {
        let source = format!("{head}, {tail}");
        assert_eq!(reads_back(&source).text, source);
    }
}

/// A generator of random bodies (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as usize % end
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }

    fn condition(&mut self, depth: usize, names: &[&str]) -> String {
        let (a, b) = (self.float(depth, names), self.float(depth, names));
        match self.below(5) {
            0 => format!("({a}).is_nan()"),
            1 => format!("!(({a}) < {b})"),
            2 => format!("({a} == {b} || {b} > 1.0)"),
            3 => format!("({a}).is_sign_negative() && ({a}) <= {b}"),
            _ => format!("({a}) >= {b}"),
        }
    }

    /// Returns an expression of type `f32`.
    fn float(&mut self, depth: usize, names: &[&str]) -> String {
        if depth == 0 {
            return match self.below(4) {
                0 => self
                    .of(&["1.0f32", "f32::MAX", "2.5e-3f32", "(-0.0f32)", "f32::EPSILON", "f32::NAN"])
                    .to_owned(),
                _ => self.of(names).to_owned(),
            };
        }
        let (a, b) = (self.float(depth - 1, names), self.float(depth - 1, names));
        match self.below(12) {
            0 => format!("({a} {} {b})", self.of(&["+", "-", "*", "/"])),
            1 => format!(
                "({a}).{}()",
                self.of(&["abs", "sqrt", "signum", "floor", "recip", "round", "exp", "ln", "fract"])
            ),
            2 => format!("({a}).{}({b})", self.of(&["max", "min", "copysign", "maximum"])),
            3 => format!("({a}).clamp(-1.0, {b})"),
            4 => format!("({a}).powi({})", self.of(&["0", "2", "3", "-5", "10"])),
            5 => format!("({a}).mul_add({b}, 1.0)"),
            6 => format!("(if {} {{ {a} }} else {{ {b} }})", self.condition(depth / 2, names)),
            7 => {
                let name = self.of(&["y", "double", "größe", "count", "NAN", "_x__y"]);
                format!("{{ let {name} = {a}; let {name} = {name} + 1.0; ({b}) - {name} * {name} }}")
            }
            8 => format!("f32::from_bits(({a}).to_bits() ^ (({b}).to_bits() >> 3))"),
            9 => format!(
                "(({a}) as i32 / {} + ({b}) as i32) as f32",
                self.of(&["7", "(1.5f32 as i32).max(2)"])
            ),
            10 => format!("-({a})"),
            _ => format!("(({a}) as u8).rotate_left(3).saturating_add(({b}) as u8) as f32"),
        }
    }
}

const INTEGERS: [&str; 6] = ["u8", "i16", "i32", "u32", "i64", "u64"];

impl Random {
    /// Returns an expression of the integer type `ty` over integer parameters.
    fn integer(&mut self, ty: &str, depth: usize, names: &[&str]) -> String {
        if depth == 0 {
            return match self.below(4) {
                0 => format!("{}{ty}", self.below(100)),
                1 => format!("{ty}::{}", self.of(&["MIN", "MAX"])),
                _ => format!("({} as {ty})", self.of(names)),
            };
        }
        let (a, b) = (self.integer(ty, depth - 1, names), self.integer(ty, depth - 1, names));
        match self.below(9) {
            0 => format!("({a} {} {b})", self.of(&["+", "-", "*", "&", "|", "^"])),
            1 | 2 => format!("({a} {} {})", self.of(&["<<", ">>"]), self.integer("u32", depth - 1, names)),
            3 => format!("({a}).{}({b})", self.of(&["min", "max", "wrapping_sub"])),
            4 => format!("(({a}).abs_diff({b}) as {ty})"),
            5 => format!("(({a}).{}() as {ty})", self.of(&["count_ones", "leading_zeros"])),
            6 => format!("(if {a} {} {b} {{ {a} }} else {{ {b} }})", self.of(&["<", "!=", ">="])),
            7 => format!("{{ let y = !{a}; y * y - {b} }}"),
            _ => {
                let other = self.of(&INTEGERS);
                format!("(({}) as {ty})", self.integer(other, depth - 1, names))
            }
        }
    }

    /// Returns a specification with a random kind of accumulator and result: a scalar, or a struct of one or
    /// two fields.
    fn specification(&mut self) -> String {
        let (ty, s, t) = (self.of(&INTEGERS), self.of(&INTEGERS), self.of(&INTEGERS));
        let one = self.integer(s, 2, &["x"]);
        let two = self.integer(t, 1, &["x"]);
        let op = self.of(&["+", "&", "|", "^"]);
        let (acc, map, both, fold, of) = match self.below(3) {
            0 => (s.to_owned(), one.clone(), format!("p {op} q"), format!("p {op} {one}"), &["p"][..]),
            1 => {
                let both = format!("A {{ s: p.s {op} q.s }}");
                let fold = format!("A {{ s: {one} {op} p.s }}");
                (format!("A {{ s: {s} }}"), format!("A {{ s: {one} }}"), both, fold, &["p.s"][..])
            }
            _ => {
                let both = format!("A {{ s: p.s {op} q.s, t: p.t.max(q.t) }}");
                let fold = format!("A {{ s: {one} {op} p.s, t: p.t.max({two}) }}");
                let map = format!("A {{ s: {one}, t: {two} }}");
                (format!("A {{ s: {s}, t: {t} }}"), map, both, fold, &["p.s", "p.t"][..])
            }
        };
        let fold = if self.below(2) == 0 { format!("fold: |p, x| {fold},") } else { String::new() };
        let finish = match (self.below(5), of) {
            (0, _) => String::new(),
            (1, ["p"]) => "finish: |p| B { s: p }".to_owned(),
            (1, ["p.s"]) => "finish: |p| B { s: p.s }".to_owned(),
            (1, _) => "finish: |p| B { s: p.s, t: p.t }".to_owned(),
            (2, ["p.s"]) => format!("finish: |p| A {{ s: {} }}", self.integer(s, 1, of)),
            (2, ["p.s", _]) => "finish: |p| B { s: p.t }".to_owned(),
            (3, _) => "finish: |p| p".to_owned(),
            _ => format!("finish: |p, n| {}", self.integer(t, 2, &[of, &["n"]].concat())),
        };
        format!("ty: {ty}, acc: {acc}, map: |x| {map}, op: |p, q| {both}, {fold} identity: none, {finish}")
    }
}

#[test]
fn random_integers_and_structs_read_back() {
    let mut random = Random(11);
    let accepted = (0..400).filter(|_| {
        let source = random.specification();
        let is_accepted = text(&source, None).is_ok();
        if is_accepted {
            reads_back(&source);
        }
        is_accepted
    });
    let accepted = accepted.count();
    assert!(accepted > 200, "only {accepted} are specifications");
}

#[test]
fn random_closures_read_back() {
    let mut random = Random(7);
    let mut long = 0;
    for _ in 0..100 {
        let map = random.float(3, &["x", "y", "k", "i as f32"]);
        let finish = format!("|p, n| {}", random.float(2, &["p.s", "n as f32", "k"]));
        let source = format!(
            "inputs: {{ x: f32, y: f16 }}, params: {{ k: f32 }}, index: i, acc: P {{ s: f32, n: u64, bits: u8 }}, \
             map: |x, y| {{ let s = {map}; P {{ s: s + k + i as f32, n: 1, bits: 3 }} }}, \
             op: |a, b| P {{ n: a.n + b.n, s: a.s.max(b.s), bits: a.bits | b.bits }}, identity: none, finish: {finish}"
        );
        match text(&source, None) {
            Ok(parsed) => {
                let again = spec(&parsed.spec.text);
                assert_eq!(parsed.spec.text, again.text, "{source}");
                assert!(parsed.spec == again, "{source}\n{}", parsed.spec.text);
                long += usize::from(parsed.spec.text.len() > 900);
            }
            Err(errors) => panic!("{source}: {errors:#?}"),
        }
    }
    assert!(long > 3, "only {long} are long");
}
