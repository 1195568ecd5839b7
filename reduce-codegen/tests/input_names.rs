//! Inputs and params keep their names as parameters of the emitted kernels, next to the kernels' own names.

use crate::support::rotation::sample;
use reduce_codegen::schedule::naive;
use reduce_codegen::{Error, cuda, passes, stages};
use reduce_dsl::operators::{OPERATORS, Operator, OperatorError, operator};
use reduce_dsl::parse::text;
use reduce_ir::func::Param;
use reduce_ir::keywords::{is_c, is_taken};
use reduce_ir::operation::Operation;
use reduce_ir::program::Program;
use reduce_ir::{Access, Beside, Domain, Scalar, Spec};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Lists that together have every pass.
const PASSES: [&str; 20] = [
    "sequential, shuffle, coarsen(4), unroll, vectorize(4)",
    "serial",
    "in_place, bitmask",
    "strided_index, swizzle, unroll",
    "sequential, last_warp, grid_stride(4)",
    "sequential, atomic",
    "shuffle, vectorize(4), streaming, coarsen(2), one_block, ticket",
    "shuffle, unroll, cluster(2)",
    "narrow_index, one_block, ticket",
    "shuffle, narrow_index, redux, cluster(2)",
    "shuffle, redux, one_block, ticket, flag",
    "shuffle, serial_tail, cluster(2)",
    "team(thread)",
    "shuffle, team(warp)",
    "shuffle, team(block)",
    "vectorize(8), lanes(2), coarsen(2)",
    "dependent, trigger",
    "shuffle, unroll, one_block, ticket",
    "shuffle, serial_tail, one_block, ticket",
    "sequential, unroll, one_block, ticket",
];

/// The same for an operator that does not commute.
const ORDERED: [&str; 2] = [
    "shuffle, coarsen(4), warp_striped",
    "shuffle, vectorize(4), coarsen(2), warp_striped, unroll, one_block, ticket",
];

/// The same for several groups.
const GROUPED: [&str; 4] = [
    "shuffle, vectorize(4), coarsen(2), beside(8)",
    "sequential, beside(64)",
    "shuffle, subwarp(4)",
    "shuffle, subwarp(8), logical(2)",
];

/// The keywords of C++17, and the words for operators (ISO/IEC 14882:2017, 5.11 and 5.5).
const KEYWORDS: &str = "\
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class compl const const_cast \
    constexpr continue decltype default delete do double dynamic_cast else enum explicit export extern false float for friend \
    goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register \
    reinterpret_cast return short signed sizeof static static_assert static_cast struct switch template this thread_local throw \
    true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq";

/// Returns a specification of inputs whose names occur nowhere else.
fn spec(operator: &str, inputs: usize, ty: Scalar, passes: &str) -> Option<Spec> {
    let names = ["firstinput", "secondinput"].map(|name| format!("{name}: {ty}"));
    let names = names[..inputs].join(", ");
    let source = format!("inputs: {{ {names} }}, op: {operator}, order: any, passes: [{passes}]");
    text(&source, None).ok().map(|parsed| parsed.spec)
}

/// Returns the words of a line outside of comments, directives, fields and PTX, each with the text before it.
fn words(line: &str) -> Vec<&str> {
    let code = if line.trim_start().starts_with('#') { "" } else { line.split("//").next().unwrap_or(line) };
    let is_word_char = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut words = Vec::new();
    // Quoted text is PTX, or the language of a name.
    for (k, part) in code.split('"').enumerate() {
        let ends = part.match_indices(|c: char| !is_word_char(c)).map(|(at, _)| at + 1);
        let mut at = 0;
        for end in ends.chain([part.len()]) {
            let word = part[at..end].trim_end_matches(|c: char| !is_word_char(c));
            let is_field = at > 0 && part[..at].ends_with('.');
            if k % 2 == 0 && !is_field && word.starts_with(|c: char| c.is_ascii_alphabetic()) {
                words.push(word);
            }
            at = end;
        }
    }
    words
}

/// Returns programs of a rotating sample of operators, types and lists, and of groups.
fn programs() -> impl Iterator<Item = Program> {
    let of_row = |row: &'static Operator| {
        Scalar::ALL.into_iter().flat_map(move |ty| PASSES.map(move |passes| (row, ty, passes)))
    };
    let sampled = sample(OPERATORS.iter().flat_map(of_row), 97);
    let specs = sampled.filter_map(|(row, ty, passes)| spec(row.name, row.inputs, ty, passes));
    // A list may be refused: an operator without identity has no atomic.
    let stages = specs.filter_map(|spec| stages(&spec).ok()).flatten();
    stages.map(|stage| stage.program).chain(ordered()).chain(grouped())
}

/// Returns programs of several groups, along several axes.
fn grouped() -> impl Iterator<Item = Program> {
    let domain = Domain { kept: 3, access: Access::Strided { reduced: 2, beside: Beside::Many } };
    let list = move |passes| {
        let source = format!("inputs: {{ firstinput: f32 }}, op: sum, block: 32, passes: [{passes}]");
        reduce_codegen::compile(&Spec { domain, ..text(&source, None).unwrap().spec }).unwrap()
    };
    GROUPED.into_iter().map(list)
}

