//! Sources of data and targets of output, and failures to write.

use crate::folder::Folder;
use crate::npy;
use crate::rotation::sample;
use std::fs::File;
use std::io::{Write as _, pipe};
use std::process::Stdio;

const EMIT: [&str; 2] = ["emit", "op: max, ty: f32"];

#[test]
fn a_closed_pipe_is_no_error() {
    let folder = Folder::of("pipe");
    for args in [&EMIT[..], &["devices"], &["--help"], &["emit", "--help"], &["--version"]] {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        let output = folder.command(args).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
    }
}

/// Passes more data than a pipe holds, by both names of the standard input.
#[test]
fn data_come_from_pipes() {
    let folder = Folder::of("piped");
    let elements: Vec<u8> = (0..100_000u32).flat_map(|i| (i as f64).to_le_bytes()).collect();
    let file = [&npy::file(&npy::header("<f8", false, "(100000,)"), &[])[..], &elements].concat();
    for (args, bytes) in
        [(&["-", "--raw", "f64"][..], elements), (&["-"], file.clone()), (&["/dev/stdin"], file)]
    {
        let (reader, mut writer) = pipe().unwrap();
        let args = [&["run", "op: sum", "--device", "host"], args].concat();
        let command = folder.command(&args).stdin(reader).stdout(Stdio::piped()).spawn().unwrap();
        writer.write_all(&bytes).unwrap();
        drop(writer);
        let output = command.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "4999950000.0\n", "{args:?}");
    }
}

#[test]
fn errors_that_nobody_reads_keep_their_status() {
    let (reader, writer) = pipe().unwrap();
    drop(reader);
    let folder = Folder::of("closed_errors");
    let output = folder.command(&["emit", "op: maxx, ty: f32"]).stderr(writer).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_full_disk_is_the_machines_fault() {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = Folder::of("full").command(&EMIT).stdout(full).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.starts_with("error: the standard output cannot be written: "), "{stderr}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_file_that_cannot_be_written_is_the_machines_fault() {
    let folder = Folder::of("unwritable");
    insta::assert_snapshot!(folder.show_all(
        1,
        &[
            &["emit", "op: max, ty: f32", "-o", "no/folder/max.cu"],
            &["emit", "op: max, ty: f32", "-o", "."],
            &["emit", "op: max, ty: f32", "-o", "/dev/full"],
        ]
    ));
}

#[test]
fn help_and_version_are_printed() {
    let folder = Folder::of("help");
    insta::assert_snapshot!(folder.show_all(0, &[&["--help"], &["emit", "-h"], &["run", "--help"]]));
    assert_eq!(folder.stdout(&["--version"]), format!("reducegen {}\n", env!("CARGO_PKG_VERSION")));
}

/// Runs the examples that need neither data, nor a GPU or its compiler; a rotating third of them.
#[test]
fn examples_of_the_help_run() {
    let folder = Folder::of("examples");
    let helps = [
        &["--help"][..],
        &["emit", "--help"],
        &["run", "--help"],
        &["explain", "--help"],
        &["ladder", "--help"],
    ];
    let help: String = helps.iter().map(|args| folder.stdout(args)).collect();
    let needs = |line: &&str| [".npy", ".bin", ".part", "@", "cuda"].iter().any(|it| line.contains(it));
    let examples =
        help.lines().filter_map(|line| line.strip_prefix("  reducegen ")).filter(|line| !needs(line));
    let examples: Vec<_> = examples.collect();
    assert!(examples.len() > 10, "{examples:?}");
    for example in sample(examples, 6) {
        // Spaces or single quotes separate words.
        let parts = example.split('\'').enumerate();
        let words = parts.flat_map(|(at, part)| match at % 2 {
            0 => part.split_whitespace().collect(),
            _ => vec![part],
        });
        folder.stdout(&words.collect::<Vec<_>>());
    }
}

#[test]
fn devices_begin_with_the_host() {
    let devices = Folder::of("devices").stdout(&["devices"]);
    let lines: Vec<_> = devices.lines().collect();
    assert!(lines[0].starts_with("host ") && lines[0].contains("thread"), "{devices}");
    assert!(lines[1].starts_with("cuda ") && lines[1].contains("not usable: "), "{devices}");
}
