//! Partials with flags: a program that leaves one unread is reported, because the next run would find it.

use crate::support::spec;
use reduce_codegen::{compile, lower};
use reduce_dsl::operators::operator;
use reduce_interpreter::{Kind, Options, Provenance, run};
use reduce_ir::ops::Bin;
use reduce_ir::statements::{Expr, Stmt};
use reduce_ir::{Scalar, Value};

/// Returns the reports if the last block reads all partials except `left` of them.
fn reported(left: u64) -> Vec<Kind> {
    let list = "shuffle one_block ticket flag";
    let program = compile(&spec(operator("max").unwrap(), Scalar::F32, 256, list)).unwrap();
    let mut lowered = lower(&program).unwrap();
    let Some(Stmt::If(_, last_block, _)) = lowered.kernels[0].body.last_mut() else { return Vec::new() };
    let rounds = last_block.iter_mut().find_map(|it| if let Stmt::For(it) = it { Some(it) } else { None });
    let rounds = rounds.unwrap();
    let end = Expr::Grid.cast(Scalar::U64).bin(Bin::Sub, Expr::Const(Value::of(left)));
    rounds.test = rounds.local.get().below(end);
    let inputs = Provenance::inputs(&program.operation, 600, true);
    let mut domain = Provenance::new(&program.operation);
    let outcome = run(&program, &lowered, &mut domain, &inputs, 600, Options::FORWARD);
    outcome.reports.into_iter().map(|report| report.kind).collect()
}

#[test]
fn a_partial_that_nobody_takes_is_reported() {
    assert_eq!(reported(0), []);
    assert_eq!(reported(1), [Kind::PartialLeft]);
}
