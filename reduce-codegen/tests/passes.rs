//! Passes as rewrites: they commute or refuse, apply completely or not at all, and state whether they change the
//! association.

use crate::support::random::{Case, Random};
use crate::support::rotation::{full, turn};
use crate::support::{passes, spec};
use reduce_codegen::schedule::naive;
use reduce_codegen::{
    Error, compile, lower,
    passes::{PASSES, Rule, apply, named},
};
use reduce_dsl::operators::{Operator, operator};
use reduce_ir::operation::{Operation, Record};
use reduce_ir::pass::Pass;
use reduce_ir::program::{Program, Reads};
use reduce_ir::spec::Passes;
use reduce_ir::{Domain, Scalar, Spec};

fn program(list: &str) -> Result<Program, Error> {
    compile(&spec(operator("max").unwrap(), Scalar::F32, 256, list))
}

fn refusal(list: &str) -> (usize, String) {
    match program(list) {
        Err(Error::Refused { index, reason, .. }) => (index, reason),
        other => panic!("`{list}` gave {other:?}"),
    }
}

/// Returns all permutations of a list of words.
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

/// Every list of two words, and a rotating sample of those of three, is refused with a reason, or gives one program in all of its accepted orders. Checked
/// for an operator with everything but positions, and for one with positions.
#[test]
fn words_commute_or_refuse_each_other() {
    for name in ["sum", "argmax"] {
        words_of(operator(name).unwrap());
    }
}

fn words_of(operator: &Operator) {
    let argument = |word: &Rule| match (word.name, word.argument()) {
        (_, None) => 0,
        ("lanes", Some(_)) => 2,
        (_, Some(_)) => 4,
    };
    let make = |word: &Rule| word.with(argument(word)).unwrap().to_string();
    let words: Vec<String> = PASSES.iter().map(make).collect();
    let (mut accepted, mut refused) = (0, 0);
    let (turn, parts) = if full() { (0, 1) } else { (turn(), 16) };
    let mut tried = 0;
    for (i, a) in words.iter().enumerate() {
        for (j, b) in words.iter().enumerate().skip(i + 1) {
            let thirds = words.iter().enumerate().skip(j + 1);
            let thirds =
                thirds.filter(|(k, _)| (i + j + k + turn).is_multiple_of(parts)).map(|(_, c)| c.as_str());
            for c in thirds.chain([""]) {
                let (mut found, mut refusals) = (None, Vec::new());
                let set = &[a, b, c][..if c.is_empty() { 2 } else { 3 }];
                for order in orders(set) {
                    tried += 1;
                    match compile(&spec(operator, Scalar::I32, 256, &order)) {
                        Ok(program) => {
                            let wanted = found.get_or_insert(program.kernels.clone());
                            assert_eq!(program.kernels, *wanted, "{order}");
                            accepted += 1;
                        }
                        Err(Error::Refused { reason, .. }) => {
                            assert!(
                                reason.contains("leave") || reason.contains("write"),
                                "{order}: {reason}"
                            );
                            refused += 1;
                            refusals.push(reason);
                        }
                        Err(other) => panic!("{order}: {other}"),
                    }
                }
                let names = set.iter().map(|word| word.split('(').next().unwrap());
                let before: Vec<_> = names.map(|name| format!("before `{name}`")).collect();
                let named = |reason: &String| before.iter().any(|before| reason.contains(before));
                assert!(found.is_none() || refusals.iter().all(named), "{set:?}: {refusals:?}");
            }
        }
    }
    assert_eq!(accepted + refused, tried);
    // Ordered pairs and triples.
    assert!(!full() || tried == words.len() * (words.len() - 1).pow(2), "{tried} lists");
    assert!(accepted > 200, "{accepted} accepted");
}

/// The regions that a launch reads and writes are disjoint, and inside the workspace.
#[test]
fn regions_of_the_workspace_do_not_overlap() {
    let mut random = Random::new(7);
    let mut read = 0;
    let cases: Vec<_> = (0..300).map(|_| Case::new(&mut random)).collect();
    for program in cases.iter().flat_map(|case| case.programs().unwrap().programs) {
        let plan = program.plan();
        let n = random.bits() >> (23 + random.below(41));
        let bytes = |region, partials: u64| {
            let start = plan.offset(n, region);
            start..start + partials * program.operation.acc.size() as u64
        };
        for launch in plan.launches(n) {
            let from = bytes(launch.from, if launch.kernel == Reads::Partials { launch.items } else { 0 });
            let to = bytes(launch.to, launch.partials);
            let disjoint = from.is_empty() || to.is_empty() || from.end <= to.start || to.end <= from.start;
            assert!(disjoint, "{launch:?} of {n} elements\n{program}");
            let end = [&from, &to].into_iter().filter(|it| !it.is_empty()).map(|it| it.end).max();
            assert!(end.unwrap_or(0) <= plan.workspace(n), "{launch:?} of {n} elements\n{program}");
            read += u32::from(!from.is_empty() && !to.is_empty());
        }
        assert!(plan.workspace(u64::MAX) >= plan.workspace(u64::MAX / 2), "{program}");
    }
    assert!(read > 100, "{read} launches read partials and write some");
}

#[test]
fn a_refused_order_names_the_right_one() {
    let (index, reason) = refusal("shuffle coarsen(2) sequential");
    assert_eq!(index, 2);
    assert!(reason.contains("write `sequential` before `shuffle`"), "{reason}");
}

