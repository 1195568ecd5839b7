//! Data that is reduced piece by piece: long pipes, and files that are larger than a few windows.
#![cfg(target_os = "linux")]

use crate::folder::Folder;
use crate::npy::{file, header};
use std::fs::File;
use std::io::pipe;
use std::process::{Output, Stdio};

/// More bytes than are kept before the association no longer changes.
const LONG: u64 = 400 << 20;

/// Makes a sparse file of `bytes` bytes.
fn sparse(folder: &Folder, name: &str, bytes: u64) {
    let file = File::options().write(true).create(true).truncate(false).open(folder.path(name)).unwrap();
    file.set_len(bytes).unwrap();
}

/// Writes some elements at a place.
fn put(folder: &Folder, name: &str, at: u64, elements: &[f32]) {
    let bytes: Vec<u8> = elements.iter().flat_map(|element| element.to_le_bytes()).collect();
    let file = File::options().write(true).open(folder.path(name)).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, &bytes, at).unwrap();
}

fn from_pipe(folder: &Folder, args: &[&str], source: &str) -> Output {
    let source = File::open(folder.path(source)).unwrap();
    let (reader, writer) = pipe().unwrap();
    let run =
        folder.command(args).stdin(reader).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut source, mut writer) = (source, writer);
    // The command may end before it has read everything.
    let _ = std::io::copy(&mut source, &mut writer);
    drop(writer);
    run.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The result of a run as JSON, without times.
fn json(output: &Output) -> serde_json::Value {
    assert!(output.status.success(), "{}", text(&output.stderr));
    let mut line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(line["gb_per_s"].as_f64().unwrap() > 0.0, "{line}");
    for time in ["kernel_us", "total_us", "gb_per_s"] {
        line.as_object_mut().unwrap().remove(time);
    }
    line
}

/// A file and pipes of its bytes, whose number of elements a header has or has not.
#[test]
fn pipes_and_large_files_have_the_bits_of_the_whole() {
    let count = LONG / 4;
    let start = file(&header("<f4", false, &format!("({count},)")), &[]);
    let folder = Folder::of("larger").with("x.npy", &start);
    sparse(&folder, "x.npy", start.len() as u64 + LONG);
    let ramp: Vec<f32> = (0..300_000).map(|at| 1.0 / (1.0 + at as f32)).collect();
    for place in [0, 77_777_777, count - 300_000] {
        put(&folder, "x.npy", start.len() as u64 + 4 * place, &ramp);
    }
    for spec in ["op: sum", "op: argmax, ty: f32", "op: var, ty: f32"] {
        let whole = json(&folder.run(&["run", spec, "x.npy", "--device", "host", "--json"]));
        let piped = json(&from_pipe(&folder, &["run", spec, "-", "--json"], "x.npy"));
        assert_eq!(piped, whole, "{spec}");
        // The list of passes has one chunk, so the data is kept.
        let listed = format!("{spec}, passes: [serial]");
        assert!(
            spec != "op: argmax, ty: f32"
                || from_pipe(&folder, &["run", &listed, "-"], "x.npy").status.success()
        );
    }
    let raw = Folder::of("larger_raw");
    sparse(&raw, "x", LONG);
    put(&raw, "x", 4 * 77_777_777, &ramp);
    let args = ["run", "op: sum, ty: f32", "--json", "--raw", "f32"];
    let whole = json(&raw.run(&[&args[..], &["x", "--device", "host"]].concat()));
    assert_eq!(json(&from_pipe(&raw, &[&args[..], &["-"]].concat(), "x")), whole);
}

#[test]
fn a_pipe_that_ends_early_or_late_is_an_error() {
    let start = file(&header("<f4", false, "(30000000,)"), &[]);
    let folder = Folder::of("larger_short").with("x.npy", &start).with("y.npy", &start);
    sparse(&folder, "x.npy", start.len() as u64 + (40 << 20));
    sparse(&folder, "y.npy", start.len() as u64 + 120_000_001);
    for (name, expected) in
        [("x.npy", "the elements end after 10485760 of 30000000"), ("y.npy", "bytes follow the array")]
    {
        let output = from_pipe(&folder, &["run", "op: sum", "-"], name);
        assert!(text(&output.stderr).contains(expected), "{}", text(&output.stderr));
        assert_eq!(text(&output.stdout), "");
    }
}

/// The file is cut short while it is reduced, which takes longer than this test waits.
#[test]
fn a_large_file_that_shrinks_is_an_error() {
    let folder = Folder::of("larger_shrinks");
    sparse(&folder, "x", 3 << 30);
    let args = ["run", "op: var, ty: f32", "--device", "host", "--raw", "f32", "x"];
    let mut command = folder.command(&args);
    let run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(200));
    sparse(&folder, "x", 1 << 20);
    let output = run.wait_with_output().unwrap();
    assert!(
        text(&output.stderr).starts_with("error: x: this file was cut short"),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_full_disk_is_an_error_of_the_result() {
    let folder = Folder::of("larger_full").with("x", [0; 400]);
    for args in [
        &["run", "op: sum, ty: f32", "--raw", "f32", "x", "-o", "/dev/full", "--device", "host"][..],
        &["partial", "op: sum, ty: f32", "--raw", "f32", "x", "-o", "/dev/full", "--part", "1/1"],
    ] {
        let output = folder.run(args);
        assert_eq!(output.status.code(), Some(1));
        assert!(
            text(&output.stderr).contains("/dev/full cannot be written: No space left"),
            "{}",
            text(&output.stderr)
        );
    }
}
