//! Numbered groups on a GPU have the bits that they have on the host, whatever the keys are.

use super::device::{gpu, gpu_alone};
use super::skip::skipped;
use super::splitmix::Random;
use reduce_dsl::parse::spec;
use reduce_ir::{Scalar, Value};
use reduce_lanes::{Lanes, LanesRef};
use reduce_runtime::cudarc::driver::{CudaContext, sys};
use reduce_runtime::{Device, DeviceInput, Error, Reducer, SegmentsError, View};

const SPECS: [&str; 16] = [
    "op: sum, ty: f32",
    "op: sum, ty: f64",
    "op: sum, ty: f16",
    "op: max, ty: f32",
    "op: min, ty: i8, empty: 0",
    "op: sum, ty: i32",
    "op: argmax, ty: f32",
    "op: mean, ty: f32",
    "op: var, ty: f32",
    "op: mean, ty: f32, nan: ignore",
    "op: argmax, ty: f32, filter: |x| x > 0.7",
    "ty: f32, params: { a: f32 }, map: |x| a * x, op: sum",
    "ty: f32, index: i, map: |x| x * (i as f32), op: sum",
    "op: describe, ty: f32",
    "ty: f32, map: |x| 1u64, op: sum",
    "ty: f32, map: |x| x * x, op: sum, fold: |acc, x| acc + x * x",
];

/// The numbers of groups: tables of threads, of warps, and in memory.
const GROUPS: [u64; 8] = [1, 3, 64, 100, 300, 1000, 5000, 20_000];

fn elements(ty: Scalar, n: usize, random: &mut Random) -> Lanes {
    let mut all = Lanes::empty(ty);
    for _ in 0..n {
        let number = random.below(120);
        let text = if ty.is_float() { format!("{}", number as f64 / 64.0) } else { number.to_string() };
        let value = Value::parse(ty, &text).unwrap();
        all.extend(Lanes::splat(value, 1).borrow());
    }
    all
}

/// Keys of many kinds: uniform, skewed, one hot key, sorted.
fn keys(groups: u64, n: usize, random: &mut Random) -> Vec<(&'static str, Vec<u32>)> {
    let mut of = |key: fn(&mut Random, u64) -> u64| -> Vec<u32> {
        (0..n).map(|_| key(random, groups) as u32).collect()
    };
    let uniform = of(|random, groups| random.below(groups));
    let skewed = of(|random, groups| random.below(groups) * random.below(groups) / groups);
    let mut sorted = uniform.clone();
    sorted.sort_unstable();
    vec![
        ("uniform", uniform),
        ("skewed", skewed),
        ("one key", vec![groups as u32 / 2; n]),
        ("sorted", sorted),
    ]
}