/// Unrolling this many elements would keep a compiler busy for minutes. The loop is unrolled by the number of units with
/// four loads, but by two at least.
#[test]
fn long_folds_are_unrolled_by_their_loads() {
    for (width, units) in [(4, "4"), (8, "2"), (16, "2")] {
        for order in orders(&["unroll", "coarsen(1024)", &format!("vectorize({width})")]) {
            let cuda = reduce_codegen::cuda(&program(&order).unwrap()).unwrap();
            let (inputs, partials) = cuda.split_at(cuda.find("void reduce_partials").unwrap());
            for (kernel, units) in [(inputs, units), (partials, "4")] {
                let pragmas = kernel.lines().filter_map(|line| line.trim().strip_prefix("#pragma unroll "));
                assert!(
                    pragmas.clone().next().is_some() && pragmas.clone().all(|it| it == units),
                    "{kernel}"
                );
            }
        }
    }
}

#[test]
fn a_pass_that_no_rule_knows_is_refused() {
    for (pass, reason) in [
        (Pass::plain("sorted"), "`sorted` does not apply: there is no pass `sorted`; leave it out"),
        (Pass::with("shuffle", 2), "`shuffle(2)` does not apply: `shuffle` takes no argument; leave it out"),
        (Pass::plain("coarsen"), "`coarsen` does not apply: `coarsen` takes a number in 1..=1024"),
    ] {
        assert_eq!(apply(program("").unwrap(), pass).unwrap_err().to_string(), reason);
    }
}

#[test]
fn where_elements_lie_changes_no_pass_of_the_association() {
    let sum = spec(operator("sum").unwrap(), Scalar::F32, 256, "");
    let auto = |domain| compile(&Spec { domain, passes: Passes::Auto, ..sum.clone() }).unwrap().passes;
    let wanted = passes("shuffle vectorize(4) coarsen(16) unroll one_block ticket serial_tail");
    assert_eq!([auto(Domain::WHOLE), auto(Domain::STRIDED)], [wanted.clone(), wanted]);
}

#[test]
fn rows_join_in_every_order_after_both_that_they_need() {
    let sum = spec(operator("sum").unwrap(), Scalar::F32, 64, "").operation;
    let ordered = Operation { commutative: false, ..sum };
    let program = |operation: &Operation, list: &str| {
        let spec = spec(operator("sum").unwrap(), Scalar::F32, 64, list);
        compile(&Spec { operation: operation.clone(), ..spec })
    };
    let wanted = program(&ordered, "shuffle coarsen(4) warp_striped vectorize(4) unroll").unwrap();
    let mut accepted = 0;
    for list in orders(&["shuffle", "coarsen(4)", "warp_striped", "vectorize(4)", "unroll"]) {
        let found = program(&ordered, &list);
        accepted += usize::from(found.is_ok());
        found.into_iter().for_each(|found| assert_eq!(found.kernels, wanted.kernels, "{list}"));
    }
    // In a third of the orders, `warp_striped` comes after `shuffle` and `coarsen`.
    assert_eq!(accepted, 40);
}

#[test]
fn accumulators_that_do_not_fit_are_the_users_to_shrink() {
    let wide = Operation {
        acc: Record::of("Wide", &[("a", Scalar::F64); 8]),
        ..spec(operator("sum").unwrap(), Scalar::F64, 1024, "").operation
    };
    let error = naive(&wide, 1024).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a block of 1024 threads needs 65536 bytes of shared memory, over the limit of 49152; \
         use a smaller `block`"
    );
}

#[test]
fn every_word_reads_back() {
    for word in &PASSES {
        let pass = word.with(if word.argument().is_some() { 4 } else { 0 }).unwrap();
        assert_eq!(passes(&pass.to_string()), [pass]);
        assert_eq!(pass.name, word.name);
    }
    assert_eq!(named("coarsen").unwrap().with(0), None);
    assert_eq!(named("coarsen").unwrap().with(1 << 40), None);
    assert_eq!(named("vectorize").unwrap().with(3), None);
    assert_eq!(named("coarsen").unwrap().with(1024), Some(Pass::with("coarsen", 1024)));
}

/// Names of the block that finishes last differ from the names of every block, also if trees are unrolled.
#[test]
fn the_last_block_has_names_of_its_own() {
    for tree in ["", "bitmask", "strided_index", "sequential", "sequential last_warp", "shuffle"] {
        for list in [format!("{tree} one_block ticket"), format!("{tree} unroll one_block ticket")] {
            assert!(lower(&program(&list).unwrap()).is_ok(), "{list}");
        }
    }
}

/// Positions in the largest tiles fit their type, also in the loops over the items of a partial tile.
#[test]
fn the_largest_tiles_are_read_by_rows() {
    for (name, ty, block, list) in [
        ("argminmax", Scalar::F64, 1024, "vectorize(16) coarsen(1024)"),
        ("findmin", Scalar::I8, 512, "vectorize(8) coarsen(1024) shuffle"),
        ("sum", Scalar::F16, 1024, "coarsen(1024)"),
    ] {
        let program = compile(&spec(operator(name).unwrap(), ty, block, list)).unwrap();
        lower(&program).unwrap();
    }
}
