//! The verifier of statements accepts correct kernels, and the interpreter reports each fault that is planted on purpose.
//! Tests of each rule: `statement_rules.rs`.

use crate::support::{operations, spec, spec_of};
use reduce_codegen::{compile, lower};
use reduce_dsl::operators::operator;
use reduce_interpreter::{Kind, Options, Provenance, Report, run};
use reduce_ir::ops::Bin;
use reduce_ir::program::{Program, Reads, Scope};
use reduce_ir::statements::{Barrier, Buffer, Expr, Local, Lowered, MemoryOrder, Stmt, Ty};
use reduce_ir::{Scalar, Value};

fn program(list: &str) -> Program {
    compile(&spec(operator("max").unwrap(), Scalar::F32, 256, list)).unwrap()
}

/// Returns the body of the kernel over inputs.
fn body(lowered: &mut Lowered) -> &mut Vec<Stmt> {
    &mut lowered.kernels[0].body
}

/// A kernel passes to the functions of its operation the arguments that they name, and nothing more.
#[test]
fn the_arguments_of_an_operation_are_checked() {
    let subject = operations::folded().swap_remove(0);
    let it = compile(&spec_of(&subject.operation, 64, "shuffle coarsen(2)")).unwrap();
    let acc = || Box::new(Expr::Local(Local::new("acc", Ty::Acc)));
    let one = || Expr::Const(Value::of(1f32));
    let step = || Expr::Const(Value::of(1u64));
    let ddof = || Expr::Param(0, Scalar::U8);
    let fold = |args| Stmt::Set(Local::new("acc", Ty::Acc), Expr::Fold(acc(), args));
    let finish =
        |args| Stmt::Store(Buffer::Result.at(Expr::Const(Value::of(0u64))), Expr::Finish(acc(), args));
    let bind = |value| Stmt::Let(Local::new("bound", Ty::U64), value);
    for (kernel, stmt, rule) in [
        (0, fold(vec![one(), step()]), None),
        (0, fold(vec![one()]), Some(2)),
        (0, fold(vec![step(), one()]), Some(2)),
        (1, fold(vec![one(), step()]), Some(7)),
        (0, finish(vec![Expr::Items, ddof()]), None),
        (1, finish(vec![Expr::Elements, ddof()]), None),
        (1, finish(vec![Expr::Items, ddof()]), Some(2)),
        (0, finish(vec![Expr::Items, Expr::Const(Value::of(1u8))]), Some(2)),
        (0, finish(vec![ddof(), Expr::Items]), Some(2)),
        (0, finish(Vec::new()), Some(2)),
        (0, bind(Expr::Elements), Some(8)),
        (1, bind(Expr::Elements), None),
        (0, Stmt::when(Expr::Param(1, Scalar::Bool), Vec::new()), Some(8)),
        (0, Stmt::when(Expr::Param(0, Scalar::Bool), Vec::new()), Some(8)),
        (0, Stmt::Let(Local::new("ddof", Ty::U64), step()), Some(1)),
        (0, Stmt::Let(Local::new("elements", Ty::U64), step()), Some(1)),
    ] {
        let mut lowered = lower(&it).unwrap();
        lowered.kernels[kernel].body.push(stmt.clone());
        assert_eq!(lowered.verify(&it).err().map(|violation| violation.rule), rule, "{kernel}: {stmt}");
    }
    let max = program("shuffle");
    let mut lowered = lower(&max).unwrap();
    body(&mut lowered).push(fold(vec![one()]));
    assert_eq!(lowered.verify(&max).unwrap_err().rule, 7);
}

