//! Requests to the playground, and the steps of its answers.
#![allow(clippy::unwrap_used, dead_code, reason = "a test fails by panicking, and uses some of this")]

use reduce_report::live;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Returns the answer to a specification and a number of elements.
pub(crate) fn answer(spec: &str, n: u64) -> Value {
    let request = json!({ "text": spec, "n": n, "lengths": [4, 50] });
    serde_json::from_str(&live::request(&request.to_string())).unwrap()
}

/// Returns the document, or the message of the first error.
pub(crate) fn document(spec: &str, n: u64) -> Result<Value, String> {
    let answer = answer(spec, n);
    answer.get("document").cloned().ok_or_else(|| answer["errors"][0]["message"].to_string())
}

/// Returns the numbers of the lanes of spans.
pub(crate) fn numbers(spans: &Value) -> Vec<(i64, i64)> {
    let spans: Vec<[i64; 4]> = serde_json::from_value(spans.clone()).unwrap();
    let lanes =
        |[lane, count, value, step]: [i64; 4]| (0..count).map(move |at| (lane + at, value + at * step));
    spans.into_iter().flat_map(lanes).collect()
}

/// Returns the text of each group that the steps store last.
pub(crate) fn stored(played: &Value) -> BTreeMap<i64, String> {
    let mut groups = BTreeMap::new();
    for frame in played["frames"].as_array().unwrap() {
        for written in frame.get("p").into_iter().flat_map(|it| it.as_array().unwrap()) {
            if written["array"] == "result" {
                for ((_, group), (_, acc)) in numbers(&written["at"]).into_iter().zip(numbers(&written["v"]))
                {
                    groups.insert(group, acc);
                }
            }
        }
    }
    let finished: BTreeMap<i64, String> =
        serde_json::from_value::<Vec<_>>(played["finished"].clone()).unwrap().into_iter().collect();
    groups.into_iter().filter_map(|(group, acc)| Some((group, finished.get(&acc)?.clone()))).collect()
}
