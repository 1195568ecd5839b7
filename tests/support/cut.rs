//! Random specifications over segments, and how segments cut their elements.
#![allow(dead_code, reason = "no test uses all of it")]

use super::classes::Class;
use super::fuzzed::Pool;
use super::splitmix::Random;
use fuzz::spec::RandomSpec;
use reduce_dsl::parse::spec;
use reduce_ir::{Scalar, Spec};
use reduce_lanes::Lanes;

/// The number of ways to cut elements.
pub(crate) const WAYS: u64 = 50;

/// Lengths that some program reduces last, or first: of threads, lanes, warps and blocks.
const EDGES: [u64; 16] = [1, 2, 7, 8, 9, 31, 32, 33, 127, 129, 511, 513, 1024, 1025, 4096, 4097];

/// A specification of one group, and the same over segments.
pub(crate) struct Cut {
    pub(crate) alone: Spec,
    pub(crate) segments: Spec,
    pub(crate) class: Class,
    /// The type of the offsets.
    pub(crate) offsets: Scalar,
}

impl Cut {
    /// Returns the specifications of a seed, with `passes: auto`. Returns `None` if the parser refuses them.
    pub(crate) fn of_seed(seed: u64) -> Option<Cut> {
        let text = RandomSpec::of_seed(seed).text();
        let ends = [", block: ", ", passes: "].iter().filter_map(|word| text.find(word)).min();
        let fields = text[..ends.unwrap_or(text.len())].replace(", layout: strided", "");
        let offsets = [Scalar::U32, Scalar::U64, Scalar::I32, Scalar::I64][seed as usize % 4];
        let [alone, segments] =
            [fields.clone(), format!("{fields}, segments: {offsets}")].map(|it| spec(&it));
        let class = Class::ALL[seed as usize % Class::ALL.len()];
        // One failed assertion fails the whole call.
        if alone.as_ref().is_ok_and(|spec| spec.operation.asserts) {
            return None;
        }
        Some(Cut { alone: alone.ok()?, segments: segments.ok()?, class, offsets })
    }

    /// Returns the elements of each input.
    pub(crate) fn elements(&self, pool: &Pool, len: usize) -> Vec<Lanes> {
        let inputs = self.alone.operation.inputs.iter().enumerate();
        let taken = inputs.map(|(input, param)| {
            let (mut lanes, start) = (Lanes::empty(param.ty), Pool::start(input));
            lanes.extend(pool.elements(param.ty, self.class).borrow().slice(start..start + len));
            lanes
        });
        taken.collect()
    }
}

/// Returns offsets that cut at most `most` elements in one of [`WAYS`] ways: lengths that are alike, random, at the edges of programs, or
/// mixed with a giant or empty segments. Some begin behind the first element.
pub(crate) fn offsets(way: u64, most: u64) -> Vec<u64> {
    let random = &mut Random::new(way);
    let mean = [1, 3, 16, 70, 300, 1500][(way / 6 % 6) as usize];
    let mut next = |at: u64| match way % 6 {
        0 => mean,
        1 => random.below(2 * mean + 1),
        2 => random.below(2) * random.below(2 * mean + 1),
        3 => EDGES[random.below(EDGES.len() as u64) as usize],
        4 if at == way % 5 => most / 2,
        4 => random.below(9),
        _ => 2 * mean / (1 + random.below(2 * mean + 1)),
    };
    let mut all = vec![[0, 3][((way / 6 + way / 36) % 2) as usize]];
    for at in 0..most / 8 {
        let end = all[all.len() - 1] + next(at);
        if end > most {
            break;
        }
        all.push(end);
    }
    all
}

/// Returns the offsets in the type of the specification.
pub(crate) fn lanes(ty: Scalar, offsets: &[u64]) -> Lanes {
    let all = offsets.iter();
    if ty == Scalar::U32 {
        Lanes::from(all.map(|&at| at as u32).collect::<Vec<_>>())
    } else if ty == Scalar::I32 {
        Lanes::from(all.map(|&at| at as i32).collect::<Vec<_>>())
    } else if ty == Scalar::I64 {
        Lanes::from(all.map(|&at| at as i64).collect::<Vec<_>>())
    } else {
        Lanes::from(offsets.to_vec())
    }
}
