//! Rules of this repository that a machine can check: see CONTRIBUTING.md.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use reduce_codegen::passes::PASSES;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The maximum length of a file, in lines.
const LONGEST: usize = 400;

/// Returns the Rust files of the workspace, except those that rustc must refuse.
fn sources() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let roots = [
        "src",
        "tests",
        "examples",
        "benches",
        "fuzz",
        "reduce-cli",
        "reduce-dsl",
        "reduce-files",
        "reduce-interpreter",
        "reduce-ir",
        "reduce-lanes",
        "reduce-macros",
        "reduce-passes",
        "reduce-python",
        "reduce-report",
        "playground",
        "reduce-codegen",
        "reduce-runtime",
    ];
    let mut found = Vec::new();
    let mut folders: Vec<_> = roots.iter().map(|folder| root.join(folder)).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("ui/fail") && !path.ends_with("target") {
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

/// The file of each pass has an example and says whether the pass changes the association. Every file belongs to a pass.
#[test]
fn every_pass_has_a_file_with_an_example() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["reduce-passes/src", "reduce-passes/src/textbook"].map(|folder| root.join(folder));
    for rule in &PASSES {
        let paths = folders.each_ref().map(|folder| folder.join(format!("{}.rs", rule.name)));
        let text = paths.iter().find_map(|path| fs::read_to_string(path).ok()).unwrap();
        assert!(text.contains("//! assert_eq!(") && text.contains("\npub const RULE: Rule"), "{}", rule.name);
        let says = if rule.changes_association {
            " Changes the association."
        } else {
            " Never changes the association."
        };
        assert!(text.contains(says), "the file of {} should say:{says}", rule.name);
    }
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let has_rule = |path: PathBuf| {
        path.extension().is_some() && fs::read_to_string(path).unwrap().contains("\npub const RULE: Rule")
    };
    assert_eq!(files.filter(|file| has_rule(file.as_ref().unwrap().path())).count(), PASSES.len());
}

/// The page says why each unsafe block is sound, so a new block needs a line there.
#[test]
fn every_unsafe_block_is_in_the_list_of_soundness() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/design/soundness.md")).unwrap();
    let code = |line: &str| line.split("//").next().unwrap_or_default().matches("unsafe {").count();
    let mut listed = 0;
    for path in sources().iter().filter_map(|path| path.strip_prefix(root).ok()) {
        let path = path.to_str().unwrap();
        if !path.starts_with("src/") && !path.contains("/src/") {
            continue;
        }
        let blocks: usize = fs::read_to_string(root.join(path)).unwrap().lines().map(code).sum();
        if blocks > 0 {
            assert!(page.contains(&format!("| `{path}` | {blocks} |")), "{path} has {blocks} unsafe blocks");
            listed += 1;
        }
    }
    assert_eq!(
        page.matches(".rs` | ").count(),
        listed,
        "files that are listed, and those with unsafe blocks"
    );
}

/// The files of the host backend have an order in which each imports earlier ones only, and none imports its parent.
#[test]
fn files_of_the_host_backend_import_no_circles() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("reduce-runtime/src/host");
    let imported = |text: &str| -> Vec<String> {
        let paths = text.lines().filter_map(|line| line.strip_prefix("use super::"));
        paths.map(|path| path.split([':', ';']).next().unwrap().to_owned()).collect()
    };
    let file = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, imported(&fs::read_to_string(path).unwrap()))
    };
    let mut files: BTreeMap<_, _> =
        fs::read_dir(folder).unwrap().map(|entry| file(entry.unwrap().path())).collect();
    let unknown = files.values().flatten().find(|name| !files.contains_key(*name));
    assert_eq!(unknown, None, "a file imports its parent");
    while !files.is_empty() {
        let count = files.len();
        let left = files.clone();
        files.retain(|_, imports| imports.iter().any(|name| left.contains_key(name)));
        assert!(files.len() < count, "these import each other: {files:?}");
    }
}