/// Returns programs of an operator that does not commute.
fn ordered() -> impl Iterator<Item = Program> {
    let list = |passes| {
        let source =
            format!("inputs: {{ firstinput: f32 }}, op: |a, b| b, identity: none, passes: [{passes}]");
        reduce_codegen::compile(&text(&source, None).unwrap().spec).unwrap()
    };
    ORDERED.into_iter().map(list)
}

#[test]
fn the_lists_have_every_pass() {
    let lists = PASSES.iter().chain(&ORDERED).chain(&GROUPED);
    let written: BTreeSet<_> =
        lists.flat_map(|list| list.split(", ")).filter_map(|it| it.split('(').next()).collect();
    let missing: Vec<_> =
        passes::PASSES.iter().map(|pass| pass.name).filter(|name| !written.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn keywords_are_no_names() {
    let missing: Vec<_> = KEYWORDS.split(' ').filter(|word| !is_c(word)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Returns specifications in which an input, or a param, has the name: sums, or maxima if the passes need positions.
fn sources(name: &str, passes: &str) -> [String; 2] {
    let op = if passes.contains("narrow_index") { "argmax" } else { "sum" };
    [
        format!("inputs: {{ {name}: f32 }}, map: |v| v * 2.0, op: {op}, passes: [{passes}]"),
        format!("ty: f32, params: {{ {name}: f32 }}, map: |v| v * {name}, op: {op}, passes: [{passes}]"),
    ]
}

/// Returns the CUDA of each, with the name there, of the first or the last parameter of the kernel. Both are empty
/// if the program is refused.
fn called(name: &str, passes: &str) -> [(String, String); 2] {
    sources(name, passes).map(|source| {
        let program = reduce_codegen::compile(&text(&source, None).unwrap().spec).unwrap();
        let Ok(text) = cuda(&program) else { return Default::default() };
        let parameters = text.split_once("reduce_inputs(").unwrap().1.split_once(')').unwrap().0;
        let mut parameters = parameters.split(", ");
        let parameter = if source.starts_with("inputs") { parameters.next() } else { parameters.last() };
        let name = parameter.unwrap().split(' ').next_back().unwrap().to_owned();
        (text, name)
    })
}

/// Replaces the name in the line by `neutral`, also if a `_` and more text follow it.
fn renamed(line: &str, name: &str) -> String {
    let is_word_char = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let renamed = |part: &str| match part.strip_prefix(name) {
        Some(rest) if !rest.starts_with(|c| is_word_char(c) && c != '_') => format!("neutral{rest}"),
        _ => part.to_owned(),
    };
    let code = |part: &str| part.split_inclusive(|c| !is_word_char(c)).map(renamed).collect();
    let parts = line.split('"').enumerate();
    let parts: Vec<_> =
        parts.map(|(k, part)| if k % 2 == 0 { code(part) } else { part.to_owned() }).collect();
    parts.join("\"")
}

/// Returns the words of all kernels, except names that derive from inputs.
fn words_of_kernels() -> BTreeSet<String> {
    static WORDS: LazyLock<BTreeSet<String>> = LazyLock::new(find_words);
    WORDS.clone()
}

fn find_words() -> BTreeSet<String> {
    let mut used: BTreeSet<String> = BTreeSet::new();
    let texts = programs().map(|program| cuda(&program).unwrap());
    let of_argmax = PASSES.iter().flat_map(|passes| spec("argmax", 1, Scalar::F32, passes));
    let of_argmax = of_argmax.filter_map(|spec| reduce_codegen::compile(&spec).ok());
    let of_rows = of_argmax
        .chain(ordered())
        .filter_map(|program| cuda(&Program { domain: Domain::ROWS, ..program }).ok());
    texts
        .chain(of_rows)
        .for_each(|text| used.extend(kernels(&text).iter().flat_map(|line| words(line)).map(str::to_owned)));
    used.retain(|word| !word.contains("firstinput") && !word.contains("secondinput"));
    used
}

/// Returns the lines of kernels, without comments.
fn kernels(text: &str) -> Vec<String> {
    let lines = text.lines().skip_while(|line| !line.contains("__global__"));
    lines.filter_map(|line| Some(line.split("//").next()?.to_owned())).collect()
}

#[test]
fn the_words_of_kernels_are_known() {
    let used = words_of_kernels();
    assert!(
        ["count", "TILE", "left", "shuffle_down", "is_last"].iter().all(|word| used.contains(*word)),
        "{used:?}"
    );
    let is_struct = |word: &str| word.starts_with(char::is_uppercase) && word.contains(char::is_lowercase);
    let unknown: Vec<_> = used.iter().filter(|word| !is_taken(word) && !is_struct(word)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

/// The kernels for a name equal the kernels for another name after renaming, and the name is not one of their own words.
#[test]
fn whatever_an_input_or_a_param_is_called_kernels_are_the_same() {
    let mut used = words_of_kernels();
    used.retain(|word| sources(word, "").iter().all(|source| text(source, None).is_ok()));
    let lists = [
        "shuffle, vectorize(4), streaming, coarsen(2), one_block, ticket, flag",
        "shuffle, unroll, serial_tail, cluster(2), dependent, trigger",
        "shuffle, unroll, one_block, ticket",
        "shuffle, narrow_index, one_block, ticket",
    ];
    for passes in sample(lists, 4) {
        let neutral = called("neutral", passes);
        let wrong =
            |name: &&String| neutral.iter().zip(called(name, passes)).any(|(it, named)| differs(it, &named));
        let wrong: Vec<_> = used.iter().filter(wrong).collect();
        assert!(wrong.is_empty(), "{passes}: {wrong:?}");
    }
}

/// Returns whether the name has a meaning in kernels, or the kernels differ in more than the name.
fn differs((neutral, _): &(String, String), (named, name): &(String, String)) -> bool {
    let (neutral, named) = (kernels(neutral), kernels(named));
    let has_meaning = neutral.iter().flat_map(|line| words(line)).any(|word| word == name);
    has_meaning || !named.iter().map(|line| renamed(line, name)).eq(neutral)
}

#[test]
fn names_that_meet_each_other_are_told_apart() {
    let source = "inputs: { x: f32, x_1: f32, x_step: f32, in_left: f32, left: f32 }, layout: strided, \
        map: |a, b, c, d, e| a * b * c * d * e * k_2 * k, params: { k_2: f32, k: f32 }, op: sum";
    let cuda = cuda(&reduce_codegen::compile(&text(source, None).unwrap().spec).unwrap()).unwrap();
    let given = cuda.split_once("reduce_inputs(").unwrap().1.split_once(')').unwrap().0;
    let names: Vec<_> = given.split(", ").filter_map(|it| it.split(' ').next_back()).collect();
    let expected = "x x_step in_x_1 in_x_1_step in_x_step in_x_step_step in_left in_left_step in_in_left in_in_left_step";
    assert_eq!(names[..10].join(" "), expected, "{cuda}");
    // Structs, macros.
    for (name, expected) in [("MinMax", "in_MinMax"), ("M_PI", "in_M_PI"), ("K", "K")] {
        let spec = text(&format!("inputs: {{ {name}: f32 }}, op: minmax"), None).unwrap().spec;
        let cuda = reduce_codegen::cuda(&reduce_codegen::compile(&spec).unwrap()).unwrap();
        assert!(cuda.contains(&format!("reduce_inputs(const float* __restrict__ {expected}, ")), "{cuda}");
    }
}

#[test]
fn a_value_that_is_used_twice_is_not_called_like_an_input() {
    let source = "inputs: { t_0: f16, t_1: f16 }, map: |t_0, t_1| t_0 * t_0 + t_1 * t_1, op: sum";
    let spec = text(source, None).unwrap().spec;
    let cuda = cuda(&reduce_codegen::compile(&spec).unwrap()).unwrap();
    let functions = cuda.lines().take_while(|line| !line.contains("__global__"));
    let declared = functions.filter_map(|line| line.trim().strip_prefix("const float "));
    let names: Vec<_> = declared.filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names, ["t_2", "t_3"], "{cuda}");
}

/// Operations can be created without the parser, by callers that take names from elsewhere.
#[test]
fn no_name_that_is_no_identifier_reaches_the_cuda() {
    for name in
        ["x\n#define float double\n", "x){} __device__ int evil(int y", "*/", "", "a b", "é", "2x", "a.b"]
    {
        let row = operator("sum").unwrap();
        let error = row.apply(&[Param::new(name, Scalar::F32)], None).unwrap_err();
        assert!(matches!(error, OperatorError::Name { .. }), "{name:?}: {error}");
        let sum = row.apply(&[Param::new("x", Scalar::F32)], None).unwrap();
        let program = naive(&sum, 256).unwrap();
        let places: [fn(&mut Operation) -> &mut String; 3] =
            [|it| &mut it.inputs[0].name, |it| &mut it.index, |it| it.output.name.insert("Sum".to_owned())];
        for place in places {
            let mut program = program.clone();
            name.clone_into(place(&mut program.operation));
            let refused = |error| matches!(error, Error::Name { name: found } if found == name);
            assert!(refused(cuda(&program).unwrap_err()), "{name:?}");
            assert!(refused(naive(&program.operation, 256).unwrap_err()), "{name:?}");
        }
    }
}

/// The name of an operation stands in a comment.
#[test]
fn no_name_of_an_operation_ends_its_line() {
    let row = operator("sum").unwrap();
    for (name, is_refused) in
        [("<=", false), ("a sum", false), ("", true), ("a\nb", true), ("a\\", true), ("a\u{2028}b", true)]
    {
        let mut sum = row.apply(&[Param::new("x", Scalar::F32)], None).unwrap();
        name.clone_into(&mut sum.name);
        assert_eq!(naive(&sum, 256).is_err(), is_refused, "{name:?}");
    }
}
