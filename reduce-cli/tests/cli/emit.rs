//! Tests of the output of `emit`.

use crate::folder::Folder;
use crate::skip::needed;
use std::env::var_os;
use std::process::Output;

const SPEC: &str = "op: max, ty: f32, passes: [shuffle, coarsen(4)]";

#[test]
fn every_form_of_text() {
    let folder = Folder::of("forms");
    insta::assert_snapshot!(folder.show_all(
        0,
        &[
            &["emit", SPEC, "--to", "spec"],
            &["emit", SPEC, "--to", "ir"],
            &["emit", SPEC, "--to", "association"],
            &["emit", SPEC, "--to", "ir", "--after-each-pass"],
            &["emit", SPEC, "--to", "ir", "--diff"],
            &["emit", "op: max, ty: f32, passes: [shuffle, unroll]", "--to", "association", "--diff"],
        ]
    ));
}

#[test]
fn cuda_after_each_pass_ends_with_the_cuda_of_the_whole() {
    let folder = Folder::of("steps");
    let whole = folder.stdout(&["emit", SPEC]);
    let steps = folder.stdout(&["emit", SPEC, "--after-each-pass"]);
    assert!(whole.contains("extern \"C\" __global__"), "{whole}");
    assert!(steps.ends_with(&format!("// ==== coarsen(4) ====\n{whole}\n")), "{steps}");
    let none = folder.run(&["emit", "op: max, ty: f32, passes: []", "--diff"]);
    assert_eq!((&none.stdout[..], &none.stderr[..]), (&b""[..], &b"no passes: nothing changes\n"[..]));
    let diff = folder.stdout(&["emit", SPEC, "--diff"]);
    assert!(
        diff.contains("--- naive\n+++ shuffle\n@@") && diff.contains("--- shuffle\n+++ coarsen(4)\n@@"),
        "{diff}"
    );
}

#[test]
fn every_spelling_of_a_specification_is_the_same() {
    let folder = Folder::of("spellings")
        .with("fields.reduce", format!("// the largest\n{}\n", SPEC.replace(", ", ",\n")))
        .with("call.reduce", format!("reduction! {{\n    {SPEC},\n}}\n"));
    let cuda = folder.stdout(&["emit", SPEC]);
    for spelling in [
        format!("reduction!< {SPEC} >"),
        format!("reduction! {{ {SPEC} }}"),
        format!("reduction!({SPEC})"),
        format!("reduction![{SPEC}]"),
        "@fields.reduce".to_owned(),
        "@call.reduce".to_owned(),
        folder.stdout(&["emit", SPEC, "--to", "spec"]),
    ] {
        assert_eq!(folder.stdout(&["emit", &spelling]), cuda, "{spelling}");
    }
}

#[test]
fn a_file_gets_what_the_standard_output_would() {
    let folder = Folder::of("output");
    let cuda = folder.stdout(&["emit", SPEC]);
    assert_eq!(folder.stdout(&["emit", SPEC, "-o", "max.cu"]), "");
    assert_eq!(String::from_utf8(folder.read("max.cu")).unwrap(), cuda);
}

/// Runs `emit` with the NVRTC of this machine; `None` if it has none.
fn with_nvrtc(test: &str, folder: &Folder, args: &[&str]) -> Option<Output> {
    let mut command = folder.command(&[&["emit", SPEC], args].concat());
    command.env_remove("REDUCEGEN_NVRTC");
    command.envs(var_os("REDUCEGEN_NVRTC").map(|path| ("REDUCEGEN_NVRTC", path)));
    let output = command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let found = !stderr.contains("NVRTC, which compiles the kernels, was not found");
    needed(test, "REDUCEGEN_REQUIRE_NVRTC", found.then_some(()).ok_or(stderr))?;
    Some(output)
}

#[test]
fn ptx_is_for_the_architecture_asked_for() {
    let folder = Folder::of("ptx");
    for (args, target) in [(&["--to", "ptx"][..], "sm_75"), (&["--to", "ptx", "--arch", "sm_90"], "sm_90")] {
        let test = "ptx_is_for_the_architecture_asked_for";
        let Some(output) = with_nvrtc(test, &folder, args) else { return };
        let ptx = String::from_utf8_lossy(&output.stdout);
        assert!(ptx.contains(&format!(".target {target}")), "{args:?}: {output:?}");
        assert!(ptx.contains(".visible .entry reduce_inputs("), "{args:?}: {ptx}");
    }
}

#[test]
fn a_cubin_is_machine_code() {
    let (test, args) = ("a_cubin_is_machine_code", ["--to", "cubin", "--arch", "sm_90"]);
    let Some(output) = with_nvrtc(test, &Folder::of("cubin"), &args) else {
        return;
    };
    assert!(output.stdout.starts_with(b"\x7fELF"), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn an_architecture_that_nvrtc_does_not_know_is_refused() {
    let folder = Folder::of("unknown_architecture");
    let test = "an_architecture_that_nvrtc_does_not_know_is_refused";
    // CUDA 13 calls it sm_110.
    let Some(output) = with_nvrtc(test, &folder, &["--to", "cubin", "--arch", "sm_101"]) else { return };
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.starts_with("error: this NVRTC does not know sm_101; it compiles for sm_"), "{stderr}");
    assert_eq!(output.status.code(), Some(2));
}
