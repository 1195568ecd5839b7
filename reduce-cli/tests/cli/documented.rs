//! The commands of the guide, as readers would copy them: each succeeds, and prints the number in its comment.

use std::path::Path;
use std::process::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Returns the lines of the shell blocks of a page.
fn shell_lines(page: &str) -> Vec<String> {
    let path = Path::new(ROOT).join("docs/guide/src").join(page);
    let text = std::fs::read_to_string(path).unwrap();
    let blocks = text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default());
    blocks.flat_map(str::lines).map(str::to_owned).collect()
}

/// Returns the output of a command line in the root of the repository, without NVRTC and without a GPU.
fn stdout(line: &str) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_reducegen")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(ROOT).env("PATH", path);
    let output =
        shell.env("REDUCEGEN_NVRTC", "/no/libnvrtc.so").env("CUDA_VISIBLE_DEVICES", "").output().unwrap();
    assert!(output.status.success(), "{line}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_command_of_the_guide_succeeds() {
    let lines =
        ["axes.md", "segments.md", "group-by.md", "emit.md", "command.md", "partials.md", "report.md"]
            .map(shell_lines)
            .concat();
    assert!(lines.len() > 15, "{lines:?}");
    // The last line names a file that is not there.
    let columns = shell_lines("from-parquet.md").into_iter().filter(|line| line.contains("trips.parquet"));
    let lines = lines.into_iter().chain(columns.filter(|_| cfg!(feature = "formats")));
    for line in lines {
        let printed = stdout(&line);
        let comment = line.rsplit_once("# ").map_or("", |(_, comment)| comment);
        if comment.parse::<f64>().is_ok() {
            assert_eq!(printed.trim(), comment, "{line}");
        }
    }
}
