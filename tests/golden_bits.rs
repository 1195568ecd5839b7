//! Golden bits: the results of the host backend on every processor, for ever, and the associations of `auto`. Some
//! associations are for more elements than these tests have. Both change only on purpose, with the version of the
//! association: `REDUCEGEN_UPDATE_GOLDEN=1` then replaces the bits. It also adds missing lines.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod cases;
#[path = "support/classes.rs"]
mod classes;
#[path = "support/closures.rs"]
mod closures;
#[path = "golden_bits/lines.rs"]
mod lines;
#[path = "support/rotation.rs"]
mod rotation;
#[path = "support/splitmix.rs"]
mod splitmix;
#[path = "support/subjects.rs"]
mod subjects;

use cases::LISTS;
use classes::Class;
use lines::Line;
use reduce_codegen::{ASSOCIATION, Programs, Tuning};
use reduce_ir::Scalar;
use reduce_ir::program::Program;
use reduce_runtime::{Device, Reducer};
use splitmix::Random;
use std::collections::BTreeSet;
use subjects::{Subject, subjects};

/// The message if bits or associations would be replaced without a new version.
const ON_PURPOSE: &str =
    "these are not those of the same version; a change on purpose has a new ASSOCIATION (tuning/tiers.rs)";

/// Returns the line with the bits that the host computes.
fn computed(line: &Line) -> Line {
    let spec = line.spec();
    let reducer = Reducer::new(&spec, &Device::host()).unwrap();
    let elements = line.elements(&spec);
    let inputs: Vec<_> = elements.iter().map(|lanes| lanes.borrow()).collect();
    let bits = subjects::bits(
        reducer.reduce_with(&inputs, &subjects::params(&spec.operation)).map(|outcome| outcome.values),
    );
    Line { bits, ..line.clone() }
}

/// Two properties that a line covers together, out of operator or closure, type, class of elements and schedule.
type Pair = [String; 2];

fn pairs(subject: &Subject, class: Class, schedule: &str) -> Vec<Pair> {
    let [name, ty, class] = [subject.name.clone(), subject.ty.to_string(), class.to_string()];
    let schedule = schedule.to_owned();
    let of = |a: &String, b: &String| [a.clone(), b.clone()];
    vec![of(&name, &ty), of(&name, &class), of(&name, &schedule), of(&ty, &class), of(&ty, &schedule)]
}

/// Returns the kind of a schedule: its first pass, or `auto`.
fn schedule(text: &str) -> &str {
    let list = text.rsplit("passes: ").next().unwrap().trim_start_matches('[');
    list.split([']', ',', '(']).next().unwrap()
}

/// Returns the subject of a stored line, if it still exists.
fn subject<'a>(subjects: &'a [Subject], line: &Line) -> Option<&'a Subject> {
    subjects.iter().find(|subject| {
        let rest = line.text.strip_prefix(&subject.text);
        rest.is_some_and(|rest| rest.starts_with(", block: ") || rest.starts_with(", passes: "))
    })
}

fn covered(subjects: &[Subject], lines: &[Line]) -> BTreeSet<Pair> {
    let of =
        |line: &Line| subject(subjects, line).map(|subject| pairs(subject, line.class, schedule(&line.text)));
    lines.iter().filter_map(of).flatten().collect()
}

/// Returns lines for every pair that occurs without a line: each subject with every class and several schedules.
fn missing(subjects: &[Subject], lines: &[Line]) -> Vec<Line> {
    let mut covered = covered(subjects, lines);
    let mut random = Random::new(lines.len() as u64);
    let mut added = Vec::new();
    for (subject, turn) in subjects.iter().zip(0..) {
        for class in Class::ALL {
            let (passes, block) = random.pick(&LISTS);
            let spec = if (turn + class as usize).is_multiple_of(7) {
                subject.auto()
            } else {
                subject.scheduled(passes, block)
            };
            let pairs = pairs(subject, class, schedule(&spec.text));
            if pairs.iter().any(|pair| !covered.contains(pair)) {
                covered.extend(pairs);
                let n = random.pick(&[1, 2, 33, 255, 1000, 1025, 4097, 10_007]);
                added.push(computed(&Line { class, n, text: spec.text, bits: String::new() }));
            }
        }
    }
    added
}

