//! What orders a reduction in one launch: each mutant of the kernels with tickets that weakens it is reported, and
//! most also give a wrong result under some schedule, such as with another block as the last one.

use super::catalogue::mutations;
use super::equivalent::row_of;
use super::judge::Judge;
use super::tickets::tickets;
use reduce_dsl::interpreter::{Memory, Options, Provenance, Schedule, launch};

#[test]
fn tickets_are_ordered() {
    let (mut killed, mut reported, mut wrong) = (0, 0, 0);
    for subject in &tickets() {
        let mut judge = Judge::of(subject);
        for mutation in mutations().filter(|mutation| mutation.of_order) {
            for mutant in mutation.mutants(subject) {
                let verdict = judge.judge(&mutant.kernel);
                let mut kinds: Vec<_> = verdict.reports.iter().map(|report| report.kind).collect();
                kinds.sort_unstable();
                kinds.dedup();
                let result = if verdict.wrong { ", wrong result" } else { "" };
                println!("{}: {}\n    {kinds:?}{result}", mutation.name, mutant.what);
                let explained = row_of(mutation.name, &mutant.what, &subject.name).is_some();
                assert!(verdict.is_killed() || explained, "{}: {}", subject.name, mutant.what);
                killed += usize::from(verdict.is_killed());
                reported += usize::from(!verdict.reports.is_empty());
                wrong += usize::from(verdict.wrong);
            }
        }
    }
    println!("{killed} mutants of tickets killed: {reported} reported, {wrong} with a wrong result");
    assert!(killed >= 24 && reported >= killed - 3 && wrong * 2 > killed);
}

/// A ticket that another launch has taken from, as it would be shared by two at once, lets no block be the last.
#[test]
fn a_ticket_belongs_to_one_launch() {
    for subject in &tickets() {
        let size = subject.launches[0];
        let inputs = Provenance::inputs(&subject.operation, size.items, size.aligned);
        for schedule in Schedule::all(size.grid) {
            let mut domain = Provenance::new(&subject.operation);
            let mut result = |taken| {
                let mut memory = Memory::new(&inputs, 64 * size.grid as usize);
                memory.ticket = vec![0; 1 + size.grid as usize];
                memory.ticket[0] = taken;
                let options = Options::under(schedule);
                let (grid, items) = (size.grid, size.items);
                let launched =
                    launch(&subject.operation, &subject.kernel, &mut domain, memory, grid, items, options);
                launched.memory.result
            };
            assert!(result(0).is_some());
            assert_ne!(result(1), result(0), "{}: {schedule:?}", subject.name);
        }
    }
}
