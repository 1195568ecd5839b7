//! The text of a user → the answer of the playground, and the page of the report: JSON and text, never markup.

use super::Verdict;
use reduce_report::{Document, Size, live, page};
use serde_json::Value;

pub(super) const WORDS: &[&str] = &[
    "\"text\"",
    "\"n\"",
    "\"lengths\"",
    "op: sum, ty: f32",
    "op: |a, b| a + b",
    "map: |x| x",
    "axes: i j -> i",
    "axes: e f -> f",
    "segments: u32",
    "by: { k: u32 }, groups: 8",
    "by: |x| x as u32",
    "groups: runs",
    "others: drop",
    "passes: [shuffle]",
    "block: 64",
    "</script>",
    "<script>",
    "<!--",
    "<img src=x onerror=alert(1)>",
    "&lt;",
    "]]>",
    "\\u003c",
    "\\u2028",
    "\\\"",
    "`",
    "18446744073709551615",
    "65537",
    "-1",
    "0",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "é",
];

/// The maximum number of elements of an answer: a run of the interpreter takes time for each.
const MOST: u64 = 64;

pub(super) fn test_one_input(bytes: &[u8]) -> Verdict {
    let text = String::from_utf8_lossy(bytes);
    let answer = answer(&smaller(&text))?;
    if let Some(document) = answer.get("document") {
        let title = document["title"].as_str().ok_or("a document has no title")?;
        return safe(title).map(|()| true);
    }
    let errors = answer["errors"].as_array().ok_or("there are neither a document nor errors")?;
    let message =
        |error: &Value| error["message"].as_str().filter(|it| !it.trim().is_empty()).map(str::to_owned);
    let messages: Option<Vec<_>> = errors.iter().map(message).collect();
    let messages = messages.filter(|all| !all.is_empty()).ok_or("it is refused without a message")?;
    safe(&messages.concat()).map(|()| false)
}

/// Returns the answer, which must be JSON. A bug that the answer reports is a fault.
fn answer(request: &str) -> Result<Value, String> {
    let answer = live::request(request);
    if answer.contains("bug of reducegen") || answer.contains("bug in reducegen") {
        return Err(answer);
    }
    serde_json::from_str(&answer).map_err(|error| format!("the answer is no JSON: {error}"))
}

/// Returns the request with few elements; other text, as it is.
fn smaller(text: &str) -> String {
    let Ok(mut request) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
    if let Some(n) = request.get_mut("n").filter(|n| n.as_u64().is_some_and(|n| n > MOST)) {
        *n = MOST.into();
    }
    let lengths = request.get_mut("lengths").and_then(Value::as_array_mut);
    lengths
        .into_iter()
        .flatten()
        .filter(|it| it.as_u64().is_some_and(|it| it > 8))
        .for_each(|it| *it = 8.into());
    request.to_string()
}

/// Checks that user text adds no markup to a page.
fn safe(text: &str) -> Result<(), String> {
    let size = Size { n: 1, groups: 1, text: text.to_owned() };
    let mut document = Document::new(text, size);
    document.notes.push(text.to_owned());
    let page = page(&document).map_err(|error| error.to_string())?;
    let plain = page_of_nothing()?;
    let tags = |page: &str| page.matches('<').count();
    if tags(&page) != tags(&plain) {
        return Err(format!("the page has other markup: {text}"));
    }
    let data = page.split("id=\"data\">").nth(1).and_then(|rest| rest.split("</script>").next());
    let read: Value = serde_json::from_str(data.unwrap_or_default()).map_err(|error| error.to_string())?;
    if read["notes"][0].as_str() == Some(text) {
        Ok(())
    } else {
        Err(format!("the page has another text: {text}"))
    }
}

fn page_of_nothing() -> Result<String, String> {
    let size = Size { n: 1, groups: 1, text: String::new() };
    page(&Document::new("", size)).map_err(|error| error.to_string())
}
