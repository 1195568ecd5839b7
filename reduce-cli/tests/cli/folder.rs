//! A folder of files for one test, and runs of the command in it.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A folder in which the command runs, so that messages name files without their folders.
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Creates the empty folder of a test.
    pub(crate) fn of(test: &str) -> Folder {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
        if path.exists() {
            fs::remove_dir_all(&path).unwrap();
        }
        fs::create_dir_all(&path).unwrap();
        Folder { path }
    }

    /// Adds a file.
    pub(crate) fn with(self, name: &str, bytes: impl AsRef<[u8]>) -> Folder {
        fs::write(self.path(name), bytes).unwrap();
        self
    }

    /// Returns the path of a file.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Returns the contents of a file.
    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// Returns the command with those arguments. It finds no NVRTC and no GPU unless a test allows it.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reducegen"));
        command.args(args).current_dir(&self.path).stdin(Stdio::null());
        command.env("REDUCEGEN_NVRTC", "/no/libnvrtc.so").env("CUDA_VISIBLE_DEVICES", "");
        command
    }

    /// Runs the command, and asserts that it does not panic.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        let output = self.command(args).output().unwrap();
        let status = output.status.code();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            matches!(status, Some(0..=2)) && !stderr.contains("panicked"),
            "{args:?}: {status:?}\n{stderr}"
        );
        output
    }

    /// Returns the output of a run, which must succeed.
    pub(crate) fn stdout(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Returns the result that `run` prints, on the host.
    pub(crate) fn result(&self, spec: &str, files: &[&str]) -> String {
        let args = [&["run", spec, "--device", "host"], files].concat();
        self.stdout(&args).trim_end().to_owned()
    }

    /// Returns a run as a terminal shows it, and its exit status. Times are replaced by `…`.
    pub(crate) fn show(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let command: Vec<_> = args.iter().map(|arg| quoted(arg)).collect();
        let (stdout, stderr) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let stderr: String = stderr.lines().map(|line| format!("! {}\n", without_times(line))).collect();
        let status = output.status.code().unwrap();
        format!("$ reducegen {}\n{stdout}{stderr}exit status {status}\n\n", command.join(" "))
    }

    /// Shows several runs, and asserts that each ends with `status`.
    pub(crate) fn show_all(&self, status: i32, runs: &[&[&str]]) -> String {
        let check = |args: &&[&str]| {
            let shown = self.show(args);
            assert!(shown.ends_with(&format!("exit status {status}\n\n")), "{shown}");
            shown
        };
        runs.iter().map(check).collect()
    }
}

fn quoted(arg: &str) -> String {
    if arg.is_empty() || arg.contains([' ', '<', '|', '{', '[', '(']) {
        format!("'{arg}'")
    } else {
        arg.to_owned()
    }
}

fn without_times(line: &str) -> String {
    match (line.split_once(" in "), line.split_once(" GB/s)")) {
        (Some((before, _)), Some((_, after))) => format!("{before} in … us (… GB/s){after}"),
        _ => line.to_owned(),
    }
}
