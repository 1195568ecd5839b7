//! The corpus of planted bugs: `tests/corpus/*.ir`. Each file has a correct kernel and variants with bugs.
//!
//! ```text
//! # what the kernel does
//! op: sum, ty: f32, grid: 1, n: 64
//! a shared-race: nothing between the stores and the first level
//!
//!    | kernel tree reads inputs, block 64
//! -a |   barrier block
//! ```
//!
//! A file begins with remarks, settings, and a line for each bug: its letter, its class, and a description. After a blank
//! line comes the kernel, with a margin: `-a` marks a line that bug a lacks, `+a` a line that only bug a has.
//!
//! Settings: the operation (`op`, `ty`); the launch (`grid`, `n`, and the number of `launches`); the lengths of `partials`
//! (by default one for each block), `items` and `tickets`, and the number of items that were `written`; `misaligned`, an
//! input; `workspace: empty`, if the partials hold the identity before, or `flags`, if they carry flags; and the output of
//! the correct kernel, which `gives` the `result`, `partials` or `nothing`. [`super::grouped`] has more, for kernels with groups.

use reduce_codegen::runs::Heads;
use reduce_dsl::operators::operator;
use reduce_dsl::parse;
use reduce_interpreter::{Input, Memory, Provenance};
use reduce_ir::Scalar;
use reduce_ir::operation::Operation;
use reduce_ir::statements::LoweredKernel;
use reduce_lanes::Lanes;
use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;

/// A file of the corpus.
pub struct Entry {
    pub name: String,
    pub bugs: Vec<Bug>,
    settings: BTreeMap<String, String>,
    lines: Vec<Line>,
}

/// A planted bug.
#[derive(Clone, Debug)]
pub struct Bug {
    pub letter: char,
    pub class: String,
    pub what: String,
}

/// A line of the kernel.
struct Line {
    sign: Option<char>,
    letters: String,
    text: String,
}

/// Returns the files of the corpus, in the order of their names.
pub fn entries() -> Vec<Entry> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut paths: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| Entry::read(path)).collect()
}

/// Returns a file by its name.
pub fn entry(name: &str) -> Entry {
    entries().into_iter().find(|entry| entry.name == name).unwrap()
}

impl Entry {
    fn read(path: &Path) -> Entry {
        let text = std::fs::read_to_string(path).unwrap();
        let (head, kernel) = text.split_once("\n\n").unwrap();
        let head = head.lines().filter(|line| !line.starts_with('#'));
        let (bugs, settings): (Vec<_>, Vec<_>) = head.partition(|line| line[1..].starts_with(' '));
        let settings =
            settings.iter().flat_map(|line| line.split(", ")).map(|it| it.split_once(": ").unwrap());
        Entry {
            name: path.file_stem().unwrap().to_str().unwrap().to_owned(),
            bugs: bugs.into_iter().map(bug).collect(),
            settings: settings.map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
            lines: kernel.lines().map(line).collect(),
        }
    }

    /// Returns the text of the kernel with a bug, or of the correct one.
    pub fn text(&self, bug: Option<char>) -> String {
        let kept = self.lines.iter().filter(|line| line.is_in(bug));
        kept.map(|line| format!("{}\n", line.text)).collect()
    }

    /// Returns the kernel with a bug, or the correct one.
    pub fn kernel(&self, bug: Option<char>) -> LoweredKernel {
        let text = self.text(bug);
        LoweredKernel::parse(&text)
            .unwrap_or_else(|error| panic!("{}, bug {bug:?}: {error}\n{text}", self.name))
    }

    pub fn operation(&self) -> Operation {
        let [op, ty] = ["op", "ty"].map(|key| self.settings[key].as_str());
        let scalar = Scalar::from_name(ty).unwrap();
        match self.settings.get("by") {
            Some(by) => {
                let source =
                    format!("ty: {ty}, op: {op}, index: i, by: {by}, groups: {}", self.settings["groups"]);
                parse::text(&source, None).unwrap().spec.operation.keyed(None).unwrap()
            }
            None if op == "runs" => Heads::of(scalar, Scalar::U32).unwrap().operation,
            None => super::spec(operator(op).unwrap(), scalar, 32, "").operation,
        }
    }

    /// Returns the inputs: the position of each element or, for runs, the number of its run.
    pub fn inputs(&self, operation: &Operation) -> Vec<Input> {
        let runs = self.numbers("runs");
        if runs.is_empty() {
            return Provenance::inputs(operation, self.number("n").unwrap(), true);
        }
        let keys = (0..).zip(runs).flat_map(|(key, length)| vec![key; length as usize]);
        vec![Input::new(Lanes::U64(keys.collect()), true); operation.inputs.len()]
    }

    /// Returns the number in a setting.
    pub fn number<T: FromStr>(&self, key: &str) -> Option<T> {
        self.settings.get(key).and_then(|value| value.parse().ok())
    }

    /// Returns the numbers in a setting, which are divided by spaces; none if there is no such setting.
    pub fn numbers(&self, key: &str) -> Vec<u64> {
        let all = self.settings.get(key).into_iter().flat_map(|value| value.split(' '));
        all.map(|it| it.parse().unwrap()).collect()
    }

    /// Returns the memory of a launch, with nothing written.
    pub fn memory<'a>(&self, inputs: &'a [Input]) -> Memory<'a> {
        let partials = self.number("partials").or(self.number("grid")).unwrap();
        let items = vec![None; self.number("items").unwrap_or(0)];
        let ticket = vec![0; self.number("tickets").unwrap_or(1)];
        let [tiles, marks] = ["tiles", "marks"].map(|key| vec![None; self.number(key).unwrap_or(0)]);
        let n = if self.output() == "runs" { self.number("n").unwrap() } else { 0 };
        let (heads, keys) = (vec![None; n + 1], vec![None; n]);
        Memory { items, ticket, tiles, marks, heads, keys, ..Memory::new(inputs, partials) }
    }

    /// Returns the output of the correct kernel: `result`, `partials`, `groups`, `runs` or `nothing`.
    pub fn output(&self) -> &str {
        self.settings.get("gives").map_or("result", String::as_str)
    }

    /// Returns whether a setting has a value.
    pub fn has_setting(&self, key: &str, value: &str) -> bool {
        self.settings.get(key).is_some_and(|it| it == value)
    }
}

/// Parses `a class: description`.
fn bug(line: &str) -> Bug {
    let (class, what) = line[2..].split_once(": ").unwrap();
    Bug { letter: line.chars().next().unwrap(), class: class.to_owned(), what: what.to_owned() }
}

/// Parses `-ab | text`.
fn line(line: &str) -> Line {
    let (margin, text) = line.split_once('|').unwrap();
    let sign = margin.chars().next().filter(|sign| *sign != ' ');
    let letters = margin.chars().filter(char::is_ascii_lowercase).collect();
    Line { sign, letters, text: text.strip_prefix(' ').unwrap().to_owned() }
}

impl Line {
    fn is_in(&self, bug: Option<char>) -> bool {
        let named = bug.is_some_and(|letter| self.letters.contains(letter));
        match self.sign {
            None => true,
            Some('-') => !named,
            Some('+') => named,
            Some(sign) => panic!("a line begins with `{sign}`"),
        }
    }
}
