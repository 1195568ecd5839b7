//! The steps of a report end in the result, stay small, and name lines of the CUDA.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use reduce_report::{live, page};
use serde_json::{Value, json};
use support::{document, stored};

const OPERATORS: [&str; 12] =
    ["sum", "prod", "max", "min", "argmax", "argmin", "minmax", "mean", "var", "norm2", "logsumexp", "all"];
const SCHEDULES: [&str; 5] = [
    "",
    ", block: 64, passes: []",
    ", block: 64, passes: [sequential, shuffle]",
    ", block: 32, passes: [shuffle, coarsen(2)]",
    ", block: 128, passes: [strided_index]",
];

#[test]
fn the_last_stores_of_the_steps_are_the_results() {
    let mut shown = 0;
    for operator in OPERATORS {
        let ty = if operator == "all" { "bool" } else { "f32" };
        for schedule in SCHEDULES {
            let spec = format!("op: {operator}, ty: {ty}{schedule}");
            let Ok(document) = document(&spec, 200) else { continue };
            for stage in document["stages"].as_array().unwrap() {
                let played = &stage["steps_of_run"];
                assert_eq!(played["is_cut"], false, "{spec}");
                assert_eq!(stored(played).len(), 1, "{spec} after {}", stage["name"]);
            }
            let last = document["stages"].as_array().unwrap().last().unwrap();
            let results: Vec<String> = serde_json::from_value(document["results"].clone()).unwrap();
            assert_eq!(stored(&last["steps_of_run"]).into_values().collect::<Vec<_>>(), results, "{spec}");
            shown += 1;
        }
    }
    assert!(shown >= 50, "{shown} specifications");
}

#[test]
fn each_group_has_a_result_and_its_elements() {
    for spec in ["op: sum, ty: f32, axes: i j -> i", "op: max, ty: i32, axes: i j -> j"] {
        let document = document(spec, 1).unwrap();
        let last = document["stages"].as_array().unwrap().last().unwrap();
        let results: Vec<String> = serde_json::from_value(document["results"].clone()).unwrap();
        assert_eq!(stored(&last["steps_of_run"]).into_values().collect::<Vec<_>>(), results, "{spec}");
        let groups: Vec<usize> = serde_json::from_value(document["groups"].clone()).unwrap();
        assert_eq!(groups.len(), 200);
        let of_first = groups.iter().filter(|&&group| group == 0).count();
        assert_eq!(of_first, 200 / results.len(), "{spec}");
    }
}

#[test]
fn every_step_names_a_line_with_its_statement() {
    let document = document("op: sum, ty: f32, block: 64, passes: [sequential, shuffle]", 256).unwrap();
    for stage in document["stages"].as_array().unwrap() {
        let (played, lines) =
            (&stage["steps_of_run"], stage["cuda"].as_str().unwrap().lines().collect::<Vec<_>>());
        let mut shuffles = 0;
        for frame in played["frames"].as_array().unwrap() {
            let launch = &played["launches"][frame["l"].as_u64().unwrap() as usize];
            let kernel = &played["kernels"][launch["kernel"].as_u64().unwrap() as usize];
            let line =
                lines[kernel["lines"][frame["s"].as_u64().unwrap() as usize].as_u64().unwrap() as usize];
            if frame.get("f").is_some() {
                assert!(line.contains("__shfl_down_sync"), "{line}");
                shuffles += 1;
            }
            if let Some(accesses) = frame.get("m") {
                let array = accesses[0]["array"].as_str().unwrap();
                assert!(line.contains(&format!("{array}[")), "{line}");
            }
        }
        assert_eq!(shuffles > 0, stage["name"] == "shuffle");
    }
}

