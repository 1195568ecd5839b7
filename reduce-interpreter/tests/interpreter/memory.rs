//! Contents and addresses of memory, and index arithmetic.

use super::support::*;
use reduce_dsl::operators::operator;
use reduce_interpreter::{Input, Kind, Memory, Options, Provenance, Schedule, Shapes, Values, launch};
use reduce_ir::func::Param;
use reduce_ir::ops::{Bin, Cmp, Un};
use reduce_ir::statements::{Buffer, Expr, Local, LoweredKernel, Stmt, Ty};
use reduce_ir::{Scalar, Value};
use reduce_lanes::Lanes;

#[test]
fn memory_is_undefined_until_it_is_written() {
    let read = Stmt::Load(acc("held"), s(Expr::Thread));
    wrong(&kernel(vec![read.clone()]), 1, Kind::Uninitialised);
    wrong(&kernel(vec![Stmt::Load(acc("held"), partial(Expr::Block))]), 1, Kind::Uninitialised);
    // A copy of an undefined accumulator is allowed; a use is not.
    let copy = Stmt::Store(s(Expr::Thread.plus(32)), acc("held").get());
    assert_eq!(kinds(&kernel(vec![read.clone(), copy]), 1, Schedule::FORWARD), [Kind::Uninitialised]);
    let used = Stmt::Let(acc("sum"), acc("held").get().combine(Expr::Empty));
    let found = kinds(&kernel(vec![read, used]), 1, Schedule::FORWARD);
    assert_eq!(found, [Kind::Uninitialised, Kind::Undefined]);
}

#[test]
fn a_dependent_kernel_waits_before_it_touches_memory_that_outlives_it() {
    let dependent = |body| LoweredKernel { dependent: true, ..kernel(body) };
    let shared = Stmt::Store(s(Expr::Thread), Expr::Empty);
    let read = || take("mine", Expr::Thread);
    clean(&dependent([vec![shared.clone(), Stmt::AwaitLaunch], read()].concat()), 2);
    clean(&kernel(read()), 2);
    let late = [read(), vec![Stmt::AwaitLaunch]].concat();
    let others = [vec![when(Expr::Thread.below(31), [Stmt::AwaitLaunch]), BARRIER], read()].concat();
    let write = when(Expr::Thread.equals(0), [Stmt::Store(partial(Expr::Block), Expr::Empty)]);
    for body in [late, others, vec![Stmt::TriggerLaunch, write]] {
        wrong(&dependent(body), 2, Kind::Early);
    }
}

#[test]
fn shared_memory_is_fresh_for_each_block() {
    let write = when(Expr::Block.equals(0), [Stmt::Store(s(Expr::Thread), Expr::Empty)]);
    let read = when(Expr::Block.equals(1), [Stmt::Load(acc("held"), s(Expr::Thread))]);
    clean(&kernel(vec![write.clone()]), 2);
    wrong(&kernel(vec![write, read]), 2, Kind::Uninitialised);
}

#[test]
fn accesses_stay_in_their_buffer() {
    let over = |index: Expr| kernel(vec![Stmt::Store(s(index), Expr::Empty)]);
    clean(&over(Expr::Thread.plus(32)), 1);
    wrong(&over(Expr::Thread.plus(33)), 1, Kind::OutOfBounds);
    wrong(&kernel(take("mine", Expr::Thread.plus(225))), 1, Kind::OutOfBounds);
}

fn vector(position: Expr) -> Stmt {
    let four = Local::new("four", Ty::Vector(Scalar::F32, 4));
    Stmt::Load(four, Buffer::Input(0).at(position.cast(Scalar::U64)))
}

