//! On a real GPU, every reduction gives the bits of the host backend. Without a GPU, each test prints that it is skipped,
//! and why; with REDUCEGEN_REQUIRE_GPU=1 it fails instead.
//!
//! The tests called `sanitized` are small enough for compute-sanitizer, which runs kernels a hundred times
//! slower.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "gpu/ahead.rs"]
mod ahead;
#[path = "gpu/array_inputs.rs"]
mod array_inputs;
#[path = "gpu/assertions.rs"]
mod assertions;
#[path = "support/axes_law.rs"]
mod axes_law;
#[path = "support/axes_shapes.rs"]
mod axes_shapes;
#[path = "support/axes_specs.rs"]
mod axes_specs;
#[path = "gpu/break_even.rs"]
mod break_even;
mod cases;
#[path = "support/classes.rs"]
mod classes;
#[path = "support/closures.rs"]
mod closures;
#[path = "gpu/counted.rs"]
mod counted;
#[path = "support/cut.rs"]
mod cut;
#[path = "gpu/cut_graphs.rs"]
mod cut_graphs;
#[path = "gpu/cut_small.rs"]
mod cut_small;
#[path = "gpu/data.rs"]
mod data;
#[path = "gpu/default_device.rs"]
mod default_device;
#[path = "gpu/device.rs"]
mod device;
#[path = "gpu/each_operation.rs"]
mod each_operation;
#[path = "gpu/folded.rs"]
mod folded;
#[path = "gpu/fuzz_axes.rs"]
mod fuzz_axes;
#[path = "gpu/fuzz_segments.rs"]
mod fuzz_segments;
#[path = "gpu/fuzz_specs.rs"]
mod fuzz_specs;
#[path = "support/fuzzed.rs"]
mod fuzzed;
#[path = "golden_bits/lines.rs"]
#[allow(dead_code, reason = "the file is written on the host")]
mod golden;
#[path = "gpu/keys.rs"]
mod keys;
#[path = "gpu/ladder.rs"]
mod ladder;
#[path = "gpu/numeric.rs"]
mod numeric;
#[path = "../reduce-codegen/tests/support/operations.rs"]
#[allow(dead_code, reason = "plain loops are for other tests")]
mod operations;
#[path = "gpu/parts.rs"]
mod parts;
#[path = "../reduce-codegen/tests/support/random.rs"]
#[allow(dead_code, reason = "random specifications are for other tests")]
mod random;
#[path = "support/reference.rs"]
mod reference;
#[path = "support/rotation.rs"]
#[allow(dead_code, reason = "only samples are taken")]
mod rotation;
#[path = "gpu/rows.rs"]
mod rows;
#[path = "support/sampled.rs"]
mod sampled;
#[path = "gpu/samples.rs"]
mod samples;
#[path = "gpu/segment_columns.rs"]
mod segment_columns;
#[path = "gpu/segments.rs"]
mod segments;
#[path = "gpu/shapes.rs"]
mod shapes;
#[path = "support/skip.rs"]
mod skip;
#[path = "gpu/soundness.rs"]
mod soundness;
#[path = "support/splitmix.rs"]
mod splitmix;
#[path = "gpu/streams.rs"]
mod streams;
#[path = "gpu/strided.rs"]
mod strided;
#[path = "support/subjects.rs"]
mod subjects;
#[path = "gpu/timing.rs"]
mod timing;
#[path = "support/traps.rs"]
mod traps;

use cases::{FLAGSHIP, LISTS, spec};
use data::Kind;
use device::gpu;
use reduce_ir::{Scalar, Value, f16};
use reduce_lanes::{Lanes, LanesRef};
use reduce_runtime::cudarc::driver::{CudaContext, CudaSlice};
use reduce_runtime::{Device, DeviceInput, Error, Reducer, Reduction};
use samples::{Samples, compare_on_all_cores};

/// A rotating 96th of the cases; all of them with `REDUCEGEN_FULL=1`.
#[test]
fn every_reduction_gives_the_bits_of_the_host() {
    let Some(device) = gpu("every_reduction_gives_the_bits_of_the_host") else { return };
    let cases: Vec<_> = rotation::sample(cases::all(), 96).collect();
    compare_on_all_cores(&cases, &device);
}

/// A few reductions by lists of every kind.
#[test]
fn sanitized() {
    let Some(device) = gpu("sanitized") else { return };
    let canaries = [
        ("max", Scalar::F32),
        ("argmax", Scalar::F32),
        ("sum", Scalar::F16),
        ("dot", Scalar::F32),
        ("any", Scalar::U64),
    ];

    let lists = [0, 2, 5, 6, 8, 12, 14, 15].map(|i| LISTS[i]);
    let samples = Samples::new();
    let of_each =
        |(name, ty)| lists.map(|list| spec(name, ty, list)).into_iter().chain([cases::auto(name, ty)]);
    let ordered = cases::ORDERED.map(|list| spec("first", Scalar::F32, list));
    for spec in canaries.into_iter().flat_map(of_each).chain(ordered) {
        let gpu = Reducer::new(&spec, &device).unwrap();
        let host = Reducer::new(&spec, &Device::host()).unwrap();
        // With the last length, `auto` uses partials with flags, for two inputs and for elements of 8 bytes.
        for n in [1, 33, 1025, 20_001, 66_001] {
            samples.compare(&spec, &gpu, &host, n, Kind::Plain).unwrap();
        }
    }
}

