//! Random typed specifications with elements of every class. Every device must give the same bits.
#![allow(dead_code, reason = "no test uses all of it")]

use super::classes::Class;
use super::reference::{Place, Reference};
use fuzz::check;
use fuzz::spec::RandomSpec;
use rayon::prelude::*;
use reduce_ir::{Scalar, Spec};
use reduce_lanes::Lanes;
use std::collections::BTreeMap;
use std::env;

/// Returns the number in an environment variable, or a default.
pub(crate) fn number(variable: &str, otherwise: u64) -> u64 {
    env::var(variable)
        .map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("{variable} is {text}")))
}

/// Returns the seeds of this run: `REDUCEGEN_SEED` is the first seed, `REDUCEGEN_SPECS` their number.
pub(crate) fn seeds(count: u64) -> Vec<u64> {
    let first = number("REDUCEGEN_SEED", 0);
    (first..first + number("REDUCEGEN_SPECS", count)).collect()
}

/// Lengths around the boundaries of warps, blocks, tiles and `auto`.
const LENGTHS: [usize; 21] = [
    0, 1, 2, 31, 32, 33, 127, 129, 255, 257, 1000, 1023, 1025, 2048, 4097, 10_000, 16_385, 32_767, 65_537,
    100_000, 1_000_003,
];

/// A specification that the parser accepts.
pub(crate) struct Fuzzed {
    pub(crate) seed: u64,
    pub(crate) reference: Reference,
    /// The number of passes that were refused.
    pub(crate) refused: usize,
}

impl Fuzzed {
    /// Parses and checks the specification of a seed. Returns `None` if the parser refuses it.
    pub(crate) fn of_seed(seed: u64) -> Result<Option<Fuzzed>, String> {
        let Ok(scheduled) = RandomSpec::of_seed(seed).scheduled() else { return Ok(None) };
        let failed = |what| format!("seed {seed}: {}\n{what}", scheduled.text);
        check::canonical(&scheduled.spec).map_err(failed)?;
        let spec = Spec { text: scheduled.text, ..scheduled.spec };
        Ok(Some(Fuzzed { seed, reference: Reference::new(spec), refused: scheduled.refused }))
    }

    /// Returns the class of its elements.
    pub(crate) fn class(&self) -> Class {
        Class::ALL[(self.seed % Class::ALL.len() as u64) as usize]
    }

    /// Returns the layout of n elements: some are misaligned, and some strided.
    pub(crate) fn place(&self, n: usize) -> Place {
        let strided = self.reference.spec.domain.steps() > 0;
        // A team reduces one tile at most.
        let n = self.reference.host.programs().up_to().map_or(n, |most| n.min(most as usize));
        let step = if self.seed.is_multiple_of(3) { -2 } else { 2 };
        Place { n, start: (self.seed as usize + n) % 8, step: if strided { step } else { 1 } }
    }

    /// Returns memory of each input with elements in this layout.
    pub(crate) fn memory(&self, pool: &Pool, place: Place) -> Vec<Lanes> {
        let inputs = self.reference.spec.operation.inputs.iter().enumerate();
        let memory = inputs.map(|(input, param)| {
            let all = pool.elements(param.ty, self.class());
            let start = Pool::start(input);
            let mut lanes = Lanes::empty(param.ty);
            lanes.extend(all.borrow().slice(start..start + place.len()));
            lanes
        });
        memory.collect()
    }
}

/// Returns the lengths up to `most`.
pub(crate) fn lengths(most: usize) -> impl Iterator<Item = usize> {
    LENGTHS.into_iter().filter(move |&n| n <= most)
}

/// Elements of every type and class, created once.
pub(crate) struct Pool(BTreeMap<(Scalar, Class), Lanes>);

impl Pool {
    /// Creates elements for layouts of at most `most` elements, strided ones included.
    pub(crate) fn new(most: usize) -> Pool {
        let len = Pool::start(4) + 2 * most + 8;
        let all: Vec<_> = Scalar::ALL.iter().flat_map(|&ty| Class::ALL.map(|class| (ty, class))).collect();
        Pool(all.into_par_iter().map(|(ty, class)| ((ty, class), class.elements(ty, len, 0))).collect())
    }

    /// Returns the offset of the elements of an input.
    pub(crate) fn start(input: usize) -> usize {
        1009 * input
    }

    pub(crate) fn elements(&self, ty: Scalar, class: Class) -> &Lanes {
        &self.0[&(ty, class)]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&(Scalar, Class), &Lanes)> {
        self.0.iter()
    }
}
