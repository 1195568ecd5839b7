//! The number of killed mutants of each kind, by the check that killed them.

use super::catalogue::mutations;
use super::equivalent::{EQUIVALENT, check_survivors};
use super::judge::Judge;
use super::kernels::{Subject, kernels_of, ordered_specs, specs};
use super::support::rotation::{full, sample, turn};
use super::tickets::tickets;
use rayon::prelude::*;
use reduce_ir::Scalar;
use std::hash::{DefaultHasher, Hash, Hasher as _};

/// The mutants of one kind.
#[derive(Clone, Default)]
struct Tally {
    mutants: usize,
    refused: usize,
    reported: usize,
    wrong: usize,
    survivors: Vec<Survivor>,
}

#[derive(Clone)]
struct Survivor {
    kernel: String,
    what: String,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.mutants += other.mutants;
        self.refused += other.refused;
        self.reported += other.reported;
        self.wrong += other.wrong;
        self.survivors.extend(other.survivors);
    }
}

/// Returns n, where one mutant in n is tested, and the turn of a rotating sample.
fn one_of() -> (usize, usize) {
    if full() { (1, 0) } else { (480, turn()) }
}

fn hash(mutant: impl Hash) -> u32 {
    let mut hasher = DefaultHasher::new();
    mutant.hash(&mut hasher);
    hasher.finish() as u32
}

/// Returns the tally of each kind, in the order of the mutations.
fn tallies_of(subject: &Subject, (one_of, turn): (usize, usize)) -> Vec<Tally> {
    let mut judge = Judge::of(subject);
    let mut tallies = Vec::new();
    for (place, mutation) in mutations().enumerate() {
        let mut tally = Tally::default();
        // Of mutants that weaken the ordering, there are few.
        let step = if mutation.of_order { one_of.div_ceil(4) } else { one_of };
        let place_of = |number: usize| hash((&subject.name, place, number)) as usize;
        let sampled = |number: usize| (place_of(number) + turn).is_multiple_of(step);
        let mutants = mutation.mutants(subject).into_iter().enumerate();
        for (_, mutant) in mutants.filter(|(number, _)| sampled(*number)) {
            let verdict = judge.judge(&mutant.kernel);
            tally.mutants += 1;
            tally.refused += usize::from(verdict.refused);
            tally.reported += usize::from(!verdict.reports.is_empty());
            tally.wrong += usize::from(verdict.wrong);
            if !verdict.is_killed() {
                tally.survivors.push(Survivor { kernel: subject.name.clone(), what: mutant.what });
            }
        }
        tallies.push(tally);
    }
    tallies
}

/// Returns the kernels: lists and rungs for an operator with an identity and one without, tickets of one that does not
/// commute, and tickets written by hand.
fn subjects() -> Vec<Subject> {
    let lists = specs("sum", Scalar::F32, 128).chain(specs("argmax", Scalar::F16, 64));
    kernels_of(lists.chain(ordered_specs())).into_iter().chain(tickets()).collect()
}

#[test]
fn mutants_are_killed() {
    let all_subjects = subjects();
    assert!(all_subjects.len() >= 40, "{} kernels", all_subjects.len());
    let subjects: Vec<_> = sample(all_subjects, 3).collect();
    let mut tallies = vec![Tally::default(); mutations().count()];
    let one_of = one_of();
    for of_subject in subjects.par_iter().map(|subject| tallies_of(subject, one_of)).collect::<Vec<_>>() {
        tallies.iter_mut().zip(of_subject).for_each(|(tally, other)| tally.add(other));
    }
    let mut all = Tally::default();
    println!("| kind | mutants | refused | reported | wrong result | survivors |\n|---|--:|--:|--:|--:|--:|");
    for (mutation, tally) in mutations().zip(&tallies) {
        print(mutation.name, tally);
        all.add(tally.clone());
    }
    print(&format!("all, of {} kernels", subjects.len()), &all);
    let killed = all.mutants - all.survivors.len();
    assert!(all.mutants >= 40, "{} mutants", all.mutants);
    // A sample may miss a rare kind.
    let missing = tallies.iter().filter(|tally| tally.mutants == 0).count();
    assert!(missing == 0 || !full() && missing * 3 < 2 * tallies.len(), "{missing} kinds have no mutant");
    let survivors = mutations().zip(&tallies).flat_map(|(mutation, tally)| {
        tally.survivors.iter().map(move |it| (mutation.name, it.what.as_str(), it.kernel.as_str()))
    });
    check_survivors(&EQUIVALENT, survivors, full());
    let least = if full() { 97 } else { 90 };
    assert!(killed * 100 >= all.mutants * least, "{killed} of {} are killed", all.mutants);
}

fn print(name: &str, it: &Tally) {
    let (mutants, refused, reported, wrong) = (it.mutants, it.refused, it.reported, it.wrong);
    println!("| {name} | {mutants} | {refused} | {reported} | {wrong} | {} |", it.survivors.len());
}
