//! Reductions on the host, through the typed and the untyped API.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use reduce_dsl::operators::operator;
use reduce_ir::func::Param;
use reduce_ir::pass::Pass;
use reduce_ir::spec::Passes;
use reduce_ir::{Domain, Scalar, Spec, Value, f16};
use reduce_lanes::LanesRef;
use reduce_runtime::{Device, Error, Reducer, Reduction};

fn spec(name: &str, types: &[Scalar]) -> Spec {
    let inputs: Vec<_> = ["x", "y"].iter().zip(types).map(|(&name, &ty)| Param::new(name, ty)).collect();
    Spec {
        operation: operator(name).unwrap().apply(&inputs, None).unwrap(),
        domain: Domain::WHOLE,
        axes: None,
        defaults: Vec::new(),
        text: String::new(),
        block: None,
        passes: Passes::List(vec![Pass::plain("shuffle"), Pass::with("coarsen", 4)]),
    }
}

static MAX: Reduction<f32, f32> = Reduction::new(|| Ok(spec("max", &[Scalar::F32])));
static SUM: Reduction<f16, f32> = Reduction::new(|| Ok(spec("sum", &[Scalar::F16])));
static ARGMAX: Reduction<f32, u64> = Reduction::new(|| Ok(spec("argmax", &[Scalar::F32])));
static DOT: Reduction<(f32, f32), f32> = Reduction::new(|| Ok(spec("dot", &[Scalar::F32, Scalar::F32])));
static ANY: Reduction<i64, bool> = Reduction::new(|| Ok(spec("any", &[Scalar::I64])));

#[test]
fn a_static_reduction_reduces_slices() {
    let samples = vec![1.0, 5.0, -7.0];
    assert_eq!(MAX.reduce(&samples).unwrap(), 5.0);
    assert_eq!(MAX.reduce(&samples[..1]).unwrap(), 1.0);
    assert_eq!(ARGMAX.reduce(&samples).unwrap(), 1);
    assert_eq!(SUM.reduce(&[f16::from_f32(0.5); 3000]).unwrap(), 1500.0);
    assert_eq!(DOT.reduce((&samples, &[2.0, 0.5, 1.0])).unwrap(), -2.5);
    assert!(ANY.reduce(&[0, 0, 3]).unwrap());
}

/// A single program of `auto` reduces at most its own maximum of elements.
#[test]
fn a_program_by_itself_is_for_the_elements_that_it_is_for() {
    let auto = Spec { passes: Passes::Auto, ..spec("max", &[Scalar::F32]) };
    let programs = Reducer::new(&auto, &Device::host()).unwrap().programs().clone();
    let few = &programs.variants()[0];
    let most = few.up_to.unwrap();
    let reducer = Reducer::of(few.clone().into(), &Device::host()).unwrap();
    let elements = vec![1.0f32; most as usize + 1];
    assert!(reducer.reduce(&[&elements[1..]]).is_ok());
    let error = reducer.reduce(&[&elements[..]]).unwrap_err();
    assert_eq!(error, Error::TooManyElements { n: most + 1, most });
    assert!(error.is_usage_error() && error.to_string().contains("all programs"), "{error}");
    assert_eq!(programs.up_to(), None);
}

#[test]
fn nothing_gives_the_identity_or_an_error() {
    assert_eq!(MAX.reduce(&[]).unwrap(), f32::NEG_INFINITY);
    assert!(!ANY.reduce(&[]).unwrap());
    let error = ARGMAX.reduce(&[]).unwrap_err();
    assert_eq!(error, Error::Empty { operator: "argmax".to_owned() });
    assert!(error.is_usage_error() && error.to_string().contains("argmax"), "{error}");
}

#[test]
fn unequal_lengths_are_named() {
    let error = DOT.reduce((&[1.0; 3], &[1.0; 2])).unwrap_err();
    let message = "input `y` has 2 elements, and `x` has 3; inputs must be equally long";
    assert_eq!((error.to_string().as_str(), error.is_usage_error()), (message, true));
}

