//! Measured times on a GPU are plausible.

use super::cases::{FLAGSHIP, LISTS, auto, spec};
use super::data::Kind;
use super::device::gpu_alone;
use reduce_ir::Scalar;
use reduce_lanes::LanesRef;
use reduce_runtime::{Error, Reducer};
use std::time::Duration;

#[test]
fn a_reduction_takes_as_long_as_its_launches_and_no_less_than_a_read() {
    let test = "a_reduction_takes_as_long_as_its_launches_and_no_less_than_a_read";
    let Some(device) = gpu_alone(test) else { return };
    let n = 1 << 26;
    let read = device.time_read(4 * n as u64).unwrap();
    let lanes = Kind::Plain.lanes(Scalar::F32, n);
    for list in [FLAGSHIP, LISTS[2]] {
        let reducer = Reducer::new(&spec("sum", Scalar::F32, list), &device).unwrap();
        let timing = reducer.time(&[lanes.borrow()]).unwrap();
        assert_eq!(
            timing.launches.len(),
            reducer.programs().for_len(n as u64).plan().launches(n as u64).len()
        );
        let sum: Duration = timing.launches.iter().sum();
        println!("{:?}: {timing:?}, read {read:?}", list.0);
        // Single launches overlap less than launches in a row, and clocks vary.
        assert!(timing.plan < 2 * sum && sum < 2 * timing.plan, "{timing:?}");
        assert!(timing.plan.as_secs_f64() > 0.9 * read.as_secs_f64(), "{timing:?}, read {read:?}");
    }
    let nanoseconds = read.as_nanos() as usize;
    assert!((50..20_000).contains(&(4 * n / nanoseconds)), "{} GB/s", 4 * n / nanoseconds);
}

#[test]
fn small_data_is_read_from_memory_at_every_call() {
    let Some(device) = gpu_alone("small_data_is_read_from_memory_at_every_call") else { return };
    let [little, much] = [1 << 20, 1 << 30].map(|bytes: u64| {
        let read = device.time_read(bytes).unwrap();
        println!("{bytes} bytes: {read:?}");
        bytes as f64 / read.as_secs_f64()
    });
    assert!(little < 1.1 * much, "{little} and {much} bytes a second");
}

#[test]
fn no_elements_take_no_time() {
    let Some(device) = gpu_alone("no_elements_take_no_time") else { return };
    let reducer = Reducer::new(&spec("sum", Scalar::F32, LISTS[0]), &device).unwrap();
    let error = reducer.time(&[LanesRef::from(&[0.0f32; 0][..])]).unwrap_err();
    assert!(matches!(error, Error::NothingToTime) && error.is_usage_error(), "{error}");
    assert!(device.time_read(0).unwrap() > Duration::ZERO);
}

/// Moments, norms and means of `f32` take little more time than a read. For `f64` they are bound by arithmetic, and are
/// only printed.
#[test]
fn moments_norms_and_means_are_as_fast_as_memory() {
    let Some(device) = gpu_alone("moments_norms_and_means_are_as_fast_as_memory") else { return };
    for (ty, n) in [(Scalar::F32, 1usize << 28), (Scalar::F64, 1 << 27)] {
        let lanes = Kind::Plain.lanes(ty, n);
        let read = device.time_read((ty.size() * n) as u64).unwrap();
        for name in ["var", "std", "describe", "norm2", "mean", "skewness", "kurtosis"] {
            let reducer = Reducer::new(&auto(name, ty), &device).unwrap();
            let time = reducer.time(&[lanes.borrow()]).unwrap().plan;
            let fraction = read.as_secs_f64() / time.as_secs_f64();
            println!("{name} of {ty}: {time:?}, {fraction:.3} of a read");
            let is_bound = ty == Scalar::F32 && !["skewness", "kurtosis"].contains(&name);
            assert!(!is_bound || fraction > 0.9, "{name}: {time:?}, read {read:?}");
        }
    }
}
