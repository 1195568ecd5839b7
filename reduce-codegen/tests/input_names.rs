//! The names of inputs are parameters of the emitted kernels, next to the kernels' own names: the parser
//! refuses every word that a kernel uses.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use reduce_codegen::{cuda, stages};
use reduce_dsl::operators::{OPERATORS, Operator};
use reduce_dsl::parse::text;
use reduce_dsl::{Scalar, Spec};
use std::collections::BTreeSet;

/// Lists that together have every pass.
const PASSES: [&str; 14] = [
    "sequential, shuffle, coarsen(4), unroll, vectorize(4)",
    "serial",
    "in_place, bitmask",
    "strided_index, unroll",
    "sequential, last_warp, grid_stride(4)",
    "sequential, atomic",
    "shuffle, vectorize(4), streaming, coarsen(2), one_block, ticket",
    "shuffle, unroll, cluster(2)",
    "near, one_block, ticket",
    "shuffle, near, redux, cluster(2)",
    "shuffle, redux, one_block, ticket, flag",
    "shuffle, gather, cluster(2)",
    "vectorize(8), lanes(2), coarsen(2)",
    "dependent, trigger",
];

/// A specification of inputs whose names occur nowhere else.
fn spec(operator: &str, inputs: usize, ty: Scalar, passes: &str) -> Option<Spec> {
    let names = ["firstinput", "secondinput"].map(|name| format!("{name}: {ty}"));
    let names = names[..inputs].join(", ");
    let source = format!("inputs: {{ {names} }}, op: {operator}, order: any, passes: [{passes}]");
    text(&source, None).ok().map(|parsed| parsed.spec)
}

/// The words of kernels that could name an input: those that are not comments, pragmas or fields.
fn words(cuda: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    let kernels = cuda.lines().skip_while(|line| !line.contains("__global__"));
    for line in kernels.filter(|line| !line.trim_start().starts_with('#')) {
        let code = line.split("//").next().unwrap_or(line);
        // What stands in quotes is PTX, or the language of a name.
        let code: String = code.split('"').step_by(2).collect::<Vec<_>>().join(" ");
        let mut before = ' ';
        for word in code.split_inclusive(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
            let name = word.trim_end_matches(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            if before != '.' && name.starts_with(|c: char| c.is_ascii_alphabetic()) && !name.contains('_') {
                words.insert(name.to_owned());
            }
            before = word.chars().last().unwrap_or(' ');
        }
    }
    words
}

#[test]
fn no_input_can_have_a_name_that_a_kernel_uses() {
    let of_row = |row: &'static Operator| {
        let of_type = move |ty| PASSES.map(|passes| spec(row.name, row.inputs, ty, passes));
        Scalar::ALL.into_iter().flat_map(of_type).flatten()
    };
    // A list may be refused: an operator without identity has no atomic.
    let stages = OPERATORS.iter().flat_map(of_row).filter_map(|spec| stages(&spec).ok()).flatten();
    let mut used: BTreeSet<String> = BTreeSet::new();
    for stage in stages {
        used.extend(words(&cuda(&stage.program).unwrap()));
    }
    used.retain(|word| !word.ends_with("input"));
    assert!(["count", "STRIDE", "index", "root"].iter().all(|word| used.contains(*word)), "{used:?}");
    used.retain(|word| text(&format!("inputs: {{ {word}: f32 }}, op: sum"), None).is_ok());
    assert!(used.is_empty(), "these words of kernels can name an input: {used:?}");
}

#[test]
fn a_value_that_is_used_twice_is_not_called_like_an_input() {
    let source = "inputs: { t0: f16, t1: f16 }, map: |t0, t1| t0 * t0 + t1 * t1, op: sum";
    let spec = text(source, None).unwrap().spec;
    let cuda = cuda(&reduce_codegen::compile(&spec).unwrap()).unwrap();
    let functions = cuda.lines().take_while(|line| !line.contains("__global__"));
    let declared = functions.filter_map(|line| line.trim().strip_prefix("const float "));
    let names: Vec<_> = declared.filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names, ["t_0", "t_1"], "{cuda}");
}
