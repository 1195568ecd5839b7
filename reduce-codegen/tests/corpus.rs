//! The corpus of planted bugs: every bug is reported as its kind. The correct kernel of each entry has no reports and
//! consumes every element once, under every schedule.

use crate::support::corpus::{Bug, Entry, entries};
use crate::support::grouped::{has_groups, has_runs};
use crate::support::rotation::{full, sample};
use crate::support::standalone::program;
use rayon::prelude::*;
use reduce_interpreter::{Kind, Memory, Options, Provenance, Report, Schedule, launch};
use reduce_ir::operation::Operation;
use reduce_ir::statements::LoweredKernel;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::{fs, iter};

/// The kind of report for each class of bugs; `None` for classes that only the result shows. The last part is whether the
/// statement is about global memory, if the name of the class implies it.
const CLASSES: [(&str, Option<Kind>, Option<bool>); 22] = [
    ("shared-race", Some(Kind::Race), Some(false)),
    ("warp-race", Some(Kind::Race), Some(false)),
    ("reuse", Some(Kind::Race), Some(false)),
    ("global-race", Some(Kind::Race), Some(true)),
    ("same-value", Some(Kind::Race), None),
    ("scope", Some(Kind::ScopeTooNarrow), None),
    ("stale", Some(Kind::Stale), None),
    ("uninitialised-shared", Some(Kind::Uninitialised), Some(false)),
    ("uninitialised-workspace", Some(Kind::Uninitialised), Some(true)),
    ("undefined", Some(Kind::Undefined), None),
    ("divergence", Some(Kind::Divergence), None),
    ("deadlock", Some(Kind::Deadlock), None),
    ("shuffle", Some(Kind::Shuffle), None),
    ("out-of-bounds", Some(Kind::OutOfBounds), None),
    ("early", Some(Kind::Early), None),
    ("unexpected", Some(Kind::Unexpected), Some(false)),
    ("misaligned", Some(Kind::Misaligned), None),
    ("overflow", Some(Kind::Overflow), None),
    ("division", Some(Kind::DivisionByZero), None),
    ("mixed-positions", Some(Kind::MixedPositions), None),
    ("malformed", Some(Kind::Malformed), None),
    ("wrong", None, None),
];

/// Classes of bugs that show only if a certain block is the last, or the first.
const SOMETIMES: [&str; 5] = ["global-race", "same-value", "scope", "stale", "unexpected"];

/// The result of a kernel under one schedule.
struct Found {
    reports: Vec<Report>,
    /// Whether the result holds every element once.
    sound: bool,
}

/// Runs a kernel of an entry with the settings of the entry.
fn run(entry: &Entry, kernel: &LoweredKernel, schedule: Schedule) -> Found {
    let operation = entry.operation();
    let mut domain = Provenance::new(&operation);
    let n = entry.number("n").unwrap();
    let mut inputs = entry.inputs(&operation);
    let offsets = entry.numbers("offsets");
    if let Some(input) = entry.number::<usize>("misaligned") {
        inputs[input].offset = 1;
    }
    let mut memory = Memory { offsets: &offsets, ..entry.memory(&inputs) };
    let written = entry.number("written").unwrap_or(0);
    memory.items.iter_mut().take(written).zip(0..).for_each(|(item, at)| *item = Some(domain.leaf(at)));
    if entry.has_setting("workspace", "empty") {
        memory.partials.fill(Some(domain.identity()));
    }
    let mut found = Found { reports: Vec::new(), sound: true };
    for _ in 0..entry.number("launches").unwrap_or(1) {
        memory.results = vec![None];
        let options = Options::under(schedule);
        let grid = entry.number("grid").unwrap();
        let launched = launch(&operation, kernel, &mut domain, memory, grid, n, options);
        memory = launched.memory;
        found.reports.extend(launched.reports);
        found.sound &= launched.ended && is_sound(entry, &operation, &domain, &memory);
    }
    found
}

fn is_sound(entry: &Entry, operation: &Operation, domain: &Provenance<'_>, memory: &Memory<'_>) -> bool {
    let given = match entry.output() {
        "nothing" => return true,
        "groups" => return has_groups(entry, operation, domain, memory),
        "runs" => return has_runs(entry, memory),
        "partials" => memory.partials.clone(),
        _ => memory.results.clone(),
    };
    let mut leaves: Vec<_> = given.into_iter().flatten().flat_map(|tree| domain.leaves(tree)).collect();
    leaves.sort_unstable();
    leaves.into_iter().eq(0..entry.number("n").unwrap())
}

fn schedules(entry: &Entry) -> Vec<Schedule> {
    Schedule::all(entry.number("grid").unwrap())
}

/// The counts of bugs: all; those that are found under some schedule; those that give a wrong result or none under some
/// schedule; the schedules; and the schedules that find the bug.
const COLUMNS: [&str; 5] = ["bugs", "found", "wrong", "schedules", "found under"];

/// Returns the counts of one bug.
fn search(entry: &Entry, bug: &Bug) -> [usize; COLUMNS.len()] {
    let (_, kind, global) = CLASSES.into_iter().find(|(name, ..)| *name == bug.class).unwrap();
    let kernel = entry.kernel(Some(bug.letter));
    let runs: Vec<_> = schedules(entry).into_iter().map(|it| run(entry, &kernel, it)).collect();
    let wanted = |it: &Report| Some(it.kind) == kind && global.is_none_or(|global| global == is_global(it));
    let shows = |run: &&Found| match kind {
        Some(_) => run.reports.iter().any(wanted),
        None => run.reports.is_empty() && !run.sound,
    };
    let found = runs.iter().filter(shows).count();
    if found == 0 {
        let Bug { letter, class, what } = bug;
        let reports: BTreeSet<_> =
            runs.iter().flat_map(|run| &run.reports).map(|it| format!("{:?}: {it}", it.kind)).collect();
        println!("{} {letter} ({class}: {what}) is not found; reported: {reports:#?}", entry.name);
    }
    let wrong = runs.iter().any(|run| !run.sound);
    [1, usize::from(found > 0), usize::from(wrong), runs.len(), found]
}

