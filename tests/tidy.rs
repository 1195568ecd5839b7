//! Rules of the house that a machine can check: see CONTRIBUTING.md.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use reduce_dsl::pass::PASSES;
use std::fs;
use std::path::{Path, PathBuf};

/// The longest a file may be, in lines.
const LONGEST: usize = 400;

/// The Rust files of the workspace, but for those that rustc is to refuse.
fn sources() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let rooms = [
        "src",
        "tests",
        "examples",
        "benches",
        "reduce-dsl",
        "reduce-macros",
        "reduce-codegen",
        "reduce-runtime",
    ];
    let mut found = Vec::new();
    let mut folders: Vec<_> = rooms.iter().map(|room| root.join(room)).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("ui/fail") {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn files_say_what_they_are_for_and_stay_short() {
    let sources = sources();
    assert!(sources.len() > 100, "{} files", sources.len());
    for path in sources {
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("//! "), "{} does not say what it is for", path.display());
        assert!(text.lines().count() <= LONGEST, "{} has over {LONGEST} lines", path.display());
    }
}

#[test]
fn every_pass_has_a_file_with_an_example() {
    for word in &PASSES {
        let file = format!("{}/reduce-codegen/src/passes/{}.rs", env!("CARGO_MANIFEST_DIR"), word.name);
        let text = fs::read_to_string(&file).unwrap();
        assert!(
            text.contains("//! assert_eq!(") && text.contains(&format!("\npub(super) fn {}(", word.name)),
            "{file}"
        );
        let says = if word.changes_association {
            " Changes the association."
        } else {
            " Never changes the association."
        };
        assert!(text.contains(says), "{file} should say:{says}");
    }
}
