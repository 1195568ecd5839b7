//! Passes as rewritings: they commute or refuse, never half-apply, and say whether they change the association.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use reduce_codegen::lower::lower;
use reduce_codegen::{Error, compile, passes::apply};
use reduce_dsl::Scalar;
use reduce_dsl::operation::{Operation, Record};
use reduce_dsl::operators::operator;
use reduce_dsl::pass::{PASSES, Pass, PassWord};
use reduce_dsl::program::Program;
use support::{passes, spec};

fn program(list: &str) -> Result<Program, Error> {
    compile(&spec(operator("max").unwrap(), Scalar::F32, 256, list))
}

fn refusal(list: &str) -> (usize, String) {
    match program(list) {
        Err(Error::Refused { index, reason, .. }) => (index, reason),
        other => panic!("`{list}` gave {other:?}"),
    }
}

/// The orders of a list of words.
fn orders(words: &[&str]) -> Vec<String> {
    if words.is_empty() {
        return vec![String::new()];
    }
    let rest = |i: usize| [&words[..i], &words[i + 1..]].concat();
    (0..words.len())
        .flat_map(|i| orders(&rest(i)).into_iter().map(move |tail| format!("{} {tail}", words[i])))
        .collect()
}

#[test]
fn accepted_orders_give_the_same_program() {
    let mut accepted = 0;
    for words in [
        &["shuffle", "coarsen(4)", "vectorize(4)", "unroll"][..],
        &["sequential", "shuffle", "unroll", "coarsen(2)"],
    ] {
        let wanted = program(&words.join(" ")).unwrap();
        for order in orders(words) {
            match program(&order) {
                Ok(found) => assert_eq!(found.kernels, wanted.kernels, "{order}"),
                Err(Error::Refused { .. }) => {
                    assert!(order.find("shuffle") < order.find("sequential"), "{order}")
                }
                Err(other) => panic!("{other}"),
            }
            accepted += usize::from(program(&order).is_ok());
        }
    }
    assert_eq!(accepted, 24 + 12);
}

#[test]
fn a_refused_order_names_the_right_one() {
    let (index, reason) = refusal("shuffle coarsen(2) sequential");
    assert_eq!(index, 2);
    assert!(reason.contains("write `sequential` before `shuffle`"), "{reason}");
}

#[test]
fn what_no_compiler_would_finish_is_not_written_out() {
    for order in orders(&["unroll", "coarsen(1024)", "vectorize(2)"]) {
        let (index, reason) = refusal(&order);
        assert_eq!(index, 2);
        assert!(reason.contains("2048 elements") && reason.contains("leave `unroll` out"), "{reason}");
    }
    assert!(program("coarsen(64) vectorize(16) unroll").is_ok());
    assert!(program("coarsen(1024) vectorize(16)").is_ok());
}

#[test]
fn a_pass_is_applied_once() {
    let (index, reason) = refusal("coarsen(2) shuffle coarsen(4)");
    assert_eq!(index, 2);
    assert!(reason.contains("write it once"), "{reason}");
}

#[test]
fn an_argument_out_of_range_is_not_our_bug() {
    for (pass, takes) in [
        (Pass::Coarsen(0), "a number in 1..=1024"),
        (Pass::Coarsen(u32::MAX), "a number in 1..=1024"),
        (Pass::Vectorize(1), "2, 4, 8 or 16"),
        (Pass::Vectorize(3), "2, 4, 8 or 16"),
    ] {
        let error = apply(program("").unwrap(), pass, 0).unwrap_err();
        assert_eq!(error.to_string(), format!("`{pass}` does not apply: `{}` takes {takes}", pass.name()));
    }
}

#[test]
fn an_operator_that_does_not_commute_is_never_reordered() {
    let operation =
        Operation { commutative: false, ..spec(operator("max").unwrap(), Scalar::F32, 256, "").operation };
    for list in ["sequential", "shuffle", "coarsen(2)"] {
        let naive = lower(&operation, 256).unwrap();
        let refused = apply(naive, passes(list)[0], 0);
        assert!(
            matches!(refused, Err(Error::Refused { reason, .. }) if reason.contains("not commutative")),
            "{list}"
        );
    }
    for list in ["unroll", "vectorize(4)"] {
        assert!(apply(lower(&operation, 256).unwrap(), passes(list)[0], 0).is_ok(), "{list}");
    }
}

#[test]
fn the_table_says_what_changes_the_association() {
    let make = |word: &PassWord| word.with(if word.argument.is_some() { 4 } else { 0 }).unwrap();
    for word in &PASSES {
        let naive = lower(&spec(operator("sum").unwrap(), Scalar::F32, 256, "").operation, 256).unwrap();
        let after = apply(naive.clone(), make(word), 0).unwrap();
        assert_eq!(after.association() != naive.association(), word.changes_association, "{}", word.name);
        assert_ne!(after.kernels, naive.kernels, "{} does something", word.name);
    }
}

#[test]
fn accumulators_that_do_not_fit_are_the_users_to_shrink() {
    let wide = Operation {
        acc: Record::of("Wide", &[("a", Scalar::F64); 8]),
        ..spec(operator("sum").unwrap(), Scalar::F64, 1024, "").operation
    };
    let error = lower(&wide, 1024).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a block of 1024 threads needs 65536 bytes of shared memory, over the limit of 49152; \
         use a smaller `block`"
    );
}

#[test]
fn every_word_reads_back() {
    for word in &PASSES {
        let pass = word.with(if word.argument.is_some() { 4 } else { 0 }).unwrap();
        assert_eq!(passes(&pass.to_string()), [pass]);
        assert_eq!(pass.name(), word.name);
    }
    assert_eq!(PassWord::named("coarsen").unwrap().with(0), None);
    assert_eq!(PassWord::named("coarsen").unwrap().with(1 << 40), None);
    assert_eq!(PassWord::named("vectorize").unwrap().with(3), None);
    assert_eq!(PassWord::named("coarsen").unwrap().with(1024), Some(Pass::Coarsen(1024)));
}
