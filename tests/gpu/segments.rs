//! Segments on a GPU have the bits that they have on the host, whatever their lengths are.

use super::device::{gpu, gpu_alone};
use super::skip::skipped;
use super::splitmix::Random;
use reduce_dsl::parse::spec;
use reduce_ir::{Scalar, f16};
use reduce_lanes::Lanes;
use reduce_runtime::cudarc::driver::{CudaContext, CudaSlice, sys};
use reduce_runtime::{Device, DeviceInput, Error, Reducer, SegmentsError, View};

pub(super) const SPECS: [&str; 16] = [
    "op: sum, ty: f32",
    "op: sum, ty: f64",
    "op: sum, ty: f16",
    "op: max, ty: f32",
    "op: min, ty: i8, empty: 0",
    "op: sum, ty: i32",
    "op: argmax, ty: f32, empty: 9",
    "op: mean, ty: f32",
    "op: var, ty: f32",
    "op: mean, ty: f32, nan: ignore",
    "op: argmax, ty: f32, filter: |x| x > 0.7",
    "inputs: { x: f32, y: f32 }, op: dot",
    "ty: f32, params: { a: f32 }, map: |x| a * x, op: sum",
    "ty: f32, index: i, map: |x| x * (i as f32), op: sum",
    "op: describe, ty: f32",
    "ty: f32, acc: At { v: f32, w: f32 }, map: |x| At { v: x, w: -x }, op: |a, b| if b.v >= a.v { b } else { a }, \
     identity: none, commutative: false",
];

/// Lengths of many kinds: alike, mixed, empty, and one that is much longer than all others.
fn lengths(random: &mut Random) -> Vec<(&'static str, Vec<usize>)> {
    let mut uniform =
        |count: usize, most: u64| (0..count).map(|_| random.below(most) as usize).collect::<Vec<_>>();
    let short = uniform(30_000, 9);
    let giant = |at: usize| {
        let mut lengths = short.clone();
        lengths[at] = 1_500_000;
        lengths
    };
    vec![
        ("none", vec![]),
        ("all empty", vec![0; 50_000]),
        ("of one", vec![1; 20_000]),
        ("of 16", vec![16; 10_000]),
        ("of 33", vec![33; 6000]),
        ("of 1000", vec![1000; 500]),
        ("uniform 4", uniform(50_000, 9)),
        ("uniform 64", uniform(10_000, 129)),
        ("uniform 1024", uniform(400, 2049)),
        ("uniform 16384", uniform(30, 32_769)),
        ("uniform 2^20", uniform(3, 1 << 21)),
        ("half empty", uniform(30_000, 2).into_iter().map(|some| some * 7).collect()),
        ("a giant first", giant(0)),
        ("a giant in the middle", giant(15_000)),
        ("a giant last", giant(29_999)),
    ]
}

pub(super) fn offsets(lengths: &[usize], first: usize) -> Vec<usize> {
    let mut all = vec![first];
    lengths.iter().for_each(|length| all.push(all[all.len() - 1] + length));
    all
}

pub(super) fn elements(ty: Scalar, len: usize) -> Lanes {
    let number = |at: usize| ((at.wrapping_mul(2_654_435_761) % 100_003) as f32 - 50_000.0) * 1.37e-5;
    let (all, is) = (0..len, |of: Scalar| of == ty);
    if is(Scalar::F32) {
        Lanes::from(all.map(number).collect::<Vec<f32>>())
    } else if is(Scalar::F64) {
        Lanes::from(all.map(|at| f64::from(number(at))).collect::<Vec<f64>>())
    } else if is(Scalar::F16) {
        Lanes::from(all.map(|at| f16::from_f32(number(at))).collect::<Vec<f16>>())
    } else if is(Scalar::I8) {
        Lanes::from(all.map(|at| (number(at) * 100.0) as i8).collect::<Vec<i8>>())
    } else {
        Lanes::from(all.map(|at| (number(at) * 1e6) as i32).collect::<Vec<i32>>())
    }
}

