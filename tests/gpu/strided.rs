//! Strided elements, in device memory and in copies of slices: a GPU gives the bits of the host.

use super::cases;
use super::data::Kind;
use super::device::gpu;
use super::samples::{Samples, same};
use reduce_ir::{Domain, Scalar, Spec};
use reduce_runtime::cudarc::driver::CudaContext;
use reduce_runtime::{Device, Error, Reducer, Reduction, Strided};

/// The number of skipped elements, and the step. Each input has other values than the one before.
const PLACES: [(usize, isize); 8] = [(0, 1), (0, 2), (2, -1), (3, 3), (1, -7), (1, 7), (4, 0), (5, 64)];

/// Returns the position of the first element, which is after all others if the step is negative.
fn first(skipped: usize, step: isize, n: usize) -> usize {
    let back = if step < 0 { n.saturating_sub(1) * step.unsigned_abs() } else { 0 };
    skipped + back
}

pub(crate) fn compare(samples: &Samples, spec: &Spec, [gpu, host]: [&Reducer; 2], n: usize, turn: usize) {
    let kind = Kind::ALL[(n + turn) % Kind::ALL.len()];
    let places = PLACES.iter().cycle().skip(turn);
    let inputs = spec.operation.inputs.iter().zip(places).map(|(input, &(skipped, step))| {
        let data = &samples.samples[&input.ty][kind as usize];
        Strided { data, offset: first(skipped, step, n), step, len: n }
    });
    let inputs: Vec<_> = inputs.collect();
    let slices: Vec<_> = inputs.iter().map(|input| input.with_data(input.data.0.borrow())).collect();
    let views: Vec<_> = inputs.iter().map(|input| input.data.1.view(0..input.data.0.len())).collect();
    let resident =
        views.iter().zip(&inputs).map(|(view, it)| view.input().strided(it.offset, it.step, it.len));
    let resident: Vec<_> = resident.collect();
    let expected = host.reduce(&slices).map(|outcome| outcome.values);
    let found = [gpu.reduce_device(&resident), gpu.reduce(&slices)];
    for (found, way) in found.into_iter().zip(["device memory", "host memory"]) {
        let found = found.map(|outcome| outcome.values);
        let same = same(&found, &expected);
        assert!(same, "{}, n = {n}, {kind:?}, {way}: {found:?}, not {expected:?}", spec.text);
    }
}

#[test]
fn strided_elements_give_the_bits_of_the_host() {
    let Some(device) = gpu("strided_elements_give_the_bits_of_the_host") else { return };
    let samples = Samples::new();
    for spec in cases::all_strided() {
        let [gpu, host] = [&device, &Device::host()].map(|device| Reducer::new(&spec, device).unwrap());
        for turn in 0..PLACES.len() {
            let next = PLACES[(turn + 1) % PLACES.len()].1;
            let widest = PLACES[turn].1.unsigned_abs().max(next.unsigned_abs()).max(1);
            for n in cases::lengths_of_all(gpu.programs(), Samples::MOST / widest) {
                compare(&samples, &spec, [&gpu, &host], n, turn);
            }
        }
    }
}

fn strided(name: &str) -> Spec {
    cases::strided(cases::auto(name, Scalar::F32))
}

static DOT: Reduction<(f32, f32), f32> = Reduction::new(|| Ok(strided("dot")));
static ARGMAX: Reduction<f32, u64> = Reduction::new(|| Ok(strided("argmax")));

#[test]
fn typed_reductions_take_strided_device_memory() {
    let Some(device) = gpu("typed_reductions_take_strided_device_memory") else { return };
    let (dot, argmax) = (DOT.compile(&device).unwrap(), ARGMAX.compile(&device).unwrap());
    let (x, y) = ([1.0f32, 5.0, -2.0, 3.0, 8.0], [2.0f32, 0.5, 4.0]);
    let stream = CudaContext::new(0).unwrap().default_stream();
    let (dx, dy) = (stream.clone_htod(&x).unwrap(), stream.clone_htod(&y).unwrap());
    let odd = Strided { data: &x, offset: 1, step: 2, len: 2 };
    let ends = Strided { data: &y, offset: 0, step: 2, len: 2 };
    assert_eq!(dot.reduce((odd, ends)).unwrap(), 22.0);
    assert_eq!(dot.reduce_device((odd.with_data(&dx), ends.with_data(&dy))).unwrap(), 22.0);
    assert_eq!(dot.reduce_device((odd.with_data(&dx), &dy.slice(1..))).unwrap(), 14.5);
    assert_eq!(argmax.reduce_device(Strided { data: &dx, offset: 0, step: 2, len: 3 }).unwrap(), 2);
    let outside = argmax.reduce_device(Strided { data: &dx, offset: 1, step: 2, len: 3 }).unwrap_err();
    assert!(matches!(outside, Error::OutsideData { data: 5, .. }) && outside.is_usage_error(), "{outside}");
    assert_eq!(argmax.reduce_device(Strided { data: &dx, offset: 4, step: -2, len: 3 }).unwrap(), 0);
    assert_eq!(argmax.reduce_device(Strided { data: &dx, offset: 3, step: -1, len: 4 }).unwrap(), 2);
    assert_eq!(
        dot.reduce_device((odd.with_data(&dx), Strided { data: &dy, offset: 2, step: 0, len: 2 })).unwrap(),
        32.0
    );
    let before = argmax.reduce_device(Strided { data: &dx, offset: 3, step: -2, len: 3 }).unwrap_err();
    assert!(matches!(before, Error::OutsideData { data: 5, .. }), "{before}");
    let nothing = argmax.reduce_device(Strided { data: &dx, offset: 5, step: 2, len: 0 }).unwrap_err();
    assert!(matches!(nothing, Error::Empty { .. }), "{nothing}");
    let contiguous = Reducer::new(&Spec { domain: Domain::WHOLE, ..strided("argmax") }, &device).unwrap();
    let input = reduce_runtime::DeviceInput::new(&dx).strided(0, 2, 3);
    let error = contiguous.reduce_device(&[input]).unwrap_err();
    assert!(error.to_string().contains("layout: strided"), "{error}");
}