#[test]
fn bits_are_as_they_were() {
    let (version, stored) = lines::stored();
    if std::env::var_os("REDUCEGEN_UPDATE_GOLDEN").is_some() {
        let found: Vec<_> = stored.iter().map(computed).collect();
        let kept = version != ASSOCIATION || found == stored;
        assert!(kept, "{ON_PURPOSE}");
        let added = missing(&subjects(), &found);
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden.txt");
        std::fs::write(file, lines::file(ASSOCIATION, &[found, added].concat())).unwrap();
        return;
    }
    assert_eq!(version, ASSOCIATION);
    // Processors other than x86-64 are emulated, which takes long.
    let parts = if cfg!(target_arch = "x86_64") { 1 } else { 3 };
    let found = rotation::sample(&stored, parts).map(|stored| (computed(stored), stored));
    let differing: Vec<_> = found.filter(|(found, stored)| found != *stored).collect();
    assert!(differing.is_empty(), "{} differ: {differing:#?}", differing.len());
    assert_eq!(lines::file(version, &stored), include_str!("golden.txt"));
}

/// Returns a line for each range of variants of `auto` that share one association: the maximum n, and the levels.
fn associations(name: &str, ty: Scalar) -> Vec<String> {
    let spec = cases::auto(name, ty);
    let programs = Programs::of(&spec, Tuning::DEFAULT).unwrap();
    let levels = |program: &Program| {
        let text = program.association().to_string();
        text.lines().skip(2).map(str::trim).collect::<Vec<_>>().join("; ")
    };
    let of_one = |run: &[Program]| {
        let most =
            run.last().and_then(|program| program.up_to).map_or("any n".to_owned(), |n| format!("n to {n}"));
        format!("  {most}: {}\n", levels(&run[0]))
    };
    let runs = programs.variants().chunk_by(|a, b| a.association() == b.association());
    [format!("{}\n", spec.text)].into_iter().chain(runs.map(of_one)).collect()
}

#[test]
fn associations_of_auto_are_as_they_were() {
    use Scalar::{Bool, F16, F32, F64, I8, I64, U8};
    let subjects = [
        ("sum", &[F16, F32, F64, U8, I64][..]),
        ("max", &[I8, F32]),
        ("argmax", &[F32, F16, F64]),
        ("dot", &[F32]),
        ("var", &[F32, U8]),
        ("describe", &[F64]),
        ("logsumexp", &[F32]),
        ("all", &[Bool]),
        ("first", &[F32, U8]),
    ];
    let lines = subjects.iter().flat_map(|(name, types)| types.iter().flat_map(|&ty| associations(name, ty)));
    let found = format!("association {ASSOCIATION}\n") + &lines.collect::<String>();
    let stored = include_str!("golden_bits/associations.txt");
    if std::env::var_os("REDUCEGEN_UPDATE_GOLDEN").is_some() {
        let kept =
            stored.lines().next() != found.lines().next() || stored.lines().all(|line| found.contains(line));
        assert!(kept, "{ON_PURPOSE}");
        return std::fs::write(
            concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden_bits/associations.txt"),
            found,
        )
        .unwrap();
    }
    assert_eq!(found, stored);
}

/// Every operator and closure has lines for every type that it takes, and for every class of elements.
#[test]
fn everything_has_golden_bits() {
    let (subjects, (_, lines)) = (subjects(), lines::stored());
    assert!(lines.len() >= 500, "{}", lines.len());
    let covered = covered(&subjects, &lines);
    let with_class = |subject: &Subject, class: Class| [subject.name.clone(), class.to_string()];
    let with_type = |subject: &Subject| [subject.name.clone(), subject.ty.to_string()];
    for subject in &subjects {
        assert!(
            covered.contains(&with_type(subject)),
            "{} has no line; update the golden bits",
            subject.text
        );
        for class in Class::ALL {
            assert!(covered.contains(&with_class(subject, class)), "{} has no line of {class}", subject.name);
        }
    }
    for (ty, class) in Scalar::ALL.into_iter().flat_map(|ty| Class::ALL.map(|class| (ty, class))) {
        let occurs = subjects.iter().any(|subject| subject.ty == ty);
        assert!(
            !occurs || covered.contains(&[ty.to_string(), class.to_string()]),
            "{ty} has no line of {class}"
        );
    }
}
