//! Files with odd paths or contents, large files, and files that change: read and written.
#![cfg(target_os = "linux")]

use crate::folder::Folder;
use crate::npy::{file, header};
use std::fs::{self, File, Permissions};
use std::io::{Write as _, pipe};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::process::{Command, Output, Stdio};

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The second input is a pipe. Once the command has taken more than the pipe holds, the first input is mapped, and
/// is cut short.
#[test]
fn a_file_that_is_cut_short_is_an_error() {
    let zeros = vec![0; 1 << 20];
    for left in [0, 4096, zeros.len() as u64 - 1].repeat(8) {
        let folder = Folder::of("cut_short").with("x", &zeros);
        let (reader, mut writer) = pipe().unwrap();
        let mut command = folder.command(&["run", "op: dot", "--device", "host", "--raw", "f32", "x", "-"]);
        let command = command.stdin(reader).stdout(Stdio::piped()).stderr(Stdio::piped());
        let run = command.spawn().unwrap();
        writer.write_all(&zeros).unwrap();
        File::options().write(true).open(folder.path("x")).unwrap().set_len(left).unwrap();
        drop(writer);
        let output = run.wait_with_output().unwrap();
        let message = "error: x: this file was cut short, was written, or became unreadable during the \
                       reduction; reduce a copy of it\n";
        assert_eq!((stderr(&output).as_str(), output.status.code()), (message, Some(1)), "{left} bytes left");
    }
}

#[test]
fn pipes_and_copies_are_limited() {
    let folder = Folder::of("limited").with("bools", vec![1; 5000]).with("bytes", vec![1; 5000]);
    let zero = || File::open("/dev/zero").unwrap();
    let args = ["run", "op: sum", "-", "--raw", "u8", "--device", "host", "--limit", "1M"];
    let output = folder.command(&args).stdin(zero()).output().unwrap();
    let shown = [
        stderr(&output),
        folder.show_all(
            2,
            &[
                &["run", "op: count", "bools", "--raw", "bool", "--device", "host", "--limit", "4K"],
                &["run", "op: count", "bools", "--raw", "bool", "--device", "host", "--limit", "4KK"],
                &["run", "op: count", "bools", "--raw", "bool", "--device", "host", "--limit", "16777216T"],
            ],
        ),
        // Mapped data is not kept in memory.
        folder
            .show_all(0, &[&["run", "op: sum", "bytes", "--raw", "u8", "--device", "host", "--limit", "4K"]]),
    ];
    assert_eq!(output.status.code(), Some(2));
    insta::assert_snapshot!(shown.concat());
}

#[test]
fn a_copy_that_memory_does_not_hold_is_an_error() {
    let length = 3_u64 << 30;
    let misaligned = file(&format!("{:<53}\n", header("<f8", false, "(402653184,)").trim_end()), &[]);
    let folder = Folder::of("no_memory").with("bools", []).with("misaligned.npy", &misaligned);
    let resize = |name: &str, length| {
        File::options().write(true).open(folder.path(name)).unwrap().set_len(length).unwrap();
    };
    resize("bools", length);
    resize("misaligned.npy", misaligned.len() as u64 + length);
    for args in [&["bools", "--raw", "bool"][..], &["misaligned.npy"]] {
        let script = "ulimit -v 4000000; exec \"$@\"";
        let mut command = Command::new("sh");
        command.args(["-c", script, "sh", env!("CARGO_BIN_EXE_reducegen"), "run", "--device", "host"]);
        let command = command.arg("op: count").args(args).current_dir(folder.path(""));
        let output = command.output().unwrap();
        let expected = format!("there is no memory for a copy of {length} bytes");
        assert!(stderr(&output).contains(&expected), "{}", stderr(&output));
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn odd_paths_are_the_users_mistake() {
    let folder = Folder::of("odd_paths").with("x.npy", file(&header("O", false, "(3,)"), &[0; 24]));
    symlink("loop", folder.path("loop")).unwrap();
    insta::assert_snapshot!(folder.show_all(
        2,
        &[
            &["run", "op: sum", "loop"],
            &["run", "op: sum", "x.npy"],
            &["run", "op: sum", "/proc/cpuinfo", "--raw", "u8"],
            &["run", "op: sum", "/sys/kernel/mm/transparent_hugepage/enabled", "--raw", "u8"],
        ]
    ));
}

const EMIT: [&str; 4] = ["emit", "op: max, ty: f32", "-o", "max.cu"];

#[test]
fn a_file_is_replaced_whole_or_not_at_all() {
    let folder = Folder::of("replaced").with("former.cu", "former");
    fs::set_permissions(folder.path("former.cu"), Permissions::from_mode(0o640)).unwrap();
    symlink("former.cu", folder.path("max.cu")).unwrap();
    // As on a full disk, only a part can be written: 8 blocks of 512 bytes.
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh", env!("CARGO_BIN_EXE_reducegen")]).args(EMIT);
    let output = command.current_dir(folder.path("")).output().unwrap();
    let wrote = stderr(&output);
    assert!(wrote.starts_with("error: max.cu cannot be written: File too large"), "{wrote}");
    assert_eq!((output.status.code(), folder.read("former.cu")), (Some(1), b"former".to_vec()));
    assert_eq!(fs::read_dir(folder.path("")).unwrap().count(), 2, "nothing is left behind");

    folder.stdout(&EMIT);
    assert!(folder.read("former.cu").len() > 4096 && folder.path("max.cu").is_symlink());
    let mode = fs::metadata(folder.path("former.cu")).unwrap().mode();
    assert_eq!(format!("{:o}", mode & 0o777), "640", "an existing file keeps its permissions");
    assert_eq!(fs::read_dir(folder.path("")).unwrap().count(), 2);
}

#[test]
fn a_new_file_has_the_permissions_of_others() {
    let folder = Folder::of("new_file").with("other", "");
    folder.stdout(&EMIT);
    let mode = |name| fs::metadata(folder.path(name)).unwrap().mode();
    assert_eq!(mode("max.cu"), mode("other"));
}

#[test]
fn what_is_open_is_written_as_it_is() {
    let folder = Folder::of("open").with("out", "");
    let out = File::options().append(true).open(folder.path("out")).unwrap();
    let args = ["emit", "op: max, ty: f32", "-o", "/dev/stdout"];
    for to in [Stdio::from(out.try_clone().unwrap()), Stdio::piped()] {
        let output = folder.command(&args).stdout(to).spawn().unwrap().wait_with_output().unwrap();
        assert!(output.status.success());
    }
    (&out).write_all(b"// behind\n").unwrap();
    assert!(folder.read("out").ends_with(b"// behind\n"), "the file was not replaced");
}
