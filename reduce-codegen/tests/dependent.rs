//! Overlapping launches: the kernels of `auto` that overlap, and the wait before all other statements.

use crate::support::spec;
use reduce_codegen::{Programs, Tuning, compile, lower};
use reduce_dsl::operators::operator;
use reduce_ir::program::{Program, Reads};
use reduce_ir::spec::Passes;
use reduce_ir::statements::{Barrier, Expr, Stmt};
use reduce_ir::{Scalar, Spec};

/// A change to the statements of a kernel.
type Change<'a> = &'a dyn Fn(&mut Vec<Stmt>);

fn sum(list: &str) -> Program {
    compile(&spec(operator("sum").unwrap(), Scalar::F32, 64, list)).unwrap()
}

#[test]
fn a_kernel_that_is_dependent_waits_first_and_no_other_does() {
    let (plain, dependent) = (sum("shuffle"), sum("shuffle dependent"));
    let barrier = Stmt::Barrier(Barrier::Block);
    let thread_0_waits = Stmt::when(Expr::Thread.equals(0), vec![Stmt::AwaitLaunch]);
    let changes: [Change<'_>; 3] = [
        &|body| body.insert(0, barrier.clone()),
        &|body| body.retain(|stmt| *stmt != Stmt::AwaitLaunch),
        &|body| body[1] = thread_0_waits.clone(),
    ];
    let rule = |program: &Program, change: Change<'_>| {
        let mut lowered = lower(&dependent).unwrap();
        change(&mut lowered.kernels[0].body);
        lowered.verify(program).err().map(|violation| violation.rule)
    };
    assert_eq!([rule(&dependent, &|_| ()), rule(&plain, &|_| ())], [None, Some(11)]);
    assert_eq!(changes.map(|change| rule(&dependent, change)), [Some(11); 3]);
}

/// The trigger follows the fold of the items, and is not repeated after the fold of the partials in the last block.
#[test]
fn a_kernel_triggers_once_behind_its_fold() {
    for list in ["shuffle trigger", "trigger one_block ticket", "trigger cluster(2)", "vectorize(4) trigger"]
    {
        for kernel in lower(&sum(list)).unwrap().kernels {
            let text = kernel.to_string();
            let place = |what: &str| text.find(what).unwrap_or_else(|| panic!("{list}: no {what} in {text}"));
            let folded = ["load x", "load item"].iter().find_map(|load| text.find(load)).unwrap();
            assert!(
                folded < place("  trigger launch\n") && place("  trigger launch\n") < place("barrier"),
                "{text}"
            );
            assert_eq!(text.matches("trigger launch").count(), 1, "{list}: {text}");
        }
    }
}

/// Every kernel waits. If a launch may fill the GPU, the next launch does not begin before it has ended.
#[test]
fn what_leaves_room_for_the_next_launch_triggers() {
    let naive = spec(operator("dot").unwrap(), Scalar::F32, 64, "");
    let spec = Spec { passes: Passes::Auto, block: None, ..naive };
    for (number, dependent) in [(75, false), (80, false), (90, true), (100, true)] {
        let programs = Programs::of(&spec, Tuning::of(number)).unwrap();
        for program in programs.variants() {
            let kernel = program.kernel(Reads::Inputs);
            // A quarter of the threads that a hundred multiprocessors hold.
            let threads = |n| program.plan().launches(n)[0].grid * u64::from(program.block);
            let few = program.up_to.is_some_and(|n| threads(n) <= 100 * 2048 / 4);
            assert_eq!([kernel.dependent, kernel.trigger], [dependent, dependent && few], "{program}");
        }
    }
}
