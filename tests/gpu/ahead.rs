//! Kernels that were compiled ahead run without NVRTC, with the bits of those that NVRTC compiles. A process loads NVRTC once, so each
//! part runs in a process of its own, which is this test again.

use super::device;
use reducegen::{
    Cache, Compiler, Device, Error, KernelsError, Reduction, Target, View, install_kernels, reduction,
};
use std::process::Command;

static ENERGY: Reduction<f32, f32> = reduction! { ty: f32, map: |x| x * x, op: sum };
static OTHER: Reduction<f32, f32> = reduction! { ty: f32, map: |x| x * 3.0, op: sum };

/// The environment variable with the path of the kernels, in the process without NVRTC.
const FILE: &str = "REDUCEGEN_TEST_KERNELS";

fn samples() -> Vec<f32> {
    (0..3_000_000).map(|i| (i % 1013) as f32 * 0.37).collect()
}

#[test]
fn kernels_compiled_ahead_need_no_nvrtc() {
    if let Some(path) = std::env::var_os(FILE) {
        return without_nvrtc(&std::fs::read(path).unwrap());
    }
    let Some(device) = device::gpu("kernels_compiled_ahead_need_no_nvrtc") else { return };
    let rows = reduction! { ty: f64, op: mean, axes: i j -> i };
    let columns = reduction! { ty: i32, op: max, axes: i j -> j };
    let segments = reduction! { ty: f32, op: sum, segments: u32 };
    let keys = reduction! { ty: f32, op: sum, by: { key: u32 }, groups: 3 };
    let specs =
        [ENERGY.spec(), rows.spec(), columns.spec(), segments.spec(), keys.spec()].map(Result::unwrap);
    let target = Target::Cubin(device.architecture().unwrap());
    let bytes = Compiler::new(Cache::off()).compile_ahead(&specs, &[target]).unwrap();
    let path = std::env::temp_dir().join(format!("reducegen-ahead-{}.bin", std::process::id()));
    std::fs::write(&path, bytes).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["kernels_compiled_ahead_need_no_nvrtc", "--nocapture"])
        .envs([(FILE, path.as_os_str()), ("REDUCEGEN_NVRTC", "/nowhere/libnvrtc.so".as_ref())])
        .env("REDUCEGEN_CACHE", "off")
        .output()
        .unwrap();
    std::fs::remove_file(&path).unwrap();
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && text.contains("ran without NVRTC"), "{text}");
}

/// Runs the reductions of the file, in a process whose NVRTC cannot be loaded.
fn without_nvrtc(bytes: &[u8]) {
    assert!(Device::cuda(0).is_err(), "without kernels, a device needs NVRTC");
    let started = std::time::Instant::now();
    // SAFETY: `compile_ahead` made them, in the process that started this one.
    unsafe { install_kernels(bytes) }.unwrap();
    let device = Device::cuda(0).unwrap();
    let x = samples();
    for n in [1, 100, 10_000, x.len()] {
        let found = ENERGY.reduce_on(&device, &x[..n]).unwrap();
        assert_eq!(found.to_bits(), ENERGY.reduce_on(&Device::host(), &x[..n]).unwrap().to_bits(), "{n}");
    }
    let rows = reduction! { ty: f64, op: mean, axes: i j -> i };
    let columns = reduction! { ty: i32, op: max, axes: i j -> j };
    let segments = reduction! { ty: f32, op: sum, segments: u32 };
    let keys = reduction! { ty: f32, op: sum, by: { key: u32 }, groups: 3 };
    let doubles: Vec<f64> = x[..60_000].iter().map(|&x| x.into()).collect();
    let whole: Vec<i32> = x[..60_000].iter().map(|&x| x as i32).collect();
    for shape in [[3, 20_000], [20_000, 3], [200, 300]] {
        let (doubles, whole) = (View::new(&doubles, shape), View::new(&whole, shape));
        let found = rows.compile(&device).unwrap().reduce(doubles.clone()).unwrap();
        assert_eq!(found, rows.compile(&Device::host()).unwrap().reduce(doubles).unwrap());
        let found = columns.compile(&device).unwrap().reduce(whole.clone()).unwrap();
        assert_eq!(found, columns.compile(&Device::host()).unwrap().reduce(whole).unwrap());
    }
    let offsets = [0, 5, 5, 40_000, 60_000];
    let on = |device: &Device| segments.with_device(device).reduce_segments(&x[..60_000], &offsets).unwrap();
    assert_eq!(on(&device), on(&Device::host()));
    let of: Vec<u32> = (0..60_000).map(|i| i % 3).collect();
    let on = |device: &Device| keys.with_device(device).reduce_keys(&x[..60_000], &of).unwrap();
    assert_eq!(on(&device), on(&Device::host()));
    let error = OTHER.reduce_on(&device, &x).unwrap_err();
    assert!(matches!(error, Error::Kernels(KernelsError::Missing { .. })), "{error}");
    println!("ran without NVRTC, in {:?}", started.elapsed());
}
