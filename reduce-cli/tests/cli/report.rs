//! Tests of `report`, `ladder --html` and `playground`: pages for a browser. `tests/browser` looks at them.

use crate::folder::Folder;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

/// Returns the document of a page.
fn document(page: &[u8]) -> Value {
    let page = String::from_utf8(page.to_vec()).unwrap();
    let data = page.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
    serde_json::from_str(data).unwrap()
}

#[test]
fn a_report_has_the_result_of_the_host_and_the_counts_of_explain() {
    let folder = Folder::of("report");
    let spec = "op: sum, ty: f32, block: 64, passes: [shuffle, coarsen(4)]";
    folder.stdout(&["report", spec, "--n", "1024", "--device", "host", "-o", "report.html"]);
    let report = document(&folder.read("report.html"));
    assert_eq!(report["title"], "ty: f32, op: sum, block: 64, passes: [shuffle, coarsen(4)]");
    assert_eq!(report["size"]["text"], "1024 elements");
    assert!(report["missing"].as_str().unwrap().contains("NVRTC"));
    let explained = folder.stdout(&["explain", spec, "--n", "1024", "--device", "host", "--json"]);
    let explained: Vec<Value> = explained.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (stage, line) in report["stages"].as_array().unwrap().iter().zip(&explained) {
        assert_eq!(stage["name"], line["after"]);
        assert_eq!(stage["counts"]["kernel"], line["kernel"]);
        assert_eq!(stage["counts"]["loop"], line["loop"]);
    }
    let cuda = folder.stdout(&["emit", spec, "--n", "1024"]);
    assert_eq!(report["stages"][2]["cuda"], cuda.as_str());
}

#[test]
fn reports_of_any_size_stay_small() {
    let folder = Folder::of("report_sizes");
    let spec = "op: var, ty: f64, passes: [sequential, last_warp, unroll, coarsen(2)]";
    for (name, args) in [
        ("large.html", &["report", spec, "--n", "60000"][..]),
        ("rows.html", &["report", "op: max, ty: f32, axes: i j -> j", "--shape", "i=30,j=20", "--fortran"]),
        ("ladder.html", &["ladder", "--html"]),
    ] {
        folder.stdout(&[args, &["--device", "host", "-o", name]].concat());
        let page = folder.read(name);
        assert!(page.len() < 2_000_000, "{name} has {} bytes", page.len());
        assert!(document(&page)["stages"].as_array().unwrap().len() > 1);
    }
    let ladder = document(&folder.read("ladder.html"));
    assert_eq!(ladder["stages"].as_array().unwrap().len(), 20);
    assert!(ladder["stages"][9]["published"].as_array().unwrap().len() > 1, "two sources timed rung 10");
}

#[test]
fn reports_that_are_refused() {
    let folder = Folder::of("report_refused");
    insta::assert_snapshot!(folder.show_all(
        2,
        &[
            &["report", "op: sum, ty: f32", "--n", "100000000"],
            &["report", "op: sum, ty: f32, axes: i j -> i"],
            &["report", "op: sum, ty: f32", "--shape", "4x4"],
            &["report", "op: sum, ty: f32, segments: u32"],
            &["report", "op: sum, ty: f32, passes: [shuffle, last_warp]"],
            &["ladder", "-o", "ladder.html"],
            &["playground", "nowhere"],
        ]
    ));
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_no_page() {
    let command = format!("{} report 'op: sum, ty: f32' --device host", env!("CARGO_BIN_EXE_reducegen"));
    let output = Command::new("script").args(["-qec", &command, "/dev/null"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stdout).contains("`-o report.html`"));
}

#[test]
fn the_playground_is_served_on_loopback() {
    let folder = Folder::of("playground").with("index.html", "<p>here").with("a.wasm", [0, 97, 115, 109]);
    let mut command = folder.command(&["playground", ".", "--port", "0"]);
    let mut server = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("http://").unwrap().trim_end_matches('/').to_owned();
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    let get = |request: &str| {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    };
    let page = get("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(page.starts_with("HTTP/1.1 200") && page.ends_with("<p>here"), "{page}");
    assert!(get("GET /a.wasm HTTP/1.1\r\n\r\n").contains("application/wasm"));
    assert!(get("GET /../playground/index.html HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404"));
    assert!(get("DELETE / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405"));
    server.kill().unwrap();
    server.wait().unwrap();
}
