//! The association of a program for n elements, as a tree or as levels.

use reduce_ir::program::Association;
use serde::Serialize;

/// The association for n elements.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Tree {
    n: u64,
    /// The longest chain of combinations from an element to the result.
    depth: u64,
    levels: Vec<LevelView>,
    /// The operands of each combination, in order. Numbers below n are elements; combination k has the number n + k. Empty for
    /// many elements.
    pairs: Vec<[u64; 2]>,
    /// The combinations of one element: the number of elements on its side, on the other side, and whether it is on the right.
    path: Vec<(u64, u64, bool)>,
    /// The element of the path.
    element: u64,
}

/// A level, and the numbers of items before and after it.
#[derive(Clone, Debug, Serialize)]
struct LevelView {
    text: String,
    from: u64,
    to: u64,
}

/// The maximum number of elements whose combinations are listed.
const LISTED: u64 = 4096;
/// The maximum number of elements among which the path of one is found.
const FOLLOWED: u64 = 1 << 20;

impl Tree {
    /// Returns the association for n elements.
    pub(crate) fn of(association: &Association, n: u64) -> Tree {
        let mut items = n;
        let levels = association.levels(n).into_iter().map(|level| {
            let (from, to) = (items, level.outputs(items));
            items = to;
            LevelView { text: level.to_string(), from, to }
        });
        let element = n / 3;
        Tree {
            n,
            depth: association.depth(n),
            levels: levels.collect(),
            pairs: if n <= LISTED { pairs(association, n) } else { Vec::new() },
            path: if n <= FOLLOWED { path(association, n, element) } else { Vec::new() },
            element,
        }
    }
}

fn pairs(association: &Association, n: u64) -> Vec<[u64; 2]> {
    let mut pairs = Vec::new();
    association.reduce((0..n).collect(), |left, right| {
        pairs.push([left, right]);
        n + pairs.len() as u64 - 1
    });
    pairs
}

/// Returns the combinations on the way of one element.
fn path(association: &Association, n: u64, element: u64) -> Vec<(u64, u64, bool)> {
    let mut path = Vec::new();
    let items = (0..n).map(|it| (1, it == element)).collect();
    association.reduce(items, |(left, in_left), (right, in_right): (u64, bool)| {
        if in_left || in_right {
            path.push(if in_right { (right, left, true) } else { (left, right, false) });
        }
        (left + right, in_left || in_right)
    });
    path
}