/// The interpreter reports a missing argument.
#[test]
fn a_param_that_is_not_given_is_reported() {
    let subject = operations::folded().swap_remove(0);
    let it = compile(&spec_of(&subject.operation, 64, "shuffle")).unwrap();
    let inputs = Provenance::inputs(&it.operation, 3, true);
    for params in [&[][..], &[Value::of(1u64)]] {
        let mut domain = Provenance::new(&it.operation);
        let options = Options::FORWARD.with(params);
        let outcome = run(&it, &lower(&it).unwrap(), &mut domain, &inputs, 3, options);
        assert_eq!((outcome.reports[0].kind, outcome.acc()), (Kind::Malformed, None));
        let text = outcome.reports[0].to_string();
        assert!(text.contains("param 0 is missing or is not u8"), "{text}");
    }
}

#[test]
fn positions_that_may_not_fit_are_refused() {
    let wide = |expr: Expr| expr.cast(Scalar::U64);
    let tile = || Expr::Named("TILE");
    let narrowed = wide(Expr::Items.bin(Bin::Min, wide(tile())).cast(Scalar::U32));
    for (value, rule) in [
        (wide(Expr::Block).times(wide(tile())), None),
        (wide(Expr::Block.times(tile())), Some(9)),
        (wide(Expr::Thread.times(tile())), None),
        (wide(Expr::Items.cast(Scalar::U32)), Some(9)),
        (narrowed, None),
        (Expr::Items.times(wide(tile())), Some(9)),
    ] {
        let it = program("shuffle");
        let mut lowered = lower(&it).unwrap();
        body(&mut lowered).push(Stmt::Let(Local::new("position", Ty::U64), value.clone()));
        assert_eq!(lowered.verify(&it).err().map(|violation| violation.rule), rule, "{value}");
    }
}

/// The bound of a name ends with its scope: another variable of that name may be larger.
#[test]
fn what_bounds_a_name_does_not_bound_the_next_one_of_that_name() {
    let x = || Local::new("again", Ty::U32);
    let sum = Stmt::Let(Local::new("sum", Ty::U32), x().get().plus(1));
    let small = Stmt::Let(x(), 1.into());
    let large = Stmt::Var(x(), u32::MAX.into());
    let inside = |stmt: &Stmt| Stmt::when(Expr::Block.equals(0), vec![stmt.clone()]);
    for (stmts, rule) in [
        (vec![small.clone(), sum.clone()], None),
        (vec![inside(&small), large, sum.clone()], Some(9)),
        (vec![inside(&small), Stmt::Var(x(), 1.into()), sum.clone()], Some(9)),
        (vec![inside(&small), small, sum], None),
    ] {
        let it = program("shuffle");
        let mut lowered = lower(&it).unwrap();
        body(&mut lowered).extend(stmts.clone());
        assert_eq!(lowered.verify(&it).err().map(|violation| violation.rule), rule, "{stmts:?}");
    }
}

#[test]
fn a_warp_uniform_condition_is_enough_for_shuffles_but_not_for_block_barriers() {
    let it = program("shuffle");
    let first_warp = |stmt| {
        let warp = Local::new("which", Ty::U32);
        let named = Stmt::Let(warp.clone(), Expr::Thread.over(32));
        [named, Stmt::when(warp.get().equals(0), vec![stmt])]
    };
    let verdict = |stmt| {
        let mut lowered = lower(&it).unwrap();
        body(&mut lowered).extend(first_warp(stmt));
        lowered.verify(&it).map_err(|violation| violation.rule)
    };
    assert_eq!(verdict(Stmt::Barrier(Barrier::WARP)), Ok(()));
    assert_eq!(verdict(Stmt::Barrier(Barrier::Block)), Err(4));
}

/// Runs the kernels after a change to the one over inputs. Returns the tree if nothing is reported.
fn interpret(
    list: &str,
    n: u64,
    aligned: bool,
    change: impl Fn(&mut Vec<Stmt>),
) -> Result<String, Vec<Report>> {
    let it = program(list);
    let mut lowered = lower(&it).unwrap();
    change(body(&mut lowered));
    let mut domain = Provenance::new(&it.operation);
    let inputs = Provenance::inputs(&it.operation, n, aligned);
    let outcome = run(&it, &lowered, &mut domain, &inputs, n, Options::FORWARD);
    if outcome.reports.is_empty() { Ok(domain.text(outcome.acc().unwrap())) } else { Err(outcome.reports) }
}

