//! Operations with features that named operators lack: order, `fold` with and without its step, params, positions, the
//! number of elements, five fields of mixed types. After every list of passes that accepts them, the interpreter has the
//! bits of the host, at all boundary lengths of the program.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod cases;
#[path = "differential/data.rs"]
#[allow(dead_code, reason = "prefixes are for another test")]
mod data;
#[path = "../reduce-codegen/tests/support/operations.rs"]
mod operations;
#[path = "support/rotation.rs"]
mod rotation;
#[path = "support/splitmix.rs"]
mod splitmix;

use data::Kind;
use operations::Subject;
use rayon::prelude::*;
use reduce_codegen::{lower, stages};
use reduce_interpreter::{Input, Options, Values, run};
use reduce_ir::operation::{Nothing, Operation};
use reduce_ir::pass::Pass;
use reduce_ir::program::Program;
use reduce_ir::spec::Passes;
use reduce_ir::{Domain, Spec, Value};
use reduce_lanes::{Lanes, LanesRef};
use reduce_runtime::{Device, Error, Reducer, Strided, host};

fn subjects() -> Vec<Subject> {
    operations::ordered().into_iter().chain(operations::folded()).collect()
}

fn spec(operation: &Operation, passes: Passes, block: Option<u32>) -> Spec {
    Spec {
        operation: operation.clone(),
        domain: Domain::WHOLE,
        axes: None,
        defaults: Vec::new(),
        text: String::new(),
        block,
        passes,
    }
}

/// Returns the program after each pass of every list that the operation accepts, and of `auto`, each kernel once.
fn programs(operation: &Operation) -> Vec<Program> {
    let list = |(passes, block): (&[Pass], u32)| spec(operation, Passes::List(passes.to_vec()), Some(block));
    let specs =
        cases::LISTS.into_iter().chain(cases::ORDERED).map(list).chain([spec(operation, Passes::Auto, None)]);
    let mut programs: Vec<Program> = Vec::new();
    for stage in specs.filter_map(|spec| stages(&spec).ok()).flatten() {
        let it = stage.program;
        if !programs.iter().any(|other| other.block == it.block && other.kernels == it.kernels) {
            programs.push(it);
        }
    }
    programs
}

fn elements(operation: &Operation, n: u64, kind: Kind) -> Vec<Lanes> {
    let inputs = operation.inputs.iter().zip(0..);
    inputs.map(|(input, place)| data::elements(input.ty, n, kind, place)).collect()
}

/// Checks that the interpreter gives the bits of the host, and of a plain loop if there is one.
fn check(subject: &Subject, program: &Program, n: u64, kind: Kind) {
    let Subject { operation, params, plain } = subject;
    let lowered = lower(program).unwrap();
    let lanes = elements(operation, n, kind);
    let views: Vec<_> = lanes.iter().map(Lanes::borrow).collect();
    let on_host = host::reduce_with(operation, &program.association(), &views, params).unwrap();
    let ways: &[bool] = if program.kernels[0].fold().width > 1 { &[true, false] } else { &[true] };
    for &aligned in ways {
        let inputs: Vec<_> = lanes.iter().map(|it| Input::new(it.clone(), aligned)).collect();
        let mut domain = Values::new(operation);
        let outcome = run(program, &lowered, &mut domain, &inputs, n, Options::FORWARD.with(params));
        assert_eq!(outcome.reports, [], "{kind:?}, n = {n}\n{program}");
        let found = domain.finish(outcome.acc().unwrap(), n, params).unwrap();
        assert_eq!(found, on_host, "{kind:?}, n = {n}\n{program}");
    }
    if let Some(plain) = plain {
        assert_eq!(on_host, plain(&lanes), "{kind:?}, n = {n}\n{program}");
    }
}

#[test]
fn the_interpreter_has_the_bits_of_the_host() {
    let most = if rotation::full() { 20_000 } else { 700 };
    let count = |subject: &Subject| {
        let programs = programs(&subject.operation);
        assert!(programs.len() > 20, "{} programs", programs.len());
        let sizes = |program| cases::lengths(program, most).into_iter().filter(|&n| n > 0);
        let all = programs.iter().zip(0..).flat_map(|(it, turn)| sizes(it).map(move |n| (it, n, turn)));
        all.map(|(it, n, turn)| check(subject, it, n as u64, Kind::ALL[(n + turn) % Kind::ALL.len()])).count()
    };
    let checked: usize = subjects().par_iter().map(count).sum();
    println!("{checked} reductions, each in the interpreter and on the host");
    assert!(checked > 5_000);
}

