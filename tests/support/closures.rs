//! Closures of the tests, as users write them, on elements of several types. `$T` is the type of the elements, `$C` the
//! type in which they are computed.

use reduce_ir::Scalar::{self, Bf16, Bool, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

/// Its name, its fields, and the types that it supports.
pub(crate) type Closure = (&'static str, &'static str, &'static [Scalar]);

const FLOATS: &[Scalar] = &[F16, Bf16, F32, F64];
const WIDE: &[Scalar] = &[F32, F64];
const INTEGERS: &[Scalar] = &[I8, I16, I32, I64, U8, U16, U32, U64];
const UNSIGNED: &[Scalar] = &[U8, U16, U32, U64];
const NUMBERS: &[Scalar] = &[F16, Bf16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64];

pub(crate) const CLOSURES: [Closure; 48] = [
    // Maps before named operators.
    ("sum of absolute values", "ty: $T, map: |x| x.abs(), op: sum", FLOATS),
    ("largest square", "ty: $T, map: |x| x * x, op: max", NUMBERS),
    ("distance", "inputs: { x: $T, y: $T }, map: |x, y| (x - y).abs(), op: sum", FLOATS),
    ("in double precision", "ty: $T, acc: f64, map: |x| x as f64, op: sum", &[F16, F32, I32, U64]),
    ("how many are positive", "ty: $T, map: |x| (x > 0 as $C) as u64, op: sum", NUMBERS),
    ("most bits", "ty: $T, map: |x| x.count_ones(), op: max", INTEGERS),
    ("parity", "ty: $T, map: |x| x.count_ones() & 1, op: xor", INTEGERS),
    ("any in a range", "ty: $T, map: |x| x >= 0.5 && x < 0.75, op: any", FLOATS),
    ("bits of floats", "ty: $T, map: |x| x.to_bits(), op: xor", WIDE),
    ("of bools", "ty: $T, map: |x| !x, op: all", &[Bool]),
    ("exponentials", "ty: $T, map: |x| x.exp(), op: sum", WIDE),
    ("logarithms", "ty: $T, map: |x| x.abs().ln(), op: max", WIDE),
    ("angles", "ty: $T, map: |x| x.sin() + x.cos() * x.tanh(), op: sum", WIDE),
    (
        "exponents",
        "inputs: { x: $T, y: $T }, map: |x, y| x.exp2().hypot(y.exp_m1()).log2() + y.abs().ln_1p(), op: sum",
        WIDE,
    ),
    ("powers", "inputs: { x: $T, y: $T }, map: |x, y| x.abs().powf(y).atan2(x.tan()), op: sum", &[F32]),
    ("clamped", "ty: $T, map: |x| x.clamp(-1.0, 0.5).mul_add(2.0, 1.0), op: prod", FLOATS),
    ("last positive", "ty: $T, index: i, map: |x| if x > 0 as $C { i } else { 0 }, op: max", NUMBERS),
    ("weights by position", "ty: $T, index: i, map: |x| x * (i % 7) as $C, op: sum", FLOATS),
    // Operators.
    ("sum", "ty: $T, map: |x| x as $C, op: |a, b| b + a, identity: 0 as $C", NUMBERS),
    ("smaller", "ty: $T, map: |x| x as $C, op: |a, b| a.min(b), identity: none", NUMBERS),
    ("first", "ty: $T, map: |x| x as $C, op: |a, _b| a, identity: none", NUMBERS),
    ("last", "ty: $T, map: |x| x as $C, op: |_a, b| b, identity: none", NUMBERS),
    ("saturating", "ty: $T, op: |a, b| a.saturating_add(b), identity: 0", UNSIGNED),
    ("or of shifts", "ty: $T, map: |x| 1 << (x & 7), op: |a, b| a | b, identity: 0", UNSIGNED),
    // Structs.
    (
        "range",
        "ty: $T, acc: Range { lo: $C, hi: $C }, map: |x| Range { lo: x, hi: x }, \
         op: |a, b| Range { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) }, identity: none, finish: |r| r.hi - r.lo",
        FLOATS,
    ),
    (
        "first least",
        "ty: $T, index: i, acc: Least { value: $T, at: u64 }, map: |x| Least { value: x, at: i }, \
         op: |a, b| if b.value < a.value || b.value == a.value && b.at < a.at { b } else { a }, identity: none",
        INTEGERS,
    ),
    (
        "mean and mean of squares",
        "ty: $T, acc: Sums { x: $C, xx: $C }, map: |x| Sums { x: x, xx: x * x }, \
         op: |a, b| Sums { x: a.x + b.x, xx: a.xx + b.xx }, identity: Sums { x: 0.0, xx: 0.0 }, \
         finish: |s, n| Sums { x: s.x / n.max(1) as $C, xx: s.xx / n.max(1) as $C }",
        FLOATS,
    ),
    (
        "complex product",
        "inputs: { re: $T, im: $T }, acc: Number { re: $C, im: $C }, map: |re, im| Number { re: re, im: im }, \
         op: |a, b| Number { re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re }, \
         identity: Number { re: 1.0, im: 0.0 }",
        FLOATS,
    ),
    // Operations whose order matters.
    (
        "affine maps",
        "ty: $T, acc: Affine { a: $T, b: $T }, map: |x| Affine { a: x | 1, b: x }, \
         op: |f, g| Affine { a: f.a * g.a, b: f.b * g.a + g.b }, identity: Affine { a: 1, b: 0 }",
        INTEGERS,
    ),
    (
        "continued fraction",
        "ty: $T, acc: Matrix { a: $T, b: $T, c: $T, d: $T }, map: |x| Matrix { a: x, b: 1, c: 1, d: 0 }, \
         op: |m, n| Matrix { a: m.a * n.a + m.b * n.c, b: m.a * n.b + m.b * n.d, \
         c: m.c * n.a + m.d * n.c, d: m.c * n.b + m.d * n.d }, identity: Matrix { a: 1, b: 0, c: 0, d: 1 }",
        INTEGERS,
    ),
    (
        "largest sum of neighbours",
        "ty: $T, acc: Span { sum: $C, left: $C, right: $C, best: $C }, \
         map: |x| Span { sum: x, left: x, right: x, best: x }, \
         op: |a, b| Span { sum: a.sum + b.sum, left: a.left.max(a.sum + b.left), \
         right: b.right.max(a.right + b.sum), best: a.best.max(b.best).max(a.right + b.left) }, \
         identity: none, finish: |s| s.best",
        FLOATS,
    ),
    // Folds.
    (
        "sum of squares",
        "ty: $T, map: |x| x * x, op: |a, b| a + b, fold: |acc, x| x.mul_add(x, acc), identity: 0.0",
        FLOATS,
    ),
    (
        "running mean",
        "ty: $T, acc: Mean { n: u64, mean: $C }, map: |x| Mean { n: 1, mean: x }, \
         op: |a, b| { let n = a.n + b.n; let part = b.n as $C / n.max(1) as $C; \
         Mean { n: n, mean: a.mean + (b.mean - a.mean) * part } }, \
         fold: |m, x, step| Mean { n: m.n + 1, mean: m.mean + (x - m.mean) / (step + 1).max(1) as $C }, \
         identity: Mean { n: 0, mean: 0.0 }, finish: |m| m.mean",
        WIDE,
    ),
    // Absent elements.
    ("filtered sum", "ty: $T, filter: |x| x > 0 as $C, op: sum", NUMBERS),
    ("filtered mean", "ty: $T, filter: |x| x > 0 as $C, op: mean", NUMBERS),
    ("filtered variance", "ty: $T, filter: |x| x > 0 as $C, op: var", NUMBERS),
    ("filtered description", "ty: $T, filter: |x| x > 0 as $C, op: describe, nan: ignore", FLOATS),
    ("filtered position", "ty: $T, filter: |x| x < 8 as $C, op: argmax", NUMBERS),
    ("filtered positions of numbers", "ty: $T, filter: |x| !(x < 0.0), op: findmax, nan: ignore", FLOATS),
    ("filtered first", "ty: $T, filter: |x| x > 1 as $C, op: first", NUMBERS),
    ("every third", "ty: $T, index: i, filter: |_x| i % 3 == 1, op: last", &[Bool, F16, F32, I8, U64]),
    ("pairs in order", "inputs: { x: $T, y: $T }, filter: |x, y| x < y, op: dot", NUMBERS),
    ("NaN before a map", "ty: $T, map: |x| x as i32, op: max, nan: ignore", FLOATS),
    ("NaN before a map to a position", "ty: $T, map: |x| x as i32, op: argmin, nan: ignore", FLOATS),
    (
        "NaN before a closure",
        "ty: $T, op: |a, b| if a > b { b } else { a }, identity: none, nan: ignore",
        WIDE,
    ),
    (
        "filtered struct",
        "ty: $T, filter: |x| x > 0 as $C, acc: Ends { first: $C, last: $C }, map: |x| Ends { first: x, last: x }, \
         op: |a, b| Ends { first: a.first, last: b.last }, identity: none, finish: |e| e.first - e.last",
        NUMBERS,
    ),
    (
        "filtered product",
        "ty: $T, filter: |x| x != 0 as $C, acc: P { p: $C }, map: |x| P { p: x | 1 }, \
         op: |a, b| P { p: a.p * b.p }, identity: P { p: 1 }",
        INTEGERS,
    ),
    (
        "filtered running mean",
        "ty: $T, filter: |x| x > 0.0, acc: Mean { n: u64, mean: $C }, map: |x| Mean { n: 1, mean: x }, \
         op: |a, b| { let n = a.n + b.n; let part = b.n as $C / n.max(1) as $C; \
         Mean { n: n, mean: a.mean + (b.mean - a.mean) * part } }, \
         fold: |m, x, step| Mean { n: m.n + 1, mean: m.mean + (x - m.mean) / (step + 1).max(1) as $C }, \
         identity: Mean { n: 0, mean: 0.0 }, finish: |m| m.mean",
        WIDE,
    ),
];