/// Returns the first report.
fn first(found: Result<String, Vec<Report>>) -> (Kind, String) {
    let report = found.unwrap_err().remove(0);
    (report.kind, report.to_string())
}

/// Replaces the test of every `if` by `true`.
fn always(stmts: &mut [Stmt]) {
    for stmt in stmts {
        if let Stmt::If(test, then, _) = stmt {
            *test = Expr::Const(Value::of(true));
            always(then);
        }
    }
}

#[test]
fn the_interpreter_reports_what_is_wrong() {
    assert_eq!(interpret("", 3, true, |_| ()), Ok("((0 1) 2)".to_owned()));
    let unguarded = first(interpret("", 3, true, |body| always(&mut body[3..5])));
    assert_eq!(unguarded.0, Kind::OutOfBounds);
    assert!(unguarded.1.contains("element 3 of 3, in thread 3 of block 0"), "{}", unguarded.1);
    let misaligned = first(interpret("vectorize(4)", 1024, false, |body| always(body)));
    assert_eq!(misaligned.0, Kind::Misaligned, "{}", misaligned.1);
    let divergent = first(interpret("", 3, true, |body| {
        body.insert(0, Stmt::when(Expr::Thread.equals(0), vec![Stmt::Barrier(Barrier::Block)]));
    }));
    assert_eq!(divergent.0, Kind::Divergence, "{}", divergent.1);
    let unwritten = interpret("", 3, true, |body| body.retain(|stmt| !matches!(stmt, Stmt::Store(..))));
    let kinds: Vec<_> = unwritten.unwrap_err().into_iter().map(|it| it.kind).collect();
    assert!(kinds.contains(&Kind::Uninitialised) && kinds.contains(&Kind::Undefined), "{kinds:?}");
    let no_result = first(interpret("", 3, true, |body| drop(body.pop())));
    assert_eq!(no_result.0, Kind::NoResult, "{}", no_result.1);
}

#[test]
fn provenance_sees_what_values_may_hide() {
    // Combining everything twice by `max` gives the same value, but not the same tree.
    let twice = interpret("shuffle", 64, true, |body| {
        let again = body.iter().rposition(|stmt| matches!(stmt, Stmt::For(_))).unwrap();
        let copy = body[again].clone();
        body.insert(again, copy);
    });
    let once = interpret("shuffle", 64, true, |_| ());
    assert_ne!(twice, once);
}

#[test]
fn a_ticket_counts_the_threads_that_take_it() {
    use reduce_ir::statements::AtomicOp;
    let old = Local::new("old", Ty::U32);
    let take = Stmt::Atomic {
        into: old.clone(),
        op: AtomicOp::Add,
        place: Buffer::Ticket.at(Expr::Const(Value::of(0u64))),
        value: 1.into(),
        order: MemoryOrder::AcqRel,
        scope: Scope::Grid,
    };
    // Only the thread that takes the ticket last, of 256, executes the rest of the tree's delivery.
    let reset = Stmt::Store(Buffer::Ticket.at(Expr::Const(Value::of(0u64))), 0.into());
    let counted = |reset: &[Stmt]| {
        interpret("", 3, true, |body| {
            let last = old.get().equals(255);
            let deliver = body.pop().unwrap();
            let Stmt::If(_, mut inside, _) = deliver else { return };
            inside.extend_from_slice(reset);
            body.extend([
                Stmt::Fence(MemoryOrder::Release, Scope::Grid),
                take.clone(),
                Stmt::when(last, inside),
            ]);
        })
    };
    assert_eq!(counted(&[reset]), Ok("((0 1) 2)".to_owned()));
    // The next run would find the ticket taken.
    assert_eq!(first(counted(&[])).0, Kind::TicketTaken);
    assert_eq!(program("").kernel(Reads::Inputs).name, "reduce_inputs");
}
