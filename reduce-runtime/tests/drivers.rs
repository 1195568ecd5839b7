//! The messages on machines that lack a part of CUDA, tested in child processes with a simulated driver or none.
#![cfg(all(feature = "cuda", target_os = "linux"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../tests/support/skip.rs"]
mod skip;

use reduce_runtime::{Device, Nvrtc, devices};
use skip::{needed, skipped};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The reason to skip tests that need a machine without NVRTC.
const ELSEWHERE: &str = "this machine has an NVRTC in the loader's folders or in /usr/local/cuda";

/// Builds a libcuda for CUDA `version` without the function `missing`. `cuInit` returns the error `init`.
fn driver(name: &str, version: u32, init: u32, missing: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let others = OTHERS.split_whitespace().filter(|function| *function != missing);
    let others: String = others
        .map(|function| {
            format!(
                "int {function}() {{ return 1; }}
"
            )
        })
        .collect();
    let source = format!(
        "int cuDriverGetVersion(int* version) {{ *version = {version}; return 0; }}
\
         int cuInit(unsigned flags) {{ return {init}; }}
\
         int cuDeviceGetCount(int* count) {{ *count = 0; return 0; }}
\
         int cuGetErrorName(int error, const char** name) {{ *name = \"CUDA_ERROR_SAMPLE\"; return 0; }}
\
         int cuGetErrorString(int error, const char** text) {{ *text = \"a sample\"; return 0; }}
{others}"
    );
    std::fs::write(folder.join("cuda.c"), source).unwrap();
    let compiler = Command::new("cc")
        .args(["-shared", "-fPIC", "-o", "libcuda.so", "cuda.c"])
        .current_dir(&folder)
        .status();
    assert!(compiler.unwrap().success(), "cc makes the sample driver");
    folder
}

/// The functions of the driver that only a device needs.
const OTHERS: &str = "
    cuCtxGetCurrent cuCtxSetCurrent cuCtxSynchronize cuDeviceGet cuDeviceGetAttribute cuDeviceGetName cuDevicePrimaryCtxRelease_v2
    cuDevicePrimaryCtxRetain cuDeviceTotalMem_v2 cuEventCreate cuEventDestroy_v2 cuEventRecord cuFuncSetAttribute cuLaunchKernelEx
    cuMemAllocAsync cuMemAlloc_v2 cuMemFreeAsync cuMemFree_v2 cuMemGetInfo_v2 cuMemcpyDtoHAsync_v2
    cuMemcpyHtoDAsync_v2 cuMemsetD32Async cuMemsetD8Async cuModuleGetFunction cuModuleLoadData cuModuleUnload cuOccupancyMaxPotentialClusterSize cuStreamCreate cuStreamDestroy_v2 cuStreamIsCapturing
    cuStreamSynchronize cuStreamWaitEvent";

/// Returns the output of the test `report` in a child process.
fn seen_with(variables: &[(&str, &Path)]) -> String {
    seen_in(Path::new("."), variables)
}

/// As [`seen_with`], with another working folder.
fn seen_in(folder: &Path, variables: &[(&str, &Path)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.current_dir(folder);
    command.args(["--exact", "report", "--nocapture"]).envs(variables.iter().copied());
    let output = command.output().unwrap();
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success() && !err.contains("panicked"), "{out}\n{err}");
    out
}

/// The part of the other tests that runs in child processes: nothing panics, and the host is always listed.
#[test]
fn report() {
    let listings = devices();
    assert!(listings[0].name == "host" && listings[0].device.is_ok());
    for listing in &listings {
        match &listing.device {
            Ok(device) => println!("{}: {}", listing.name, device.description()),
            Err(error) => println!("{}: {error}", listing.name),
        }
    }
    println!("auto: {}", Device::auto().name());
    println!(
        "nvrtc: {}",
        Nvrtc::get().map_or_else(|error| error.to_string(), |it| it.path().display().to_string())
    );
}

#[test]
fn without_a_driver_the_message_says_what_to_install() {
    if Path::new("/proc/driver/nvidia").exists() || Path::new("/dev/nvidiactl").exists() {
        let test = "without_a_driver_the_message_says_what_to_install";
        return skipped(test, "this machine has an NVIDIA driver");
    }
    let text = seen_with(&[]);
    assert!(
        text.contains("cuda: there is no CUDA driver here (libcuda.so.1 was not found); install"),
        "{text}"
    );
    assert!(text.contains("auto: host"), "{text}");
}

#[test]
fn a_driver_that_is_no_library_says_what_the_loader_said() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no_library");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, text) in [
        ("libcuda.so.1", "no library, but a text of some length".repeat(100)),
        ("libcuda.so", "short".to_owned()),
    ] {
        std::fs::write(folder.join(name), text).unwrap();
        let seen = seen_with(&[("LD_LIBRARY_PATH", &folder)]);
        let expected =
            format!("cuda: the CUDA driver library cannot be loaded ({}: ", folder.join(name).display());
        assert!(seen.contains(&expected) && !seen.contains("not found"), "{seen}");
        assert!(seen.contains("auto: host"), "{seen}");
        std::fs::remove_file(folder.join(name)).unwrap();
    }
}

#[test]
fn a_driver_without_a_device_says_where_to_look() {
    let visible = [driver("init_no_device", 13000, 100, ""), driver("count_0", 13000, 0, "")];
    for folder in visible {
        let text = seen_with(&[("LD_LIBRARY_PATH", &folder)]);
        assert!(text.contains("cuda: the CUDA driver sees no device; check `nvidia-smi`"), "{text}");
        assert!(text.contains("auto: host"), "{text}");
    }
}

#[test]
fn an_old_driver_says_which_is_needed() {
    let text = seen_with(&[("LD_LIBRARY_PATH", &driver("old", 11040, 0, ""))]);
    assert!(text.contains("cuda: the CUDA driver supports CUDA 11.4, not 12.0 or newer"), "{text}");
}

#[test]
fn a_driver_that_lacks_a_function_does_not_panic() {
    let text = seen_with(&[("LD_LIBRARY_PATH", &driver("incomplete", 13000, 0, "cuLaunchKernelEx"))]);
    assert!(text.contains("cuda: the CUDA driver library has no cuLaunchKernelEx; reinstall"), "{text}");
}

#[test]
fn an_error_of_the_driver_has_its_name_and_code() {
    let text = seen_with(&[("LD_LIBRARY_PATH", &driver("mismatch", 13000, 803, ""))]);
    let expected = "cuda: the CUDA driver failed while starting: CUDA_ERROR_SAMPLE (803), a sample";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn a_wrong_path_to_nvrtc_is_not_passed_over() {
    let text = seen_with(&[("REDUCEGEN_NVRTC", Path::new("/nonexistent/libnvrtc.so.13"))]);
    let expected = "nvrtc: /nonexistent/libnvrtc.so.13 cannot be used as NVRTC: /nonexistent/libnvrtc.so.13: cannot open";
    assert!(text.contains(expected), "{text}");
}

/// Returns a folder with an NVRTC that these tests can link to.
fn nvrtc_folder(test: &str) -> Option<PathBuf> {
    let folder = Nvrtc::get().ok().and_then(|nvrtc| Some(nvrtc.path().parent()?.to_owned()));
    let folder = folder.filter(|folder| folder.is_dir());
    let found = folder.ok_or("there is no NVRTC outside the loader's folders");
    needed(test, "REDUCEGEN_REQUIRE_NVRTC", found)
}

#[test]
fn nvrtc_is_found_in_toolkits_and_python_environments() {
    let Some(real) = nvrtc_folder("nvrtc_is_found_in_toolkits_and_python_environments") else { return };
    let places = [
        ("VIRTUAL_ENV", "lib/python3.11/site-packages/nvidia/cu13/lib"),
        ("VIRTUAL_ENV", "lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib"),
        ("CONDA_PREFIX", "lib"),
        ("CUDA_PATH", "lib64"),
        ("CUDA_HOME", "lib"),
    ];
    for ((variable, place), i) in places.into_iter().zip(0..) {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("environment{i}"));
        let folder = root.join(place);
        std::fs::create_dir_all(folder.parent().unwrap()).unwrap();
        let _ = std::fs::remove_file(&folder);
        std::os::unix::fs::symlink(real.canonicalize().unwrap(), &folder).unwrap();
        // Places of this process must not be found first.
        let others = ["REDUCEGEN_NVRTC", "VIRTUAL_ENV", "CONDA_PREFIX", "CUDA_PATH", "CUDA_HOME"];
        let mut variables: Vec<_> = others.map(|other| (other, Path::new(""))).into();
        variables.push((variable, &root));
        let text = seen_with(&variables);
        assert!(
            text.contains(&format!("nvrtc: {}", folder.join("libnvrtc.so").display())),
            "{variable}: {text}"
        );
    }
}

/// Runs `report` with `root` as every searched place.
fn seen_with_environment(root: &Path) -> String {
    let mut variables: Vec<_> =
        ["VIRTUAL_ENV", "CONDA_PREFIX", "CUDA_PATH", "CUDA_HOME", "PATH", "LD_LIBRARY_PATH"]
            .map(|variable| (variable, root))
            .into();
    variables.push(("REDUCEGEN_NVRTC", Path::new("")));
    seen_with(&variables)
}

#[test]
fn an_nvrtc_that_is_there_and_does_not_load_is_named_with_the_reason() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("broken");
    let library = root.join("lib/libnvrtc.so.13");
    std::fs::create_dir_all(root.join("lib")).unwrap();
    std::fs::write(&library, "not a library, but long enough to have had an ELF header of sixty-four bytes")
        .unwrap();
    let text = seen_with_environment(&root);
    let said = text.lines().find_map(|line| line.strip_prefix("nvrtc: ")).unwrap();
    if !said.contains(' ') {
        let test = "an_nvrtc_that_is_there_and_does_not_load_is_named_with_the_reason";
        return skipped(test, ELSEWHERE);
    }
    let library = library.display();
    let expected = format!("{library} cannot be used as NVRTC: {library}: invalid ELF header");
    assert!(said.starts_with(&expected), "{said}");
}

/// A library that is loaded runs code, and the working folder may belong to anybody.
#[test]
fn nothing_below_the_working_folder_is_loaded() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("planted");
    for environment in [".venv", ".cuda", "env"] {
        let lib = root.join(environment).join("lib");
        let wheel = lib.join("python3.12/site-packages/nvidia/planted/lib");
        for (folder, file) in [(&lib, "libnvrtc.so"), (&wheel, "libnvrtc.so.13")] {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(folder.join(file), "not a library").unwrap();
        }
    }
    std::fs::create_dir_all(root.join("env/bin")).unwrap();
    std::fs::write(root.join("env/bin/python3"), "").unwrap();
    let variables =
        ["VIRTUAL_ENV", "CONDA_PREFIX", "CUDA_PATH", "CUDA_HOME"].map(|it| (it, Path::new("env")));
    let others = [("PATH", Path::new("env/bin")), ("REDUCEGEN_NVRTC", Path::new(""))];
    let text = seen_in(&root, &[&variables[..], &others].concat());
    let said = text.lines().find(|line| line.starts_with("nvrtc: ")).unwrap();
    assert!(![".venv", ".cuda", "env/lib"].iter().any(|place| said.contains(place)), "{said}");
}

#[test]
fn without_nvrtc_the_message_says_how_to_get_it_and_where_it_was_searched() {
    let text = seen_with_environment(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("nothing"));
    let Some(message) = text.lines().find(|line| line.starts_with("nvrtc: NVRTC")) else {
        let test = "without_nvrtc_the_message_says_how_to_get_it_and_where_it_was_searched";
        return skipped(test, ELSEWHERE);
    };
    for part in ["pip install nvidia-cuda-nvrtc", "REDUCEGEN_NVRTC=/path/to/libnvrtc.so", "libnvrtc.so.13"] {
        assert!(message.contains(part), "{message}");
    }
}