#[test]
fn large_inputs_give_the_bits_of_the_host() {
    let Some(device) = gpu("large_inputs_give_the_bits_of_the_host") else { return };
    let most = (1 << 24) + 1;
    for (name, ty) in
        [("sum", Scalar::F32), ("argmax", Scalar::F32), ("sum", Scalar::F16), ("prod", Scalar::F64)]
    {
        let lanes = Kind::Plain.lanes(ty, most);
        for spec in [
            spec(name, ty, LISTS[0]),
            spec(name, ty, LISTS[8]),
            spec(name, ty, FLAGSHIP),
            cases::auto(name, ty),
        ] {
            let gpu = Reducer::new(&spec, &device).unwrap();
            let host = Reducer::new(&spec, &Device::host()).unwrap();
            for n in [(1 << 20) + 1, (1 << 24) - 1, 1 << 24, most] {
                let slice = [lanes.borrow().slice(0..n)];
                let (found, expected) =
                    (gpu.reduce(&slice).unwrap().values, host.reduce(&slice).unwrap().values);
                assert_eq!(found, expected, "{}, n = {n}", spec.text);
            }
        }
    }
}

#[test]
fn positions_beyond_32_bits_are_right() {
    let Some(device) = gpu("positions_beyond_32_bits_are_right") else { return };
    let n = (1 << 32) + 1;
    let stream = CudaContext::new(0).unwrap().default_stream();
    let mut elements: CudaSlice<f16> = stream.alloc_zeros(n).unwrap();
    // All are 0 except 1, 2, 4, 8: every sum is exact, and its bits tell which of the four were added.
    for (place, x) in [(0, 1.0), (1 << 31, 2.0), ((1 << 32) - 1, 4.0), (1 << 32, 8.0)] {
        stream.memcpy_htod(&[f16::from_f32(x)], &mut elements.slice_mut(place..=place)).unwrap();
    }
    let expected = [
        ("sum", Value::of(15.0f32)),
        ("max", Value::of(f16::from_f32(8.0))),
        ("argmax", Value::of(1u64 << 32)),
    ];
    for (name, value) in expected {
        for list in [LISTS[0], LISTS[6], FLAGSHIP] {
            let spec = spec(name, Scalar::F16, list);
            let reducer = Reducer::new(&spec, &device).unwrap();
            let outcome = reducer.reduce_device(&[DeviceInput::new(&elements)]).unwrap();
            assert_eq!(outcome.values, [value], "{}", spec.text);
        }
    }
}

/// More `true` elements than 32 bits can count.
#[test]
fn sums_of_bools_have_64_bits() {
    let Some(device) = gpu("sums_of_bools_have_64_bits") else { return };
    let n = (1 << 32) + 3;
    let elements: CudaSlice<u8> = CudaContext::new(0).unwrap().default_stream().alloc_zeros(n).unwrap();
    let spec = reduce_dsl::parse::spec("ty: u8, map: |x| x == 0, op: sum").unwrap();
    let outcome =
        Reducer::new(&spec, &device).unwrap().reduce_device(&[DeviceInput::new(&elements)]).unwrap();
    assert_eq!(outcome.values, [Value::of(n as u64)]);
}

#[test]
fn threads_share_a_reducer() {
    let Some(device) = gpu("threads_share_a_reducer") else { return };
    let spec = spec("sum", Scalar::F32, LISTS[8]);
    let gpu = Reducer::new(&spec, &device).unwrap();
    let host = Reducer::new(&spec, &Device::host()).unwrap();
    let lanes = Kind::Plain.lanes(Scalar::F32, 300_000);
    let run = |thread: usize| {
        for n in (0..200).map(|i| 1 + (7919 * (i + thread)) % 300_000) {
            let slice = [lanes.borrow().slice(0..n)];
            assert_eq!(gpu.reduce(&slice).unwrap().values, host.reduce(&slice).unwrap().values, "n = {n}");
        }
    };
    std::thread::scope(|scope| {
        [0, 1, 2].map(|thread| scope.spawn(move || run(thread))).map(|it| it.join().unwrap())
    });
}

