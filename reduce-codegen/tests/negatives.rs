//! The negative examples of the ladder: the error of each source, its reason, and the wrong result.

use crate::support::corpus::entry;
use reduce_interpreter::{Input, Kind, Options, Provenance, Report, Schedule, Values, launch};
use reduce_ir::Value;
use reduce_lanes::Lanes;

/// The result of summing ones under one schedule.
struct Found {
    reports: Vec<Report>,
    /// The sum of the kernel's results, or `None` if one of them is undefined.
    sum: Option<f32>,
}

impl Found {
    fn has(&self, kind: Kind) -> bool {
        self.reports.iter().any(|it| it.kind == kind)
    }
}

/// Sums n ones with a kernel of the corpus, or with its correct version, under every schedule.
fn sums(name: &str, bug: Option<char>) -> Vec<Found> {
    let entry = entry(name);
    let (operation, kernel) = (entry.operation(), entry.kernel(bug));
    let [n, grid] = ["n", "grid"].map(|key| entry.number(key).unwrap());
    let ones = [Input::new(Lanes::splat(Value::of(1f32), n as usize), true)];
    let under = |schedule| {
        let mut domain = Values::new(&operation);
        let memory = entry.memory(&ones);
        let launched = launch(&operation, &kernel, &mut domain, memory, grid, n, Options::under(schedule));
        let mut given = launched.memory.partials;
        if entry.output() == "result" {
            given.clone_from(&launched.memory.results);
        }
        let value = |acc| domain.finish(acc, n, &[]).unwrap()[0].get::<f32>().unwrap();
        Found { reports: launched.reports, sum: given.into_iter().map(|acc| acc.map(value)).sum() }
    };
    Schedule::all(grid).into_iter().map(under).collect()
}

/// Checks that the correct kernel has no reports and the right sum, whatever the schedule.
fn assert_right(name: &str, sum: f32) {
    for found in sums(name, None) {
        assert_eq!((found.reports, found.sum), (Vec::new(), Some(sum)), "{name}");
    }
}

/// Checks that a race is reported under every schedule, and that some schedules give this wrong sum.
fn assert_race(name: &str, sum: f32, because: &str) {
    let all = sums(name, Some('a'));
    assert!(all.iter().all(|found| found.has(Kind::Race)), "{name}");
    assert!(
        all.iter().any(|found| found.reports.iter().any(|it| it.to_string().contains(because))),
        "{name}"
    );
    let wrong: Vec<_> = all.iter().map(|found| found.sum).filter(|&it| it != Some(sum)).collect();
    println!("{name}: {sum}, but {wrong:?} under {} of {} schedules", wrong.len(), all.len());
    assert!(!wrong.is_empty(), "{name}");
    assert_right(name, sum);
}

#[test]
fn the_volatile_warp_tail_is_a_race() {
    assert_race("volatile_warp_tail", 64.0, "`store sdata[thread] = combine(mine_16, other_16)`");
}

#[test]
fn a_tree_needs_a_barrier_between_its_levels() {
    assert_race("tree_without_barrier", 256.0, "`store sdata[thread] = combine(mine, other)`");
}

/// There is no report, and the sum is wrong: only the provenance tells which elements are missing.
#[test]
fn a_dropped_tail_shows_in_the_provenance() {
    for found in sums("dropped_tail", Some('a')) {
        assert_eq!((found.reports, found.sum), (Vec::new(), Some(128.0)));
    }
    assert_right("dropped_tail", 150.0);
    assert_eq!(not_consumed("dropped_tail", Some('a')), (128..150).collect::<Vec<_>>());
    assert_eq!(not_consumed("dropped_tail", None), []);
}

/// Returns the elements that no partial contains.
fn not_consumed(name: &str, bug: Option<char>) -> Vec<u64> {
    let entry = entry(name);
    let (operation, kernel) = (entry.operation(), entry.kernel(bug));
    let [n, grid] = ["n", "grid"].map(|key| entry.number(key).unwrap());
    let inputs = Provenance::inputs(&operation, n, true);
    let mut domain = Provenance::new(&operation);
    let memory = entry.memory(&inputs);
    let launched = launch(&operation, &kernel, &mut domain, memory, grid, n, Options::FORWARD);
    let partials = launched.memory.partials.into_iter().flatten();
    let consumed: Vec<_> = partials.flat_map(|tree| domain.leaves(tree)).collect();
    (0..n).filter(|position| !consumed.contains(position)).collect()
}

#[test]
fn the_second_element_of_a_turn_may_be_past_the_end() {
    for found in sums("reads_past_the_end", Some('a')) {
        let report = found.reports.iter().find(|it| it.kind == Kind::OutOfBounds).unwrap().to_string();
        assert!(
            report.starts_with(
                "`load element_2: f32 = input0[i + u64(BLOCK)]` accesses memory outside its buffer"
            ),
            "{report}"
        );
        assert!(report.contains("of 300, in thread"), "{report}");
        assert_ne!(found.sum, Some(300.0), "what is past the end is nothing to add");
    }
    assert_right("reads_past_the_end", 300.0);
}