/// Naive addressing diverges and strided addressing has bank conflicts: the steps must show both.
#[test]
fn divergence_and_conflicts_are_in_the_steps() {
    let frames = |spec: &str| {
        let document = document(spec, 256).unwrap();
        document["stages"].as_array().unwrap().last().unwrap()["steps_of_run"]["frames"]
            .as_array()
            .unwrap()
            .clone()
    };
    let naive = frames("op: sum, ty: f32, block: 128, passes: []");
    let partly = |frame: &&Value| ![0, u64::from(u32::MAX)].contains(&frame["on"].as_u64().unwrap());
    assert!(naive.iter().filter(partly).count() > 20, "lanes of a warp that wait for others");
    let conflicts = |frames: &[Value]| {
        let of = |frame: &Value| frame.get("m").map_or(0, |it| it[0]["conflicts"].as_u64().unwrap());
        frames.iter().map(of).sum::<u64>()
    };
    assert_eq!(conflicts(&frames("op: sum, ty: f32, block: 128, passes: [sequential]")), 0);
    assert!(conflicts(&frames("op: sum, ty: f32, block: 128, passes: [strided_index]")) > 0);
}

#[test]
fn errors_have_places_and_hostile_requests_an_answer() {
    let errors = |text: &str| -> Value {
        let request = json!({ "text": text, "n": 8 });
        serde_json::from_str::<Value>(&live::request(&request.to_string())).unwrap()["errors"].clone()
    };
    let text = "ty: f32, op: summ";
    assert_eq!(errors(text)[0]["from"], 13);
    assert_eq!(errors(text)[0]["to"], 17);
    // The place counts as JavaScript does: 𝛼 is two units.
    assert!(errors("𝛼: 1, op: sum")[0]["to"].as_u64().unwrap() >= 2);
    let refused = errors("op: sum, ty: f32, passes: [shuffle, last_warp]");
    assert_eq!(refused[0]["from"], 36, "{refused}");
    for hostile in ["", "{}", "[", "{\"text\": 1}", "{\"text\": \"\", \"n\": -1}"] {
        assert!(live::request(hostile).contains("\"errors\""), "{hostile}");
    }
    for (text, n) in
        [("op: sum, ty: f32", 0u64), ("op: sum, ty: f32", u64::MAX), ("op: sum, ty: f32, axes: i j -> i", 5)]
    {
        let request = json!({ "text": text, "n": n.min(70_000), "lengths": [u64::MAX, u64::MAX] });
        drop(live::request(&request.to_string()));
    }
    let runs = errors("op: sum, ty: f32, by: { k: u32 }, groups: runs");
    assert!(runs[0]["message"].as_str().unwrap().contains("not runs of keys"), "{runs}");
}

#[test]
fn the_page_has_one_script_of_its_own_and_loads_nothing() {
    let hostile = [
        "</script><script>alert(1)</script>",
        "<!--<script>",
        "\"><img src=x onerror=alert(1)>",
        "&lt;",
        "]]>",
        "\u{2028}",
    ];
    let mut state = 7u64;
    for round in 0..200 {
        // A few of these texts in any order, as title and notes.
        let mut pick = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            hostile[(state >> 33) as usize % hostile.len()]
        };
        let (title, note) = (format!("{}{}{}", pick(), pick(), round), format!("{}{}", pick(), pick()));
        let size = reduce_report::Size { n: 1, groups: 1, text: note.clone() };
        let mut document = reduce_report::Document::new(title.clone(), size);
        document.notes.push(note.clone());
        let page = page(&document).unwrap();
        assert_eq!(page.matches("<script").count(), 2, "{title}");
        assert_eq!(page.matches("</script").count(), 2, "{title}");
        assert!(!page.contains("<img") && !page.contains("<!--"), "{title}");
        let data = page.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
        let read: Value = serde_json::from_str(data).unwrap();
        assert_eq!((read["title"].as_str(), read["notes"][0].as_str()), (Some(&*title), Some(&*note)));
    }
    for (name, text) in reduce_report::VIEWER {
        for word in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "fetch(",
            "http:",
            "https:",
        ] {
            let allowed = word == "http:" && name == "dom.js";
            assert!(allowed || !text.contains(word), "{name} contains {word}");
        }
    }
}
