//! Shrinks a counterexample.

use super::batch::Batch;
use super::equation::Equation;
use super::examine::{Examiner, Verdict};
use super::sample::Sampler;
use reduce_ir::Value;
use std::ops::Range;

/// The limit on steps. Each step simplifies the case, so shrinking ends, but possibly late.
const STEPS: usize = 100;

/// Returns a simpler case with the same verdict: fewer elements, each nearer to 0, as far as `is_time` allows.
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

/// Removes half of the elements of an operand, at either end, or its first one.
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

/// Moves the case to position 0.
fn placed_first(case: &Batch) -> impl Iterator<Item = Batch> {
    let mut first = case.clone();
    first.place(0, 0);
    (first != *case).then_some(first).into_iter()
}

/// Simplifies one of the scalars.
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