pub(super) fn lanes_of(ty: Scalar, offsets: &[usize]) -> Lanes {
    if ty == Scalar::U32 {
        Lanes::from(offsets.iter().map(|&at| at as u32).collect::<Vec<_>>())
    } else if ty == Scalar::I32 {
        Lanes::from(offsets.iter().map(|&at| at as i32).collect::<Vec<_>>())
    } else if ty == Scalar::I64 {
        Lanes::from(offsets.iter().map(|&at| at as i64).collect::<Vec<_>>())
    } else {
        Lanes::from(offsets.iter().map(|&at| at as u64).collect::<Vec<_>>())
    }
}

#[test]
fn segments_have_the_bits_of_the_host() {
    let Some(device) = gpu("segments_have_the_bits_of_the_host") else { return };
    let mut random = Random::new(1);
    let all = lengths(&mut random);
    for (number, text) in SPECS.iter().enumerate() {
        let ty = [Scalar::U32, Scalar::U64, Scalar::I32, Scalar::I64][number % 4];
        let spec = spec(&format!("{text}, segments: {ty}")).unwrap_or_else(|error| panic!("{text}: {error}"));
        let [on_gpu, on_host] =
            [&*device, &Device::host()].map(|device| Reducer::new(&spec, device).unwrap());
        for (at, (name, lengths)) in all.iter().enumerate() {
            let cut = offsets(lengths, [0, 7][at % 2]);
            let len = cut[cut.len() - 1] + [0, 5][at / 2 % 2];
            let data: Vec<_> = spec.operation.inputs.iter().map(|input| elements(input.ty, len)).collect();
            let views: Vec<_> = data.iter().map(|data| View::new(data.borrow(), [len])).collect();
            let cut = lanes_of(ty, &cut);
            let params: Vec<_> = spec.operation.params.iter().map(|_| 1.5f32.into()).collect();
            let [found, expected] = [&on_gpu, &on_host]
                .map(|reducer| reducer.reduce_segments(&views, cut.borrow(), &params).unwrap());
            let differs = (0..expected.len()).find(|&group| found.get(group) != expected.get(group));
            if let Some(group) = differs {
                panic!(
                    "{text}, {name}: segment {group} of {} elements is {:?} instead of {:?}",
                    lengths[group],
                    found.get(group),
                    expected.get(group)
                );
            }
        }
    }
}

#[test]
fn wrong_offsets_on_the_device_are_errors_at_the_read() {
    let Some(device) = gpu("wrong_offsets_on_the_device_are_errors_at_the_read") else { return };
    let sums = Reducer::new(&spec("op: sum, ty: f32, segments: i32").unwrap(), &device).unwrap();
    let stream = CudaContext::new(0).unwrap().default_stream();
    let x = stream.clone_htod(&vec![1.0f32; 100_000]).unwrap();
    let right: Vec<i32> = (0..5001).map(|at| at * 20).collect();
    let cut = stream.clone_htod(&right).unwrap();
    let (x, input) = (DeviceInput::new(&x), [100_000usize]);
    let view = [View::new(&x, input)];
    let mut into = sums.reduce_segments_device(&view, &DeviceInput::new(&cut), &[]).unwrap();
    let found = into.read().unwrap();
    assert!((0..5000).all(|at| found.get(at) == Some(vec![20.0f32.into()])));
    for (at, value) in
        [(1, -1), (4999, i32::MIN), (2500, 7), (2500, 99_999), (5000, 100_001), (0, -20), (3, i32::MAX)]
    {
        let mut wrong = right.clone();
        wrong[at] = value;
        let cut = stream.clone_htod(&wrong).unwrap();
        sums.reduce_segments_into(&view, &DeviceInput::new(&cut), &[], &mut into).unwrap();
        let error = into.read().unwrap_err();
        let Error::Segments(SegmentsError::Wrong { segment }) = error else { panic!("{error}") };
        assert!(segment as usize + 1 == at || segment as usize == at, "{at}, {value}: {segment}");
    }
    // The memory is as good as new.
    sums.reduce_segments_into(&view, &DeviceInput::new(&cut), &[], &mut into).unwrap();
    assert_eq!(into.read().unwrap().get(4999), Some(vec![20.0f32.into()]));
}

