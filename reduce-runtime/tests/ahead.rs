//! Kernels that are compiled ahead, through a real NVRTC, which needs no GPU. They are loaded by a libcuda that pretends to have GPUs
//! (`driver/`), in a child process without NVRTC. Set REDUCEGEN_REQUIRE_NVRTC=1 to fail without NVRTC.
#![cfg(all(feature = "cuda", target_os = "linux"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod driver;
use driver::skip::needed;
use driver::{Calls, refuse_images, set_capability, with_driver_and};
use reduce_dsl::parse::spec;
use reduce_runtime::{Cache, Compiler, Device, Error, KernelsError, Nvrtc, Reducer, Target};
use std::path::Path;

fn install_kernels(bytes: &[u8]) -> Result<(), Error> {
    // SAFETY: a compiler made them, or they are refused.
    unsafe { reduce_runtime::install_kernels(bytes) }
}

fn compiler(test: &str) -> Option<Compiler> {
    needed(test, "REDUCEGEN_REQUIRE_NVRTC", Nvrtc::get())?;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("ahead-{test}"));
    let _ = std::fs::remove_dir_all(&folder);
    Some(Compiler::new(Cache::at(folder)))
}

fn targets(names: &[&str]) -> Vec<Target> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

#[test]
fn files_have_every_kernel_once_and_come_from_the_cache() {
    let Some(compiler) = compiler("files") else { return };
    let list = spec("ty: f32, op: sum, block: 64, passes: [shuffle]").unwrap();
    let targets = targets(&["sm_90", "compute_80", "9.0"]);
    let bytes = compiler.compile_ahead(&[list.clone(), list.clone()], &targets).unwrap();
    assert_eq!(compiler.compiled(), 2, "one program for two different targets");
    assert_eq!(compiler.compile_ahead(&[list], &targets).unwrap(), bytes);
    assert_eq!(compiler.compiled(), 2);
    install_kernels(&bytes).unwrap();
    // Twice is no error: libraries may ship the same kernels.
    install_kernels(&bytes).unwrap();
}

#[test]
fn wrong_files_are_named() {
    for other in [&b""[..], b"\x7fELF", b"reducegen cache\n", b"{ \"ty\": 1 }"] {
        assert_eq!(install_kernels(other), Err(Error::Kernels(KernelsError::NotKernels)));
    }
    assert_eq!(install_kernels(b"reducegen ahead\n\x01\0\0"), Err(Error::Kernels(KernelsError::Damaged)));
    let later = [&b"reducegen ahead\n\x63\0\0\0"[..], &[0; 64]].concat();
    let error = install_kernels(&later).unwrap_err();
    assert!(matches!(&error, Error::Kernels(KernelsError::Version { .. })) && error.is_usage_error());
    let text = error.to_string();
    assert!(text.contains("layout 99") && text.contains("compile them again"), "{text}");
}

#[test]
fn every_form_of_reduction_compiles_ahead() {
    let Some(compiler) = compiler("forms") else { return };
    let specs = [
        "ty: f32, op: sum",
        "ty: f32, op: argmax, layout: strided",
        "ty: u8, op: sum, axes: i j -> i",
        "ty: f32, op: sum, axes: i j -> j",
        "ty: f32, op: sum, segments: u64",
        "ty: f32, op: sum, by: { key: u32 }, groups: runs",
        "ty: f32, op: sum, by: { key: u8 }, groups: 16",
    ];
    // One each day: each takes NVRTC some seconds.
    let day = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs() as usize / 86_400;
    let all = std::env::var_os("REDUCEGEN_FULL").is_some();
    for (_, text) in specs.iter().enumerate().filter(|(at, _)| all || at % specs.len() == day % specs.len()) {
        let bytes = compiler.compile_ahead(&[spec(text).unwrap()], &targets(&["sm_90"])).unwrap();
        assert!(bytes.len() > 2000 && compiler.compiled() > 0, "{text}");
        install_kernels(&bytes).unwrap();
    }
}

#[test]
fn targets_that_lack_something_are_refused() {
    let Some(compiler) = compiler("refused") else { return };
    let newer = spec("ty: f32, op: sum, block: 64, passes: [shuffle, dependent]").unwrap();
    let error = compiler.compile_ahead(&[newer], &targets(&["sm_80"])).unwrap_err();
    assert!(matches!(error, Error::ArchitectureTooOld { .. }), "{error}");
    let sum = spec("ty: f32, op: sum, block: 64, passes: [shuffle]").unwrap();
    let error = compiler.compile_ahead(&[sum], &targets(&["sm_999"])).unwrap_err();
    assert!(matches!(error, Error::Nvrtc(_) | Error::UnknownArchitecture { .. }), "{error}");
}

const SUM: &str = "ty: f32, op: sum, block: 64, passes: [shuffle]";
const MAX: &str = "ty: f32, op: max, block: 64, passes: [shuffle]";
const AUTO: &str = "ty: f64, op: mean";

/// The environment variable with the path of the kernels, in the process without NVRTC.
const FILE: &str = "REDUCEGEN_TEST_KERNELS";

#[test]
fn a_gpu_needs_no_nvrtc_for_them() {
    const TEST: &str = "a_gpu_needs_no_nvrtc_for_them";
    if let Some(path) = std::env::var_os(FILE) {
        return without_nvrtc(&std::fs::read(path).unwrap());
    }
    let Some(compiler) = compiler(TEST) else { return };
    let specs = [SUM, AUTO].map(|text| spec(text).unwrap());
    let bytes = compiler.compile_ahead(&specs, &targets(&["sm_90", "compute_90"])).unwrap();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ahead.bin");
    std::fs::write(&path, bytes).unwrap();
    let variables = [("REDUCEGEN_NVRTC", "/nowhere/libnvrtc.so"), (FILE, path.to_str().unwrap())];
    assert!(with_driver_and(TEST, &variables).is_none());
}

fn without_nvrtc(bytes: &[u8]) {
    let error = Device::cuda(0).unwrap_err();
    assert!(matches!(error, Error::NvrtcUnusable { .. } | Error::NvrtcNotFound { .. }), "{error}");
    install_kernels(bytes).unwrap();
    let device = Device::cuda(0).unwrap();
    let reducer = |text: &str| Reducer::new(&spec(text).unwrap(), &device);
    let sum = reducer(SUM).unwrap();
    assert!(sum.reduce(&[&[1.0f32; 100][..]]).is_ok());
    assert_eq!(Calls::Loads.count(), 1);
    reducer(AUTO).unwrap().prepare_all().unwrap();
    let loaded = Calls::Loads.count();
    assert!(loaded > 3, "every variant: {loaded}");

    let missing = reducer(MAX).unwrap_err();
    assert!(matches!(missing, Error::Kernels(KernelsError::Missing { .. })) && missing.is_usage_error());
    assert!(missing.to_string().contains("compile its specification too"), "{missing}");
    drop(sum);
    // Images that the driver does not know, as of a newer CUDA, would be compiled again.
    refuse_images(1, 209);
    assert!(matches!(reducer(SUM), Err(Error::Kernels(KernelsError::Missing { .. }))));

    set_capability(12);
    let newer = Device::cuda(0).unwrap();
    assert!(Reducer::new(&spec(SUM).unwrap(), &newer).is_ok(), "PTX runs on newer GPUs");
    set_capability(8);
    let text = Device::cuda(0).unwrap_err().to_string();
    assert!(text.contains("the kernels are for sm_90, compute_90, and the GPU is sm_80"), "{text}");
}
