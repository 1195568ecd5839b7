//! Programs as text: all printed programs parse back, and errors state the place and the expected text.

use crate::support::{operations, programs, programs_of, spec};
use rayon::prelude::*;
use reduce_codegen::passes::apply;
use reduce_codegen::{Programs, Tuning, compile};
use reduce_dsl::operators::OPERATORS;
use reduce_ir::pass::Pass;
use reduce_ir::program::Program;
use reduce_ir::spec::Passes;
use reduce_ir::{Domain, Scalar, Spec};

fn assert_reads_back(program: &Program) {
    let text = format!("{program:#}");
    let read = Program::parse(&program.operation, &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(&read, program, "{text}");
    // The lines about the operation are optional.
    let kernels = text.find("  passes ").unwrap();
    let up_to = text.find("  up to ").unwrap_or(kernels);
    let start = text.find("  groups ").unwrap_or(up_to);
    assert_eq!(&Program::parse(&program.operation, &text[start..]).unwrap(), program, "{text}");
}

#[test]
fn programs_of_every_operator_and_list_read_back() {
    let rows: Vec<_> = OPERATORS.iter().collect();
    let count: usize = rows
        .par_iter()
        .map(|operator| {
            let ty = Scalar::ALL.into_iter().find(|ty| operator.takes(*ty)).unwrap();
            let programs = programs(operator, ty);
            programs.iter().for_each(assert_reads_back);
            programs.len()
        })
        .sum();
    assert!(count > 1000, "{count} programs");
}

#[test]
fn programs_of_ordered_and_folded_operations_read_back() {
    let subjects = operations::ordered().into_iter().chain(operations::folded());
    subjects.flat_map(|subject| programs_of(&subject.operation)).for_each(|it| assert_reads_back(&it));
}

#[test]
fn programs_of_auto_read_back() {
    for operator in OPERATORS {
        let ty = Scalar::ALL.into_iter().rev().find(|ty| operator.takes(*ty)).unwrap();
        let spec = Spec { passes: Passes::Auto, ..spec(&operator, ty, 256, "") };
        for tuning in Tuning::ALL {
            let programs = Programs::of(&spec, tuning).unwrap();
            programs.variants().iter().for_each(assert_reads_back);
        }
    }
}

const TEXT: &str = "\
  up to     1024 elements
  passes    [coarsen(4)]
kernel reduce_inputs reads inputs, team grid, block 256, tile 1024
  fold thread: 4 x 1 items
  combine block: 256 items by pairs through shared memory, modulo addressing
  combine grid through the next launch
kernel reduce_partials reads partials, team grid, block 256, tile 1024
  fold thread: 4 x 1 items
  combine block: 256 items by pairs through shared memory, modulo addressing
  combine grid through the next launch
";

#[test]
fn errors_name_the_line_and_the_expected_text() {
    let operation = spec(reduce_dsl::operators::operator("max").unwrap(), Scalar::F32, 256, "").operation;
    assert!(Program::parse(&operation, TEXT).is_ok());
    for (wrong, instead, error) in [
        ("1024 elements", "1024 items", "line 1: expected `elements`, not `items`"),
        ("coarsen(4)]", "coarsen(4", "line 2: expected `)`, not the end of the line"),
        ("  passes ", "  sorted ", "line 2: expected a line of the operation, `layout`"),
        ("reads inputs", "reads words", "line 3: `words` is unknown; expected one of inputs, partials"),
        ("team grid", "team of", "line 3: expected `thread` or `warp` or `block`"),
        ("tile 1024", "tile 512", "line 3: the tile does not match the steps; write `tile 1024`"),
        ("4 x 1 items", "4 x one items", "line 4: `one` is not a number in range"),
        ("4 x 1 items", "4 x 1 items, sorted", "line 4: expected the end of the line, not `,`"),
        ("by pairs", "by chance", "line 5: expected `serial` or `halving` or `pairs`"),
        ("shared memory, modulo addressing", "air", "line 5: expected `registers` or `shuffle`"),
        ("combine grid through", "send grid through", "line 6: unknown step `send`; expected `fold`"),
        ("kernel reduce_partials", "  kernel", "line 7: unknown step `kernel`"),
        (
            "reads partials, team grid, block 256",
            "reads partials, team grid, block 64",
            "line 10: a program has two kernels with equal blocks",
        ),
    ] {
        assert!(TEXT.contains(wrong), "{wrong}");
        let found = Program::parse(&operation, &TEXT.replacen(wrong, instead, 1)).unwrap_err().to_string();
        assert!(found.starts_with(error), "{instead}: {found}");
    }
    let other = "program sum(x: f32) -> f32\n".to_owned() + TEXT;
    let found = Program::parse(&operation, &other).unwrap_err();
    assert_eq!(found.line, 1);
}

/// The programs of rows that were written by hand, before the code, parse and satisfy the rules.
#[test]
fn rows_by_hand_are_programs() {
    let sum = reduce_dsl::operators::operator("sum").unwrap();
    let operation = spec(sum, Scalar::F32, 32, "").operation;
    let page = include_str!("../../docs/lab/2026-11-27-programs-by-hand.md");
    let block = page.split("## 1. Contiguous rows\n\n```text\n").nth(1).unwrap().split("```").next().unwrap();
    let labels = ["1a\n", "1c\n", "1d\n"];
    for (at, label) in labels.iter().enumerate() {
        let text = block.split(label).nth(1).unwrap();
        let text = labels.get(at + 1).map_or(text, |next| text.split(next).next().unwrap());
        let program = Program::parse(&operation, text).unwrap_or_else(|error| panic!("{label}{error}"));
        assert_eq!(program.domain, Domain::ROWS);
        program.verify().unwrap_or_else(|violation| panic!("{label}{violation}"));
    }
}

#[test]
fn programs_of_teams_and_groups_read_back() {
    let sum = reduce_dsl::operators::operator("sum").unwrap();
    let program = compile(&spec(sum, Scalar::F32, 256, "shuffle vectorize(4) unroll")).unwrap();
    for word in ["thread", "warp", "block"] {
        let mut program = apply(program.clone(), Pass::of_word("team", word)).unwrap();
        assert_reads_back(&program);
        program.domain = Domain::ROWS;
        assert_reads_back(&program);
    }
}