/// Prints how fast segments are, as parts of a read. `REDUCEGEN_SEGMENTS` selects the kinds by name.
#[test]
fn segments_are_as_fast_as_memory() {
    let test = "segments_are_as_fast_as_memory";
    let Ok(only) = std::env::var("REDUCEGEN_SEGMENTS") else {
        return skipped(test, "REDUCEGEN_SEGMENTS names no kinds of lengths".to_owned());
    };
    let Some(device) = gpu_alone(test) else { return };
    let source = std::env::var("REDUCEGEN_SPEC").unwrap_or_else(|_| "op: sum, ty: f32".to_owned());
    let sums = Reducer::new(&spec(&format!("{source}, segments: u32")).unwrap(), &device).unwrap();
    let n = 1usize << 28;
    let stream = CudaContext::new(0).unwrap().default_stream();
    let x = stream.clone_htod(elements_of_f32(n).as_slice()).unwrap();
    let x = DeviceInput::new(&x);
    let mut random = Random::new(5);
    let mut until = |mut next: Box<dyn FnMut(&mut Random) -> usize>| {
        let mut all = vec![0u32];
        while (all[all.len() - 1] as usize) < n {
            let end = (all[all.len() - 1] as usize + next(&mut random)).min(n);
            all.push(end as u32);
        }
        all
    };
    let mut kinds: Vec<(String, Vec<u32>)> = Vec::new();
    for mean in [4usize, 16, 64, 256, 1024, 65_536] {
        kinds.push((
            format!("uniform {mean}"),
            until(Box::new(move |random| random.below(2 * mean as u64 + 1) as usize)),
        ));
        let geometric = move |random: &mut Random| {
            let unit = (random.below(1 << 53) as f64 + 0.5) / (1u64 << 53) as f64;
            (unit.ln() / (1.0 - 1.0 / (mean as f64 + 1.0)).ln()) as usize
        };
        kinds.push((format!("geometric {mean}"), until(Box::new(geometric))));
    }
    for mean in [4usize, 16, 256] {
        let power = move |random: &mut Random| {
            let unit = (random.below(1 << 53) as f64 + 0.5) / (1u64 << 53) as f64;
            ((mean as f64 / 13.8 / unit) as usize).min(1_000_000)
        };
        kinds.push((format!("power {mean}"), until(Box::new(power))));
    }
    for length in [16usize, 1] {
        kinds.push((
            format!("all {length}"),
            (0..=n >> usize::from(length == 1)).step_by(length).map(|at| at as u32).collect(),
        ));
    }
    let mut giant: Vec<u32> = vec![0, 1 << 27];
    giant.extend((1 << 27..=1u32 << 28).step_by(4).skip(1));
    kinds.push(("giant".to_owned(), giant));
    kinds.push(("half empty".to_owned(), until(Box::new(|random| random.below(2) as usize * 8))));
    kinds.push(("all empty".to_owned(), vec![0; 1 << 26]));
    for (name, cut) in kinds.into_iter().filter(|(name, _)| name.contains(&only)) {
        let elements = cut[cut.len() - 1] as usize;
        let segments = cut.len() - 1;
        let cut: CudaSlice<u32> = stream.clone_htod(&cut).unwrap();
        let cut = DeviceInput::new(&cut);
        let x = View::new(&x, [elements]);
        let mut into = sums.reduce_segments_device(std::slice::from_ref(&x), &cut, &[]).unwrap();
        let events =
            [(); 2].map(|()| stream.context().new_event(Some(sys::CUevent_flags::CU_EVENT_DEFAULT)).unwrap());
        let mut times: Vec<f32> = (0..9)
            .map(|_| {
                events[0].record(&stream).unwrap();
                sums.reduce_segments_into(std::slice::from_ref(&x), &cut, &[], &mut into).unwrap();
                events[1].record(&stream).unwrap();
                events[0].elapsed_ms(&events[1]).unwrap()
            })
            .collect();
        times.sort_by(f32::total_cmp);
        let bytes = 4 * (elements + segments + 1 + segments);
        let read = device.time_read(bytes as u64).unwrap().as_secs_f64();
        let time = f64::from(times[4]) / 1e3;
        println!("{name}: {segments} segments, {:.0} us, {:.3} of a read", time * 1e6, read / time);
    }
}

