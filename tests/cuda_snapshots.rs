//! The emitted CUDA, for review: a pull request that changes a kernel shows the difference.
//!
//! Each case is a file with specification, program, association and CUDA. The cases cover operators × types × pass lists
//! pairwise, and the flagship after each pass. One more file has hashes of everything else.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod cases;

use cases::{LISTS, auto, shown, spec};
use rayon::prelude::*;
use reduce_codegen::keys::Keyed;
use reduce_codegen::runs::Heads;
use reduce_codegen::segments::Segmented;
use reduce_codegen::{Programs, Stage, Tuning, cuda, lower, stages};
use reduce_ir::Scalar;
use reduce_ir::pass::Pass;
use reduce_ir::passes;
use reduce_ir::program::Program;
use reduce_ir::spec::{Listed, Spec};
use std::collections::{BTreeMap, BTreeSet};

/// Returns `shuffle_coarsen4`, or `naive`.
fn words(passes: &[Pass]) -> String {
    let word = |pass: &Pass| pass.to_string().replace(['(', ')'], "");
    if passes.is_empty() { "naive".to_owned() } else { passes.iter().map(word).collect::<Vec<_>>().join("_") }
}

fn name_of(name: &str, ty: Scalar, list: usize) -> String {
    let (passes, block) = LISTS[list];
    format!("{name}_{ty}_{}_block{block}", words(passes))
}

fn text(heading: &str, program: &Program) -> String {
    let (association, cuda) = (program.association(), cuda(program).unwrap());
    format!("{heading}\n\n{program}\n{association}\n{cuda}")
}

