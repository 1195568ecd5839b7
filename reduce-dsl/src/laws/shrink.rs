//! Makes a counterexample as simple as it gets.

use super::batch::Batch;
use super::equation::Equation;
use super::examine::{Examiner, Verdict};
use super::sample::Sampler;
use reduce_ir::Value;
use std::ops::Range;

/// The most steps. Each makes it simpler, so that there is an end, but not when.
const STEPS: usize = 100;

/// A case as that one, of which the same is to be said: of fewer elements, each nearer to 0, as far as there is time.
pub(super) fn shrunk(
    examiner: &Examiner<'_>,
    equation: &Equation,
    mut case: Batch,
    verdict: Verdict,
    is_time: impl Fn() -> bool,
) -> Batch {
    for _ in 0..STEPS {
        let is_like_it = |simpler: &Batch| examiner.judge(equation, simpler) == verdict;
        let simpler = simpler(&case, &examiner.sampler).take_while(|_| is_time()).find(is_like_it);
        match simpler {
            Some(simpler) => case = simpler,
            None => return case,
        }
    }
    case
}

fn simpler(case: &Batch, sampler: &Sampler<'_>) -> impl Iterator<Item = Batch> {
    shorter(case).chain(placed_first(case)).chain(plainer(case, sampler))
}

/// Without half of the elements of an operand that has several, or one of them: the first, or the last.
fn shorter(case: &Batch) -> impl Iterator<Item = Batch> {
    let several = (0..case.shape.len()).filter(|&operand| case.shape[operand] > 1);
    several.flat_map(|operand| {
        let (elements, first) = (case.shape[operand], case.shape[..operand].iter().sum::<usize>());
        let half = elements / 2;
        let cuts = [first..first + half, first + elements - half..first + elements, first..first + 1];
        cuts.map(|cut| without(case, operand, cut))
    })
}

fn without(case: &Batch, operand: usize, cut: Range<usize>) -> Batch {
    let mut shorter = case.clone();
    let position = case.elements[0].position.get(0).bits();
    shorter.shape[operand] -= cut.len();
    shorter.elements.drain(cut);
    shorter.place(0, position);
    shorter
}

/// Beginning at position 0.
fn placed_first(case: &Batch) -> impl Iterator<Item = Batch> {
    let mut first = case.clone();
    first.place(0, 0);
    (first != *case).then_some(first).into_iter()
}

/// With one of its scalars simpler.
fn plainer(case: &Batch, sampler: &Sampler<'_>) -> impl Iterator<Item = Batch> {
    let scalars: Vec<Value> = case.clone().scalars().into_iter().map(|lanes| lanes.get(0)).collect();
    scalars.into_iter().enumerate().flat_map(move |(at, value)| {
        let simpler = sampler.simplest(value.ty()).into_iter().take_while(move |it| *it != value);
        simpler.map(move |simpler| with(case, at, simpler))
    })
}

fn with(case: &Batch, at: usize, value: Value) -> Batch {
    let mut changed = case.clone();
    if let Some(lanes) = changed.scalars().into_iter().nth(at) {
        lanes.set(0, value);
    }
    changed
}
