//! One HTML file: the document, the viewer and its style. It loads nothing.

use crate::Document;
use sha2::{Digest, Sha256};

/// The style of the viewer.
pub const STYLE: &str = include_str!("../viewer/style.css");

/// The modules of the viewer, each after those that it imports.
pub const VIEWER: [(&str, &str); 11] = [
    ("dom.js", include_str!("../viewer/dom.js")),
    ("spans.js", include_str!("../viewer/spans.js")),
    ("code.js", include_str!("../viewer/code.js")),
    ("bars.js", include_str!("../viewer/bars.js")),
    ("about.js", include_str!("../viewer/about.js")),
    ("pipeline.js", include_str!("../viewer/pipeline.js")),
    ("state.js", include_str!("../viewer/state.js")),
    ("lanes.js", include_str!("../viewer/lanes.js")),
    ("tree.js", include_str!("../viewer/tree.js")),
    ("memory.js", include_str!("../viewer/memory.js")),
    ("report.js", include_str!("../viewer/report.js")),
];

/// The last lines of the script: they show the document of the page.
const START: &str =
    "\nshow(document.getElementById(\"app\"), JSON.parse(document.getElementById(\"data\").textContent));\n";

/// Returns a page that shows the document.
///
/// # Errors
/// Never: every part of a document has a form in JSON.
pub fn page(document: &Document) -> Result<String, serde_json::Error> {
    let (script, title) = (script(), escaped(&document.title));
    let data = document.json()?.replace('<', "\\u003c");
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(&script),
        hash(STYLE)
    );
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <noscript>This page draws its data with JavaScript. `reducegen explain` prints the counts.</noscript>\n\
         <div id=\"app\"></div>\n<script type=\"application/json\" id=\"data\">{data}</script>\n\
         <script type=\"module\">{script}</script>\n</body>\n</html>\n"
    ))
}

/// Returns the modules as one script, without their imports and exports.
fn script() -> String {
    let lines = VIEWER.iter().flat_map(|(_, text)| text.lines());
    let own = lines.filter(|line| !line.starts_with("import "));
    let own = own.map(|line| line.strip_prefix("export ").unwrap_or(line));
    own.flat_map(|line| [line, "\n"]).collect::<String>() + START
}

/// Replaces the characters that have a meaning in HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Returns the SHA-256 of a text in base64, as a content security policy names a script.
fn hash(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let encode = |bytes: &[u8]| {
        let word =
            bytes.iter().fold(0u32, |word, &byte| word << 8 | u32::from(byte)) << (8 * (3 - bytes.len()));
        let digit = |at: usize| char::from(DIGITS[(word >> (18 - 6 * at)) as usize & 63]);
        (0..4).map(|at| if at <= bytes.len() { digit(at) } else { '=' }).collect::<String>()
    };
    Sha256::digest(text).chunks(3).map(encode).collect()
}