/// Compares the text with the snapshot of that name.
fn check(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn kernels() {
    let cases = shown();
    assert!((100..=280).contains(&cases.len()), "{} cases", cases.len());
    for (name, ty, list) in cases {
        let spec = spec(name, ty, LISTS[list]);
        let program = reduce_codegen::compile(&spec).unwrap();
        check(&name_of(name, ty, list), &text(&spec.text, &program));
    }
}

#[test]
fn segments() {
    for (name, ty) in [("sum", Scalar::F32), ("argmax", Scalar::F64), ("first", Scalar::F32)] {
        let spec = reduce_dsl::parse::spec(&format!("op: {name}, ty: {ty}, segments: u32")).unwrap();
        let program = Segmented::of(&spec, Scalar::U32, Tuning::of(90), u64::MAX).unwrap();
        check(&format!("segments_{name}_{ty}"), &format!("{program}\n{}", program.cuda().unwrap()));
    }
}

#[test]
fn keys() {
    for (name, text) in [
        ("threads", "op: sum, ty: f32, by: { key: u32 }, groups: 64"),
        ("warps", "op: sum, ty: f32, by: { key: u32 }, groups: 4096, others: drop"),
        ("block", "inputs: { x: u32 }, by: |x| x >> 24, groups: 256, map: |x| 1u64, op: sum"),
        ("grid", "inputs: { x: u32 }, by: |x| x & 65535, groups: 65536, map: |x| 1u64, op: sum"),
    ] {
        let program = Keyed::of(&reduce_dsl::parse::spec(text).unwrap()).unwrap();
        let association = program.association(1 << 20);
        check(&format!("keys_{name}"), &format!("{program}\n{association}\n{}", program.cuda().unwrap()));
    }
    check("runs_f32", &Heads::of(Scalar::F32, Scalar::U32).unwrap().cuda().unwrap());
}

#[test]
fn flagship_after_each_pass() {
    let spec = auto("sum", Scalar::F32);
    for (number, Stage { pass, program }) in stages(&spec).unwrap().into_iter().enumerate() {
        let name = pass.map_or("naive".to_owned(), |pass| words(&[pass]));
        let heading = format!("{} after {}", spec.text, Listed(&program.passes));
        let statements = lower(&program).unwrap();
        check(&format!("flagship_{number}_{name}"), &format!("{}\n{statements}", text(&heading, &program)));
    }
}

/// The programs of `auto` on an H200 for ranges of n, without ranges whose passes only have larger arguments than those
/// before.
#[test]
fn tuned() {
    for (name, up_to) in [("sum", 0), ("argmax", 4096)] {
        let spec = auto(name, Scalar::F32);
        let programs = Programs::of(&spec, Tuning::of(90)).unwrap();
        let larger = |program: &&Program| program.up_to.is_none_or(|most| most > up_to);
        let mut programs: Vec<_> = programs.variants().iter().filter(larger).collect();
        let kind = |program: &Program| program.passes.iter().map(|pass| pass.name).collect::<Vec<_>>();
        programs.dedup_by_key(|program| kind(program));
        for program in programs {
            let range = program.up_to.map_or("any_n".to_owned(), |most| format!("up_to_{most}"));
            check(&format!("sm_90_{name}_{range}"), &text(&format!("{}, on sm_90", spec.text), program));
        }
    }
}

/// BLAS's `asum`: an offset, and an increment.
#[test]
fn strided() {
    let source = "ty: f32, layout: strided, map: |x| x.abs(), op: sum, passes: [coarsen(8), shuffle, unroll]";
    let asum = reduce_dsl::parse::text(source, None).unwrap().spec;
    check("asum", &text(&asum.text, &reduce_codegen::compile(&asum).unwrap()));
    let dot = cases::strided(auto("dot", Scalar::F16));
    check("dot_strided_auto", &text(&dot.text, &reduce_codegen::compile(&dot).unwrap()));
}

/// Overlapping launches: each kernel waits first, and lets the next one begin when its items are folded.
#[test]
fn dependent() {
    let one = passes![shuffle, coarsen(4), one_block, ticket, flag];
    let passes = [&one[..], &passes![dependent, trigger]].concat();
    let spec = spec("max", Scalar::F32, (&passes, 128));
    check("max_dependent", &text(&spec.text, &reduce_codegen::compile(&spec).unwrap()));
}

/// 32-bit positions in registers and shared memory, and 64-bit ones where they leave the block.
#[test]
fn narrow_index() {
    let blocks = passes![shuffle, coarsen(4), narrow_index, one_block, ticket];
    let cluster = passes![shuffle, vectorize(4), unroll, narrow_index, cluster(8)];
    for (name, passes) in [("argmax", &blocks), ("argminmax", &cluster)] {
        let spec = spec(name, Scalar::F32, (passes, 128));
        check(&format!("{name}_narrow_index"), &text(&spec.text, &reduce_codegen::compile(&spec).unwrap()));
    }
}

/// Reductions by one warp instruction: of floats, of an element that is searched, of several fields and of bits.
#[test]
fn redux() {
    let blocks = passes![shuffle, coarsen(4), redux, one_block, ticket];
    let cluster = passes![shuffle, narrow_index, redux, cluster(8)];
    for (name, ty, passes) in [
        ("max", Scalar::F32, &blocks[..]),
        ("minmax", Scalar::F16, &blocks[..3]),
        ("xor", Scalar::U8, &blocks[..3]),
        ("argminmax", Scalar::F32, &cluster),
        ("findmin", Scalar::I8, &cluster[..3]),
    ] {
        let spec = spec(name, ty, (passes, 128));
        check(&format!("{name}_redux"), &text(&spec.text, &reduce_codegen::compile(&spec).unwrap()));
    }
}

/// Lanes that share the elements of a load unit, with the steps of a `fold`, and a tree in the registers of one thread.
#[test]
fn lanes() {
    let shared = passes![shuffle, vectorize(8), lanes(2), coarsen(2), serial_tail];
    for (name, ty) in [("sum", Scalar::U8), ("var", Scalar::F16)] {
        let spec = spec(name, ty, (&shared, 128));
        check(&format!("{name}_lanes"), &text(&spec.text, &reduce_codegen::compile(&spec).unwrap()));
    }
}

/// Warp-striped loads of an operator that does not commute.
#[test]
fn warp_striped() {
    let source = "op: |a, b| if b > a { b } else { a }, ty: f32, identity: f32::NEG_INFINITY, block: 64, \
                  passes: [shuffle, vectorize(4), coarsen(2), warp_striped, unroll]";
    let spec = reduce_dsl::parse::text(source, None).unwrap().spec;
    check("ordered_warp_striped", &text(&spec.text, &reduce_codegen::compile(&spec).unwrap()));
}

/// Rows of a matrix, by teams of each size.
#[test]
fn rows() {
    for (team, name) in
        [("team(thread)", "thread"), ("team(warp)", "warp"), ("team(block)", "block"), ("unroll", "grid")]
    {
        let source = format!(
            "op: sum, ty: f32, axes: i j -> i, block: 64, passes: [shuffle, vectorize(4), coarsen(2), {team}]"
        );
        let spec = reduce_dsl::parse::text(&source, None).unwrap().spec;
        check(&format!("rows_by_{name}"), &text(&spec.text, &reduce_codegen::compile(&spec).unwrap()));
    }
}

/// Names that have another meaning in kernels get the prefix `in_` there.
#[test]
fn names() {
    let source = "inputs: { price_usd: f32, double: f32, left: f32 }, params: { half: f32, k_1: f32 }, index: long, \
                  map: |price_usd, double, left| price_usd * double + left * half + k_1 * long as f32, op: sum, block: 64";
    let spec = reduce_dsl::parse::text(&format!("{source}, passes: [unroll]"), None).unwrap().spec;
    check("names", &text(&spec.text, &reduce_codegen::compile(&spec).unwrap()));
}

/// The CUDA of every operation on every type, and the functions that it calls.
#[test]
fn operations() {
    let (mut spellings, mut helpers) = (String::new(), Vec::new());
    for spec in cases::operations::all() {
        let cuda = cuda(&reduce_codegen::compile(&spec).unwrap()).unwrap();
        let functions = cuda.split("\n\n").filter(|it| it.contains("__device__"));
        let (map, before): (Vec<_>, Vec<_>) =
            functions.take_while(|it| !it.contains(" combine(")).partition(|it| it.contains(" map("));
        let value = map[0].lines().find_map(|line| line.split_once(" value = ")).unwrap().1;
        let what = spec.text.split(", block").next().unwrap().replace("op: ", "").replace(", ty: ", " of ");
        spellings += &format!("{what:<40} {value}\n");
        for helper in before.into_iter().map(short) {
            if !helpers.contains(&helper) {
                helpers.push(helper);
            }
        }
    }
    check("operations", &format!("{spellings}\n{}\n", helpers.join("\n\n")));
}

/// Returns a device function, or its head and a hash of its text if it is a long one other than these.
fn short(helper: &str) -> String {
    const SHOWN: [&str; 6] = ["exp_f32(", "exp_f64(", "ln_f32(", "ln_f64(", "sin_f32(", "hypot_f64("];
    let helper = helper.trim();
    if helper.lines().count() < 20 || SHOWN.iter().any(|name| helper.contains(&format!(" {name}"))) {
        return helper.to_owned();
    }
    let head: Vec<_> = helper.lines().take(2).collect();
    format!("{}\n// {:016x}", head.join("\n"), hash(helper))
}

/// Returns the functions that a text calls, without keywords.
fn called(text: &str) -> BTreeSet<&str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let calls = text.match_indices('(').filter_map(|(at, _)| text[..at].rsplit(|c| !is_word(c)).next());
    calls.filter(|name| !name.is_empty() && !matches!(*name, "asm" | "if" | "return")).collect()
}