/// Returns whether the statement is about global memory.
fn is_global(report: &Report) -> bool {
    let buffers = ["partials[", "items[", "result[", "ticket[", "tiles[", "marks[", "offsets[", "keys_"];
    buffers.iter().any(|buffer| report.statement.contains(buffer))
}

/// A rotating sixth of the bugs.
#[test]
fn every_bug_is_found() {
    let entries = entries();
    let bugs: Vec<_> = entries.iter().flat_map(|it| it.bugs.iter().map(move |bug| (it, bug))).collect();
    let of_class = |class: &str| bugs.iter().filter(|(_, bug)| bug.class == class).count();
    assert!(CLASSES.iter().all(|(class, ..)| of_class(class) >= 10), "ten of each class");
    let sampled: Vec<_> = sample(&bugs, 6).collect();
    let found: Vec<_> = sampled.par_iter().map(|(entry, bug)| (&bug.class, search(entry, bug))).collect();
    let mut table: BTreeMap<&str, [usize; COLUMNS.len()]> = BTreeMap::new();
    for (class, counts) in found {
        table.entry(class).or_default().iter_mut().zip(counts).for_each(|(total, count)| *total += count);
    }
    println!("{:24}{}", "class", COLUMNS.map(|it| format!("{it:>13}")).concat());
    for (class, row) in &table {
        println!("{class:24}{}", row.map(|it| format!("{it:>13}")).concat());
    }
    assert!(table.len() == CLASSES.len() || !full(), "every class");
    assert!(table.values().all(|row| row[0] == row[1]), "a bug is not found");
    let some = |class: &str| SOMETIMES.contains(&class);
    assert!(table.iter().all(|(class, row)| some(class) || row[3] == row[4]), "not under every schedule");
}

/// Bugs from kernels of other projects, by the number of their report: each is in the corpus, so each is found.
#[test]
fn known_bugs_are_replayed() {
    let known = ["PyTorch#128455", "Fuser#2391", "Fuser#489", "CCCL#9771", "PyTorch#5242", "HeCBench#91"];
    for name in known {
        let entries = entries();
        let at = |it: &Bug| it.what.ends_with(&format!("({name})"));
        let place =
            entries.iter().find_map(|entry| Some((&entry.name, entry.bugs.iter().find(|it| at(it))?)));
        let (entry, bug) = place.unwrap_or_else(|| panic!("{name} is missing"));
        println!("{name}: {entry} {}, {}", bug.letter, bug.class);
    }
}

#[test]
fn no_correct_kernel_is_reported() {
    let entries = entries();
    let alarms: Vec<_> = entries.par_iter().flat_map_iter(alarms).collect();
    println!("{} correct kernels, {} false alarms", entries.len(), alarms.len());
    assert!(alarms.is_empty(), "{alarms:#?}");
}

/// Returns the faults of the correct kernel of an entry. There should not be any.
fn alarms(entry: &Entry) -> Vec<String> {
    let kernel = entry.kernel(None);
    let of_run = |schedule: Schedule| {
        let found = run(entry, &kernel, schedule);
        let unsound = (!found.sound).then(|| "it does not give every element once".to_owned());
        let all = found.reports.iter().map(ToString::to_string).chain(unsound);
        all.map(|what| format!("{}: {what}, {schedule:?}", entry.name)).collect::<Vec<_>>()
    };
    schedules(entry).into_iter().flat_map(of_run).collect()
}

/// Every kernel prints as a CUDA program, except kernels with clusters, kernels that the verifier refuses, dependent
/// kernels, whose bugs need a previous launch, and kernels that give groups or runs, which have other parameters. Bugs that print like the correct kernel, because CUDA has no weaker form, are
/// left out, too. `REDUCEGEN_CORPUS_CUDA=FOLDER` writes the programs there, with a list of the bugs, for
/// `scripts/corpus-sanitizers.sh`.
#[test]
fn kernels_print_as_cuda_programs() {
    let folder = std::env::var_os("REDUCEGEN_CORPUS_CUDA").map(PathBuf::from);
    let mut list = String::new();
    let alone = |kernel: LoweredKernel| kernel.cluster == 1 && !kernel.dependent;
    let other = |entry: &Entry| ["groups", "runs"].contains(&entry.output());
    for entry in entries().iter().filter(|entry| !other(entry) && alone(entry.kernel(None))) {
        let correct = program(entry, None);
        let shows = |letter| program(entry, Some(letter)) != correct;
        let bugs = entry.bugs.iter().filter(|bug| bug.class != "malformed" && shows(bug.letter));
        let bugs = bugs.map(|bug| (Some(bug.letter), bug.class.as_str(), bug.what.as_str()));
        for (bug, class, what) in iter::once((None, "correct", "")).chain(bugs) {
            let name = bug.map_or(entry.name.clone(), |letter| format!("{}.{letter}", entry.name));
            let program = program(entry, bug);
            assert!(program.contains(&format!("__global__ void {}(", entry.kernel(bug).name)), "{program}");
            list.push_str(&format!("{name}\t{class}\t{what}\n"));
            if let Some(folder) = &folder {
                fs::write(folder.join(format!("{name}.cu")), program).unwrap();
            }
        }
    }
    if let Some(folder) = &folder {
        fs::write(folder.join("list.tsv"), list).unwrap();
    }
}
