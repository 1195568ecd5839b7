//! The ordering of a reduction in one launch. Each mutant of a kernel with tickets that weakens it is reported. Most also
//! give a wrong result under some schedule, for example with another block as the last one.

use super::catalogue::mutations;
use super::equivalent::row_of;
use super::judge::Judge;
use super::kernels::{Leaves, Subject, kernels_of, ordered_specs, specs};
use super::support::rotation::sample;
use super::tickets::tickets;
use rayon::prelude::*;
use reduce_interpreter::{Memory, Options, Provenance, Schedule, launch};
use reduce_ir::{Scalar, Spec};

/// The number of mutants that are killed by running them, reported, and wrong.
#[derive(Clone, Copy, Default)]
struct Tally {
    killed: usize,
    reported: usize,
    wrong: usize,
}

/// Tests every mutant that weakens the ordering of a kernel. The interpreter alone kills it, or the list explains it.
fn ordered(subject: &Subject) -> Tally {
    let (mut judge, mut tally) = (Judge::of(subject), Tally::default());
    let of_order = mutations().filter(|mutation| mutation.of_order);
    for (mutation, mutant) in of_order.flat_map(|it| it.mutants(subject).into_iter().map(move |of| (it, of)))
    {
        let verdict = judge.judge(&mutant.kernel);
        let mut kinds: Vec<_> = verdict.reports.iter().map(|report| report.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let result = if verdict.wrong { ", wrong result" } else { "" };
        println!("{}: {}\n    {kinds:?}{result}", mutation.name, mutant.what);
        let explained = row_of(mutation.name, &mutant.what, &subject.name).is_some();
        assert!(verdict.is_seen() || explained, "{}: {}, {}", subject.name, mutation.name, mutant.what);
        tally.killed += usize::from(verdict.is_seen());
        tally.reported += usize::from(!verdict.reports.is_empty());
        tally.wrong += usize::from(verdict.wrong);
    }
    tally
}

/// Returns the sums over the mutants of all kernels.
fn sum_of(subjects: &[Subject]) -> Tally {
    let sum = |a: Tally, b: Tally| Tally {
        killed: a.killed + b.killed,
        reported: a.reported + b.reported,
        wrong: a.wrong + b.wrong,
    };
    let all = subjects.par_iter().map(ordered).reduce(Tally::default, sum);
    let Tally { killed, reported, wrong } = all;
    println!("{killed} mutants of tickets killed: {reported} reported, {wrong} with a wrong result");
    all
}

#[test]
fn tickets_are_ordered() {
    let Tally { killed, reported, wrong } = sum_of(&tickets());
    assert!(killed >= 24 && reported >= killed - 3 && wrong * 2 > killed);
}

/// Tests a rotating sixth of the kernels with the pass `ticket`. Returns the number of them, with and without clusters, fill and trees in shared memory, and
/// the number of their killed mutants. Nearly all of these must be reported.
fn of_the_pass(specs: impl Iterator<Item = Spec>) -> [usize; 2] {
    let taken = |it: &Subject| matches!(it.leaves, Leaves::Tickets(_));
    let subjects: Vec<_> = sample(kernels_of(specs).into_iter().filter(taken), 6).collect();
    let Tally { killed, reported, .. } = sum_of(&subjects);
    println!("of {} kernels", subjects.len());
    assert!(reported * 10 >= killed * 9);
    [subjects.len(), killed]
}

#[test]
fn tickets_of_the_pass_are_ordered() {
    let [kernels, killed] =
        of_the_pass(specs("sum", Scalar::F32, 64).chain(specs("argmax", Scalar::F16, 64)));
    assert!(kernels >= 2 && killed >= 30);
}

#[test]
fn tickets_of_what_does_not_commute_are_ordered() {
    let [kernels, killed] = of_the_pass(ordered_specs());
    assert!(kernels >= 2 && killed >= 30, "{killed} of {kernels}");
}

/// A ticket that another launch increments, as if two launches shared it, lets no block be the last.
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
                launched.memory.results[0]
            };
            assert!(result(0).is_some());
            assert_ne!(result(1), result(0), "{}: {schedule:?}", subject.name);
        }
    }
}
