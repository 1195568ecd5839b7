//! Compiling with a real NVRTC, which needs no GPU. Set REDUCEGEN_REQUIRE_NVRTC=1 to fail without one.
#![cfg(feature = "cuda")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../tests/support/skip.rs"]
mod skip;

use reduce_runtime::{Architecture, Error, Nvrtc, Target};
use skip::needed;
use std::path::Path;

const KERNEL: &str = r#"
extern "C" __global__ void twice(float* x) {
    __shared__ float items[32];
    items[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = items[31 - threadIdx.x] * 2.0f;
}
"#;

fn nvrtc(test: &str) -> Option<&'static Nvrtc> {
    needed(test, "REDUCEGEN_REQUIRE_NVRTC", Nvrtc::get())
}

fn sm_90() -> Architecture {
    Architecture::from_number(90)
}

#[test]
fn a_kernel_becomes_a_cubin_and_its_resources_are_known() {
    let Some(nvrtc) = nvrtc("a_kernel_becomes_a_cubin") else { return };
    let image = nvrtc.compile(KERNEL, Target::Cubin(sm_90())).unwrap();
    assert!(image.bytes.starts_with(b"\x7fELF"));
    let [twice] = image.resources.as_slice() else { unreachable!("one kernel: {:?}", image.resources) };
    assert_eq!((twice.kernel.as_str(), twice.shared), ("twice", 128));
    assert_eq!((twice.spill_stores, twice.spill_loads), (0, 0));
    assert!(twice.registers > 0, "{}", image.log);
}

#[test]
fn a_kernel_becomes_ptx_without_the_zero_at_its_end() {
    let Some(nvrtc) = nvrtc("a_kernel_becomes_ptx") else { return };
    let image = nvrtc.compile(KERNEL, Target::Ptx(sm_90())).unwrap();
    let text = String::from_utf8(image.bytes).unwrap();
    assert!(text.contains(".target sm_90") && text.contains(".entry twice"), "{text}");
    assert!(!text.contains('\0') && image.resources.is_empty());
}

#[test]
fn the_log_stands_over_the_numbered_source() {
    let Some(nvrtc) = nvrtc("the_log_stands_over_the_numbered_source") else { return };
    let error = nvrtc.compile(&KERNEL.replace("* 2.0f", "* two"), Target::Cubin(sm_90())).unwrap_err();
    assert!(matches!(error, Error::Nvrtc(_)) && !error.is_usage_error());
    let short = error.to_string();
    assert!(short.contains("reduce.cu(6): error") && !short.contains("   6 |"), "{short}");
    let message = format!("{error:#}");
    let log = message.find("reduce.cu(6): error").unwrap();
    let line = message.find("   6 |     x[threadIdx.x] = items[31 - threadIdx.x] * two;").unwrap();
    assert!(log < line && message.contains("identifier \"two\" is undefined"), "{message}");
}

#[test]
fn an_architecture_that_nvrtc_does_not_know_is_named_with_those_it_knows() {
    let Some(nvrtc) = nvrtc("an_architecture_that_nvrtc_does_not_know") else { return };
    let error = nvrtc.compile(KERNEL, Target::Cubin(Architecture::from_number(13))).unwrap_err();
    assert!(error.is_usage_error());
    let message = error.to_string();
    assert!(message.contains("sm_13") && message.contains("sm_90"), "{message}");
    assert!(nvrtc.architectures().is_sorted() && nvrtc.architectures().contains(&sm_90()));
}

#[test]
fn threads_compile_at_once() {
    let Some(nvrtc) = nvrtc("threads_compile_at_once") else { return };
    let compile = || nvrtc.compile(KERNEL, Target::Cubin(sm_90())).unwrap().bytes;
    let images =
        std::thread::scope(|scope| [0; 4].map(|_| scope.spawn(compile)).map(|thread| thread.join().unwrap()));
    assert!(images.iter().all(|image| *image == images[0]));
}

#[test]
fn files_that_are_not_nvrtc_are_refused() {
    for path in ["/nonexistent/libnvrtc.so", file!(), "/"] {
        // SAFETY: none of these files contains code.
        let error = unsafe { Nvrtc::open(Path::new(path)) }.unwrap_err();
        assert!(matches!(error, Error::NvrtcUnusable { .. }) && !error.is_usage_error(), "{error}");
        assert!(error.to_string().contains(path) && error.to_string().contains("REDUCEGEN_NVRTC"), "{error}");
    }
}

/// The kernel that reductions are compared with keeps all its loads in flight together.
#[test]
fn the_kernel_that_reads_loads_before_it_uses() {
    let Some(nvrtc) = nvrtc("the_kernel_that_reads_loads_before_it_uses") else { return };
    let kernel = include_str!("../src/cuda/read_all.cu");
    let loads = kernel.split_once("#define LOADS ").and_then(|(_, rest)| rest.split_whitespace().next());
    let ptx = nvrtc.compile(kernel, Target::Ptx(sm_90())).unwrap().bytes;
    let ptx = String::from_utf8_lossy(&ptx);
    let is_load = |line: &&str| line.contains("ld.global");
    let first = ptx.lines().skip_while(|line| !is_load(line));
    let run = first.take_while(|line| !line.contains("xor")).filter(is_load);
    assert_eq!(Some(run.filter(|line| line.contains("v4.")).count().to_string().as_str()), loads, "{ptx}");
    let cubin = nvrtc.compile(kernel, Target::Cubin(sm_90())).unwrap();
    assert!(!cubin.log.contains("warning") && cubin.resources[0].spill_stores == 0, "{}", cubin.log);
}

/// Each library is an NVRTC that returns one wrong number.
#[cfg(target_os = "linux")]
#[test]
fn numbers_that_cannot_be_right_are_errors() {
    let tried = [
        "-DLOG=-1",
        "-DLOG=1ul<<60",
        "-DCUBIN=1ul<<60",
        "-DCUBIN=0",
        "-DNAME=0",
        "-DCOUNT=-1",
        "-DCOUNT=1<<30",
    ];
    for (place, wrong) in tried.into_iter().enumerate() {
        let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("libwrong{place}.so"));
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/driver/wrong_nvrtc.c");
        let mut compiler = std::process::Command::new("cc");
        compiler.args(["-shared", "-fPIC", wrong, "-o"]).arg(&library).arg(source);
        assert!(compiler.status().unwrap().success());
        // SAFETY: it writes within the bounds that it is given.
        let compiled =
            unsafe { Nvrtc::open(&library) }.and_then(|it| it.compile(KERNEL, Target::Cubin(sm_90())));
        // If only the log is wrong, only the resources are unknown.
        assert_eq!(compiled.is_ok(), wrong.starts_with("-DLOG"), "{wrong}: {compiled:?}");
        assert!(!compiled.is_err_and(|error| error.is_usage_error()), "{wrong}");
    }
}
