//! Tests of `report`, `ladder --html` and `playground`: pages for a browser. `tests/browser` looks at them.

use crate::folder::Folder;
use crate::npy;
use serde_json::{Value, json};
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

/// The file of offsets or keys cuts the elements of the file, and the results are those of `run`.
#[test]
fn segments_and_keys_come_from_files() {
    let folder = Folder::of("report_cut")
        .with("x.npy", npy::array(&[1.0f32, 2.0, 3.0, 4.0, 5.5]))
        .with("offsets.npy", npy::array(&[1i32, 3, 3, 5]))
        .with("descending.npy", npy::array(&[1i32, 3, 2, 5]))
        .with("days.npy", npy::array(&[2u8, 0, 2, 2, 9]))
        .with(
            "matrix.npy",
            npy::file(
                &npy::header("<f4", true, "(5, 2)"),
                &npy::raw(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]),
            ),
        );
    let report = |args: &[&str]| {
        folder.stdout(&[&["report"], args, &["--device", "host", "-o", "report.html"]].concat());
        document(&folder.read("report.html"))
    };
    let segments = report(&["op: sum", "x.npy", "--segments", "offsets.npy"]);
    assert_eq!(segments["results"], json!(["5.0", "0.0", "9.5"]));
    assert_eq!(segments["groups"], json!([null, 0, 0, 2, 2]));
    assert_eq!((&segments["checked"], &segments["notes"]), (&json!(true), &json!([])));
    let spec = "op: max, by: { day: u8 }, groups: 4, others: drop";
    let keys = report(&[spec, "x.npy", "--by", "days.npy"]);
    assert_eq!(keys["results"], json!(["2.0", "-inf", "4.0", "-inf"]));
    assert_eq!(keys["groups"], json!([2, 0, 2, 2, null]));
    let columns = report(&["op: sum, axes: e f -> f", "matrix.npy", "--segments", "offsets.npy"]);
    assert_eq!(columns["results"], json!(["5.0", "15.0", "0.0", "0.0", "9.0", "19.0"]));
    for (file, words) in
        [("descending.npy", "the offsets descend"), ("x.npy", "offsets are u32, u64, i32 or i64")]
    {
        let refused = folder.show(&["report", "op: sum", "x.npy", "--segments", file, "-o", "r.html"]);
        assert!(refused.contains(words), "{refused}");
    }
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
            &["report", "op: sum, ty: f32, segments: u32, passes: [shuffle]"],
            &["report", "op: sum, ty: f32, axes: e f -> f, segments: u32"],
            &["report", "op: sum, ty: f32, by: { k: u32 }, groups: runs"],
            &["report", "op: sum, ty: f32, by: { k: u32 }, groups: 99999"],
            &["report", "op: sum, ty: f32, by: |x| 9u32, groups: 8"],
            &["report", "op: sum, ty: f32, segments: u32", "--segments", "offsets.npy"],
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