#[test]
fn a_vector_lies_at_a_multiple_of_its_size_and_wholly_inside() {
    clean(&kernel(vec![vector(Expr::Thread.times(4))]), 1);
    wrong(&kernel(vec![vector(Expr::Thread.times(4).plus(2))]), 1, Kind::Misaligned);
    wrong(&kernel(vec![vector(Expr::Thread.plus(32).times(4).plus(4))]), 1, Kind::OutOfBounds);
    let operation = sum();
    let inputs = Provenance::inputs(&operation, 256, false);
    let memory = Memory::new(&inputs, 0);
    let kernel = kernel(vec![vector(Expr::Thread.times(4))]);
    let found = launch(&operation, &kernel, &mut Shapes::new(&operation), memory, 1, 256, Options::FORWARD);
    assert_eq!(found.reports[0].kind, Kind::Misaligned);
}

/// Binds a number of 32 or 64 bits to a name.
fn number(value: Expr) -> Vec<Stmt> {
    let ty = value.ty().unwrap();
    vec![Stmt::Let(Local::new("number", ty), value)]
}

#[test]
fn index_arithmetic_must_fit_its_type() {
    let most = Expr::from(u32::MAX);
    let wide = wide_literal(u64::MAX);
    let one = || wide_literal(1);
    let overflowing = [
        most.clone().bin(Bin::Add, Expr::Thread),
        Expr::Thread.bin(Bin::Sub, 31),
        most.clone().times(Expr::Thread),
        wide.clone().bin(Bin::Add, one()),
        Expr::Thread.cast(Scalar::U64).bin(Bin::Sub, one()),
        wide_literal(1 << 32).cast(Scalar::U32),
    ];
    for value in overflowing {
        wrong(&kernel(number(value)), 1, Kind::Overflow);
    }
    let fitting = [
        most.clone().bin(Bin::Sub, Expr::Thread),
        Expr::from(u32::MAX / 31).times(Expr::Thread),
        most.clone().bin(Bin::And, Expr::Thread),
        Expr::Un(Un::Not, Box::new(Expr::Thread)),
        wide.bin(Bin::Sub, one()),
        wide_literal(u64::from(u32::MAX)).cast(Scalar::U32),
    ];
    for value in fitting {
        clean(&kernel(number(value)), 1);
    }
    for op in [Bin::Div, Bin::Rem] {
        wrong(&kernel(number(Expr::from(1).bin(op, Expr::Thread))), 1, Kind::DivisionByZero);
        clean(&kernel(number(Expr::from(1).bin(op, Expr::Thread.plus(1)))), 1);
    }
}

/// A lane that does not evaluate an expression has no fault in it.
#[test]
fn arithmetic_is_checked_where_it_is_evaluated() {
    let below = Expr::Thread.bin(Bin::Sub, 1).equals(0);
    let positive = Expr::from(0).below(Expr::Thread);
    clean(&kernel(number(positive.clone().and(below.clone()))), 1);
    wrong(&kernel(number(below.clone().and(positive.clone()))), 1, Kind::Overflow);
    clean(&kernel(number(Expr::Thread.equals(0).bin(Bin::Or, below.clone()))), 1);
    clean(&kernel(vec![when(positive, number(below))]), 1);
    // A minimum cannot hide the overflow of its operand.
    let late = Expr::from(u32::MAX).plus(1).bin(Bin::Min, 5).equals(5);
    wrong(&kernel(vec![when(late, [])]), 1, Kind::Overflow);
}

#[test]
fn comparisons_are_what_they_say() {
    let test = |op, a: u32, b: u32| Expr::Cmp(op, Box::new(a.into()), Box::new(b.into()));
    let holds = [test(Cmp::Ne, 1, 2), test(Cmp::Le, 2, 2), test(Cmp::Lt, 1, 2), test(Cmp::Eq, 2, 2)];
    let fails = [test(Cmp::Ne, 2, 2), test(Cmp::Le, 3, 2), test(Cmp::Lt, 2, 2), test(Cmp::Eq, 1, 2)];
    for (tests, wanted) in [(holds, Some("empty")), (fails, None)] {
        for test in tests {
            let store = [Stmt::Let(acc("none"), Expr::Empty), finish(&acc("none"))];
            let it = kernel(vec![when(Expr::Thread.equals(0).and(test), store)]);
            assert_eq!(run(&it, 1, Schedule::FORWARD).result.as_deref(), wanted);
        }
    }
}

