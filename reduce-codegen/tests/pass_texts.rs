//! Passes as text: each file of `tests/passes` has cases of one pass, with the program before and after, or the refusal.
//!
//! ```text
//! == title
//! spec    op: max, ty: f32, block: 256, passes: [shuffle]    -- the operation, and the passes that made the program before
//! pass    coarsen(4)
//! before                                                      -- the program, read from this text
//! after                                                       -- the rewritten program, or `refused` and the reason
//! ```
//!
//! `REDUCEGEN_UPDATE_PASSES=1` replaces everything below `pass`.

use reduce_codegen::passes::{PASSES, Rule, apply, named};
use reduce_codegen::{Error, compile};
use reduce_dsl::parse;
use reduce_ir::pass::{Argument, Pass};
use reduce_ir::program::Program;
use reduce_ir::spec::Passes;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// One rewrite.
struct Case {
    title: String,
    spec: String,
    pass: String,
    /// The text of the program before; empty if it has not been written yet.
    before: String,
}

/// The result of one rewrite, and its text for the file.
struct Outcome {
    pass: Pass,
    before: Program,
    after: Result<Program, String>,
    text: String,
}

impl Case {
    fn read(text: &str) -> Case {
        let (title, rest) = text.split_once('\n').unwrap();
        let field = |name: &str| {
            let line = rest.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap_or_else(|| panic!("`{title}` has no `{name}`")).trim().to_owned()
        };
        let below = rest.split_once("\nbefore\n").map_or("", |(_, below)| below);
        let ends = [below.find("\nafter\n"), below.find("\nrefused\n"), Some(below.len())];
        let before = &below[..ends.into_iter().flatten().min().unwrap()];
        Case {
            title: title.trim().to_owned(),
            spec: field("spec "),
            pass: field("pass "),
            before: before.to_owned(),
        }
    }

    /// Rewrites the program in the text of the case.
    fn run(&self, update: bool) -> Outcome {
        let spec = parse::spec(&self.spec).unwrap_or_else(|error| panic!("{}: {error}", self.title));
        let made = compile(&spec).unwrap_or_else(|error| panic!("{}: {error}", self.title));
        let before = if update {
            made
        } else {
            let read = Program::parse(&made.operation, &self.before);
            let read = read.unwrap_or_else(|error| panic!("{}: {error}", self.title));
            assert_eq!(read, made, "{}: the program is not that of the specification", self.title);
            read
        };
        let pass = one_pass(&self.pass);
        let after = match apply(before.clone(), pass) {
            Ok(after) => Ok(after),
            Err(Error::Refused { reason, .. }) => Err(reason),
            Err(error) => panic!("{}: {error}", self.title),
        };
        let text = self.text(&before, &after);
        Outcome { pass, before, after, text }
    }

    fn text(&self, before: &Program, after: &Result<Program, String>) -> String {
        let Case { title, spec, pass, .. } = self;
        let after = match after {
            Ok(after) => format!("after\n{}", of_rewriting(after, before)),
            Err(reason) => format!("refused\n  {reason}\n"),
        };
        format!("== {title}\nspec    {spec}\npass    {pass}\nbefore\n{}{after}", of_rewriting(before, before))
    }
}

/// Parses a pass without checking that its rule allows the argument.
fn one_pass(text: &str) -> Pass {
    let (name, argument) = text.split_once('(').unwrap_or((text, ""));
    let rule = named(name).unwrap_or_else(|| panic!("no pass is called `{name}`"));
    let argument = argument.strip_suffix(')');
    let word = |it: &str| Argument::Word(rule.words().iter().find(|word| **word == it).unwrap());
    let argument = argument.map(|it| it.parse().map_or_else(|_| word(it), Argument::Number));
    Pass { name: rule.name, argument }
}

/// Returns the text of a program without the lines about the operation that `other` has as well.
fn of_rewriting(program: &Program, other: &Program) -> String {
    let [text, other] = [program, other].map(|it| format!("{it:#}"));
    let is_head = |line: &&str| {
        !["  passes ", "  up to ", "  layout ", "  groups "].iter().any(|head| line.starts_with(head))
    };
    let same: BTreeSet<_> =
        other.lines().take_while(|line| !line.starts_with("kernel ")).filter(is_head).collect();
    let (head, kernels) = text.split_at(text.find("kernel ").unwrap());
    let head: String = head.lines().filter(|line| !same.contains(line)).map(|it| format!("{it}\n")).collect();
    format!("{head}{kernels}")
}

fn files() -> BTreeMap<String, PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), path)).collect()
}