#[test]
fn a_let_hides_no_function() {
    let snapshot = include_str!("snapshots/operations.snap");
    let called = called(snapshot);
    assert!(
        ["sqrtf", "min", "canonical_f16", "__clz"].iter().all(|name| called.contains(name)),
        "{called:?}"
    );
    for name in called {
        let source = format!("ty: f32, map: |x| {{ let {name} = x + 1.0; {name} * {name} }}, op: sum");
        let spec = reduce_dsl::parse::text(&source, None).unwrap().spec;
        let cuda = cuda(&reduce_codegen::compile(&spec).unwrap()).unwrap();
        let declared = cuda.lines().find_map(|line| line.trim().strip_prefix("const float ")).unwrap();
        assert!(!declared.starts_with(&format!("{name} ")), "{declared}");
    }
}

/// FNV-1a, 64 bits (Fowler, Noll, Vo): enough to notice a change.
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[test]
fn everything_else_by_hash() {
    let mut operations: BTreeMap<String, (u64, String)> = BTreeMap::new();
    let text = |spec: &Spec| cuda(&reduce_codegen::compile(spec).unwrap()).unwrap();
    let specs = cases::all();
    let texts: Vec<_> = specs.par_iter().map(text).collect();
    for (spec, text) in specs.iter().zip(texts) {
        let (count, texts) = operations.entry(spec.operation.name.clone()).or_default();
        *count += 1;
        *texts += &text;
    }
    let line = |(name, (count, texts)): (&String, &(u64, String))| {
        format!("{:016x}  {name}, {count} programs\n", hash(texts))
    };
    check("hashes", &operations.iter().map(line).collect::<String>());
}
