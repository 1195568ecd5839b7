//! `reducegen compile`: kernels compiled ahead.

use crate::folder::Folder;
use crate::skip::needed;
use std::env::var_os;

const SUM: &str = "ty: f32, op: sum, block: 64, passes: [shuffle]";

#[test]
fn kernels_go_to_a_file() {
    let folder = Folder::of("compile").with("max.reduce", "ty: f32, op: max, block: 64, passes: [shuffle]");
    let args = ["compile", SUM, "@max.reduce", "--arch", "sm_80,compute_90", "-o", "kernels.bin"];
    let mut command = folder.command(&args);
    command.env_remove("REDUCEGEN_NVRTC");
    command.envs(var_os("REDUCEGEN_NVRTC").map(|path| ("REDUCEGEN_NVRTC", path)));
    let output = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let found = !stderr.contains("NVRTC, which compiles the kernels, was not found");
    let found = found.then_some(()).ok_or(stderr.clone());
    if needed("kernels_go_to_a_file", "REDUCEGEN_REQUIRE_NVRTC", found).is_none() {
        return;
    }
    assert!(output.status.success() && output.stdout.is_empty(), "{stderr}");
    assert!(
        stderr.starts_with("kernels.bin: ") && stderr.ends_with(" KiB for sm_80, compute_90\n"),
        "{stderr}"
    );
    let bytes = folder.read("kernels.bin");
    assert!(bytes.starts_with(b"reducegen ahead\n"));
    let has = |text: &str| bytes.windows(text.len()).any(|it| it == text.as_bytes());
    assert!(has("sm_80 compute_90") && has(".visible .entry reduce_inputs(") && has("\x7fELF"));
}

#[test]
fn wrong_requests_are_refused() {
    let folder = Folder::of("compile_wrong");
    let lines: &[&[&str]] = &[
        &["compile", "ty: f32, op: summ", "--arch", "sm_90", "-o", "kernels.bin"],
        &["compile", "ty: f32, op: sum, passes: [shuffle, shuffle]", "--arch", "sm_90", "-o", "kernels.bin"],
        &["compile", SUM, "--arch", "sm_99", "-o", "kernels.bin"],
        &["compile", SUM, "--arch", "compute_91", "-o", "kernels.bin"],
        &["compile", SUM, "-o", "kernels.bin"],
        &["compile", SUM, "--arch", "sm_90"],
    ];
    insta::assert_snapshot!(folder.show_all(2, lines));
}