/// Returns the outcomes of a file, whose text must be up to date or is replaced.
fn outcomes(path: &Path) -> Vec<Outcome> {
    let update = std::env::var_os("REDUCEGEN_UPDATE_PASSES").is_some();
    let text = std::fs::read_to_string(path).unwrap().replace("\r\n", "\n");
    let outcomes: Vec<_> =
        format!("\n{text}").split("\n== ").skip(1).map(|case| Case::read(case).run(update)).collect();
    let wanted = outcomes.iter().map(|it| it.text.as_str()).collect::<Vec<_>>().join("\n");
    if update {
        std::fs::write(path, &wanted).unwrap();
    } else {
        assert_eq!(text, wanted, "{}: REDUCEGEN_UPDATE_PASSES=1 writes it anew", path.display());
    }
    outcomes
}

#[test]
fn every_pass_rewrites_and_refuses_as_its_text_says() {
    let mut files = files();
    for rule in &PASSES {
        let path = files.remove(rule.name).unwrap_or_else(|| panic!("no text of `{}`", rule.name));
        assert_says_enough(rule, &outcomes(&path));
    }
    assert!(files.is_empty(), "texts of no pass: {files:?}");
}

/// Checks the cases of a pass: all have this pass, one is a rewrite, and the association changes in some case if and only
/// if the rule says so.
fn assert_says_enough(rule: &Rule, outcomes: &[Outcome]) {
    let mut changes = false;
    let mut rewritten = 0;
    for Outcome { pass, before, after, .. } in outcomes {
        assert_eq!(pass.name, rule.name);
        let Ok(after) = after else { continue };
        let parts = |it: &Program| (it.kernels.clone(), it.operation.clone());
        assert_ne!(parts(after), parts(before), "`{}` does nothing to\n{before}", rule.name);
        changes |= after.association() != before.association();
        rewritten += 1;
    }
    assert!(rewritten > 0, "no text shows a rewriting by `{}`", rule.name);
    assert_eq!(changes, rule.changes_association, "does `{}` change the association?", rule.name);
}

/// Of two passes that exclude each other, the second is refused, and the reason names both.
#[test]
fn exclusions_hold_in_both_orders() {
    let mut pairs = 0;
    for (rule, other) in PASSES.iter().flat_map(|rule| others(rule).into_iter().map(move |it| (rule, it))) {
        for (first, second) in [(rule, other), (other, rule)] {
            let [first, second] =
                [first, second].map(|it| it.with(if it.words().is_empty() { 4 } else { 0 }).unwrap());
            let spec = parse::spec("op: argmax, ty: f32, block: 256, passes: []").unwrap();
            let spec = reduce_ir::Spec { passes: Passes::List(vec![first, second]), ..spec };
            let Err(Error::Refused { index, reason, .. }) = compile(&spec) else {
                panic!("{first} {second}");
            };
            // If a pass needs another one before it, the first pass is refused for that reason already.
            let both = reason.contains(&format!("leave `{first}` or `{second}` out"));
            assert_eq!(both, index == 1, "{first} {second}: {reason}");
            pairs += u32::from(both);
        }
    }
    assert!(pairs > 40, "{pairs} pairs");
}

/// Returns the passes that a rule excludes.
fn others(rule: &Rule) -> Vec<&'static Rule> {
    let named_by = |other: &&Rule| rule.excludes(other.name).is_some() && other.name != rule.name;
    PASSES.iter().filter_map(|it| named(it.name)).filter(|it| named_by(it)).collect()
}

/// Returns the row of a pass in `docs/passes.md`.
fn row(rule: &Rule) -> String {
    let has_argument = rule.argument().is_some() || !rule.words().is_empty();
    let k = if has_argument { "(k)" } else { "" };
    let allowed = if has_argument { format!("; k is {}", rule.takes()) } else { String::new() };
    let changes = if rule.changes_association { "changes" } else { "keeps" };
    let mut excluded: Vec<_> = others(rule).into_iter().chain(excluding(rule)).map(|it| it.name).collect();
    excluded.sort_unstable();
    excluded.dedup();
    let excluded = match excluded.len() + 1 {
        count if count == PASSES.len() => "every other pass".to_owned(),
        _ => excluded.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" "),
    };
    format!("| `{}{k}` | {}{allowed} | {changes} | {excluded} |", rule.name, rule.doc)
}

/// Returns the passes whose rules exclude a pass.
fn excluding(rule: &Rule) -> Vec<&'static Rule> {
    let excludes = |other: &&Rule| other.excludes(rule.name).is_some() && other.name != rule.name;
    PASSES.iter().filter_map(|it| named(it.name)).filter(|it| excludes(it)).collect()
}

#[test]
fn the_page_of_passes_is_that_of_the_rules() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/passes.md");
    let rows: Vec<_> = PASSES.iter().map(row).collect();
    let page = format!(
        "# Passes\n\nEach pass rewrites the naive program in one way. \
         `REDUCEGEN_UPDATE_DOCS=1 cargo test -p reduce-codegen pass_texts::` writes this page from the rules.\n\n\
         | pass | program after it | association | never together with |\n|---|---|---|---|\n{}\n",
        rows.join("\n")
    );
    if std::env::var_os("REDUCEGEN_UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert_eq!(found, page, "write it anew with REDUCEGEN_UPDATE_DOCS=1");
}