fn line(lanes: LanesRef<'_>) -> View<LanesRef<'_>> {
    View::new(lanes, [lanes.len()])
}

#[test]
fn groups_have_the_bits_of_the_host() {
    let Some(device) = gpu("groups_have_the_bits_of_the_host") else { return };
    let mut random = Random::new(7);
    for fields in SPECS {
        for (at, groups) in GROUPS.into_iter().enumerate() {
            let text = format!("{fields}, by: {{ key: u32 }}, groups: {groups}");
            let spec = spec(&text).unwrap();
            let [on_gpu, on_host] =
                [&device, &Device::host()].map(|device| Reducer::new(&spec, device).unwrap());
            let params = spec.operation.params.iter().map(|_| Value::of(1.7f32)).collect::<Vec<_>>();
            for n in [0, 1, 33, 5000, 100_003 + at] {
                let x = elements(spec.operation.inputs[0].ty, n, &mut random);
                for (name, keys) in keys(groups, n, &mut random) {
                    let (x, keys) = ([line(x.borrow())], keys.as_slice());
                    let reduce =
                        |reducer: &Reducer| reducer.reduce_keys(&x, line(keys.into()), &params).unwrap();
                    let (found, wanted) = (reduce(&on_gpu), reduce(&on_host));
                    let first = (0..found.len()).find(|&group| found.get(group) != wanted.get(group));
                    if let Some(group) = first {
                        panic!(
                            "{text}: {n} elements, {name}: group {group} is {:?}, not {:?}",
                            found.get(group),
                            wanted.get(group)
                        );
                    }
                }
            }
        }
    }
}

/// Elements that do not begin at a multiple of a load, and keys of every type.
#[test]
fn keys_have_any_type_and_place() {
    let Some(device) = gpu("keys_have_any_type_and_place") else { return };
    let mut random = Random::new(8);
    for ty in [Scalar::U8, Scalar::I8, Scalar::U16, Scalar::I16, Scalar::I32, Scalar::U64, Scalar::I64] {
        let text = format!("op: sum, ty: f32, by: {{ key: {ty} }}, groups: 100");
        let spec = spec(&text).unwrap();
        let (x, keys) = (elements(Scalar::F32, 30_000, &mut random), elements(ty, 30_000, &mut random));
        for (from, step) in [(0, 1), (1, 1), (3, 2), (29_999, -1)] {
            let view = |lanes| View { data: lanes, offset: from, lengths: vec![14_000], steps: vec![step] };
            let keys: Vec<u64> = (0..keys.len()).map(|at| keys.get(at).bits() % 100).collect();
            let mut all = Lanes::empty(ty);
            keys.iter().for_each(|&key| all.extend(Lanes::splat(Value::from_bits(ty, key), 1).borrow()));
            let reduce = |device: &Device| {
                let reducer = Reducer::new(&spec, device).unwrap();
                reducer.reduce_keys(&[view(x.borrow())], view(all.borrow()), &[]).unwrap()
            };
            assert_eq!(reduce(&device), reduce(&Device::host()), "{text}, from {from} by {step}");
        }
    }
}

#[test]
fn computed_keys_and_dropped_elements() {
    let Some(device) = gpu("computed_keys_and_dropped_elements") else { return };
    let mut random = Random::new(9);
    let x = elements(Scalar::F32, 200_000, &mut random);
    for groups in [2, 50, 700] {
        let text = format!(
            "ty: f32, params: {{ scale: f32 }}, by: |x| ((x - 0.2) * scale) as u32, groups: {groups}, others: drop, \
             map: |x| 1u64, op: sum"
        );
        let spec = spec(&text).unwrap();
        let reduce = |device: &Device| {
            let reducer = Reducer::new(&spec, device).unwrap();
            reducer.reduce_groups(&[line(x.borrow())], &[Value::of(groups as f32)]).unwrap()
        };
        assert_eq!(reduce(&device), reduce(&Device::host()), "{text}");
    }
}

#[test]
fn a_key_that_is_no_group_is_an_error() {
    let Some(device) = gpu("a_key_that_is_no_group_is_an_error") else { return };
    let stream = CudaContext::new(0).unwrap().default_stream();
    for groups in [10u32, 1000, 20_000] {
        let spec = spec(&format!("op: sum, ty: f32, by: {{ key: i64 }}, groups: {groups}")).unwrap();
        let sums = Reducer::new(&spec, &device).unwrap();
        let x = vec![1.0f32; 50_000];
        for wrong in [i64::from(groups), -1, i64::MIN, i64::MAX, 1 << 32] {
            let mut keys = vec![1i64; 50_000];
            (keys[40_000], keys[31_234]) = (wrong, wrong);
            let error = |found: Result<_, Error>| match found {
                Err(Error::Segments(SegmentsError::Key { position: 31_234, groups: found })) => {
                    assert_eq!(found, u64::from(groups));
                }
                other => panic!("{other:?}"),
            };
            let (views, at) = ([line(x.as_slice().into())], line(keys.as_slice().into()));
            error(sums.reduce_keys(&views, at.clone(), &[]).map(|_| ()));
            let host = Reducer::new(&spec, &Device::host()).unwrap();
            error(host.reduce_keys(&views, at, &[]).map(|_| ()));
            let (x, at) = (stream.clone_htod(&x).unwrap(), stream.clone_htod(&keys).unwrap());
            let (x, at) = (DeviceInput::new(&x), DeviceInput::new(&at));
            let views = [View::new(&x, [50_000usize])];
            let mut results = sums.reduce_keys_device(&views, Some(&at), &[]).unwrap();
            error(results.read().map(|_| ()));
            // The error does not stay.
            let right = stream.clone_htod(&vec![1i64; 50_000]).unwrap();
            let right = DeviceInput::new(&right);
            sums.reduce_keys_into(&views, Some(&right), &[], &mut results).unwrap();
            assert_eq!(results.read().unwrap().get(1), Some(vec![Value::of(50_000f32)]));
        }
    }
}

/// Prints how fast numbered groups are, as parts of a read. `REDUCEGEN_KEYS` selects the cases by name.
#[test]
fn groups_are_as_fast_as_memory() {
    let test = "groups_are_as_fast_as_memory";
    let Ok(only) = std::env::var("REDUCEGEN_KEYS") else {
        return skipped(test, "REDUCEGEN_KEYS names no cases".to_owned());
    };
    let Some(device) = gpu_alone(test) else { return };
    let n: usize = 1 << std::env::var("REDUCEGEN_LOG_N").map_or(28, |log| log.parse().unwrap());
    let stream = CudaContext::new(0).unwrap().default_stream();
    let mut random = Random::new(5);
    let bits: Vec<u32> = (0..n).map(|_| random.below(1 << 32) as u32).collect();
    let x: Vec<f32> = bits.iter().map(|bits| (bits >> 8) as f32 / (1 << 24) as f32).collect();
    let x = stream.clone_htod(&x).unwrap();
    let sum = "inputs: { x: f32 }, op: sum, by: { key: u32 }";
    let count = "inputs: { x: u32 }, by: |x| x, map: |x| 1u64, op: sum";
    let count_of_32 = "inputs: { x: u32 }, by: |x| x, map: |x| 1u32, op: sum, acc: u32";
    let whole = "inputs: { x: i32 }, op: sum, by: { key: u32 }";
    let largest = "inputs: { x: f32 }, op: max, by: { key: u32 }";
    let mean = "inputs: { x: f32 }, op: mean, by: { key: u32 }";
    let mut cases = Vec::new();
    for groups in [4u32, 16, 64, 96, 256, 1024, 4096, 8192, 65_536] {
        for (kind, fields) in [
            ("sum", sum),
            ("count", count),
            ("count32", count_of_32),
            ("i32", whole),
            ("max", largest),
            ("mean", mean),
        ] {
            for hot in [false, true] {
                cases.push((kind, fields, groups, hot));
            }
        }
    }
    for (kind, fields, groups, hot) in cases {
        let name = format!("{kind} {groups} {}", if hot { "hot" } else { "uniform" });
        if !only.split(',').any(|word| name.contains(word)) {
            continue;
        }
        let keys: Vec<u32> = bits.iter().map(|bits| if hot { groups / 2 } else { bits % groups }).collect();
        let keys = stream.clone_htod(&keys).unwrap();
        let reducer = match Reducer::new(&spec(&format!("{fields}, groups: {groups}")).unwrap(), &device) {
            Ok(reducer) => reducer,
            Err(error) => panic!("{name}: {error}"),
        };
        let integers = integers_of(&x);
        let at = DeviceInput::new(&keys);
        let (input, given) = match kind {
            "count" | "count32" => (DeviceInput::new(&keys), None),
            "i32" => (DeviceInput::new(&integers), Some(&at)),
            _ => (DeviceInput::new(&x), Some(&at)),
        };
        let views = [View::new(&input, [n])];
        let mut into = reducer.reduce_keys_device(&views, given, &[]).unwrap();
        let events =
            [(); 2].map(|()| stream.context().new_event(Some(sys::CUevent_flags::CU_EVENT_DEFAULT)).unwrap());
        let mut times: Vec<f32> = (0..7)
            .map(|_| {
                events[0].record(&stream).unwrap();
                reducer.reduce_keys_into(&views, given, &[], &mut into).unwrap();
                events[1].record(&stream).unwrap();
                events[0].elapsed_ms(&events[1]).unwrap()
            })
            .collect();
        times.sort_by(f32::total_cmp);
        let bytes = 4 * n * (1 + usize::from(given.is_some()));
        let read = device.time_read(bytes as u64).unwrap().as_secs_f64();
        let time = f64::from(times[3]) / 1e3;
        println!("{name}: {:.0} us, {:.3} of a read", time * 1e6, read / time);
    }
}

/// Integers made of the bits of floats.
fn integers_of(
    x: &reduce_runtime::cudarc::driver::CudaSlice<f32>,
) -> reduce_runtime::cudarc::driver::CudaSlice<i32> {
    let bits: Vec<f32> = x.stream().clone_dtoh(x).unwrap();
    let bits: Vec<i32> = bits.iter().map(|x| x.to_bits() as i32 & 0xff).collect();
    x.stream().clone_htod(&bits).unwrap()
}