fn elements_of_f32(n: usize) -> Vec<f32> {
    let Lanes::F32(all) = elements(Scalar::F32, n) else { panic!("they are f32") };
    all.to_vec()
}

/// Lengths of runs, their keys and the runs that the host finds.
#[test]
fn runs_have_the_bits_of_the_host() {
    let Some(device) = gpu("runs_have_the_bits_of_the_host") else { return };
    let stream = CudaContext::new(0).unwrap().default_stream();
    let mut random = Random::new(12);
    for source in ["op: sum, ty: f32", "op: argmax, ty: f32", "op: mean, ty: f32", "op: var, ty: f32"] {
        let spec = spec(&format!("{source}, by: {{ key: u32 }}, groups: runs")).unwrap();
        let [on_gpu, on_host] = [&device, &Device::host()].map(|device| Reducer::new(&spec, device).unwrap());
        for most in [1u64, 3, 9, 130, 5000, 300_000] {
            let mut keys = Vec::new();
            while keys.len() < 700_001 {
                let (key, length) = (keys.len() as u32, 1 + random.below(most) as usize);
                keys.extend(std::iter::repeat_n(key, length));
            }
            for n in [1, 31, 8192, 8193, 700_001] {
                let (x, keys) = (elements_of_f32(n), &keys[..n]);
                let view = View::new(x.as_slice().into(), [n]);
                let wanted = on_host.reduce_runs(std::slice::from_ref(&view), keys.into(), &[]).unwrap();
                let (x, keys) = (stream.clone_htod(&x).unwrap(), stream.clone_htod(keys).unwrap());
                let (x, keys) = (DeviceInput::new(&x), DeviceInput::new(&keys));
                let view = View::new(&x, [n]);
                let mut runs = on_gpu.reduce_runs_device(std::slice::from_ref(&view), &keys, &[]).unwrap();
                assert_eq!(runs.read().unwrap(), wanted, "{source}, runs up to {most}, {n} elements");
                on_gpu.reduce_runs_into(std::slice::from_ref(&view), &keys, &[], &mut runs).unwrap();
                assert_eq!(runs.read().unwrap(), wanted, "{source}, runs up to {most}, {n} elements again");
            }
        }
    }
}

