//! Collects elements that lie at regular or listed distances, as the rows or the columns of a matrix.

/// Distances from a first element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Places {
    /// At `first`, `first + step`, …, `len` of them.
    Even {
        /// The first distance.
        first: isize,
        /// The difference of neighbours.
        step: isize,
        /// The number of distances.
        len: usize,
    },
    /// Any distances.
    Listed(Vec<isize>),
}

/// The elements of a tile of a transposition. The lines of its columns stay in the L1 cache.
const TILE: [usize; 2] = [16, 128];

impl Places {
    /// Returns the number of distances.
    pub fn len(&self) -> usize {
        match self {
            Places::Even { len, .. } => *len,
            Places::Listed(all) => all.len(),
        }
    }

    /// Returns whether there are no distances.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a distance.
    #[inline(always)]
    fn at(&self, k: usize) -> isize {
        match self {
            Places::Even { first, step, .. } => first.wrapping_add(step.wrapping_mul(k as isize)),
            Places::Listed(all) => all[k],
        }
    }

    /// Returns whether neighbours lie side by side, or are one element.
    fn is_dense(&self) -> bool {
        matches!(self, Places::Even { step: -1..=1, .. })
    }
}

/// Sets `to` to the elements at every outer and inner place.
pub(super) fn collect<T: Copy>(from: &[T], base: usize, [outer, inner]: [&Places; 2], to: &mut [T]) {
    let [rows, columns] = if inner.is_dense() { [1, inner.len()] } else { TILE };
    for first in (0..outer.len()).step_by(rows) {
        for start in (0..inner.len()).step_by(columns.max(1)) {
            let end = inner.len().min(start + columns);
            for row in first..outer.len().min(first + rows) {
                let to = &mut to[row * inner.len()..][start..end];
                collect_row(from, base.wrapping_add_signed(outer.at(row)), inner, start, to);
            }
        }
    }
}

/// Sets `to` to the elements at the inner places from `start` on.
#[inline(always)]
fn collect_row<T: Copy>(from: &[T], base: usize, inner: &Places, start: usize, to: &mut [T]) {
    let first = base.wrapping_add_signed(inner.at(start));
    match inner {
        Places::Even { step: 1, .. } => to.copy_from_slice(&from[first..first + to.len()]),
        Places::Even { step: 0, .. } => to.fill(from[first]),
        Places::Even { step, .. } => {
            let mut at = first;
            for to in to {
                *to = from[at];
                at = at.wrapping_add_signed(*step);
            }
        }
        Places::Listed(all) => {
            to.iter_mut()
                .zip(&all[start..])
                .for_each(|(to, &place)| *to = from[base.wrapping_add_signed(place)]);
        }
    }
}
