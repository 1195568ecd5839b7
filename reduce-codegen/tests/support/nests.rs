//! Loops over axes, and inputs with their elements at any place in memory.

use reduce_interpreter::Input;
use reduce_ir::axes::{Dim, Nest};
use reduce_lanes::Lanes;

/// Returns loops over axes of one input, which are given by length and step.
pub fn nest(kept: &[(u64, i64)], reduced: &[(u64, i64)]) -> Nest {
    let dims =
        |axes: &[(u64, i64)]| axes.iter().map(|&(length, step)| Dim { length, steps: vec![step] }).collect();
    Nest { kept: dims(kept), reduced: dims(reduced), result: Vec::new(), along: Vec::new() }.merged()
}

/// Returns the distance of a position along axes of an input.
pub fn offset(dims: &[Dim], input: usize, position: u64) -> i64 {
    let (mut rest, mut sum) = (position, 0);
    for dim in dims.iter().rev() {
        sum += (rest % dim.length) as i64 * dim.steps[input];
        rest /= dim.length;
    }
    sum
}

/// Returns an input without negative steps. Each element is its position in the order of groups; gaps have other numbers.
pub fn numbered(nest: &Nest, input: usize) -> Input {
    let extent = nest.extent();
    let far = |dim: &Dim| (dim.length - 1) as i64 * dim.steps[input];
    let last: i64 = nest.kept.iter().chain(&nest.reduced).map(far).sum();
    let mut elements: Vec<u64> = (0..=last as u64).map(|at| u64::MAX - at).collect();
    for position in 0..extent.elements() {
        let group = offset(&nest.kept, input, position / extent.length);
        let place = group + offset(&nest.reduced, input, position % extent.length);
        elements[place as usize] = position;
    }
    Input { elements: Lanes::U64(elements.into()), offset: 0, first: 0, steps: nest.steps(input).collect() }
}