/// Keys of every type, NaN and zeros.
#[test]
fn runs_of_keys_of_every_type() {
    let Some(device) = gpu("runs_of_keys_of_every_type") else { return };
    let stream = CudaContext::new(0).unwrap().default_stream();
    let x = stream.clone_htod(&[1.0f32; 8]).unwrap();
    let x = DeviceInput::new(&x);
    let count = |ty: Scalar, keys: &DeviceInput<'_>| {
        let spec = spec(&format!("op: sum, ty: f32, by: {{ key: {ty} }}, groups: runs")).unwrap();
        let reducer = Reducer::new(&spec, &device).unwrap();
        let mut runs = reducer.reduce_runs_device(&[View::new(&x, [8])], keys, &[]).unwrap();
        let runs = runs.read().unwrap();
        (0..runs.groups.len()).map(|at| runs.groups.get(at).unwrap()[0].as_f64().unwrap()).collect::<Vec<_>>()
    };
    let other = f32::from_bits(f32::NAN.to_bits() + 1);
    let floats = stream.clone_htod(&[0.0, -0.0, f32::NAN, f32::NAN, other, 1.0, 1.0, 2.0f32]).unwrap();
    assert_eq!(count(Scalar::F32, &DeviceInput::new(&floats)), [2.0, 2.0, 1.0, 2.0, 1.0]);
    let halves = [0.0, -0.0, 1.0, 1.0, 1.0, -1.0, f32::NAN, f32::NAN].map(f16::from_f32);
    let halves = stream.clone_htod(&halves).unwrap();
    assert_eq!(count(Scalar::F16, &DeviceInput::new(&halves)), [2.0, 3.0, 1.0, 2.0]);
    let bytes = stream.clone_htod(&[1i8, 1, -1, -1, -1, 0, 0, 1]).unwrap();
    assert_eq!(count(Scalar::I8, &DeviceInput::new(&bytes)), [2.0, 3.0, 2.0, 1.0]);
    let long = stream.clone_htod(&[1u64 << 40, 1 << 41, 1 << 41, 0, 0, 0, 7, 7]).unwrap();
    assert_eq!(count(Scalar::U64, &DeviceInput::new(&long)), [1.0, 2.0, 3.0, 2.0]);
}

/// Prints how fast runs are, as parts of a read of keys, values, and the keys and results of runs. `REDUCEGEN_RUNS` selects the mean lengths.
#[test]
fn runs_are_as_fast_as_memory() {
    let test = "runs_are_as_fast_as_memory";
    let Ok(only) = std::env::var("REDUCEGEN_RUNS") else {
        return skipped(test, "REDUCEGEN_RUNS names no lengths".to_owned());
    };
    let Some(device) = gpu_alone(test) else { return };
    let sums =
        Reducer::new(&spec("op: sum, ty: f32, by: { key: u32 }, groups: runs").unwrap(), &device).unwrap();
    let n = 1usize << 28;
    let stream = CudaContext::new(0).unwrap().default_stream();
    let x = stream.clone_htod(elements_of_f32(n).as_slice()).unwrap();
    let x = DeviceInput::new(&x);
    let mut random = Random::new(5);
    for mean in [4usize, 64, 4096] {
        if !only.split(',').any(|word| word == mean.to_string()) {
            continue;
        }
        let (mut keys, mut runs) = (Vec::with_capacity(n + 100_000), 0u32);
        while keys.len() < n {
            let unit = (random.below(1 << 53) as f64 + 0.5) / (1u64 << 53) as f64;
            let length = 1 + (unit.ln() / (1.0 - 1.0 / mean as f64).ln()) as usize;
            keys.extend(std::iter::repeat_n(runs, length));
            runs += 1;
        }
        keys.truncate(n);
        let keys = stream.clone_htod(&keys).unwrap();
        let (keys, view) = (DeviceInput::new(&keys), View::new(&x, [n]));
        let mut into = sums.reduce_runs_device(std::slice::from_ref(&view), &keys, &[]).unwrap();
        let events =
            [(); 2].map(|()| stream.context().new_event(Some(sys::CUevent_flags::CU_EVENT_DEFAULT)).unwrap());
        let mut times: Vec<f32> = (0..9)
            .map(|_| {
                events[0].record(&stream).unwrap();
                sums.reduce_runs_into(std::slice::from_ref(&view), &keys, &[], &mut into).unwrap();
                events[1].record(&stream).unwrap();
                events[0].elapsed_ms(&events[1]).unwrap()
            })
            .collect();
        times.sort_by(f32::total_cmp);
        let bytes = 8 * n + 8 * runs as usize;
        let read = device.time_read(bytes as u64).unwrap().as_secs_f64();
        let time = f64::from(times[4]) / 1e3;
        println!("runs of {mean}: {runs} runs, {:.0} us, {:.3} of a read", time * 1e6, read / time);
    }
}