#[test]
fn elements_of_one_map_belong_together() {
    let params = ["x", "y"].map(|name| Param::new(name, Scalar::F32));
    let dot = operator("dot").unwrap().apply(&params, None).unwrap();
    let inputs = Provenance::inputs(&dot, 64, true);
    let element = |k: usize| Local::new(format!("e{k}"), Ty::Scalar(Scalar::F32));
    let body = |shift: u32| {
        let load = |k: usize, at: Expr| Stmt::Load(element(k), Buffer::Input(k).at(at.cast(Scalar::U64)));
        let map = Expr::Map(vec![element(0).get(), element(1).get()]);
        vec![load(0, Expr::Thread), load(1, Expr::Thread.plus(shift)), Stmt::Let(acc("mine"), map)]
    };
    let reports = |shift| {
        let memory = Memory::new(&inputs, 0);
        let mut domain = Provenance::new(&dot);
        let found = launch(&dot, &kernel(body(shift)), &mut domain, memory, 1, 64, Options::FORWARD);
        found.reports.into_iter().map(|it| it.kind).collect::<Vec<_>>()
    };
    assert_eq!(reports(0), []);
    assert_eq!(reports(1), [Kind::MixedPositions]);
}

#[test]
fn an_accumulator_of_no_element_must_not_be_used() {
    let argmax = operator("argmax").unwrap().apply(&[Param::new("x", Scalar::F32)], None).unwrap();
    let inputs = Provenance::inputs(&argmax, 4, true);
    let kernel = kernel(vec![
        Stmt::Let(acc("none"), Expr::Empty),
        Stmt::Store(s(Expr::Thread), acc("none").get()),
        when(Expr::Thread.equals(0), [finish(&acc("none"))]),
    ]);
    let memory = Memory::new(&inputs, 0);
    let found = launch(&argmax, &kernel, &mut Shapes::new(&argmax), memory, 1, 4, Options::FORWARD);
    assert_eq!(found.reports.len(), 1);
    assert_eq!(found.reports[0].kind, Kind::Undefined);
    assert!(found.reports[0].statement.starts_with("store result"));
}

#[test]
fn a_kernel_that_the_verifier_would_refuse_does_not_run() {
    let [four, copy] = ["four", "copy"].map(|name| Local::new(name, Ty::Vector(Scalar::F32, 4)));
    let malformed = [
        vec![Stmt::Let(Local::new("a", Ty::U32), Local::new("nowhere", Ty::U32).get())],
        vec![Stmt::Let(Local::new("a", Ty::U64), Expr::Thread)],
        vec![Stmt::Load(acc("a"), Buffer::Shared("nothing").at(0.into()))],
        vec![Stmt::Load(acc("a"), Buffer::Input(0).at(wide_literal(0)))],
        vec![Stmt::Let(Local::new("a", Ty::U32), Expr::Named("NOTHING"))],
        vec![Stmt::Let(acc("a"), Expr::Map(vec![]))],
        vec![vector(0.into()), Stmt::Let(copy.clone(), four.get())],
        vec![vector(0.into()), Stmt::Var(copy, four.get())],
        vec![vector(0.into()), Stmt::Set(four.clone(), four.get())],
    ];
    for body in malformed {
        wrong(&kernel(body), 1, Kind::Malformed);
    }
    wrong(&wide(2048, vec![]), 1, Kind::Malformed);
    wrong(&LoweredKernel { cluster: 2, ..kernel(vec![]) }, 3, Kind::Malformed);
    let blocks = 1 << 31;
    assert_eq!(kinds(&kernel(vec![]), blocks, Schedule::FORWARD), [Kind::Malformed]);
    let mut large = kernel(vec![]);
    large.constants[0].value = 1 << 16;
    wrong(&large, 1, Kind::Malformed);
}