/// The host is faster than the interpreter, and has special code for many elements.
#[test]
fn the_host_is_a_plain_loop_over_many_elements() {
    subjects().par_iter().for_each(|subject| {
        let Subject { operation, params, plain } = subject;
        let programs = programs(operation);
        let sizes = [100_000u64, 16_384, 65_537].into_iter().cycle();
        for (program, n) in rotation::sample(programs.iter().zip(sizes), 3) {
            let lanes = elements(operation, n, Kind::Special);
            let views: Vec<_> = lanes.iter().map(Lanes::borrow).collect();
            let found = host::reduce_with(operation, &program.association(), &views, params).unwrap();
            let threads = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
            let again =
                threads.install(|| host::reduce_with(operation, &program.association(), &views, params));
            assert_eq!(again.unwrap(), found, "n = {n}\n{program}");
            plain.iter().for_each(|plain| assert_eq!(found, plain(&lanes), "n = {n}\n{program}"));
        }
    });
}

/// Strided elements give the result of the same elements side by side.
#[test]
fn strided_elements_fold_as_contiguous_ones() {
    for subject in subjects() {
        let Subject { operation, params, .. } = &subject;
        let list = Passes::List(vec![Pass::plain("shuffle"), Pass::with("coarsen", 5)]);
        let strided = Spec { domain: Domain::STRIDED, ..spec(operation, list.clone(), Some(64)) };
        let apart = Reducer::new(&strided, &Device::host()).unwrap();
        let side_by_side = Reducer::new(&spec(operation, list, Some(64)), &Device::host()).unwrap();
        for n in [1u64, 319, 321, 2_000] {
            let lanes = elements(operation, n, Kind::Rounding);
            let spread: Vec<_> = lanes.iter().zip(2..).map(|(it, step)| data::spread(it, 3, step)).collect();
            let views: Vec<_> = spread.iter().map(|it| it.with_data(it.data.borrow())).collect();
            let found = apart.reduce_with(&views, params).unwrap().values;
            let wanted =
                side_by_side.reduce_with(&lanes.iter().map(Lanes::borrow).collect::<Vec<_>>(), params);
            assert_eq!(found, wanted.unwrap().values, "{n} of {}", operation.name);
        }
    }
}

fn reducer(subject: &Subject) -> Reducer {
    Reducer::new(&spec(&subject.operation, Passes::Auto, None), &Device::host()).unwrap()
}

#[test]
fn params_of_another_number_or_type_are_named() {
    let welford = operations::folded().swap_remove(0);
    let reducer = reducer(&welford);
    let x = LanesRef::F32(&[1.0, 2.0, 4.0]);
    let spread = reducer.reduce_with(&[x], &[Value::of(0u8)]).unwrap().values;
    assert_eq!(spread[1], Value::of(7f32 / 3.0));
    let none = reducer.reduce(&[x]).unwrap_err();
    assert!(matches!(&none, Error::ParamCount { found: 0, .. }) && none.is_usage_error());
    assert!(none.to_string().contains("`ddof`"), "{none}");
    let wide = reducer.reduce_with(&[x], &[Value::of(1u64)]).unwrap_err();
    assert!(matches!(&wide, Error::ParamType { param, .. } if param == "ddof") && wide.is_usage_error());
    let sum = host::reduce_with(&welford.operation, &reducer.programs().for_len(1).association(), &[x], &[]);
    assert!(sum.unwrap_err().to_string().starts_with("bug: "));
}

/// `finish` gets n = 0.
#[test]
fn nothing_is_finished() {
    for subject in operations::folded() {
        let empty: Vec<_> = subject.operation.inputs.iter().map(|input| Lanes::empty(input.ty)).collect();
        let empty: Vec<_> = empty.iter().map(Lanes::borrow).collect();
        let found = reducer(&subject).reduce_with(&empty, &subject.params).unwrap().values;
        let identity = subject.operation.identity.clone().unwrap();
        assert_eq!(found, subject.operation.finished(&identity, 0, &subject.params).unwrap());
        if subject.operation.name.starts_with("weighted") {
            assert_eq!(found, [Value::of(0u64), Value::of(0u64)]);
        }
    }
}

#[test]
fn a_result_that_means_nothing_is_an_error() {
    let mut subject = operations::ordered().swap_remove(0);
    subject.operation.nothing = Some(Nothing::Scalar(Value::of(-1i32)));
    let reducer = reducer(&subject);
    let first = |x: &[i32]| reducer.reduce(&[Strided::from(LanesRef::I32(x))]).map(|it| it.values);
    assert_eq!(first(&[3, -1]).unwrap(), [Value::of(3i32)]);
    let error = first(&[-1, 3]).unwrap_err();
    assert!(matches!(&error, Error::NothingLeft { operator } if operator == "first"), "{error}");
    assert!(
        error.is_usage_error() && error.to_string().starts_with("`first` needs at least one element"),
        "{error}"
    );
}