#[test]
fn inputs_of_another_type_or_number_are_named() {
    let reducer = Reducer::new(&spec("max", &[Scalar::F32]), &Device::host()).unwrap();
    let (halves, floats) = ([1.0f64], [1.0f32]);
    let none: [LanesRef<'_>; 0] = [];
    let errors = [
        (
            reducer.reduce(&[LanesRef::from(&halves[..])]),
            "input `x` holds f64, and the reduction takes f32; convert",
        ),
        (reducer.reduce(&none), "the reduction takes 1 input, not 0; give"),
        (reducer.reduce(&[LanesRef::from(&floats[..]); 2]), "the reduction takes 1 input, not 2; give"),
    ];
    for (result, message) in errors {
        let error = result.unwrap_err();
        assert!(error.to_string().starts_with(message) && error.is_usage_error(), "{error}");
    }
}

#[test]
fn a_result_read_as_another_type_is_an_error() {
    let wrong: Reduction<f32, u32> = Reduction::new(|| Ok(spec("max", &[Scalar::F32])));
    let error = wrong.reduce(&[1.0]).unwrap_err();
    assert!(matches!(error, Error::OutputType { .. }), "{error}");
    assert!(error.to_string().contains("f32") && error.to_string().contains("u32"), "{error}");
}

#[test]
fn a_refused_pass_is_the_users_fault() {
    let twice = Passes::List(vec![Pass::plain("shuffle"), Pass::plain("shuffle")]);
    let spec = Spec { passes: twice, ..spec("max", &[Scalar::F32]) };
    let error = Reducer::new(&spec, &Device::host()).unwrap_err();
    assert!(matches!(error, Error::Codegen(_)) && error.is_usage_error(), "{error}");
}

#[test]
fn threads_share_a_reduction() {
    let reduce = || (1..2000).all(|n| SUM.reduce(&vec![f16::ONE; n]).unwrap() == n as f32);
    let right =
        std::thread::scope(|scope| [0; 3].map(|_| scope.spawn(reduce)).map(|thread| thread.join().unwrap()));
    assert_eq!(right, [true; 3]);
}

#[test]
fn an_outcome_has_the_values_of_the_result() {
    let reducer = Reducer::new(&spec("argmax", &[Scalar::F32]), &Device::host()).unwrap();
    let outcome = reducer.reduce(&[LanesRef::from(&[3.0f32, 9.0][..])]).unwrap();
    assert_eq!(outcome.values, [Value::of(1u64)]);
    assert_eq!((reducer.device().name().as_str(), reducer.programs().for_len(1).block), ("host", 256));
}

#[test]
fn a_reduction_shows_its_cuda() {
    let cuda = MAX.cuda().unwrap();
    assert!(MAX.program().unwrap().kernels.iter().all(|kernel| cuda.contains(kernel.name)), "{cuda}");
}

#[test]
fn the_host_is_not_timed_as_a_gpu() {
    let host = Device::host();
    let reducer = Reducer::new(&spec("max", &[Scalar::F32]), &host).unwrap();
    let timed = reducer.time(&[LanesRef::from(&[3.0f32, 9.0][..])]).unwrap_err();
    for error in [timed, host.time_read(1 << 20).unwrap_err()] {
        assert!(matches!(error, Error::HostHasNoClock) && error.is_usage_error());
        assert_eq!(
            error.to_string(),
            "the host cannot time kernels; time the reduction on a GPU, such as cuda:0"
        );
    }
    let unfit = reducer.time(&[LanesRef::from(&[3.0f64][..])]).unwrap_err();
    assert!(matches!(unfit, Error::InputType { .. }), "{unfit}");
}

/// Compiling this is the test: threads may share compiled reductions, and send each other their workspaces.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<Reducer>();
    shared::<Device>();
    shared::<Reduction<f32, f32>>();
    shared::<reduce_runtime::Compiled<(f32, f32), f64, i32>>();
    #[cfg(feature = "cuda")]
    shared::<reduce_runtime::Workspace>();
};