/// More items than fit in memory, and trees deeper than the call stack.
#[test]
fn no_size_is_too_large_for_the_machine() {
    let operation = sum();
    let mut domain = Provenance::new(&operation);
    let found =
        launch(&operation, &kernel(vec![]), &mut domain, Memory::new(&[], 0), 1, u64::MAX, Options::FORWARD);
    assert!(found.ended && found.reports.is_empty());
    let leaf = domain.leaf(1);
    let deep = (0..200_000).fold(leaf, |tree, _| domain.pair(tree, leaf));
    assert!(domain.text(deep).ends_with(" 1) 1) 1)"));
    let two = domain.pair(leaf, leaf);
    let three = domain.pair(leaf, two);
    assert_eq!(domain.text(three), "(1 (1 1))");
}

/// A sum over a strided input: `step` is the distance between its elements.
#[test]
fn values_are_computed_as_everywhere() {
    let operation = sum();
    let elements = Lanes::F32((0..64).map(|it| if it % 2 == 0 { 1.5 } else { f32::NAN }).collect());
    let inputs = [Input { elements, offset: 0, first: 0, steps: vec![2] }];
    let position = Expr::Offset(0, vec![(0, Expr::Thread.cast(Scalar::U64))]);
    let element = Local::new("element", Ty::Scalar(Scalar::F32));
    let mut body = vec![
        Stmt::Load(element.clone(), Buffer::Input(0).at(position)),
        Stmt::Var(acc("sum"), Expr::Map(vec![element.get()])),
    ];
    for down in [16, 8, 4, 2, 1] {
        let other = acc(&format!("other{down}"));
        let shuffle =
            Stmt::Shuffle { into: other.clone(), value: acc("sum").get(), down: down.into(), mask: u32::MAX };
        body.extend([shuffle, Stmt::Set(acc("sum"), acc("sum").get().combine(other.get()))]);
    }
    body.push(when(Expr::Thread.equals(0), [finish(&acc("sum"))]));
    let mut domain = Values::new(&operation);
    let memory = Memory::new(&inputs, 0);
    let found = launch(&operation, &kernel(body), &mut domain, memory, 1, 32, Options::FORWARD);
    assert_eq!(found.reports, []);
    assert_eq!(domain.finish(found.memory.results[0].unwrap(), 3, &[]), Ok(vec![Value::of(48f32)]));
}

/// Returns the kinds of the reports of a load by 32 threads from a strided input.
fn strided(first: u64, step: i64) -> Vec<Kind> {
    let operation = sum();
    let elements = Lanes::F32((0..64).map(|it| it as f32).collect());
    let inputs = [Input { elements, offset: 0, first, steps: vec![step] }];
    let position = Expr::Offset(0, vec![(0, Expr::Thread.cast(Scalar::U64))]);
    let element = Local::new("element", Ty::Scalar(Scalar::F32));
    let body = vec![Stmt::Load(element, Buffer::Input(0).at(position))];
    let mut domain = Values::new(&operation);
    let memory = Memory::new(&inputs, 0);
    let found = launch(&operation, &kernel(body), &mut domain, memory, 1, 32, Options::FORWARD);
    found.reports.iter().map(|report| report.kind).collect()
}

/// A negative step wraps to an address before the first element, but no further than the input.
#[test]
fn strided_loads_stay_inside_their_input() {
    for (first, step) in [(0, 2), (63, -2), (62, -2), (31, -1), (63, 0), (0, 0)] {
        assert_eq!(strided(first, step), [], "{step} from {first} on");
    }
    for (first, step) in [(2, 2), (61, -2), (30, -1), (64, 0), (0, -1)] {
        assert_eq!(strided(first, step), [Kind::OutOfBounds], "{step} from {first} on");
    }
    for step in [i64::MIN, i64::MAX] {
        assert!(strided(0, step).contains(&Kind::Overflow), "{step}");
    }
}