#[test]
fn a_reduction_waits_for_the_streams_of_its_inputs() {
    let Some(device) = gpu("a_reduction_waits_for_the_streams_of_its_inputs") else { return };
    let dot = Reducer::new(&spec("dot", Scalar::I32, FLAGSHIP), &device).unwrap();
    let context = CudaContext::new(0).unwrap();
    let (first, second) = (context.new_stream().unwrap(), context.new_stream().unwrap());
    let n = 1 << 24;
    let (ones, twos) = (vec![1i32; n], vec![2i32; n]);
    let mut x = first.alloc_zeros::<i32>(n).unwrap();
    let mut y = second.alloc_zeros::<i32>(n).unwrap();
    let (ones, twos) = (first.clone_htod(&ones).unwrap(), second.clone_htod(&twos).unwrap());
    for _ in 0..20 {
        first.memset_zeros(&mut x).unwrap();
        second.memset_zeros(&mut y).unwrap();
        first.memcpy_dtod(&ones, &mut x).unwrap();
        second.memcpy_dtod(&twos, &mut y).unwrap();
        let outcome = dot.reduce_device(&[DeviceInput::new(&x), DeviceInput::new(&y)]).unwrap();
        assert_eq!(outcome.values, [Value::of(1i64 << 25)]);
    }
}

static DOT: Reduction<(f32, f32), f32> = Reduction::new(|| Ok(spec("dot", Scalar::F32, FLAGSHIP)));
static ARGMAX: Reduction<f32, u64> = Reduction::new(|| Ok(spec("argmax", Scalar::F32, FLAGSHIP)));

#[test]
fn typed_reductions_take_host_and_device_slices() {
    let Some(device) = gpu("typed_reductions_take_host_and_device_slices") else { return };
    let (dot, argmax) = (DOT.compile(&device).unwrap(), ARGMAX.compile(&device).unwrap());
    let (x, y) = (vec![1.0f32, 5.0, -2.0, 3.0], vec![2.0f32, 0.5, 4.0, 1.0]);
    let stream = CudaContext::new(0).unwrap().default_stream();
    let (dx, dy) = (stream.clone_htod(&x).unwrap(), stream.clone_htod(&y).unwrap());
    assert_eq!(dot.reduce((&x, &y)).unwrap(), -0.5);
    assert_eq!(dot.reduce_device((&dx, &dy)).unwrap(), -0.5);
    assert_eq!(argmax.reduce(&x).unwrap(), 1);
    assert_eq!(argmax.reduce_device(&dx).unwrap(), 1);
    assert_eq!(argmax.reduce_device(&dx.slice(2..)).unwrap(), 1);
    let unequal = dot.reduce_device((&dx, &dy.slice(1..))).unwrap_err();
    assert!(matches!(unequal, Error::InputLength { expected: 4, found: 3, .. }), "{unequal}");
}

#[test]
fn device_memory_of_another_place_is_refused() {
    let Some(device) = gpu("device_memory_of_another_place_is_refused") else { return };
    let other = CudaContext::new_non_primary(0, 0).unwrap();
    let elements = other.default_stream().clone_htod(&[1.0f32, 2.0]).unwrap();
    let error = ARGMAX.compile(&device).unwrap().reduce_device(&elements).unwrap_err();
    assert!(matches!(error, Error::OtherContext { .. }) && error.is_usage_error(), "{error}");
    let error = ARGMAX.compile(&Device::host()).unwrap().reduce_device(&elements).unwrap_err();
    assert!(matches!(error, Error::DeviceMemoryOnHost) && error.is_usage_error(), "{error}");
    let there = Device::from_context(other.clone()).unwrap();
    assert_eq!(ARGMAX.compile(&there).unwrap().reduce_device(&elements).unwrap(), 1);
}

#[test]
fn a_gpu_says_what_it_is() {
    let Some(device) = gpu("a_gpu_says_what_it_is") else { return };
    assert_eq!(device.name(), "cuda:0");
    assert_eq!(Device::auto().name(), "cuda:0");
    let architecture = device.architecture().unwrap();
    assert!(architecture.number() >= 75 && device.description().contains(&architecture.to_string()));
    let error = Device::cuda(1000).unwrap_err();
    assert!(matches!(error, Error::NoSuchDevice { ordinal: 1000, .. }) && error.is_usage_error(), "{error}");
}

/// Without a GPU a rotating sample of the cases is still checked: every specification lowers and runs on the host.
#[test]
fn the_cases_are_legal() {
    let specs = cases::all();
    assert!(specs.len() > 12 * 75);
    for spec in rotation::sample(&specs, 8) {
        let reducer = Reducer::new(spec, &Device::host()).unwrap();
        let inputs: Vec<_> =
            spec.operation.inputs.iter().map(|input| Kind::Plain.lanes(input.ty, 100)).collect();
        let inputs: Vec<LanesRef<'_>> = inputs.iter().map(Lanes::borrow).collect();
        assert!(reducer.reduce(&inputs).is_ok(), "{}", spec.text);
    }
}
