//! The documents: links have targets, lists are complete, and pages stay short.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The maximum bytes of a page that a newcomer reads from start to end.
const LONGEST: [(&str, usize); 2] = [("README.md", 8000), ("CONTRIBUTING.md", 5000)];
const LONGEST_OF_GUIDE: usize = 4096;

fn read(path: impl AsRef<Path>) -> String {
    let path = Path::new(ROOT).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the files of a folder and its subfolders, except hidden ones and build outputs.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if !path.is_dir() {
            found.push(path);
        } else if !name.starts_with('.') && name != "target" {
            found.extend(files(&path));
        }
    }
    found
}

fn with_extension(files: Vec<PathBuf>, extension: &str) -> Vec<PathBuf> {
    files.into_iter().filter(|path| path.extension().is_some_and(|it| it == extension)).collect()
}

/// Returns a page without its code blocks.
fn prose(text: &str) -> String {
    text.split("\n```").step_by(2).collect()
}

/// Returns the anchors of a page's headings, as code hosting sites create them.
fn anchors(page: &str) -> Vec<String> {
    let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    let anchor =
        |title: &str| title.to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-");
    let headings = page.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#').trim())).collect()
}

/// Returns whether a link has no target.
fn broken(page: &Path, target: &str) -> bool {
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = if file.is_empty() { page.to_owned() } else { page.parent().unwrap().join(file) };
    match anchor {
        "" => !path.exists(),
        anchor => !fs::read_to_string(path).is_ok_and(|text| anchors(&text).iter().any(|it| it == anchor)),
    }
}

#[test]
fn links_lead_somewhere() {
    let pages = with_extension(files(Path::new(ROOT)), "md");
    assert!(pages.len() > 20, "{pages:?}");
    let mut links = 0;
    for page in pages {
        let text = prose(&fs::read_to_string(&page).unwrap());
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.contains("://")) {
            assert!(!broken(&page, target), "{} links to {target}", page.display());
            links += 1;
        }
    }
    assert!(links > 50, "{links} links");
}

#[test]
fn front_pages_stay_short() {
    for (page, most) in LONGEST {
        assert!(read(page).len() <= most, "{page} has {} bytes, and {most} at most", read(page).len());
    }
    for page in with_extension(files(&Path::new(ROOT).join("docs/guide/src")), "md") {
        let len = read(&page).len();
        assert!(
            len <= LONGEST_OF_GUIDE,
            "{} has {len} bytes, and {LONGEST_OF_GUIDE} at most",
            page.display()
        );
    }
}

/// Pages outside of the list would not be read, and their programs would not be run.
#[test]
fn every_page_of_the_guide_is_listed_and_tested() {
    let (summary, tested) = (read("docs/guide/src/SUMMARY.md"), read("src/guide.rs"));
    for page in with_extension(files(&Path::new(ROOT).join("docs/guide/src")), "md") {
        let name = page.file_name().unwrap().to_str().unwrap();
        if name == "SUMMARY.md" {
            continue;
        }
        assert!(summary.contains(&format!("]({name})")), "SUMMARY.md does not list {name}");
        let has_program = read(&page).contains("\n```rust\n");
        assert!(!has_program || tested.contains(&format!("/{name}\"")), "src/guide.rs does not test {name}");
    }
}

#[test]
fn every_test_has_a_row() {
    let rows = read("tests/README.md");
    let folders = fs::read_dir(ROOT).unwrap().map(|entry| entry.unwrap().path().join("tests"));
    let folders = folders.chain([Path::new(ROOT).join("tests")]).filter(|path| path.is_dir());
    let mut tests = 0;
    for entry in folders.flat_map(|folder| fs::read_dir(folder).unwrap()) {
        let path = entry.unwrap().path();
        let is_file = path.extension().is_some_and(|it| it == "rs");
        let is_test = is_file || path.join("main.rs").exists() || path.join("mod.rs").exists();
        let name = path.file_stem().unwrap().to_str().unwrap();
        // A file that the program of all tests does not name would not be compiled.
        let all = fs::read_to_string(path.with_file_name("all.rs")).unwrap_or_default();
        let is_run = !is_file || all.is_empty() || name == "all" || all.contains(&format!("mod {name};"));
        assert!(is_run, "all.rs does not name {}", path.display());
        if is_test && !["all", "cases", "driver", "support"].contains(&name) {
            assert!(rows.contains(&format!("`{name}`")), "tests/README.md has no row for {}", path.display());
            tests += 1;
        }
    }
    assert!(tests > 50, "{tests} tests");
}
