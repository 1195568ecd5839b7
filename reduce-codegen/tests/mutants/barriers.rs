//! Every barrier of every generated kernel is needed: if it alone is deleted, the interpreter reports the accesses that it
//! ordered. A barrier without such a report is redundant, and must not be emitted.

use super::catalogue::{Mutation, mutations};
use super::judge::report;
use super::kernels::{Subject, kernels_of, specs};
use super::sites::Variant;
use super::support::random::{Case, Random};
use super::support::rotation::sample;
use rayon::prelude::*;
use reduce_ir::Scalar;

fn deletions() -> Vec<Mutation> {
    mutations().filter(|it| it.name.ends_with("barrier deleted")).collect()
}

/// Returns the number of barriers of a kernel that are needed, and the redundant ones.
fn deleted(subject: &Subject) -> (usize, Vec<String>) {
    let found = report(subject, &subject.kernel);
    assert!(found.is_none(), "{found:?}\n{}\n{}", subject.name, subject.kernel);
    let mutants = deletions().into_iter().flat_map(|it| it.mutants(subject)).enumerate();
    let (missed, redundant): (Vec<_>, Vec<_>) =
        mutants.partition(|(_, mutant)| report(subject, &mutant.kernel).is_some());
    let name = |(at, mutant): (usize, Variant)| format!("{}, number {at}, of {}", mutant.what, subject.name);
    (missed.len(), redundant.into_iter().map(name).collect())
}

/// Of a rotating third of the kernels.
#[test]
fn every_barrier_is_missed() {
    let random = (0..60).map(|seed| Case::new(&mut Random::new(seed)).spec());
    let lists = specs("sum", Scalar::F32, 1024).chain(specs("argmax", Scalar::F32, 256)).chain(random);
    let subjects: Vec<_> = sample(kernels_of(lists), 3).collect();
    let judged: Vec<_> = subjects.par_iter().map(deleted).collect();
    let missed: usize = judged.iter().map(|(missed, _)| missed).sum();
    let redundant: Vec<_> = judged.into_iter().flat_map(|(_, redundant)| redundant).collect();
    println!("{missed} barriers of {} kernels deleted, and missed", subjects.len());
    assert!(
        redundant.is_empty(),
        "{} barriers that nobody misses:\n{}",
        redundant.len(),
        redundant.join("\n")
    );
    assert!(missed >= 300, "{missed}");
}
