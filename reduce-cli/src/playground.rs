//! `reducegen playground`: serves the built playground on loopback.

use crate::args::Playground;
use crate::failure::Failure;
use crate::output;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::thread;
use std::time::Duration;

/// The file that a built playground has.
const PAGE: &str = "index.html";
/// The most bytes of a request; more is not a request for a file of the playground.
const REQUEST: u64 = 8192;
/// The time that a browser has to send a request.
const PATIENCE: Duration = Duration::from_secs(10);

/// Serves the folder until the process ends.
pub(crate) fn playground(args: &Playground) -> Result<(), Failure> {
    let folder = args.folder.clone();
    if !folder.join(PAGE).is_file() {
        let message = format!(
            "{} has no playground; build it with `scripts/playground.sh`, and name its folder, as in `reducegen playground \
             target/playground`",
            folder.display()
        );
        return Err(Failure::request(message));
    }
    let failed =
        |error| Failure::Write { target: format!("port {} of the loopback address", args.port), error };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    output::write(None, format!("http://{address}/\n").as_bytes())?;
    for stream in listener.incoming().flatten() {
        let folder = folder.clone();
        // A browser that is slow must not keep others waiting. A connection that breaks is the browser's choice.
        drop(thread::Builder::new().spawn(move || drop(serve(&folder, &stream))));
    }
    Ok(())
}

/// Answers one request.
fn serve(folder: &Path, stream: &TcpStream) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(stream.take(REQUEST));
    let mut line = String::new();
    reader.read_line(&mut line)?;
    // The headers are read, or closing the connection would discard the answer.
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    let mut stream = stream;
    stream.write_all(&answer(folder, &line))
}

/// Returns the answer to the first line of a request.
fn answer(folder: &Path, line: &str) -> Vec<u8> {
    let mut words = line.split_ascii_whitespace();
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if !matches!(method, "GET" | "HEAD") {
        return response("405 Method Not Allowed", "text/plain", b"only GET", true);
    }
    let found = file(folder, target).and_then(|path| Some((kind(&path)?, fs::read(&path).ok()?)));
    match found {
        Some((kind, bytes)) => response("200 OK", kind, &bytes, method == "GET"),
        None => response("404 Not Found", "text/plain", b"no such file", method == "GET"),
    }
}

/// Returns the file in the folder that a request names. No path leaves the folder.
fn file(folder: &Path, target: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next()?.strip_prefix('/')?;
    let path = Path::new(if path.is_empty() { PAGE } else { path });
    path.components().all(|part| matches!(part, Component::Normal(_))).then(|| folder.join(path))
}

/// Returns the type of a file. The playground has no others.
fn kind(path: &Path) -> Option<&'static str> {
    match path.extension()?.to_str()? {
        "html" => Some("text/html; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "wasm" => Some("application/wasm"),
        _ => None,
    }
}

fn response(status: &str, kind: &str, bytes: &[u8], with_body: bool) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nX-Content-Type-Options: nosniff\r\n\
         Cache-Control: no-cache\r\nConnection: close\r\n\r\n",
        bytes.len()
    );
    [head.as_bytes(), if with_body { bytes } else { &[] }].concat()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_folder_are_served() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("in")).unwrap();
        for name in [PAGE, "in/a.js", "secret"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        let status = |line: &str| {
            let answer = String::from_utf8(answer(&folder.path().join("in/.."), line)).unwrap();
            answer[9..12].to_owned()
        };
        assert_eq!(status("GET / HTTP/1.1"), "200");
        assert_eq!(status("GET /in/a.js?v=1 HTTP/1.1"), "200");
        assert_eq!(status("HEAD /index.html HTTP/1.1"), "200");
        assert_eq!(status("POST / HTTP/1.1"), "405");
        for target in [
            "/../Cargo.toml",
            "//etc/passwd",
            "/in/../../x.js",
            "/secret",
            "/none.js",
            "x.js",
            "",
            "/./index.html/..",
        ] {
            assert_eq!(status(&format!("GET {target} HTTP/1.1")), "404", "{target}");
        }
    }
}
