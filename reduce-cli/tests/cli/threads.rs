//! If the system gives no threads, short specifications are still read; for long ones the error blames the machine.
#![cfg(target_os = "linux")]

use crate::folder::Folder;
use crate::skip::skipped;
use std::process::{Command, Output};

/// Runs the command as a user who may have no more processes. Root has no limit, so it becomes nobody.
const LIMITED: &str = "
    case $(id -u) in
        0) exec setpriv --reuid=65534 --clear-groups prlimit --nproc=0:0 \"$@\" ;;
        *) exec prlimit --nproc=0:0 \"$@\" ;;
    esac";

fn limited(folder: &Folder, program: &str, args: &[&str]) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", LIMITED, "sh", program]).args(args).current_dir(folder.path(""));
    command.output().unwrap()
}

#[test]
fn without_threads_short_specifications_are_read() {
    let folder = Folder::of("no_threads");
    let program = env!("CARGO_BIN_EXE_reducegen");
    if !limited(&folder, program, &["--version"]).status.success() {
        let test = "without_threads_short_specifications_are_read";
        return skipped(test, "there is no prlimit, or others may not run what is built here");
    }
    // Confirms that the limit is in force.
    assert!(!limited(&folder, "sh", &["-c", "true | true"]).status.success());
    let short = "ty: f32, acc: R { lo: f32, hi: f32 }, map: |x| R { lo: x, hi: x }, identity: none, \
                 op: |a, b| R { lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) }";
    for args in [["emit", short], ["emit", "op: sum, ty: f32"]] {
        let output = limited(&folder, program, &args);
        assert_eq!(String::from_utf8_lossy(&output.stdout), folder.stdout(&args));
    }
    let wrong = limited(&folder, program, &["emit", "op: sun, ty: f32"]);
    assert_eq!(wrong.status.code(), Some(2), "its mistakes are found, too");

    let long = format!("ty: f32, op: sum, map: |x| x{}", " + x".repeat(100));
    let output = limited(&folder, program, &["emit", &long]);
    let said = String::from_utf8_lossy(&output.stderr);
    let message = "error: the system cannot start a thread to parse a specification of that length (";
    assert!(said.starts_with(message) && said.contains("ulimit -u"), "{said}");
    assert_eq!(output.status.code(), Some(1));
}
